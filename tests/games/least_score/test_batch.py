"""Many matches of Least Score at once: deals that pay on the way, seats that are out, results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lowhand import Batch, make_batch
from lowhand.engine.rewards import win_shares
from lowhand.games.least_score import GAME
from lowhand.least_score_v0 import env as make_env
from tests.games.least_score.seats import random_actions

DECLARE = 0
POSITION = {"hands": ["AS", "5H", "6S"], "points": [3, 97, 50], "turn": 3, "first_player": 0}


def placed(position: dict[str, Any], **options: Any) -> Batch:
    """Two matches of three, the first set to a position."""
    batch = make_batch("least_score", 2, **{"num_players": 3, "seed": 1, **options})
    GAME.set_position(batch.options, batch.options.rules(), batch.states, position)
    batch.set_training_state(batch.training_state())  # shows what has been set
    return batch


def any_play(batch: Batch) -> np.ndarray:
    """The first legal action in each match that is no declaration."""
    return 1 + batch.action_mask[:, 1:].argmax(axis=1)


def step_first(batch: Batch, action: int) -> None:
    """Play `action` in the first match and anything in the second."""
    actions = any_play(batch)
    actions[0] = action
    batch.step(actions)


def test_a_deal_pays_in_the_step_that_ends_it_and_the_match_goes_on() -> None:
    batch = placed({**POSITION, "points": [0, 0, 0]}, reward="score")
    step_first(batch, DECLARE)
    assert batch.rewards[0].tolist() == pytest.approx([4.5 / 30, -1.5 / 30, -3 / 30])
    assert not batch.rewards[1].any()
    assert not batch.done.any()
    assert not batch.ended.any()
    assert batch.states["points"][0, :3].tolist() == [0, 4, 5]
    assert (batch.states["deals"][0], batch.mover[0]) == (1, 1)
    batch.step(any_play(batch))
    assert not batch.rewards.any()


@pytest.mark.parametrize(
    ("reward", "paid"),
    [("win", [0, -1 / 3, 0]), ("placement", [0, -1, 0]), ("score", [4.5 / 30, -1.5 / 30, -0.1])],
)
def test_ls12_a_knock_out_pays_at_once_and_ends_that_seats_game(
    reward: str, paid: list[float]
) -> None:
    batch = placed(POSITION, reward=reward)
    step_first(batch, DECLARE)
    assert batch.rewards[0].tolist() == pytest.approx(paid)
    assert not batch.done.any()
    assert batch.ended.tolist() == [[False, True, False], [False] * 3]
    for _ in range(4):
        batch.step(any_play(batch))
        assert batch.ended.tolist() == [[False, True, False], [False] * 3]
        assert not batch.rewards.any()
        assert batch.mover[0] != 1


def test_ls13_a_match_that_ends_is_reported_and_the_next_one_dealt() -> None:
    batch = placed({**POSITION, "points": [100, 96, 97]}, reward="placement")
    step_first(batch, DECLARE)  # 4 and 5 more points: 100 and 102, so that only seat 2 is out
    assert batch.ended[0].tolist() == [False, False, True]
    batch = placed({**POSITION, "points": [100, 97, 97]}, reward="placement")
    key = int(batch.states["key"][0])
    step_first(batch, DECLARE)  # 101 and 102 in the same deal: fewer points rank higher
    assert batch.done.tolist() == [True, False]
    assert batch.rewards[0].tolist() == pytest.approx([1, 0, -1])
    assert batch.final_scores[0].tolist() == [100, 101, 102]
    assert np.argsort(batch.final_ranking_scores[0]).tolist() == [0, 1, 2]
    assert batch.ended.tolist() == [[True] * 3, [False] * 3]
    assert int(batch.states["key"][0]) != key
    assert batch.states["points"][0].tolist() == [0] * 8
    batch.step(any_play(batch))
    assert not batch.rewards.any()
    assert not batch.ended.any()


def test_ls19_who_went_out_later_stands_before_who_has_fewer_points() -> None:
    batch = placed({**POSITION, "points": [3, 99, 90]})
    step_first(batch, DECLARE)
    assert batch.ended[0].tolist() == [False, True, False]
    position = {"hands": ["AS", "5H", "KS QS"], "points": [0, 0, 0], "turn": 2, "first_player": 0}
    other = make_batch("least_score", 1, num_players=3)
    GAME.set_position(other.options, other.options.rules(), other.states, position)
    for name in ("hands", "sizes", "turn", "mover"):
        batch.states[name][0] = other.states[name][0]
    batch.states["points"][0, :3] = [3, 103, 95]
    step_first(batch, DECLARE)
    assert batch.done[0]
    assert batch.final_scores[0].tolist() == [3, 103, 114]
    assert np.argsort(batch.final_ranking_scores[0]).tolist() == [0, 2, 1]


@pytest.mark.parametrize("points", [[3, 3, 9], [3, 4, 3]])
def test_ls16_a_match_that_is_stopped_shares_the_win_of_equal_points(points: list[int]) -> None:
    batch = placed({**POSITION, "points": points, "turn": 1, "hands": ["9S", "9H", "9C"]},
                   max_deals=1, max_turns=2)  # fmt: skip
    step_first(batch, int(any_play(batch)[0]))
    assert batch.done[0]
    best = np.array(points) == 3
    assert win_shares(batch.final_ranking_scores[:1])[0].tolist() == (best / 2).tolist()
    assert batch.rewards[0].tolist() == pytest.approx((best / 2 - 1 / 3).tolist())


@pytest.mark.parametrize("reward", ["placement", "score", {"win": 1.0, "score": 0.5}])
@pytest.mark.parametrize("match_end", ["last_survivor", "first_out"])
def test_a_match_pays_in_a_batch_what_it_pays_in_pettingzoo(match_end: str, reward: Any) -> None:
    players = [3, 5, 8]
    kwargs = {"points_limit": 30, "max_deals": 4, "match_end": match_end, "reward": reward,
              "perfect_recall": True, "observation_seats": 8}  # fmt: skip
    batch = make_batch("least_score", 6, num_players=players, seed=5, **kwargs)
    envs = [make_env(players[i % 3], **kwargs) for i in range(6)]
    for env, state in zip(envs, batch.states, strict=True):
        env.set_state(state)
    running, rng = set(range(6)), np.random.default_rng(7)
    totals, theirs = np.zeros((6, 8)), np.zeros((6, 8))
    while running:
        observations = batch.observation.copy()
        actions = random_actions(batch.action_mask, rng, declare=0.5)
        batch.step(actions)
        for i in sorted(running):
            env, seats = envs[i], envs[i].possible_agents
            seen = env.observe(env.agent_selection)["observation"]
            np.testing.assert_array_equal(observations[i], seen)
            env.step(int(actions[i]))
            totals[i] += batch.rewards[i]
            for agent, gained in env.rewards.items():
                theirs[i, seats.index(agent)] += gained
            np.testing.assert_allclose(totals[i], theirs[i], atol=1e-6)
            ended = [env.terminations.get(a, True) or env.truncations[a] for a in seats]
            assert batch.ended[i, : len(seats)].tolist() == ended
            if batch.done[i]:
                running.remove(i)
                scores = [env.infos[a]["final_score"] for a in env.agents]
                places = [seats.index(a) for a in env.agents]
                assert batch.final_scores[i, places].tolist() == scores
            while env.agents and ended[seats.index(env.agent_selection)]:
                env.step(None)
    np.testing.assert_allclose(totals.sum(axis=1), 0, atol=1e-5)
    assert totals.any(axis=1).all()


def test_scripted_seats_play_whole_matches_inside() -> None:
    batch = make_batch("least_score", 8, num_players=[3, 6], agents=["random"], reward="score",
                       points_limit=30)  # fmt: skip
    batch.seat([-1, 0, 0, 0, 0, 0])
    batch.reset(3)
    rng, ends = np.random.default_rng(0), 0
    for _ in range(60):
        batch.step(random_actions(batch.action_mask, rng, declare=0.3))
        np.testing.assert_allclose(batch.rewards.sum(axis=1), 0, atol=1e-5)
        assert (batch.mover == 0).all()
        assert not batch.states["out"][:, 0].any()
        ends += int(batch.done.sum())
    assert ends > 8
