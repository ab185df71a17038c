"""A game's record as a flat vector: the full information, for centralised critics."""

import numpy as np
from gymnasium.spaces import Box
from numpy.typing import NDArray

# Random streams: the other fields have what they dealt.
_LEFT_OUT = ("key", "stream", "counter")


class StateVector:
    """The layout of a game's record as a vector.

    The fields except the random streams follow one another, unscaled. Unsigned fields are
    bitsets of cards and give one 0 or 1 for each bit.

    Attributes:
        slices: the part of the vector that each field takes.
        space: its space, float32 with the bounds of the fields' types.
    """

    def __init__(self, dtype: np.dtype) -> None:
        self.slices: dict[str, slice] = {}
        low: list[float] = []
        high: list[float] = []
        blank = np.zeros(1, dtype)
        for name in dtype.names or ():
            if name in _LEFT_OUT:
                continue
            kind, size = dtype[name].base, _entries(blank[name]).size
            bounds = _bounds(kind)
            self.slices[name] = slice(len(low), len(low) + size)
            low += [bounds[0]] * size
            high += [bounds[1]] * size
        self.space = Box(np.array(low, np.float32), np.array(high, np.float32), dtype=np.float32)

    def read(self, states: np.ndarray) -> NDArray[np.float32]:
        """The vector of `states[0]`."""
        return np.concatenate([_entries(states[name]) for name in self.slices], dtype=np.float32)


def _bounds(kind: np.dtype) -> tuple[float, float]:
    """Lowest and highest entry of a field of this type."""
    if kind.kind == "u":
        return 0, 1
    if kind.kind == "f":  # finite, since PettingZoo's checks warn of infinite bounds
        return float(np.finfo(np.float32).min), float(np.finfo(np.float32).max)
    return np.iinfo(kind).min, np.iinfo(kind).max


def _entries(field: np.ndarray) -> NDArray[np.float32]:
    """The numbers of a field of one state; those of an unsigned one bit by bit."""
    values = field.ravel()
    if values.dtype.kind == "u":
        shifts = np.arange(8 * values.dtype.itemsize, dtype=values.dtype)
        values = (values[:, np.newaxis] >> shifts & values.dtype.type(1)).ravel()
    return values.astype(np.float32)
