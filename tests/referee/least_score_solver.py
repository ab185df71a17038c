"""The tree of one deal of Least Score in plain Python, written from the rules and not the engine.

Cards are pairs (rank, suit), ranks from 0. Singles and pairs are the only sets; hands are shown
after `turns` turns. Suits are seen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from lowhand_training.solve.sequence_form import SequenceForm

PENALTY = 5

Card = tuple[int, int]


@dataclass(frozen=True)
class Position:
    hands: tuple[frozenset[Card], ...]
    floor: frozenset[Card]
    deck: frozenset[Card]  # in no order: each card is as likely to be on top
    buried: frozenset[Card]
    turn: int

    @property
    def mover(self) -> int:
        return self.turn % len(self.hands)


def total(hand: frozenset[Card]) -> int:
    return sum(rank + 1 for rank, _ in hand)


def points(position: Position, declarer: int | None) -> list[int]:
    """Points of the deal (LS-10, LS-11, and LS-16 with a showdown)."""
    totals = [total(hand) for hand in position.hands]
    lowest = min(totals)
    if declarer is not None and totals[declarer] > lowest:
        return [PENALTY + totals[p] - lowest if p == declarer else 0 for p in range(len(totals))]
    return [own - lowest for own in totals]


def moves(position: Position) -> list[tuple[frozenset[Card], Card | None] | None]:
    """Discards with what is drawn, None for the deck; declaring is None alone."""
    hand = position.hands[position.mover]
    discards = [{card} for card in hand]
    discards += [{a, b} for a, b in combinations(sorted(hand), 2) if a[0] == b[0]]
    sources: list[Card | None] = list(position.floor)
    if position.deck or position.buried:
        sources.append(None)
    found = [(frozenset(d), s) for d in discards for s in sources]
    return [*found, None] if position.turn >= len(position.hands) else [*found]


def outcomes(
    position: Position, discard: frozenset[Card], source: Card | None
) -> Iterator[tuple[float, Card, Position]]:
    """What may follow on a move: probability, card drawn, position."""
    seat = position.mover
    deck, buried = position.deck, position.buried
    if source is None and not deck:
        deck, buried = buried, frozenset()
    for card in [source] if source is not None else deck:
        hand = position.hands[seat] - discard | {card}
        hands = tuple(hand if p == seat else h for p, h in enumerate(position.hands))
        left = position.floor - {card}
        share = 1.0 if source is not None else 1.0 / len(deck)
        yield share, card, Position(hands, discard, deck - {card}, buried | left, position.turn + 1)


def dealt(ranks: int, suits: int, hand_size: int, players: int = 2) -> Iterator[Position]:
    """Every deal, each as likely."""
    cards = frozenset((rank, suit) for rank in range(ranks) for suit in range(suits))

    def hands(rest: frozenset[Card], so_far: tuple[frozenset[Card], ...]) -> Iterator[Position]:
        if len(so_far) == players:
            for card in rest:
                yield Position(so_far, frozenset({card}), rest - {card}, frozenset(), 0)
            return
        for hand in combinations(sorted(rest), hand_size):
            yield from hands(rest - set(hand), (*so_far, frozenset(hand)))

    return hands(cards, ())


class SlowTree:
    """Lists information sets by their whole histories, and the sequence form that they make."""

    def __init__(self, ranks: int, suits: int, hand_size: int, turns: int) -> None:
        self.turns = turns
        self.sets: dict[tuple, int] = {}  # a player's whole history → its number
        self.players: list[int] = []
        self.parents: list[int] = []
        self.first = [2]
        self.ends: list[list[int]] = []
        self.payoffs: list[list[float]] = []
        deals = list(dealt(ranks, suits, hand_size))
        for deal in deals:
            seen = tuple((p, deal.hands[p], deal.floor) for p in range(2))
            self._visit(deal, (0, 1), seen, 1.0 / len(deals))

    def _visit(self, at: Position, sequences: tuple, seen: tuple, chance: float) -> None:
        if at.turn == self.turns:
            self._end(at, None, sequences, chance)
            return
        seat = at.mover
        choices = sorted(moves(at), key=repr)
        if seen[seat] not in self.sets:
            self.sets[seen[seat]] = len(self.players)
            self.players.append(seat)
            self.parents.append(sequences[seat])
            self.first.append(self.first[-1] + len(choices))
        start = self.first[self.sets[seen[seat]]]
        for k, move in enumerate(choices):
            after = tuple(start + k if p == seat else s for p, s in enumerate(sequences))
            if move is None:
                self._end(at, seat, after, chance)
                continue
            for share, card, position in outcomes(at, *move):
                told = tuple(
                    (*known, (move, card if p == seat else None)) for p, known in enumerate(seen)
                )
                self._visit(position, after, told, chance * share)

    def _end(self, at: Position, declarer: int | None, sequences: tuple, chance: float) -> None:
        first, second = points(at, declarer)
        self.ends.append(list(sequences))
        self.payoffs.append([chance * (second - first), chance * (first - second)])

    def form(self) -> SequenceForm:
        return SequenceForm(
            num_players=2,
            player=np.array(self.players, np.int8),
            parent=np.array(self.parents, np.int32),
            first=np.array(self.first, np.int32),
            ends=np.array(self.ends, np.int32),
            payoffs=np.array(self.payoffs),
            nodes=0,
            actions=np.full(self.first[-1], -1, np.int16),
        )
