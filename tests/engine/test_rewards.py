"""Rewards of all seats, by the ranking scores and the scores at the end of a game of No Thanks!."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowhand.engine.kernels_rows import pay_rows
from lowhand.engine.rewards import OBJECTIVES, SCORE_SCALE, reward_weights
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import State


def rewards(kind: object, *scores: float, seats: int | None = None) -> list[float]:
    states = np.zeros(3, State)  # those beside it have not ended, and pay nothing
    states["num_players"] = len(scores)
    states["points"][1, : len(scores)] = scores
    states["over"][1] = 1
    out = np.zeros((3, seats or len(scores)), np.float32)
    pay_rows(Options().rules(), states, reward_weights(kind), out)  # type: ignore[arg-type]
    assert not out[[0, 2]].any()
    return pytest.approx(out[1].tolist(), abs=1e-6)


def test_what_is_earned_is_added() -> None:
    states = np.zeros(1, State)
    states["num_players"], states["over"], states["points"][0, 1] = 2, 1, 9
    out = np.ones((1, 2), np.float32)
    for _ in range(2):
        pay_rows(Options().rules(), states, reward_weights("win"), out)
    assert out.tolist() == [[2, 0]]


def test_win_is_the_share_of_the_win_minus_a_fair_share() -> None:
    assert rewards("win", 10, 20, 30) == [2 / 3, -1 / 3, -1 / 3]
    assert rewards("win", 30, 10, 10, 10) == [-1 / 4, 1 / 12, 1 / 12, 1 / 12]
    assert rewards("win", -5, -5) == [0, 0]


def test_score_is_the_lead_over_the_mean_of_the_others() -> None:
    assert rewards("score", 10, 20, 60) == [30 / SCORE_SCALE, 15 / SCORE_SCALE, -45 / SCORE_SCALE]


def test_points_are_the_own_score_alone() -> None:
    assert rewards("points", 15, 30, -3) == [-15 / SCORE_SCALE, -30 / SCORE_SCALE, 3 / SCORE_SCALE]


def test_placement_is_evenly_spaced_and_ties_share_their_places() -> None:
    assert rewards("placement", 10, 30, 20) == [1, -1, 0]
    assert rewards("placement", 10, 10, 20) == [0.5, 0.5, -1]
    assert rewards("placement", 10, 20, 20, 40) == [1, 0, 0, -1]
    assert rewards("placement", 7, 7, 7) == [0, 0, 0]


def test_a_mix_is_the_weighted_sum() -> None:
    mix = {"win": 2.0, "placement": -0.5}
    assert rewards(mix, 10, 20, 30) == [4 / 3 - 0.5, -2 / 3, -2 / 3 + 0.5]


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_seats_without_a_player_get_nothing(kind: str) -> None:
    assert rewards(kind, 10, 20, seats=4) == [*rewards(kind, 10, 20).expected, 0, 0]  # type: ignore[attr-defined]


@given(
    scores=st.lists(st.integers(-80, 330), min_size=2, max_size=7),
    weights=st.dictionaries(st.sampled_from(OBJECTIVES[:3]), st.floats(-2, 2), min_size=1),
)
def test_rewards_sum_to_zero_and_do_not_depend_on_the_seat(
    scores: list[int], weights: dict[str, float]
) -> None:
    out = np.array(rewards(weights, *scores).expected)  # type: ignore[attr-defined]
    turned = np.array(rewards(weights, *scores[1:], scores[0]).expected)  # type: ignore[attr-defined]
    assert abs(out.sum()) < 1e-4
    np.testing.assert_allclose(np.roll(out, -1), turned, atol=1e-5)


@pytest.mark.parametrize("kind", OBJECTIVES)
@given(scores=st.lists(st.integers(-80, 330), min_size=2, max_size=7))
def test_a_lower_score_never_pays_less(kind: str, scores: list[int]) -> None:
    out = np.array(rewards(kind, *sorted(scores)).expected)  # type: ignore[attr-defined]
    assert (np.diff(out) <= 1e-6).all()


def test_weights_are_in_the_order_of_the_objectives() -> None:
    assert reward_weights("score").tolist() == [0, 1, 0, 0]
    assert reward_weights({"placement": 3.0, "win": 0.5}).tolist() == [0.5, 0, 3, 0]
    assert reward_weights("points").tolist() == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("reward", "sentence"),
    [
        ("chips", "reward 'chips' is unknown; choose one of win, score, placement, points"),
        ({"win": 1.0, "luck": 1.0}, "is unknown"),
        ({}, "is unknown"),
        ({"win": float("nan")}, "must be finite numbers"),
        ({"score": float("inf")}, "must be finite numbers"),
    ],
)
def test_unknown_rewards_are_refused(reward: object, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        reward_weights(reward)  # type: ignore[arg-type]
