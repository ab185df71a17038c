"""A uniformly random legal action for each game of a batch, compiled."""

import numba
import numpy as np
from numpy.typing import NDArray


@numba.njit(error_model="numpy", cache=True)
def _hash(n: np.uint64) -> np.uint64:
    """64 random bits for draw n: the finaliser of splitmix64 on a counter.

    A counter leaves no chain of dependent steps, so that the loops below can be vectorised.
    """
    bits = n * np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    return (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)


@numba.njit(error_model="numpy", cache=True)
def choose_legal(masks: NDArray[np.int8], counter: int, actions: NDArray[np.signedinteger]) -> None:
    """Write into `actions[i]` one of the actions allowed by row i of `masks`, uniformly.

    Args:
        masks: (games, actions), 1 for legal, at least one in each row.
        counter: number of draws made before; draw n of all is the same function of n.
        actions: (games,) integers, overwritten.
    """
    if masks.shape[1] == 2:
        # The same rule without an inner loop: action 1 if it is legal, and action 0 is not or
        # loses the draw.
        for game in range(masks.shape[0]):
            bit = np.int64(_hash(np.uint64(counter + game)) >> np.uint64(63))
            actions[game] = masks[game, 1] & (bit | (1 - masks[game, 0]))
        return
    for game in range(masks.shape[0]):
        legal = 0
        for action in range(masks.shape[1]):
            legal += masks[game, action]
        draw = _hash(np.uint64(counter + game)) >> np.uint64(32)
        rank = np.int64((draw * np.uint64(legal)) >> np.uint64(32))
        # The action wanted has `rank` legal ones before it. Counting to the end of the row
        # costs no mispredicted branches.
        seen = 0
        chosen = 0
        for action in range(masks.shape[1]):
            seen += masks[game, action]
            chosen += seen <= rank
        actions[game] = chosen
