"""Our exact NashConv and exploitability against OpenSpiel's, which are independent code."""

import pyspiel
import pytest
from open_spiel.python import policy as spiel
from open_spiel.python.algorithms import exploitability

import lowhand.apis.openspiel
from lowhand.agents.names import make_agent
from lowhand.apis.openspiel.parameters import parameters
from lowhand.games import get_game
from lowhand.games.least_score import GAME
from lowhand_training.solve.least_score.solver import solve_least_score
from lowhand_training.solve.no_thanks.solver import nash_conv, reduced_options
from lowhand_training.solve.no_thanks.space import enumerate_space


@pytest.mark.parametrize("agent", ["greedy", "threshold:-1", "connector"])
@pytest.mark.parametrize("size", [(2, 4, 1, 1), (3, 3, 0, 1)])
def test_nash_conv_of_agents_in_no_thanks(size, agent):
    options = reduced_options(*size)
    ours = nash_conv(
        enumerate_space(options, forgets=False), make_agent(agent, get_game("no_thanks"))
    )
    players, cards, removed, chips = size
    game = pyspiel.load_game(
        "lowhand_no_thanks",
        {
            "num_players": players,
            "low": 3,
            "high": 2 + cards,
            "removed": removed,
            "chips": chips,
            "first_player": 0,
            "reward": "points",
        },
    )
    policy = lowhand.apis.openspiel.agent_policy(game, agent)
    theirs = exploitability.nash_conv(game, policy, use_cpp_br=False)
    assert ours.nash_conv > 0.0
    assert theirs == pytest.approx(ours.nash_conv, abs=1e-6)


def reduced_deal(options):
    """The deal in OpenSpiel, paid as the solver pays: the others' mean less the player's points."""
    known = parameters(GAME)
    given = {name: one.encoded(getattr(options, name)) for name, one in known.items()}
    return pyspiel.load_game("lowhand_least_score", {**given, "reward": "score"})


class AveragePolicy(spiel.Policy):
    """A solution's average strategy, asked by the history of actions that OpenSpiel keeps.

    The record at each decision is read off OpenSpiel's state on a replay, so that nothing of the
    solver's tree is used but the strategy.
    """

    def __init__(self, game, policy):
        super().__init__(game, list(range(game.num_players())))
        self.policy = policy

    def action_probabilities(self, state, player_id=None):
        replay, records, actions = self.game.new_initial_state(), [], []
        for action in state.history():
            if not replay.is_chance_node():
                records.append(replay.position.states.copy()[0])
                actions.append(action)
            replay.apply_action(action)
        records.append(replay.position.states.copy()[0])
        return self.policy.probabilities(records, actions)


@pytest.fixture(scope="module", params=[("2x2-1-3", 2), ("3x2-1-2", 2), ("2x2-1-5", 3)], ids=str)
def deal(request):
    """A deal solved roughly, so that the average strategy can be exploited, and OpenSpiel's."""
    size, players = request.param
    solution = solve_least_score(size, 5, ["random", "greedy:7"], players)
    return solution, reduced_deal(solution.tree.options)


def exploitability_there(game, policy):
    return exploitability.nash_conv(game, policy, use_cpp_br=False) / game.num_players()


def test_exploitability_of_the_average_strategy_in_least_score(deal):
    solution, game = deal
    theirs = exploitability_there(game, AveragePolicy(game, solution.policy()))
    assert solution.exploitability > 1e-3
    assert theirs == pytest.approx(solution.exploitability, abs=1e-6)


def test_exploitability_of_agents_in_least_score(deal):
    solution, game = deal
    uniform, greedy = solution.agents
    for ours, policy in (
        (uniform, spiel.UniformRandomPolicy(game)),
        (greedy, lowhand.apis.openspiel.agent_policy(game, "greedy:7")),
    ):
        assert ours.exploitability > 0.1
        theirs = exploitability_there(game, policy)
        assert theirs == pytest.approx(ours.exploitability, abs=1e-6)
