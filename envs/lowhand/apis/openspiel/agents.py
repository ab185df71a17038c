"""lowhand's agents in OpenSpiel: as a policy with exact probabilities, and as a bot."""

from typing import Any

import numpy as np
import pyspiel  # type: ignore[import-not-found,import-untyped,unused-ignore]
from open_spiel.python.policy import (  # type: ignore[import-not-found,import-untyped,unused-ignore]
    Policy,
)

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent, TableView, agent_name, agents_generator, ask, check_fit
from lowhand.apis.openspiel.games import CardGame, CardState
from lowhand.apis.openspiel.position import copied
from lowhand.engine.validation import check_integer

TRIALS = 64
"""Random numbers after which an agent that always acted alike counts as deterministic."""


class AgentPolicy(Policy):  # type: ignore[misc]
    """The policy of an agent, for best responses, NashConv and expected scores.

    Args:
        game: the game.
        agent: an agent, or a name such as "greedy" or "checkpoints/no_thanks".

    Raises:
        ValueError: no agent has this name, or it can't play this game at this table.
    """

    def __init__(self, game: CardGame, agent: str | Agent) -> None:
        super().__init__(game, list(range(game.num_players())))
        self.agent = _fitting(agent, game)
        self._rng = agents_generator(0)

    def action_probabilities(self, state: CardState, player_id: int | None = None) -> Any:
        """The actions with a positive probability, and their probabilities.

        An agent with a method `probabilities(table)`, such as a network, states its own. Any
        other acts `TRIALS` times with different random numbers, and must always act alike.

        Raises:
            ValueError: its action depends on random numbers; or the player is not to move.
        """
        player = state.current_player()
        if player < 0 or player_id not in (None, player):
            raise ValueError(f"player {player_id} is not to move: the policy acts for the mover.")
        if hasattr(self.agent, "probabilities"):
            (row,) = self.agent.probabilities(_view(state, state.position.states))
            return {int(action): float(row[action]) for action in np.flatnonzero(row)}
        states = state.position.states.repeat(TRIALS)
        states["key"] = np.arange(TRIALS)
        actions = ask(self.agent, _view(state, states), self._rng)
        if (actions != actions[0]).any():
            raise ValueError(
                f"agent {agent_name(self.agent)!r} randomises without stating its probabilities:"
                " it can play as a bot, but not as a policy."
            )
        return {int(actions[0]): 1.0}


agent_policy = AgentPolicy


class AgentBot(pyspiel.Bot):  # type: ignore[misc]
    """An agent that plays one seat, in OpenSpiel's `evaluate_bots` and the like.

    Args:
        game: the game.
        agent: an agent or its name.
        player_id: its seat.
        seed: of its random numbers.

    Raises:
        ValueError: no agent has this name, or it can't play this game at this table.
    """

    def __init__(
        self, game: CardGame, agent: str | Agent, player_id: int, seed: int | None = None
    ) -> None:
        super().__init__()
        check_integer("player_id", player_id, 0, game.num_players() - 1)
        self.agent = _fitting(agent, game)
        self._player_id, self._rng = player_id, np.random.default_rng(seed)

    def player_id(self) -> int:
        """Its seat."""
        return self._player_id

    def restart_at(self, state: CardState) -> None:
        """Do nothing: agents keep no memory and see all that they know at the table."""

    def inform_action(self, state: CardState, player_id: int, action: int) -> None:
        """Do nothing: the table shows the actions of others."""

    def step(self, state: CardState) -> int:
        """Its action at `state`."""
        states = copied(state.position.states)
        states["key"] = self._rng.integers(2**64, dtype=np.uint64)  # fixes its random numbers
        return int(ask(self.agent, _view(state, states), self._rng)[0])


def _fitting(agent: str | Agent, game: CardGame) -> Agent:
    """The agent, after a check that it can play at the tables of `game`."""
    if not isinstance(game, CardGame):
        raise ValueError(f"agents of lowhand play its own games, not {game}.")
    made = make_agent(agent, game.terms.game)
    check_fit([made], game.terms.options)
    return made


def _view(state: CardState, states: np.ndarray) -> TableView:
    """What the player to move sees of `states`, which are copies of the record of `state`."""
    terms = state.position.terms
    rows = np.arange(len(states))
    return TableView(terms.game, terms.options, terms.rules, states, rows)
