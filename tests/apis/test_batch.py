"""Many games at once: arrays, automatic reset, seeds, checkpoints of a batch, refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lowhand import Batch, game_key, make_batch
from lowhand.engine.kernels_rows import apply_rows, deal_one, deal_rows
from lowhand.games import GAMES
from tests.apis.batches import (
    PASS,
    TAKE,
    assert_same,
    random_actions,
    script,
    shown,
)

U = np.uint64


SHORT: dict[str, dict[str, Any]] = {"least_score": {"points_limit": 10}}
"""Options under which games end soon, where they don't by default."""


# --- Shapes, the end of a game, the next one -----------------------------------------------------


def test_arrays_have_the_documented_shapes_and_types() -> None:
    batch = make_batch("no_thanks", 6, num_players=[3, 5], observation_seats=7)
    shapes = {
        "observation": ((6, batch.spec.size), np.float32),
        "action_mask": ((6, 2), np.int8),
        "mover": ((6,), np.int8),
        "rewards": ((6, 5), np.float32),
        "done": ((6,), np.bool_),
        "final_scores": ((6, 5), np.float64),
        "num_players": ((6,), np.int64),
    }
    for name, (shape, dtype) in shapes.items():
        array = getattr(batch, name)
        assert (array.shape, array.dtype) == (shape, np.dtype(dtype)), name
    assert batch.states.shape == (6,)


def test_arrays_are_rewritten_in_place() -> None:
    batch = make_batch("no_thanks", 2)
    arrays = [batch.observation, batch.action_mask, batch.mover, batch.rewards, batch.done]
    batch.step([TAKE, TAKE])
    batch.reset()
    now = [batch.observation, batch.action_mask, batch.mover, batch.rewards, batch.done]
    assert all(a is b for a, b in zip(arrays, now, strict=True))


def test_a_game_that_ends_is_reported_once_and_followed_by_the_next() -> None:
    batch = make_batch("no_thanks", 2, num_players=2, low=3, high=4, removed=0, chips=1,
                       first_player=0, seed=5)  # fmt: skip
    batch.step([TAKE, PASS])
    assert not batch.done.any()
    batch.step([TAKE, TAKE])
    assert batch.done.tolist() == [True, False]
    assert batch.final_scores.tolist() == [[2, -1], [0, 0]]
    np.testing.assert_allclose(batch.rewards, [[-0.5, 0.5], [0, 0]])
    key = game_key(5, 0, 1)
    assert int(batch.states["key"][0]) == key
    assert batch.states["moves"].tolist() == [0, 2]
    batch.step([PASS, TAKE])
    assert batch.done.tolist() == [False, True]
    assert not batch.rewards[0].any()
    assert batch.rewards[1].any()
    assert batch.final_scores[0].tolist() == [2, -1]  # of the last game that ended
    batch.step([TAKE, PASS])
    assert not batch.done.any()
    assert not batch.rewards.any()


def test_numbers_of_players_alternate_and_stay() -> None:
    batch = make_batch("no_thanks", 7, num_players=[3, 7, 2])
    wanted = [3, 7, 2, 3, 7, 2, 3]
    rng = np.random.default_rng(0)
    for _ in range(300):
        assert batch.num_players.tolist() == batch.states["num_players"].tolist() == wanted
        batch.step(random_actions(batch, rng))
        there = np.arange(7) < batch.num_players[:, np.newaxis]
        assert not batch.rewards[~there].any()
        assert not batch.final_scores[~there].any()
        assert (batch.mover < batch.num_players).all()


def test_without_observations_masks_and_movers_stay() -> None:
    batch = make_batch("no_thanks", 5, observe=False, seed=3)
    twin = make_batch("no_thanks", 5, seed=3)
    assert batch.observation.shape == (5, 0)
    for _ in range(100):
        actions = script(batch)
        batch.step(actions)
        twin.step(actions)
        assert_same(shown(batch)[1:], shown(twin)[1:])


# --- Seeds ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("size", "threads"), [(30, 1), (9, 2), (9, 12)], ids=["larger", "threads", "many threads"]
)
@pytest.mark.parametrize("game", GAMES)
def test_seeds_fix_games_whatever_plays_them(game: str, size: int, threads: int) -> None:
    players, options = [3, 6, 4], SHORT.get(game, {})
    plain = make_batch(game, 9, num_players=players, seed=11, **options)
    other = make_batch(game, size, num_players=players, seed=11, num_threads=threads, **options)
    ends = 0
    for _ in range(250):
        assert_same(shown(plain), [array[:9] for array in shown(other)])
        plain.step(script(plain))
        other.step(script(other))
        ends += int(plain.done.sum())
    assert ends > 18


@pytest.mark.parametrize("game", GAMES)
def test_a_batch_plays_the_games_of_game_key(game: str) -> None:
    """Single kernels deal the same games: game i's episode j is `game_key(seed, i, j)`."""
    batch = make_batch(game, 4, num_players=[3, 6], seed=2**64 - 1, **SHORT.get(game, {}))
    rules, rng = batch.options.rules(), np.random.default_rng(1)
    single, episodes = np.zeros(4, GAMES[game].state), np.zeros(4, int)
    fresh = np.ones(4, bool)
    while episodes.min() < 3:
        for i in np.flatnonzero(fresh):
            n, again = int(batch.num_players[i]), np.zeros(1, GAMES[game].state)
            deal_one(rules, single[i : i + 1], U(2**64 - 1), U(i), U(episodes[i]), n)
            key = game_key(U(2**64 - 1), U(i), U(episodes[i]))
            deal_rows(rules, again, np.array([key], U), np.array([n]))
            assert np.array_equal(single[i : i + 1], again)
        assert np.array_equal(batch.states, single)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_mask])
        apply_rows(rules, single, np.arange(4), actions)
        batch.step(actions)
        fresh = batch.done.copy()
        episodes += fresh


def test_reset_without_a_seed_takes_the_next() -> None:
    batch = make_batch("no_thanks", 3, seed=8)
    batch.reset()
    assert_same(shown(batch), shown(make_batch("no_thanks", 3, seed=9)))


def test_reset_forgets_what_was_going_on() -> None:
    batch = make_batch("no_thanks", 4, seed=8)
    first = batch.states.copy()
    rng = np.random.default_rng(0)
    while not batch.done.any():
        batch.step(random_actions(batch, rng))
    batch.reset(8)
    assert np.array_equal(batch.states, first)
    assert not batch.done.any()
    assert not batch.rewards.any()


# --- Going on ------------------------------------------------------------------------------------


def test_a_batch_goes_on_from_its_training_state() -> None:
    def make() -> Batch:
        return make_batch("no_thanks", 10, num_players=[3, 5], seed=6, agents=["greedy", "random"])

    batch = make()
    batch.seat([-1, 0, 1, -1, -1])
    batch.reset(6)
    for _ in range(33):
        batch.step(script(batch))
    batch.seat([1, -1, -1, 0, 0])
    arrays = batch.training_state()
    resumed = make()
    for _ in range(50):  # something else went on there before
        resumed.step(script(resumed))
    resumed.set_training_state(arrays)
    assert_same(shown(batch), shown(resumed))
    ends = 0
    for _ in range(120):
        batch.step(script(batch))
        resumed.step(script(resumed))
        ends += int(batch.done.sum())
        assert_same(shown(batch), shown(resumed))
        assert np.array_equal(batch.seating, resumed.seating)
    assert ends > 20


def test_a_training_state_is_a_copy() -> None:
    batch = make_batch("no_thanks", 3)
    arrays = batch.training_state()
    before = {name: array.copy() for name, array in arrays.items()}
    batch.step([TAKE] * 3)
    batch.reset(99)
    for name, array in arrays.items():
        assert np.array_equal(array, before[name]), name


# --- Refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "bridge"}, "there is no game 'bridge'; choose one of .*no_thanks"),
        ({"num_envs": 0}, "num_envs must be at least 1, not 0"),
        ({"num_threads": 0}, "num_threads must be at least 1, not 0"),
        ({"num_players": 8}, "num_players must be from 2 to 7, not 8"),
        ({"num_players": [3, 1]}, "num_players must be from 2 to 7, not 1"),
        ({"num_players": []}, "num_players must be a number or several, not an empty list"),
        ({"num_players": [3, 5], "first_player": 4}, "first_player must be from 0 to 2, not 4"),
        ({"seed": -1}, r"a seed must be an integer from 0 to 2\*\*64 - 1, not -1"),
        ({"seed": 2**64}, "a seed must be an integer"),
        ({"seed": 1.5}, "a seed must be an integer"),
        ({"observation_seats": 3}, "observation_seats must be from 4 to 8, not 3"),
        ({"observation_seats": 8}, "observation_seats must be at most 7, not 8"),
        (
            {"reward": "chips"},
            "reward 'chips' is unknown; choose one of win, score, placement, points",
        ),
        ({"colour": 3}, "no_thanks has no option 'colour'; its options are num_players, chips"),
        ({"chips": -1}, "chips must be from 0 to 255, not -1"),
        ({"agents": ["nobody"]}, "there is no agent 'nobody'"),
        ({"agents": ["threshold:x"]}, "arguments that are no numbers"),
        ({"agents": [3]}, r"an agent needs a method act\(table, rng\); 3 has none"),
    ],
)
def test_bad_arguments_are_refused(arguments: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_batch(**{"game": "no_thanks", "num_envs": 2, **arguments})


@pytest.mark.parametrize(
    ("actions", "sentence"),
    [
        ([TAKE, 2, TAKE], r"action 2 in game 1 is illegal; legal actions are \[0, 1\]"),
        ([TAKE, TAKE, -1], r"action -1 in game 2 is illegal; legal actions are \[0, 1\]"),
        ([PASS, PASS, TAKE], r"action 0 in game 0 is illegal; legal actions are \[1\]"),
        ([TAKE, TAKE], r"actions must be 3 integers, not an array of shape \(2,\)"),
        (TAKE, r"actions must be 3 integers, not an array of shape \(\)"),
        ([[TAKE]] * 3, r"not an array of shape \(3, 1\)"),
        ([1.0, 1.0, 1.0], "not an array of shape .* and type float64"),
        ([True, True, True], "and type bool"),
    ],
)
def test_bad_actions_are_refused_and_nothing_moves(actions: Any, sentence: str) -> None:
    batch = make_batch("no_thanks", 3, num_players=2)
    batch.states["chips"][0] = 0
    batch.set_training_state(batch.training_state())  # shows the mask of the changed state
    before = shown(batch)
    with pytest.raises(ValueError, match=sentence):
        batch.step(actions)
    assert_same(before, shown(batch))


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_actions_may_be_integers_of_any_type_and_spacing(dtype: Any) -> None:
    wide = np.array([TAKE, 7, PASS, 7, TAKE, 7], dtype)
    batch, twin = make_batch("no_thanks", 3), make_batch("no_thanks", 3)
    batch.step(wide[::2])
    twin.step([TAKE, PASS, TAKE])
    assert_same(shown(batch), shown(twin))


def test_a_refused_seed_leaves_the_batch_as_it_was() -> None:
    batch = make_batch("no_thanks", 3)
    before = shown(batch)
    with pytest.raises(ValueError, match="a seed must be an integer"):
        batch.reset(-5)
    assert_same(before, shown(batch))
