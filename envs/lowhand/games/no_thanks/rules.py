"""The rules of No Thanks!, NT-1 to NT-11, as compiled functions on records.

A set of cards is a 64-bit bitset: bit c is card c. So "the neighbours of a card" is a shift, and
the lowest cards of all runs are `cards & ~(cards << 1)`.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import holds
from lowhand.engine.jit import njit
from lowhand.engine.records import record
from lowhand.engine.rng import random_below, shuffle
from lowhand.games.no_thanks.options import (
    HIGHEST_CARD,
    LOWEST_CARD,
    MAX_CARDS,
    MAX_PLAYERS,
    RANDOM_PLAYER,
    Rules,
)

PASS, TAKE = 0, 1
NUM_ACTIONS = 2
NO_CARD = 0
"""The offered card after the last one was taken."""

State = record(
    key=np.uint64,  # fixes the deal and the scripted players' random numbers
    cards=(np.uint64, (MAX_PLAYERS,)),  # bitsets of the cards held
    chips=(np.int16, (MAX_PLAYERS,)),  # secret (NT-11)
    points=(np.int16, (MAX_PLAYERS,)),  # of the cards held, without the chips (NT-9)
    pot=np.int16,  # chips on the offered card
    moves=np.int32,  # decisions so far
    offered=np.int8,  # the card on offer, NO_CARD after the end
    turned=np.int8,  # cards turned so far, the offered one included
    mover=np.int8,
    num_players=np.int8,
    over=np.int8,
    deck=(np.int8, (MAX_CARDS,)),  # in the order of turning; then the removed
)

_ONE = np.uint64(1)


@njit
def score_change(cards, card):  # type: ignore[no-untyped-def]
    """Change of the card points by taking `card` (NT-9): only the lowest of a run counts.

    The card counts unless the one below it is held; the one above stops counting if held.
    """
    return (1 - holds(cards, card - 1)) * card - holds(cards, card + 1) * (card + 1)


@njit
def card_points(cards):  # type: ignore[no-untyped-def]
    """Points of a set of cards, summed over the lowest cards of its runs (NT-9)."""
    lowest = cards & ~(cards << _ONE)
    points = 0
    for card in range(LOWEST_CARD, HIGHEST_CARD + 1):
        points += card * holds(lowest, card)
    return points


@game.deal.register(Rules)
@njit
def deal(rules, state, key, num_players):  # type: ignore[no-untyped-def]
    """Shuffle, remove cards, deal the chips and turn the first card (NT-1 to NT-4)."""
    state.key = key
    state.num_players = num_players
    for seat in range(MAX_PLAYERS):
        state.cards[seat] = np.uint64(0)
        state.points[seat] = 0
        state.chips[seat] = rules.chips[num_players] if seat < num_players else 0  # NT-2, NT-3
    for i in range(rules.num_cards):
        state.deck[i] = rules.low + i
    counter = shuffle(state.deck, 0, rules.num_cards, rules.num_turned, key, np.uint64(0))  # NT-1
    if rules.first_player == RANDOM_PLAYER:  # NT-4
        first, counter = random_below(key, counter, np.uint64(num_players))
        state.mover = first
    else:
        state.mover = rules.first_player
    state.pot = state.moves = 0
    state.over = 0
    state.offered = state.deck[0]
    state.turned = 1


@game.apply.register(Rules)
@njit
def apply(rules, state, action):  # type: ignore[no-untyped-def]
    """Pass or take (NT-5). A taker decides first on the next card (NT-6).

    Changes are computed for both actions and multiplied by `take` or `pass_`: the processor
    can't predict the branch that this replaces.
    """
    take = np.int64(action == TAKE)
    pass_ = 1 - take
    seat = np.uint64(state.mover)  # unsigned: a signed index costs a test for negative ones
    card, pot = np.int64(state.offered), np.int64(state.pot)
    last = take * np.int64(state.turned == rules.num_turned)  # NT-8
    state.moves += 1
    state.points[seat] += take * score_change(state.cards[seat], card)
    state.cards[seat] |= np.uint64(take) << np.uint64(card)
    state.chips[seat] += take * pot - pass_  # NT-5
    state.pot = pass_ * (pot + 1)
    following = np.int64(state.mover) + pass_  # NT-6: not after a take
    state.mover = following * (following < state.num_players)
    state.turned += take - last
    state.offered = state.deck[np.uint64(state.turned - 1)] * (1 - last)  # NO_CARD is 0
    state.over = last


@game.is_legal.register(Rules)
@njit
def is_legal(rules, state, action):  # type: ignore[no-untyped-def]
    """Taking is always legal; passing costs a chip (NT-7). Without a branch, like `apply`."""
    chips_needed = TAKE - np.int64(action)
    return PASS <= action <= TAKE and chips_needed <= state.chips[np.uint64(state.mover)]


@game.write_mask.register(Rules)
@njit
def write_mask(rules, state, out, row):  # type: ignore[no-untyped-def]
    """Legal actions of the mover: [has a chip, 1]."""
    out[row, PASS] = state.chips[np.uint64(state.mover)] > 0
    out[row, TAKE] = 1


@game.score.register(Rules)
@njit
def score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points of the cards held, minus one for each chip (NT-9): the lowest wins (NT-10)."""
    return np.float64(state.points[seat] - state.chips[seat])
