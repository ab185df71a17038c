"""Two-player No Thanks! for the score difference, solved a second time and otherwise.

The game is then zero-sum and has one value (Shapley, "Stochastic games", 1953), so that a plain
depth-first minimax must find what backward induction finds. It shares nothing with that but the
rules: it goes from state to state, keeps all owned cards, breaks no ties, and averages over the
next card instead of counting orders.
"""

import numpy as np
from numba import types
from numba.typed import Dict

from lowhand._jit import njit
from lowhand.game import apply, deal, is_legal, score
from lowhand.no_thanks.chance import turn_first, turn_next, unturned
from lowhand.no_thanks.rules import PASS, TAKE, Options, State, bit, holds

_CHIP_BITS, _CARD_BITS = 9, 6
_KEY_BITS = 64


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
    return float(_start_value(rules[0], states, known))


@njit
def _start_value(rules, states, known):  # type: ignore[no-untyped-def]
    """The mean over the first card."""
    cards, total = unturned(rules, states[0]) | bit(states[0].offered), 0.0
    for card in range(rules.low, rules.low + rules.num_cards):
        if holds(cards, card):
            states[1] = states[0]
            turn_first(rules, states[1], card)
            total += _value(rules, states, 1, known)
    return total / rules.num_cards


@njit
def _value(rules, states, depth, known):  # type: ignore[no-untyped-def]
    """The value of `states[depth]` to seat 0; `states` behind it are room to work in."""
    state = states[depth]
    if state.over:
        return score(rules, state, 1) - score(rules, state, 0)
    key = _key(rules, state)
    if key in known:
        return known[key]
    value = _take_value(rules, states, depth, known)
    if is_legal(rules, state, PASS):
        states[depth + 1] = state
        apply(rules, states[depth + 1], PASS)
        passed = _value(rules, states, depth + 1, known)
        value = max(value, passed) if state.mover == 0 else min(value, passed)
    known[key] = value
    return value


@njit
def _take_value(rules, states, depth, known):  # type: ignore[no-untyped-def]
    """The mean over the cards that a take may turn up; the last take turns up none."""
    state = states[depth]
    if state.turned == rules.num_turned:
        states[depth + 1] = state
        apply(rules, states[depth + 1], TAKE)
        return _value(rules, states, depth + 1, known)
    cards, total, count = unturned(rules, state), 0.0, 0
    for card in range(rules.low, rules.low + rules.num_cards):
        if holds(cards, card):
            states[depth + 1] = state
            turn_next(rules, states[depth + 1], card)
            apply(rules, states[depth + 1], TAKE)
            total += _value(rules, states, depth + 1, known)
            count += 1
    return total / count


@njit
def _key(rules, state):  # type: ignore[no-untyped-def]
    """Cards and chips of both, the card on offer and the mover; the pot follows from the chips."""
    key, low = np.uint64(0), np.uint64(rules.low)
    for seat in range(2):
        key = (key << np.uint64(rules.num_cards)) | (state.cards[seat] >> low)
        key = (key << np.uint64(_CHIP_BITS)) | np.uint64(state.chips[seat])
    key = (key << np.uint64(_CARD_BITS)) | np.uint64(state.offered)
    return (key << np.uint64(1)) | np.uint64(state.mover)
