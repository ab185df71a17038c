"""Compiled loops over chosen rows of an array of positions, and steps of a single game.

Each calls the generic functions of `lowhand.engine.game`, and passes `(buffer, row)`, never a
slice: reference counting of slices costs several times the work itself.
"""

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.game import (
    act,
    apply,
    deal,
    emits_reward,
    is_legal,
    observe,
    ranking_score,
    resample_hidden,
    score,
    write_mask,
)
from lowhand.engine.jit import njit
from lowhand.engine.rewards import pay
from lowhand.engine.rng import POLICY_STREAM, game_key, random_bits, substream, uniform


@njit
def scripted_action(rules, state, bot):  # type: ignore[no-untyped-def]
    """The action of the scripted player `bot`; game and move fix its random numbers."""
    key = random_bits(substream(state.key, POLICY_STREAM), np.uint64(state.moves))
    return act(rules, state, bot, key)


@njit
def first_illegal(rules, states, rows, actions):  # type: ignore[no-untyped-def]
    """The first k whose `actions[k]` is illegal in `states[rows[k]]`, or −1."""
    for k in range(rows.size):
        if not is_legal(rules[0], states[np.uint64(rows[k])], actions[k]):  # unsigned: quicker
            return k
    return -1


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
    """Write the action of scripted player `bot[0]` in `states[rows[k]]` into `actions[k]`."""
    for k in range(rows.size):
        actions[k] = scripted_action(rules[0], states[rows[k]], bot[0])


@njit
def uniform_rows(states, rows, uniforms):  # type: ignore[no-untyped-def]
    """Write into `uniforms[k]` a number in [0, 1) fixed by game and move of `states[rows[k]]`."""
    for k in range(rows.size):
        state = states[rows[k]]
        uniforms[k] = uniform(substream(state.key, POLICY_STREAM), np.uint64(state.moves))


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
def play(rules, state, action, weights, rewards, row, one_round):  # type: ignore[no-untyped-def]
    """Play `action` and add what it earns to `rewards[row]`, unless `rewards` has no rows.

    With `one_round` the first reward ends the game.
    """
    apply(rules, state, action)
    if rewards.size and emits_reward(rules, state):
        pay(rules, state, weights, rewards, row)
        if one_round:
            state.over = 1


@njit
def play_rows(rules, states, rows, actions, weights, rewards, one_round):  # type: ignore[no-untyped-def]
    """`play` the legal `actions[k]` in `states[rows[k]]`."""
    for k in range(rows.size):
        play(rules[0], states[rows[k]], actions[k], weights, rewards, rows[k], one_round)


@njit
def advance_rows(rules, states, rows, seats, bots, weights, rewards, one_round):  # type: ignore[no-untyped-def]
    """Play the scripted seats (≥ 0 in `seats[row]`) until another is to move or the game ends.

    As `play`, which is not called here: passing arrays at every move costs half as much as a move.
    """
    for k in range(rows.size):
        i = rows[k]
        state = states[i]
        while not state.over:
            policy = seats[i, state.mover]
            if policy < 0:
                break
            apply(rules[0], state, scripted_action(rules[0], state, bots[policy]))
            if rewards.size and emits_reward(rules[0], state):
                pay(rules[0], state, weights, rewards, i)
                if one_round:
                    state.over = 1


@njit
def score_rows(rules, states, scores):  # type: ignore[no-untyped-def]
    """Write the scores of all players of `states[i]` into `scores[i]`."""
    for i in range(states.size):
        for seat in range(states[i].num_players):
            scores[i, seat] = score(rules[0], states[i], seat)


@njit
def ranking_score_rows(rules, states, ranking_scores):  # type: ignore[no-untyped-def]
    """Write the ranking scores of all players of `states[i]` into `ranking_scores[i]`."""
    for i in range(states.size):
        for seat in range(states[i].num_players):
            ranking_scores[i, seat] = ranking_score(rules[0], states[i], seat)


@njit
def resample_rows(rules, states, seat, recall, keys):  # type: ignore[no-untyped-def]
    """Sample in each state what `seat` can't know, by `keys[i]`."""
    for i in range(states.size):
        resample_hidden(rules[0], states[i], seat, recall, keys[i])


# A single table, for environments that step one game at a time.


@njit
def deal_one(rules, states, seed, game, episode, players):  # type: ignore[no-untyped-def]
    """Deal game `game`, episode `episode` of `seed` in `states[0]`."""
    deal(rules[0], states[0], game_key(seed, game, episode), players)


def is_truncated(states: np.ndarray) -> NDArray[np.bool_]:
    """Whether a limit, and not the rules, has ended the game in each state, (states,) bool."""
    if "truncated" not in (states.dtype.names or ()):
        return np.zeros(len(states), np.bool_)
    return states["truncated"].astype(np.bool_)


ILLEGAL, PLAYED, PAID = range(3)  # what `step_one` returns


@njit
def step_one(rules, states, action, weights, rewards):  # type: ignore[no-untyped-def]
    """Play `action` in `states[0]`, unless it is illegal.

    Returns:
        `ILLEGAL`, `PLAYED`, or `PAID` where the move pays rewards: then row 0 of `rewards`,
        which has an entry for every player, has them.
    """
    state = states[0]
    if not is_legal(rules[0], state, action):
        return ILLEGAL
    apply(rules[0], state, action)
    if not emits_reward(rules[0], state):
        return PLAYED
    for seat in range(rewards.shape[1]):
        rewards[0, seat] = 0.0
    pay(rules[0], state, weights, rewards, 0)
    return PAID


@njit
def pay_rows(rules, states, weights, rewards):  # type: ignore[no-untyped-def]
    """Add what the last move in `states[i]` earned to `rewards[i]`."""
    for i in range(states.size):
        if emits_reward(rules[0], states[i]):
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
