"""From the engine's state of Least Score to the referee's table of the same position."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from lowhand.games.least_score.cards import NUM_CARDS
from lowhand.games.least_score.options import NO_LIMIT, Options
from tests.referee import least_score_options as referee
from tests.referee.least_score import Table
from tests.referee.least_score_memory import Memory


def to_table(options: Options, state: np.record) -> Table:
    """The referee's table of `state`, one element of an array of states.

    `num_players` and the points limit are those of the state: a batch may hold matches of several
    sizes, and single deals among them. The engine deals the next deal at once, so the table is
    within a deal or over, never between two deals. Two things aren't in the state: the order in
    which a reshuffle would come is to be set as `table.reshuffle`, and the mover of a match that
    is over by LS-16 is here who moved last.
    """
    table = Table(to_referee_options(options, state), first_player=int(state["starter"]))
    seats = range(table.num_players)
    out, over = state["out"].tolist(), bool(state["over"])
    table.points = state["points"].tolist()[: table.num_players]
    table.deal_points = state["deal_points"].tolist()[: table.num_players]
    table.out_in = [int(state["out_deal"][seat]) if out[seat] else None for seat in seats]
    table.deals = int(state["deals"])
    table.participants = [s for s in seats if (state["played"][s] if over else not out[s])]
    table.mover, table.in_deal, table.over = int(state["mover"]), not over, over
    table.truncated = bool(state["truncated"])
    table.turns = turns_made(table.participants, table.starter, int(state["turn"]), len(seats))
    if over and state["declarer"] in seats:
        table.declarer = int(state["declarer"])
    table.hands = [state["hands"][s, : state["sizes"][s]].tolist() for s in seats]
    table.floor = state["floor"][: state["floor_size"]].tolist()
    table.buried = cards_of(state["buried"])
    table.piles = [pile(state, s) for s in (seats if options.deal_mode == "stable" else [0])]
    table.memory = to_memory(table, state)
    return table


def to_referee_options(options: Options, state: np.record) -> referee.Options:
    """Those of the match in `state`; its first player is the `starter` of the table."""
    chosen = asdict(options)
    del chosen["single_deals"]
    single = state["limit"] == NO_LIMIT
    return referee.Options(
        **chosen
        | {
            "num_players": int(state["num_players"]),
            "points_limit": None if single else options.points_limit,
            "first_player": "random",
        }
    )


def turns_made(participants: list[int], starter: int, turn: int, num_players: int) -> list[int]:
    """Turns of each seat after `turn` turns of all in order of play, from the starter on."""
    order = sorted(participants, key=lambda seat: (seat - starter) % num_players)
    made = [0] * num_players
    for place, seat in enumerate(order):
        made[seat] = turn // len(order) + (place < turn % len(order))
    return made


def pile(state: np.record, number: int) -> list[int]:
    """A pile of the closed deck, top card first: the engine's next card is the last."""
    start, size = int(state["pile_start"][number]), int(state["pile_size"][number])
    return [int(card) for card in state["deck"][start : start + size][::-1]]


def cards_of(word: np.uint64) -> list[int]:
    """The cards of a word of the engine, sorted."""
    return [card for card in range(NUM_CARDS) if int(word) >> card & 1]


def to_memory(table: Table, state: np.record) -> Memory:
    """What the engine keeps of the public memory (LS-18).

    The referee also keeps which cards were in the deck at a reshuffle. The engine needn't: while
    any card must be in a hand, these are all others without a place. When there is none any
    more, nothing distinguishes it from the time before the first reshuffle, and nothing that
    follows depends on it.
    """
    memory = Memory(table.num_players)
    memory.picked = [set(cards_of(state["known"][seat])) for seat in range(table.num_players)]
    memory.in_hands = set(cards_of(state["held"]))
    if memory.in_hands:
        public = {*table.floor, *table.buried}.union(*memory.picked, memory.in_hands)
        memory.reshuffled = set(table.deck_cards) - public
    return memory
