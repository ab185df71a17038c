"""Rules, options and reward: what all positions of one OpenSpiel game share."""

from functools import cache
from typing import Any

from lowhand.engine.game import Game
from lowhand.engine.rewards import SCORE_SCALE, reward_weights
from lowhand.games import get_game

POINTS = "points"
REWARDS = ("score", "win", "placement", POINTS)
"""The zero-sum objectives of `lowhand.engine.rewards`, and `points`, minus the seat's points.

`score` and `points` are in points here and not in units of `SCORE_SCALE`, so that values,
exploitabilities and regrets are in points too.
"""

UNIT = 840
"""The least common multiple of 1 … 8: in units of 1/`UNIT` every payment is an integer.

OpenSpiel checks zero sums to 1e-9, and `lowhand.engine.rewards.pay` sums in float32, which holds
integers exactly.
"""

Range = tuple[float, float]


class Terms:
    """Rules, options and reward. The function `terms` caches them.

    Attributes:
        game: the game.
        options: its options.
        reward: one of `REWARDS`.
        players: seats.
        rules: (1,) Rules record.
        weights: (4,) float64 of the reward, in 1/`UNIT`.
        zero_sum: whether all utilities add up to 0.
    """

    def __init__(self, game: Game, options: Any, reward: str) -> None:
        if reward not in REWARDS:
            known = ", ".join(REWARDS)
            raise ValueError(f"reward must be one of {known}, not {reward!r}.")
        self.game, self.options, self.reward = game, options, reward
        self.players = int(options.num_players)
        self.rules = options.rules()
        self.zero_sum = reward != POINTS
        scale = SCORE_SCALE if reward in ("score", POINTS) else 1.0
        self.weights = reward_weights({reward: UNIT * scale})

    def __reduce__(self) -> tuple[Any, ...]:
        return terms, (self.game.name, self.options, self.reward)

    def utility_range(self, scores: Range, rounds: bool) -> Range:
        """Bounds of a seat's utility, given those of its final score (not all are reached).

        Args:
            scores: the lowest and the highest final score.
            rounds: whether the game has several rounds, among fewer and fewer players.
        """
        low, high = scores
        if self.reward == "win":
            return -1.0 / self.players, 1.0 - 1.0 / self.players
        if self.reward == "placement":
            return -1.0, 1.0
        if self.reward == POINTS:
            return 0.0 - high, 0.0 - low
        # The others' mean is within the range of scores, in each round among its players.
        most = (high - low) * (self.players - 1 if rounds else 1)
        return -most, most


@cache
def terms(name: str, options: Any, reward: str) -> Terms:
    """The terms of the game called `name`.

    Raises:
        ValueError: an unknown reward.
    """
    return Terms(get_game(name), options, reward)
