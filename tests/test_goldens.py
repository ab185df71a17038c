"""Games played through, as text a person can follow: what `_v0` plays must not change unseen.

A change of rules, of what a seed deals, of an observation or of a scripted player shows here as a
difference. Where it is meant, it is a new version of the environment; then

    python -m tests.test_goldens

writes the files anew, and the difference belongs into the review.
"""

from pathlib import Path

import numpy as np
import pytest

from lowhand import no_thanks_v0
from lowhand.agents import ScriptedAgent, TableView, make_agent
from lowhand.no_thanks import GAME

FOLDER = Path(__file__).parent / "goldens"

PLAYERS = {
    "no_thanks_v0-3-players": ("greedy", "connector", "sally"),
    "no_thanks_v0-5-players": (
        "chip_value:0.5,2,extort",
        "linear",
        "blocker:9",
        "random:0.3",
        "valuer",
    ),
}
SEED = 42


def playthrough(names: tuple[str, ...]) -> str:
    """One game between scripted players: what the mover sees and does, and the result."""
    agents = [make_agent(name, GAME) for name in names]
    env = no_thanks_v0.env(num_players=len(names), perfect_recall=True, render_mode="ansi")
    env.reset(seed=SEED)
    lines = [f"seed {SEED}: " + ", ".join(f"player_{i} {name}" for i, name in enumerate(names))]
    for agent in env.agent_iter():
        observation, reward, termination, _, info = env.last()
        if termination:
            lines.append(f"{agent}: score {info['final_score']:g}, reward {reward:+.4f}")
            env.step(None)
            continue
        player = agents[env.possible_agents.index(agent)]
        assert isinstance(player, ScriptedAgent)
        table = TableView(GAME, env.options, env._rules, env._states, np.zeros(1, np.int64))
        action = int(player.act(table, np.random.default_rng(0))[0])
        words = GAME.describe_action(env._rules, env._states[0], action)
        lines += ["", str(env.render()), *seen(env, observation), f"{agent}: {words}"]
        env.step(action)
    return "\n".join(lines) + "\n"


def seen(env: no_thanks_v0.raw_env, observation: dict[str, np.ndarray]) -> list[str]:
    """The mover's observation: its scalar fields, and where its planes are not zero."""
    views = env.observation_spec.views(observation["observation"])
    short = {
        name: np.round(view.astype(float), 3).tolist()
        for name, view in views.items()
        if view.size <= 5
    }
    planes = {name: np.flatnonzero(view).tolist() for name, view in views.items() if view.size > 5}
    return [f"  {name}: {value}" for name, value in (short | planes).items()]


@pytest.mark.parametrize("name", PLAYERS)
def test_the_game_is_played_as_it_was(name: str) -> None:
    assert playthrough(PLAYERS[name]) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name, names in PLAYERS.items():
        (FOLDER / f"{name}.txt").write_text(playthrough(names), encoding="utf-8")
