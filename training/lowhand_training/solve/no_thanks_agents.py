"""Agents asked for their policy in No Thanks!: exact probabilities of taking.

- Scripted players say theirs (`lowhand.no_thanks.bots.take_probability`).
- An agent with a method `probabilities(table) -> (tables, actions)` gives them; networks have
  one, their temperature included, and an agent of your own that draws needs one.
- Any other agent must be deterministic. It is asked twice, with other dice and another
  generator, and refused if its answers differ.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lowhand._jit import njit
from lowhand.agents import Agent, ScriptedAgent, TableView, agent_name, ask
from lowhand.games import get_game
from lowhand.no_thanks.bots import take_probability
from lowhand.no_thanks.rules import TAKE, Options

_KEYS = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)  # digits of pi


def take_probabilities(
    agent: Agent, options: Options
) -> Callable[[np.ndarray], NDArray[np.float64]]:
    """A function that gives the agent's probability of taking at states, (states,) float64.

    Where the mover has no chip, it is 1 and the agent is not asked.
    """
    rules = options.rules()

    def probabilities(states: np.ndarray) -> NDArray[np.float64]:
        result = np.ones(states.size)
        rows = np.flatnonzero(states["chips"][np.arange(states.size), states["mover"]] > 0)
        if not rows.size:
            return result
        if isinstance(agent, ScriptedAgent):
            _write_probabilities(rules, states, rows, agent.bot, result)
        elif callable(getattr(agent, "probabilities", None)):
            result[rows] = _stated(agent, _view(options, rules, states, rows))
        else:
            result[rows] = _determined(agent, options, rules, states, rows)
        return result

    return probabilities


def _view(
    options: Options, rules: np.ndarray, states: np.ndarray, rows: NDArray[np.int64]
) -> TableView:
    return TableView(get_game("no_thanks"), options, rules, states, rows)


def _stated(agent: Agent, table: TableView) -> NDArray[np.float64]:
    """The probabilities that the agent's own method states."""
    name = agent_name(agent)
    try:
        stated = np.asarray(agent.probabilities(table), np.float64)  # type: ignore[attr-defined]
    except Exception as error:  # whatever a user's agent raises is told in one sentence
        raise ValueError(f"the probabilities of agent {name!r} failed: {error}.") from error
    shape = (len(table), 2)
    if stated.shape != shape or not (
        (stated >= 0.0).all() and np.allclose(stated.sum(axis=1), 1.0, rtol=0.0, atol=1e-9)
    ):
        raise ValueError(
            f"the probabilities of agent {name!r} must be an array of shape {shape} of numbers of"
            " at least 0 with sum 1 in each row."
        )
    return stated[:, TAKE]


def _determined(
    agent: Agent,
    options: Options,
    rules: np.ndarray,
    states: np.ndarray,
    rows: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The actions of an agent that draws nothing, as probabilities."""

    def answer(dice: int) -> NDArray[np.int64]:
        states["key"] = _KEYS[dice]
        return ask(agent, _view(options, rules, states, rows), np.random.default_rng(dice))

    actions = answer(0)
    if not np.array_equal(actions, answer(1)):
        raise ValueError(
            f"agent {agent_name(agent)!r} draws its actions: to be solved for it needs a method"
            " probabilities(table) that gives their probabilities, (tables, actions)."
        )
    takes: NDArray[np.bool_] = actions == TAKE
    return takes.astype(np.float64)


@njit
def _write_probabilities(rules, states, rows, bot, result):  # type: ignore[no-untyped-def]
    for row in rows:
        result[row] = take_probability(rules[0], states[row], bot[0])
