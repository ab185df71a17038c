"""Rewards of all seats from the final scores, the same for every game: the lowest score wins.

Three objectives, each with sum zero over the seats, and any weighted mix of them:

- `win`: the seat's share of the win (ties share it) minus 1/n.
- `score`: the mean of the others' scores minus the own, in units of `SCORE_SCALE` points.
- `placement`: evenly spaced from +1 for the lowest score to −1; tied seats share their places.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from lowhand._jit import njit

OBJECTIVES = ("win", "score", "placement")

ILLEGAL_ACTIONS = ("lose", "raise")
"""What environments for one table may do about an illegal action: end the game, or refuse it."""

ILLEGAL_REWARD = -1.0
"""What losing by an illegal action costs: no less than losing costs under `win`."""

SCORE_SCALE = 30.0
"""Points that make one unit of `score`: about the spread of a game's score difference."""


def reward_weights(reward: str | Mapping[str, float]) -> NDArray[np.float64]:
    """The weights (win, score, placement), float64 of shape (3,), that `reward` means.

    Args:
        reward: an objective's name, or weights by name, such as `{"win": 0.5, "score": 0.5}`.

    Raises:
        ValueError: an unknown objective, or a weight that is no finite number.
    """
    weights = {reward: 1.0} if isinstance(reward, str) else dict(reward)
    unknown = sorted(set(weights) - set(OBJECTIVES))
    if unknown or not weights:
        raise ValueError(
            f"reward {reward!r} is unknown; choose one of {', '.join(OBJECTIVES)},"
            " or give weights by these names."
        )
    values = np.array([weights.get(name, 0.0) for name in OBJECTIVES], dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError(f"the weights of a reward must be finite numbers, not {reward!r}.")
    return values


def win_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Shares of the win by final scores (games, players): the lowest wins, and ties share."""
    best = scores == scores.min(axis=1, keepdims=True)
    shares: NDArray[np.float64] = best / best.sum(axis=1, keepdims=True)
    return shares


@njit
def write_rewards(scores, row, num_players, weights, out):  # type: ignore[no-untyped-def]
    """Write the rewards of `scores[row, :num_players]` to `out[row, :]` (0 for empty seats).

    Args:
        scores: (rows, seats) float64, final scores in points.
        row: which game.
        num_players: seats that have a player.
        weights: (3,) float64, as `reward_weights` gives them.
        out: (rows, seats) float32.
    """
    total = 0.0
    for seat in range(num_players):
        total += scores[row, seat]
    for seat in range(out.shape[1]):
        out[row, seat] = 0.0
    for seat in range(num_players):
        own = scores[row, seat]
        better = tied = 0
        for other in range(num_players):
            better += scores[row, other] < own
            tied += scores[row, other] == own
        share = 1.0 / tied if better == 0 else 0.0
        others_mean = (total - own) / (num_players - 1)
        place = better + 0.5 * (tied - 1)
        reward = weights[0] * (share - 1.0 / num_players)
        reward += weights[1] * (others_mean - own) / SCORE_SCALE
        reward += weights[2] * (1.0 - 2.0 * place / (num_players - 1))
        out[row, seat] = reward
