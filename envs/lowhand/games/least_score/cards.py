"""Playing cards of Least Score: numbers, names and values.

A card is `4 * rank + suit`: ranks from 0 (ace) to 12 (king), suits from 0 to 3. So sorted
numbers are sorted by rank, then by suit, which is the order of a hand's slots.
"""

from collections.abc import Iterable

RANKS, SUITS = 13, 4
NUM_CARDS = RANKS * SUITS
ACE, JACK, QUEEN, KING = 0, 10, 11, 12
NO_CARD = 127
"""The content of an empty slot: it sorts after every card."""

RANK_NAMES = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
SUIT_NAMES = ("♣", "♦", "♥", "♠")
_SUIT_LETTERS = "CDHS"


def card_values(face_values: str) -> list[int]:
    """The points of each rank (LS-2): faces count 10 by the rule "ten", 11 to 13 by "pip"."""
    return [min(rank + 1, 10) if face_values == "ten" else rank + 1 for rank in range(RANKS)]


def card_name(card: int) -> str:
    """The name of a card, such as `10♠`."""
    return RANK_NAMES[card // SUITS] + SUIT_NAMES[card % SUITS]


def card_names(cards: Iterable[int]) -> str:
    """The names of cards, such as `7♠ 8♦ 9♣`; a dash for none."""
    return " ".join(map(card_name, cards)) or "–"


def parse_card(name: str) -> int:
    """The card that `name` means: a rank and a suit, such as `10♠`, `10S` or `qh`.

    Raises:
        ValueError: there is no such card.
    """
    text = name.strip().upper()
    rank, suit = text[:-1], text[-1:]
    suits = {**dict(zip(SUIT_NAMES, range(SUITS), strict=True)),
             **dict(zip(_SUIT_LETTERS, range(SUITS), strict=True))}  # fmt: skip
    if rank not in RANK_NAMES or suit not in suits:
        raise ValueError(
            f"{name!r} is no card: write a rank from {', '.join(RANK_NAMES)} and a suit from"
            f" {', '.join(SUIT_NAMES)} (or {', '.join(_SUIT_LETTERS)}), such as 10♠ or 10S."
        )
    return RANK_NAMES.index(rank) * SUITS + suits[suit]
