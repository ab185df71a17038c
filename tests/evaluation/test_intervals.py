import numpy as np
import pytest

from lowhand_training.evaluation.intervals import (
    by_seat,
    estimate,
    estimate_share,
    resampled_counts,
    resampled_means,
)


def test_intervals_cover_the_truth_in_95_of_100_cases():
    # Seats differ widely: without strata the interval would cover in 998 of 1000 cases.
    rng, chance = np.random.default_rng(1), (0.05, 0.5, 0.95)
    covered = 0
    for _ in range(1000):
        strata = [(rng.random(200) < p).astype(float) for p in chance]
        found = estimate_share(strata, rng, 400)
        covered += found.low <= 0.5 <= found.high
    # 1000 repetitions: standard deviation 0.0069.
    assert 0.93 < covered / 1000 < 0.97


def test_resampled_means_have_the_variance_of_the_stratified_mean():
    rng = np.random.default_rng(2)
    strata = [rng.normal(0, 1, 300), rng.normal(50, 2, 500)]
    means = resampled_means(strata, 4000, rng)
    expected = np.sqrt(sum(s.var() / len(s) for s in strata)) / 2
    assert means.std() == pytest.approx(expected, rel=0.05)
    assert means.mean() == pytest.approx(np.mean([s.mean() for s in strata]), abs=0.01)


def test_seats_weigh_the_same_however_often_they_were_sat_at():
    found = estimate([np.zeros(10), np.ones(90)], np.random.default_rng(0))
    assert found.mean == found.low == found.high == 0.5


def test_same_seed_gives_the_same_interval():
    strata = [np.arange(50.0), np.arange(20.0)]
    first, second = (estimate(strata, np.random.default_rng(3)) for _ in range(2))
    assert first == second


def test_nothing_but_losses_is_no_point():
    found = estimate_share([np.zeros(50), np.zeros(50)], np.random.default_rng(0))
    assert found.low == found.mean == 0.0
    assert (1.0 - found.high) ** 100 == pytest.approx(0.025)


def test_strata_are_the_seats_that_were_sat_at():
    strata = by_seat(np.array([1.0, 2.0, 3.0]), np.array([2, 0, 2]), 3)
    assert [s.tolist() for s in strata] == [[2.0], [1.0, 3.0]]


def test_resampled_counts_keep_the_strata_and_favour_no_game():
    strata = np.array([7, 0, 7, 7, 0, 3])
    counts = np.array(list(resampled_counts(strata, 4000, np.random.default_rng(4))))
    for stratum in (0, 3, 7):
        assert (counts[:, strata == stratum].sum(axis=1) == (strata == stratum).sum()).all()
    # Each count has mean 1 and a variance below 1: standard deviation of the mean 0.016.
    np.testing.assert_allclose(counts.mean(axis=0), 1.0, atol=0.06)
    assert counts[:, 0].var() == pytest.approx(2 / 3, rel=0.1)
