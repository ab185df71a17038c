"""Positions reached in random play, for tests that look at many of them."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from lowhand.games.no_thanks.options import Options
from tests.crosscheck.no_thanks import Twins


def random_twins(seed: int, batches: int, tables: int = 16) -> Iterator[Twins]:
    """Batches of random options with the referee, at points spread over a game."""
    rng = random.Random(seed)
    for _ in range(batches):
        twins = Twins(rng, tables)
        yield twins
        for _ in range(4):
            for _ in range(rng.randint(1, 12)):
                twins.step()
            yield twins


def random_positions(
    seed: int, batches: int, tables: int = 16
) -> Iterator[tuple[Options, np.ndarray]]:
    """Options and copies of states with the same number of players, none of them over."""
    for twins in random_twins(seed, batches, tables):
        states = twins.batch.states
        for players in np.unique(states["num_players"]).tolist():
            options = {**twins.options, "num_players": players}
            yield Options(**options), states[states["num_players"] == players].copy()
