"""Chance made explicit: which card may come next, and choosing it.

In the engine a game's key decides all chance in advance. Solvers and game trees ask instead what
may happen and choose; they swap cards that nobody has seen and leave the rules alone.
"""

import numpy as np

from lowhand.engine.jit import njit
from lowhand.games.no_thanks.rules import bit


@njit
def unturned(rules, state):  # type: ignore[no-untyped-def]
    """The cards not yet turned, removed ones included, as a word: all equally likely to be next."""
    cards = np.uint64(0)
    for i in range(state.turned, rules.num_cards):
        cards |= bit(state.deck[i])
    return cards


@njit
def turn_next(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card`, one of those not yet turned, the card that the next take turns up."""
    _swap(rules, state, np.int64(state.turned), card)


@njit
def turn_first(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card` the card on offer, in a game that was just dealt."""
    _swap(rules, state, 0, card)
    state.offered = card


@njit
def _swap(rules, state, place, card):  # type: ignore[no-untyped-def]
    """Exchange the card at `place` of the deck with `card`, which lies there or behind it."""
    for i in range(place, rules.num_cards):
        if state.deck[i] == card:
            state.deck[i] = state.deck[place]
            state.deck[place] = card
            return
