"""Draws the pictures of README and docs: docs/images/no_thanks.png and docs/images/least_score.png.

    python docs/pictures.py

Each shows a game that its seed fixes, played by one of our scripted players at all seats, as the
player to move sees it. A test compares the files with what is drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lowhand import least_score_v0, no_thanks_v0
from lowhand.agents.names import make_agent
from lowhand.engine.game import View

if TYPE_CHECKING:
    from PIL.Image import Image

    from lowhand.apis.pettingzoo_env import GameEnv

FOLDER = Path(__file__).resolve().parent / "images"


def drawn(env: GameEnv, player: str, seed: int, moves: int) -> Image:
    """The position after so many moves, with the moves since the player's last turn."""
    game, rules, rng = env.game, env.options.rules(), np.random.default_rng(seed)
    agent = make_agent(player, game)
    env.reset(seed=seed)
    notes: list[str] = []
    for _ in range(moves):
        action = int(agent.act(env.table(), rng)[0])
        words = game.describe_action(rules, env.get_state(), action)
        notes.append(f"{env.agent_selection}: {words}")
        env.step(action)
    state = env.get_state()
    assert game.picture is not None
    return game.picture(rules, state, View(int(state.mover), notes[-env.num_agents + 1 :]))


def pictures() -> dict[str, Image]:
    """All pictures, by the names of their files."""
    return {
        "no_thanks.png": drawn(no_thanks_v0.env(num_players=4), "valuer", seed=42, moves=64),
        "least_score.png": drawn(least_score_v0.env(num_players=4), "tuned", seed=42, moves=30),
    }


if __name__ == "__main__":
    for name, picture in pictures().items():
        picture.save(FOLDER / name, optimize=True)
