"""Agents asked for their policy in No Thanks!: exact probabilities of taking.

Scripted players state theirs (`bots.policies.take_probability`); for others see `agent_policies`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import Agent, ScriptedAgent, TableView
from lowhand.engine.jit import njit
from lowhand.games import get_game
from lowhand.games.no_thanks.bots.policies import take_probability
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import TAKE
from lowhand_training.solve.agent_policies import determined_actions, stated_policy, states_policy


def take_probabilities(
    agent: Agent, options: Options
) -> Callable[[np.ndarray], NDArray[np.float64]]:
    """A function that gives the agent's probability of taking at states, (states,) float64.

    Where the mover has no chip, it is 1 and the agent is not asked.
    """
    game, rules = get_game("no_thanks"), options.rules()

    def probabilities(states: np.ndarray) -> NDArray[np.float64]:
        result = np.ones(states.size)
        rows = np.flatnonzero(states["chips"][np.arange(states.size), states["mover"]] > 0)
        if not rows.size:
            return result
        if isinstance(agent, ScriptedAgent):
            _write_probabilities(rules, states, rows, agent.bot, result)
        elif states_policy(agent):
            table = TableView(game, options, rules, states, rows)
            result[rows] = stated_policy(agent, table)[:, TAKE]
        else:
            result[rows] = determined_actions(agent, game, options, states[rows]) == TAKE
        return result

    return probabilities


@njit
def _write_probabilities(rules, states, rows, bot, result):  # type: ignore[no-untyped-def]
    for row in rows:
        result[row] = take_probability(rules[0], states[row], bot[0])
