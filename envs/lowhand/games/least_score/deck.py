"""The record of a match of Least Score, and its dealing, drawing and reshuffling."""

import numpy as np

from lowhand.engine.bitset import bit
from lowhand.engine.jit import njit
from lowhand.engine.records import record
from lowhand.engine.rng import random_bits, shuffle, substream
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NO_CARD, NUM_CARDS, SUITS
from lowhand.games.least_score.options import MAX_PLAYERS

NOBODY = -1
DEALS_STREAM = np.uint64(0x6465616C7300)
MAX_DRAWN = 100
"""The bound of a seat's count of draws: more than it can hold, and it fits a byte."""

_ONE = np.uint64(1)

State = record(
    key=np.uint64,  # fixes all deals and the scripted players' random numbers
    stream=np.uint64,  # random stream of the running deal
    counter=np.uint64,  # its next number
    buried=np.uint64,  # cards that lie face down next to the deck (LS-8)
    known=(np.uint64, (MAX_PLAYERS,)),  # cards seen to be picked up, still held
    held=np.uint64,  # cards known to be in hands since a reshuffle (LS-18)
    limit=np.float64,  # points that knock out, or NO_LIMIT for a single deal
    points=(np.int32, (MAX_PLAYERS,)),  # of the match
    deal_points=(np.int32, (MAX_PLAYERS,)),  # of the last deal that ended
    moves=np.int32,  # decisions so far
    turn=np.int32,  # turns made in this deal
    deals=np.int32,  # deals ended
    declared=(np.int32, (MAX_PLAYERS,)),  # declarations
    wrong=(np.int32, (MAX_PLAYERS,)),  # of them, wrong ones
    declared_total=(np.int32, (MAX_PLAYERS,)),  # sum of the totals declared
    deals_played=(np.int32, (MAX_PLAYERS,)),
    out_deal=(np.int32, (MAX_PLAYERS,)),  # number of the deal that knocked out
    hands=(np.int8, (MAX_PLAYERS, MAX_HAND)),  # sorted, then NO_CARD
    sizes=(np.int8, (MAX_PLAYERS,)),  # cards in hand; 0 for a player who is out
    drawn=(np.int8, (MAX_PLAYERS,)),  # unseen draws since a reshuffle, ≤ 100
    floor=(np.int8, (MAX_HAND,)),  # sorted, then NO_CARD
    floor_size=np.int8,
    deck=(np.int8, (NUM_CARDS,)),  # piles, the next card of each at its end
    pile_start=(np.int8, (MAX_PLAYERS,)),  # pile 0 is the deck in normal mode
    pile_size=(np.int8, (MAX_PLAYERS,)),
    out=(np.int8, (MAX_PLAYERS,)),  # 1: knocked out (LS-12)
    played=(np.int8, (MAX_PLAYERS,)),  # 1: took part in the last deal that ended
    left=np.int8,  # players not out
    starter=np.int8,  # the player who started this deal
    declarer=np.int8,  # of the last deal that ended, or NOBODY
    deal_ended=np.int8,  # 1: the last move ended a deal
    mover=np.int8,
    num_players=np.int8,
    over=np.int8,
    truncated=np.int8,  # 1: ended by `max_deals` (LS-16)
)


@njit
def shuffle_deck(rules, state):  # type: ignore[no-untyped-def]
    """Shuffle a deck of all cards; the key and the number of the deal fix the order."""
    number = np.uint64(state.deals)
    state.stream = random_bits(substream(state.key, DEALS_STREAM), number + np.uint64(1 << 20))
    size = rules.ranks * rules.suits
    for i in range(size):
        state.deck[i] = i // rules.suits * SUITS + i % rules.suits
    state.counter = shuffle(state.deck, 0, size, size, state.stream, np.uint64(0))


@njit
def hand_out(rules, state):  # type: ignore[no-untyped-def]
    """Deal from the end of the shuffled deck: the hands seat by seat, then the open card (LS-1)."""
    size, hand_size = rules.ranks * rules.suits, rules.hand_size
    for seat in range(MAX_PLAYERS):
        dealt = seat < state.num_players and not state.out[seat]  # LS-12
        state.sizes[seat] = hand_size if dealt else 0
        state.known[seat] = np.uint64(0)
        state.drawn[seat] = 0
        for k in range(MAX_HAND):
            state.hands[seat, k] = NO_CARD
        if dealt:
            for k in range(hand_size):
                size -= 1
                insert_card(state.hands, seat, k, state.deck[size])
    state.buried = state.held = np.uint64(0)
    for k in range(MAX_HAND):
        state.floor[k] = NO_CARD
    state.floor_size = rules.open_card
    if rules.open_card:
        size -= 1
        state.floor[0] = state.deck[size]
    divide_deck(rules, state, size)
    state.turn = 0
    state.mover = state.starter


@njit
def insert_card(hands, seat, size, card):  # type: ignore[no-untyped-def]
    """Put `card` in its place among the `size` sorted cards of `hands[seat]`."""
    seat, k = np.uint64(seat), np.uint64(size)
    while k > 0 and hands[seat, k - _ONE] > card:
        hands[seat, k] = hands[seat, k - _ONE]
        k -= _ONE
    hands[seat, k] = card


@njit
def divide_deck(rules, state, size):  # type: ignore[no-untyped-def]
    """Divide the first `size` cards: one pile, or one for each player who is in."""
    start, piles = 0, state.left if rules.stable else 1
    share, extra = size // piles, size % piles
    for place in range(state.num_players):
        seat, cards = place, size if place == 0 else 0
        if rules.stable:
            seat, cards = (state.starter + place) % state.num_players, 0
            if not state.out[seat]:
                cards = share + (1 if extra > 0 else 0)
                extra -= 1
        state.pile_start[seat], state.pile_size[seat] = start, cards
        start += cards


@njit
def pile_of(rules, seat):  # type: ignore[no-untyped-def]
    """The number of the pile that `seat` draws from."""
    return np.uint64(seat) if rules.stable else np.uint64(0)


@njit
def may_draw(rules, state, seat):  # type: ignore[no-untyped-def]
    """Whether `seat` can draw from the closed deck at its turn's start (LS-15)."""
    return state.pile_size[pile_of(rules, seat)] > 0 or state.buried != 0


@njit
def next_in(state, seat):  # type: ignore[no-untyped-def]
    """The next player after `seat` who is in."""
    while True:
        seat = seat + 1 if seat + 1 < state.num_players else 0
        if not state.out[np.uint64(seat)]:
            return seat


@njit
def draw_card(rules, state, seat):  # type: ignore[no-untyped-def]
    """Draw the top card of the closed deck, after a reshuffle where it is empty (LS-15)."""
    pile = pile_of(rules, seat)
    if state.pile_size[pile] == 0:
        reshuffle(rules, state)
    state.pile_size[pile] -= 1
    state.drawn[seat] = min(state.drawn[seat] + 1, MAX_DRAWN)
    return np.int64(state.deck[state.pile_start[pile] + state.pile_size[pile]])


@njit
def list_cards(bitset, cards, start):  # type: ignore[no-untyped-def]
    """Write the cards of `bitset` to `cards[start:]`. Returns where they end."""
    for card in range(NUM_CARDS):
        if bitset >> np.uint64(card) & _ONE:
            cards[start] = card
            start += 1
    return start


@njit
def reshuffle(rules, state):  # type: ignore[no-untyped-def]
    """Shuffle the buried cards into a new deck, or deal them into the piles (LS-15)."""
    fresh, closed = np.empty(NUM_CARDS, np.int8), 0
    count = list_cards(state.buried, fresh, 0)
    for pile in range(MAX_PLAYERS):
        closed += state.pile_size[pile]
    state.counter = shuffle(fresh, 0, count, count, state.stream, state.counter)
    state.buried = np.uint64(0)
    if rules.stable:
        _deal_into_piles(state, fresh, count)
    else:
        for i in range(count):
            state.deck[i] = fresh[i]
        state.pile_start[0], state.pile_size[0] = 0, count
    if closed == 0:
        _place_unseen(state)


@njit
def _place_unseen(state):  # type: ignore[no-untyped-def]
    """With no closed card left, all cards unseen until now must be in hands (LS-18)."""
    held = np.uint64(0)
    for player in range(state.num_players):
        for k in range(state.sizes[player]):
            held |= bit(state.hands[player, k])
        held &= ~state.known[player]
        state.drawn[player] = 0
    state.held = held


@njit
def _deal_into_piles(state, fresh, count):  # type: ignore[no-untyped-def]
    """Deal `fresh[:count]` one by one, the mover first, and put them under the piles."""
    old = state.deck.copy()
    start, seat = 0, np.int64(state.mover)
    for place in range(state.left):
        first, size, bottom = state.pile_start[seat], state.pile_size[seat], start
        for i in range(place, count, state.left):
            state.deck[start] = fresh[i]
            start += 1
        for i in range(size):
            state.deck[start] = old[first + i]
            start += 1
        state.pile_start[seat], state.pile_size[seat] = bottom, start - bottom
        seat = next_in(state, seat)
