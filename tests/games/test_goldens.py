"""Games played through, as text a person can follow: what `_v0` plays must not change unseen.

A change of rules, of what a seed deals, of an observation or of a scripted player shows here as a
difference. Where it is meant, it is a new version of the environment; then

    python -m tests.test_goldens

rewrites the files, and the difference is part of the review.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lowhand import least_score_v0, no_thanks_v0
from lowhand.agents.names import make_agent
from lowhand.agents.table_view import ScriptedAgent, TableView
from lowhand.apis.pettingzoo_env import GameEnv

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
    "least_score_v0-3-players": ("aggressive", "random", "conservative"),
    "least_score_v0-4-players": ("greedy:4", "lookahead", "tuned", "caller"),
}
ENVIRONMENTS = {"no_thanks_v0": no_thanks_v0.env, "least_score_v0": least_score_v0.env}
# A short match, in which players are knocked out, and a single deal.
OPTIONS: dict[str, dict[str, Any]] = {
    "least_score_v0-3-players": {"points_limit": 25},
    "least_score_v0-4-players": {"points_limit": None},
}
SEED = 42


def playthrough(name: str) -> str:
    """One game between scripted players: what the mover sees and does, and the result."""
    names = PLAYERS[name]
    env: GameEnv = ENVIRONMENTS[name.partition("-")[0]](
        num_players=len(names), perfect_recall=True, render_mode="ansi", **OPTIONS.get(name, {})
    )
    agents = [make_agent(name, env.game) for name in names]
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
        table = TableView(env.game, env.options, env._rules, env._states, np.zeros(1, np.int64))
        action = int(player.act(table, np.random.default_rng(0))[0])
        words = env.game.describe_action(env._rules, env._states[0], action)
        lines += ["", str(env.render()), *seen(env, observation), f"{agent}: {words}"]
        env.step(action)
    return "\n".join(lines) + "\n"


def seen(env: GameEnv, observation: dict[str, np.ndarray]) -> list[str]:
    """The mover's observation: its short fields and counts, and where its planes are not zero."""
    views = env.observation_spec.views(observation["observation"])
    short, planes = {}, {}
    for name, view in views.items():
        if view.size <= 5 or not np.isin(view, (0, 1)).all():
            short[name] = np.round(view.astype(float), 3).tolist()
        else:
            planes[name] = np.flatnonzero(view).tolist()
    return [f"  {name}: {value}" for name, value in (short | planes).items()]


@pytest.mark.parametrize("name", PLAYERS)
def test_the_game_is_played_as_it_was(name: str) -> None:
    assert playthrough(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


if __name__ == "__main__":
    for name in PLAYERS:
        (FOLDER / f"{name}.txt").write_text(playthrough(name), encoding="utf-8")
