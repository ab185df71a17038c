"""Positions of Least Score for tests of scripted players, and what the players do in them."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import numpy as np

from lowhand.engine.kernels_rows import act_rows, apply_rows, deal_rows
from lowhand.engine.scripted import parse_bot
from lowhand.games.least_score import GAME
from lowhand.games.least_score.cards import NO_CARD, RANK_NAMES
from lowhand.games.least_score.deck import State
from lowhand.games.least_score.options import Options
from tests.referee.least_score_sets import DECLARE, SUIT_NAMES, decode, full_deck, parse

MIXED_OPTIONS: list[dict[str, Any]] = [
    {"num_players": 2},
    {"num_players": 4},
    {"num_players": 5, "points_limit": 9, "tie": "wrong"},  # some are out
    {"num_players": 8, "points_limit": None},  # there are reshuffles
    {"num_players": 7, "max_turns": 60, "at_limit": "showdown"},
    {"num_players": 3, "face_values": "pip", "two_pairs": True, "open_card": False},
    {"num_players": 5, "deal_mode": "stable"},
    {"num_players": 2, "sets": (), "declare_limit": 6},
    {"num_players": 3, "ranks": 13, "suits": 2, "hand_size": 5},
    {"num_players": 2, "ranks": 6, "suits": 3, "hand_size": 4, "two_pairs": True},
    {"num_players": 2, "ranks": 11, "suits": 1, "hand_size": 5, "sets": ("run", "flush")},
    {"num_players": 3, "ranks": 4, "suits": 4, "hand_size": 3},
    {"num_players": 2, "ranks": 3, "suits": 1, "hand_size": 1, "open_card": False},
]
LEADERS = ("random", "greedy:1", "tuned:1,1", "caller:2,0,0,5,0,3", "lookahead:2")


@functools.cache
def rules_of(options: Options) -> np.ndarray:
    return options.rules()


def actions(options: Options, states: np.ndarray, name: str) -> list[int]:
    """What the compiled player does in each of the states."""
    out = np.full(len(states), -1, np.int64)
    act_rows(rules_of(options), states, np.arange(len(states)), parse_bot(name, GAME.bots), out)
    return out.tolist()


def dealt(options: Options, keys: np.ndarray) -> np.ndarray:
    states = np.zeros(len(keys), State)
    deal_rows(rules_of(options), states, keys, np.full(len(keys), options.num_players))
    return states


def positions(seed: int, tables: int = 5, looks: int = 7) -> Iterator[tuple[Options, np.ndarray]]:
    """Options and states within a deal, reached by players who seldom declare."""
    rng = np.random.default_rng(seed)
    for numbers in MIXED_OPTIONS:
        options = Options(**numbers)
        rules, states = rules_of(options), dealt(options, rng.integers(0, 2**64, tables, np.uint64))
        for _ in range(looks):
            for _ in range(rng.integers(1, 4 * options.num_players)):
                rows = np.flatnonzero(states["over"] == 0)
                leader = LEADERS[rng.integers(len(LEADERS))]
                made = actions(options, states[rows], leader)
                apply_rows(rules, states, rows, np.array(made, np.int64))
            yield options, states[states["over"] == 0].copy()


def word(cards: str) -> int:
    return sum(1 << card for card in parse(cards))


def position(
    *hands: str,
    floor: str = "10S",
    known: dict[int, str] | None = None,
    buried: str = "",
    rest: str = "deck",
    rounds: int = 1,
    out: int | None = None,
    **numbers: Any,
) -> tuple[Options, np.ndarray]:
    """Seat 0 to move with these hands at the table, all other cards in the deck, or buried."""
    options = Options(num_players=len(hands), **numbers)
    states = dealt(options, np.zeros(1, np.uint64))
    state = states[0]
    state["hands"], state["floor"] = NO_CARD, NO_CARD
    for seat, hand in enumerate(map(parse, hands)):
        state["hands"][seat, : len(hand)], state["sizes"][seat] = sorted(hand), len(hand)
    for seat, cards in (known or {}).items():
        state["known"][seat] = word(cards)
    opened = sorted(parse(floor))
    state["floor"][: len(opened)], state["floor_size"] = opened, len(opened)
    used = {*opened, *parse(buried), *(card for hand in hands for card in parse(hand))}
    others = [card for card in full_deck(options.ranks, options.suits) if card not in used]
    deck = others if rest == "deck" else []
    state["deck"][: len(deck)], state["pile_size"][0] = deck, len(deck)
    state["buried"] = word(buried) | sum(1 << card for card in others if card not in deck)
    state["mover"] = state["starter"] = 0
    state["turn"] = rounds * len(hands)
    if out is not None:
        state["out"][out], state["left"] = 1, len(hands) - 1
        state["turn"] = rounds * (len(hands) - 1)
    return options, states


def name_of(card: int) -> str:
    return RANK_NAMES[card // 4] + SUIT_NAMES[card % 4]


def said(bot: str, options: Options, states: np.ndarray) -> str:
    """What the player does, in words: "declare", or what it discards and what it draws."""
    action = actions(options, states, bot)[0]
    if action == DECLARE:
        return "declare"
    subset, source = decode(action, options.hand_size)
    hand, floor = states["hands"][0, 0].tolist(), states["floor"][0].tolist()
    thrown = [name_of(card) for k, card in enumerate(hand) if subset >> k & 1]
    return " ".join(thrown) + ", " + (name_of(floor[source - 1]) if source else "deck")


FAR = "10H JH QH KH 9H"  # an opponent who has lost no card
