"""The player `lookahead`: every discard with every draw, and the best discard to follow.

That is some 40 hands a turn. The legal subsets of each come from the table of the rules, and
seldom are there any but single cards, of which the last slot is always worth the most.
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
_DECK = 0
_NONE = 1 << 30  # more than any hand leaves
_KEPT, _NEXT = np.uint64(0), np.uint64(1)  # rows: the hand without the discard, the next hand
_SEVERAL = np.uint64(sum(1 << (s - 1) for s in range(1, 2**MAX_HAND) if s & (s - 1)))
"""Subsets of two slots or more, as `legal_subsets` writes them."""


@njit
def lookahead(rules, state, turn, dice):  # type: ignore[no-untyped-def]
    """The (discard, draw) that leaves the fewest points after the best discard to follow.

    All is multiplied by the number of samples, so that equal is equal. Of floor cards that leave
    as little, one that completes a set of several cards is preferred; where the best of them
    completes one it is taken whatever the deck promises. Of equals the lowest action is chosen.
    """
    samples, hands = np.empty(NUM_CARDS, np.int8), np.empty((2, MAX_HAND), np.int8)
    drawn = sample_cards(turn.unseen, SAMPLES, dice, samples)
    deck_left, floor_left, scale = _NONE, _NONE, max(1, drawn)
    deck_action, floor_action, completes = 0, 0, False
    drawable = may_draw(rules, state, turn.seat)
    legal = np.uint64(legal_subsets(rules, state.hands, turn.seat, turn.size))
    while legal != 0:
        subset = np.int64(lowest(legal)) + 1
        legal &= legal - _ONE
        size = _keep(state, turn, subset, hands)
        if drawable:
            left = _left_with_deck(rules, hands, size, samples, drawn)
            if left < deck_left:
                deck_left = left
                deck_action = join_action(subset, _DECK, rules.hand_size)
        for slot in range(np.int64(state.floor_size)):
            place = _draw(hands, state.floor[np.uint64(slot)])
            left, makes_set = _left(rules, hands, size + 1, place)
            left *= scale
            if left < floor_left or (left == floor_left and makes_set and not completes):
                floor_left, completes = left, makes_set
                floor_action = join_action(subset, slot + 1, rules.hand_size)
    if completes or floor_left < deck_left:
        return floor_action
    return deck_action if deck_left < floor_left else min(deck_action, floor_action)


@njit
def _keep(state, turn, subset, hands):  # type: ignore[no-untyped-def]
    """Write the cards that are not discarded into their row; how many they are.

    Every card is written, and the next one over it unless it is kept: no branch to predict.
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
def _draw(hands, card):  # type: ignore[no-untyped-def]
    """Make the next hand: the cards kept and, in its place among them, `card`; its slot."""
    place = np.int64(0)
    for k in range(np.uint64(MAX_HAND - 1)):
        place += np.int64(hands[_KEPT, k] < card)
    hands[_NEXT, np.uint64(0)] = hands[_KEPT, np.uint64(0)]
    for k in range(np.uint64(1), np.uint64(MAX_HAND)):
        hands[_NEXT, k] = hands[_KEPT, k if k < place else k - _ONE]
    hands[_NEXT, np.uint64(place)] = card
    return place


@njit
def _left_with_deck(rules, hands, size, samples, drawn):  # type: ignore[no-untyped-def]
    """Points left after the next discard, added up over the samples; of the kept without any."""
    if drawn == 0:
        place = _draw(hands, NO_CARD)
        left, _ = _left(rules, hands, size, place)
        return left
    total = 0
    for i in range(np.uint64(drawn)):
        place = _draw(hands, samples[i])
        left, _ = _left(rules, hands, size + 1, place)
        total += left
    return total


@njit
def _left(rules, hands, size, place):  # type: ignore[no-untyped-def]
    """Points of the next hand that its best discard leaves.

    And whether a best discard is a set of several cards with slot `place` in it.
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
