"""What search code uses: copies, positions, full information, re-deals."""

import copy
import pickle
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from pettingzoo.test.state_test import test_state_space as check_state_space

from lowhand import least_score_v0, make_agent, no_thanks_v0
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.games.no_thanks.rules import PASS, TAKE

COPIES: list[Callable[[GameEnv], GameEnv]] = [
    copy.copy,
    copy.deepcopy,
    lambda env: pickle.loads(pickle.dumps(env)),
    lambda env: env.clone(),
]


def started(**arguments: Any) -> GameEnv:
    """Five passes into the game of seed 3."""
    env = no_thanks_v0.env(**arguments)
    env.reset(seed=3)
    for _ in range(5):
        env.step(PASS)
    return env


def rest(env: GameEnv) -> list[Any]:
    """The rest of the game, one random legal action after the other, and the next deal."""
    rng, seen = np.random.default_rng(1), []
    for agent in env.agent_iter():
        observation, reward, terminated, _, info = env.last()
        seen.append((agent, observation["observation"].tobytes(), reward, terminated, info))
        env.step(None if terminated else int(rng.choice(env.legal_actions())))
    env.reset()
    seen.append(env.get_state().tobytes())
    return seen


@pytest.mark.parametrize("make", COPIES)
def test_a_copy_goes_on_identically_and_by_itself(make: Callable[[GameEnv], GameEnv]) -> None:
    env = started()
    before = env.get_state().tobytes()
    twin = make(env)
    played = rest(twin)
    assert env.get_state().tobytes() == before
    assert env.agents == env.possible_agents
    assert rest(env) == played


@pytest.mark.parametrize("make", COPIES)
def test_a_copy_in_the_dead_steps_goes_on_identically(make: Callable[[GameEnv], GameEnv]) -> None:
    env = no_thanks_v0.env(num_players=3, low=3, high=3, removed=0)
    env.reset(seed=1)
    env.step(TAKE)
    env.step(None)
    twin = make(env)
    assert twin.agents == env.agents
    assert rest(twin) == rest(env)


@pytest.mark.parametrize("make", COPIES)
def test_a_copy_from_before_reset_still_asks_for_reset(make: Callable[[GameEnv], GameEnv]) -> None:
    twin = make(no_thanks_v0.env(num_players=5))
    with pytest.raises(AttributeError, match="before reset"):
        _ = twin.agents
    twin.reset(seed=1)
    assert len(twin.agents) == 5


def test_a_copys_infos_are_its_own() -> None:
    env = started()
    env.clone().infos["player_0"]["mark"] = 1
    assert env.infos["player_0"] == {}


# States


def test_state_is_the_full_information() -> None:
    env = no_thanks_v0.env(num_players=3, low=3, high=8, removed=2, chips=4)
    deck = [5, 8, 3, 7]
    env.reset(options={"deck": deck, "first_player": 1, "chips": [3, 4, 5]})
    env.step(TAKE)
    env.step(PASS)
    vector, place = env.state(), env.state_slices
    assert vector.dtype == np.float32
    assert vector[place["deck"]][:4].tolist() == deck
    assert sorted(vector[place["deck"]][4:6].tolist()) == [4, 6]  # the removed ones
    assert vector[place["chips"]][:3].tolist() == [3, 3, 5]
    assert vector[place["pot"]].tolist() == [1]
    assert vector[place["offered"]].tolist() == [8]
    assert vector[place["mover"]].tolist() == [2]
    cards = vector[place["cards"]].reshape(7, 64)
    assert np.argwhere(cards).tolist() == [[1, 5]]
    assert "key" not in place


def test_state_is_in_the_state_space() -> None:
    env = started(num_players=7)
    check_state_space(env)
    assert env.state_space.contains(env.state())


@pytest.mark.parametrize("form", [lambda s: s, lambda s: s.tobytes(), lambda s: np.array([s])])
def test_set_state_puts_the_game_back(form: Callable[[np.record], Any]) -> None:
    env = started()
    state, observation = env.get_state(), env.last()[0]
    first = rest(env)
    env.set_state(form(state))
    assert env.last()[0]["observation"].tobytes() == observation["observation"].tobytes()
    assert env.rewards == dict.fromkeys(env.possible_agents, 0.0)
    assert rest(env)[:-1] == first[:-1]


def test_set_state_needs_no_reset_before() -> None:
    env = no_thanks_v0.env()
    env.set_state(started().get_state())
    assert env.get_state().moves == 5


def test_set_state_of_a_finished_game_pays_and_ends() -> None:
    env = no_thanks_v0.env(num_players=2, low=3, high=3, removed=0)
    env.reset(options={"first_player": 0})
    env.step(TAKE)
    other = no_thanks_v0.env(num_players=2, low=3, high=3, removed=0)
    other.set_state(env.get_state())
    assert other.terminations == {"player_0": True, "player_1": True}
    assert other.rewards == {"player_0": -0.5, "player_1": 0.5}


@pytest.mark.parametrize("state", [b"", b"\0" * 7, np.zeros(1), np.zeros(2, np.int8), "text"])
def test_set_state_refuses_what_is_no_state(state: Any) -> None:
    env = started()
    with pytest.raises(ValueError, match="no record of no_thanks"):
        env.set_state(state)
    assert env.get_state().moves == 5


def test_set_state_refuses_another_number_of_players() -> None:
    with pytest.raises(ValueError, match="it has 4 players and not 3"):
        no_thanks_v0.env(num_players=3).set_state(started().get_state())


@pytest.mark.parametrize("make", [no_thanks_v0.env, least_score_v0.env])
def test_set_state_takes_every_position_of_play(make: Callable[..., Any]) -> None:
    env, other, rng = make(num_players=3), make(num_players=3), random.Random(4)
    env.reset(seed=3)
    for _ in range(300):
        other.set_state(env.get_state())
        assert other.get_state() == env.get_state()
        if not env.agents:
            break
        legal = env.legal_actions()
        env.step(rng.choice(legal) if legal else None)


@pytest.mark.parametrize("make", [no_thanks_v0.env, least_score_v0.env])
def test_set_state_refuses_a_record_of_random_bytes(make: Callable[..., Any]) -> None:
    env, rng = make(num_players=2), np.random.default_rng(0)
    env.reset(seed=1)
    state = env.get_state()
    for _ in range(200):
        broken = np.frombuffer(rng.bytes(state.nbytes), env.game.state).copy()
        broken["num_players"], broken["mover"], broken["over"] = 2, 0, 0
        with pytest.raises(ValueError, match="with these options"):
            env.set_state(broken)
    assert env.get_state() == state


@pytest.mark.parametrize(
    ("options", "field", "value", "why"),
    [
        ({}, "turned", 25, "cards are turned"),
        ({}, "mover", 4, "player to move"),
        ({}, "offered", 40, "card on offer"),
        ({}, "deck", 3, "the deck is not the cards"),
        ({}, "cards", 1 << 4, "the cards held are not those that were taken"),
        ({}, "points", 7, "points are not those"),
        ({}, "chips", -1, "chips are negative"),
    ],
)
def test_set_state_says_what_is_wrong_with_a_game_of_no_thanks(
    options: dict[str, Any], field: str, value: int, why: str
) -> None:
    env = started(**options)
    state = env.get_state()
    state[field] = value
    with pytest.raises(ValueError, match=why):
        env.set_state(state)


@pytest.mark.parametrize(
    ("other", "why"),
    [
        ({"hand_size": 3}, "from 0 to 3 cards"),
        ({"ranks": 6}, "its cards are not the 24 of the deck"),
        ({"points_limit": None}, "points limit"),
        ({"num_players": 4}, "players and not"),
    ],
)
def test_set_state_refuses_a_match_by_other_options(other: dict[str, Any], why: str) -> None:
    env = least_score_v0.env(num_players=3)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=why):
        least_score_v0.env(**{"num_players": 3, **other}).set_state(env.get_state())


@pytest.mark.parametrize(
    ("field", "value", "why"),
    [
        ("sizes", 3, "seat 3 has 3 cards"),
        ("pile_size", 50, "outside the deck|separate piles"),
        ("known", np.uint64(1 << 60), "known to hold"),
        ("held", np.uint64(1 << 60), "known to be in a hand"),
        ("left", 1, "players left"),
        ("starter", 7, "starter"),
        ("turn", 1000, "limit of turns"),
        ("points", -3, "negative"),
        ("out", 1, "out is not 0 or 1 for each player"),
        ("deck", 0, "each in one place"),
        ("hands", 127, "each in one place"),
    ],
)
def test_set_state_says_what_is_wrong_with_a_match(field: str, value: Any, why: str) -> None:
    env = least_score_v0.env(num_players=3)
    env.reset(seed=0)
    state = env.get_state()
    state[field] = value
    with pytest.raises(ValueError, match=why):
        env.set_state(state)


def test_who_is_out_has_no_legal_actions_and_a_dead_step() -> None:
    env, rng = least_score_v0.env(num_players=3, points_limit=25), random.Random(1)
    env.reset(seed=2)
    while not any(env.terminations.values()):
        env.step(rng.choice(env.legal_actions()))
    assert env.terminations[env.agent_selection]
    assert env.legal_actions() == []
    env.step(None)
    assert env.legal_actions()


def test_an_agent_plays_at_the_table_of_an_environment() -> None:
    env = least_score_v0.env(num_players=2)
    position = {"hands": [["7♠", "7♦", "2♣"], ["K♣"]], "floor": ["A♥"], "first_player": 0}
    env.reset(seed=0, options=position)
    action = make_agent("greedy:7", "least_score").act(env.table(), np.random.default_rng(0))[0]
    move = least_score_v0.action_to_cards(env.get_state(), int(action))
    assert str(move) == "discard 7♦ 7♠, take A♥ from the floor"


@pytest.mark.parametrize("call", ["legal_actions", "get_state", "table"])
def test_before_the_first_reset_the_call_is_named(call: str) -> None:
    with pytest.raises(AssertionError, match=f"before {call}"):
        getattr(no_thanks_v0.env(), call)()


# Re-deals


@pytest.mark.parametrize("perfect_recall", [False, True])
@pytest.mark.parametrize("seat", range(4))
def test_a_re_deal_changes_nothing_that_the_seat_can_see(seat: int, perfect_recall: bool) -> None:
    env = started(perfect_recall=perfect_recall, render_mode="ansi")
    twin = env.clone()
    twin.resample_hidden(seat, np.random.default_rng(0))
    agent = f"player_{seat}"
    for name, array in env.observe(agent).items():
        assert np.array_equal(array, twin.observe(agent)[name])
    assert twin.agent_selection == env.agent_selection
    assert twin.infos == env.infos


def test_a_re_deal_changes_key_deck_and_chips_that_the_seat_does_not_know() -> None:
    env = started()
    twin, rng = env.clone(), np.random.default_rng(0)
    twin.resample_hidden("player_0", rng)
    old, new = env.get_state(), twin.get_state()
    assert new.key != old.key
    assert new.deck[0] == old.deck[0]
    assert new.deck.tolist() != old.deck.tolist()
    assert sorted(new.deck) == sorted(old.deck)
    assert new.chips[0] == old.chips[0]
    assert new.chips.sum() == old.chips.sum()
    assert new.chips.tolist() != old.chips.tolist()


def test_with_perfect_recall_a_re_deal_leaves_the_chips() -> None:
    env = started(perfect_recall=True)
    chips = env.get_state().chips.tolist()
    env.resample_hidden(0, np.random.default_rng(0))
    assert env.get_state().chips.tolist() == chips


def test_re_deals_differ_and_are_fixed_by_the_generator() -> None:
    decks = []
    for seed in (0, 0, 1):
        env = started()
        env.resample_hidden(2, np.random.default_rng(seed))
        decks.append(env.get_state().deck.tolist())
    assert decks[0] == decks[1] != decks[2]


def test_after_the_end_a_re_deal_changes_nothing() -> None:
    env = no_thanks_v0.env(num_players=3, low=3, high=5, removed=2)
    env.reset(seed=1)
    env.step(TAKE)
    before = env.get_state().tobytes()
    env.resample_hidden(0, np.random.default_rng(0))
    assert env.get_state().tobytes() == before


def test_a_re_deal_for_a_seat_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="seat must be from 0 to 3"):
        started().resample_hidden(4, np.random.default_rng(0))


def test_legal_actions_are_those_of_the_mask() -> None:
    env = no_thanks_v0.env(num_players=2, chips=1)
    env.reset(seed=0)
    assert env.legal_actions() == [PASS, TAKE]
    env.step(PASS)
    env.step(PASS)
    assert env.legal_actions() == [TAKE]
