"""The compiled loop of a batch: step every game, play the other seats, deal after an end.

Each loop takes `Tables`, the arrays of a batch, and calls the generic functions of
`lowhand.engine.game`. Loops pass `(buffer, row)` and never a slice: slices of arrays cost
reference counting, several times the work itself.
"""

from typing import NamedTuple

import numpy as np

from lowhand.engine.game import (
    MAX_SEATS,
    apply,
    deal,
    emits_reward,
    observe,
    ranking_score,
    score,
    write_mask,
)
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import scripted_action
from lowhand.engine.records import record
from lowhand.engine.rewards import pay
from lowhand.engine.rng import SEAT_STREAM, game_key, random_below, substream

YOURS = -1
"""Seat value: the caller of `step` decides here. Values ≥ 0 index the scripted players, and values
≤ `FIRST_AGENT` are agents that Python asks: agent k has `FIRST_AGENT - k`."""
FIRST_AGENT = -2

FORFEIT = -1
"""The action, of `apply_agent_actions` alone, by which a game ends without rewards."""

MAX_GAMES_WITHOUT_A_MOVE = 1000
"""Games in a row that the other seats may end before one of yours has a move."""

Table = record(
    episode=np.uint64,  # number of the running game
    seats=(np.int32, (MAX_SEATS,)),  # who decides at each seat of the running game
    num_players=np.int64,
    next_seats=(np.int32, (MAX_SEATS,)),  # the same for the game dealt next
    starved=np.bool_,  # yours had no move in MAX_GAMES_WITHOUT_A_MOVE games
    rotates=np.bool_,  # each game turns `next_seats` as its key fixes
    reseats=np.bool_,  # the next game has other seats than the running one
    rewards=(np.float32, (MAX_SEATS,)),  # what this step earned each seat
    pending_rewards=(np.float32, (MAX_SEATS,)),  # earned in the game that it dealt
    is_pending=np.bool_,  # whether some of that may differ from 0
    final_scores=(np.float64, (MAX_SEATS,)),  # of the last game that ended
    final_ranking_scores=(np.float64, (MAX_SEATS,)),  # the same, as they rank
)
"""What a batch keeps of each table in addition to the game's state."""


class Tables(NamedTuple):
    """The arrays of a batch of N games, as compiled loops take them."""

    rules: np.ndarray  # (1,) Rules
    layout: np.ndarray  # (1,) layout record of the observation
    bots: np.ndarray  # (B,) Bot, the scripted players that seats refer to
    weights: np.ndarray  # (4,) float64, of the reward
    states: np.ndarray  # (N,) State
    tables: np.ndarray  # (N,) Table; a step touches it only where a game ends or bots sit
    done: np.ndarray  # (N,) bool, a game ended in this step
    paid: np.ndarray  # (N,) bool, somebody was paid in this step
    rewards: np.ndarray  # (N, MAX_SEATS) float32, the field of `tables`
    pending_rewards: np.ndarray  # (N, MAX_SEATS) float32, the field of `tables`
    final_states: np.ndarray  # (N,) State, the last game that ended; (0,): not kept
    observation: np.ndarray  # (N, size) float32, what the mover sees
    action_mask: np.ndarray  # (N, actions) int8


@njit
def _deal_next(rules, state, table, seed, i):  # type: ignore[no-untyped-def]
    """Deal the next game at table i, to `next_seats`."""
    key = game_key(seed, np.uint64(i), table.episode)
    if table.reseats:
        seat = drawn_seat(key, table.num_players) if table.rotates else 0
        for place in range(table.num_players):
            table.seats[seat] = table.next_seats[place]
            seat = seat + 1 if seat + 1 < table.num_players else 0
        table.reseats = table.rotates
    deal(rules, state, key, table.num_players)


@njit
def drawn_seat(key, num_players):  # type: ignore[no-untyped-def]
    """The seat that the game of `key` draws for the first entry of a seating that rotates."""
    seat, _ = random_below(substream(key, SEAT_STREAM), np.uint64(0), np.uint64(num_players))
    return np.int64(seat)


@njit
def _advance_scripted_seats(  # type: ignore[no-untyped-def]
    rules, bots, weights, state, table, seed, i, done, paid, rewards, pending, final_states
):
    """Pay rewards, play the scripted seats, and deal after an end, until another seat moves.

    Only the first end of a step is recorded: a game that is dealt in this step and that
    scripted players end at once would overwrite the result that counts. Rewards in that game
    are pending until the next step. If no other seat gets a move in
    `MAX_GAMES_WITHOUT_A_MOVE` games, the loop stops and sets `starved`.
    """
    deals = 0
    while True:
        if emits_reward(rules, state):
            pay(rules, state, weights, pending if done[i] else rewards, i)
            paid[i] = True
            table.is_pending = done[i]
        if state.over:
            deals += 1
            if deals > MAX_GAMES_WITHOUT_A_MOVE:
                table.starved = True
                return
            _record_and_deal(rules, state, table, seed, i, done, paid, final_states)
        policy = table.seats[state.mover]
        if policy < 0:
            return
        apply(rules, state, scripted_action(rules, state, bots[policy]))


@njit
def _record_and_deal(  # type: ignore[no-untyped-def]
    rules, state, table, seed, i, done, paid, final_states
):
    """Record the game that has ended, unless this step has recorded one, and deal the next."""
    if not done[i]:
        for seat in range(state.num_players):
            table.final_scores[seat] = score(rules, state, seat)
            table.final_ranking_scores[seat] = ranking_score(rules, state, seat)
        if final_states.size:
            final_states[i] = state
        done[i] = paid[i] = True
    if table.is_pending:  # in a game that others have ended meanwhile
        table.is_pending = False
        for seat in range(MAX_SEATS):
            table.pending_rewards[seat] = 0.0
    table.episode += np.uint64(1)
    _deal_next(rules, state, table, seed, i)


@njit
def _clear(table, i, done, paid):  # type: ignore[no-untyped-def]
    """Clear what the last step reported; rewards already earned in the next game stay."""
    done[i] = paid[i] = False
    for seat in range(MAX_SEATS):
        table.rewards[seat] = 0.0
    if table.is_pending:
        table.is_pending, paid[i] = False, True
        for seat in range(MAX_SEATS):
            table.rewards[seat] = table.pending_rewards[seat]
            table.pending_rewards[seat] = 0.0


# Reading an array out of `Tables` counts a reference, which costs more than a move of a game. So
# the loops below unpack it before they loop, and what they call takes records, which cost nothing.
# Tables are numbered by unsigned integers: an index that might be negative costs a test each time.


@njit
def reset_tables(t, seed, start, stop, observing):  # type: ignore[no-untyped-def]
    """Deal game 0 of each table in start…stop−1 and play its scripted seats."""
    rules, bots, weights, states, tables = t.rules[0], t.bots, t.weights, t.states, t.tables
    done, paid, rewards, pending, final_states = (
        t.done, t.paid, t.rewards, t.pending_rewards, t.final_states
    )  # fmt: skip
    for i in range(np.uint64(start), np.uint64(stop)):
        state, table = states[i], tables[i]
        table.episode = np.uint64(0)
        done[i] = paid[i] = False
        table.is_pending = False
        for seat in range(MAX_SEATS):
            table.rewards[seat] = table.pending_rewards[seat] = 0.0
        _deal_next(rules, state, table, seed, i)
        _advance_scripted_seats(
            rules, bots, weights, state, table, seed, i, done, paid, rewards, pending, final_states
        )
    write_observations(t, start, stop, observing)


@njit
def begin_tables(t):  # type: ignore[no-untyped-def]
    """Finish a reset: nothing has ended, and rewards of other seats are pending until step 1."""
    done, paid, tables = t.done, t.paid, t.tables
    for i in range(np.uint64(tables.size)):
        table = tables[i]
        if paid[i] and not done[i]:
            table.is_pending = True
            for seat in range(MAX_SEATS):
                table.pending_rewards[seat] = table.rewards[seat]
        for seat in range(MAX_SEATS):
            table.rewards[seat] = 0.0
        done[i], paid[i] = False, True


@njit
def step_tables(t, seed, actions, start, stop, observing):  # type: ignore[no-untyped-def]
    """Play the legal `actions[i]`, then the scripted seats, at each table in start…stop−1."""
    rules, layout, bots, weights = t.rules[0], t.layout[0], t.bots, t.weights
    states, tables, rewards, pending = t.states, t.tables, t.rewards, t.pending_rewards
    observation, action_mask, final_states = t.observation, t.action_mask, t.final_states
    done, paid, scripted = t.done, t.paid, bots.size > 0
    for i in range(np.uint64(start), np.uint64(stop)):
        state = states[i]
        if paid[i]:
            _clear(tables[i], i, done, paid)
        apply(rules, state, actions[i])
        if emits_reward(rules, state) or (
            scripted and tables[i].seats[np.uint64(state.mover)] >= 0
        ):
            _advance_scripted_seats(
                rules, bots, weights, state, tables[i], seed, i, done, paid, rewards, pending,
                final_states,
            )  # fmt: skip
        write_mask(rules, state, action_mask, i)
        if observing:
            observe(rules, layout, state, state.mover, observation, i)


@njit
def clear_tables(t):  # type: ignore[no-untyped-def]
    """Clear what the last step reported, before a step that `step_tables` does not play."""
    for i in range(np.uint64(t.tables.size)):
        if t.paid[i]:
            _clear(t.tables[i], i, t.done, t.paid)


@njit
def apply_agent_actions(t, seed, rows, actions, observing):  # type: ignore[no-untyped-def]
    """Within a step: play the agents' `actions[k]`, then scripted seats, at table `rows[k]`.

    `FORFEIT` ends the game without rewards.
    """
    rules, bots, weights, states, tables = t.rules[0], t.bots, t.weights, t.states, t.tables
    done, paid, rewards, pending, final_states = (
        t.done, t.paid, t.rewards, t.pending_rewards, t.final_states
    )  # fmt: skip
    for k in range(rows.size):
        i = np.uint64(rows[k])
        state, table = states[i], tables[i]
        if actions[k] == FORFEIT:
            state.over = 1
            _record_and_deal(rules, state, table, seed, i, done, paid, final_states)
        else:
            apply(rules, state, actions[k])
        _advance_scripted_seats(
            rules, bots, weights, state, table, seed, i, done, paid, rewards, pending, final_states
        )
        write_observations(t, i, i + np.uint64(1), observing)


@njit
def write_observations(t, start, stop, observing):  # type: ignore[no-untyped-def]
    """Write the observation and the action mask of each table in start…stop−1."""
    rules, layout, states = t.rules[0], t.layout[0], t.states
    observation, action_mask = t.observation, t.action_mask
    for i in range(np.uint64(start), np.uint64(stop)):
        state = states[i]
        write_mask(rules, state, action_mask, i)
        if observing:
            observe(rules, layout, state, state.mover, observation, i)
