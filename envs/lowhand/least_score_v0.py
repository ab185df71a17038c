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
        num_players: 2 to 8.
        perfect_recall: False shows what lies on the table now and the player's hand; True
            adds what a player who remembers every open card knows: who holds it, or that it is
            buried.
        observation_seats: seats in the observation, so that one network plays any number of
            players; by default one for each player.
        reward: "win" (the share of the win minus 1/n), "score" (for each deal the mean points of
            the others who played it minus the player's, scaled), "placement" (1 for the first to
            −1 for the last), "points" (minus the player's for each deal, scaled), or weights by
            these names.
        illegal_action: "lose" ends the game with −1 for the player who chose it and 0 for the
            others; "raise" raises a ValueError.
        render_mode: "ansi" (`render` returns text), "rgb_array" (a picture), "human" (every
            position is shown in a window, or printed without a display), "print" (printed), None.
        points_limit: a player who exceeds it is out; None is a match of a single deal.
        knockout: "exceed", or "reach": reaching the limit is enough to be out.
        match_end: "last_survivor", or "first_out": the match ends when the first player is out,
            and the fewest points win.
        tie: whether a declaration is "correct" or "wrong" when another hand has the same total.
        penalty: points of a wrong declaration, 0 to 10,000, added to the difference between the
            declarer's total and the lowest.
        declare_limit: highest total with which a player may declare; None is any.
        face_values: "ten", or "pip" for 11, 12, 13.
        two_pairs: whether two pairs of different ranks may be discarded together.
        open_card: whether a card is turned up to start the floor.
        first_player: the player who starts the first deal: a seat, or "random".
        max_turns: turns of a deal, of all players together, after which it ends without a
            declaration; None is 50 for each player.
        at_limit: what happens then: "void" (no player scores), or "showdown" (each player scores
            its total minus the lowest).
        max_deals: deals after which a match is truncated, 1 to 10,000.
        deal_mode: "normal", or "stable": each player draws from a separate pile of the closed
            deck, so that no player's actions change the others' draws; for evaluations.
        ranks, suits: of a reduced deck: the lowest 1 to 13 ranks of the first 1 to 4 suits.
        hand_size: cards of a hand, 1 to 5.
        sets: which of "pair", "four", "run", "flush" may be discarded in addition to singles.
        single_deals: share of the games, drawn by each game's key, that are a single deal as
            with `points_limit=None`; for training on deals and matches at once.

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
            num_players=num_players,
            points_limit=points_limit,
            knockout=knockout,
            match_end=match_end,
            tie=tie,
            penalty=penalty,
            declare_limit=declare_limit,
            face_values=face_values,
            two_pairs=two_pairs,
            open_card=open_card,
            first_player=first_player,
            max_turns=max_turns,
            at_limit=at_limit,
            max_deals=max_deals,
            deal_mode=deal_mode,
            ranks=ranks,
            suits=suits,
            hand_size=hand_size,
            sets=sets,
            single_deals=single_deals,
        )
        super().__init__(
            options,
            perfect_recall=perfect_recall,
            observation_seats=observation_seats,
            reward=reward,
            illegal_action=illegal_action,
            render_mode=render_mode,
        )


env = raw_env
"""`GameEnv` makes the checks of PettingZoo's wrappers itself: no wrapper is needed."""
