"""The options of Least Score, and the record that compiled rules read them from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowhand.engine.records import record
from lowhand.engine.validation import check_integer
from lowhand.games.least_score.actions import ALL_SETS, MAX_HAND, PATTERNS, subset_table
from lowhand.games.least_score.cards import RANKS, SUITS, card_values

MIN_PLAYERS, MAX_PLAYERS = 2, 8
RANDOM_PLAYER = -1
NO_LIMIT = -1.0
"""The points limit of a match that is a single deal."""
MAX_PENALTY = 10_000
MAX_DEALS = 10_000
MAX_LIMIT = 1_000_000
MAX_TURNS = 100_000
TURNS_PER_PLAYER = 50
_CHOICES = {
    "knockout": ("exceed", "reach"),
    "match_end": ("last_survivor", "first_out"),
    "tie": ("correct", "wrong"),
    "face_values": ("ten", "pip"),
    "at_limit": ("void", "showdown"),
    "deal_mode": ("normal", "stable"),
}

Rules = record(
    hand_size=np.int64,  # slots of a hand, and of the floor
    ranks=np.int64,
    suits=np.int64,
    values=(np.int32, (RANKS,)),  # LS-2, by rank
    subsets=(np.uint32, (PATTERNS,)),  # legal subsets by pattern of ranks: `sets`
    ace_high=np.int64,  # whether runs may end Q-K-A
    flush=np.int64,  # whether five cards of a suit are a set
    open_card=np.int64,
    points_limit=np.float64,  # or NO_LIMIT
    reach=np.int64,  # knock-out by reaching the limit, not by exceeding it
    first_out=np.int64,  # the match ends when the first player goes out
    wrong_tie=np.int64,  # a tie for lowest makes the declaration wrong
    penalty=np.int64,
    declare_limit=np.int64,  # highest total with which a player may declare
    first_player=np.int64,  # a seat, or RANDOM_PLAYER
    max_turns=(np.int64, (MAX_PLAYERS + 1,)),  # by players of the deal
    showdown=np.int64,  # at the turn limit hands are shown
    max_deals=np.int64,
    stable=np.int64,  # each player draws from a separate pile
    single_deals=np.float64,  # share of games that are a single deal
)


@dataclass(frozen=True)
class Options:
    """The options of a game of Least Score.

    Attributes:
        num_players: 2 to 8 (LS-17).
        points_limit: a player who exceeds it is out (LS-12), at most 1,000,000; None is a match
            of a single deal.
        knockout: "exceed" or "reach": whether reaching the limit is enough (LS-12).
        match_end: "last_survivor" or "first_out": the match ends when the first player is out, and
            the fewest points win (LS-13).
        tie: "correct" or "wrong": a declaration when another hand has the same total (LS-10).
        penalty: points of a wrong declaration, 0 to 10,000, added to the difference between the
            declarer's total and the lowest (LS-11).
        declare_limit: highest total with which a player may declare, at least 1; None is any
            (LS-9).
        face_values: "ten", or "pip" for 11, 12, 13 (LS-2).
        two_pairs: whether two pairs of different ranks may be discarded together (LS-5).
        open_card: whether a card is turned up to start the floor (LS-1).
        first_player: the player who starts the first deal: a seat, or "random" (LS-14).
        max_turns: turns of a deal, of all players together, after which it ends without a
            declaration; None is 50 for each of its players (LS-16).
        at_limit: what happens then: "void" (no player scores), or "showdown" (each player scores
            its total minus the lowest) (LS-16).
        max_deals: deals after which a match is truncated, 1 to 10,000 (LS-16).
        deal_mode: "normal", or "stable": each player draws from a separate pile of the closed
            deck, so that no player's actions change the others' draws; for evaluations.
        ranks, suits: of a reduced deck: the lowest 1 to 13 ranks of the first 1 to 4 suits.
        hand_size: cards of a hand, 1 to 5.
        sets: which of "pair", "four", "run", "flush" may be discarded in addition to singles.
        single_deals: share of the games, drawn by each game's key, that are a single deal as
            with `points_limit=None`; for training on deals and matches at once.

    Raises:
        ValueError: an option is outside its bounds, or there are too few cards (LS-17).
    """

    num_players: int = 4
    points_limit: float | None = 100
    knockout: str = "exceed"
    match_end: str = "last_survivor"
    tie: str = "correct"
    penalty: int = 20
    declare_limit: int | None = None
    face_values: str = "ten"
    two_pairs: bool = False
    open_card: bool = True
    first_player: int | str = "random"
    max_turns: int | None = None
    at_limit: str = "void"
    max_deals: int = 100
    deal_mode: str = "normal"
    ranks: int = RANKS
    suits: int = SUITS
    hand_size: int = MAX_HAND
    sets: Sequence[str] = ALL_SETS
    single_deals: float = 0.0

    def __post_init__(self) -> None:
        check_integer("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS)
        check_integer("penalty", self.penalty, 0, MAX_PENALTY)
        check_integer("max_deals", self.max_deals, 1, MAX_DEALS)
        check_integer("ranks", self.ranks, 1, RANKS)
        check_integer("suits", self.suits, 1, SUITS)
        check_integer("hand_size", self.hand_size, 1, MAX_HAND)
        if self.declare_limit is not None:
            check_integer("declare_limit", self.declare_limit, 1, MAX_HAND * RANKS)
        if self.max_turns is not None:
            check_integer("max_turns", self.max_turns, 1, MAX_TURNS)
        if self.first_player != "random":
            check_integer("first_player", self.first_player, 0, self.num_players - 1)
        for name, known in _CHOICES.items():
            if getattr(self, name) not in known:
                choices = " or ".join(f'"{word}"' for word in known)
                raise ValueError(f"{name} must be {choices}, not {getattr(self, name)!r}.")
        for name in ("two_pairs", "open_card"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be true or false, not {getattr(self, name)!r}.")
        limit = self.points_limit
        if limit is not None and not (_is_number(limit) and 0 < limit <= MAX_LIMIT):
            raise ValueError(
                f"points_limit must be a number greater than 0 and at most {MAX_LIMIT:,}, or None"
                f" for a single deal, not {str(limit)[:40]!r}."
            )
        if not (_is_number(self.single_deals) and 0 <= self.single_deals <= 1):
            raise ValueError(f"single_deals must be from 0 to 1, not {self.single_deals!r}.")
        sets, needed = self.sets, self.num_players * self.hand_size + 1
        if not (isinstance(sets, list | tuple) and all(name in ALL_SETS for name in sets)):
            raise ValueError(f"sets must be a list of some of {', '.join(ALL_SETS)}, not {sets!r}.")
        object.__setattr__(self, "sets", tuple(name for name in ALL_SETS if name in sets))
        if needed > self.num_cards:  # LS-17: the starter needs a card to draw, open or closed
            raise ValueError(
                f"{self.num_players} hands of {self.hand_size} and a further card are"
                f" {needed} cards, more than the {self.num_cards} of the deck."
            )
        for name in self.__dataclass_fields__:  # NumPy's small integers would overflow later
            value = getattr(self, name)
            if isinstance(value, np.generic):
                object.__setattr__(self, name, value.item())
        if isinstance(self.points_limit, float) and self.points_limit.is_integer():
            object.__setattr__(self, "points_limit", int(self.points_limit))  # 100.0 is 100

    @property
    def num_cards(self) -> int:
        """The number of cards in the deck."""
        return self.ranks * self.suits

    def rules(self) -> np.ndarray:
        """The `Rules` record of these options, as an array of shape (1,)."""
        rules = np.zeros(1, Rules)
        rules["hand_size"], rules["ranks"], rules["suits"] = self.hand_size, self.ranks, self.suits
        rules["values"] = card_values(self.face_values)
        rules["subsets"] = subset_table(tuple(self.sets), self.two_pairs)
        rules["ace_high"] = "run" in self.sets and self.ranks == RANKS  # the king is in the deck
        rules["flush"] = "flush" in self.sets and self.hand_size == MAX_HAND
        rules["open_card"] = self.open_card
        rules["points_limit"] = NO_LIMIT if self.points_limit is None else self.points_limit
        rules["reach"] = self.knockout == "reach"
        rules["first_out"] = self.match_end == "first_out"
        rules["wrong_tie"], rules["penalty"] = self.tie == "wrong", self.penalty
        highest = MAX_HAND * RANKS
        rules["declare_limit"] = highest if self.declare_limit is None else self.declare_limit
        random_first = self.first_player == "random"
        rules["first_player"] = RANDOM_PLAYER if random_first else self.first_player
        for players in range(MAX_PLAYERS + 1):
            turns = TURNS_PER_PLAYER * players if self.max_turns is None else self.max_turns
            rules["max_turns"][0, players] = turns
        rules["showdown"] = self.at_limit == "showdown"
        rules["max_deals"], rules["stable"] = self.max_deals, self.deal_mode == "stable"
        rules["single_deals"] = self.single_deals
        return rules


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.number)) and not isinstance(value, bool)
