"""Maximal lotteries: whom to send where results go round in circles.

A rating puts all agents on one line; where a beats b, b beats c and c beats a there is none. A
maximal lottery is a mixture of agents that no agent beats on average: an optimal strategy of the
symmetric zero-sum game whose payoffs are the pairwise margins (Fishburn, "Probabilistic social
choice based on simple majority comparisons", 1984). An agent that beats every other gets all.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lowhand_training.common.optional_deps import need

_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Lottery:
    """A maximal lottery.

    Attributes:
        chances: (agents,) of each agent; they add up to 1.
        unique: whether it is the only one. Otherwise `chances` is the mean of those that give
            each agent in turn as much, and as little, as any does: whoever is in some maximal
            lottery is in this one.
    """

    chances: NDArray[np.float64]
    unique: bool


def margins(agent: NDArray[np.int16], rank: NDArray[np.int8], agents: int) -> NDArray[np.float64]:
    """How much more often each agent ranks above each other than below, where both sit.

    Args:
        agent: (games, seats) who sat where.
        rank: (games, seats), 1 is best.
        agents: number of agents.

    Returns:
        (agents, agents) from −1 to 1, antisymmetric: [a, b] is the share of pairs of seats at
        which a ranked above b, less that at which b ranked above a.

    Raises:
        ValueError: two agents never met.
    """
    won, met = np.zeros(agents * agents), np.zeros(agents * agents)
    for seat in range(agent.shape[1]):
        for other in range(seat):
            pair = agent[:, seat].astype(np.int64) * agents + agent[:, other]
            above = np.sign(rank[:, other].astype(np.int64) - rank[:, seat])
            won += np.bincount(pair, above, minlength=agents * agents)
            met += np.bincount(pair, minlength=agents * agents)
    led = won.reshape(agents, agents) - won.reshape(agents, agents).T
    meetings = met.reshape(agents, agents) + met.reshape(agents, agents).T
    np.fill_diagonal(meetings, 1.0)
    if (meetings == 0.0).any():
        raise ValueError("a maximal lottery needs games between all pairs of agents.")
    margins: NDArray[np.float64] = led / meetings
    return margins


def maximal_lottery(margins: NDArray[np.float64]) -> Lottery:
    """The maximal lottery of antisymmetric margins (agents, agents)."""
    agents = len(margins)
    extremes = np.array(
        [_extreme(margins, sign * np.eye(agents)[a]) for a in range(agents) for sign in (-1, 1)]
    )
    chances = extremes.mean(axis=0).clip(0.0)
    unique = bool((np.ptp(extremes, axis=0) < 1e-6).all())
    return Lottery(chances / chances.sum(), unique)


def _extreme(margins: NDArray[np.float64], cost: NDArray[np.float64]) -> NDArray[np.float64]:
    """The maximal lottery of least cost.

    The value of a symmetric game is 0: a lottery p is maximal iff p·margins ≥ 0 throughout.
    """
    agents = len(margins)
    found = need("scipy.optimize", "eval").linprog(
        cost,
        A_ub=-margins.T,
        b_ub=np.full(agents, _TOLERANCE),
        A_eq=np.ones((1, agents)),
        b_eq=[1.0],
        bounds=(0.0, 1.0),
    )
    if found.x is None:
        raise ValueError(f"no maximal lottery was found ({found.message}).")
    lottery: NDArray[np.float64] = found.x
    return lottery
