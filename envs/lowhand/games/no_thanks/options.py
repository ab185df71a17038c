"""The options of No Thanks!, and the record that compiled rules read them from."""

from dataclasses import dataclass

import numpy as np

from lowhand.engine.records import record
from lowhand.engine.validation import check_integer

MIN_PLAYERS, MAX_PLAYERS = 2, 7
LOWEST_CARD, HIGHEST_CARD = 1, 35
MAX_CARDS = HIGHEST_CARD - LOWEST_CARD + 1
MAX_CHIPS = 255
RANDOM_PLAYER = -1
CHIPS_BY_PLAYERS = {2: 11, 3: 11, 4: 11, 5: 11, 6: 9, 7: 7}
"""Chips of each player at the start (NT-2, NT-3)."""

Rules = record(
    low=np.int64,  # lowest card
    num_cards=np.int64,  # cards in the range, removed ones included
    num_turned=np.int64,  # cards that are played (24)
    first_player=np.int64,  # a seat, or RANDOM_PLAYER
    chips=(np.int64, (MAX_PLAYERS + 1,)),  # at the start, by number of players
)


@dataclass(frozen=True)
class Options:
    """The options of a game of No Thanks!.

    Attributes:
        num_players: 2 to 7 (NT-3).
        chips: chips of each player at the start, 0 to 255; None follows the rules (NT-2, NT-3).
        low, high: the cards are low…high, 1 ≤ low ≤ high ≤ 35.
        removed: cards removed unseen, 0 ≤ removed < number of cards (NT-1).
        first_player: a seat, or "random" (NT-4).

    Raises:
        ValueError: an option is outside its bounds.
    """

    num_players: int = 4
    chips: int | None = None
    low: int = 3
    high: int = 35
    removed: int = 9
    first_player: int | str = "random"

    def __post_init__(self) -> None:
        check_integer("num_players", self.num_players, MIN_PLAYERS, MAX_PLAYERS)
        if self.chips is not None:
            check_integer("chips", self.chips, 0, MAX_CHIPS)
        check_integer("low", self.low, LOWEST_CARD, HIGHEST_CARD)
        check_integer("high", self.high, self.low, HIGHEST_CARD)
        check_integer("removed", self.removed, 0, self.num_cards - 1)
        if self.first_player != "random":
            check_integer("first_player", self.first_player, 0, self.num_players - 1)
        for name in self.__dataclass_fields__:  # NumPy's small integers would overflow later
            value = getattr(self, name)
            if isinstance(value, np.integer):
                object.__setattr__(self, name, int(value))

    @property
    def num_cards(self) -> int:
        """Cards in the range, the removed ones included."""
        return self.high - self.low + 1

    def rules(self) -> np.ndarray:
        """The `Rules` record of these options, as an array of shape (1,)."""
        rules = np.zeros(1, Rules)
        rules["low"], rules["num_cards"] = self.low, self.num_cards
        rules["num_turned"] = self.num_cards - self.removed
        first = RANDOM_PLAYER if self.first_player == "random" else self.first_player
        rules["first_player"] = first
        for players, chips in CHIPS_BY_PLAYERS.items():
            rules["chips"][0, players] = chips if self.chips is None else self.chips
        return rules
