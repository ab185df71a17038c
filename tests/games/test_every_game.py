"""What must hold in every game of the package."""

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.engine.kernels_batch import write_observations
from lowhand.games import GAMES

every_game = pytest.mark.parametrize("game", GAMES)


@every_game
def test_reset_with_a_seed_fixes_the_deal(game: str) -> None:
    """A common error: `reset(seed)` does not fix the deal."""
    batch = make_batch(game, 3, seed=7)
    first = batch.states.copy()
    batch.reset()
    assert not np.array_equal(batch.states["deck"], first["deck"])
    batch.reset(7)
    assert np.array_equal(batch.states, first)
    assert np.array_equal(make_batch(game, 3, seed=7).states, first)
    batch.reset(8)
    assert not np.array_equal(batch.states["deck"], first["deck"])


@every_game
def test_only_the_row_asked_for_is_written(game: str) -> None:
    batch = make_batch(game, 3)
    batch.observation[:] = np.nan
    write_observations(batch._tables, 1, 2, True)
    assert np.isnan(batch.observation[[0, 2]]).all()
    assert not np.isnan(batch.observation[1]).any()


@every_game
def test_engine_state_takes_at_most_512_bytes(game: str) -> None:
    assert GAMES[game].state.itemsize <= 512
