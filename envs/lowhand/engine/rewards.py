"""Rewards, the same for every game: the lowest score wins.

Four objectives, and any weighted mix of them. The first three sum to zero over the seats:

- `win`: the seat's share of the win (tied winners share it) minus 1/n.
- `score`: the others' mean score minus the seat's score, in units of `SCORE_SCALE` points.
- `placement`: evenly spaced from +1 for the lowest score to −1; tied seats share their places.
- `points`: minus the seat's score, in the same units as `score`, whatever the others score: the
  utility that exact solutions call "score".

`win` and `placement` are paid when a seat's rank is final: at the end of the game, or when the
seat is knocked out before. `score` and `points` are paid for each round to the seats that took
part; a game without rounds is one round.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.game import NOT_IN_ROUND, rank_is_final, ranking_score, round_score
from lowhand.engine.jit import njit

OBJECTIVES = ("win", "score", "placement", "points")

ILLEGAL_ACTIONS = ("lose", "raise")
"""What a single-table environment does with an illegal action: end the game, or raise an error."""

ILLEGAL_REWARD = -1.0
"""The reward of an illegal action that loses the game: at most that of a loss under `win`."""

SCORE_SCALE = 30.0
"""Points in one unit of `score`: about the spread of a game's score difference."""


def reward_weights(reward: str | Mapping[str, float]) -> NDArray[np.float64]:
    """The weights of `OBJECTIVES`, float64 of shape (4,), that `reward` means.

    Args:
        reward: an objective's name, or weights by name, such as `{"win": 0.5, "score": 0.5}`.

    Raises:
        ValueError: an objective is unknown, or a weight is not a finite number.
    """
    if not isinstance(reward, str | Mapping):
        raise ValueError(f"reward must be a name or weights by name, not {reward!r}.")
    weights = {reward: 1.0} if isinstance(reward, str) else dict(reward)
    if not weights or not set(weights) <= set(OBJECTIVES):
        raise ValueError(
            f"reward {reward!r} is unknown; choose one of {', '.join(OBJECTIVES)},"
            " or give weights by these names."
        )
    try:
        values = np.array([weights.get(name, 0.0) for name in OBJECTIVES], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        raise ValueError(f"the weights of a reward must be finite numbers, not {reward!r}.")
    return values


def check_illegal_action(choice: Any) -> None:
    """Refuse what is none of `ILLEGAL_ACTIONS`."""
    if choice not in ILLEGAL_ACTIONS:
        raise ValueError(f'illegal_action must be "lose" or "raise", not {choice!r}.')


def win_shares(ranking_scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the win by final ranking scores (games, players): the lowest wins, ties share."""
    best = ranking_scores == ranking_scores.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


@njit
def pay(rules, state, weights, rewards, row):  # type: ignore[no-untyped-def]
    """Add what the last move earns each seat to `rewards[row, :]`.

    Args:
        rules: the game's Rules record.
        state: the position after the move.
        weights: (4,) float64, as `reward_weights` gives them.
        rewards: (rows, seats) float32.
        row: the row of `rewards` to add to.
    """
    if weights[0] != 0.0:
        _pay_win(rules, state, weights[0], rewards, row)
    if weights[1] != 0.0:
        _pay_score(rules, state, weights[1], rewards, row)
    if weights[2] != 0.0:
        _pay_placement(rules, state, weights[2], rewards, row)
    if weights[3] != 0.0:
        _pay_points(rules, state, weights[3], rewards, row)


@njit
def _pay_win(rules, state, weight, rewards, row):  # type: ignore[no-untyped-def]
    """Pay `win` to the seats whose rank is final."""
    best, winners = np.inf, 0
    for seat in range(state.num_players):
        own = ranking_score(rules, state, seat)
        winners = winners + 1 if own == best else (1 if own < best else winners)
        best = min(best, own)
    fair = 1.0 / state.num_players
    for seat in range(state.num_players):
        if rank_is_final(rules, state, seat):
            share = 1.0 / winners if ranking_score(rules, state, seat) == best else 0.0
            rewards[row, seat] += np.float32(weight * (share - fair))


@njit
def _pay_score(rules, state, weight, rewards, row):  # type: ignore[no-untyped-def]
    """Pay `score` to the seats that took part in the round that has ended."""
    players, total = 0, 0.0
    for seat in range(state.num_players):
        points = round_score(rules, state, seat)
        if points != NOT_IN_ROUND:
            players += 1
            total += points
    for seat in range(state.num_players):
        points = round_score(rules, state, seat)
        if points != NOT_IN_ROUND:
            lead = (total - points) / (players - 1) - points
            rewards[row, seat] += np.float32(weight * lead / SCORE_SCALE)


@njit
def _pay_points(rules, state, weight, rewards, row):  # type: ignore[no-untyped-def]
    """Pay `points` to the seats that took part in the round that has ended."""
    for seat in range(state.num_players):
        points = round_score(rules, state, seat)
        if points != NOT_IN_ROUND:
            rewards[row, seat] -= np.float32(weight * points / SCORE_SCALE)


@njit
def _pay_placement(rules, state, weight, rewards, row):  # type: ignore[no-untyped-def]
    """Pay `placement` to the seats whose rank is final."""
    for seat in range(state.num_players):
        if rank_is_final(rules, state, seat):
            own, better, tied = ranking_score(rules, state, seat), 0, 0
            for other in range(state.num_players):
                theirs = ranking_score(rules, state, other)
                better += theirs < own
                tied += theirs == own
            place = better + 0.5 * (tied - 1)
            rewards[row, seat] += np.float32(weight * (1.0 - 2.0 * place / (state.num_players - 1)))
