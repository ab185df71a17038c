"""The options of Least Score and the points of one deal, for the slow referee."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tests.referee.least_score_sets import KINDS, MAX_HAND, RANKS, SUITS

TURNS_PER_PLAYER = 50  # LS-16, the default limit of a deal

CHOICES = {
    "knockout": ("exceed", "reach"),
    "match_end": ("last_survivor", "first_out"),
    "tie": ("correct", "wrong"),
    "face_values": ("ten", "pip"),
    "at_limit": ("void", "showdown"),
    "deal_mode": ("normal", "stable"),
}


@dataclass(frozen=True)
class Options:
    """All that can be chosen about a match; the defaults are the usual game.

    Attributes:
        num_players: 2-8 (LS-17).
        points_limit: who crosses it is out; None for a match of one deal (LS-12).
        knockout: "exceed" the limit or "reach" it (LS-12).
        match_end: "last_survivor" or "first_out" (LS-13).
        tie: whether a declarer who ties for lowest is "correct" or "wrong" (LS-10).
        penalty: what a wrong declaration costs in addition to the difference (LS-11).
        declare_limit: the highest own total that may declare; None for any (LS-9).
        face_values: "ten" each or "pip": 11, 12, 13 (LS-2).
        two_pairs: whether two pairs of different ranks are a legal set (LS-5).
        open_card: whether a card is turned face up after the deal (LS-1).
        first_player: the seat that starts the first deal, or "random" (LS-14).
        max_turns: turns of all players together after which a deal ends; None for 50 for each
            player who takes part in that deal (LS-16).
        at_limit: what happens then: the deal is "void", or there is a "showdown" (LS-16).
        max_deals: deals after which the match is truncated (LS-16).
        deal_mode: "normal", or "stable": everybody draws from an own pile.
        ranks: the deck has the lowest so many ranks.
        suits: the deck has so many suits.
        hand_size: cards dealt to each player.
        sets: what is legal in addition to single cards.

    Raises:
        ValueError: if an option isn't legal, or the cards don't suffice (LS-17).
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
    sets: tuple[str, ...] = KINDS

    def __post_init__(self) -> None:
        for name, legal in CHOICES.items():
            if getattr(self, name) not in legal:
                raise ValueError(f'{name}="{getattr(self, name)}": legal are {legal}.')
        for name, low, high in (
            ("num_players", 2, 8),
            ("ranks", 1, RANKS),
            ("suits", 1, SUITS),
            ("hand_size", 1, MAX_HAND),
        ):
            if not low <= getattr(self, name) <= high:
                raise ValueError(f"{name}={getattr(self, name)}: it must be {low} to {high}.")
        if not set(self.sets) <= set(KINDS):
            raise ValueError(f"sets={self.sets}: they must be of {KINDS}.")
        if self.points_limit is not None and not self.points_limit > 0:
            raise ValueError(f"points_limit={self.points_limit}: it must be positive, or None.")
        # decided here: a negative penalty, which would reward errors, and empty limits are refused
        if self.penalty < 0:
            raise ValueError(f"penalty={self.penalty}: it must be 0 or more.")
        if self.max_deals < 1 or (self.max_turns is not None and self.max_turns < 1):
            raise ValueError("max_deals and max_turns must be 1 or more.")
        if self.first_player != "random" and self.first_player not in range(self.num_players):
            raise ValueError(f'first_player={self.first_player}: it must be a seat or "random".')
        # decided here: the 1 of LS-17 is asked for without an open card as well
        needed, cards = self.num_players * self.hand_size + 1, self.ranks * self.suits
        if needed > cards:
            raise ValueError(f"{needed} cards are needed, the deck has {cards} (LS-17).")

    def crosses(self, points: float) -> bool:
        """Whether a player with these points is out (LS-12)."""
        if self.points_limit is None:
            return False
        if self.knockout == "reach":
            return points >= self.points_limit
        return points > self.points_limit


def declaration_points(
    totals: Mapping[int, int], declarer: int, tie: str = "correct", penalty: int = 20
) -> dict[int, int]:
    """Points of a declared deal by seat, from the totals of all hands (LS-10, LS-11)."""
    own = totals[declarer]
    lowest = min(total for seat, total in totals.items() if seat != declarer)
    if own < lowest or (own == lowest and tie == "correct"):
        return {seat: 0 if seat == declarer else total - own for seat, total in totals.items()}
    return {seat: penalty + own - lowest if seat == declarer else 0 for seat in totals}


def showdown_points(totals: Mapping[int, int]) -> dict[int, int]:
    """Points of a deal that reached the turn limit with `at_limit="showdown"` (LS-16)."""
    return {seat: total - min(totals.values()) for seat, total in totals.items()}
