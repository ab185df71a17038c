"""lowhand's agents in OpenSpiel."""

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import TableView
from lowhand.apis.openspiel import AgentBot, agent_policy
from tests.apis.openspiel.games import load, tiny_no_thanks


def midgame(game, actions, seed=0):
    """A decision after so many actions of players."""
    state, rng = game.new_initial_state(), np.random.default_rng(seed)
    while state.is_chance_node() or state.position.states["moves"][0] < actions:
        state.apply_action(int(rng.choice(state.legal_actions())))
    return state


def test_a_scripted_player_is_certain_of_what_it_does():
    game = load("lowhand_no_thanks", num_players=3, first_player=0)
    policy = agent_policy(game, "greedy")
    state = game.new_initial_state()
    state.apply_action(1)  # card 4
    for pot in range(4):
        assert policy.action_probabilities(state) == {0: 1.0}, f"4 points against {pot} chips"
        state.apply_action(0)
    assert policy.action_probabilities(state, 1) == {1: 1.0}


@pytest.mark.parametrize("name", ["no_thanks", "least_score"])
def test_a_network_has_its_own_probabilities(name):
    game = load(f"lowhand_{name}", num_players=3)
    state = midgame(game, 5)
    agent = make_agent(f"checkpoints/{name}", game.terms.game)
    position = state.position
    table = TableView(
        game.terms.game, game.terms.options, game.terms.rules, position.states, np.zeros(1, int)
    )
    expected = agent.probabilities(table)[0]
    found = agent_policy(game, f"checkpoints/{name}").action_probabilities(state)
    assert abs(sum(found.values()) - 1.0) < 1e-12
    assert set(found) <= set(state.legal_actions())
    assert all(found[action] == expected[action] for action in found)
    assert 0.0 < max(found.values()) <= 1.0


@pytest.mark.parametrize(("name", "agent"), [("no_thanks", "random"), ("least_score", "random")])
def test_players_who_throw_dice_have_no_policy_but_a_bot(name, agent):
    game = load(f"lowhand_{name}", num_players=3)
    state = midgame(game, 1)
    with pytest.raises(ValueError, match="'random' randomises without stating"):
        agent_policy(game, agent).action_probabilities(state)
    bot = AgentBot(game, agent, state.current_player(), seed=1)
    assert len({bot.step(state) for _ in range(30)}) > 1


def test_a_policy_acts_for_the_player_to_move():
    game = tiny_no_thanks(3, 5, 1, 2)
    policy, state = agent_policy(game, "greedy"), game.new_initial_state()
    with pytest.raises(ValueError, match="is not to move"):
        policy.action_probabilities(state)
    state.apply_action(0)
    with pytest.raises(ValueError, match="player 1 is not to move"):
        policy.action_probabilities(state, 1)


class Second:
    """An agent of a user's own: the last legal action."""

    def act(self, table, rng):
        return table.action_mask.shape[1] - 1 - table.action_mask[:, ::-1].argmax(axis=1)


def test_an_agent_of_ones_own_may_be_a_policy():
    game = tiny_no_thanks(3, 5, 1, 2)
    state = midgame(game, 0)
    assert agent_policy(game, Second()).action_probabilities(state) == {1: 1.0}


def test_an_unknown_agent_is_refused():
    with pytest.raises(ValueError, match="there is no agent 'greedyy'"):
        agent_policy(tiny_no_thanks(3, 5, 1, 2), "greedyy")


def test_bots_play_whole_matches_in_both_of_openspiels_loops():
    game = load("lowhand_least_score", num_players=3, points_limit=25.0)
    bots = [AgentBot(game, name, k, seed=k) for k, name in enumerate(["greedy", "tuned", "random"])]
    state = game.new_initial_state()
    returns = evaluate_bots(state, bots, np.random.RandomState(1))
    assert state.is_terminal()
    assert abs(sum(returns)) < 1e-9
    assert abs(sum(pyspiel.evaluate_bots(game.new_initial_state(), bots, 1))) < 1e-9


def test_a_seed_fixes_a_bots_dice():
    game = load("lowhand_no_thanks", num_players=3)
    state = midgame(game, 1)
    one, same, other = (AgentBot(game, "random", 0, seed=seed) for seed in (1, 1, 2))
    said = [[bot.step(state) for _ in range(20)] for bot in (one, same, other)]
    assert said[0] == said[1] != said[2]


def test_an_agent_that_does_not_fit_is_refused_before_it_plays():
    game = load("lowhand_least_score", num_players=8)
    with pytest.raises(ValueError, match="observes at most 6 players, and the table has 8"):
        agent_policy(game, "checkpoints/least_score")
    with pytest.raises(ValueError, match="observes at most 6 players, and the table has 8"):
        AgentBot(game, "checkpoints/least_score", 0)
    with pytest.raises(ValueError, match="play its own games, not kuhn_poker"):
        agent_policy(pyspiel.load_game("kuhn_poker"), "greedy")
    with pytest.raises(ValueError, match="player_id must be from 0 to 7, not 9"):
        AgentBot(game, "greedy", 9)
