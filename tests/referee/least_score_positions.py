"""Positions of Least Score that tests set up, written as names of cards ("AS 10D KC")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.referee.least_score import Table
from tests.referee.least_score_options import Options
from tests.referee.least_score_sets import DECLARE, decode, encode, parse


def start(hands: Sequence[str], floor: str = "", deck: str = "", **options: Any) -> Table:
    """A deal that starts with these cards, seat 0 first; below `deck` lie all other cards."""
    table = Table(Options(num_players=len(hands), **options), first_player=0)
    dealt = [parse(hand) for hand in hands]
    top, opened = parse(deck), parse(floor)
    used = {card for cards in (*dealt, top, opened) for card in cards}
    rest = [card for card in table.deck_cards if card not in used]
    table.start_deal(dealt, opened[0] if opened else None, top + rest)
    return table


def position(
    hands: Sequence[str],
    floor: str = "",
    deck: str = "",
    buried: str = "",
    rest: str = "deck",
    turns: int = 1,
    **options: Any,
) -> Table:
    """A position within a deal, seat 0 to move after everybody has played `turns` turns.

    Args:
        hands: the cards of each seat, however many.
        floor: the open cards.
        deck: the top of the closed deck.
        buried: cards under the floor.
        rest: where all other cards are: below the "deck", or "buried".
        turns: turns each seat has had.
        options: of the match.
    """
    table = Table(Options(num_players=len(hands), **options), first_player=0)
    table.participants = list(range(len(hands)))
    table.hands = [sorted(parse(hand)) for hand in hands]
    table.floor = sorted(parse(floor))
    used = {card for cards in (*table.hands, table.floor) for card in cards}
    top, under = parse(deck), parse(buried)
    others = [card for card in table.deck_cards if card not in used.union(top, under)]
    table.piles = [top + (others if rest == "deck" else [])]
    table.buried = sorted(under + (others if rest == "buried" else []))
    table.turns = [turns] * len(hands)
    table.in_deal = True
    check_conserved(table)
    return table


def action(table: Table, discard: str, draw: str = "") -> int:
    """The mover's action that discards these cards and draws that floor card, or from the deck."""
    hand = table.hands[table.mover]
    subset = sum(1 << hand.index(card) for card in parse(discard))
    source = table.floor.index(parse(draw)[0]) + 1 if draw else 0
    return encode(subset, source, table.options.hand_size)


def play(table: Table, discard: str, draw: str = "") -> None:
    table.step(action(table, discard, draw))


def all_cards(table: Table) -> list[int]:
    """Every card, wherever it is, sorted."""
    piles = [*table.hands, *table.piles, table.floor, table.buried]
    return sorted(card for pile in piles for card in pile)


def check_conserved(table: Table) -> None:
    assert all_cards(table) == table.deck_cards


def snapshot(table: Table) -> str:
    """Every attribute as text, to see whether anything changed."""
    return repr({**vars(table), "memory": vars(table.memory)})


def discards(table: Table) -> set[int]:
    """The subsets that some legal action discards."""
    return {decode(a, table.options.hand_size)[0] for a in table.legal_actions() if a != DECLARE}


def sources(table: Table) -> set[int]:
    """The sources from which some legal action draws."""
    return {decode(a, table.options.hand_size)[1] for a in table.legal_actions() if a != DECLARE}
