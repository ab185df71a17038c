"""What players of one deal see, as 64-bit integers: a set of cards and one further card.

Bits 0 to 51 are the set; the number of the further card + 1 is in the bits above.
With suits forgotten, cards are encoded as of the lowest suits.
"""

import numpy as np

from lowhand.engine.bitset import bit, count, lowest
from lowhand.engine.jit import njit
from lowhand.games.least_score.actions import split_action
from lowhand.games.least_score.bots.measures import of_rank, subset_cards
from lowhand.games.least_score.cards import SUITS
from lowhand.games.least_score.hidden import hand_cards

_ONE = np.uint64(1)
_CARD_SHIFT = np.uint64(52)


@njit
def named(cards, keep_suits):  # type: ignore[no-untyped-def]
    """A word of cards as players see it: with suits forgotten, the lowest suits of each rank."""
    if keep_suits:
        return cards
    seen = np.uint64(0)
    while cards != 0:
        rank = lowest(cards) >> np.uint64(2)
        of_it = cards & of_rank(rank)
        number = count(of_it)
        seen |= (bit(number) - _ONE) << (np.uint64(SUITS) * rank)
        cards &= ~of_it
    return seen


@njit
def draw_seen(card, keep_suits):  # type: ignore[no-untyped-def]
    """A card as its player sees it: its number from 1 on, above the bits of a word of cards."""
    name = card if keep_suits else card - card % SUITS
    return np.uint64(name + 1) << _CARD_SHIFT


@njit
def move_seen(rules, state, action, keep_suits):  # type: ignore[no-untyped-def]
    """What all see of a move that is about to be made: the discard and a floor card taken."""
    subset, source = split_action(action, rules.hand_size)
    seen = named(subset_cards(state, np.uint64(state.mover), subset), keep_suits)
    if source > 0:
        seen |= draw_seen(state.floor[source - 1], keep_suits)
    return seen


@njit
def deal_seen(state, seat, keep_suits):  # type: ignore[no-untyped-def]
    """What a seat sees of the deal: its hand and the open card."""
    seen = named(hand_cards(state, seat), keep_suits)
    if state.floor_size > 0:
        seen |= draw_seen(state.floor[0], keep_suits)
    return seen
