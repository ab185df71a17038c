"""Our exact NashConv against OpenSpiel's, code that nobody here wrote."""

import pyspiel
import pytest
from open_spiel.python.algorithms import exploitability

import lowhand.spiel
from lowhand.agents import make_agent
from lowhand.games import get_game
from lowhand_training.solve.no_thanks import nash_conv, reduced_options
from lowhand_training.solve.no_thanks_space import enumerate_space


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
    policy = lowhand.spiel.agent_policy(game, agent)
    theirs = exploitability.nash_conv(game, policy, use_cpp_br=False)
    assert ours.nash_conv > 0.0
    assert theirs == pytest.approx(ours.nash_conv, abs=1e-6)
