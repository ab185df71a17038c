"""The player `lookahead`: every discard with every draw, and the best discard that follows.

That is some 40 hands a turn. The legal subsets of each come from the lookup table of the rules.
Few hands have any but single cards, of which the last slot has the most points.
"""

import numpy as np

from lowhand.engine.bitset import lowest
from lowhand.engine.jit import njit
from lowhand.games.least_score.actions import MAX_HAND, join_action, legal_subsets
from lowhand.games.least_score.bots.measures import sample_cards, subset_points
from lowhand.games.least_score.cards import NO_CARD, NUM_CARDS
from lowhand.games.least_score.deck import may_draw

SAMPLES = 5
"""Unseen cards over which a draw from the deck is averaged."""

_ONE = np.uint64(1)
_DECK = 0  # the source that is the closed deck
_NONE = 1 << 30  # more points than any hand leaves
_KEPT, _NEXT = np.uint64(0), np.uint64(1)  # rows: the hand without the discard, the next hand
_SEVERAL = np.uint64(sum(1 << (s - 1) for s in range(1, 2**MAX_HAND) if s & (s - 1)))
"""Subsets of two slots or more, as `legal_subsets` writes them."""


@njit
def lookahead(rules, state, turn, key):  # type: ignore[no-untyped-def]
    """The action that leaves the fewest points after the best discard that follows.

    Points are multiplied by the number of samples, so that comparisons are exact. Among floor
    cards that leave equally few points, one that completes a set of several cards is preferred,
    and it is taken whatever the deck promises. Ties are broken by the lowest action.
    """
    samples, hands = np.empty(NUM_CARDS, np.int8), np.empty((2, MAX_HAND), np.int8)
    drawn = sample_cards(turn.unseen, SAMPLES, key, samples)
    deck_left, floor_left, scale = _NONE, _NONE, max(1, drawn)
    deck_action, floor_action, completes = 0, 0, False
    drawable = may_draw(rules, state, turn.seat)
    legal = np.uint64(legal_subsets(rules, state.hands, turn.seat, turn.size))
    while legal != 0:
        subset = np.int64(lowest(legal)) + 1
        legal &= legal - _ONE
        size = _write_kept(state, turn, subset, hands)
        if drawable:
            left = _points_left_with_deck(rules, hands, size, samples, drawn)
            if left < deck_left:
                deck_left = left
                deck_action = join_action(subset, _DECK, rules.hand_size)
        for slot in range(np.int64(state.floor_size)):
            place = _write_next(hands, state.floor[np.uint64(slot)])
            left, makes_set = _points_left(rules, hands, size + 1, place)
            left *= scale
            if left < floor_left or (left == floor_left and makes_set and not completes):
                floor_left, completes = left, makes_set
                floor_action = join_action(subset, slot + 1, rules.hand_size)
    if completes or floor_left < deck_left:
        return floor_action
    return deck_action if deck_left < floor_left else min(deck_action, floor_action)


@njit
def _write_kept(state, turn, subset, hands):  # type: ignore[no-untyped-def]
    """Write the cards that are not discarded into row `_KEPT`.

    Every card is written, and the next one overwrites it unless it is kept: without a branch.

    Returns:
        The number of cards kept.
    """
    kept = np.uint64(0)
    for k in range(np.uint64(turn.size)):
        hands[_KEPT, kept] = state.hands[turn.seat, k]
        kept += _ONE - (np.uint64(subset) >> k & _ONE)
    for k in range(np.uint64(MAX_HAND)):
        if k >= kept:
            hands[_KEPT, k] = NO_CARD
    return np.int64(kept)


@njit
def _write_next(hands, card):  # type: ignore[no-untyped-def]
    """Write the cards kept and `card`, sorted, into row `_NEXT`. Returns the slot of `card`."""
    place = np.int64(0)
    for k in range(np.uint64(MAX_HAND - 1)):
        place += np.int64(hands[_KEPT, k] < card)
    hands[_NEXT, np.uint64(0)] = hands[_KEPT, np.uint64(0)]
    for k in range(np.uint64(1), np.uint64(MAX_HAND)):
        hands[_NEXT, k] = hands[_KEPT, k if k < place else k - _ONE]
    hands[_NEXT, np.uint64(place)] = card
    return place


@njit
def _points_left_with_deck(rules, hands, size, samples, drawn):  # type: ignore[no-untyped-def]
    """The sum over the samples of the points left; without samples, of the cards kept."""
    if drawn == 0:
        place = _write_next(hands, NO_CARD)
        left, _ = _points_left(rules, hands, size, place)
        return left
    total = 0
    for i in range(np.uint64(drawn)):
        place = _write_next(hands, samples[i])
        left, _ = _points_left(rules, hands, size + 1, place)
        total += left
    return total


@njit
def _points_left(rules, hands, size, place):  # type: ignore[no-untyped-def]
    """The points that the best discard of the next hand leaves.

    Returns:
        The points, and whether a best discard is a set of several cards with slot `place`.
    """
    if size == 0:
        return 0, False
    total, most, most_with = 0, 0, 0
    for k in range(np.uint64(size)):
        most = rules.values[np.uint64(hands[_NEXT, k] >> 2)]
        total += most
    sets = np.uint64(legal_subsets(rules, hands, _NEXT, size)) & _SEVERAL
    while sets != 0:
        subset = np.int64(lowest(sets)) + 1
        points, _ = subset_points(rules, hands, _NEXT, size, subset)
        most = max(most, points)
        if subset >> place & 1:
            most_with = max(most_with, points)
        sets &= sets - _ONE
    return total - most, most_with == most
