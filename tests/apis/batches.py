"""Batches of No Thanks! in tests: actions, and what a batch shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lowhand import Batch, TableView
from lowhand.games import GAMES

NO_THANKS = GAMES["no_thanks"]
PASS, TAKE = 0, 1


def random_actions(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for every game."""
    coins = rng.integers(0, 2, batch.num_envs)
    return np.where(batch.action_mask[:, PASS] == 1, coins, TAKE)


def script(batch: Batch) -> np.ndarray:
    """Legal actions that depend on each game's own past only, so that batches can be compared."""
    masks, states = batch.action_mask, batch.states
    ranks = (states["moves"] * 5 // 3 + states["mover"]) % masks.sum(axis=1)
    return np.array([np.flatnonzero(mask)[rank] for mask, rank in zip(masks, ranks, strict=True)])


def shown(batch: Batch) -> list[np.ndarray]:
    """Copies of everything that a batch shows."""
    arrays = (
        batch.observation,
        batch.action_mask,
        batch.mover,
        batch.rewards,
        batch.done,
        batch.final_scores,
        batch.states,
    )
    return [array.copy() for array in arrays]


def assert_same(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> None:
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a, b)


class Asked:
    """An agent that Python asks: takes whatever costs at most `limit`, and counts."""

    def __init__(self, limit: float = 10.0) -> None:
        self.limit, self.calls, self.tables = limit, 0, 0

    def act(self, table: TableView, rng: np.random.Generator) -> np.ndarray:
        self.calls, self.tables = self.calls + 1, self.tables + len(table)
        fields = table.fields()
        cost = fields["score_change"][:, 0] * 35 - fields["pot"][:, 0] * 11
        takes = (np.rint(cost) <= self.limit) | (table.action_mask[:, PASS] == 0)
        return takes.astype(np.int64)
