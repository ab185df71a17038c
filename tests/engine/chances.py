"""Chi-square tests for counts, without SciPy."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

LEVEL = 1e-4
"""Of every test of randomness here. Seeds are fixed, so that a test that passes always does."""


def chi_square_limit(freedom: int, level: float = LEVEL) -> float:
    """What a chi-square variable exceeds with probability `level` (Wilson and Hilferty, 1931)."""
    spread = 2.0 / (9.0 * freedom)
    z = NormalDist().inv_cdf(1.0 - level)
    return float(freedom * (1.0 - spread + z * spread**0.5) ** 3)


def chi_square(counts: ArrayLike, expected: ArrayLike) -> float:
    """Pearson's statistic."""
    counts, expected = np.asarray(counts, float), np.asarray(expected, float)
    return float(((counts - expected) ** 2 / expected).sum())


def is_uniform(counts: ArrayLike) -> bool:
    """Whether counts of equally likely values pass at `LEVEL`."""
    counts = np.asarray(counts).ravel()
    return chi_square(counts, counts.mean()) < chi_square_limit(counts.size - 1)


def is_uniform_shuffle(orders: np.ndarray, turned: int) -> bool:
    """Whether shuffles pass at `LEVEL`: each card equally often in each place.

    Args:
        orders: (shuffles, n) integers 0…n−1, each row a permutation.
        turned: places whose order counts; the rest are one heap of removed cards.

    With the rows' and columns' sums fixed, (n − 1)/n times Pearson's statistic of the table
    places × cards is chi-square with (places − 1)·(n − 1) degrees of freedom.
    """
    shuffles, n = orders.shape
    places = np.minimum(np.arange(n), turned)
    size = min(turned + 1, n)
    cells = places * n + orders
    counts = np.bincount(cells.ravel(), minlength=size * n).reshape(size, n)
    expected = np.bincount(places)[:, np.newaxis] * (shuffles / n)
    statistic = chi_square(counts, expected) * (n - 1) / n
    return statistic < chi_square_limit((size - 1) * (n - 1))
