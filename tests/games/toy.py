"""A small game made of the contract alone, in which tests replace one function by a wrong one.

Each player is dealt one of the cards 1 to 9 and may swap it once for the next of the deck. The
lowest card wins.
"""

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowhand.engine import game
from lowhand.engine.observation import Field, ObservationSpec
from lowhand.engine.records import SHARED_FIELDS, record
from lowhand.engine.rng import SEARCH_STREAM, random_below, shuffle, substream
from lowhand.engine.scripted import BotKind

CARDS, SEATS = 9, 4
KEEP, SWAP = 0, 1

FIELDS: dict[str, Any] = {
    **SHARED_FIELDS,
    "deck": (np.int8, (CARDS,)),
    "place": (np.int8, (SEATS,)),  # where in the deck each player's card is
    "swaps": np.int8,
}

_numbers = itertools.count()


def deal(rules, state, key, num_players):
    state.key, state.num_players = key, num_players
    state.moves = state.over = state.swaps = 0
    for i in range(CARDS):
        state.deck[i] = i + 1
    counter = shuffle(state.deck, 0, CARDS, CARDS, key, np.uint64(0))
    first, counter = random_below(key, counter, np.uint64(num_players))
    state.mover = first
    for seat in range(SEATS):
        state.place[seat] = seat


def apply(rules, state, action):
    if action == SWAP:
        state.place[state.mover] = state.num_players + state.swaps
        state.swaps += 1
    state.moves += 1
    state.over = state.moves == state.num_players
    if not state.over:
        state.mover = (state.mover + 1) % state.num_players


def is_legal(rules, state, action):
    return KEEP <= action <= SWAP


def write_mask(rules, state, out, row):
    out[row, KEEP] = out[row, SWAP] = 1


def card(state, seat):
    return np.int64(state.deck[state.place[seat]])


def observe(rules, layout, state, seat, out, row):
    out[row, layout.card] = state.deck[state.place[seat]] / CARDS
    for k in range(layout.seats):
        out[row, layout.present + k] = k < state.num_players


def score(rules, state, seat):
    return np.float64(state.deck[state.place[seat]])


def act(rules, state, bot, dice):
    return KEEP if state.deck[state.place[state.mover]] <= bot.params[0] else SWAP


def resample_hidden(rules, state, seat, recall, key):
    """Shuffle all cards but that of `seat`, those that were swapped too."""
    state.key = substream(key, SEARCH_STREAM)
    mine = np.int64(state.deck[state.place[seat]])
    others, count = np.empty(CARDS, np.int8), 0
    for i in range(CARDS):
        if i + 1 != mine:
            others[count] = i + 1
            count += 1
    shuffle(others, 0, count, count, state.key, np.uint64(0))
    count = 0
    for i in range(CARDS):
        if i != state.place[seat]:
            state.deck[i] = others[count]
            count += 1


RULES = (deal, apply, is_legal, write_mask, observe, score, act, resample_hidden)


def observation(options: Any, recall: bool, seats: int) -> ObservationSpec:
    fields = [
        Field("card", (1,), "the player's card / 9"),
        Field("present", (seats,), "1 for each seat that has a player"),
    ]
    return ObservationSpec(fields, perfect_recall=recall, seats=seats)


def toy(**changes: Any) -> game.Game:
    """The game, with some rule functions (None: not registered) or fields of `Game` replaced."""
    # A wrong game is of another type than the right one, and so never meets its compiled kernels.
    rules_dtype = record(**{f"toy_{next(_numbers)}" if changes else "toy": np.int64})
    rules = {function.__name__: function for function in RULES}
    for name in game.RULES_FUNCTIONS:
        function = changes.pop(name, rules.get(name))
        if function is not None:
            game.RULES_FUNCTIONS[name].register(rules_dtype)(function)

    @dataclass(frozen=True)
    class Options:
        num_players: int = 3

        def rules(self) -> np.ndarray:
            return np.zeros(1, rules_dtype)

    fields: dict[str, Any] = {
        "name": "toy",
        "state": record(**FIELDS),
        "options": Options,
        "min_players": 2,
        "max_players": SEATS,
        "num_actions": lambda options: 2,
        "observation": observation,
        "bots": {"greedy": BotKind(0, ("T",), (4.0,)), "keeper": BotKind(0, (), (9.0,))},
    }
    return game.Game(**fields | changes)
