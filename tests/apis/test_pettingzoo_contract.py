"""The environments before PettingZoo's own checkers, and in its registry.

`check_game` runs `api_test` for the games as they are, in tests/games.
"""

import warnings
from types import ModuleType

import pettingzoo
import pytest
from pettingzoo.test import parallel_api_test, render_test, seed_test
from pettingzoo.utils.conversions import turn_based_aec_to_parallel
from pettingzoo.utils.env import AECEnv

import lowhand
from lowhand import least_score_v0, no_thanks_v0
from lowhand.games import VERSIONS, register_environments
from lowhand.testing.environments import check_pettingzoo

GAMES = {
    "no_thanks": (no_thanks_v0, "On offer: "),
    "least_score": (least_score_v0, "Deal 1, turn 1 of at most 200"),
}
games = pytest.mark.parametrize(
    "module", [pytest.param(module, id=name) for name, (module, _) in GAMES.items()]
)
tables = pytest.mark.parametrize(
    ("module", "num_players"),
    [
        pytest.param(module, players, id=f"{name}-{players}")
        for name, (module, _) in GAMES.items()
        for players in (3, 5, lowhand.GAMES[name].max_players)
    ],
)


@games
def test_api_with_seats_to_spare_and_a_mixed_reward(module: ModuleType) -> None:
    check_pettingzoo(module.env(3, observation_seats=7, reward={"win": 0.5, "score": 0.5}))


@pytest.mark.parametrize("match_end", ["last_survivor", "first_out"])
def test_api_where_agents_leave_and_matches_are_stopped(match_end: str) -> None:
    env = least_score_v0.env(5, points_limit=1, max_deals=4, match_end=match_end, reward="score")
    check_pettingzoo(env)


@tables
def test_parallel_api(module: ModuleType, num_players: int) -> None:
    env = turn_based_aec_to_parallel(module.env(num_players=num_players))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        parallel_api_test(env, num_cycles=200)
    assert not caught


@tables
def test_seed(module: ModuleType, num_players: int) -> None:
    seed_test(lambda: module.env(num_players=num_players), num_cycles=100)


@pytest.mark.parametrize("name", GAMES)
def test_render(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    module, said = GAMES[name]
    render_test(module.env)
    assert said in capsys.readouterr().out


@games
def test_raw_env_needs_no_wrapper(module: ModuleType) -> None:
    env = module.env()
    assert env.unwrapped is env
    assert isinstance(env, AECEnv)
    assert str(env) == env.metadata["name"]


@pytest.mark.parametrize("name", GAMES)
def test_metadata(name: str) -> None:
    metadata = GAMES[name][0].env().metadata
    assert metadata["name"] == f"{name}_v0"
    assert metadata["render_modes"] == ["ansi", "human", "print", "rgb_array"]
    assert metadata["is_parallelizable"] is False
    assert metadata["render_fps"] > 0


def register_all() -> None:
    for name, version in VERSIONS.items():
        register_environments(name, version)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="the registry came with 1.27")
@pytest.mark.parametrize("name", GAMES)
def test_registry_makes_the_environment(name: str) -> None:
    register_all()
    env = pettingzoo.make("aec", f"lowhand/{name}-v0", num_players=5, reward="score")
    assert isinstance(env, GAMES[name][0].raw_env)
    assert len(env.possible_agents) == 5


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="the registry came with 1.27")
def test_registering_again_is_silent() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        register_all()
        register_all()


def test_without_a_registry_nothing_is_registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(pettingzoo, "register", raising=False)
    register_all()
