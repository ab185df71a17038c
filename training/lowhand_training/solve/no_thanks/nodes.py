"""Positions of No Thanks! as compact keys, and the compiled walk from one auction to the next.

A **node** is the table between two auctions: which cards were seen, who owns them, the chips of
each, and who decides first on the next card. Chance turns any unseen card; then passing is the
only move that does not end the auction, so that a card on offer leads along one chain of states,
pot 0, 1, 2 …, until somebody without chips must take (NT-7). All cards of a node have chains of
the same length. A decision state is thus a node, an unseen card and a pot, and only nodes need
keys: two auctions meet nowhere but at their ends.

What a key must keep depends on the question. Points change by the neighbours of the card taken
(NT-9), so that an owned card without an unseen neighbour can be **forgotten**: it matters to no
later change of anybody's score. It does matter for who wins, and to agents that look at it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.bitset import bit, holds
from lowhand.engine.game import apply, deal, is_legal, score
from lowhand.engine.jit import njit
from lowhand.games.no_thanks.hidden import turn_next, unturned
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import PASS, TAKE, State, card_points

_KEY_BITS = 64
_UNSEEN = 0  # code of a card in a key; seat s has s + 1, and behind all seats is "forgotten"


class Form(NamedTuple):
    """How a node is written as a key: the codes of the cards, the chips, the next to decide."""

    low: int
    num_cards: int
    num_players: int
    card_bits: int
    chip_bits: int
    forgets: bool  # owned cards without an unseen neighbour


class Walk(NamedTuple):
    """What the compiled loops take: the game, the keys' form, and three records to work on."""

    rules: np.ndarray  # (1,) Rules
    form: Form
    records: np.ndarray  # (3,) State: the node, the state of its auction, and after a take


def make_walk(options: Options, forgets: bool) -> Walk:
    """The `Walk` of a game.

    Raises:
        ValueError: a position does not fit into a key.
    """
    rules, players = options.rules(), options.num_players
    chips = int(rules["chips"][0, players]) * players
    form = Form(
        low=options.low,
        num_cards=options.num_cards,
        num_players=players,
        card_bits=(players + 1).bit_length(),
        chip_bits=chips.bit_length(),
        forgets=forgets,
    )
    bits = form.num_cards * form.card_bits + players * form.chip_bits + players.bit_length()
    if bits > _KEY_BITS:
        raise ValueError(
            f"{players} players, {form.num_cards} cards and {chips} chips are too many to solve:"
            f" a position would take {bits} bits, and at most {_KEY_BITS} can be used."
        )
    return Walk(rules, form, np.zeros(3, State))


def start_key(walk: Walk) -> np.uint64:
    """The key of the node before the first card is turned."""
    state = walk.records[0]
    deal(walk.rules[0], state, np.uint64(0), walk.form.num_players)
    return np.uint64(_pack(walk.rules[0], walk.form, state))


@njit
def chain_length(form, state):  # type: ignore[no-untyped-def]
    """States of an auction that starts with `state`: until the mover must take.

    Seat s is asked for the j-th time after j·n passes and those from the first mover to it.
    """
    shortest = np.int64(1 << 30)
    for seat in range(form.num_players):
        place = (seat - state.mover) % form.num_players
        shortest = min(shortest, state.chips[seat] * form.num_players + place)
    return shortest + 1


@njit
def _pack(rules, form, state):  # type: ignore[no-untyped-def]
    """The key of the node that `state` begins: the card that it offers counts as unseen."""
    unseen = unturned(rules, state) | bit(state.offered)
    near = (unseen << np.uint64(1)) | (unseen >> np.uint64(1))
    key = np.uint64(0)
    for card in range(form.low, form.low + form.num_cards):
        code = form.num_players + 1
        if holds(unseen, card):
            code = _UNSEEN
        elif holds(near, card) or not form.forgets:
            for seat in range(form.num_players):
                if holds(state.cards[seat], card):
                    code = seat + 1
        key = (key << np.uint64(form.card_bits)) | np.uint64(code)
    for seat in range(form.num_players):
        key = (key << np.uint64(form.chip_bits)) | np.uint64(state.chips[seat])
    return key * np.uint64(form.num_players) + np.uint64(state.mover)


@njit
def load_node(walk, key):  # type: ignore[no-untyped-def]
    """Put a node into the first of the walk's records, with no card on offer.

    Forgotten cards are in no hand, and their points are not counted.

    Returns:
        The bitset of unseen cards.
    """
    form, state = walk.form, walk.records[0]
    players, word = np.uint64(form.num_players), key
    state.mover = word % players
    word = word // players
    for seat in range(form.num_players - 1, -1, -1):
        state.chips[seat] = word & (bit(form.chip_bits) - np.uint64(1))
        word >>= np.uint64(form.chip_bits)
        state.cards[seat] = np.uint64(0)
    unseen, seen, last = np.uint64(0), 0, form.num_cards
    for card in range(form.low + form.num_cards - 1, form.low - 1, -1):
        code = np.int64(word & (bit(form.card_bits) - np.uint64(1)))
        word >>= np.uint64(form.card_bits)
        if code == _UNSEEN:
            last -= 1
            state.deck[last] = card
            unseen |= bit(card)
        else:
            state.deck[seen] = card
            seen += 1
            if code <= form.num_players:
                state.cards[code - 1] |= bit(card)
    for seat in range(form.num_players):
        state.points[seat] = card_points(state.cards[seat])
    state.key, state.num_players, state.over = np.uint64(0), form.num_players, 0
    state.pot = state.moves = state.offered = 0
    state.turned = seen
    return unseen


@njit
def _turn_up(rules, state, card):  # type: ignore[no-untyped-def]
    """Let chance turn `card` up at a node."""
    turn_next(rules, state, card)
    state.offered = card
    state.turned += 1


@njit
def count_states(walk, keys, counts):  # type: ignore[no-untyped-def]
    """Write into `counts[i]` how many decision states node `keys[i]` has: cards × pots."""
    form, node = walk.form, walk.records[0]
    for i in range(keys.size):
        load_node(walk, keys[i])
        counts[i] = (form.num_cards - node.turned) * chain_length(form, node)


@njit
def write_children(walk, keys, children):  # type: ignore[no-untyped-def]
    """Write for each state of nodes `keys` the key of the node that a take leads to.

    States are in the order of their nodes, in these by card, in these by pot.
    """
    rules, form, records = walk.rules[0], walk.form, walk.records
    at = 0
    for i in range(keys.size):
        unseen = load_node(walk, keys[i])
        for card in range(form.low, form.low + form.num_cards):
            if not holds(unseen, card):
                continue
            records[1] = records[0]
            state = records[1]
            _turn_up(rules, state, card)
            while True:
                records[2] = state
                apply(rules, records[2], TAKE)
                children[at] = _pack(rules, form, records[2])
                at += 1
                if not is_legal(rules, state, PASS):
                    break
                apply(rules, state, PASS)


@njit
def write_states(walk, keys, states):  # type: ignore[no-untyped-def]
    """Write all decision states of nodes `keys`, in the order of `write_children`, as records."""
    rules, form, records = walk.rules[0], walk.form, walk.records
    at = 0
    for i in range(keys.size):
        unseen = load_node(walk, keys[i])
        for card in range(form.low, form.low + form.num_cards):
            if not holds(unseen, card):
                continue
            states[at] = records[0]
            _turn_up(rules, states[at], card)
            while is_legal(rules, states[at], PASS):
                states[at + 1] = states[at]
                at += 1
                apply(rules, states[at], PASS)
                states[at].moves = 0  # the same state is reached after different numbers of moves
            at += 1


@njit
def write_takes(walk, card, utility, at, children, child_values, takes, movers):  # type: ignore[no-untyped-def]
    """Write what a take is worth to all at each state of the auction of `card`.

    The node is the one that was loaded. Values are gains over the node, times the number of
    orders in which the cards after this auction may come.

    Args:
        walk: of the game, with the node loaded.
        card: one of its unseen cards.
        utility: a `Utility`.
        at: number of the auction's first state.
        children: (states,) index of the node that a take leads to; empty in the last auction.
        child_values: (nodes, columns) of these nodes; column c belongs to seat c mod n.
        takes: (at least length, columns) float64, filled.
        movers: (at least length,) int64, filled with who is to move.

    Returns:
        The length of the auction.
    """
    rules, records, players = walk.rules[0], walk.records, walk.form.num_players
    records[1] = records[0]
    state = records[1]
    _turn_up(rules, state, card)
    length = 0
    while True:
        records[2] = state
        apply(rules, records[2], TAKE)
        movers[length] = state.mover
        for column in range(takes.shape[1]):
            value = _gain(rules, records, utility, column % players) * utility.orders
            if children.size:
                value += child_values[children[at + length], column]
            takes[length, column] = value
        length += 1
        if not is_legal(rules, state, PASS):
            return length
        apply(rules, state, PASS)


@njit
def _gain(rules, records, utility, seat):  # type: ignore[no-untyped-def]
    """What `seat` gains from the node `records[0]` to the state after the take, `records[2]`."""
    gain = 0.0
    for other in range(records[0].num_players):
        change = score(rules, records[2], other) - score(rules, records[0], other)
        gain += utility.weights[seat, other] * change
    if utility.win > 0.0 and records[2].over:
        gain += utility.win * _win_share(rules, records[2], seat)
    return gain


@njit
def _win_share(rules, state, seat):  # type: ignore[no-untyped-def]
    """The share of the win (NT-10)."""
    winners, own = 0, score(rules, state, seat)
    for other in range(state.num_players):
        theirs = score(rules, state, other)
        if theirs < own:
            return 0.0
        winners += theirs == own
    return 1.0 / winners


class Utility(NamedTuple):
    """What players maximise, in units that keep all sums of a solution whole numbers."""

    weights: NDArray[np.float64]  # (n, n): of each seat's score in each seat's utility
    win: float  # what a whole win counts
    unit: float  # how many units make a point, or a win
    orders: float  # orders in which the cards after an auction may come
