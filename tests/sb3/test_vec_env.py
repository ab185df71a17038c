"""Stable-Baselines3's `VecEnv` on the batch engine, and SB3's algorithms on it."""

import warnings

import gymnasium
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("stable_baselines3")
pytest.importorskip("sb3_contrib")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import (
    get_action_masks,
    is_masking_supported,
)
from stable_baselines3 import A2C, DQN, PPO
from stable_baselines3.common.callbacks import (
    CheckpointCallback,
    StopTrainingOnMaxEpisodes,
)
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecCheckNan,
    VecMonitor,
    VecNormalize,
)

from lowhand.apis.gymnasium_env import SeatEnv
from lowhand.apis.gymnasium_vector import SeatVectorEnv
from lowhand_training.sb3 import LowhandVecEnv

SHORT = {"low": 3, "high": 8, "removed": 1, "chips": 3}
PASS, TAKE = 0, 1


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)  # networks this small gain nothing, and lose much on a busy machine
    yield
    torch.set_num_threads(before)


def make(num_envs=8, **changes) -> LowhandVecEnv:
    return LowhandVecEnv(num_envs, "no_thanks", **{"num_players": 3, **SHORT, **changes})


def first_legal(env: LowhandVecEnv) -> np.ndarray:
    """Pass as long as one can, so that games are long; both actions come up."""
    return env.action_masks().argmax(axis=1)


def played(env, steps=60):
    """Observation, rewards, dones and infos of every step."""
    return [env.step(first_legal(env.unwrapped)) for _ in range(steps)]


def test_plays_the_games_of_the_gymnasium_vector_environment():
    env = make()
    peer = SeatVectorEnv(8, "no_thanks", num_players=3, **SHORT)
    env.seed(5)
    shown, ended = env.reset(), 0
    theirs, infos = peer.reset(seed=5)
    assert (shown == theirs).all()
    assert [info["seat"] for info in env.reset_infos] == infos["seat"].tolist()
    for _ in range(60):
        actions = first_legal(env)
        shown, rewards, dones, told = env.step(actions)
        theirs, paid, terminated, truncated, infos = peer.step(actions)
        assert (shown == theirs).all()
        assert (rewards == paid.astype(np.float32)).all()
        assert (dones == (terminated | truncated)).all()
        assert (env.action_masks() == peer.action_masks()).all()
        for row in np.flatnonzero(dones):
            ended += 1
            final = infos["final_info"]
            assert (told[row]["terminal_observation"] == infos["final_obs"][row]).all()
            assert (told[row]["final_scores"] == final["final_scores"][row]).all()
            assert told[row]["win_share"] == told[row]["is_success"] == final["win_share"][row]
            assert told[row]["illegal_action"] is False
            assert told[row]["TimeLimit.truncated"] is False
        assert not any(told[row] for row in np.flatnonzero(~dones))
    assert ended > 20


def test_plays_the_game_of_the_single_environment():
    env, single = make(1), SeatEnv("no_thanks", num_players=3, **SHORT)
    env.seed(9)
    shown = env.reset()[0]
    theirs, _ = single.reset(seed=9)
    while True:
        assert (shown == theirs).all()
        action = int(first_legal(env)[0])
        (shown,), (reward,), (done,), (told,) = env.step(np.array([action]))
        theirs, paid, terminated, _, info = single.step(action)
        assert (reward, done) == (np.float32(paid), terminated)
        if done:
            break
    assert (told["terminal_observation"] == theirs).all()
    assert told["win_share"] == info["win_share"]


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
def test_statistics_are_those_of_vec_monitor():
    env, monitored = make(reward="score"), VecMonitor(make(reward="score"))
    for one in (env, monitored):
        one.seed(2)
        one.reset()
    lengths = []
    for (*_, told), (*_, theirs) in zip(played(env), played(monitored), strict=True):
        for ours, those in zip(told, theirs, strict=True):
            assert ("episode" in ours) == ("episode" in those)
            if ours:
                assert ours["episode"]["r"] == pytest.approx(those["episode"]["r"], abs=1e-5)
                assert ours["episode"]["l"] == those["episode"]["l"]
                assert ours["episode"]["t"] >= 0
                lengths.append(ours["episode"]["l"])
    assert len(set(lengths)) > 3


def test_games_that_go_on_share_empty_infos_which_nobody_can_spoil():
    env = make(4, low=3, high=35, removed=9, chips=11)
    env.seed(0)
    env.reset()
    (*_, first), (*_, second) = played(env, 2)
    assert all(a is b for a, b in zip(first, second, strict=True))
    second[1]["mine"] = 1
    ((*_, third),) = played(env, 1)
    assert not any(third)


def test_a_match_that_a_limit_ends_is_truncated():
    env = LowhandVecEnv(4, "least_score", opponents="random", num_players=2, max_deals=1)
    env.seed(1)
    env.reset()
    truncated = []
    for _ in range(40):
        *_, told = env.step(env.action_masks().argmax(axis=1))
        truncated += [info["TimeLimit.truncated"] for info in told if info]
    assert any(truncated)


def test_same_seed_same_games_and_without_a_seed_others():
    env = make()
    assert env.seed(4) == [4] * 8
    first = env.reset()
    assert (env.reset() != first).any()  # a seed counts once
    env.seed(4)
    assert (env.reset() == first).all()
    env.seed()
    assert (env.reset() != first).any()


@pytest.mark.filterwarnings("ignore:The environment is already wrapped with a `Monitor`")
def test_masks_are_there_as_sb3_contrib_asks_for_them():
    env = make()
    env.seed(0)
    env.reset()
    played(env, 5)
    for one in (env, VecMonitor(env), VecCheckNan(env)):
        assert is_masking_supported(one)
        assert (get_action_masks(one) == env.action_masks()).all()
    masks = env.action_masks()
    assert masks.dtype == np.bool_
    assert (np.stack(env.env_method("action_masks", indices=[2, 5])) == masks[[2, 5]]).all()
    assert (env.env_method("action_masks", indices=3)[0] == masks[3]).all()
    assert (env.get_attr("action_masks", 3)[0]() == masks[3]).all()


def test_illegal_actions_lose_or_are_refused():
    env = make(2, chips=1, seat=0, first_player=0)
    env.seed(0)
    env.reset()
    while env.action_masks()[0, PASS]:
        env.step(first_legal(env))
    with pytest.warns(UserWarning, match="action 0 in game 0 is illegal"):
        _, rewards, dones, told = env.step(np.array([PASS, TAKE]))
    assert (rewards[0], dones[0], told[0]["illegal_action"]) == (-1.0, True, True)
    assert (told[0]["win_share"], told[0]["episode"]["r"]) == (0.0, -1.0)
    strict = make(1, chips=1, illegal_action="raise")
    strict.reset()
    while strict.action_masks()[0, PASS]:
        strict.step(np.array([PASS]))
    before = strict.games.batch.states.copy()
    with pytest.raises(ValueError, match="action 0 in game 0 is illegal; legal actions are"):
        strict.step(np.array([PASS]))
    assert (strict.games.batch.states == before).all()


def test_attributes_rendering_and_what_there_is_not():
    env = make(2, render_mode="ansi", seat=1)
    env.reset()
    assert env.get_attr("seat") == [1, 1]
    assert env.get_attr("game", [0])[0].name == "no_thanks"
    assert env.get_attr("render_mode") == ["ansi"] * 2
    assert env.get_attr("action_space", 0) == [env.action_space]
    assert env.render() == tuple(env.env_method("render"))
    assert len(env.render()) == 2
    assert "chips" in env.render()[0]
    assert env.env_is_wrapped(Monitor) == [True, True]
    assert env.env_is_wrapped(gymnasium.Wrapper, indices=0) == [
        issubclass(Monitor, gymnasium.Wrapper)
    ]
    assert env.env_is_wrapped(gymnasium.wrappers.TimeLimit) == [False, False]
    assert not env.has_attr("nothing")
    with pytest.raises(AttributeError, match="no method 'fly'; they have action_masks, render"):
        env.env_method("fly")
    with pytest.raises(AttributeError, match="can't be set"):
        env.set_attr("seat", 2)
    env.set_options({"deck": [3]})
    with pytest.raises(ValueError, match="no reset options"):
        env.reset()
    with pytest.warns(UserWarning, match="no `render_mode`"):
        make(1).render()
    env.close()


def test_pictures_of_all_tables_are_one_as_sb3_films_them():
    pytest.importorskip("PIL")
    env = make(3, render_mode="rgb_array")
    env.reset()
    pictures = env.get_images()
    height, width, _ = pictures[0].shape
    whole = env.render()
    assert whole.shape == (2 * height, 2 * width, 3)  # as near to a square as can be
    for row, picture in enumerate(pictures):
        top, left = divmod(row, 2)
        there = whole[top * height : (top + 1) * height, left * width : (left + 1) * width]
        assert (there == picture).all()
        assert (picture == env.env_method("render", indices=row)[0]).all()
    assert make(2, render_mode="ansi").get_images() == [None, None]


def test_arguments_are_checked_as_elsewhere():
    with pytest.raises(ValueError, match="opponents must be one for all"):
        make(num_players=4, opponents=["greedy", "greedy"])


@pytest.mark.parametrize("algorithm", [PPO, A2C, MaskablePPO])
def test_algorithms_learn_on_the_batch(algorithm):
    env = make(16)
    small = {} if algorithm is A2C else {"batch_size": 64, "n_epochs": 2}
    model = algorithm("MlpPolicy", env, n_steps=16, seed=0, device="cpu", **small)
    before = [p.detach().clone() for p in model.policy.parameters()]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "action 0 in game")
        model.learn(512)
    assert model.num_timesteps == 512
    assert any((a != b).any() for a, b in zip(before, model.policy.parameters(), strict=True))
    games = [info["l"] for info in model.ep_info_buffer]
    assert 10 < len(games) <= 100


@pytest.mark.parametrize("algorithm", [PPO, A2C, DQN])
def test_other_algorithms_learn_on_the_gymnasium_environment(algorithm):
    env = gymnasium.make("lowhand/NoThanks-v0", num_players=3, **SHORT)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "action 0 is illegal")
        check_env(env.unwrapped)
        small = {"n_steps": 64, "n_epochs": 1} if algorithm is PPO else {}
        model = algorithm("MlpPolicy", env, seed=0, device="cpu", **small).learn(300)
    assert len(model.ep_info_buffer) > 10


def test_wrappers_and_evaluation_of_sb3_work_on_it():
    env = make(8)
    env.seed(0)
    model = MaskablePPO("MlpPolicy", VecNormalize(make(8)), n_steps=16, device="cpu")
    model.learn(128)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # it warns where there is no Monitor
        returns, lengths = evaluate_policy(
            model, env, n_eval_episodes=40, return_episode_rewards=True
        )
    assert len(returns) == len(lengths) == 40
    assert set(np.round(returns, 3)) <= {0.667, -0.333, 0.167, 0.0}


def test_callbacks_and_tensorboard_of_sb3_work(tmp_path):
    pytest.importorskip("tensorboard")
    small = {"n_steps": 16, "batch_size": 64, "device": "cpu"}
    model = MaskablePPO("MlpPolicy", make(8), **small, tensorboard_log=str(tmp_path / "log"))
    evaluations = MaskableEvalCallback(
        make(4), n_eval_episodes=8, eval_freq=16, log_path=tmp_path, best_model_save_path=tmp_path,
        verbose=0,
    )  # fmt: skip
    model.learn(512, callback=[evaluations, CheckpointCallback(32, tmp_path, name_prefix="at")])
    assert np.load(tmp_path / "evaluations.npz")["timesteps"].tolist() == [128, 256, 384, 512]
    assert {path.name for path in tmp_path.glob("*.zip")} == {
        "best_model.zip", "at_256_steps.zip", "at_512_steps.zip"
    }  # fmt: skip
    assert list((tmp_path / "log").glob("*/events.*"))
    model.learn(10_000, callback=StopTrainingOnMaxEpisodes(max_episodes=3))
    assert model.num_timesteps < 1000


def test_match_ends_with_the_learners_knock_out_though_others_play_on():
    """LS-12: in a match of three, whoever is out sits out, and its episode is over."""
    limit = {"points_limit": 10.0, "illegal_action": "raise"}
    env = LowhandVecEnv(16, "least_score", opponents="greedy", num_players=3, **limit)
    env.seed(1)
    env.reset()
    rng, endings = np.random.default_rng(1), set()
    for _ in range(150):
        masks = env.action_masks()
        assert masks.shape == (16, 187)
        assert masks.any(axis=1).all()  # a move everywhere, so nobody who is out is asked
        actions = np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)
        _, rewards, dones, told = env.step(actions)
        for row in np.flatnonzero(dones):
            info = told[row]
            out = info["final_scores"][info["seat"]] > 10.0
            assert info["terminal_observation"].shape == env.observation_space.shape
            assert not info["action_mask"].any()
            assert rewards[row] == pytest.approx(info["win_share"] - 1 / 3, abs=1e-6)
            endings.add((bool(out), info["win_share"] > 0))
    assert {(True, False), (False, True)} <= endings


def test_dummy_vec_env_of_single_environments_still_masks():
    env = DummyVecEnv([lambda: SeatEnv("no_thanks", num_players=3, **SHORT)] * 2)
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=16, device="cpu")
    assert model.learn(64).num_timesteps == 64
