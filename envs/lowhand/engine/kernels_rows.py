"""Compiled loops over tables, for every game: stepping, scripted play, observing.

Each loop takes `Tables`, the arrays of a batch, and calls the generic functions of
`lowhand.engine.game`. Loops hand over `(buffer, row)` and never a slice: slices of arrays cost
reference counting, several times the work itself.
"""

from typing import NamedTuple

import numpy as np

from lowhand.engine.game import (
    act,
    apply,
    deal,
    is_legal,
    observe,
    pays,
    resample_hidden,
    score,
    standing,
    write_mask,
)
from lowhand.engine.jit import njit
from lowhand.engine.rewards import pay
from lowhand.engine.rng import (
    POLICY_STREAM,
    SEAT_STREAM,
    game_key,
    random_below,
    random_bits,
    substream,
    uniform,
)

YOURS = -1
"""Seat value: whoever steps the batch decides here. Values ≥ 0 index the scripted players,
values ≤ `FIRST_AGENT` are agents that Python asks: agent k has `FIRST_AGENT - k`."""
FIRST_AGENT = -2


MAX_SEATS = 8
MAX_DEALS = 1000
"""Games in a row that others may end before anybody outside has moved."""

Table = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("episode", np.uint64),  # number of the running game
                ("seats", np.int32, (MAX_SEATS,)),  # who decides at each seat of the running game
                ("num_players", np.int64),
                ("next_seats", np.int32, (MAX_SEATS,)),  # the same for the game dealt next
                ("stuck", np.bool_),  # nobody outside had a move in MAX_DEALS games in a row
                ("rotates", np.bool_),  # each game turns `next_seats` as its key fixes
                ("reseats", np.bool_),  # the next game has other seats than the running one
                ("rewards", np.float32, (MAX_SEATS,)),  # what this step earned each seat
                ("ahead", np.float32, (MAX_SEATS,)),  # already earned in the game dealt by it
                ("is_ahead", np.bool_),  # whether some of that may differ from 0
                ("final_scores", np.float64, (MAX_SEATS,)),  # of the last game that ended
                ("final_standings", np.float64, (MAX_SEATS,)),  # the same, as they rank
            ],
            align=True,
        ),
    )
)
"""What a batch keeps of each of its tables beside the game's own state."""


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
    ahead: np.ndarray  # (N, MAX_SEATS) float32, the field of `tables`
    final_states: np.ndarray  # (N,) State, the last game that ended; (0,): not kept
    observation: np.ndarray  # (N, size) float32, what the mover sees
    action_mask: np.ndarray  # (N, actions) int8


@njit
def scripted_action(rules, state, bot):  # type: ignore[no-untyped-def]
    """What the scripted player `bot` does for the mover, its dice fixed by game and move."""
    dice = random_bits(substream(state.key, POLICY_STREAM), np.uint64(state.moves))
    return act(rules, state, bot, dice)


@njit
def _start(rules, state, table, seed, i):  # type: ignore[no-untyped-def]
    """Deal the next game at table i to whoever is to sit there."""
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
    """The seat that the game of `key` draws for whoever is first in a seating that rotates."""
    seat, _ = random_below(substream(key, SEAT_STREAM), np.uint64(0), np.uint64(num_players))
    return np.int64(seat)


@njit
def _settle(  # type: ignore[no-untyped-def]
    rules, bots, weights, state, table, seed, i, done, paid, rewards, ahead, final_states
):
    """Pay what was earned, play scripted seats, and deal anew after an end, until yours move.

    The first end of a step is the one recorded: a game dealt in this step that scripted
    players end before anybody outside has moved would overwrite the result that counts. What
    they earn in it meanwhile is paid with the next step. Where nobody outside ever gets a move,
    it gives up and says so in `stuck`.
    """
    deals = 0
    while True:
        if pays(rules, state):
            pay(rules, state, weights, ahead if done[i] else rewards, i)
            paid[i] = True
            table.is_ahead = done[i]
        if state.over:
            deals += 1
            if deals > MAX_DEALS:
                table.stuck = True
                return
            _next_game(rules, state, table, seed, i, done, paid, final_states)
        policy = table.seats[state.mover]
        if policy < 0:
            return
        apply(rules, state, scripted_action(rules, state, bots[policy]))


@njit
def _next_game(rules, state, table, seed, i, done, paid, final_states):  # type: ignore[no-untyped-def]
    """Record the game that has ended, unless this step has recorded one, and deal the next."""
    if not done[i]:
        for seat in range(state.num_players):
            table.final_scores[seat] = score(rules, state, seat)
            table.final_standings[seat] = standing(rules, state, seat)
        if final_states.size:
            final_states[i] = state
        done[i] = paid[i] = True
    if table.is_ahead:  # in a game that others have ended meanwhile
        table.is_ahead = False
        for seat in range(MAX_SEATS):
            table.ahead[seat] = 0.0
    table.episode += np.uint64(1)
    _start(rules, state, table, seed, i)


@njit
def _clear(table, i, done, paid):  # type: ignore[no-untyped-def]
    """Forget what the last step reported; what was earned ahead of this step stays."""
    done[i] = paid[i] = False
    for seat in range(MAX_SEATS):
        table.rewards[seat] = 0.0
    if table.is_ahead:
        table.is_ahead, paid[i] = False, True
        for seat in range(MAX_SEATS):
            table.rewards[seat] = table.ahead[seat]
            table.ahead[seat] = 0.0


# Reading an array out of `Tables` counts a reference, which costs more than a move of a game. So
# the loops below unpack it before they loop, and what they call takes records, which cost nothing.
# Tables are numbered by unsigned integers: an index that might be negative costs a test each time.


@njit
def reset_tables(t, seed, start, stop, observing):  # type: ignore[no-untyped-def]
    """Deal game 0 of each table in start…stop−1 and settle it."""
    rules, bots, weights, states, tables = t.rules[0], t.bots, t.weights, t.states, t.tables
    done, paid, rewards, ahead, final_states = t.done, t.paid, t.rewards, t.ahead, t.final_states
    for i in range(np.uint64(start), np.uint64(stop)):
        state, table = states[i], tables[i]
        table.episode = np.uint64(0)
        done[i] = paid[i] = False
        table.is_ahead = False
        for seat in range(MAX_SEATS):
            table.rewards[seat] = table.ahead[seat] = 0.0
        _start(rules, state, table, seed, i)
        _settle(
            rules, bots, weights, state, table, seed, i, done, paid, rewards, ahead, final_states
        )
    show_tables(t, start, stop, observing)


@njit
def begin_tables(t):  # type: ignore[no-untyped-def]
    """After a reset: nothing has ended, and what others earned meanwhile is paid by step 1."""
    done, paid, tables = t.done, t.paid, t.tables
    for i in range(np.uint64(tables.size)):
        table = tables[i]
        if paid[i] and not done[i]:
            table.is_ahead = True
            for seat in range(MAX_SEATS):
                table.ahead[seat] = table.rewards[seat]
        for seat in range(MAX_SEATS):
            table.rewards[seat] = 0.0
        done[i], paid[i] = False, True


@njit
def step_tables(t, seed, actions, start, stop, observing):  # type: ignore[no-untyped-def]
    """Play the legal `actions[i]` at each table in start…stop−1 and settle it."""
    rules, layout, bots, weights = t.rules[0], t.layout[0], t.bots, t.weights
    states, tables, rewards, ahead = t.states, t.tables, t.rewards, t.ahead
    observation, action_mask, final_states = t.observation, t.action_mask, t.final_states
    done, paid, scripted = t.done, t.paid, bots.size > 0
    for i in range(np.uint64(start), np.uint64(stop)):
        state = states[i]
        if paid[i]:
            _clear(tables[i], i, done, paid)
        apply(rules, state, actions[i])
        if pays(rules, state) or (scripted and tables[i].seats[np.uint64(state.mover)] >= 0):
            _settle(
                rules, bots, weights, state, tables[i], seed, i, done, paid, rewards, ahead,
                final_states,
            )  # fmt: skip
        write_mask(rules, state, action_mask, i)
        if observing:
            observe(rules, layout, state, state.mover, observation, i)


@njit
def clear_tables(t):  # type: ignore[no-untyped-def]
    """Forget what the last step reported, where it is not `step_tables` that plays the next."""
    for i in range(np.uint64(t.tables.size)):
        if t.paid[i]:
            _clear(t.tables[i], i, t.done, t.paid)


@njit
def answer_rows(t, seed, rows, actions, observing):  # type: ignore[no-untyped-def]
    """Within a step: play `actions[k]` of asked agents at table `rows[k]` and settle it."""
    rules, bots, weights, states, tables = t.rules[0], t.bots, t.weights, t.states, t.tables
    done, paid, rewards, ahead, final_states = t.done, t.paid, t.rewards, t.ahead, t.final_states
    for k in range(rows.size):
        i = np.uint64(rows[k])
        state, table = states[i], tables[i]
        apply(rules, state, actions[k])
        _settle(
            rules, bots, weights, state, table, seed, i, done, paid, rewards, ahead, final_states
        )
        show_tables(t, i, i + np.uint64(1), observing)


@njit
def forfeit_rows(t, seed, rows, observing):  # type: ignore[no-untyped-def]
    """Within a step: end the games at tables `rows` as they stand, unpaid, and deal anew."""
    rules, bots, weights, states, tables = t.rules[0], t.bots, t.weights, t.states, t.tables
    done, paid, rewards, ahead, final_states = t.done, t.paid, t.rewards, t.ahead, t.final_states
    for k in range(rows.size):
        i = np.uint64(rows[k])
        state, table = states[i], tables[i]
        state.over = 1
        _next_game(rules, state, table, seed, i, done, paid, final_states)
        _settle(
            rules, bots, weights, state, table, seed, i, done, paid, rewards, ahead, final_states
        )
        show_tables(t, i, i + np.uint64(1), observing)


@njit
def show_tables(t, start, stop, observing):  # type: ignore[no-untyped-def]
    """Write observation and mask of each table in start…stop−1 as it stands."""
    rules, layout, states = t.rules[0], t.layout[0], t.states
    observation, action_mask = t.observation, t.action_mask
    for i in range(np.uint64(start), np.uint64(stop)):
        state = states[i]
        write_mask(rules, state, action_mask, i)
        if observing:
            observe(rules, layout, state, state.mover, observation, i)


@njit
def first_illegal_action(t, actions):  # type: ignore[no-untyped-def]
    """The first i whose `actions[i]` is illegal at table i, or −1."""
    rules, states = t.rules[0], t.states
    for i in range(states.size):
        if not is_legal(rules, states[i], actions[i]):
            return i
    return -1


@njit
def first_illegal(rules, states, rows, actions):  # type: ignore[no-untyped-def]
    """The first k whose `actions[k]` is illegal in `states[rows[k]]`, or −1."""
    for k in range(rows.size):
        if not is_legal(rules[0], states[rows[k]], actions[k]):
            return k
    return -1


@njit
def observe_rows(rules, layout, states, rows, observation):  # type: ignore[no-untyped-def]
    """Write what the mover of `states[rows[k]]` sees into `observation[k]`."""
    for k in range(rows.size):
        state = states[rows[k]]
        observe(rules[0], layout[0], state, state.mover, observation, k)


@njit
def observe_seats(rules, layout, states, rows, seats, observation):  # type: ignore[no-untyped-def]
    """Write what `seats[k]` sees in `states[rows[k]]` into `observation[k]`."""
    for k in range(rows.size):
        observe(rules[0], layout[0], states[rows[k]], seats[k], observation, k)


@njit
def mask_rows(rules, states, rows, action_mask):  # type: ignore[no-untyped-def]
    """Write the legal actions of the mover of `states[rows[k]]` into `action_mask[k]`."""
    for k in range(rows.size):
        write_mask(rules[0], states[rows[k]], action_mask, k)


@njit
def act_rows(rules, states, rows, bot, actions):  # type: ignore[no-untyped-def]
    """Write what scripted player `bot[0]` does at `states[rows[k]]` into `actions[k]`."""
    for k in range(rows.size):
        actions[k] = scripted_action(rules[0], states[rows[k]], bot[0])


@njit
def dice_rows(states, rows, dice):  # type: ignore[no-untyped-def]
    """Write into `dice[k]` a float in [0, 1) that the game and move of `states[rows[k]]` fix."""
    for k in range(rows.size):
        state = states[rows[k]]
        dice[k] = uniform(substream(state.key, POLICY_STREAM), np.uint64(state.moves))


@njit
def deal_rows(rules, states, keys, players):  # type: ignore[no-untyped-def]
    """Deal the game of `keys[i]` for `players[i]` in each `states[i]`."""
    for i in range(states.size):
        deal(rules[0], states[i], keys[i], players[i])


@njit
def apply_rows(rules, states, rows, actions):  # type: ignore[no-untyped-def]
    """Play the legal `actions[k]` in `states[rows[k]]`."""
    for k in range(rows.size):
        apply(rules[0], states[rows[k]], actions[k])


@njit
def advance_rows(rules, states, rows, seats, bots, weights, rewards):  # type: ignore[no-untyped-def]
    """Play scripted seats (≥ 0 in `seats[row]`) at these tables until others move, or the end.

    What their moves earn is added to `rewards[row]`, unless `rewards` has no rows.
    """
    for k in range(rows.size):
        i = rows[k]
        state = states[i]
        while not state.over:
            policy = seats[i, state.mover]
            if policy < 0:
                break
            apply(rules[0], state, scripted_action(rules[0], state, bots[policy]))
            if rewards.size and pays(rules[0], state):
                pay(rules[0], state, weights, rewards, i)


@njit
def score_rows(rules, states, scores):  # type: ignore[no-untyped-def]
    """Write the scores of all players of `states[i]` into `scores[i]`."""
    for i in range(states.size):
        for seat in range(states[i].num_players):
            scores[i, seat] = score(rules[0], states[i], seat)


@njit
def standing_rows(rules, states, standings):  # type: ignore[no-untyped-def]
    """Write the standings of all players of `states[i]` into `standings[i]`."""
    for i in range(states.size):
        for seat in range(states[i].num_players):
            standings[i, seat] = standing(rules[0], states[i], seat)


@njit
def resample_rows(rules, states, seat, recall, keys):  # type: ignore[no-untyped-def]
    """Re-deal in each state what `seat` can't know, by `keys[i]`."""
    for i in range(states.size):
        resample_hidden(rules[0], states[i], seat, recall, keys[i])


# A single table, for environments that step one game at a time.


@njit
def deal_one(rules, states, seed, game, episode, players):  # type: ignore[no-untyped-def]
    """Deal game `game`, episode `episode` of `seed` in `states[0]`."""
    deal(rules[0], states[0], game_key(seed, game, episode), players)


@njit
def has_paid(rules, states):  # type: ignore[no-untyped-def]
    """Whether the last move in the game of `states[0]` ended a round or the game."""
    return pays(rules[0], states[0])


def is_truncated(states: np.ndarray) -> bool:
    """Whether a limit has ended the game in `states[0]`, and not its rules."""
    return "truncated" in (states.dtype.names or ()) and bool(states["truncated"][0])


ILLEGAL, PLAYED, PAID = range(3)  # what `step_one` says


@njit
def step_one(rules, states, action, weights, rewards):  # type: ignore[no-untyped-def]
    """Play `action` in `states[0]`, or do nothing if it is `ILLEGAL`.

    Where the move earns anything it says `PAID`, and row 0 of `rewards`, which has an entry for
    every player, is filled.
    """
    state = states[0]
    if not is_legal(rules[0], state, action):
        return ILLEGAL
    apply(rules[0], state, action)
    if not pays(rules[0], state):
        return PLAYED
    for seat in range(rewards.shape[1]):
        rewards[0, seat] = 0.0
    pay(rules[0], state, weights, rewards, 0)
    return PAID


@njit
def pay_rows(rules, states, weights, rewards):  # type: ignore[no-untyped-def]
    """Add what the last move in `states[i]` earned to `rewards[i]`."""
    for i in range(states.size):
        if pays(rules[0], states[i]):
            pay(rules[0], states[i], weights, rewards, i)


@njit
def observe_one(rules, layout, states, seat, observation, action_mask):  # type: ignore[no-untyped-def]
    """Write what `seat` sees in `states[0]` into row 0, and its mask (zeros if not to move)."""
    state = states[0]
    observe(rules[0], layout[0], state, seat, observation, 0)
    if seat == state.mover and not state.over:
        write_mask(rules[0], state, action_mask, 0)
    else:
        for action in range(action_mask.shape[1]):
            action_mask[0, action] = 0
