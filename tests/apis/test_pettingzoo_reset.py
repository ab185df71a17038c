"""Seeds, positions and arguments of PettingZoo's No Thanks!."""

from typing import Any

import numpy as np
import pytest

import lowhand
from lowhand import no_thanks_v0
from lowhand.engine.rng import game_key
from lowhand.games.no_thanks.rules import PASS, TAKE
from tests.apis.small_game import small


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


def test_a_refused_position_changes_nothing_not_even_the_next_game() -> None:
    env, other = no_thanks_v0.env(), no_thanks_v0.env()
    for one in (env, other):
        one.reset(seed=1)
    with pytest.raises(ValueError, match="deck"):
        env.reset(options={"deck": [99]})
    for one in (env, other):
        one.reset()
    assert env.get_state() == other.get_state()
