import numpy as np
import pytest
from scipy.optimize import linprog

choix = pytest.importorskip("choix")

from lowhand_training.evaluation.lottery import margins, maximal_lottery
from lowhand_training.evaluation.plackett_luce import break_ties, fit, refit

TRUTH = np.array([1.0, 0.5, 0.0, -0.5, -1.0])


def rankings(who: np.ndarray, strength: np.ndarray, seed: int) -> np.ndarray:
    """Orders drawn by the model: the agents `who` (games, seats), first to last.

    Adding Gumbel noise to log strengths and sorting draws from Plackett–Luce.
    """
    noise = np.random.default_rng(seed).gumbel(size=who.shape)
    places = np.argsort(-(strength[who] + noise), axis=1)
    return np.take_along_axis(who, places, axis=1).astype(np.int16)


def different(games: int, seats: int, agents: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(np.arange(agents), (games, 1)), axis=1)[:, :seats]


def test_plackett_luce_recovers_known_strengths():
    orders = rankings(different(20_000, 4, 5), TRUTH, seed=1)
    np.testing.assert_allclose(fit(orders, 5)[0], TRUTH, atol=0.04)


def test_plackett_luce_agrees_with_choix():
    orders = rankings(different(2000, 3, 5), TRUTH, seed=2)
    expected = choix.ilsr_rankings(5, orders.tolist())
    # The prior, which choix does not have, moves it by this little.
    np.testing.assert_allclose(fit(orders, 5)[0], expected, atol=1e-3)


def test_copies_are_entrants_of_the_same_strength():
    # One agent alone among three copies of another, by turns.
    rng = np.random.default_rng(3)
    pairs = different(20_000, 2, 5)
    who = np.concatenate([pairs[:, :1], np.repeat(pairs[:, 1:], 3, axis=1)], axis=1)
    orders = rankings(rng.permuted(who, axis=1), TRUTH, seed=3)
    np.testing.assert_allclose(fit(orders, 5)[0], TRUTH, atol=0.06)


def test_an_agent_that_always_wins_gets_a_finite_strength():
    found, _ = fit(np.array([[0, 1, 2], [0, 2, 1]] * 50, np.int16), 3)
    assert np.isfinite(found).all()
    assert found[0] > found[1] + 3.0
    assert found[1] == pytest.approx(found[2])


@pytest.mark.parametrize("wins", [0, 1, 20])
def test_a_resample_far_from_the_fit_gets_its_own_maximum(wins):
    # The last agent has won one game of 400; a resample may leave it out, or take it often.
    orders = np.array([[0, 1, 2], [1, 0, 2]] * 200, np.int16)
    orders[0] = 2, 0, 1
    weights = np.ones(400)
    weights[0] = wins
    theta, hessian = fit(orders, 3)
    found = refit(orders, weights, theta, np.linalg.inv(hessian))
    np.testing.assert_allclose(found, fit(orders, 3, weights)[0], atol=0.01)


def test_weights_count_games():
    orders = rankings(different(300, 3, 5), TRUTH, seed=4)
    counts = np.random.default_rng(0).integers(0, 4, 300)
    repeated, _ = fit(np.repeat(orders, counts, axis=0), 5)
    weighted, _ = fit(orders, 5, counts.astype(float))
    np.testing.assert_allclose(weighted, repeated, atol=1e-8)


def test_a_refit_from_nearby_is_the_fit():
    orders = rankings(different(1000, 3, 5), TRUTH, seed=5)
    start, hessian = fit(orders, 5)
    counts = np.random.default_rng(0).poisson(1.0, 1000).astype(float)
    near = refit(orders, counts, start, np.linalg.inv(hessian), tolerance=1e-8)
    np.testing.assert_allclose(near, fit(orders, 5, counts)[0], atol=1e-6)


def test_agents_that_never_meet_are_not_rated():
    with pytest.raises(ValueError, match="connect"):
        fit(np.array([[0, 1], [2, 3]], np.int16), 4)


def test_ties_fall_either_way_equally_often():
    ranks = np.tile(np.array([2, 1, 2, 4], np.int8), (4000, 1))
    orders = break_ties(ranks, np.random.default_rng(6))
    assert (orders[:, 0] == 1).all()
    assert (orders[:, 3] == 3).all()
    assert (orders[:, 1] == 0).mean() == pytest.approx(0.5, abs=0.04)


CYCLE = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])


def test_lottery_of_rock_paper_scissors_is_even():
    found = maximal_lottery(CYCLE)
    np.testing.assert_allclose(found.chances, 1 / 3, atol=1e-6)
    assert found.unique


def test_lottery_of_an_uneven_cycle_is_the_known_one():
    # Margins a > b by x, b > c by y, c > a by z: the lottery is (y, z, x) / (x + y + z).
    x, y, z = 0.1, 0.2, 0.5
    uneven = np.array([[0.0, x, -z], [-x, 0.0, y], [z, -y, 0.0]])
    np.testing.assert_allclose(
        maximal_lottery(uneven).chances, np.array([y, z, x]) / 0.8, atol=1e-6
    )


def test_who_beats_all_gets_all_and_a_cycle_below_does_not_matter():
    matrix = np.zeros((4, 4))
    matrix[1:, 1:] = CYCLE
    matrix[0, 1:], matrix[1:, 0] = 0.1, -0.1
    found = maximal_lottery(matrix)
    np.testing.assert_allclose(found.chances, [1, 0, 0, 0], atol=1e-6)
    assert found.unique


def test_lottery_among_equals_is_told_not_to_be_unique():
    found = maximal_lottery(np.zeros((3, 3)))
    assert not found.unique
    assert (found.chances > 0.1).all()


def test_no_agent_beats_a_maximal_lottery():
    rng = np.random.default_rng(7)
    for _ in range(20):
        matrix = rng.normal(size=(7, 7))
        matrix -= matrix.T
        assert (maximal_lottery(matrix).chances @ matrix > -1e-6).all()


def extremes(matrix):
    """The maximal lotteries that give each agent in turn as little and as much as any does."""
    agents = len(matrix)
    return np.array(
        [
            linprog(sign * row, -matrix.T, np.full(agents, 1e-9), np.ones((1, agents)), [1.0]).x
            for row in np.eye(agents)
            for sign in (-1, 1)
        ]
    )


def test_one_program_finds_what_a_pair_for_each_agent_does():
    rng, kinds = np.random.default_rng(8), set()
    for number in range(60):
        agents = 2 + number % 5
        # Whole numbers often have several maximal lotteries, others almost never.
        matrix = (
            rng.integers(-1, 2, (agents, agents)) if number % 2 else rng.normal(size=(agents,) * 2)
        )
        matrix = (matrix - matrix.T).astype(float)
        found, known = maximal_lottery(matrix), extremes(matrix)
        kinds.add(found.unique)
        assert found.unique == (np.ptp(known, axis=0) < 1e-6).all()
        assert ((found.chances > 1e-6) == (known.max(axis=0) > 1e-6)).all(), "all that may be mixed"
        if found.unique:
            np.testing.assert_allclose(found.chances, known.mean(axis=0), atol=1e-6)
    assert kinds == {True, False}


def test_ratings_see_no_cycle_where_the_lottery_does():
    cycle = np.array([[0, 1], [1, 2], [2, 0]] * 100, np.int16)
    np.testing.assert_allclose(fit(cycle, 3)[0], 0.0, atol=1e-9)
    ranks = np.tile(np.array([1, 2], np.int8), (300, 1))
    np.testing.assert_allclose(margins(cycle, ranks, 3), CYCLE)


def test_margins_count_pairs_of_seats_and_leave_copies_out():
    # Agent 0 first, agent 1 second and (tied with it) third: 0 beats both copies.
    agent, rank = np.array([[0, 1, 1]], np.int16), np.array([[1, 2, 2]], np.int8)
    np.testing.assert_allclose(margins(agent, rank, 2), [[0.0, 1.0], [-1.0, 0.0]])
    rank = np.array([[2, 1, 2]], np.int8)  # one copy above, one level
    np.testing.assert_allclose(margins(agent, rank, 2), [[0.0, -0.5], [0.5, 0.0]])
