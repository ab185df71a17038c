"""Whole trees: sizes and values against a plain tree, and against games that the engine deals."""

import numpy as np
import pytest
from open_spiel.python.algorithms import expected_game_score, exploitability, get_all_states
from open_spiel.python.policy import UniformRandomPolicy

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.apis.openspiel import agent_policy
from tests.apis.openspiel import plain
from tests.apis.openspiel.games import tiny_least_score, tiny_no_thanks

SIZES = [(2, 3, 0, 1), (2, 4, 1, 1), (3, 3, 1, 1), (3, 4, 2, 2)]


@pytest.mark.parametrize("size", SIZES)
def test_no_thanks_has_the_nodes_and_the_value_of_a_plain_tree(size):
    game, tree = tiny_no_thanks(*size), plain.Tree(*size, plain.uniform)
    states = get_all_states.get_all_states(
        game, include_terminals=True, include_chance_states=True
    ).values()
    ends, events = (sum(map(kind, states)) for kind in (_is_end, _is_event))
    assert [events, len(states) - ends - events, ends] == tree.nodes
    uniform = UniformRandomPolicy(game)
    values = expected_game_score.policy_value(game.new_initial_state(), [uniform] * size[0])
    np.testing.assert_allclose(values, [-float(value) for value in tree.values], atol=1e-12)


def _is_end(state):
    return state.is_terminal()


def _is_event(state):
    return state.is_chance_node()


@pytest.mark.parametrize("size", [(2, 3, 1, 2), (2, 4, 1, 1), (3, 4, 1, 1)])
@pytest.mark.parametrize("limit", [0, -1])
def test_nash_conv_of_a_threshold_is_that_of_a_plain_tree(size, limit):
    game = tiny_no_thanks(*size)
    policy = agent_policy(game, f"threshold:{limit}")
    found = exploitability.nash_conv(game, policy, return_only_nash_conv=False)
    conv, gains = plain.nash_conv(*size, plain.threshold(limit))
    np.testing.assert_allclose(found.player_improvements, [float(g) for g in gains], atol=1e-12)
    assert abs(found.nash_conv - float(conv)) < 1e-12


@pytest.mark.parametrize(
    "given",
    [
        {"max_turns": 3},
        {"max_turns": 5, "ranks": 2, "deal_mode": "stable", "first_player": -1},
        {"max_turns": 2, "ranks": 2, "points_limit": 3.0, "max_deals": 2, "single_deals": 0.4},
    ],
    ids=["deal", "piles", "match"],
)
def test_random_play_of_least_score_is_worth_what_the_engines_deals_say(given):
    game = tiny_least_score(**given)
    uniform = [UniformRandomPolicy(game)] * 2
    value, _ = expected_game_score.policy_value(game.new_initial_state(), uniform)
    terms, games = game.terms, 20_000
    players = [make_agent("random", terms.game)]
    seating = np.zeros((games, 2), np.int64)
    results = play_games(terms.game, terms.options, players, seating, game_keys(7, 0, games))
    leads = results.scores[:, 1] - results.scores[:, 0]
    error = leads.std() / np.sqrt(games)
    assert error > 0.0
    assert abs(leads.mean() - value) < 4.5 * error
