"""Draws the pictures of the README: docs/no_thanks.png and docs/least_score.png.

    python docs/pictures.py

Each shows a game that its seed fixes, played by one of our scripted players at all seats, as the
player to move sees it.
"""

from pathlib import Path

import numpy as np

from lowhand import least_score_v0, no_thanks_v0
from lowhand.aec import GameEnv
from lowhand.agents import make_agent
from lowhand.picture import View

FOLDER = Path(__file__).resolve().parent


def draw(env: GameEnv, player: str, seed: int, moves: int) -> None:
    """Save the position after so many moves, with the moves since the player's last turn."""
    game, rules, rng = env.game, env.options.rules(), np.random.default_rng(seed)
    agent = make_agent(player, game)
    env.reset(seed=seed)
    told: list[str] = []
    for _ in range(moves):
        action = int(agent.act(env.table(), rng)[0])
        words = game.describe_action(rules, env.get_state(), action)
        told.append(f"{env.agent_selection}: {words}")
        env.step(action)
    state = env.get_state()
    assert game.picture is not None
    view = View(int(state.mover), told[-env.num_agents + 1 :])
    game.picture(rules, state, view).save(FOLDER / f"{game.name}.png", optimize=True)


if __name__ == "__main__":
    draw(no_thanks_v0.env(num_players=4), "valuer", seed=42, moves=64)
    draw(least_score_v0.env(num_players=4), "tuned", seed=42, moves=30)
