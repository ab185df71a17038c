"""Runs so small that a test takes a second: a short game, a tiny network, six updates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from lowhand.games import get_game
from lowhand_training.trainer.config import (
    GameConfig,
    LeagueConfig,
    NetworkConfig,
    PPOConfig,
    RewardConfig,
    TrainConfig,
)

GAME = get_game("no_thanks")

SHORT_GAME: dict[str, Any] = {"low": 3, "high": 12, "removed": 2, "chips": 3}
UPDATES = 6


def small_config(out: Path | str = "nowhere", **changes: Any) -> TrainConfig:
    """Self-play, scripted players and snapshots at tables of 3 and 4 for `UPDATES` updates."""
    config = TrainConfig(
        out=str(out),
        seed=3,
        decisions=UPDATES * 16 * 8,
        threads=1,
        save_every=1000,
        tensorboard=False,
        game=GameConfig(players=[3, 4], options=dict(SHORT_GAME)),
        network=NetworkConfig(hidden=[8]),
        reward=RewardConfig(start={"score": 1.0}, end={"win": 1.0}),
        ppo=PPOConfig(num_envs=16, num_steps=8, minibatch_size=64),
        league=LeagueConfig(pool=8, active=2, snapshot_every=2, keep=3, swap_every=2),
    )
    return replace(config, **changes)
