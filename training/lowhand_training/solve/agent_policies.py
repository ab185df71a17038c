"""Agents in solvers of any game: their names, whether they fit, and their exact policies.

- An agent with a method `probabilities(table) -> (tables, actions)` states its policy; networks
  have one, their temperature included, and an agent of your own that randomises needs one.
- Any other agent must be deterministic. It is asked twice, with other random numbers,
  and refused if its answers differ.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import Agent, TableView, agent_name, ask, check_fit
from lowhand.engine.game import Game

_KEYS = np.uint64(0x243F6A8885A308D3), np.uint64(0x13198A2E03707344)  # digits of pi


@dataclass(frozen=True, kw_only=True)
class AgentValues:
    """What deviating from an agent that plays at all seats brings.

    Attributes:
        agent: its name.
        values: of each seat if all play the agent.
        best_response: value of each seat if it alone plays a best response.
        seconds: of asking it and of the best responses, without compilation.
    """

    agent: str
    values: tuple[float, ...]
    best_response: tuple[float, ...]
    seconds: float

    @property
    def gains(self) -> tuple[float, ...]:
        """What each seat gains by a best response: its regret for playing the agent."""
        pairs = zip(self.best_response, self.values, strict=True)
        return tuple(best - value for best, value in pairs)

    @property
    def nash_conv(self) -> float:
        """The sum of the gains; 0 if and only if the agent is an equilibrium."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """NashConv / players, as in OpenSpiel."""
        return self.nash_conv / len(self.values)


def agent_names(names: Sequence[str], game: Game) -> list[str]:
    """Returns each name once; `baselines` means all baselines of the game."""
    found: list[str] = []
    for name in names:
        found += game.baselines if name == "baselines" else [name]
    return list(dict.fromkeys(found))


def fits(agent: Agent, options: Any) -> bool:
    """Whether the agent can play at a table with these options."""
    try:
        check_fit([agent], options)
    except ValueError:
        return False
    return True


def states_policy(agent: Agent) -> bool:
    """Whether the agent has a method that states its policy."""
    return callable(getattr(agent, "probabilities", None))


def stated_policy(agent: Agent, table: TableView) -> NDArray[np.float64]:
    """The policy that the agent's own method states, (tables, actions) float64.

    Raises:
        ValueError: it failed, or is no policy over legal actions.
    """
    name, mask = agent_name(agent), table.action_mask
    try:
        stated = np.asarray(agent.probabilities(table), np.float64)  # type: ignore[attr-defined]
    except (Exception, SystemExit) as error:  # any error of a user's agent becomes one sentence
        raise ValueError(f"the probabilities of agent {name!r} failed: {error}.") from error
    if stated.shape != mask.shape or not (
        (stated >= 0.0).all()
        and (stated[mask == 0] == 0.0).all()
        and np.allclose(stated.sum(axis=1), 1.0, rtol=0.0, atol=1e-9)
    ):
        raise ValueError(
            f"the probabilities of agent {name!r} must be an array of shape {mask.shape} of"
            " numbers of at least 0, 0 for illegal actions, with sum 1 in each row."
        )
    return stated


def determined_actions(
    agent: Agent, game: Game, options: Any, states: np.ndarray
) -> NDArray[np.int64]:
    """The actions of an agent that draws nothing, (states,) int64.

    Raises:
        ValueError: it draws, failed, or played an illegal action.
    """
    asked, rows = states.copy(), np.arange(states.size)

    def answer(number: int) -> NDArray[np.int64]:
        asked["key"] = _KEYS[number]
        table = TableView(game, options, options.rules(), asked, rows)
        return ask(agent, table, np.random.default_rng(number))

    actions = answer(0)
    if not np.array_equal(actions, answer(1)):
        raise ValueError(
            f"agent {agent_name(agent)!r} draws its actions: to be solved for it needs a method"
            " probabilities(table) that gives their probabilities, (tables, actions)."
        )
    return actions
