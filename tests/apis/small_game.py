"""A game of No Thanks! in PettingZoo that fits into a test."""

from typing import Any

from lowhand import no_thanks_v0
from lowhand.apis.pettingzoo_env import GameEnv

# Three cards, two players with one chip each.
SMALL: dict[str, Any] = {"num_players": 2, "low": 3, "high": 5, "removed": 0, "chips": 1}
FROM_3 = {"deck": [3, 4, 5], "first_player": 0}


def small(options: dict[str, Any] | None = None, **arguments: Any) -> GameEnv:
    env = no_thanks_v0.env(**{**SMALL, **arguments})
    env.reset(options=FROM_3 if options is None else options)
    return env


def play(env: GameEnv, actions: list[int]) -> dict[str, float]:
    """Play the actions, then dead steps to the end: what each agent got in all."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    left = iter(actions)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        assert not truncated
        env.step(None if terminated else next(left))
    assert next(left, None) is None
    return total


def broke(**arguments: Any) -> GameEnv:
    """The game with player 0 to move without a chip, so that passing is illegal."""
    return small({**FROM_3, "chips": [0, 2], "pot": 0}, **arguments)
