"""Pictures of positions, the window that shows them, and what texts and pictures share."""

import numpy as np


def quantity(count: int, noun: str) -> str:
    """A number of things in words, such as `1 card` and `2 cards`."""
    return f"{count} {noun}" + ("" if count == 1 else "s")


def sees_hidden(state: np.record, seat: int, viewer: int | None) -> bool:
    """Whether `viewer` (a seat, or None for one that sees all) may see what `seat` hides."""
    return viewer is None or viewer == seat or bool(state.over)
