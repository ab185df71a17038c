from math import log

import numpy as np
import pytest

from lowhand_training.evaluation.gsprt import Gsprt, tilted

VALUES = np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
LOOK, STREAMS = 40, 300


def stream_ends(test: Gsprt, mean: float, seed: int) -> str:
    """The decision on one stream of blocks with this mean, looked at every `LOOK` blocks."""
    rng, values = np.random.default_rng([seed, int(1000 * mean)]), np.empty(0)
    chances = np.array([0.1, 0.1, 0.6, 0.1, 0.1])
    chances = chances + mean * np.array([-0.5, 0.0, 0.0, 0.0, 0.5])
    for _ in range(1000):
        values = np.concatenate([values, rng.choice(VALUES, LOOK, p=chances)])
        decision = test.decide(test.llr(values))
        if decision is not None:
            return decision
    raise AssertionError("the test did not stop")


def test_bounds_are_walds():
    assert Gsprt().bounds == pytest.approx((-log(19.0), log(19.0)))
    assert Gsprt().bounds[1] == pytest.approx(2.944, abs=5e-4)


@pytest.mark.parametrize(("mean", "right"), [(0.0, "H0"), (0.05, "H1")])
def test_errors_are_as_rare_as_promised(mean, right):
    test = Gsprt(h0=0.0, h1=0.05)
    ends = [stream_ends(test, mean, seed) for seed in range(STREAMS)]
    wrong = sum(end != right for end in ends) / STREAMS
    # Promised 0.05, in 300 streams with a standard deviation of 0.0126. A test that is too
    # timid would be as wrong as one that is too bold: it would waste games.
    assert 0.01 < wrong < 0.05 + 2 * 0.0126


def test_ratio_is_near_the_normal_one_in_large_samples():
    values = np.random.default_rng(0).choice(VALUES, 5000)
    mean, variance = values.mean(), values.var()
    test = Gsprt(h0=0.0, h1=0.02)
    normal = 2500 * np.log((variance + mean**2) / (variance + (mean - 0.02) ** 2))
    assert test.llr(values) == pytest.approx(normal, rel=0.02)


def test_ratio_of_wins_and_losses_is_the_binomial_one():
    # With two values only, the mean fixes the distribution: nothing is left to estimate.
    values = np.array([1.0] * 12 + [-1.0] * 8)
    exact = 12 * log(1.1 / 1.0) + 8 * log(0.9 / 1.0)
    assert Gsprt(h0=0.0, h1=0.1).llr(values) == pytest.approx(exact, rel=1e-3)


def test_tilted_distribution_has_the_mean_and_is_the_likeliest():
    weights = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    found = tilted(VALUES, weights, -0.2)
    assert found.sum() == pytest.approx(1.0)
    assert found @ VALUES == pytest.approx(-0.2)
    rng = np.random.default_rng(1)
    for _ in range(50):
        # Small changes that keep the sum and the mean make it less likely.
        change = rng.normal(size=5)
        basis = np.linalg.qr(np.stack([np.ones(5), VALUES], axis=1))[0]
        change -= basis @ (basis.T @ change)
        other = found + 0.01 * change
        assert weights @ np.log(other) < weights @ np.log(found)


def test_agents_that_are_alike_to_the_last_game_are_no_better():
    test = Gsprt()
    assert test.decide(test.llr(np.zeros(1000))) == "H0"


def test_one_sided_beginnings_decide_nothing():
    test = Gsprt()
    assert test.decide(test.llr(np.ones(2))) is None


@pytest.mark.parametrize("wrong", [{"h0": 0.02}, {"h1": 1.0}, {"alpha": 0.0}, {"beta": 0.5}])
def test_hypotheses_and_errors_out_of_bounds_are_refused(wrong):
    with pytest.raises(ValueError, match="must"):
        Gsprt(**wrong)
