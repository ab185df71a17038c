"""The Gymnasium environment: one seat against opponents."""

import copy
import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env

import lowhand
from lowhand.engine.kernels_batch import drawn_seat
from lowhand.games import VERSIONS, gymnasium_id, register_environments

ENV = "lowhand/NoThanks-v0"
PASS, TAKE = 0, 1
ALWAYS_TAKES, NEVER_TAKES = "random:1", "random:0"


class Dicer:
    """A user's own player: at random among what is legal, by the table's dice."""

    def act(self, table, rng):
        return np.where(table.uniforms() < 0.3, TAKE, 1 - table.action_mask[:, PASS])


class Gambler:
    """One that uses the generator it is given."""

    name = "gambler"

    def act(self, table, rng):
        return np.where(rng.random(len(table)) < 0.3, TAKE, 1 - table.action_mask[:, PASS])


class Cheat:
    def act(self, table, rng):
        return np.full(len(table), 7)


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


# What checkers and other libraries ask for


@pytest.mark.parametrize("num_players", [2, 3, 7])
def test_gymnasium_check_env_has_nothing_to_say(num_players, capsys):
    env = make(num_players=num_players, opponents="ratio")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped)
    assert "On offer" in capsys.readouterr().out  # it also made one with render_mode="human"


@pytest.mark.parametrize("num_players", [2, 3, 7])
def test_sb3_check_env_has_nothing_to_say(num_players):
    checker = pytest.importorskip("stable_baselines3.common.env_checker")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # The checker plays at random, without the mask: who has no chips may pass there.
        warnings.filterwarnings("ignore", "action 0 is illegal")
        checker.check_env(raw(num_players=num_players, perfect_recall=True), warn=True)


def test_maskable_ppo_learns_from_it_without_one_illegal_action():
    sb3_contrib = pytest.importorskip("sb3_contrib")
    env = make(num_players=3, opponents=("greedy", Dicer()), illegal_action="raise")
    model = sb3_contrib.MaskablePPO(
        "MlpPolicy", env, n_steps=128, batch_size=64, n_epochs=1, seed=0
    )
    model.learn(384)
    assert model.num_timesteps >= 384


@pytest.mark.filterwarnings("ignore:action 0 is illegal")
@pytest.mark.parametrize(
    ("algorithm", "arguments"),
    [
        ("PPO", {"n_steps": 128, "batch_size": 64, "n_epochs": 1}),
        ("DQN", {"learning_starts": 50, "buffer_size": 1000}),
    ],
)
def test_unmasked_learners_run(algorithm, arguments):
    sb3 = pytest.importorskip("stable_baselines3")
    model = getattr(sb3, algorithm)("MlpPolicy", make(num_players=3), seed=0, **arguments)
    model.learn(256)
    assert model.num_timesteps >= 256


def test_a_fresh_process_makes_it_by_module_and_name():
    program = (
        "import gymnasium\n"
        f"env = gymnasium.make('lowhand:{ENV}', num_players=3)\n"
        "print(env.reset(seed=5)[1]['seat'])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) == make(num_players=3).reset(seed=5)[1]["seat"]


def test_importing_lowhand_imports_neither_numba_nor_games():
    """Gymnasium knows the games by strings."""
    program = (
        "import sys, gymnasium, lowhand\n"
        "assert 'lowhand/NoThanks-v0' in gymnasium.registry\n"
        "print([name for name in ('numba', 'lowhand.games.no_thanks') if name in sys.modules])\n"
        "assert set(lowhand.__all__) <= set(dir(lowhand))\n"
        "assert all(hasattr(lowhand, name) for name in lowhand.__all__)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr


def test_registering_again_changes_nothing():
    before = gymnasium.spec(ENV)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments("no_thanks", 0)
    assert gymnasium.spec(ENV) is before


def test_every_game_is_registered_under_its_name_and_version():
    assert {name: game.version for name, game in lowhand.GAMES.items()} == VERSIONS
    for name, version in VERSIONS.items():
        assert gymnasium.spec(gymnasium_id(name, version)).kwargs == {"game": name}


# Seeds


@pytest.mark.parametrize("seed", [0, 1, 2**63 + 5])
def test_a_seed_deals_the_game_that_every_other_api_deals(seed):
    env, batch = make(num_players=5), lowhand.make_batch("no_thanks", 1, num_players=5, seed=seed)
    _, info = env.reset(seed=seed)
    dealt, key = state_of(env), np.uint64(lowhand.game_key(np.uint64(seed), *np.uint64([0, 0])))
    assert dealt.key == batch.states[0].key == key
    np.testing.assert_array_equal(dealt.deck, batch.states[0].deck)
    assert info["seat"] == drawn_seat(key, 5)


@pytest.mark.parametrize("opponents", [("random", "greedy", "valuer"), Gambler(), Dicer()])
def test_a_seed_fixes_deal_seat_opponents_and_the_games_that_follow(opponents):
    one, other = make(opponents=opponents), make(opponents=opponents)
    one.reset()  # what was played before does not matter
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for reset in ({"seed": 11}, {}, {}):
            assert_same(play(one, **reset), play(other, **reset))
    assert state_of(one).key == state_of(other).key


def test_games_without_a_seed_differ():
    env = make()
    keys = [env.reset()[0] is not None and int(state_of(env).key) for _ in range(50)]
    assert len(set(keys)) == 50


def test_a_key_replays_its_game():
    env = make(opponents="random")
    env.reset(seed=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shown = play(env)
        assert_same(shown, play(make(opponents="random"), options={"key": state_of(env).key}))


def test_the_random_seat_is_every_seat_equally_often():
    env = make(num_players=3)
    seats = [env.reset(seed=seed)[1]["seat"] for seed in range(600)]
    assert (np.bincount(seats) > 600 / 3 - 60).all()  # five standard deviations


def test_a_chosen_seat_is_kept():
    env = make(seat=2)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(20)} == {2}


def test_it_is_always_your_seat_that_is_to_move():
    env = make(opponents=("sally", "random", Dicer()))
    for seed in range(20):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert state_of(env).mover == info["seat"]
            np.testing.assert_array_equal(env.unwrapped.action_masks(), info["action_mask"] == 1)
            assert observation in env.observation_space
            action = policy(observation) if info["action_mask"][PASS] else TAKE
            observation, _, over, _, info = env.step(action)
        assert observation in env.observation_space


# Opponents


@pytest.mark.parametrize(
    "opponents",
    [
        "greedy",
        ("threshold:2",),
        ["chip_value:0.5,2,extort", "random:0.1", "sequence"],
        f"{__name__}:Dicer",
        Dicer(),
        (Dicer(), f"{__name__}:Gambler", "blocker:9"),
    ],
)
def test_opponents_go_by_any_kind_of_name(opponents):
    env = make(opponents=opponents, num_players=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert play(env, seed=1)[-1][2]


def test_opponents_sit_behind_you_in_order_of_play():
    # The first behind takes, so that with the seat fixed the others never see the first card.
    env = raw(opponents=(NEVER_TAKES, ALWAYS_TAKES, NEVER_TAKES), seat=1, render_mode="ansi")
    env.reset(options={"first_player": 1, "deck": [20, 30]})
    env.step(PASS)
    told = env.render().splitlines()
    assert told[:3] == [
        "player_1: pass (1 chip)",
        "player_2: pass (1 chip)",
        "player_3: take 20 and 2 chips",
    ]


def test_an_opponent_that_python_asks_plays_as_the_compiled_one():
    class Wrapped:
        def __init__(self):
            self.agent = lowhand.make_agent("valuer:1,0.5,2,1,0,3", lowhand.GAMES["no_thanks"])

        def act(self, table, rng):
            return self.agent.act(table, rng)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(10):
            compiled = play(make(opponents="valuer:1,0.5,2,1,0,3"), seed=seed)
            assert_same(compiled, play(make(opponents=Wrapped()), seed=seed))


@pytest.mark.parametrize(
    ("kwargs", "sentence"),
    [
        ({"opponents": ("greedy", "sally")}, "opponents must be one for all other seats or 3"),
        ({"opponents": ()}, "0 were given"),
        ({"opponents": "grreedy"}, "there is no agent 'grreedy'"),
        ({"opponents": "threshold:x"}, "arguments that are no numbers"),
        ({"opponents": "nowhere_at_all:Agent"}, "can't import 'nowhere_at_all'"),
        ({"opponents": f"{__name__}:Missing"}, "has no 'Missing'"),
        ({"opponents": 3}, "needs a method act"),
        ({"opponents": Dicer}, "needs a method act"),
        ({"seat": 4}, 'seat must be from 0 to 3 or "random", not 4'),
        ({"seat": "last"}, "seat must be"),
        ({"seat": True}, "seat must be"),
        ({"num_players": 8}, "num_players must be from 2 to 7, not 8"),
        ({"illegal_action": "repair"}, 'illegal_action must be "lose" or "raise"'),
        ({"reward": "money"}, "reward 'money' is unknown"),
        ({"observation_seats": 3}, "observation_seats must be from 4 to 8, not 3"),
        ({"chpis": 3}, "no_thanks has no option 'chpis'"),
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(kwargs, sentence):
    for maker in (gymnasium.make, gymnasium.make_vec):
        with pytest.raises(ValueError, match=sentence) as refused:
            maker(ENV, **kwargs)
        assert "\n" not in str(refused.value)


def test_a_cheating_opponent_is_refused():
    env = make(opponents=Cheat(), seat=0)
    with pytest.raises(ValueError, match="agent 'Cheat' chose action 7, which is illegal"):
        env.reset(options={"first_player": 1})


# Results


def small_game(deck, **kwargs):
    """Two cards, one chip each; I take the first card, pass the second one, and they take it."""
    env = make(
        num_players=2, low=3, high=9, removed=5, chips=1, seat=0, opponents=ALWAYS_TAKES, **kwargs
    )
    env.reset(options={"deck": deck, "first_player": 0})
    assert env.step(TAKE)[1:3] == (0.0, False)
    return env.step(PASS)


@pytest.mark.parametrize(
    ("reward", "value"),
    [("win", 0.5), ("score", 1 / 30), ("placement", 1.0), ({"win": 0.5, "score": 0.5}, 4 / 15)],
)
def test_the_reward_is_that_of_your_seat(reward, value):
    _, got, terminated, truncated, info = small_game([3, 6], reward=reward)
    assert (terminated, truncated) == (True, False)
    assert got == pytest.approx(value)
    np.testing.assert_array_equal(info["final_scores"], [3.0, 4.0])
    assert (info["win_share"], info["seat"], info["illegal_action"]) == (1.0, 0, False)
    np.testing.assert_array_equal(info["action_mask"], [0, 0])


def test_a_tie_shares_the_win():
    _, reward, _, _, info = small_game([4, 6])
    np.testing.assert_array_equal(info["final_scores"], [4.0, 4.0])
    assert (reward, info["win_share"]) == (0.0, 0.5)


def test_a_lost_game():
    _, reward, _, _, info = small_game([5, 6])
    assert (reward, info["win_share"]) == (-0.5, 0.0)


# Games without a move of yours


def test_a_game_that_ends_before_your_move_is_followed_by_the_next():
    env, skipped = make(num_players=2, opponents=ALWAYS_TAKES), []
    for seed in range(40):
        _, info = env.reset(seed=seed)
        # They take everything when they start, so it must be a game that you start.
        assert (state_of(env).moves, state_of(env).mover) == (0, info["seat"])
        keys = [lowhand.game_key(*np.uint64([seed, 0, j])) for j in range(40)]
        skipped.append(keys.index(int(state_of(env).key)))
    assert 0 in skipped
    assert max(skipped) > 1


def test_opponents_who_never_let_you_move_are_refused():
    kwargs = {"num_players": 2, "opponents": ALWAYS_TAKES, "seat": 1, "first_player": 0}
    with pytest.raises(ValueError, match="seat 1 had no move: the opponents ended 1000 game"):
        make(**kwargs).reset()
    with pytest.raises(ValueError, match="seat 1 had no move"):
        gymnasium.make_vec(ENV, num_envs=2, **kwargs)


# Illegal actions and misuse


def without_chips(**kwargs):
    env = raw(seat=0, num_players=3, **kwargs)
    env.reset(options={"first_player": 0, "chips": [0, 20, 12], "pot": 1})
    return env


def test_an_illegal_action_loses_and_warns_once():
    env = without_chips()
    with pytest.warns(UserWarning, match="action 0 is illegal; legal actions are \\[1\\]"):
        _, reward, terminated, truncated, info = env.step(PASS)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] is True
    assert info["win_share"] == 0.0
    np.testing.assert_array_equal(info["action_mask"], [0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.reset()
        assert env.step(99)[4]["illegal_action"] is True
    with pytest.raises(ResetNeeded):
        env.step(TAKE)


@pytest.mark.parametrize("action", [PASS, 2, -1, 10**30])
def test_an_illegal_action_can_raise_and_then_nothing_has_happened(action):
    env = without_chips(illegal_action="raise")
    with pytest.raises(ValueError, match=rf"action {action} is illegal; legal actions are \[1\]"):
        env.step(action)
    assert state_of(env).moves == 0
    assert env.step(TAKE)[1] == 0.0


@pytest.mark.parametrize("action", [0.0, "take", None, np.array([0, 1])])
def test_what_is_no_integer_is_refused(action):
    env = raw()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="an action must be an integer"):
        env.step(action)


def test_stepping_needs_a_running_game():
    env = raw(num_players=2)
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(TAKE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        play(env, seed=0)
    with pytest.raises(ResetNeeded, match="reset"):
        env.step(TAKE)


def test_a_wrong_position_is_refused_and_no_game_runs():
    env = raw()
    env.reset(seed=0)
    with pytest.raises(ValueError, match="first_player must be a seat"):
        env.reset(options={"first_player": 9})
    with pytest.raises(ResetNeeded):
        env.step(TAKE)


def test_unknown_reset_options_are_ignored():
    env = make()
    np.testing.assert_array_equal(env.reset(seed=4)[0], env.reset(seed=4, options={"x": 1})[0])


# Looking and copying


def test_the_rendering_tells_what_happened_and_hides_others_chips():
    env = raw(seat=0, num_players=3, opponents=ALWAYS_TAKES, render_mode="ansi")
    env.reset(options={"first_player": 0, "deck": list(range(3, 27)), "chips": [11, 13, 9]})
    env.step(TAKE)
    assert env.render().splitlines()[0] == "player_0: take 3"
    assert "? chips" in env.render()
    assert "13 chips" not in env.render()


def test_human_rendering_prints_by_itself(capsys):
    env = raw(render_mode="human")
    env.reset(seed=0)
    env.step(TAKE)
    assert capsys.readouterr().out.count("player_3") >= 2
    assert env.render() is None


def test_rendering_does_not_change_the_game():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opponents = ("valuer:1,0.5,2,1,0,3", Gambler(), "random")
        told = play(make(opponents=opponents, render_mode="ansi"), seed=8)
        assert_same(told, play(make(opponents=opponents), seed=8))


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_as_the_game_stands(duplicate):
    env = raw(opponents=("random", Gambler(), "greedy"))
    env.reset(seed=2)
    env.step(TAKE)
    other = duplicate(env)
    for action in (TAKE, PASS, TAKE):
        assert_same([env.step(action)[:3] + ({},)], [other.step(action)[:3] + ({},)])
    np.testing.assert_array_equal(env.reset()[0], other.reset()[0])
