"""What OpenSpiel asks of every game."""

import importlib
import pickle
import sys
from itertools import pairwise

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python.algorithms import get_all_states
from open_spiel.python.observation import make_observation
from open_spiel.python.rl_environment import Environment

from tests.apis.openspiel.games import ALL, IDS, load, tiny_least_score, tiny_no_thanks


@pytest.mark.parametrize(("name", "given"), ALL, ids=IDS)
def test_openspiels_random_simulation_passes(name, given):
    pyspiel.random_sim_test(load(name, **given), num_sims=2, serialize=True, verbose=False)


def checks(base, skipped=(), **attributes):
    """A class of OpenSpiel's own checks for one of our games."""
    return type("Checks", (base,), {**attributes, **dict.fromkeys(skipped)})


class TestSampledNoThanks(checks(api_test.EnforceAPIOnPartialTreeBase)):
    game = load("lowhand_no_thanks", num_players=5)
    game_name = str(game)


class TestSampledMatches(checks(api_test.EnforceAPIOnPartialTreeBase)):
    game = load("lowhand_least_score", num_players=3, points_limit=25.0, single_deals=0.5)
    game_name = str(game)


class TestSampledPiles(checks(api_test.EnforceAPIOnPartialTreeBase)):
    game = load("lowhand_least_score", ranks=8, deal_mode="stable", reward="points")
    game_name = str(game)


# The numbers of nodes are checked in test_trees. The same tensor may be seen by two seats, each
# from its own: ours have no entry for the number of the seat. (The strings have.)
LEFT_OUT = (
    "test_number_of_nodes",
    "test_game_is_perfect_recall",
    "test_current_player_infosets_no_overlap_between_players",
)


class TestWholeNoThanks(checks(api_test.EnforceAPIOnFullTreeBase, LEFT_OUT)):
    game = tiny_no_thanks(3, 3, 1, 1, reward="score")
    game_name = str(game)


class TestWholeLeastScore(checks(api_test.EnforceAPIOnFullTreeBase, LEFT_OUT)):
    game = tiny_least_score(max_turns=2)
    game_name = str(game)


@pytest.mark.parametrize(
    "game", [tiny_no_thanks(2, 4, 1, 1), tiny_least_score(max_turns=3)], ids=["nt", "ls"]
)
def test_players_have_perfect_recall(game):
    assert api_test._assert_is_perfect_recall(game)


@pytest.mark.parametrize(
    "game",
    [
        tiny_no_thanks(3, 3, 1, 1),
        tiny_least_score(max_turns=3),
        tiny_least_score(max_turns=1, points_limit=5.0, max_deals=2, ranks=2),
    ],
    ids=["nt", "ls", "match"],
)
def test_an_information_state_is_what_the_seat_has_seen(game):
    """Seats with the same string see the same and may do the same; strings of seats differ."""
    seen, movers = {}, {}
    for state in get_all_states.get_all_states(game, include_terminals=True).values():
        for seat in range(game.num_players()):
            key = state.information_state_string(seat)
            found = (
                state.information_state_tensor(seat),
                state.observation_tensor(seat),
                state.legal_actions(seat),
                state.is_terminal(),
            )
            assert seen.setdefault(key, found) == found
            assert movers.setdefault(key, seat) == seat


def test_an_information_state_holds_the_own_cards_and_what_was_public():
    state = tiny_least_score(max_turns=6).new_initial_state()
    for outcome in (1, 3, 5):  # 2 of clubs is outcome 2: two suits
        state.apply_action(outcome)
    assert state.information_state_string(0) == "p0 | hand A♦ | open 3♦"
    assert state.information_state_string(1) == "p1 | hand 2♦ | open 3♦"
    take_open, draw = 2, 1
    state.apply_action(take_open)
    state.apply_action(draw)
    assert state.is_chance_node()
    state.apply_action(2)
    common = " | A♦ < 3♦ | 2♦ < deck"
    assert state.information_state_string(0) == f"p0 | hand A♦ | open 3♦{common}"
    assert state.information_state_string(1) == f"p1 | hand 2♦ | open 3♦{common} + 2♣"
    state.apply_action(0)
    shown = " | declare | 0 shows 3♦ | 1 shows 2♣"
    assert state.information_state_string(0) == f"p0 | hand A♦ | open 3♦{common}{shown}"
    assert state.returns() == [-6.0, 6.0]  # wrong: 5 and one point more than the other


def test_hands_are_not_shown_when_a_deal_is_void():
    state = tiny_least_score(max_turns=1, at_limit="void").new_initial_state()
    for outcome in (1, 3, 5):
        state.apply_action(outcome)
    state.apply_action(2)
    assert state.is_terminal()
    assert state.information_state_string(1) == "p1 | hand 2♦ | open 3♦ | A♦ < 3♦ | void"


def test_an_information_state_of_no_thanks_is_the_story_so_far():
    state = load("lowhand_no_thanks", num_players=3).new_initial_state()
    for action in (2, 14, 0, 0, 1, 30, 0):
        state.apply_action(action)
    for seat in range(3):
        assert state.information_state_string(seat) == f"p{seat} first 2 17:ppt 33:p"
    assert state.current_player() == 2


def test_nothing_is_told_before_it_happens():
    """At a chance node no player holds a card of the deal that the engine's key made."""
    game = load("lowhand_least_score", num_players=2, points_limit=10.0, max_turns=1,
                at_limit="showdown")  # fmt: skip
    state, rng = game.new_initial_state(), np.random.default_rng(0)
    blank = [state.information_state_tensor(seat) for seat in range(2)]
    while state.move_number() < 12:  # the starter, eleven cards: all of the first deal
        assert [state.information_state_tensor(seat) for seat in range(2)] == blank
        state.apply_action(int(rng.choice(state.legal_actions())))
    while not state.is_chance_node() or "cards are dealt" not in str(state):
        state.apply_action(int(rng.choice(state.legal_actions())))
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=True))
    for seat in range(2):
        observation.set_from(state, seat)
        for name in ("hand_ranks", "floor_ranks", "hand_sizes", "known", "total"):
            assert not observation.dict[name].any()
    assert observation.dict["points"].any()


def test_chance_can_do_what_its_outcomes_say_and_nothing_else():
    state = tiny_no_thanks(3, 5, 1, 2).new_initial_state()
    assert state.chance_outcomes() == [(card, 0.2) for card in range(5)]
    assert state.action_to_string(2) == "turn 5"
    with pytest.raises(ValueError, match="chance has no outcome 5 here"):
        state.position.resolve_chance(5)
    state.apply_action(2)
    with pytest.raises(ValueError, match=r"action 2 is illegal; legal actions are \[0, 1\]"):
        state.position.play(2)
    assert state.action_to_string(1) == "take 5"
    state.apply_action(1)
    assert state.chance_outcomes() == [(card, 0.25) for card in (0, 1, 3, 4)]


def test_a_share_of_single_deals_is_a_chance_node():
    state = load("lowhand_least_score", single_deals=0.25).new_initial_state()
    assert state.chance_outcomes() == [(0, 0.75), (1, 0.25)]
    assert [state.action_to_string(k) for k in (0, 1)] == ["a match", "a single deal"]


def test_copies_go_their_own_way():
    state = tiny_no_thanks(3, 5, 1, 2).new_initial_state()
    state.apply_action(0)
    twin, pickled = state.clone(), pickle.loads(pickle.dumps(state))
    state.apply_action(0)
    for other in (twin, pickled):
        assert str(other) != str(state)
        other.apply_action(0)
        assert str(other) == str(state)
        assert other.information_state_tensor(1) == state.information_state_tensor(1)
    assert state.clone().history() == [0, 0]


def test_rewards_add_up_to_returns_over_a_match():
    state = load("lowhand_least_score", num_players=3, points_limit=30.0).new_initial_state()
    rng, earned = np.random.default_rng(3), [np.zeros(3)]
    while not state.is_terminal():
        state.apply_action(int(rng.choice(state.legal_actions())))
        if not state.is_chance_node():
            earned.append(earned[-1] + state.rewards())
            np.testing.assert_allclose(earned[-1], state.returns(), atol=1e-9)
    assert sum(bool((b != a).any()) for a, b in pairwise(earned)) > 1
    assert abs(sum(state.returns())) < 1e-9


def test_an_observation_in_words_is_the_table_as_the_seat_sees_it():
    for name in ("lowhand_no_thanks", "lowhand_least_score"):
        state, rng = load(name, num_players=3).new_initial_state(), np.random.default_rng(2)
        while state.is_chance_node() or state.position.states["moves"][0] < 4:
            state.apply_action(int(rng.choice(state.legal_actions())))
        terms, record = state.position.terms, state.position.states[0]
        for seat in range(3):
            seen = state.observation_string(seat)
            assert seen == terms.game.render(terms.rules, record, seat)
            assert seen != state.observation_string((seat + 1) % 3)
            assert seen != str(state)


def test_observers_of_other_kinds_are_not_offered():
    game = load("lowhand_no_thanks")
    secret = pyspiel.IIGObservationType(public_info=False, perfect_recall=False)
    assert make_observation(game, secret) is None
    with pytest.raises(ValueError, match="observers have no parameters"):
        game.make_py_observer(params={"x": 1})


def test_reinforcement_learning_environments_of_openspiel_play_them():
    environment = Environment(load("lowhand_least_score", num_players=2, points_limit=20.0))
    environment.seed(1)
    step, total, rng = environment.reset(), np.zeros(2), np.random.default_rng(1)
    while not step.last():
        legal = step.observations["legal_actions"][step.current_player()]
        step = environment.step([int(rng.choice(legal))])
        total += step.rewards
    np.testing.assert_allclose(total, environment.get_state.returns())
    assert total.any()


def test_what_is_hidden_can_be_dealt_anew():
    state = load("lowhand_least_score", num_players=3, points_limit=-1.0).new_initial_state()
    rng = np.random.default_rng(5)
    while state.is_chance_node() or state.position.states["turn"][0] < 4:
        state.apply_action(int(rng.choice(state.legal_actions())))
    seat = state.current_player()
    other = (seat + 1) % 3
    twins = [state.resample_from_infostate(seat, rng.random) for _ in range(5)]
    for twin in twins:
        assert twin.information_state_string(seat) == state.information_state_string(seat)
        assert twin.information_state_tensor(seat) == state.information_state_tensor(seat)
        assert twin.legal_actions() == state.legal_actions()
    assert len({twin.information_state_string(other) for twin in twins}) == 5
    with pytest.raises(ValueError, match="only where a player is to move"):
        state.get_game().new_initial_state().resample_from_infostate(0, rng.random)


def test_without_openspiel_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "lowhand.apis.openspiel")
    with pytest.raises(ImportError, match=r'pip install "lowhand\[openspiel\]"'):
        importlib.import_module("lowhand.apis.openspiel")
