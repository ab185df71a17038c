"""What players know of hidden cards (LS-18), and re-deals of what one can't know."""

import numpy as np

from lowhand.engine import game
from lowhand.engine.jit import njit
from lowhand.engine.rng import SEARCH_STREAM, shuffle, substream
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NO_CARD, NUM_CARDS, SUITS
from lowhand.games.least_score.options import MAX_PLAYERS, Rules
from lowhand.games.least_score.rules import insert_card

_ONE = np.uint64(1)


@njit
def hand_cards(state, seat):  # type: ignore[no-untyped-def]
    """The hand of `seat` as a word."""
    cards = np.uint64(0)
    for k in range(np.uint64(state.sizes[seat])):
        cards |= _ONE << np.uint64(state.hands[seat, k])
    return cards


@njit
def all_cards(rules):  # type: ignore[no-untyped-def]
    """The whole deck as a word."""
    cards = np.uint64(0)
    for rank in range(rules.ranks):
        for suit in range(rules.suits):
            cards |= _ONE << np.uint64(SUITS * rank + suit)
    return cards


@njit
def seen_cards(state, seat):  # type: ignore[no-untyped-def]
    """Cards whose place `seat` knows, if it remembers all public moves, as a word."""
    seen = hand_cards(state, seat) | state.buried
    for k in range(state.floor_size):
        seen |= _ONE << np.uint64(state.floor[k])
    for player in range(state.num_players):
        seen |= state.known[player]
    return seen


@game.resample_hidden.register(Rules)
@njit
def resample_hidden(rules, state, seat, recall, key):  # type: ignore[no-untyped-def]
    """Deal anew the cards that `seat` can't place, to all places where they may be.

    With recall the cards known to be in hands stay there, the buried ones stay buried, and what
    must be in hands since a reshuffle goes to hands. Without, only the own hand and the floor
    are known, and how many cards lie where.
    """
    stream = substream(key, SEARCH_STREAM)
    counter = np.uint64(0)
    hidden = all_cards(rules) & ~hand_cards(state, seat)
    for k in range(state.floor_size):
        hidden &= ~(_ONE << np.uint64(state.floor[k]))
    if recall:
        hidden &= ~seen_cards(state, seat)
    else:
        for player in range(MAX_PLAYERS):
            state.known[player] = np.uint64(0)
        state.held = np.uint64(0)
    must = hidden & state.held
    free = hidden & ~must
    cards = np.empty(NUM_CARDS, np.int8)
    count = _list_cards(must, cards, 0)
    counter = shuffle(cards, 0, count, count, stream, counter)
    total = _list_cards(free, cards, count)
    counter = shuffle(cards, count, total, total, stream, counter)
    owners = np.empty(MAX_PLAYERS * MAX_HAND, np.int8)
    slots, counter = _hidden_slots(rules, state, seat, count, owners, stream, counter)
    _empty_hidden_slots(state, seat)
    for k in range(slots):
        insert_card(state.hands, owners[k], state.sizes[owners[k]], cards[k])
        state.sizes[owners[k]] += 1
    place = slots
    for player in range(MAX_PLAYERS):  # piles; in normal mode one
        for k in range(state.pile_size[player]):
            state.deck[state.pile_start[player] + k] = cards[place]
            place += 1
    if not recall:
        state.buried = np.uint64(0)
        for k in range(place, total):
            state.buried |= _ONE << np.uint64(cards[k])
    state.key, state.stream, state.counter = stream, stream, counter


@njit
def _list_cards(word, cards, start):  # type: ignore[no-untyped-def]
    """Write the cards of `word` to `cards[start:]`; where they end."""
    for card in range(NUM_CARDS):
        if word >> np.uint64(card) & _ONE:
            cards[start] = card
            start += 1
    return start


@njit
def _hidden_slots(rules, state, seat, must, owners, stream, counter):  # type: ignore[no-untyped-def]
    """Owners of the hidden cards in hands, so that the first `must` can hold what must be there.

    Since a reshuffle a player holds at most as many cards from the new deck as it has drawn:
    those are chosen at random among the slots that may hold them, and stand at the end.
    """
    slots = 0
    for player in range(state.num_players):
        if player != seat:
            for _ in range(_unknown(state, player)):
                owners[slots] = player
                slots += 1
    counter = shuffle(owners, 0, slots, slots, stream, counter)
    if must == 0:
        return slots, counter
    room = np.empty(MAX_PLAYERS, np.int64)
    for player in range(state.num_players):
        room[player] = state.drawn[player]
    last, k = slots, slots - 1
    while k >= 0 and last > must:  # move drawn ones behind, in their random order
        if room[owners[k]] > 0:
            room[owners[k]] -= 1
            last -= 1
            owners[k], owners[last] = owners[last], owners[k]
        k -= 1
    return slots, counter


@njit
def _unknown(state, player):  # type: ignore[no-untyped-def]
    """How many cards in a hand are not publicly known."""
    count = 0
    for k in range(state.sizes[player]):
        known = state.known[player] >> np.uint64(state.hands[player, k]) & _ONE
        count += int(known == 0)
    return count


@njit
def _empty_hidden_slots(state, seat):  # type: ignore[no-untyped-def]
    """Take all cards that are not publicly known out of the hands of others."""
    for player in range(state.num_players):
        if player != seat:
            kept = 0
            for k in range(state.sizes[player]):
                card = state.hands[player, k]
                if state.known[player] >> np.uint64(card) & _ONE:
                    state.hands[player, kept] = card
                    kept += 1
            for k in range(kept, MAX_HAND):
                state.hands[player, k] = NO_CARD
            state.sizes[player] = kept
