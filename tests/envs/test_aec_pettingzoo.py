"""The environments before PettingZoo's own checkers, and in its registry."""

import warnings

import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env import AECEnv

import lowhand
from lowhand import no_thanks_v0
from lowhand.aec import register_environments

# What `api_test` says of every environment with dictionary observations, and of masks that are
# zero for those whose game has ended.
UNAVOIDABLE = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box",
    "Action mask numpy array is all zeros",
)


def check_api(env: AECEnv) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(env, num_cycles=60)
    said = {str(warning.message) for warning in caught}
    assert not [text for text in said if not text.startswith(UNAVOIDABLE)]


@pytest.mark.parametrize("perfect_recall", [False, True])
@pytest.mark.parametrize("num_players", [3, 5, 7])
def test_api(num_players: int, perfect_recall: bool) -> None:
    check_api(no_thanks_v0.env(num_players=num_players, perfect_recall=perfect_recall))


def test_api_with_seats_to_spare_and_a_mixed_reward() -> None:
    check_api(no_thanks_v0.env(3, observation_seats=7, reward={"win": 0.5, "score": 0.5}))


@pytest.mark.parametrize("num_players", [3, 5, 7])
def test_parallel_api(num_players: int) -> None:
    env = turn_based_aec_to_parallel(no_thanks_v0.env(num_players=num_players))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parallel_api_test(env, num_cycles=200)
    assert not caught


@pytest.mark.parametrize("num_players", [3, 5, 7])
def test_seed(num_players: int) -> None:
    seed_test(lambda: no_thanks_v0.env(num_players=num_players), num_cycles=100)


def test_render(capsys: pytest.CaptureFixture[str]) -> None:
    render_test(no_thanks_v0.env)
    assert "On offer: " in capsys.readouterr().out


def test_raw_env_needs_no_wrapper() -> None:
    env = no_thanks_v0.env()
    assert env.unwrapped is env
    assert isinstance(env, AECEnv)
    assert str(env) == "no_thanks_v0"


def test_metadata() -> None:
    metadata = no_thanks_v0.env().metadata
    assert metadata["name"] == "no_thanks_v0"
    assert metadata["render_modes"] == ["ansi", "human"]
    assert metadata["is_parallelizable"] is False
    assert metadata["render_fps"] > 0


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="the registry came with 1.27")
def test_registry_makes_the_environment() -> None:
    register_environments(lowhand.GAMES.values())
    env = pettingzoo.make("aec", "lowhand/no_thanks-v0", num_players=5, reward="score")
    assert isinstance(env, no_thanks_v0.raw_env)
    assert len(env.possible_agents) == 5


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="the registry came with 1.27")
def test_registering_again_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_environments(lowhand.GAMES.values())
        register_environments(lowhand.GAMES.values())


def test_without_a_registry_nothing_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    register_environments(lowhand.GAMES.values())
