"""The walk over the tree of one deal, by the engine's own rules, and the arrays that it fills."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.bitset import bit, count, lowest
from lowhand.engine.game import apply, write_mask
from lowhand.engine.jit import njit
from lowhand.engine.records import record
from lowhand.games.least_score.actions import DECLARE, num_actions, split_action
from lowhand.games.least_score.bots.measures import of_rank
from lowhand.games.least_score.deck import State, hand_out
from lowhand.games.least_score.hidden import drawable, put_on_top
from lowhand.games.least_score.options import Options
from lowhand_training.solve.least_score.seen import deal_seen, draw_seen, move_seen

_ONE = np.uint64(1)
_HASH = np.uint64(0x9E3779B97F4A7C15)
_INFOSETS, _SEQUENCES, _ENDS, _NODES, FULL = range(5)
_NO_DRAW = bit(63)
"""The cards that may be drawn, if a move draws none."""

_Frame = record(
    weight=np.float64,  # probability of chance up to here
    cards=np.uint64,  # that the present choice may still draw
    total=np.int64,  # cards that it might have drawn
    sequence=np.int32,  # the present choice
    last=np.int32,  # the last one
    ended=np.int8,  # 1: the present choice ends the deal
)
"""A decision that the walk is in."""


class Tree(NamedTuple):
    """Arrays that the walk fills, and its stack; see `new_tree` for shapes."""

    counts: NDArray[np.int64]
    table: NDArray[np.int32]  # hash table: number of an information set + 1, or 0
    keys: NDArray[np.uint64]  # by information set: the sequence before it and what was seen since
    player: NDArray[np.int8]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    records: np.ndarray  # by information set: one position in it
    actions: NDArray[np.int16]  # by sequence: the engine's action that ends it
    ends: NDArray[np.int32]  # (ends, players): sequences
    payoffs: NDArray[np.float64]  # (ends, players): times the probability of chance
    frames: np.ndarray  # from here on by depth
    states: np.ndarray
    sequences: NDArray[np.int32]
    seen: NDArray[np.uint64]
    mask: NDArray[np.int8]
    pay: NDArray[np.float64]


def new_tree(options: Options, room: int) -> Tree:
    """An empty tree with room for that many information sets, and eight times as many ends."""
    players, depth = options.num_players, int(options.rules()["max_turns"][0].max()) + 2
    slots = 1 << (2 * room - 1).bit_length()
    return Tree(
        counts=np.array([0, players, 0, 1, 0], np.int64),  # sequences 0, 1, … are empty ones
        table=np.zeros(slots, np.int32),
        keys=np.empty((room, players + 1), np.uint64),
        player=np.empty(room, np.int8),
        parent=np.empty(room, np.int32),
        first=np.empty(room + 1, np.int32),
        records=np.empty(room, State),
        actions=np.empty(8 * room, np.int16),
        ends=np.empty((8 * room, players), np.int32),
        payoffs=np.empty((8 * room, players), np.float64),
        frames=np.zeros(depth, _Frame),
        states=np.zeros(depth, State),
        sequences=np.zeros((depth, players), np.int32),
        seen=np.zeros((depth, players, players), np.uint64),
        mask=np.zeros((depth, num_actions(options.hand_size)), np.int8),
        pay=np.zeros((depth, players), np.float64),
    )


@njit
def _slot(tree, key):  # type: ignore[no-untyped-def]
    """Where the hash table holds `key`, or the free place where it belongs."""
    number = np.uint64(0)
    for k in range(key.size):
        number = (number ^ key[k]) * _HASH
        number ^= number >> np.uint64(29)
    last = np.uint64(tree.table.size - 1)
    place = number & last
    while tree.table[place] != 0:
        infoset, same = tree.table[place] - 1, True
        for k in range(key.size):
            same = same and tree.keys[infoset, k] == key[k]
        if same:
            break
        place = (place + _ONE) & last
    return place


@njit
def _infoset(rules, tree, depth, keep_suits):  # type: ignore[no-untyped-def]
    """The information set of the decision at this depth, made if it is new; −1 without room."""
    state = tree.states[depth]
    seat = np.int64(state.mover)
    number = tree.counts[_INFOSETS]
    if number >= tree.player.size or tree.counts[_SEQUENCES] + 200 > tree.actions.size:
        tree.counts[FULL] = 1
        return -1
    key = tree.keys[number]  # written where it stays, should it be new
    key[0] = tree.sequences[depth, seat]
    key[1:] = tree.seen[depth, seat]
    place = _slot(tree, key)
    if tree.table[place] != 0:
        return tree.table[place] - 1
    tree.table[place] = number + 1
    tree.player[number] = seat
    tree.parent[number] = tree.sequences[depth, seat]
    tree.first[number] = tree.counts[_SEQUENCES]
    tree.records[number] = state
    _list_actions(rules, tree, depth, keep_suits)
    tree.counts[_INFOSETS] += 1
    tree.first[number + 1] = tree.counts[_SEQUENCES]
    return number


@njit
def _list_actions(rules, tree, depth, keep_suits):  # type: ignore[no-untyped-def]
    """Append a sequence for each legal action; of actions that all see alike, the lowest."""
    state = tree.states[depth]
    write_mask(rules, state, tree.mask, depth)
    start = tree.counts[_SEQUENCES]
    for action in range(tree.mask.shape[1]):
        new = tree.mask[depth, action] != 0
        if new and action != DECLARE:
            seen = move_seen(rules, state, action, keep_suits)
            for other in tree.actions[start : tree.counts[_SEQUENCES]]:
                if other != DECLARE and move_seen(rules, state, other, keep_suits) == seen:
                    new = False
        if new:
            tree.actions[tree.counts[_SEQUENCES]] = action
            tree.counts[_SEQUENCES] += 1


@njit
def _enter(rules, tree, depth, weight, keep_suits):  # type: ignore[no-untyped-def]
    """Come to the decision at this depth, whose chance has probability `weight`."""
    infoset, frame = _infoset(rules, tree, depth, keep_suits), tree.frames[depth]
    tree.counts[_NODES] += 1
    frame.weight, frame.cards, frame.ended = weight, 0, 0
    if infoset >= 0:
        frame.sequence, frame.last = tree.first[infoset] - 1, tree.first[infoset + 1] - 1


@njit
def _next_choice(rules, tree, depth):  # type: ignore[no-untyped-def]
    """Go on to the next choice at this depth; False where there is no other."""
    frame, state = tree.frames[depth], tree.states[depth]
    if frame.ended:
        _end(tree, depth, np.int64(state.mover), frame.sequence)
    if frame.sequence == frame.last:
        return False
    frame.sequence += 1
    frame.cards, frame.total, frame.ended = _NO_DRAW, 1, 0
    tree.pay[depth, :] = 0.0
    action = np.int64(tree.actions[frame.sequence])
    if action != DECLARE and split_action(action, rules.hand_size)[1] == 0:
        tree.counts[_NODES] += 1  # of chance
        frame.cards = drawable(rules, state)
        frame.total = count(frame.cards)
    return True


@njit
def _follow(rules, tree, depth, keep_suits):  # type: ignore[no-untyped-def]
    """Make the move of the present choice, with the next card that it may draw.

    Returns:
        The probability of chance at the decision below, or 0 if the deal has ended.
    """
    frame = tree.frames[depth]
    card = np.int64(lowest(frame.cards))
    alike = bit(card)
    if frame.cards != _NO_DRAW and not keep_suits:
        alike = frame.cards & of_rank(np.uint64(card >> 2))
    weight = frame.weight * count(alike) / frame.total
    tree.states[depth + 1] = tree.states[depth]
    state, action = tree.states[depth + 1], np.int64(tree.actions[frame.sequence])
    drawn = seen = np.uint64(0)
    if frame.cards != _NO_DRAW:
        put_on_top(rules, state, card)
        drawn = draw_seen(card, keep_suits)
    if action != DECLARE:
        seen = move_seen(rules, state, action, keep_suits)
    frame.cards &= ~alike
    seat = np.int64(state.mover)
    apply(rules, state, action)
    if not state.over:
        _see(tree, depth, seat, seen, drawn)
        return weight
    tree.counts[_NODES] += 1
    frame.ended = 1
    players, total = tree.pay.shape[1], 0.0
    for player in range(players):
        total += state.points[player]
    for player in range(players):
        own = np.float64(state.points[player])
        tree.pay[depth, player] += weight * ((total - own) / (players - 1) - own)
    return 0.0


@njit
def _see(tree, depth, seat, seen, drawn):  # type: ignore[no-untyped-def]
    """Write what all players know one move later: all the move, its player the card drawn."""
    players = tree.seen.shape[1]
    tree.sequences[depth + 1] = tree.sequences[depth]
    tree.seen[depth + 1] = tree.seen[depth]
    for player in range(players):
        tree.seen[depth + 1, player, (seat - player) % players] = seen
    tree.sequences[depth + 1, seat] = tree.frames[depth].sequence
    tree.seen[depth + 1, seat, :] = np.uint64(0)
    tree.seen[depth + 1, seat, 0] = drawn


@njit
def _end(tree, depth, seat, sequence):  # type: ignore[no-untyped-def]
    """Write down an end of the deal; draws after which no player acts are one end."""
    end = tree.counts[_ENDS]
    if end >= tree.ends.shape[0]:
        tree.counts[FULL] = 1
        return
    tree.ends[end] = tree.sequences[depth]
    tree.payoffs[end] = tree.pay[depth]
    tree.ends[end, seat] = sequence
    tree.counts[_ENDS] += 1


@njit
def _walk_deal(rules, tree, weight, keep_suits):  # type: ignore[no-untyped-def]
    """Walk the tree below the deal at depth 0, the deepest first.

    Without recursion: functions that call themselves don't come back whole from Numba's cache.
    """
    depth = 0
    _enter(rules, tree, 0, weight, keep_suits)
    while depth >= 0 and tree.counts[FULL] == 0:
        if tree.frames[depth].cards == 0 and not _next_choice(rules, tree, depth):
            depth -= 1
            continue
        below = _follow(rules, tree, depth, keep_suits)
        if below > 0.0:
            depth += 1
            _enter(rules, tree, depth, below, keep_suits)


@njit
def walk(rules, tree, start, decks, weights, keep_suits):  # type: ignore[no-untyped-def]
    """Walk the tree below all deals; `start` holds a record of a game that begins."""
    players = tree.seen.shape[1]
    for k in range(weights.size):
        tree.states[0] = start[0]
        state = tree.states[0]
        for place in range(decks.shape[1]):
            state.deck[place] = decks[k, place]
        hand_out(rules, state)
        for player in range(players):
            tree.sequences[0, player] = player
            tree.seen[0, player, :] = np.uint64(0)
            tree.seen[0, player, 0] = deal_seen(state, player, keep_suits)
        _walk_deal(rules, tree, weights[k], keep_suits)
        if tree.counts[FULL] != 0:
            return
