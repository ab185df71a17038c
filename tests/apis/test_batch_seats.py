"""Seats of a batch that others play: scripted players, and agents that Python asks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lowhand import Batch, TableView, game_key, make_batch
from lowhand.agents.names import make_agent
from lowhand.engine.kernels_rows import act_rows, apply_rows, deal_one
from lowhand.engine.scripted import parse_bot
from tests.apis.batches import (
    NO_THANKS,
    PASS,
    TAKE,
    Asked,
    assert_same,
    random_actions,
    script,
    shown,
)

U = np.uint64


def episodes(batch: Batch, seed: int) -> list[int]:
    """The number of the running game at each table, found by its key."""
    keys = enumerate(batch.states["key"].tolist())
    return [next(j for j in range(500) if game_key(seed, i, j) == key) for i, key in keys]


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

    One card and no chips: the first player takes it, and the others win. Bots start most games, so
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
    assert not batch.done.any()  # games that ended before your turn are not reported
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


def test_agents_are_passed_through() -> None:
    asked = Asked()
    assert make_batch("no_thanks", 1, agents=[asked]).agents == [asked]
    assert make_agent(asked, NO_THANKS) is asked
