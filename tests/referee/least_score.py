"""Least Score as a plain class on lists: the referee of the compiled engine.

Written from the rules LS-1 ... LS-19 alone and for reading, not for speed. Everything stands open
here: nothing is hidden from anybody, and every attribute may be overwritten to set up a position.
Nothing here is random either: the caller gives each deal and each shuffle.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import cast

from tests.referee.least_score_memory import UNCERTAIN, Memory, Place
from tests.referee.least_score_options import (
    TURNS_PER_PLAYER,
    Options,
    declaration_points,
    showdown_points,
)
from tests.referee.least_score_sets import (
    DECK,
    DECLARE,
    decode,
    encode,
    full_deck,
    legal_subsets,
    points,
    subset_cards,
)

#: From the buried cards, sorted, to the order in which they lie in the new deck, top card first.
Reshuffle = Callable[[list[int]], Sequence[int]]


class Table:
    """A match of Least Score, deal by deal (LS-1 ... LS-19).

    Args:
        options: those of the match; the usual game if None.
        first_player: the seat that starts the first deal (LS-14). May be left out if the options
            name a seat.
        reshuffle: gives the order of the buried cards when they become the deck (LS-15). May be
            left out, or set later, if no deal gets that far.

    Raises:
        ValueError: if the first player isn't a seat or contradicts the options.

    Attributes:
        deck_cards: all cards in play, sorted.
        points: each seat's points in the match so far.
        out_in: for each seat the number of the deal, from 1, that knocked it out; None while in.
        deals: how many deals have ended, void ones among them.
        participants: the seats that play the deal, in order of seats.
        starter: the seat that starts this deal, or between two deals the next one.
        mover: the seat whose turn it is, or whose turn would have been when the deal ended.
        in_deal: whether a deal is being played.
        hands: each seat's cards, sorted; they lie open when the deal has ended.
        floor: the open cards, sorted (LS-8).
        piles: the closed deck, top card first: one pile, or in "stable" one for each seat.
        buried: the cards under the floor, sorted (LS-8).
        turns: turns each seat has played in the deal.
        declarer: who declared, when a deal has ended by that; else None.
        deal_points: each seat's points of the last deal that ended; 0 for who sat out.
        over: whether the match is over.
        truncated: whether it is over only because of `max_deals` (LS-16).
        memory: what everybody could remember of the deal (LS-18).
    """

    def __init__(
        self,
        options: Options | None = None,
        first_player: int | None = None,
        reshuffle: Reshuffle | None = None,
    ) -> None:
        self.options = Options() if options is None else options
        self.num_players = self.options.num_players
        named = self.options.first_player
        starter = named if first_player is None else first_player
        if starter not in range(self.num_players) or named not in ("random", starter):
            raise ValueError(f'First player {first_player}: the option says "{named}" (LS-14).')
        self.reshuffle = reshuffle
        self.deck_cards = full_deck(self.options.ranks, self.options.suits)
        self.points = [0] * self.num_players
        self.out_in: list[int | None] = [None] * self.num_players
        self.deals = 0
        self.participants: list[int] = []
        self.starter = self.mover = int(starter)
        self.in_deal = self.over = self.truncated = False
        self.hands: list[list[int]] = [[] for _ in range(self.num_players)]
        self.floor: list[int] = []
        self.piles: list[list[int]] = []
        self.buried: list[int] = []
        self.turns = [0] * self.num_players
        self.declarer: int | None = None
        self.deal_points = [0] * self.num_players
        self.memory = Memory(self.num_players)

    # --- the deal (LS-1, LS-17) ---

    def start_deal(
        self,
        hands: Sequence[Sequence[int]],
        open_card: int | None,
        deck: Sequence[int] | Sequence[Sequence[int]],
    ) -> None:
        """Deals these cards to who is still in (LS-1, LS-12).

        Args:
            hands: the cards of each seat; none for seats that are out.
            open_card: the face-up card; None exactly if the option `open_card` is False.
            deck: the closed deck, top card first; in "stable" a pile for each seat.

        Raises:
            ValueError: if no deal is due, or these aren't all cards of the deck as they should lie.
        """
        if self.over or self.in_deal:
            raise ValueError("No deal is due: the match is over or a deal is being played.")
        participants = self.seats_in()
        stable = self.options.deal_mode == "stable"
        piles = [list(pile) for pile in cast(Sequence[Sequence[int]], deck if stable else [deck])]
        self._check_deal(participants, hands, open_card, piles)
        self.participants = participants
        self.hands = [sorted(hand) for hand in hands]
        self.floor = [] if open_card is None else [open_card]
        self.piles = piles
        self.buried = []
        self.turns = [0] * self.num_players
        self.declarer = None
        self.memory = Memory(self.num_players)
        self.mover = self.starter
        self.in_deal = True
        self._begin_turn()

    def _check_deal(
        self,
        participants: Sequence[int],
        hands: Sequence[Sequence[int]],
        open_card: int | None,
        piles: Sequence[Sequence[int]],
    ) -> None:
        size = self.options.hand_size
        if [len(hand) for hand in hands] != [
            size if seat in participants else 0 for seat in range(self.num_players)
        ]:
            raise ValueError(f"Each of the seats {participants}, no other, gets {size} cards.")
        if (open_card is not None) != self.options.open_card:
            raise ValueError(f"Open card {open_card}, but open_card={self.options.open_card}.")
        if self.options.deal_mode == "stable" and (
            len(piles) != self.num_players
            or any(piles[seat] for seat in range(self.num_players) if seat not in participants)
        ):
            raise ValueError("Each seat that plays, no other, has a pile.")
        dealt = [card for cards in (*hands, *piles) for card in cards]
        if sorted(dealt + ([] if open_card is None else [open_card])) != self.deck_cards:
            raise ValueError("Hands, open card and deck must be all cards of the deck, each once.")

    # --- questions about the position ---

    def seats_in(self) -> list[int]:
        """The seats that aren't out (LS-12)."""
        return [seat for seat in range(self.num_players) if self.out_in[seat] is None]

    def value(self, cards: Sequence[int]) -> int:
        """The cards' values added up (LS-2)."""
        return points(cards, self.options.face_values)

    def total(self, seat: int) -> int:
        """The value of the seat's hand (LS-2, LS-10)."""
        return self.value(self.hands[seat])

    @property
    def deck_size(self) -> int:
        """Cards of the closed deck, all piles together; public (LS-18)."""
        return sum(len(pile) for pile in self.piles)

    @property
    def max_turns(self) -> int:
        """Turns of all players together that this deal may last (LS-16).

        decided here: the default counts who plays this deal, and a declaration is no turn.
        """
        if self.options.max_turns is not None:
            return self.options.max_turns
        return TURNS_PER_PLAYER * len(self.participants)

    def pile_of(self, seat: int) -> list[int]:
        """The pile from which the seat draws."""
        return self.piles[seat] if self.options.deal_mode == "stable" else self.piles[0]

    def may_draw_deck(self, seat: int) -> bool:
        """LS-15: whether there is a closed card to draw, after a reshuffle if need be."""
        return len(self.pile_of(seat)) + len(self.buried) > 0

    def may_declare(self, seat: int) -> bool:
        """LS-9: from the second own turn of the deal on, with a total within the limit."""
        limit = self.options.declare_limit
        return self.turns[seat] >= 1 and (limit is None or self.total(seat) <= limit)

    def legal_discards(self) -> list[int]:
        """Bit masks of the mover's legal discards (LS-4 ... LS-7), ascending."""
        return legal_subsets(self.hands[self.mover], self.options.sets, self.options.two_pairs)

    def legal_sources(self) -> list[int]:
        """Where the mover may draw from (LS-3): 0 the deck, 1 ... the slots of the floor."""
        deck = [DECK] if self.may_draw_deck(self.mover) else []
        return deck + [slot for slot, _ in enumerate(self.floor, start=1)]

    def legal_actions(self) -> list[int]:
        """All the mover may do: declare (LS-9), or a legal discard with a legal draw (LS-3)."""
        if not self.in_deal:
            return []
        declare = [DECLARE] if self.may_declare(self.mover) else []
        return declare + [
            encode(subset, source, self.options.hand_size)
            for subset in self.legal_discards()
            for source in self.legal_sources()
        ]

    def knowledge(self, seat: int) -> dict[int, Place]:
        """For each card where the seat, who remembers every public move, knows it to be (LS-18).

        The places are "own hand"; "floor"; "buried"; ("hand", opponent): picked up by that
        opponent; "unseen": in an opponent's hand or in the deck; "deck": in the deck at the last
        reshuffle, so there still or drawn blind since; "some hand": in an opponent's hand, for it
        was unseen, or drawn blind, when the deck was empty. See `Memory`.
        """
        return {
            card: self.memory.place(card, self.hands[seat], self.floor, self.buried)
            for card in self.deck_cards
        }

    def unseen(self, seat: int) -> list[int]:
        """The cards whose place the seat doesn't know, sorted: unseen, "deck" and "some hand"."""
        return [card for card, place in self.knowledge(seat).items() if place in UNCERTAIN]

    # --- a turn (LS-3, LS-8, LS-9) ---

    def step(self, action: int) -> None:
        """Carries out the mover's turn: 0 declares, others discard and draw (see `encode`).

        Raises:
            ValueError: if no deal is being played, the action isn't legal, or a reshuffle is due
                and what is handed in isn't an order of the buried cards. Nothing is changed then.
        """
        if not self.in_deal:
            raise ValueError("No deal is being played: no action is legal.")
        if action not in self.legal_actions():
            raise ValueError(f"Action {action} isn't legal; legal are {self.legal_actions()}.")
        if action == DECLARE:
            self._declare()
        else:
            self._play(*decode(action, self.options.hand_size))

    def _play(self, subset: int, source: int) -> None:
        """Discard, then draw; the old floor is buried and the discard the new floor (LS-8)."""
        mover = self.mover
        discard = subset_cards(self.hands[mover], subset)
        kept = [card for card in self.hands[mover] if card not in discard]
        reshuffled = source == DECK and not self.pile_of(mover)
        order = self._shuffle_buried() if reshuffled else []
        self.memory.discard(mover, discard)
        if reshuffled:
            self._new_deck(order, discard)
        if source == DECK:
            drawn = self.pile_of(mover).pop(0)
        else:
            drawn = self.floor[source - 1]
            self.memory.pick(mover, drawn)
        self.buried = sorted(self.buried + [card for card in self.floor if card != drawn])
        self.floor = discard
        self.hands[mover] = sorted([*kept, drawn])
        self.turns[mover] += 1
        self.mover = self._next(mover, self.participants)
        self._begin_turn()

    def _shuffle_buried(self) -> list[int]:
        if self.reshuffle is None:
            raise ValueError("The buried cards must be shuffled (LS-15), and no order is given.")
        order = list(self.reshuffle(list(self.buried)))
        if sorted(order) != self.buried:
            raise ValueError(f"{order} isn't an order of the buried cards {self.buried} (LS-15).")
        return order

    def _new_deck(self, order: Sequence[int], discard: Sequence[int]) -> None:
        """The buried cards, in this order, become the deck (LS-15).

        In "stable" they are dealt one by one in order of seats, the mover first, beneath what the
        piles still hold.
        """
        piles_left = any(self.piles)
        opened = [*self.floor, *discard]
        self.memory.reshuffle(self.deck_cards, self.buried, opened, piles_left)
        self.buried = []
        seat = self.mover
        for card in order:
            self.pile_of(seat).append(card)
            seat = self._next(seat, self.participants)

    def _next(self, seat: int, seats: Sequence[int]) -> int:
        """The first of the seats after `seat`, in order of play."""
        around = [(seat + k) % self.num_players for k in range(1, self.num_players + 1)]
        return next(other for other in around if other in seats)

    def _begin_turn(self) -> None:
        """Ends the deal if it has lasted too long (LS-16), or if the mover can do nothing.

        decided here: a mover without a legal action ends the deal like the turn limit. With the
        floor empty and no closed card there is nothing to draw. That takes a first turn without an
        open card, and as LS-17 leaves a card for the deck, an own empty pile in "stable".
        """
        if sum(self.turns) >= self.max_turns or not self.legal_actions():
            totals = {seat: self.total(seat) for seat in self.participants}
            showdown = self.options.at_limit == "showdown"
            self._end_deal(showdown_points(totals) if showdown else dict.fromkeys(totals, 0))

    def _declare(self) -> None:
        """All hands are shown and the deal is scored (LS-9 ... LS-11)."""
        self.declarer = self.mover
        totals = {seat: self.total(seat) for seat in self.participants}
        self._end_deal(
            declaration_points(totals, self.mover, self.options.tie, self.options.penalty)
        )

    # --- the match (LS-12 ... LS-14, LS-19) ---

    def _end_deal(self, deal_points: Mapping[int, int]) -> None:
        """Adds the points up and sees who is out and whether the match is over (LS-12, LS-13)."""
        self.in_deal = False
        self.deals += 1
        self.deal_points = [deal_points.get(seat, 0) for seat in range(self.num_players)]
        for seat in self.participants:
            self.points[seat] += self.deal_points[seat]
            if self.options.crosses(self.points[seat]):
                self.out_in[seat] = self.deals
        left = self.seats_in()
        someone_out = len(left) < self.num_players
        self.over = (
            self.options.points_limit is None
            or len(left) == 1
            or (someone_out and self.options.match_end == "first_out")
        )
        if not self.over and self.deals == self.options.max_deals:
            self.over = self.truncated = True
        if not self.over:
            # decided here: a seat in `first_player` starts the first deal only, later ones rotate
            self.starter = self._next(self.starter, left)

    def ranking(self) -> list[int]:
        """Each seat's place, 0 for the best; equal places are ties.

        decided here: no place is left out, so two winners are followed by place 1.
        Who is still in ranks by points, above all who are out; of those, a later knock-out ranks
        higher, then fewer points (LS-19).
        """
        if not self.over:
            raise ValueError("The match isn't over: no player has won yet (LS-13).")
        keys = []
        for seat in range(self.num_players):
            out_in = self.out_in[seat]
            keys.append((out_in is not None, -(out_in or 0), self.points[seat]))
        return [sorted(set(keys)).index(key) for key in keys]

    def winners(self) -> list[int]:
        """All seats in the first place (LS-13)."""
        return [seat for seat, place in enumerate(self.ranking()) if place == 0]

    def win_shares(self) -> list[float]:
        """Each seat's share of the one win; tied winners share it equally (LS-12, LS-13)."""
        winners = self.winners()
        return [1 / len(winners) if seat in winners else 0.0 for seat in range(self.num_players)]


def shuffler(rng: random.Random) -> Reshuffle:
    """Random orders for LS-15."""
    return lambda buried: rng.sample(buried, len(buried))


def deal(table: Table, rng: random.Random) -> None:
    """Starts a shuffled deal (LS-1); in "stable" the rest is dealt into piles, starter first."""
    cards = rng.sample(table.deck_cards, len(table.deck_cards))
    seats, size = table.seats_in(), table.options.hand_size
    hands = [
        [cards.pop() for _ in range(size)] if seat in seats else []
        for seat in range(table.num_players)
    ]
    open_card = cards.pop() if table.options.open_card else None
    if table.options.deal_mode == "normal":
        table.start_deal(hands, open_card, cards)
        return
    order = sorted(seats, key=lambda seat: (seat - table.starter) % table.num_players)
    piles: list[list[int]] = [[] for _ in range(table.num_players)]
    for k, card in enumerate(cards):
        piles[order[k % len(order)]].append(card)
    table.start_deal(hands, open_card, piles)
