"""PettingZoo's No Thanks!: order of calls, rewards, illegal actions, observations, rendering."""

import warnings
from typing import Any

import numpy as np
import pytest

from lowhand import no_thanks_v0
from lowhand.games.no_thanks.rules import PASS, TAKE
from tests.apis.small_game import FROM_3, broke, play, small

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


def test_nt6_the_taker_is_to_move_again_and_a_pass_moves_on() -> None:
    """NT-6: after a take the same agent is selected again, after a pass the next."""
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
def test_nt10_rewards_of_a_game_with_a_tie(reward: Any, expected: list[float]) -> None:
    """NT-10: agents who tie share the win."""
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


# Illegal actions


def test_nt7_an_illegal_action_loses_the_game_by_default() -> None:
    """NT-7: passing without chips is illegal and by default loses the game."""
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


# Rendering


def test_nt11_a_rendering_shows_the_movers_chips_alone() -> None:
    """NT-11: a rendering shows only the chips of the agent to move."""
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
