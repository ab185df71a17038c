"""Cards, legal sets and the numbering of actions in Least Score, for the slow referee.

A card is an integer, `rank * 4 + suit`: rank 0 is the ace, rank 12 the king, suits are 0 to 3. So
cards in the order of their integers are sorted by rank, then by suit. Reduced decks leave out the
highest ranks and suits and number the others as before: without kings there is no Q-K-A either.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

RANKS, SUITS, MAX_HAND = 13, 4, 5
ACE, KING = 0, 12
RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUIT_NAMES = "CDHS"

#: What may be legal in addition to single cards (LS-5 ... LS-7): the option `sets`.
KINDS = ("pair", "four", "run", "flush")

DECLARE = 0  # the action
DECK = 0  # the source of a draw; sources 1, 2, ... are the slots of the floor


def rank(card: int) -> int:
    return card // SUITS


def suit(card: int) -> int:
    return card % SUITS


def parse(text: str) -> list[int]:
    """Cards from their names: `parse("AS 10D KC")`. The order of the text is kept."""
    return [
        RANK_NAMES.index(name[:-1]) * SUITS + SUIT_NAMES.index(name[-1]) for name in text.split()
    ]


def full_deck(ranks: int = RANKS, suits: int = SUITS) -> list[int]:
    """All cards in play, sorted: the lowest `ranks` ranks in the first `suits` suits."""
    return [r * SUITS + s for r in range(ranks) for s in range(suits)]


def value(card: int, face_values: str = "ten") -> int:
    """LS-2: the ace 1, number cards their number, faces 10 each or ("pip") 11, 12, 13."""
    pips = rank(card) + 1
    return pips if face_values == "pip" else min(pips, 10)


def points(cards: Iterable[int], face_values: str = "ten") -> int:
    """The values of the cards added up (LS-2)."""
    return sum(value(card, face_values) for card in cards)


def same_rank(cards: Collection[int]) -> bool:
    return len({rank(card) for card in cards}) == 1


def is_pair(cards: Collection[int]) -> bool:
    """LS-5: two of a rank."""
    return len(cards) == 2 and same_rank(cards)


def is_four(cards: Collection[int]) -> bool:
    """LS-5: four of a rank."""
    return len(cards) == 4 and same_rank(cards)


def is_two_pairs(cards: Collection[int]) -> bool:
    """LS-5, option `two_pairs`: two of one rank and two of another."""
    ranks = [rank(card) for card in cards]
    return len(ranks) == 4 and len(set(ranks)) == 2 and all(ranks.count(r) == 2 for r in ranks)


def is_run(cards: Collection[int]) -> bool:
    """LS-6: three or five consecutive ranks, the ace below the two or above the king."""
    if len(cards) not in (3, 5):
        return False
    low_ace = sorted(rank(card) for card in cards)
    high_ace = sorted(KING + 1 if r == ACE else r for r in low_ace)
    return consecutive(low_ace) or consecutive(high_ace)


def consecutive(numbers: Sequence[int]) -> bool:
    return list(numbers) == list(range(numbers[0], numbers[0] + len(numbers)))


def is_flush(cards: Collection[int]) -> bool:
    """LS-7: five cards of one suit."""
    return len(cards) == 5 and len({suit(card) for card in cards}) == 1


def is_legal_set(
    cards: Collection[int], kinds: Collection[str] = KINDS, two_pairs: bool = False
) -> bool:
    """Whether the cards may be discarded together (LS-4 ... LS-7).

    Decided here: `two_pairs` is a kind of its own, legal whether or not `kinds` has "pair" or
    "four"; and a deck or a hand in which a kind can't occur is no error.
    """
    return (
        len(cards) == 1
        or ("pair" in kinds and is_pair(cards))
        or ("four" in kinds and is_four(cards))
        or (two_pairs and is_two_pairs(cards))
        or ("run" in kinds and is_run(cards))
        or ("flush" in kinds and is_flush(cards))
    )


def subset_cards(hand: Sequence[int], subset: int) -> list[int]:
    """The cards in those slots of the sorted hand whose bits are set: bit 0 is the lowest card."""
    return [card for slot, card in enumerate(sorted(hand)) if subset & (1 << slot)]


def legal_subsets(
    hand: Sequence[int], kinds: Collection[str] = KINDS, two_pairs: bool = False
) -> list[int]:
    """Bit masks of all legal discards from the hand, in ascending order (LS-4 ... LS-7)."""
    return [
        subset
        for subset in range(1, 1 << len(hand))
        if is_legal_set(subset_cards(hand, subset), kinds, two_pairs)
    ]


def num_actions(hand_size: int) -> int:
    return 1 + ((1 << hand_size) - 1) * (hand_size + 1)


def encode(subset: int, source: int, hand_size: int = MAX_HAND) -> int:
    """The action that discards `subset` and draws from `source` (0 deck, 1 ... floor slots)."""
    return 1 + (subset - 1) * (hand_size + 1) + source


def decode(action: int, hand_size: int = MAX_HAND) -> tuple[int, int]:
    """(subset, source) of an action that is no declaration."""
    subset, source = divmod(action - 1, hand_size + 1)
    return subset + 1, source
