"""Least Score for PettingZoo: `from lowhand import least_score_v0; env = least_score_v0.env()`."""

from collections.abc import Mapping

from lowhand.apis.pettingzoo_env import GameEnv, metadata
from lowhand.games.least_score import GAME
from lowhand.games.least_score.options import Options
from lowhand.games.least_score.text import Move, action_to_cards, cards_to_action

__all__ = ["Move", "action_to_cards", "cards_to_action", "env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name by which PettingZoo's users know it
    """Least Score for 2 to 8 players: discard and draw, or declare; the lowest total wins.

    Action 0 declares: the hands are shown and the deal ends. Every other action is a whole turn,
    `1 + (subset − 1) · (hand_size + 1) + source`: bit k of `subset` discards slot k of the
    hand, which is sorted by rank, then suit; `source` 0 draws from the closed deck, k ≥ 1 takes
    the card in slot k − 1 of the floor, sorted alike. `action_to_cards` and `cards_to_action` of
    this module convert between actions and cards.

    A match goes over deals until one player is left. Every deal pays under "score", while "win"
    and "placement" are paid once: when a player is knocked out, which ends the game for that
    agent and not for the others, or at the end. If `max_deals` ends the match, the players still
    in are truncated and ranked by points.

    Observations, infos and the methods for search are described at
    `lowhand.apis.pettingzoo_env.GameEnv`; the reset options that set a position at
    `lowhand.games.least_score.positions.set_position`.

    Args:
        perfect_recall, observation_seats, reward, illegal_action, render_mode: as for `GameEnv`.
        num_players and all others: as for `lowhand.games.least_score.options.Options`.

    Raises:
        ValueError: an argument is outside its bounds, or there are too few cards.
    """

    game = GAME
    metadata = metadata(GAME)

    def __init__(
        self,
        num_players: int = 4,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: str | Mapping[str, float] = "win",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        *,
        points_limit: float | None = 100,
        knockout: str = "exceed",
        match_end: str = "last_survivor",
        tie: str = "correct",
        penalty: int = 20,
        declare_limit: int | None = None,
        face_values: str = "ten",
        two_pairs: bool = False,
        open_card: bool = True,
        first_player: int | str = "random",
        max_turns: int | None = None,
        at_limit: str = "void",
        max_deals: int = 100,
        deal_mode: str = "normal",
        ranks: int = 13,
        suits: int = 4,
        hand_size: int = 5,
        sets: tuple[str, ...] = ("pair", "four", "run", "flush"),
        single_deals: float = 0.0,
    ) -> None:
        options = Options(
            num_players, points_limit, knockout, match_end, tie, penalty, declare_limit,
            face_values, two_pairs, open_card, first_player, max_turns, at_limit, max_deals,
            deal_mode, ranks, suits, hand_size, sets, single_deals,
        )  # fmt: skip
        shared = perfect_recall, observation_seats, reward, illegal_action, render_mode
        super().__init__(options, *shared)


env = raw_env
"""`GameEnv` makes the checks of PettingZoo's wrappers itself: no wrapper is needed."""
