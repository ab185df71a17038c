"""Advantages per seat against the definition, written as plainly as it can be."""

import numpy as np
import pytest

from lowhand_training.trainer.ppo.gae import seat_advantages


def advantages(values, movers, done, rewards, last_values, last_movers, gae_lambda):
    """`seat_advantages` with its outputs returned; a game that is done has ended for all seats."""
    out, known = np.full(values.shape, np.nan, np.float32), np.ones(values.shape, np.bool_)
    seat_advantages(
        np.asarray(values, np.float32),
        np.asarray(movers, np.int8),
        np.repeat(np.asarray(done, np.bool_)[..., np.newaxis], np.shape(rewards)[2], axis=2),
        np.asarray(rewards, np.float32),
        np.asarray(last_values, np.float32),
        np.asarray(last_movers, np.int8),
        gae_lambda,
        out,
        known,
    )
    return out, known


def by_definition(values, movers, done, rewards, last_values, last_movers, gae_lambda):
    """The same, one decision at a time, looking forward."""
    steps, games = values.shape
    out, known = np.zeros(values.shape), np.zeros(values.shape, bool)

    def advantage(t: int, i: int) -> tuple[float, bool]:
        seat = movers[t, i]
        for u in range(t, steps):
            if u > t and movers[u, i] == seat:
                return values[u, i] - values[t, i] + gae_lambda * advantage(u, i)[0], True
            if done[u, i]:
                return rewards[u, i, seat] - values[t, i], True
        if last_movers[i] == seat:
            return last_values[i] - values[t, i], True
        return 0.0, False

    for i in range(games):
        for t in range(steps):
            out[t, i], known[t, i] = advantage(t, i)
    return out, known


def test_worked_by_hand():
    # Seats 0, 1, 0, 1; the game ends by the third decision and pays 1 and −2; λ = 0.5.
    values = np.array([[0.1], [0.2], [0.3], [0.4]])
    movers, done = np.array([[0], [1], [0], [1]]), np.array([[False], [False], [True], [False]])
    rewards = np.zeros((4, 1, 2))
    rewards[2, 0] = 1.0, -2.0
    out, known = advantages(values, movers, done, rewards, [0.9], [0], 0.5)
    third = 1.0 - 0.3
    expected = [(0.3 - 0.1) + 0.5 * third, -2.0 - 0.2, third, 0.0]
    np.testing.assert_allclose(out[:, 0], expected, rtol=1e-6)
    # Seat 1 decided once in the second game, and what followed is not known: seat 0 is to move.
    assert known[:, 0].tolist() == [True, True, True, False]


def test_value_of_the_decision_to_come_stands_for_the_rest_of_the_game():
    out, known = advantages(
        np.array([[0.5]]), [[1]], [[False]], np.zeros((1, 1, 2)), [0.75], [1], 0.9
    )
    assert known.all()
    np.testing.assert_allclose(out, 0.25)


def test_end_pays_seats_whose_last_decision_lies_behind_those_of_others():
    movers = np.array([[2], [0], [1], [0], [1]])
    rewards = np.zeros((5, 1, 3))
    rewards[4, 0] = 0.1, 0.2, 0.7
    done = np.array([[False]] * 4 + [[True]])
    out, known = advantages(np.zeros((5, 1)), movers, done, rewards, [9.0], [0], 1.0)
    assert known.all()
    np.testing.assert_allclose(out[:, 0], [0.7, 0.1, 0.2, 0.1, 0.2], rtol=1e-6)


def test_with_lambda_1_the_return_is_the_reward_and_with_0_the_next_value():
    values = np.array([[0.1], [0.4], [0.8]])
    rewards, done = np.zeros((3, 1, 1)), np.array([[False], [False], [True]])
    rewards[2, 0, 0] = 1.0
    arguments = values, np.zeros((3, 1), int), done, rewards, [5.0], [0]
    one, _ = advantages(*arguments, 1.0)
    np.testing.assert_allclose(one + values, 1.0, rtol=1e-6)
    zero, _ = advantages(*arguments, 0.0)
    np.testing.assert_allclose(zero[:, 0], [0.3, 0.4, 0.2], rtol=1e-5)


@pytest.mark.parametrize("seats", [1, 2, 3, 7])
@pytest.mark.parametrize("ends", [0.0, 0.05, 0.3, 1.0])
@pytest.mark.parametrize("gae_lambda", [0.0, 0.9, 1.0])
def test_agrees_with_the_definition(seats, ends, gae_lambda):
    rng = np.random.default_rng([seats, int(100 * ends)])
    steps, games = 12, 40
    done = rng.random((steps, games)) < ends
    rewards = rng.normal(size=(steps, games, seats)) * done[..., np.newaxis]
    given = (
        rng.normal(size=(steps, games)),
        rng.integers(seats, size=(steps, games)),
        done,
        rewards,
        rng.normal(size=games),
        rng.integers(seats, size=games),
    )
    out, known = advantages(*given, gae_lambda)
    expected, expected_known = by_definition(*given, gae_lambda)
    assert (known == expected_known).all()
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)
    if seats == 1:
        assert known.all()


def by_definition_of_returns(values, movers, ended, rewards, last_values, last_movers):
    """With λ = 1: all that the seat earns until its game ends, or the value to come."""
    steps, games = values.shape
    out, known = np.zeros(values.shape), np.zeros(values.shape, bool)
    for i in range(games):
        for t in range(steps):
            seat, earned = movers[t, i], 0.0
            for u in range(t, steps):
                earned += rewards[u, i, seat]
                if ended[u, i, seat]:
                    out[t, i], known[t, i] = earned, True
                    break
            else:
                if last_movers[i] == seat:
                    out[t, i], known[t, i] = earned + last_values[i], True
    return out - values, known


def test_seats_are_paid_in_between_and_go_out_before_the_end():
    """Rewards of rounds, and games that end for one seat while the others play on."""
    rng = np.random.default_rng(7)
    steps, games, seats = 14, 60, 3
    done = rng.random((steps, games)) < 0.1
    out = np.zeros((steps, games, seats), bool)
    movers = np.zeros((steps, games), int)
    for i in range(games):
        gone = np.zeros(seats, bool)
        for t in range(steps):
            movers[t, i] = rng.choice(np.flatnonzero(~gone))
            if rng.random() < 0.15 and gone.sum() < seats - 1:
                gone[rng.choice(np.flatnonzero(~gone))] = True
            out[t, i] = gone | done[t, i]
            if done[t, i]:
                gone[:] = False
        last = rng.choice(np.flatnonzero(~gone))
        if i == 0:
            last_movers = np.zeros(games, int)
        last_movers[i] = last
    rewards = rng.normal(size=(steps, games, seats)) * (rng.random((steps, games, 1)) < 0.3)
    paid_after_out = np.zeros_like(out)
    paid_after_out[1:] = out[:-1] & ~done[:-1, :, np.newaxis]
    rewards[paid_after_out] = 0.0
    values, last_values = rng.normal(size=(steps, games)), rng.normal(size=games)
    found, known = np.zeros((steps, games), np.float32), np.zeros((steps, games), bool)
    seat_advantages(
        values.astype(np.float32), movers.astype(np.int8), out, rewards.astype(np.float32),
        last_values.astype(np.float32), last_movers.astype(np.int8), 1.0, found, known,
    )  # fmt: skip
    expected, expected_known = by_definition_of_returns(
        values, movers, out, rewards, last_values, last_movers
    )
    assert (known >= expected_known).all(), "whatever is settled is known"
    assert known.mean() > 0.7
    np.testing.assert_allclose(found[expected_known], expected[expected_known], atol=1e-4)
