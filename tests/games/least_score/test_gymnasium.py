"""Gymnasium's environments over matches of Least Score: deals that pay, seats that are out."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env, check_reset_seed_determinism

import lowhand
from lowhand.apis.gymnasium_vector import SeatVectorEnv
from lowhand.games.least_score.text import cards_to_action

ENV = "lowhand/LeastScore-v0"
DECLARE = 0


class Dicer:
    """A user's own player: random legal actions, by the table's random numbers."""

    def act(self, table: lowhand.TableView, rng: np.random.Generator) -> np.ndarray:
        mask = table.action_mask
        wish = (table.uniforms() * mask.sum(axis=1)).astype(np.int64)
        return (mask.cumsum(axis=1) > wish[:, np.newaxis]).argmax(axis=1)


class Patient:
    """Never declares."""

    def act(self, table: lowhand.TableView, rng: np.random.Generator) -> np.ndarray:
        mask = table.action_mask.copy()
        mask[:, DECLARE] = 0
        return mask.argmax(axis=1)


def make(**kwargs: Any) -> Any:
    return gymnasium.make(ENV, **{"opponents": "random", "num_players": 3, **kwargs}).unwrapped


def policy(observation: np.ndarray, mask: np.ndarray) -> int:
    """Anything legal that is fixed by the observation; it declares when it can, half the time."""
    legal = np.flatnonzero(mask)
    number = int(float(observation.sum()) * 9973)
    if legal[0] == DECLARE and number % 2:
        return DECLARE
    return int(legal[number % len(legal)])


# What checkers ask for


@pytest.mark.parametrize(
    "kwargs",
    [{"num_players": 2}, {"num_players": 8}, {"points_limit": None}, {"single_deals": 0.5}],
)
def test_gymnasium_check_env_has_nothing_to_say(
    kwargs: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # It steps actions that are not masked.
        warnings.filterwarnings("ignore", r"action \d+ is illegal", UserWarning)
        check_env(make(**kwargs))
    assert " of at most " in capsys.readouterr().out


@pytest.mark.parametrize("num_players", [2, 3, 8])
def test_sb3_check_env_has_nothing_to_say(num_players: int) -> None:
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r"action \d+ is illegal", UserWarning)
        checker.check_env(make(num_players=num_players, perfect_recall=True), warn=True)


@pytest.mark.filterwarnings(r"ignore:action \d+ in game")
def test_make_vec_reaches_the_batch_engine() -> None:
    envs = gymnasium.make_vec(ENV, num_envs=16, num_players=3, opponents="random")
    assert isinstance(envs, SeatVectorEnv)
    assert isinstance(envs.batch, lowhand.Batch)
    assert envs.single_action_space.n == 187
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_reset_seed_determinism(envs)


def test_a_seed_deals_the_game_that_every_other_api_deals() -> None:
    env = make(num_players=5)
    env.reset(seed=9)
    batch = lowhand.make_batch("least_score", 1, num_players=5, seed=9)
    for name in ("key", "deck", "limit", "starter"):
        assert np.array_equal(env._states[0][name], batch.states[0][name]), name


# Rewards and ends

POSITION = {"hands": ["AS", "5H", "6S"], "points": [3, 97, 50], "turn": 3, "first_player": 0}


def test_a_deal_pays_when_it_ends() -> None:
    env = make(seat=0, reward="score", opponents=Patient())
    env.reset(options={**POSITION, "points": [0, 0, 0]})
    _, reward, terminated, truncated, info = env.step(DECLARE)
    assert reward == pytest.approx(4.5 / 30)
    assert (terminated, truncated) == (False, False)
    assert set(info) == {"action_mask", "seat"}
    assert env._states[0].points[:3].tolist() == [0, 4, 5]
    assert env.step(cards_first(env))[1] == 0


def cards_first(env: Any) -> int:
    """Discard the lowest card and draw from the deck."""
    hand = env._states[0].hands[env.seat]
    return cards_to_action(env._states[0], [hand[0]], options=env.options)


@pytest.mark.parametrize(("reward", "paid"), [("win", -1 / 3), ("placement", -1)])
def test_who_is_out_sees_the_match_played_to_its_end(reward: str, paid: float) -> None:
    env = make(seat=1, reward=reward, points_limit=50, opponents=Dicer())
    env.reset(options={**POSITION, "points": [0, 49, 0], "hands": ["2S", "KH", "AC"],
                       "first_player": 1})  # fmt: skip
    _, got, terminated, truncated, info = env.step(DECLARE)
    assert (terminated, truncated) == (True, False)
    assert got == pytest.approx(paid)
    state = env._states[0]
    assert (state.left, state.deals > 1) == (1, True)
    assert info["final_scores"].tolist() == state.points[:3].tolist()
    assert info["final_scores"][1] == 49 + 20 + 9
    assert (info["win_share"], info["illegal_action"]) == (0, False)
    assert not info["action_mask"].any()


def test_the_last_player_left_wins_even_with_more_points() -> None:
    env = make(seat=0)
    env.reset(options={**POSITION, "points": [100, 97, 96]})
    _, reward, terminated, _, info = env.step(DECLARE)
    assert terminated
    assert reward == pytest.approx(2 / 3)
    assert (info["final_scores"].tolist(), info["win_share"]) == ([100, 101, 101], 1)


def test_ls16_max_deals_truncates() -> None:
    """LS-16: the last allowed deal truncates the episode."""
    env = make(seat=0, max_deals=1)
    env.reset(options=POSITION)
    _, reward, terminated, truncated, info = env.step(DECLARE)
    assert (terminated, truncated) == (False, True)
    assert reward == pytest.approx(2 / 3)
    assert info["win_share"] == 1
    envs = gymnasium.make_vec(ENV, num_envs=4, opponents="random", num_players=2, max_deals=1,
                              max_turns=1, seat=0, first_player=0)  # fmt: skip
    _, infos = envs.reset(seed=1)
    _, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(axis=1))
    assert truncated.all()
    assert not terminated.any()
    assert not rewards.any()
    assert infos["final_info"]["win_share"].tolist() == [0.5] * 4


@pytest.mark.filterwarnings("ignore:action 0 is illegal")
def test_an_illegal_action_loses() -> None:
    env = make(seat=0)
    env.reset(options={**POSITION, "turn": 0})
    _, reward, terminated, truncated, info = env.step(DECLARE)
    assert (reward, terminated, truncated) == (-1, True, False)
    assert info["illegal_action"]
    assert info["win_share"] == 0


def test_rewards_earned_before_your_first_move_are_paid_with_it() -> None:
    # Seat 0 starts, and each deal is over after one turn: seat 1 moves in the second deal.
    options: dict[str, Any] = {"num_players": 2, "max_turns": 1, "at_limit": "showdown", "seat": 1,
                               "first_player": 0, "reward": "score"}  # fmt: skip
    env = make(**options)
    for seed in range(5):
        env.reset(seed=seed)
        state = env._states[0]
        assert (state.deals, state.mover) == (1, 1)
        first = state.deal_points[:2].copy()
        _, reward, *_ = env.step(cards_first(env))
        second = env._states[0].points[:2] - first  # the deals that follow are earned later
        if env._states[0].deals > 3:
            continue
        lead = int(first[0] - first[1] + second[0] - second[1])
        assert reward == pytest.approx(lead / 30, abs=1e-5)


# The vector environment plays the same games

AGREEING: list[dict[str, Any]] = [
    {"points_limit": 45, "reward": "score"},
    {"points_limit": 30, "reward": {"win": 1.0, "score": 0.5}, "opponents": ("random", Dicer())},
    {"num_players": 5, "points_limit": 25, "max_deals": 3, "opponents": Dicer(), "seat": 2},
    {"num_players": 2, "points_limit": None, "perfect_recall": True, "reward": "placement"},
    {"max_turns": 4, "at_limit": "showdown", "points_limit": 20, "reward": "score",
     "match_end": "first_out", "ranks": 6, "hand_size": 3},
]  # fmt: skip


@pytest.mark.parametrize("kwargs", AGREEING)
def test_every_game_is_the_one_that_the_single_environment_plays(kwargs: dict[str, Any]) -> None:
    kwargs = {"opponents": "random", "num_players": 3, **kwargs}
    envs, single = gymnasium.make_vec(ENV, num_envs=5, **kwargs), make(**kwargs)
    observations, infos = envs.reset(seed=21)
    played: list[list[tuple[Any, ...]]] = [[] for _ in range(5)]
    ends = 0
    for _ in range(120):
        keys = envs.batch.states["key"].copy()
        masks = infos["action_mask"]
        actions = np.array([policy(o, m) for o, m in zip(observations, masks, strict=True)])
        before = observations, infos["seat"]
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        for game, record in enumerate(played):
            record.append((before[0][game], before[1][game], actions[game], rewards[game]))
            if terminated[game] or truncated[game]:
                ends += 1
                _replay(single, keys[game], record, truncated[game], infos, game)
                played[game] = []
    assert ends >= 5


def _replay(
    single: Any, key: int, record: list[tuple[Any, ...]], truncated: bool, infos: Any, game: int
) -> None:
    observation, info = single.reset(options={"key": key})
    over = False
    for expected, seat, action, reward in record:
        assert not over
        np.testing.assert_array_equal(observation, expected)
        assert info["seat"] == seat
        observation, single_reward, terminated, single_truncated, info = single.step(action)
        over = terminated or single_truncated
        assert single_reward == pytest.approx(reward, abs=1e-6)
    assert over
    assert single_truncated == truncated
    np.testing.assert_array_equal(observation, infos["final_obs"][game])
    for name, value in info.items():
        np.testing.assert_array_equal(infos["final_info"][name][game], value, err_msg=name)


def test_a_vector_of_seats_renders_each_hand() -> None:
    envs = gymnasium.make_vec(ENV, num_envs=3, num_players=4, opponents="random", seat=0,
                              first_player=0, render_mode="ansi")  # fmt: skip
    envs.reset(seed=0)
    frames = envs.render()
    assert [frame.count("5 cards") for frame in frames] == [3, 3, 3]


# Looking and copying


def test_the_rendering_tells_what_happened_and_hides_other_hands() -> None:
    env = make(seat=0, render_mode="ansi")
    env.reset(options={"hands": ["7S 8D 9C", "KS", "QS"], "floor": "QH", "first_player": 0})
    env.step(cards_to_action(env._states[0], "7S 8D 9C", "QH", options=env.options))
    rows = env.render().splitlines()
    assert rows[0] == "player_0: discard 7♠ 8♦ 9♣, take Q♥ from the floor"
    assert rows[1].startswith("player_1: discard K♠, ")
    assert rows[2].startswith("player_2: discard Q♠, ")
    assert sum(row.endswith("  1 card") for row in rows) == 2
    assert any(row.endswith("  0:Q♥ = 10") for row in rows)


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_as_the_game_stands(duplicate: Any) -> None:
    env = make(opponents=("random", Dicer()), reward="score")
    observation, info = env.reset(seed=2)
    other = duplicate(env)
    for _ in range(10):
        action = policy(observation, info["action_mask"])
        observation, reward, terminated, _, info = env.step(action)
        theirs, their_reward, *_ = other.step(action)
        np.testing.assert_array_equal(observation, theirs)
        assert reward == their_reward
        if terminated:
            break
