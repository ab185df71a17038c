"""What a player who remembers every public move knows in Least Score (LS-18)."""

from __future__ import annotations

from collections.abc import Collection, Iterable

#: Where a card is to a rememberer's knowledge; ("hand", seat) is the hand of that opponent.
Place = str | tuple[str, int]

OWN, FLOOR, BURIED, UNSEEN = "own hand", "floor", "buried", "unseen"
DECK, SOME_HAND = "deck", "some hand"

#: The places of cards that may be in more than one spot.
UNCERTAIN = (UNSEEN, DECK, SOME_HAND)


class Memory:
    """The public memory of one deal: the same for every viewer.

    Floor and buried cards were open and are where everybody saw them go. A card that a player
    picked up is in that player's hand until he discards it. All other cards are in one of three
    pools:

    - Before the first reshuffle they are unseen: in a hand or in the deck.
    - A reshuffle happens when the deck is empty. So a card that is in no public place then is in
      somebody's hand: it enters the pool `in_hands`. The buried cards are the new deck: they become
      the pool `reshuffled`, "in the deck, or drawn blind since".
    - The next reshuffle comes when that deck is empty too, so what is left of `reshuffled` has
      all been drawn and is in hands as well.

    A card leaves its pool when it is seen again, on the floor. A viewer adds one thing: whatever
    the public knows, the cards of its own hand are there. A card leaves a hand only to the
    floor, so a pool minus the viewer's hand is just what the viewer knows of that pool.

    decided here: with two players `in_hands` could only be the one opponent's hand, and counting
    hands could reveal more; neither is used. In `deal_mode="stable"` others may still have piles
    when one runs out. Then nothing follows about unseen cards: they stay unseen, and the buried
    cards join `reshuffled`.

    Attributes:
        picked: for each seat, the cards known to be in its hand.
        in_hands: cards known to be in hands, though not in whose.
        reshuffled: cards known to have been in the deck at a reshuffle and not seen since.
    """

    def __init__(self, num_players: int) -> None:
        self.picked: list[set[int]] = [set() for _ in range(num_players)]
        self.in_hands: set[int] = set()
        self.reshuffled: set[int] = set()

    def discard(self, seat: int, cards: Iterable[int]) -> None:
        """The cards are seen on the floor."""
        self.picked[seat].difference_update(cards)
        self.in_hands.difference_update(cards)
        self.reshuffled.difference_update(cards)

    def pick(self, seat: int, card: int) -> None:
        """The seat takes an open card into its hand."""
        self.picked[seat].add(card)

    def reshuffle(
        self,
        deck: Iterable[int],
        buried: Collection[int],
        opened: Collection[int],
        piles_left: bool,
    ) -> None:
        """The buried cards are shuffled.

        Args:
            deck: all cards in play.
            buried: those that are shuffled now.
            opened: those that lie open: the old floor and the discard of this turn.
            piles_left: whether another player's pile still has cards (only in "stable").
        """
        if piles_left:
            self.reshuffled |= set(buried)
            return
        public = set(buried).union(opened, *self.picked)
        self.in_hands = set(deck) - public
        self.reshuffled = set(buried)

    def place(
        self,
        card: int,
        hand: Collection[int],
        floor: Collection[int],
        buried: Collection[int],
    ) -> Place:
        """Where a viewer who holds `hand` knows the card to be."""
        if card in hand:
            return OWN
        if card in floor:
            return FLOOR
        if card in buried:
            return BURIED
        for other, cards in enumerate(self.picked):
            if card in cards:  # picked up and still held
                return ("hand", other)
        if card in self.in_hands:
            return SOME_HAND
        return DECK if card in self.reshuffled else UNSEEN
