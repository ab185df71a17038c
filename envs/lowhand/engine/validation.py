"""Checks that the options and positions of every game make."""

from collections.abc import Sequence
from typing import Any

import numpy as np


def check_integer(name: str, value: Any, low: int, high: int) -> None:
    """Refuse what is no integer from `low` to `high`.

    Raises:
        ValueError: it is none; the message says what would be right.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}.")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}.")


def is_list(value: Any) -> bool:
    """Whether it has entries; a 0-dimensional array has none."""
    return isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim > 0)
