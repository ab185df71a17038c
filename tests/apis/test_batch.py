"""Many games at once: auto-reset, seats, agents, threads, refusals, going on from a checkpoint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from lowhand import Batch, TableView, game_key, make_batch
from lowhand.agents.names import make_agent
from lowhand.engine.kernels_rows import act_rows, apply_rows, deal_one, deal_rows
from lowhand.engine.scripted import parse_bot
from lowhand.games import GAMES

U = np.uint64
NO_THANKS = GAMES["no_thanks"]
PASS, TAKE = 0, 1


def random_actions(batch: Batch, rng: np.random.Generator) -> np.ndarray:
    """A random legal action for every game."""
    coins = rng.integers(0, 2, batch.num_envs)
    return np.where(batch.action_mask[:, PASS] == 1, coins, TAKE)


def script(batch: Batch) -> np.ndarray:
    """A legal action that depends on the game's own past only, so that batches can be compared."""
    wish = (batch.states["moves"] * 7 + batch.states["offered"]) % 3 != 0
    return np.where(wish & (batch.action_mask[:, PASS] == 1), PASS, TAKE)


def shown(batch: Batch) -> list[np.ndarray]:
    """Copies of everything that a batch shows."""
    arrays = (
        batch.observation,
        batch.action_mask,
        batch.mover,
        batch.rewards,
        batch.done,
        batch.final_scores,
        batch.states,
    )
    return [array.copy() for array in arrays]


def assert_same(one: Sequence[np.ndarray], other: Sequence[np.ndarray]) -> None:
    for a, b in zip(one, other, strict=True):
        assert np.array_equal(a, b)


def episodes(batch: Batch, seed: int) -> list[int]:
    """The number of the running game at each table, found by its key."""
    keys = enumerate(batch.states["key"].tolist())
    return [next(j for j in range(500) if game_key(seed, i, j) == key) for i, key in keys]


class Asked:
    """An agent that Python asks: takes whatever costs at most `limit`, and counts."""

    def __init__(self, limit: float = 10.0) -> None:
        self.limit, self.calls, self.tables = limit, 0, 0

    def act(self, table: TableView, rng: np.random.Generator) -> np.ndarray:
        self.calls, self.tables = self.calls + 1, self.tables + len(table)
        fields = table.fields()
        cost = fields["score_change"][:, 0] * 35 - fields["pot"][:, 0] * 11
        takes = (np.rint(cost) <= self.limit) | (table.action_mask[:, PASS] == 0)
        return takes.astype(np.int64)


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


@pytest.mark.parametrize("variant", ["larger batch", "threads", "threads as many as games"])
def test_seeds_fix_games_whatever_plays_them(variant: str) -> None:
    players = [3, 5, 4]
    plain = make_batch("no_thanks", 9, num_players=players, seed=11)
    size = 30 if variant == "larger batch" else 9
    threads = {"larger batch": 1, "threads": 2, "threads as many as games": 12}[variant]
    other = make_batch("no_thanks", size, num_players=players, seed=11, num_threads=threads)
    ends = 0
    for _ in range(250):
        assert_same(shown(plain), [array[:9] for array in shown(other)])
        plain.step(script(plain))
        other.step(script(other))
        ends += int(plain.done.sum())
    assert ends > 18


def test_a_batch_plays_the_games_of_game_key() -> None:
    """Single kernels deal the same games: game i's episode j is `game_key(seed, i, j)`."""
    batch = make_batch("no_thanks", 4, num_players=[3, 6], seed=2**64 - 1)
    rules = batch.options.rules()
    rng = np.random.default_rng(1)
    episodes = np.zeros(4, int)
    single = np.zeros(4, NO_THANKS.state)
    fresh = np.ones(4, bool)
    while episodes.min() < 3:
        for i in np.flatnonzero(fresh):
            one = single[i : i + 1]
            n = int(batch.num_players[i])
            deal_one(rules, one, U(2**64 - 1), U(i), U(episodes[i]), n)
            again = np.zeros(1, NO_THANKS.state)
            key = game_key(U(2**64 - 1), U(i), U(episodes[i]))
            deal_rows(rules, again, np.array([key], U), np.array([n]))
            assert np.array_equal(one, again)
        assert np.array_equal(batch.states, single)
        actions = random_actions(batch, rng)
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


# --- Scripted seats ------------------------------------------------------------------------------


def test_scripted_seats_play_inside() -> None:
    """The same games move by move: the batch's bots do what `act_rows` says."""
    names = ["greedy", "blocker:9", "random"]
    batch = make_batch("no_thanks", 20, num_players=4, seed=3, agents=names)
    batch.seat([-1, 0, 1, 2])
    batch.reset(3)
    rules, bots = batch.options.rules(), [parse_bot(name, NO_THANKS.bots) for name in names]
    states = np.zeros(20, NO_THANKS.state)
    row, chosen = np.zeros(1, np.int64), np.zeros(1, np.int64)
    episodes, rng = [-1] * 20, np.random.default_rng(0)
    states["over"] = 1
    for _ in range(80):
        for i in range(20):
            one = states[i : i + 1]
            while one["over"][0] or one["mover"][0] != 0:
                if one["over"][0]:
                    episodes[i] += 1
                    deal_one(rules, one, U(3), U(i), U(episodes[i]), 4)
                else:
                    act_rows(rules, one, row, bots[int(one["mover"][0]) - 1], chosen)
                    apply_rows(rules, one, row, chosen)
        assert np.array_equal(batch.states, states)
        actions = random_actions(batch, rng)
        batch.step(actions)
        apply_rows(rules, states, np.arange(20), actions)
    assert min(episodes) >= 1


def test_seating_holds_from_the_next_game_on() -> None:
    batch = make_batch("no_thanks", 2, num_players=2, low=3, high=4, removed=0, chips=1,
                       first_player=1, agents=["greedy"])  # fmt: skip
    batch.seat([-1, 0])
    assert batch.mover.tolist() == [1, 1]
    assert (batch.seating == -1).all()
    batch.step([TAKE, PASS])
    batch.step([TAKE, TAKE])
    assert batch.done.tolist() == [True, False]
    # The bot began the next game of table 0: it passed, and now it is for seat 0 to answer.
    assert batch.seating.tolist() == [[-1, 0], [-1, -1]]
    assert batch.mover.tolist() == [0, 0]


def test_seats_of_some_tables() -> None:
    batch = make_batch("no_thanks", 4, num_players=3, agents=["greedy", "random"])
    batch.seat([[-1, 1, 0], [0, -1, -1]], rows=[1, 3])
    batch.reset()
    assert batch.seating.tolist() == [[-1, -1, -1], [-1, 1, 0], [-1, -1, -1], [0, -1, -1]]


def test_the_result_that_counts_is_the_first_of_a_step() -> None:
    """Games that scripted players end right after the deal do not overwrite it.

    One card and no chips: whoever starts takes it, and the other wins. Bots start most games, so
    that the step in which your game ends often plays further games to their end.
    """
    batch = make_batch("no_thanks", 200, num_players=7, low=5, high=5, removed=0, chips=0,
                       agents=["greedy"])  # fmt: skip
    batch.seat([0, 0, 0, -1, 0, 0, 0])
    batch.reset(1)
    assert (batch.mover == 3).all()
    assert not batch.done.any()
    assert not batch.rewards.any()
    for _ in range(5):
        before = episodes(batch, seed=1)
        batch.step(np.full(200, TAKE))
        assert max(np.subtract(episodes(batch, seed=1), before)) > 1
        assert batch.done.all()
        assert batch.final_scores.tolist() == [[0, 0, 0, 5, 0, 0, 0]] * 200
        np.testing.assert_allclose(batch.rewards[:, 3], -1 / 7, rtol=1e-6)
        np.testing.assert_allclose(batch.rewards.sum(axis=1), 0, atol=1e-6)


# --- Agents that Python asks ---------------------------------------------------------------------


def test_python_agents_play_at_their_seats_as_scripted_ones_do() -> None:
    asked = Asked()
    with_python = make_batch("no_thanks", 12, num_players=[3, 4], agents=[asked, "greedy"])
    compiled = make_batch("no_thanks", 12, num_players=[3, 4], agents=["sequence", "greedy"])
    for batch in (with_python, compiled):
        batch.seat([0, 1, -1, 0])
        batch.reset(2)
    ends = 0
    for _ in range(200):
        assert_same(shown(with_python)[:5], shown(compiled)[:5])
        assert np.array_equal(with_python.states, compiled.states)
        assert (with_python.mover == 2).all()
        with_python.step(script(with_python))
        compiled.step(script(compiled))
        ends += int(compiled.done.sum())
    assert ends > 12
    assert asked.tables > asked.calls > 0  # asked for many tables at once


def test_python_agents_do_not_overwrite_the_result_that_counts() -> None:
    batch = make_batch("no_thanks", 50, num_players=3, low=5, high=5, removed=0, chips=0,
                       agents=[Asked()])  # fmt: skip
    batch.seat([-1, 0, 0])
    batch.reset(1)
    assert not batch.done.any()  # games that they ended before your turn are nobody's news
    assert not batch.rewards.any()
    for _ in range(4):
        batch.step(np.full(50, TAKE))
        assert batch.done.all()
        assert batch.final_scores.tolist() == [[5, 0, 0]] * 50


class Constant:
    name = "stubborn"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act(self, table: TableView, rng: np.random.Generator) -> Any:
        return self.answer


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ([TAKE, TAKE], r"agent 'stubborn' must return 1 integers, one action for each table"),
        ([1.0], r"it returned an array of shape \(1,\) and type float64"),
        ([2], r"agent 'stubborn' chose action 2, which is illegal; legal actions are \[0, 1\]"),
    ],
)
def test_wrong_answers_of_agents_are_refused(answer: Any, sentence: str) -> None:
    batch = make_batch("no_thanks", 1, num_players=2, first_player=0, agents=[Constant(answer)])
    batch.seat([-1, 0])
    batch.reset()
    with pytest.raises(ValueError, match=sentence):
        batch.step([PASS])


def test_agents_draw_the_same_numbers_after_a_reset_with_the_same_seed() -> None:
    class Dicer:
        def act(self, table: TableView, rng: np.random.Generator) -> np.ndarray:
            coins = rng.integers(0, 2, len(table))
            return np.where(table.action_mask[:, PASS] == 1, coins, TAKE)

    batch = make_batch("no_thanks", 6, agents=[Dicer()])
    batch.seat([0, 0, 0, -1])
    runs = []
    for _ in range(2):
        batch.reset(4)
        for _ in range(60):
            batch.step(script(batch))
        runs.append(shown(batch))
    assert_same(*runs)


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


@pytest.mark.parametrize(
    ("seating", "sentence"),
    [
        ([-1, 0, 2, -1], r"a seat must be −1 \(yours\) or from 0 to 1"),
        ([-1, 0, -2, -1], r"a seat must be −1 \(yours\) or from 0 to 1"),
        ([0, 1, 0, 1], r"at every table at least one seat must be yours \(−1\)"),
        # At the tables for two, the only seat of yours would have no chair.
        ([0, 1, -1, -1], r"at every table at least one seat must be yours \(−1\)"),
    ],
)
def test_seats_that_cannot_be_are_refused(seating: list[int], sentence: str) -> None:
    batch = make_batch("no_thanks", 4, num_players=[4, 2], agents=["greedy", "random"])
    with pytest.raises(ValueError, match=sentence):
        batch.seat(seating)
    batch.reset()
    assert (batch.seating == -1).all()


def test_a_refused_seed_leaves_the_batch_as_it_was() -> None:
    batch = make_batch("no_thanks", 3)
    before = shown(batch)
    with pytest.raises(ValueError, match="a seed must be an integer"):
        batch.reset(-5)
    assert_same(before, shown(batch))


def test_agents_are_passed_through() -> None:
    asked = Asked()
    assert make_batch("no_thanks", 1, agents=[asked]).agents == [asked]
    assert make_agent(asked, NO_THANKS) is asked
