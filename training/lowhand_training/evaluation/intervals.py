"""Intervals by the bootstrap, stratified by seat.

A sample is a list of strata: the values of one seat in each. Its estimate is the mean of the
means of the strata, so that every seat counts the same, however often it was sat at. A resample
draws, within each stratum, as many values as it has, with replacement (Efron and Tibshirani,
"An introduction to the bootstrap", 1993, section 8.3 and chapter 13 for the percentile interval).
"""

from collections.abc import Iterator, Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

RESAMPLES = 400
_TAIL = 0.025
_Z = NormalDist().inv_cdf(1.0 - _TAIL)

Strata = Sequence[NDArray[np.float64]]


class Estimate(NamedTuple):
    """A mean and its 95 % interval."""

    mean: float
    low: float
    high: float


def resampled_means(
    strata: Strata, resamples: int, rng: np.random.Generator
) -> NDArray[np.float64]:
    """The estimate of each resample, (resamples,) float64.

    What a resample draws of a stratum is, for its mean, how often it draws each distinct value:
    a multinomial count. Shares and scores have few distinct values, so this costs a fraction of
    drawing game by game, and is the same in law.
    """
    total = np.zeros(resamples)
    for values in strata:
        distinct, counts = np.unique(values, return_counts=True)
        drawn = rng.multinomial(len(values), counts / len(values), size=resamples)
        total += drawn @ distinct / len(values)
    return total / len(strata)


def estimate(strata: Strata, rng: np.random.Generator, resamples: int = RESAMPLES) -> Estimate:
    """The mean over seats with the 95 % percentile interval.

    Args:
        strata: the values of each seat, at least one in each.
        rng: draws the resamples.
        resamples: how many.
    """
    mean = float(np.mean([values.mean() for values in strata]))
    low, high = np.quantile(resampled_means(strata, resamples, rng), [_TAIL, 1.0 - _TAIL])
    return Estimate(mean, float(low), float(high))


def estimate_share(
    strata: Strata, rng: np.random.Generator, resamples: int = RESAMPLES
) -> Estimate:
    """Like `estimate`, for win shares: never a point (see `share_interval`)."""
    everything = np.concatenate(strata)
    if (everything == everything[0]).all() and everything[0] in (0.0, 1.0):
        return Estimate(float(everything[0]), *share_interval(everything))
    return estimate(strata, rng, resamples)


def by_seat(
    values: NDArray[np.float64], seats: NDArray[np.int64], players: int
) -> list[NDArray[np.float64]]:
    """Strata of values (games,) by where the agent sat; seats without games are left out."""
    strata = [values[seats == seat] for seat in range(players)]
    return [stratum for stratum in strata if len(stratum)]


def resampled_counts(
    strata: NDArray[np.int64], resamples: int, rng: np.random.Generator
) -> Iterator[NDArray[np.float64]]:
    """How often each game counts, for statistics that are no means.

    Args:
        strata: (games,) the stratum of each game, any integers.
        resamples: how many arrays (games,) float64 to yield.
        rng: draws within strata.
    """
    order = np.argsort(strata, kind="stable")
    _, where, sizes = np.unique(strata[order], return_index=True, return_counts=True)
    start, size = np.repeat(where, sizes), np.repeat(sizes, sizes)
    for _ in range(resamples):
        drawn = start + (rng.random(len(strata)) * size).astype(np.int64)
        yield np.bincount(order[drawn], minlength=len(strata)).astype(np.float64)


def normal_interval(values: NDArray[np.float64]) -> tuple[float, float]:
    """95 % interval of the mean over seats, by the normal law.

    Args:
        values: (games of each seat, seats); the seats are strata of equal weight, so that the
            variance of the mean is that within seats alone.
    """
    games, seats = values.shape
    half = _Z * float(np.sqrt(values.var(axis=0, ddof=1).sum() / games)) / seats
    mean = float(values.mean())
    return mean - half, mean + half


def share_interval(shares: NDArray[np.float64]) -> tuple[float, float]:
    """95 % interval of a win share, (games of each seat, seats): within [0, 1].

    Where every game was lost, or every game won, the sample has no variance, which would make
    the interval a point: it is the exact binomial one (Clopper and Pearson, 1934) instead.
    """
    bound = 1.0 - _TAIL ** (1.0 / shares.size)
    if (shares == 0.0).all():
        return 0.0, bound
    if (shares == 1.0).all():
        return 1.0 - bound, 1.0
    low, high = normal_interval(shares)
    return max(low, 0.0), min(high, 1.0)
