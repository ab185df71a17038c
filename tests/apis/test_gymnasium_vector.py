"""Gymnasium's vector environment on the batch engine."""

import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import (
    check_reset_options,
    check_reset_seed_determinism,
    check_returned_data_not_reused,
    data_equivalence,
)
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import lowhand
from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.apis.gymnasium_vector import SeatVectorEnv

ENV = "lowhand/NoThanks-v0"
PASS, TAKE = 0, 1


class Dicer:
    """A user's own player; `calls` counts how often it was asked, `most` for how many tables."""

    def __init__(self):
        self.calls = self.most = 0

    def act(self, table, rng):
        self.calls, self.most = self.calls + 1, max(self.most, len(table))
        return np.where(table.uniforms() < 0.3, TAKE, 1 - table.action_mask[:, PASS])


def make(num_envs=8, **kwargs):
    return gymnasium.make_vec(ENV, num_envs=num_envs, **kwargs)


def policy(observations):
    """Anything fixed by each observation; now and then it is illegal."""
    return np.array([int(float(row.sum()) * 997) % 2 for row in observations])


def test_make_vec_reaches_the_batch_engine():
    envs = make(16, num_players=3)
    assert isinstance(envs, SeatVectorEnv)
    assert isinstance(envs.batch, lowhand.Batch)
    assert envs.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP
    assert envs.observation_space.shape == (16, *envs.single_observation_space.shape)
    assert envs.num_envs == 16


@pytest.mark.parametrize("num_players", [2, 3, 7])
@pytest.mark.filterwarnings("ignore:action 0 in game")
def test_gymnasium_checkers_that_work_on_vectors_pass(num_players):
    # `check_env` itself refuses vector environments, and the last of these needs a single game.
    envs = make(num_players=num_players, opponents="ratio")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_reset_seed_determinism(envs)
        check_reset_options(envs)
        check_returned_data_not_reused(make(1, num_players=num_players, opponents="ratio"))


@pytest.mark.filterwarnings("ignore:action 0 in game")
def test_no_array_is_ever_handed_out_twice():
    # Cards 3 and 4 only: games end all the time, so that final_obs and final_info come too.
    envs = make(low=3, high=4, removed=0, chips=1)
    shown = [envs.reset(seed=0)]
    for _ in range(30):
        observation, *_, info = envs.step(envs.action_space.sample())
        shown.append((observation, info))
    arrays = [array for observation, info in shown for array in (observation, *_leaves(info))]
    for k, one in enumerate(arrays):
        assert not any(np.shares_memory(one, other) for other in arrays[k + 1 :])


def _leaves(info):
    for value in info.values():
        if isinstance(value, dict):
            yield from _leaves(value)
        elif value.dtype == object:
            yield from (one for one in value if one is not None)
        else:
            yield value


OPPONENTS = [
    ("greedy",),
    ("random", "valuer:1,0.5,2,1,0,3", "sally"),
    ("random", Dicer(), "greedy"),
    (Dicer(),),
]


@pytest.mark.parametrize("seat", ["random", 2])
@pytest.mark.parametrize("opponents", OPPONENTS)
@pytest.mark.filterwarnings("ignore:action 0")
def test_every_game_is_the_one_that_the_single_environment_plays(opponents, seat):
    envs = make(6, opponents=opponents, seat=seat)
    single = gymnasium.make(ENV, opponents=opponents, seat=seat)
    replay_and_compare(envs, single, steps=150, finished=12)


@pytest.mark.parametrize("seat", ["random", 0])
@pytest.mark.filterwarnings("ignore:action 0")
def test_games_that_end_before_your_move_are_skipped_alike(seat):
    kwargs = {"opponents": "random:0.95", "num_players": 2, "low": 3, "high": 8, "removed": 2}
    envs, single = make(6, seat=seat, **kwargs), gymnasium.make(ENV, seat=seat, **kwargs)
    replay_and_compare(envs, single, steps=150, finished=60)
    assert envs.batch._tables.tables["episode"].sum() > 1.2 * 60


def replay_and_compare(envs, single, steps, finished):
    """Step `envs`, and replay each game by its key in the single environment."""
    observations, infos = envs.reset(seed=21)
    played = [[] for _ in range(envs.num_envs)]
    ends = 0
    for _ in range(steps):
        keys = envs.batch.states["key"].copy()
        actions = policy(observations)
        for game, record in enumerate(played):
            record.append((observations[game], infos["seat"][game], actions[game]))
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        assert not truncated.any()
        assert not rewards[~terminated].any()
        np.testing.assert_array_equal(infos.get("_final_obs", terminated), terminated)
        for game in np.flatnonzero(terminated):
            ends += 1
            _replay(single, keys[game], played[game], rewards[game], infos, game)
            played[game] = []
    assert ends >= finished


def _replay(single, key, record, reward, infos, game):
    observation, info = single.reset(options={"key": key})
    over = False
    for expected, seat, action in record:
        assert not over
        np.testing.assert_array_equal(observation, expected)
        assert info["seat"] == seat
        observation, single_reward, over, _, info = single.step(action)
    assert over
    assert single_reward == reward
    np.testing.assert_array_equal(observation, infos["final_obs"][game])
    for name, value in info.items():
        assert infos["final_info"][f"_{name}"][game]
        np.testing.assert_array_equal(infos["final_info"][name][game], value)


@pytest.mark.filterwarnings("ignore:action 0")
def test_infos_are_built_as_gymnasium_builds_them():
    kwargs = {
        "opponents": "greedy",
        "num_players": 3,
        "seat": 1,
        "low": 3,
        "high": 12,
        "removed": 2,
    }
    ours = make(1, **kwargs)
    theirs = SyncVectorEnv(
        [lambda: SeatEnv("no_thanks", **kwargs)], autoreset_mode=AutoresetMode.SAME_STEP
    )
    observations, infos = ours.reset(seed=9)
    assert data_equivalence((observations, infos), theirs.reset(seed=9), exact=True)
    terminated = [False]
    while not terminated[0]:
        actions = policy(observations)
        observations, rewards, terminated, _, infos = ours.step(actions)
        _, their_rewards, their_terminated, _, their_infos = theirs.step(actions)
        np.testing.assert_array_equal(rewards, their_rewards)
        assert rewards.dtype == their_rewards.dtype
        np.testing.assert_array_equal(terminated, their_terminated)
    for infos_ in (infos, their_infos):  # the new game is another one there
        del infos_["seat"], infos_["action_mask"]
    assert data_equivalence(infos["final_obs"][0], their_infos["final_obs"][0], exact=True)
    del infos["final_obs"], their_infos["final_obs"]
    assert data_equivalence(infos, their_infos, exact=True)


def test_games_are_numbered_as_in_every_batch():
    envs = make(5, num_players=3)
    envs.reset(seed=33)
    batch = lowhand.make_batch("no_thanks", 5, num_players=3, seed=33)
    np.testing.assert_array_equal(envs.batch.states["key"], batch.states["key"])
    assert envs.batch.states["key"][4] == lowhand.game_key(*np.uint64([33, 4, 0]))


def test_seats_are_drawn_anew_in_each_game():
    envs = make(400, num_players=4, low=3, high=4, removed=0, chips=0)
    _, infos = envs.reset(seed=0)
    seats = [infos["seat"]]
    for _ in range(10):
        *_, infos = envs.step(np.full(400, TAKE))
        seats.append(infos["seat"])
    # Without chips the first player takes all, so these are the games in which the seat starts.
    counts = np.bincount(np.concatenate(seats), minlength=4)
    assert (np.abs(counts - 1100) < 6 * np.sqrt(4400 * 3 / 16)).all()


def test_a_python_agent_is_asked_once_for_all_its_tables():
    agent = Dicer()
    envs = make(64, opponents=agent, num_players=3)
    _, infos = envs.reset(seed=0)
    agent.calls = agent.most = 0
    for _ in range(10):
        *_, infos = envs.step(np.where(infos["action_mask"][:, PASS], PASS, TAKE))
    assert agent.most > 32
    assert agent.calls < 10 * 40  # far fewer than one call a table and move


def test_seeds_and_threads_fix_everything():
    records = []
    for num_threads in (1, 3):
        envs = make(7, opponents="random", num_threads=num_threads)
        envs.reset()
        envs.reset(seed=5)
        envs.reset()  # the seed drawn next is fixed, too
        shown = []
        for _ in range(60):
            observations, rewards, _, _, infos = envs.step(np.full(7, TAKE))
            shown += [observations, rewards, infos["seat"]]
        records.append(shown)
    for one, other in zip(*records, strict=True):
        np.testing.assert_array_equal(one, other)


# Illegal actions and misuse


def test_an_illegal_action_ends_the_offenders_game_alone():
    envs = make(4, seat=0, num_players=3, first_player=0, chips=1, opponents="random:0")
    envs.reset(seed=0)
    *_, infos = envs.step(np.array([PASS, PASS, TAKE, TAKE]))
    assert infos["action_mask"][:, PASS].tolist() == [0, 0, 1, 1]
    before = envs.batch.states.copy()
    with pytest.warns(UserWarning, match=r"action 0 in game 0 is illegal; legal actions are \[1\]"):
        _, rewards, terminated, _, infos = envs.step(np.array([PASS, TAKE, TAKE, 5]))
    assert rewards.tolist() == [-1, 0, 0, -1]
    assert terminated.tolist() == [True, False, False, True]
    assert infos["final_info"]["illegal_action"].tolist() == [True, False, False, True]
    assert infos["final_info"]["win_share"].tolist() == [0, 0, 0, 0]
    same = envs.batch.states["key"] == before["key"]
    assert same.tolist() == [False, True, True, False]
    assert envs.batch.states["key"][3] == lowhand.game_key(*np.uint64([0, 3, 1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        _, rewards, terminated, _, infos = envs.step(np.array([TAKE, -1, TAKE, TAKE]))
    assert rewards.tolist() == [0, -1, 0, 0]
    assert terminated.tolist() == [False, True, False, False]
    _, rewards, _, _, infos = envs.step(np.full(4, TAKE))
    assert not rewards.any()
    assert "final_obs" not in infos


def test_an_illegal_action_can_raise_and_then_no_game_has_moved():
    envs = make(3, illegal_action="raise")
    envs.reset(seed=0)
    before = envs.batch.states.copy()
    with pytest.raises(ValueError, match="action 2 in game 1 is illegal"):
        envs.step(np.array([PASS, 2, TAKE]))
    np.testing.assert_array_equal(envs.batch.states, before)


@pytest.mark.parametrize("actions", [[0, 1], np.zeros(3), [[0], [1], [0]], 0])
def test_actions_of_another_shape_or_type_are_refused(actions):
    envs = make(3)
    envs.reset(seed=0)
    with pytest.raises(ValueError, match="actions must be 3 integers"):
        envs.step(actions)


def test_stepping_needs_a_reset_and_reset_takes_no_options():
    envs = make(3)
    with pytest.raises(ResetNeeded, match="reset"):
        envs.step([0, 0, 0])
    with pytest.raises(ValueError, match="has no reset options, but got 'deck'"):
        envs.reset(options={"deck": [3]})


def test_it_renders_each_table_from_your_seat():
    envs = make(3, num_players=3, render_mode="ansi", seat=1)
    envs.reset(seed=0)
    frames = envs.render()
    assert len(frames) == 3
    assert all(frame.count("? chips") == 2 for frame in frames)


def test_the_statistics_wrapper_of_gymnasium_works_on_it():
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(make(4, low=3, high=5, removed=0))
    envs.reset(seed=0)
    lengths = []
    for _ in range(20):
        *_, infos = envs.step(np.full(4, TAKE))
        if "episode" in infos:
            lengths += infos["episode"]["l"][infos["_episode"]].tolist()
    assert lengths
