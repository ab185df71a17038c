"""Maximal lotteries: which agent to choose where results go round in circles.

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
        unique: whether it is the only one. Otherwise every agent that is in some maximal
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
    won, met = np.zeros((2, agents, agents))
    for seat in range(agent.shape[1]):
        for other in range(seat):
            pair = agent[:, seat], agent[:, other]
            np.add.at(won, pair, np.sign(rank[:, other].astype(np.int64) - rank[:, seat]))
            np.add.at(met, pair, 1.0)
    led, meetings = won - won.T, met + met.T
    np.fill_diagonal(meetings, 1.0)
    if (meetings == 0.0).any():
        raise ValueError("a maximal lottery needs games between all pairs of agents.")
    margins: NDArray[np.float64] = led / meetings
    return margins


def maximal_lottery(margins: NDArray[np.float64]) -> Lottery:
    """Returns the maximal lottery of antisymmetric margins (agents, agents).

    The value of a symmetric game is 0, so a lottery p is maximal iff p·margins ≥ 0 throughout.
    Some such p has for every agent either a chance or a lead of p over that agent (Tucker, "Dual
    systems of homogeneous linear relations", 1956). One linear program finds it: it maximises
    the least sum of the two.
    """
    agents = len(margins)
    ones, identity = np.ones((agents, 1)), np.eye(agents)
    found = need("scipy.optimize", "eval").linprog(
        np.append(np.zeros(agents), -1.0),
        A_ub=np.block([[-margins.T, 0.0 * ones], [-identity - margins.T, ones]]),
        b_ub=np.append(np.full(agents, _TOLERANCE), np.zeros(agents)),
        A_eq=np.append(ones, [[0.0]]).reshape(1, -1),
        b_eq=[1.0],
        bounds=[(0.0, 1.0)] * agents + [(None, None)],
    )
    if found.x is None:
        raise ValueError(f"no maximal lottery was found ({found.message}).")
    chances = found.x[:agents].clip(0.0)
    # All maximal lotteries mix these agents alone, and lead none of them.
    mixed = chances > chances @ margins
    rank = np.linalg.matrix_rank(margins[np.ix_(mixed, mixed)], tol=_TOLERANCE)
    return Lottery(chances / chances.sum(), bool(rank == mixed.sum() - 1))
