"""Two-player No Thanks! for the score difference, solved a second time and otherwise.

The game is then zero-sum and has one value (Shapley, "Stochastic games", 1953), so that a plain
depth-first minimax must find what backward induction finds. It shares nothing with that but the
rules: it goes from state to state, keeps all owned cards, breaks no ties, and averages over the
next card instead of counting orders.
"""

import numpy as np
from numba import types
from numba.typed import Dict

from lowhand.engine.bitset import bit, holds
from lowhand.engine.game import apply, deal, is_legal, score
from lowhand.engine.jit import njit
from lowhand.games.no_thanks.hidden import turn_first, turn_next, unturned
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import NO_CARD, PASS, TAKE, State

_CHIP_BITS, _CARD_BITS = 9, 6
_KEY_BITS = 64

_Frame = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("cards", np.uint64),  # that a take may turn up, and that were not looked at yet
                ("total", np.float64),  # value of taking, summed over those that were
                ("outcomes", np.int64),  # their number
                ("after_pass", np.float64),
                ("passed", np.bool_),  # whether the pass was looked at
            ],
            align=True,
        ),
    )
)
"""A state on the way down: what is known of its two actions."""


def minimax_value(options: Options) -> float:
    """How many points seat 0 is ahead at the end if both play for the difference of scores.

    Raises:
        ValueError: there are not two players, the starting seat is not fixed, or the game is too
            large.
    """
    if options.num_players != 2 or options.first_player == "random":
        raise ValueError("minimax is for two players and a given first_player.")
    rules = options.rules()
    chips, turned = int(rules["chips"][0, 2]), int(rules["num_turned"][0])
    if 2 * options.num_cards + 2 * _CHIP_BITS + _CARD_BITS + 1 > _KEY_BITS:
        raise ValueError(f"{options.num_cards} cards are too many for minimax.")
    # On the way to the end, each auction has at most a pass for each chip, and a take.
    states = np.zeros(turned * (2 * chips + 1) + 2, State)
    deal(rules[0], states[0], np.uint64(0), 2)
    known = Dict.empty(types.uint64, types.float64)
    return float(_start_value(rules[0], states, np.zeros(states.size, _Frame), known))


@njit
def _start_value(rules, states, frames, known):  # type: ignore[no-untyped-def]
    """The mean over the first card."""
    cards, total = unturned(rules, states[0]) | bit(states[0].offered), 0.0
    for card in range(rules.low, rules.low + rules.num_cards):
        if holds(cards, card):
            states[1] = states[0]
            turn_first(rules, states[1], card)
            total += _value(rules, states, frames, known)
    return total / rules.num_cards


@njit
def _value(rules, states, frames, known):  # type: ignore[no-untyped-def]
    """The value of `states[1]` to seat 0; states and frames behind it are room to work in.

    Depth first with a stack of its own: Numba can't load compiled recursion from its cache.
    """
    depth = 1
    _open(rules, states[1], frames[1])
    while True:
        state, frame, after = states[depth], frames[depth], states[depth + 1]
        if frame.cards == 0 and (frame.passed or not is_legal(rules, state, PASS)):
            value = _settled(state, frame)
            known[_key(rules, state)] = value
            depth -= 1
            if depth == 0:
                return value
            _credit(frames[depth], value)
            continue
        states[depth + 1] = state
        if frame.cards:
            turn_next(rules, after, _pop(frame))
            apply(rules, after, TAKE)
        else:
            frame.passed = True
            apply(rules, after, PASS)
        if after.over:
            _credit(frame, score(rules, after, 1) - score(rules, after, 0))
        elif _key(rules, after) in known:
            _credit(frame, known[_key(rules, after)])
        else:
            depth += 1
            _open(rules, after, frames[depth])


@njit
def _open(rules, state, frame):  # type: ignore[no-untyped-def]
    """Begin with a state: a take may turn up any unseen card, and the last one none."""
    last = state.turned == rules.num_turned
    frame.cards = bit(NO_CARD) if last else unturned(rules, state)
    frame.total, frame.outcomes, frame.passed = 0.0, 0, False


@njit
def _pop(frame):  # type: ignore[no-untyped-def]
    """The next of the frame's cards, which is taken from it."""
    card = 0
    while not holds(frame.cards, card):
        card += 1
    frame.cards ^= bit(card)
    return card


@njit
def _credit(frame, value):  # type: ignore[no-untyped-def]
    """Enter the value of the state after the pass, or after the take by one of the cards."""
    if frame.passed:
        frame.after_pass = value
    else:
        frame.total += value
        frame.outcomes += 1


@njit
def _settled(state, frame):  # type: ignore[no-untyped-def]
    """The value of a state all of whose successors are known."""
    take = frame.total / frame.outcomes
    if not frame.passed:
        return take
    if state.mover == 0:
        return max(take, frame.after_pass)
    return min(take, frame.after_pass)


@njit
def _key(rules, state):  # type: ignore[no-untyped-def]
    """Cards and chips of both, the card on offer and the mover; the pot follows from the chips."""
    key, low = np.uint64(0), np.uint64(rules.low)
    for seat in range(2):
        key = (key << np.uint64(rules.num_cards)) | (state.cards[seat] >> low)
        key = (key << np.uint64(_CHIP_BITS)) | np.uint64(state.chips[seat])
    key = (key << np.uint64(_CARD_BITS)) | np.uint64(state.offered)
    return (key << np.uint64(1)) | np.uint64(state.mover)
