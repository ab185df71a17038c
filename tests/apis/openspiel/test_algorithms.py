"""OpenSpiel's algorithms run on the games, and do there what they are for."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, exploitability, ismcts, mcts
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.policy import UniformRandomPolicy

from lowhand.apis.openspiel import AgentBot, agent_policy
from tests.apis.openspiel.games import load, tiny_least_score, tiny_no_thanks


@pytest.mark.parametrize(
    "game",
    [tiny_no_thanks(2, 3, 1, 1, reward="score"), tiny_least_score(max_turns=3, ranks=2)],
    ids=["nt", "ls"],
)
def test_cfr_leaves_little_to_exploit(game):
    solver = cfr.CFRPlusSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    before = exploitability.exploitability(game, UniformRandomPolicy(game))
    assert 0.0 <= exploitability.exploitability(game, solver.average_policy()) < before / 8


def test_cfr_in_c_plus_plus_finds_the_same():
    game = tiny_no_thanks(2, 3, 1, 1, reward="score")
    solver = pyspiel.CFRPlusSolver(game)
    for _ in range(10):
        solver.evaluate_and_update_policy()
    ours = cfr.CFRPlusSolver(game)
    for _ in range(10):
        ours.evaluate_and_update_policy()
    found = [
        pyspiel.exploitability(game, solver.tabular_average_policy()),
        exploitability.exploitability(game, ours.average_policy()),
    ]
    assert abs(found[0] - found[1]) < 1e-9


def test_best_responses_in_c_plus_plus_agree():
    game = tiny_least_score(max_turns=3, ranks=2)
    policy = agent_policy(game, "greedy")
    slow, fast = (
        exploitability.nash_conv(game, policy.to_tabular(), use_cpp_br=cpp) for cpp in (False, True)
    )
    assert slow > 0.1
    assert abs(slow - fast) < 1e-9


def test_tree_search_plays_an_agent():
    game = load("lowhand_no_thanks", num_players=2, low=3, high=12, removed=2, chips=4)
    random = np.random.RandomState(1)
    search = mcts.MCTSBot(
        game, 2.0, 30, mcts.RandomRolloutEvaluator(1, random), random_state=random
    )
    state = game.new_initial_state()
    returns = evaluate_bots(state, [search, AgentBot(game, "connector", 1, seed=1)], random)
    assert state.is_terminal()
    assert returns[0] == -returns[1]


def test_search_over_information_sets_plays_an_agent():
    game = tiny_least_score(max_turns=6, ranks=5, hand_size=2, sets="pair")
    random = np.random.RandomState(1)
    rollouts = mcts.RandomRolloutEvaluator(1, random)
    search = ismcts.ISMCTSBot(game, rollouts, 5.0, 40, random_state=random)
    opponent = AgentBot(game, "greedy:4", 1, seed=1)
    state = game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            action = random.choice(state.legal_actions())
        else:
            action = (search, opponent)[state.current_player()].step(state)
        state.apply_action(int(action))
    returns = state.returns()
    assert returns[0] == -returns[1]


def test_sampling_cfr_runs_on_a_match():
    game = tiny_least_score(max_turns=2, points_limit=5.0, max_deals=2)
    solver = pyspiel.ExternalSamplingMCCFRSolver(game, 1)
    for _ in range(5):
        solver.run_iteration()
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    chances = solver.average_policy().action_probabilities(state)
    assert abs(sum(chances.values()) - 1.0) < 1e-9
    assert set(chances) == set(state.legal_actions())
