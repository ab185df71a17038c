"""What is hidden in No Thanks!: samples of it, and chance events that a solver chooses.

In the engine a game's key fixes all chance in advance. Solvers and game trees enumerate and choose
chance events instead: they swap cards that no player has seen and leave the rules alone.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import bit, holds
from lowhand.engine.jit import njit
from lowhand.engine.rng import SEARCH_STREAM, random_below, shuffle, substream
from lowhand.games.no_thanks.options import Rules


@njit
def unturned(rules, state):  # type: ignore[no-untyped-def]
    """The cards not yet turned, removed ones included, as a bitset: all are equally likely."""
    cards = np.uint64(0)
    for i in range(state.turned, rules.num_cards):
        cards |= bit(state.deck[i])
    return cards


@njit
def turn_next(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card`, which is not yet turned, the card that the next take turns up."""
    _swap(rules, state, np.int64(state.turned), card)


@njit
def turn_first(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card` the card on offer, in a game that was just dealt."""
    _swap(rules, state, 0, card)
    state.offered = card


@njit
def _swap(rules, state, place, card):  # type: ignore[no-untyped-def]
    """Exchange the card at `place` of the deck with `card`, which lies there or further down."""
    for i in range(place, rules.num_cards):
        if state.deck[i] == card:
            state.deck[i] = state.deck[place]
            state.deck[place] = card
            return


@game.resample_hidden.register(Rules)
@njit
def resample_hidden(rules, state, seat, recall, key):  # type: ignore[no-untyped-def]
    """Shuffle the unseen cards (NT-1); without recall, redistribute the others' chips (NT-11).

    Without recall each chip of the others goes to a random one of them. The unseen cards are
    sorted first, so that the key and what `seat` knows fix the whole sample.
    """
    stream = substream(key, SEARCH_STREAM)
    state.key = stream
    size = rules.num_cards
    _sort_unseen(rules, state)
    counter = shuffle(state.deck, np.int64(state.turned), size, size, stream, np.uint64(0))
    if recall:
        return
    others = 0
    for player in range(state.num_players):
        if player != seat:
            others += state.chips[player]
            state.chips[player] = 0
    for _ in range(others):
        step, counter = random_below(stream, counter, np.uint64(state.num_players - 1))
        state.chips[(seat + 1 + np.int64(step)) % state.num_players] += 1


@njit
def _sort_unseen(rules, state):  # type: ignore[no-untyped-def]
    """Sort the cards not yet turned."""
    unseen = unturned(rules, state)
    place = np.int64(state.turned)
    for card in range(rules.low, rules.low + rules.num_cards):
        if holds(unseen, card):
            state.deck[place] = card
            place += 1
