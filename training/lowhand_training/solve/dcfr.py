"""Discounted counterfactual regret minimisation on games in sequence form.

Brown and Sandholm, "Solving imperfect-information games via discounted regret minimization",
AAAI 2019: after iteration t positive regrets are multiplied by t^α/(t^α + 1), negative ones by
t^β/(t^β + 1), and the strategies of iteration t count t^γ in the average. The authors recommend
α = 3/2, β = 0, γ = 2. Players are updated in turn. For two players of a zero-sum game the average
goes to an equilibrium; for more it is a strategy of which nothing is promised.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.jit import njit
from lowhand_training.solve.sequence_form import SequenceForm, write_gradient, write_plan

ALPHA, BETA, GAMMA = 1.5, 0.0, 2.0


def dcfr(
    form: SequenceForm, alpha: float = ALPHA, beta: float = BETA, gamma: float = GAMMA
) -> Iterator[NDArray[np.float64]]:
    """Iterate without end; after each iteration comes the average so far.

    Yields:
        Its realization plans, (sequences,) float64; a new array every time.
    """
    regret = np.zeros(form.num_sequences)
    gain = np.empty(form.num_sequences)
    strategy = form.uniform()
    plan = form.plan(strategy)
    average = np.zeros(form.num_sequences)
    weights, t = 0.0, 0
    while True:
        t += 1
        keep_gained = t**alpha / (t**alpha + 1.0)
        keep_lost = t**beta / (t**beta + 1.0)
        for player, infosets in enumerate(form.infosets_of):
            write_gradient(player, form.ends, form.payoffs, plan, gain)
            update(
                infosets, form.parent, form.first, gain, regret, strategy, keep_gained, keep_lost
            )
            write_plan(infosets, form.parent, form.first, strategy, plan)
        average += t**gamma * plan
        weights += t**gamma
        yield average / weights


def solve(
    form: SequenceForm,
    iterations: int,
    progress: Callable[[int], None] = lambda done: None,
) -> NDArray[np.float64]:
    """The average realization plans of so many iterations, (sequences,) float64.

    Args:
        form: the game.
        iterations: at least 1.
        progress: called with the number of iterations done.
    """
    plans = dcfr(form)
    for done in range(1, iterations + 1):
        plan = next(plans)
        progress(done)
    return plan


@njit
def update(  # type: ignore[no-untyped-def]
    infosets, parent, first, gain, regret, strategy, keep_gained, keep_lost
):
    """One player's update: regrets from the last set to the first, and the next strategy.

    `gain` is what sequences bring at ends; values of later sets are added to it on the way.
    """
    for k in range(infosets.size - 1, -1, -1):
        infoset = infosets[k]
        value, positive = 0.0, 0.0
        for sequence in range(first[infoset], first[infoset + 1]):
            value += strategy[sequence] * gain[sequence]
        gain[parent[infoset]] += value
        for sequence in range(first[infoset], first[infoset + 1]):
            new = regret[sequence] + gain[sequence] - value
            regret[sequence] = new * (keep_gained if new > 0.0 else keep_lost)
            positive += max(regret[sequence], 0.0)
        share = 1.0 / (first[infoset + 1] - first[infoset])
        for sequence in range(first[infoset], first[infoset + 1]):
            strategy[sequence] = max(regret[sequence], 0.0) / positive if positive > 0.0 else share
