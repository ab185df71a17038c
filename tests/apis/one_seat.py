"""One seat of No Thanks! in Gymnasium, for tests: environments, opponents, and games played."""

import gymnasium
import numpy as np

ENV = "lowhand/NoThanks-v0"
PASS, TAKE = 0, 1
ALWAYS_TAKES, NEVER_TAKES = "random:1", "random:0"


class Dicer:
    """A user's own player: random legal actions, by the table's random numbers."""

    def act(self, table, rng):
        return np.where(table.uniforms() < 0.3, TAKE, 1 - table.action_mask[:, PASS])


class Gambler:
    """An agent that uses the generator it is given."""

    name = "gambler"

    def act(self, table, rng):
        return np.where(rng.random(len(table)) < 0.3, TAKE, 1 - table.action_mask[:, PASS])


def make(**kwargs):
    return gymnasium.make(ENV, **kwargs)


def raw(**kwargs):
    return make(**kwargs).unwrapped


def state_of(env):
    return env.unwrapped._states[0]


def policy(observation):
    """Anything fixed by the observation; now and then it is illegal."""
    return int(float(observation.sum()) * 997) % 2


def play(env, **reset):
    """Everything that one game shows, as a list."""
    observation, info = env.reset(**reset)
    shown, over = [(observation, 0.0, False, info)], False
    while not over:
        observation, reward, over, truncated, info = env.step(policy(observation))
        assert not truncated
        shown.append((observation, reward, over, info))
    return shown


def assert_same(one, other):
    assert len(one) == len(other)
    for (obs_1, reward_1, over_1, info_1), (obs_2, reward_2, over_2, info_2) in zip(one, other):
        np.testing.assert_array_equal(obs_1, obs_2)
        assert (reward_1, over_1) == (reward_2, over_2)
        np.testing.assert_equal(info_1, info_2)
