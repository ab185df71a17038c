"""Two-player zero-sum games in sequence form, solved by one linear program.

Koller, Megiddo and von Stengel, "Efficient computation of equilibria for extensive two-person
games", Games and Economic Behavior 14, 1996. Exact up to the solver's tolerance of 1e-7, and for
small games only: other solvers are checked with it.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, sparse

from lowhand_training.solve.sequence_form import SequenceForm


def equilibrium(form: SequenceForm) -> tuple[float, NDArray[np.float64]]:
    """The value of player 0, and realization plans of an equilibrium, (sequences,) float64.

    Player 0 chooses a plan x so that its worst payoff is the highest. The inner minimum over
    the other's plans is replaced by its dual, of one variable for each constraint of a plan.

    """
    assert form.num_players == 2
    assert np.abs(form.payoffs.sum(axis=1)).max() < 1e-9
    plan = np.zeros(form.num_sequences)
    value, plan[_sequences(form, 0)] = _best_plan(form, 0)
    _, plan[_sequences(form, 1)] = _best_plan(form, 1)
    return value, plan


def _best_plan(form: SequenceForm, player: int) -> tuple[float, NDArray[np.float64]]:
    """The highest payoff that `player` can make sure of, and the plan that does so."""
    own, others = _sequences(form, player), _sequences(form, 1 - player)
    column = np.zeros(form.num_sequences, np.int64)
    column[own], column[others] = np.arange(len(own)), np.arange(len(others))
    ends = column[form.ends]
    payoffs = sparse.coo_array(
        (form.payoffs[:, player], (ends[:, 1 - player], ends[:, player])),
        shape=(len(others), len(own)),
    )
    mine, theirs = _constraints(form, player, column), _constraints(form, 1 - player, column)
    start = np.zeros(mine.shape[0])
    start[0] = 1.0
    goal = np.zeros(len(own) + theirs.shape[0])
    goal[len(own)] = -1.0  # the dual of "the empty sequence has probability 1", maximised
    found = optimize.linprog(
        goal,
        A_ub=sparse.hstack([-payoffs, theirs.T]).tocsr(),
        b_ub=np.zeros(len(others)),
        A_eq=sparse.hstack([mine, sparse.coo_array((len(start), theirs.shape[0]))]).tocsr(),
        b_eq=start,
        bounds=[(0.0, None)] * len(own) + [(None, None)] * theirs.shape[0],
        method="highs",
    )
    assert found.status == 0, found.message
    plan: NDArray[np.float64] = found.x[: len(own)]
    return -float(found.fun), plan


def _sequences(form: SequenceForm, player: int) -> NDArray[np.int64]:
    """The sequences of a player, the empty one first."""
    owner = np.repeat(form.player, np.diff(form.first))
    return np.r_[player, np.flatnonzero(owner == player) + form.num_players]


def _constraints(form: SequenceForm, player: int, column: NDArray[np.int64]) -> sparse.coo_array:
    """What makes a plan: row 0 the empty sequence, then each set's choices less what is before."""
    infosets = form.infosets_of[player]
    choices = np.diff(form.first)[infosets]
    after = np.concatenate([np.arange(form.first[i], form.first[i + 1]) for i in infosets])
    rows = np.arange(1, len(infosets) + 1)
    return sparse.coo_array(
        (
            np.r_[1.0, np.ones(len(after)), -np.ones(len(infosets))],
            (
                np.r_[0, np.repeat(rows, choices), rows],
                np.r_[0, column[after], column[form.parent[infosets]]],
            ),
        ),
        shape=(len(infosets) + 1, len(after) + 1),
    )
