"""What is hidden in Least Score: what players know (LS-18), samples of the rest, chance events.

In the engine a game's key fixes all chance in advance. Solvers and game trees enumerate and choose
chance events instead: they swap cards that no player has seen and leave the rules alone. To choose
a whole deal they write `state.deck` and call `deck.hand_out`.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import bit
from lowhand.engine.jit import njit
from lowhand.engine.rng import SEARCH_STREAM, shuffle, substream
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NO_CARD, NUM_CARDS, SUITS
from lowhand.games.least_score.deck import insert_card, list_cards, pile_of, reshuffle
from lowhand.games.least_score.options import MAX_PLAYERS, Rules

_ONE = np.uint64(1)
_LOWEST_SUIT = np.uint64(0x1111111111111)  # one card of each rank


@njit
def hand_cards(state, seat):  # type: ignore[no-untyped-def]
    """The hand of `seat` as a bitset."""
    cards = np.uint64(0)
    for k in range(np.uint64(state.sizes[seat])):
        cards |= bit(state.hands[seat, k])
    return cards


@njit
def all_cards(rules):  # type: ignore[no-untyped-def]
    """The whole deck as a bitset."""
    suits = bit(rules.suits) - _ONE
    ranks = bit(SUITS * rules.ranks) - _ONE
    return suits * _LOWEST_SUIT & ranks


@njit
def seen_cards(state, seat):  # type: ignore[no-untyped-def]
    """Cards whose place `seat` knows if it remembers all public moves, as a bitset."""
    seen = hand_cards(state, seat) | state.buried
    for k in range(state.floor_size):
        seen |= bit(state.floor[k])
    for player in range(state.num_players):
        seen |= state.known[player]
    return seen


@game.resample_hidden.register(Rules)
@njit
def resample_hidden(rules, state, seat, recall, key):  # type: ignore[no-untyped-def]
    """Deal the cards whose places `seat` does not know to places where they may be.

    With recall the cards known to be in hands stay there, the buried ones stay buried, and those
    that must be in hands since a reshuffle go to hands. Without recall, `seat` knows only its
    hand, the floor, and the number of cards in each place.
    """
    stream = substream(key, SEARCH_STREAM)
    counter = np.uint64(0)
    hidden = all_cards(rules) & ~hand_cards(state, seat)
    for k in range(state.floor_size):
        hidden &= ~bit(state.floor[k])
    if recall:
        hidden &= ~seen_cards(state, seat)
    else:
        for player in range(MAX_PLAYERS):
            state.known[player] = np.uint64(0)
        state.held = np.uint64(0)
    must = hidden & state.held
    free = hidden & ~must
    cards = np.empty(NUM_CARDS, np.int8)
    count = list_cards(must, cards, 0)
    counter = shuffle(cards, 0, count, count, stream, counter)
    total = list_cards(free, cards, count)
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
            state.buried |= bit(cards[k])
    state.key, state.stream, state.counter = stream, stream, counter


@njit
def _hidden_slots(rules, state, seat, must, owners, stream, counter):  # type: ignore[no-untyped-def]
    """Write the owner of each hidden card in a hand; the first `must` cards have to be in hands.

    Since a reshuffle a player holds at most as many cards from the new deck as it has drawn:
    these are chosen at random among the slots that may hold them, and come last.

    Returns:
        The number of owners, and the next counter of the stream.
    """
    slots = 0
    for player in range(state.num_players):
        if player != seat:
            for _ in range(_count_unknown(state, player)):
                owners[slots] = player
                slots += 1
    counter = shuffle(owners, 0, slots, slots, stream, counter)
    if must == 0:
        return slots, counter
    room = np.empty(MAX_PLAYERS, np.int64)
    for player in range(state.num_players):
        room[player] = state.drawn[player]
    last, k = slots, slots - 1
    while k >= 0 and last > must:  # move drawn ones to the end, in their random order
        if room[owners[k]] > 0:
            room[owners[k]] -= 1
            last -= 1
            owners[k], owners[last] = owners[last], owners[k]
        k -= 1
    return slots, counter


@njit
def _count_unknown(state, player):  # type: ignore[no-untyped-def]
    """The number of cards in a hand that are not publicly known."""
    count = 0
    for k in range(state.sizes[player]):
        known = state.known[player] >> np.uint64(state.hands[player, k]) & _ONE
        count += int(known == 0)
    return count


@njit
def _empty_hidden_slots(state, seat):  # type: ignore[no-untyped-def]
    """Remove the cards that are not publicly known from the hands of the others."""
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


@njit
def drawable(rules, state):  # type: ignore[no-untyped-def]
    """The cards of the closed deck that the mover draws from, as a bitset (LS-15).

    The buried cards become the deck when it is empty. Without separate piles all players draw
    from one deck, and each of its cards is equally likely to be on top.
    """
    pile = pile_of(rules, state.mover)
    cards = np.uint64(0)
    for i in range(state.pile_size[pile]):
        cards |= bit(state.deck[state.pile_start[pile] + i])
    return cards if cards != 0 else state.buried


@njit
def put_on_top(rules, state, card):  # type: ignore[no-untyped-def]
    """Make `card`, one of the `drawable`, the one that the mover draws next from the deck."""
    pile = pile_of(rules, state.mover)
    if state.pile_size[pile] == 0:
        reshuffle(rules, state)  # before the turn buries its cards, which stay buried
    first = np.int64(state.pile_start[pile])
    top = first + state.pile_size[pile] - 1
    for place in range(first, top + 1):
        if state.deck[place] == card:
            state.deck[place] = state.deck[top]
            state.deck[top] = card
            return
