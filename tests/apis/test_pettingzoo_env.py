"""The cycle of agents over No Thanks!: order, observations, rewards, illegal actions."""

import warnings
from typing import Any

import numpy as np
import pytest

import lowhand
from lowhand import no_thanks_v0
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.engine.rng import game_key
from lowhand.games.no_thanks.rules import PASS, TAKE

# Three cards, two players with one chip each: a game that fits into a test.
SMALL: dict[str, Any] = {"num_players": 2, "low": 3, "high": 5, "removed": 0, "chips": 1}
FROM_3 = {"deck": [3, 4, 5], "first_player": 0}


def small(options: dict[str, Any] | None = None, **arguments: Any) -> GameEnv:
    env = no_thanks_v0.env(**{**SMALL, **arguments})
    env.reset(options=FROM_3 if options is None else options)
    return env


def play(env: GameEnv, actions: list[int]) -> dict[str, float]:
    """Play the actions, then dead steps to the end: what each agent got in all."""
    total = dict.fromkeys(env.possible_agents, 0.0)
    left = iter(actions)
    for agent in env.agent_iter():
        _, reward, terminated, truncated, _ = env.last()
        total[agent] += reward
        assert not truncated
        env.step(None if terminated else next(left))
    assert next(left, None) is None
    return total


# Order of calls


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("player_0"),
        lambda env: env.render(),
        lambda env: env.state(),
        lambda env: env.agent_iter(),
        lambda env: env.legal_actions(),
        lambda env: env.get_state(),
        lambda env: env.resample_hidden(0, np.random.default_rng(0)),
    ],
)
def test_before_reset_a_call_is_an_assertion_error(call: Any) -> None:
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before"):
        call(no_thanks_v0.env())


@pytest.mark.parametrize(
    "name",
    ["agents", "agent_selection", "infos", "num_agents", "rewards", "terminations", "truncations"],
)
def test_before_reset_an_attribute_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match="cannot be accessed before reset"):
        getattr(no_thanks_v0.env(), name)


def test_before_reset_last_is_an_attribute_error_as_in_pettingzoo() -> None:
    with pytest.raises(AttributeError, match="agent_selection cannot be accessed before reset"):
        no_thanks_v0.env().last()


def test_after_the_last_dead_step_step_and_last_are_errors() -> None:
    env = small()
    play(env, [TAKE, TAKE, TAKE])
    assert env.agents == []
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before step"):
        env.step(None)
    with pytest.raises(AssertionError, match=r"reset\(\) needs to be called before last"):
        env.last()


def test_a_loop_that_never_steps_is_an_error() -> None:
    env = small()
    turns = iter(env.agent_iter())
    next(turns)
    with pytest.raises(AssertionError, match=r"need to call step\(\) or reset\(\)"):
        next(turns)


def test_agent_iter_stops_after_max_iter() -> None:
    env, turns = small(), 0
    for _ in env.agent_iter(2):
        env.step(TAKE)
        turns += 1
    assert turns == 2


@pytest.mark.parametrize("action", [2, -1, None, 0.5, "take", np.int64(7), np.array([1, 0])])
def test_an_action_outside_the_space_is_an_assertion_error(action: Any) -> None:
    env = small()
    before = env.get_state().tobytes()
    with pytest.raises(AssertionError, match="action is not in action space"):
        env.step(action)
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize("action", [1, np.int64(1), np.int32(1), np.array(1)])
def test_an_action_may_be_any_integer_of_the_space(action: Any) -> None:
    env = small()
    env.step(action)
    assert env.get_state().points[0] == 3


# Turns and ends


def test_nt_6_the_taker_is_to_move_again_and_a_pass_moves_on() -> None:
    env = small()
    assert env.agent_selection == "player_0"
    env.step(TAKE)
    assert env.agent_selection == "player_0"
    env.step(PASS)
    assert env.agent_selection == "player_1"


def test_at_the_end_all_are_terminated_and_step_once_more_with_none() -> None:
    env = small()
    for _ in range(3):
        env.step(TAKE)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert not any(env.truncations.values())
    with pytest.raises(ValueError, match="the only valid action is None"):
        env.step(TAKE)
    env.step(None)
    assert env.agents == ["player_1"]
    assert set(env.rewards) == set(env.infos) == set(env.terminations) == {"player_1"}
    env.step(None)
    assert env.num_agents == 0


def test_infos_are_empty_until_the_end_and_then_hold_the_final_score() -> None:
    env = small()
    assert env.infos == {"player_0": {}, "player_1": {}}
    for _ in range(3):
        env.step(TAKE)
    assert env.infos == {"player_0": {"final_score": 2.0}, "player_1": {"final_score": -1.0}}


def test_a_new_reset_starts_anew_after_an_end_and_in_mid_game() -> None:
    env = small()
    play(env, [TAKE, TAKE, TAKE])
    env.reset(options=FROM_3)
    env.step(PASS)
    env.reset(options=FROM_3)
    assert env.agents == env.possible_agents == ["player_0", "player_1"]
    assert env.infos == {"player_0": {}, "player_1": {}}
    assert play(env, [TAKE, TAKE, TAKE]) == {"player_0": -0.5, "player_1": 0.5}


# Rewards

# One card 3, three players with a chip each, player 0 takes: scores 2, −1, −1.
TIE: dict[str, Any] = {"num_players": 3, "low": 3, "high": 3, "removed": 0, "chips": 1}


@pytest.mark.parametrize(
    ("reward", "expected"),
    [
        ("win", [-1 / 3, 1 / 2 - 1 / 3, 1 / 2 - 1 / 3]),
        ("score", [-3 / 30, 1.5 / 30, 1.5 / 30]),
        ("placement", [-1.0, 0.5, 0.5]),
        ({"win": 0.5, "score": 0.5}, [(-1 / 3 - 1 / 10) / 2] + 2 * [(1 / 6 + 1 / 20) / 2]),
    ],
)
def test_nt_10_rewards_of_a_game_with_a_tie(reward: Any, expected: list[float]) -> None:
    env = no_thanks_v0.env(**TIE, reward=reward)
    env.reset(options={"first_player": 0})
    assert list(play(env, [TAKE]).values()) == pytest.approx(expected)


@pytest.mark.parametrize("reward", ["win", "score", "placement", {"win": 0.5, "placement": 0.5}])
def test_rewards_of_a_whole_game_sum_to_zero(reward: Any) -> None:
    env, rng = no_thanks_v0.env(num_players=5, reward=reward), np.random.default_rng(0)
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, gained, terminated, _, _ = env.last(observe=False)
        total[agent] += gained
        env.step(None if terminated else int(rng.choice(env.legal_actions())))
    assert sum(total.values()) == pytest.approx(0.0, abs=1e-6)
    assert any(total.values())


def test_no_reward_before_the_end() -> None:
    env = small()
    for action in (PASS, TAKE, TAKE):
        env.step(action)
        assert set(env.rewards.values()) == {0.0}
        assert env.last()[1] == 0.0


# Illegal actions: player 0 passes its only chip, player 1 too, so player 0 has none.


def broke(**arguments: Any) -> GameEnv:
    return small({**FROM_3, "chips": [0, 2], "pot": 0}, **arguments)


def test_nt_7_an_illegal_action_loses_the_game_by_default() -> None:
    env = broke()
    with pytest.warns(
        UserWarning, match=r"player_0 chose action 0, which is illegal; legal actions are"
    ):
        env.step(PASS)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert not any(env.truncations.values())
    assert env.infos == {"player_0": {"illegal_action": True}, "player_1": {}}
    assert env.legal_actions() == []
    assert not env.observe("player_0")["action_mask"].any()
    assert play(env, []) == {"player_0": -1.0, "player_1": 0.0}


def test_an_illegal_action_warns_once() -> None:
    env = broke()
    with pytest.warns(UserWarning, match="which is illegal"):
        env.step(PASS)
    env.reset(options={"chips": [0, 2], "first_player": 0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(PASS)
    assert env.infos["player_0"] == {"illegal_action": True}


def test_after_an_illegal_action_a_reset_plays_as_ever() -> None:
    env = broke()
    with pytest.warns(UserWarning, match="which is illegal"):
        env.step(PASS)
    env.reset(options=FROM_3)
    assert env.legal_actions() == [PASS, TAKE]
    assert env.last()[0]["action_mask"].tolist() == [1, 1]


def test_illegal_actions_raise_if_so_wished_and_nothing_has_changed() -> None:
    env = broke(illegal_action="raise")
    before = env.get_state().tobytes()
    with pytest.raises(ValueError, match=r"action 0, which is illegal; legal actions are \[1\]"):
        env.step(PASS)
    assert env.get_state().tobytes() == before
    env.step(TAKE)
    assert env.get_state().points[0] == 3


# Observations, spaces, masks


def test_spaces_are_the_same_object_at_every_call() -> None:
    env = no_thanks_v0.env()
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)


def test_observation_space_has_the_bounds_of_the_fields() -> None:
    env = no_thanks_v0.env()
    low, high = env.observation_spec.bounds()
    box = env.observation_space("player_0")["observation"]
    assert box.dtype == np.float32
    assert np.array_equal(box.low, low)
    assert np.array_equal(box.high, high)
    assert env.observation_space("player_0")["action_mask"].dtype == np.int8


def test_masks_are_zero_for_all_but_the_mover_and_for_all_at_the_end() -> None:
    env = small()
    assert env.observe("player_0")["action_mask"].tolist() == [1, 1]
    assert env.observe("player_1")["action_mask"].tolist() == [0, 0]
    for _ in range(3):
        env.step(TAKE)
    assert not any(env.observe(agent)["action_mask"].any() for agent in env.agents)


def test_an_observation_once_given_stays_as_it_is() -> None:
    env = small()
    observation = env.last()[0]
    before = {name: array.copy() for name, array in observation.items()}
    env.step(PASS)
    env.last()
    for name, array in observation.items():
        assert np.array_equal(array, before[name])


def test_last_without_observation() -> None:
    assert small().last(observe=False)[0] is None


@pytest.mark.parametrize("perfect_recall", [False, True])
def test_recall_decides_whose_chips_are_seen(perfect_recall: bool) -> None:
    env = small(perfect_recall=perfect_recall)
    seen = env.observation_spec.views(env.last()[0]["observation"])
    assert seen["chips"].shape == ((2,) if perfect_recall else (1,))


# Seeds and positions


@pytest.mark.parametrize("perfect_recall", [False, True])
def test_a_seed_plays_game_0_episode_0_of_a_batch(perfect_recall: bool) -> None:
    env = no_thanks_v0.env(num_players=5, perfect_recall=perfect_recall)
    env.reset(seed=11)
    batch = lowhand.make_batch(
        "no_thanks", 3, num_players=5, seed=11, perfect_recall=perfect_recall
    )
    rng = np.random.default_rng(0)
    while not any(env.terminations.values()):
        assert env.agent_selection == f"player_{batch.mover[0]}"
        observation = env.last()[0]
        assert np.array_equal(observation["observation"], batch.observation[0])
        assert np.array_equal(observation["action_mask"], batch.action_mask[0])
        action = int(rng.choice(env.legal_actions()))
        env.step(action)
        batch.step([action, TAKE, TAKE])
    assert batch.done[0]
    assert [env.rewards[agent] for agent in env.possible_agents] == batch.rewards[0].tolist()


def test_a_seed_plays_its_public_game_key() -> None:
    env = no_thanks_v0.env()
    env.reset(seed=2**64 - 1)
    assert env.get_state().key == game_key(np.uint64(2**64 - 1), np.uint64(0), np.uint64(0))


def test_unseeded_resets_after_a_seed_are_new_games_fixed_by_it() -> None:
    keys = []
    for _ in range(2):
        env = no_thanks_v0.env()
        env.reset(seed=5)
        keys.append([int(env.get_state().key)])
        for _ in range(3):
            env.reset()
            keys[-1].append(int(env.get_state().key))
    assert keys[0] == keys[1]
    assert len(set(keys[0])) == 4


def test_without_any_seed_games_come_from_entropy() -> None:
    keys = set()
    for _ in range(2):
        env = no_thanks_v0.env()
        env.reset()
        keys.add(int(env.get_state().key))
    assert len(keys) == 2


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "one"])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="a seed must be an integer"):
        no_thanks_v0.env().reset(seed=seed)


def test_reset_options_set_the_position() -> None:
    env = small({"deck": [5, 3, 4], "first_player": 1, "chips": [2, 0]})
    state = env.get_state()
    assert env.agent_selection == "player_1"
    assert (state.offered, state.chips[:2].tolist()) == (5, [2, 0])
    assert env.legal_actions() == [TAKE]


def test_unknown_reset_options_are_ignored() -> None:
    env = no_thanks_v0.env()
    env.reset(seed=1)
    before = env.get_state().tobytes()
    env.reset(seed=1, options={"of_another_game": 7})
    assert env.get_state().tobytes() == before


@pytest.mark.parametrize(
    "options", [{"deck": [3, 3, 4]}, {"deck": [40]}, {"first_player": 2}, {"chips": [5, 5]}]
)
def test_bad_reset_options_are_refused_and_the_game_goes_on(options: dict[str, Any]) -> None:
    env = small()
    env.step(PASS)
    before = env.get_state().tobytes()
    with pytest.raises(ValueError, match="must be"):
        env.reset(seed=9, options=options)
    assert env.get_state().tobytes() == before
    assert env.agent_selection == "player_1"


@pytest.mark.parametrize(
    "arguments",
    [
        {"num_players": 8},
        {"reward": "luck"},
        {"illegal_action": "repair"},
        {"render_mode": "depth_array"},
        {"observation_seats": 3},
        {"low": 0},
    ],
)
def test_wrong_arguments_are_refused_in_one_sentence(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\.$"):
        no_thanks_v0.env(**arguments)


# Rendering


def test_nt_11_a_rendering_shows_the_movers_chips_alone() -> None:
    env = small({**FROM_3, "chips": [2, 0]}, render_mode="ansi")
    text = env.render()
    assert text is not None
    rows = text.splitlines()
    assert rows[0] == "On offer: 3 with 0 chips; 2 cards left."
    assert rows[1].startswith("> player_0    2 chips")
    assert rows[2].startswith("  player_1    ? chips")


def test_a_rendering_shows_all_when_the_game_is_over() -> None:
    env = small(render_mode="ansi")
    for _ in range(3):
        env.step(TAKE)
    text = env.render()
    assert text is not None
    assert "3-5" in text
    assert "?" not in text


def test_a_rendering_says_who_lost_by_an_illegal_action() -> None:
    env = broke(render_mode="ansi")
    with pytest.warns(UserWarning, match="which is illegal"):
        env.step(PASS)
    text = env.render()
    assert text is not None
    assert text.startswith("player_0 chose an illegal action and loses.")


def test_human_mode_prints_every_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = small(render_mode="human")
    env.step(TAKE)
    assert capsys.readouterr().out.count("On offer: ") == 2


def test_rendering_without_a_mode_warns() -> None:
    env = small()
    with pytest.warns(UserWarning, match="render_mode"):
        assert env.render() is None


def test_a_refused_position_changes_nothing_not_even_the_next_game():
    env, other = no_thanks_v0.env(), no_thanks_v0.env()
    for one in (env, other):
        one.reset(seed=1)
    with pytest.raises(ValueError, match="deck"):
        env.reset(options={"deck": [99]})
    for one in (env, other):
        one.reset()
    assert env.get_state() == other.get_state()
