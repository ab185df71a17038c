"""Chance made explicit: which card may be drawn, and choosing it.

In the engine a game's key decides all chance in advance. Solvers and game trees ask instead what
may happen and choose; they swap cards that nobody has seen and leave the rules alone. A whole
deal is chosen by writing `state.deck` and calling `rules.hand_out`.
"""

import numpy as np

from lowhand.engine.jit import njit
from lowhand.games.least_score.rules import pile_of, reshuffle

_ONE = np.uint64(1)


@njit
def drawable(rules, state):  # type: ignore[no-untyped-def]
    """The cards of the closed deck that the mover draws from, as a word (LS-15).

    An empty deck is made anew of the buried cards. Without piles of their own, all players draw
    from this deck, and each of its cards is equally likely to be on top.
    """
    pile = pile_of(rules, state.mover)
    cards = np.uint64(0)
    for i in range(state.pile_size[pile]):
        cards |= _ONE << np.uint64(state.deck[state.pile_start[pile] + i])
    return cards if cards != 0 else state.buried


@njit
def put_on_top(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card`, one of the `drawable`, the one that the mover draws next from the deck."""
    pile = pile_of(rules, state.mover)
    if state.pile_size[pile] == 0:
        reshuffle(rules, state)  # a turn early: what is buried in this turn comes later
    first = np.int64(state.pile_start[pile])
    top = first + state.pile_size[pile] - 1
    for place in range(first, top + 1):
        if state.deck[place] == card:
            state.deck[place] = state.deck[top]
            state.deck[top] = card
            return
