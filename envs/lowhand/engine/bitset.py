"""Sets of cards as 64-bit bitsets: bit c is 1 if the set has card c."""

import numpy as np

from lowhand.engine.jit import njit

_ONE = np.uint64(1)


def bits(cards: int) -> list[int]:
    """The cards of a bitset, in ascending order."""
    return [card for card in range(cards.bit_length()) if cards >> card & 1]


@njit
def bit(card):  # type: ignore[no-untyped-def]
    """The bitset of `card` alone (uint64)."""
    return _ONE << np.uint64(card)


@njit
def holds(cards, card):  # type: ignore[no-untyped-def]
    """1 if `card` is among `cards`, else 0."""
    return np.int64((cards >> np.uint64(card)) & _ONE)


@njit
def write_plane(bits, num_cards, out, row, start):  # type: ignore[no-untyped-def]
    """Write cards 0 … `num_cards` − 1 of `bits` as 0.0 or 1.0 from `out[row, start]` on.

    No branch and unsigned indices, so that the loop is vectorised.
    """
    for i in range(num_cards):
        out[row, start + np.uint64(i)] = np.float32(np.int32((bits >> np.uint64(i)) & np.uint64(1)))


@njit
def count(cards):  # type: ignore[no-untyped-def]
    """The number of cards in a bitset; the compiler turns the loop into one instruction."""
    number = 0
    while cards != 0:
        cards &= cards - _ONE  # removes the lowest
        number += 1
    return number


@njit
def lowest(cards):  # type: ignore[no-untyped-def]
    """The lowest card of a bitset that is not empty (uint64)."""
    return np.uint64(count(~cards & (cards - _ONE)))  # the zeros below the lowest 1, as ones
