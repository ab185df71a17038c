"""Which cards of a hand may be discarded together (LS-4 to LS-7), and actions as numbers.

A discard is a subset of the hand's slots: a bit mask whose bit k is slot k. Whether a subset
is a legal set depends only on the differences of neighbouring ranks, as long as the ace counts
low: of each of the four differences only 0, 1 and "more" matter. So a lookup table over these
patterns gives all legal subsets at once, as a bitset whose bit (subset − 1) is 1 for a legal
subset. Runs that end with an ace, and flushes, are added to it.
"""

import functools

import numpy as np

from lowhand.engine.jit import njit
from lowhand.games.least_score.cards import ACE, KING, QUEEN, SUITS

MAX_HAND = 5
ALL_SETS = ("pair", "four", "run", "flush")
PATTERNS = 4 ** (MAX_HAND - 1)  # two bits for each difference of neighbouring ranks
FAR = 2  # a difference of 2 or more

DECLARE = 0

_ONE = np.uint64(1)
_BITS = np.uint32(1)
_WHOLE_HAND = np.uint32(1 << (2**MAX_HAND - 2))  # the bit of the subset of all five slots


@functools.cache
def subset_table(sets: tuple[str, ...], two_pairs: bool) -> np.ndarray:
    """(PATTERNS,) uint32: legal subsets of five cards with the ace low, without flushes.

    Entry d0 + 4·d1 + 16·d2 + 64·d3 is for hands whose slots differ in rank by d0, d1, d2, d3,
    where `FAR` means 2 or more.
    """
    table = np.zeros(PATTERNS, np.uint32)
    for pattern in range(PATTERNS):
        differences = [pattern >> 2 * k & 3 for k in range(MAX_HAND - 1)]
        ranks = np.cumsum([0, *differences])
        for subset in range(1, 2**MAX_HAND):
            chosen = [int(r) for k, r in enumerate(ranks) if subset >> k & 1]
            if _is_set(chosen, sets, two_pairs):
                table[pattern] |= np.uint32(1 << (subset - 1))
    table.flags.writeable = False  # the cache returns the same array again
    return table


def _is_set(ranks: list[int], sets: tuple[str, ...], two_pairs: bool) -> bool:
    """Whether cards of these ascending ranks are a set, with the ace low."""
    size, distinct = len(ranks), len(set(ranks))
    if size == 1:  # LS-4
        return True
    if distinct == 1:  # LS-5
        return (size == 2 and "pair" in sets) or (size == 4 and "four" in sets)
    if size == 4 and distinct == 2 and two_pairs:
        return ranks[0] == ranks[1] and ranks[2] == ranks[3]
    return (  # LS-6
        "run" in sets and size in (3, 5) and distinct == size and ranks[-1] - ranks[0] == size - 1
    )


@njit
def legal_subsets(rules, hands, seat, size):  # type: ignore[no-untyped-def]
    """All legal discards of `hands[seat]`, sorted slots of which `size` hold a card: uint32.

    Bit (subset − 1) is 1 where the subset of slots is a legal set.
    """
    seat = np.uint64(seat)
    pattern = np.uint64(0)
    for k in range(np.uint64(MAX_HAND - 1)):
        difference = (hands[seat, k + _ONE] >> 2) - (hands[seat, k] >> 2)
        pattern |= np.uint64(min(difference, FAR)) << np.uint64(2 * k)
    # Subsets of the first `size` slots are those below 2**size; the other slots are empty.
    legal = rules.subsets[pattern] & ((_BITS << np.uint32((1 << size) - 1)) - _BITS)
    if hands[seat, 0] >> 2 == ACE and hands[seat, np.uint64(size - 1)] >> 2 == KING:
        if rules.ace_high:
            legal |= _ace_high_runs(hands, seat, size)
    if size == MAX_HAND and rules.flush:  # LS-7
        suits = 0
        for k in range(np.uint64(1), np.uint64(MAX_HAND)):
            suits |= hands[seat, k] ^ hands[seat, 0]
        if suits & (SUITS - 1) == 0:
            legal |= _WHOLE_HAND
    return legal


@njit
def _ace_high_runs(hands, seat, size):  # type: ignore[no-untyped-def]
    """The subsets Q-K-A and 10-J-Q-K-A of a hand that holds an ace and a king (LS-6)."""
    legal = np.uint32(0)
    for ace in range(size):
        for queen in range(ace + 1, size):
            for king in range(queen + 1, size):
                if (
                    hands[seat, ace] >> 2 == ACE
                    and hands[seat, queen] >> 2 == QUEEN
                    and hands[seat, king] >> 2 == KING
                ):
                    subset = (1 << ace) | (1 << queen) | (1 << king)
                    legal |= _BITS << np.uint32(subset - 1)
    if size == MAX_HAND:
        royal = hands[seat, 0] >> 2 == ACE
        for k in range(1, MAX_HAND):
            royal = royal and hands[seat, k] >> 2 == KING - (MAX_HAND - 1) + k
        if royal:
            legal |= _WHOLE_HAND
    return legal


# 2 generates the numbers modulo 37, so that powers of two below 2**36 differ modulo 37.
_BIT_BY_REMAINDER = np.zeros(37, np.uint8)
for _bit in range(36):
    _BIT_BY_REMAINDER[2**_bit % 37] = _bit


@njit
def bit_number(power):  # type: ignore[no-untyped-def]
    """k, for the uint64 2**k, k < 36."""
    return np.uint64(_BIT_BY_REMAINDER[power % np.uint64(37)])


def num_actions(hand_size: int) -> int:
    """The number of actions for hands of this size: to declare, or a subset and a source."""
    return int(1 + (2**hand_size - 1) * (hand_size + 1))


@njit
def split_action(action, hand_size):  # type: ignore[no-untyped-def]
    """The subset of slots that an action other than to declare (≥ 1) discards, and its source.

    Sources are 0 for the closed deck and 1 … hand_size for the floor's slots.
    """
    code = np.uint64(action - 1)
    # Division by a constant compiles to a multiplication: faster for the usual hands of five.
    sources = np.uint64(MAX_HAND + 1) if hand_size == MAX_HAND else np.uint64(hand_size + 1)
    if hand_size == MAX_HAND:
        subset = code // np.uint64(MAX_HAND + 1)
    else:
        subset = code // sources
    return np.int64(subset + _ONE), np.int64(code - subset * sources)


@njit
def join_action(subset, source, hand_size):  # type: ignore[no-untyped-def]
    """The action that discards `subset` and draws from `source`: `split_action`'s inverse."""
    return 1 + (subset - 1) * (hand_size + 1) + source
