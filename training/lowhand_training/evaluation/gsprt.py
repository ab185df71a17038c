"""The generalised sequential probability ratio test (GSPRT) for the mean of unknown values.

Wald's test needs the distribution under both hypotheses; the generalised one puts its maximum
likelihood estimate under each in its place (Li, Liu, Xu and Ying, "Generalized sequential
probability ratio test for separate families of hypotheses", Sequential Analysis 33, 2014). Here
nothing is assumed of the distribution but its mean, as in the testing of chess engines (Van den
Bergh, "The generalized maximum likelihood ratio for the expectation value of a distribution",
2019): the estimate is the observed distribution, reweighted so that it has the mean of the
hypothesis (Owen, "Empirical likelihood", 2001, section 2.9).
"""

from dataclasses import dataclass
from math import log

import numpy as np
from numpy.typing import NDArray

from lowhand_training.common.optional_deps import need

_PSEUDO = 1e-3
"""Weight of one imagined value at either end of the range: it makes either hypothesis possible
before any value has been seen on its other side, and soon counts for nothing."""


@dataclass(frozen=True)
class Gsprt:
    """A test of "the mean is at most `h0`" against "it is at least `h1`".

    Attributes:
        h0, h1: means, −1 < h0 < h1 < 1; values lie from −1 to 1.
        alpha: chance to decide for h1 where h0 is true.
        beta: chance to decide for h0 where h1 is true.

    Raises:
        ValueError: any of them is out of its bounds.
    """

    h0: float = 0.0
    h1: float = 0.02
    alpha: float = 0.05
    beta: float = 0.05

    def __post_init__(self) -> None:
        if not -1.0 < self.h0 < self.h1 < 1.0:
            raise ValueError(
                f"the hypotheses must be −1 < h0 < h1 < 1, not h0 = {self.h0}, h1 = {self.h1}."
            )
        for name in ("alpha", "beta"):
            chance = getattr(self, name)
            if not 0.0 < chance < 0.5:
                raise ValueError(f"{name} must lie between 0 and 0.5, not {chance}.")

    @property
    def bounds(self) -> tuple[float, float]:
        """Of the log-likelihood ratio: below the first h0 is accepted, above the second h1.

        Wald's: ±log 19 = ±2.944 where both errors are 0.05.
        """
        return log(self.beta / (1.0 - self.alpha)), log((1.0 - self.beta) / self.alpha)

    def llr(self, values: NDArray[np.float64]) -> float:
        """The log-likelihood ratio of independent values (any number): h1 over h0."""
        seen, counts = np.unique(values, return_counts=True)
        support = np.concatenate([[-1.0], seen, [1.0]])
        weights = np.concatenate([[_PSEUDO], counts, [_PSEUDO]])
        under_h0, under_h1 = (tilted(support, weights, mean) for mean in (self.h0, self.h1))
        return float(weights @ (np.log(under_h1) - np.log(under_h0)))

    def decide(self, llr: float) -> str | None:
        """`"H0"` or `"H1"` once the ratio has left the bounds, else None."""
        low, high = self.bounds
        if llr <= low:
            return "H0"
        return "H1" if llr >= high else None


def tilted(
    support: NDArray[np.float64], weights: NDArray[np.float64], mean: float
) -> NDArray[np.float64]:
    """The likeliest distribution on `support` that has this mean, given weights of each value.

    It is p_i = f_i / (1 + t (x_i − mean)) with the observed frequencies f and the t that makes
    Σ p_i (x_i − mean) = 0, which falls strictly with t between the poles.

    Args:
        support: values, the first the lowest and the last the highest.
        weights: of each, positive.
        mean: strictly between the lowest and the highest value.
    """
    frequencies, away = weights / weights.sum(), support - mean

    def excess(t: float) -> float:
        return float((frequencies * away / (1.0 + t * away)).sum())

    # At the root every p_i is at most 1, so 1 + t·away_i ≥ f_i: that keeps t off the poles.
    low = (frequencies[-1] - 1.0) / away[-1]
    high = (frequencies[0] - 1.0) / away[0]
    t = need("scipy.optimize", "eval").brentq(excess, low, high, xtol=1e-14)
    distribution: NDArray[np.float64] = frequencies / (1.0 + t * away)
    return distribution
