"""Plackett–Luce strengths by maximum likelihood.

A table ranks its players by choosing the first with a chance proportional to exp(strength), then
the second among the rest, and so on (Plackett, "The analysis of permutations", 1975; Luce,
"Individual choice behavior", 1959). The log-likelihood is concave (Hunter, "MM algorithms for
generalized Bradley–Terry models", 2004), so Newton's method finds its maximum.

- **Copies** of one agent at a table are entrants of the same strength: each stage chooses among
  all seats that are left. How copies rank among each other then says nothing, as it should.
- **Ties** are broken at random before the fit, each order of tied seats equally likely.
- A weak prior, normal with standard deviation `PRIOR_SD`, keeps the strength of an agent that
  always wins or always loses finite. On agents that do both it has no visible effect.

choix 0.4.1 fits the same model, and a test compares the two, but it does not serve here. None of
its functions for rankings takes weights, which resamples need, or returns the Hessian, with
which `refit` starts. All loop over games in Python: for 800 games of 4 among 8 agents
`ilsr_rankings` takes 30 ms of processor time and `opt_rankings`, the one with a normal prior,
2 s, against about 1 ms here. `opt_rankings` is also wrong for copies: its gradient is summed by
NumPy's `a[i] += b`, which adds only once where an index is repeated.
"""

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.jit import njit
from lowhand_training.common.optional_deps import need

PRIOR_SD = 10.0
"""In units of log strength: 1737 points on the Elo scale."""

_LONGEST_STEP = 2.0  # of Newton's method: far from the maximum its model overshoots
_TOLERANCE = 1e-9
_STEPS = 100


def break_ties(rank: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """The seats of each game from first to last, (games, seats); ties fall at random."""
    order: NDArray[np.int64] = np.argsort(rank + 0.5 * rng.random(rank.shape), axis=1)
    return order


def fit(
    orders: NDArray[np.int16],
    agents: int,
    weights: NDArray[np.float64] | None = None,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Strengths from rankings.

    Args:
        orders: (games, seats) the agents of each game from first to last, from 0; an agent may
            be in a row several times.
        agents: number of agents.
        weights: (games,) how often each game counts; by default once.

    Returns:
        The log strengths (agents,), which add up to 0, and minus the Hessian of the
        log-posterior there, (agents, agents).

    Raises:
        ValueError: the games do not connect all agents, or Newton's method found no maximum.
    """
    _check_connected(orders, agents)
    counted = np.ones(len(orders)) if weights is None else weights
    return _newton(orders, counted, np.zeros(agents))


def _newton(
    orders: NDArray[np.int16], weights: NDArray[np.float64], start: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Returns what `fit` does, by Newton's method from `start`."""
    theta = start.copy()
    for _ in range(_STEPS):
        gradient, hessian = _derivatives(orders, weights, theta, curved=True)
        step = np.linalg.solve(hessian, gradient)
        longest = float(np.abs(step).max())
        theta += step * min(1.0, _LONGEST_STEP / longest) if longest > 0.0 else step
        if longest < _TOLERANCE:
            return theta - theta.mean(), hessian
    raise ValueError("the ratings did not converge; there are too few games.")


def refit(
    orders: NDArray[np.int16],
    weights: NDArray[np.float64],
    start: NDArray[np.float64],
    inverse: NDArray[np.float64],
    tolerance: float = 1e-4,
) -> NDArray[np.float64]:
    """Strengths of games that count otherwise than in a fit nearby, as in a resample.

    Newton's method with the curvature of that fit throughout, which spares nearly all the work.
    Where that does not get there (an agent that won one game of thousands, which the resample
    left out, is far off and flat), the curvature is computed again at each step.

    Args:
        orders: as in `fit`.
        weights: as in `fit`.
        start: strengths of that fit, (agents,).
        inverse: of what it returned as Hessian.
        tolerance: of the strengths; 1e-4 is 0.02 points on the Elo scale.
    """
    theta = start.copy()
    for _ in range(_STEPS):
        step = inverse @ _derivatives(orders, weights, theta, curved=False)[0]
        longest = float(np.abs(step).max())
        if longest > _LONGEST_STEP:
            break
        theta += step
        if longest < tolerance:
            centred: NDArray[np.float64] = theta - theta.mean()
            return centred
    return _newton(orders, weights, start)[0]


def _derivatives(
    orders: NDArray[np.int16],
    weights: NDArray[np.float64],
    theta: NDArray[np.float64],
    curved: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Gradient of the log-posterior and, where `curved`, minus its Hessian."""
    precision = PRIOR_SD**-2
    gradient, hessian = -precision * theta, precision * np.eye(len(theta))
    _add_derivatives(orders, weights, np.exp(theta), gradient, hessian, curved)
    return gradient, hessian


@njit
def _add_derivatives(orders, weights, strength, gradient, hessian, curved):  # type: ignore[no-untyped-def]
    """Add those of the log-likelihood.

    With S_s the strength left at stage s, a seat of strength g at place k adds 1 − g Σ 1/S_s to
    its agent's entry, and a pair of seats −g g' Σ 1/S_s² to minus the Hessian, both over the
    stages at which they were still there. The last stage has no choice.
    """
    games, seats = orders.shape
    once, twice = np.empty(seats), np.empty(seats)  # Σ 1/S_s and Σ 1/S_s² up to place k
    for game in range(games):
        weight = weights[game]
        if weight == 0.0:
            continue
        left = 0.0
        for k in range(seats - 1, -1, -1):
            left += strength[orders[game, k]]
            once[k] = 1.0 / left if k < seats - 1 else 0.0
        sum_once, sum_twice = 0.0, 0.0
        for k in range(seats):
            sum_once, sum_twice = sum_once + once[k], sum_twice + once[k] ** 2
            once[k], twice[k] = sum_once, sum_twice
        for k in range(seats):
            agent = orders[game, k]
            share = strength[agent] * once[k]
            gradient[agent] += weight * ((1.0 if k < seats - 1 else 0.0) - share)
            if curved:
                hessian[agent, agent] += weight * share
                for j in range(seats):
                    other = orders[game, j]
                    product = strength[agent] * strength[other] * twice[min(j, k)]
                    hessian[agent, other] -= weight * product


def _check_connected(orders: NDArray[np.int16], agents: int) -> None:
    """See that games link every agent with every other.

    Raises:
        ValueError: they don't, so that their ratings could not be compared.
    """
    first = np.repeat(orders[:, :1], orders.shape[1], axis=1).ravel()
    sparse, graph = need("scipy.sparse", "eval"), need("scipy.sparse.csgraph", "eval")
    pairs = np.ones(orders.size), (first, orders.ravel())
    links = sparse.coo_array(pairs, shape=(agents, agents))
    components, _ = graph.connected_components(links, directed=False)
    if components > 1:
        raise ValueError("the games do not connect all agents, so no rating compares them.")
