"""Generalised advantage estimation per seat.

Schulman et al., "High-dimensional continuous control using generalized advantage estimation",
2016. The next value of a decision is that of the same seat's next decision, however many
decisions of others lie between. Whatever a seat earns in between belongs to its last decision.
"""

import numpy as np

from lowhand.engine.jit import njit


@njit
def seat_advantages(  # type: ignore[no-untyped-def]
    values, movers, ended, rewards, last_values, last_movers, gae_lambda, advantages, known
):
    """Fill `advantages` and `known` for T decisions in each of N games (γ is 1).

    Args:
        values: (T, N) float32, estimates at the decisions.
        movers: (T, N) int8, the seat that decided.
        ended: (T, N, P) bool, whether the seat's game ended by this decision or before the next,
            or had ended before: the game is over or the seat is out.
        rewards: (T, N, P) float32, what each seat earned by it or before the next.
        last_values: (N,) float32, estimates at the decisions to come.
        last_movers: (N,) int8, their seats.
        gae_lambda: λ.
        advantages: (T, N) float32, written.
        known: (T, N) bool, written: False where what followed for this seat is not known yet,
            that is at its last decision in an unfinished game.
    """
    steps, games = values.shape
    seats = rewards.shape[2]
    reward, next_value = np.zeros(seats), np.zeros(seats)
    next_advantage, follows = np.zeros(seats), np.zeros(seats, np.bool_)
    for i in range(games):
        reward[:] = 0.0
        next_advantage[:] = 0.0
        follows[:] = False
        follows[last_movers[i]] = True
        next_value[last_movers[i]] = last_values[i]
        for t in range(steps - 1, -1, -1):
            for seat in range(seats):
                if ended[t, i, seat]:
                    next_value[seat] = next_advantage[seat] = reward[seat] = 0.0
                    follows[seat] = True
                reward[seat] += rewards[t, i, seat]
            seat = movers[t, i]
            value = values[t, i]
            known[t, i] = follows[seat]
            advantage = 0.0
            if follows[seat]:
                surprise = reward[seat] + next_value[seat] - value
                advantage = surprise + gae_lambda * next_advantage[seat]
            advantages[t, i] = advantage
            next_value[seat] = value
            next_advantage[seat] = advantage
            reward[seat] = 0.0
            follows[seat] = True
