"""The interface of agents.

An agent is any object with `act(table, rng) -> actions`. It decides for a batch of tables at once
and sees them through a `TableView`, which encodes any observation for the player to move and shows
nothing that this player can't know.
"""

import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.game import Game
from lowhand.engine.kernels_batch import FIRST_AGENT, YOURS
from lowhand.engine.kernels_rows import (
    act_rows,
    first_illegal,
    mask_rows,
    observe_seats,
    uniform_rows,
)
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.scripted import Bot
from lowhand.engine.validation import error_text


class Positions(NamedTuple):
    """The full information of a view's tables: what agents must not use, but search copies."""

    rules: np.ndarray  # (1,) Rules
    states: np.ndarray  # (N,) State
    rows: NDArray[np.int64]  # (tables,) index into `states` of each table


class TableView:
    """A batch of tables at which one agent is to move, as that agent may see them.

    Attributes:
        game: name of the game.
        options: the game's options; `num_players` differs per table, see `num_players` below.
        privileged: the positions with everything that is hidden, as a `Positions`. Only for
            agents that copy positions and sample the hidden part before they use them.
    """

    def __init__(
        self,
        game: Game,
        options: Any,
        rules: np.ndarray,
        states: np.ndarray,
        rows: NDArray[np.int64],
    ) -> None:
        self._game, self.game, self.options = game, game.name, options
        self.privileged = Positions(rules, states, rows)

    def __len__(self) -> int:
        """Number of tables."""
        return len(self.privileged.rows)

    @property
    def num_players(self) -> NDArray[np.int64]:
        """Players at each table, (tables,) int64."""
        players: NDArray[np.int64] = self.privileged.states["num_players"][
            self.privileged.rows
        ].astype(np.int64)
        return players

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action, (tables, actions) int8."""
        mask = np.empty((len(self), self._game.num_actions(self.options)), np.int8)
        mask_rows(*self.privileged, mask)
        return mask

    def spec(self, perfect_recall: bool = True, seats: int | None = None) -> ObservationSpec:
        """The observation with room for `seats` seats (by default the most at these tables)."""
        seats = int(self.num_players.max()) if seats is None else seats
        return _observation(self._game, self.options, perfect_recall, seats)

    def observe(self, spec: ObservationSpec) -> NDArray[np.float32]:
        """What the players to move see, (tables, spec.size) float32.

        Raises:
            ValueError: a table has more players than the observation has seats.
        """
        most = int(self.num_players.max())
        if most > spec.seats:
            raise ValueError(
                f"the observation has {spec.seats} seats, and a table has {most} players."
            )
        observation = np.empty((len(self), spec.size), np.float32)
        rules, states, rows = self.privileged
        movers = states["mover"][rows].astype(np.int64)
        observe_seats(rules, spec.layout, states, rows, movers, observation)
        return observation

    def uniforms(self) -> NDArray[np.float64]:
        """One number in [0, 1) for each table, fixed by its game and move: (tables,) float64.

        An agent that draws its actions with these plays the same in every batch. Not
        cryptographic: inverting SplitMix64 reveals the deck.
        """
        uniforms = np.empty(len(self), np.float64)
        uniform_rows(self.privileged.states, self.privileged.rows, uniforms)
        return uniforms

    def fields(self, perfect_recall: bool = True) -> dict[str, NDArray[np.float32]]:
        """The observation as named arrays of shape (tables, *field shape)."""
        spec = self.spec(perfect_recall)
        return spec.views(self.observe(spec))


@cache
def _observation(game: Game, options: Any, recall: bool, seats: int) -> ObservationSpec:
    return game.observation(options, recall, seats)


@runtime_checkable
class Agent(Protocol):
    """Decides at tables. Keeps no memory between calls: tables come in any order."""

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of the `len(table)` tables, (tables,) integers."""
        ...


class ScriptedAgent:
    """A scripted player: `bot` is its Bot record, which batches play in compiled code."""

    def __init__(self, name: str, bot: np.ndarray) -> None:
        self.name, self.bot = name, bot

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """The player's actions. Game and move fix its random numbers: `rng` is not used."""
        actions = np.empty(len(table), np.int64)
        act_rows(*table.privileged, self.bot, actions)
        return actions


def agents_generator(seed: int) -> np.random.Generator:
    """The random generator of agents in games of `seed` (a seed, or the key of one game).

    It is seeded by a hash, from which neither the seed nor the deck can be computed.
    """
    digest = hashlib.sha256(f"agents {int(seed)}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def ask(agent: Agent, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
    """The agent's actions, checked.

    Raises:
        ValueError: the agent failed, or did not return one legal action for each table.
    """
    try:
        actions = np.asarray(agent.act(table, rng))
    except (Exception, SystemExit) as error:  # any error of a user's agent becomes one sentence
        raise ValueError(f"agent {agent_name(agent)!r} failed: {error_text(error)}.") from error
    if actions.shape != (len(table),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent_name(agent)!r} must return {len(table)} integers, one action for each"
            f" table; it returned an array of shape {actions.shape} and type {actions.dtype}."
        )
    actions = actions.astype(np.int64)
    bad = first_illegal(*table.privileged, actions)
    if bad >= 0:
        legal = np.flatnonzero(table.action_mask[bad]).tolist()
        raise ValueError(
            f"agent {agent_name(agent)!r} chose action {actions[bad]}, which is illegal; legal"
            f" actions are {legal}."
        )
    return actions


def ask_movers(
    agents: Sequence[Agent],
    table: TableView,
    seats: NDArray[np.int32],
    rng: np.random.Generator,
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Ask each agent for its actions at all tables at which it is to move.

    Args:
        agents: the agents, as `seat_codes` numbered them.
        table: the tables.
        seats: (states, seats) int32 seat codes at all states of the view. Tables at which
            neither a scripted player nor `YOURS` is to move count.
        rng: for agents that draw from it.

    Yields:
        Rows of the states, and the action at each.

    Raises:
        ValueError: an agent failed, or its action is illegal.
    """
    rules, states, rows = table.privileged
    movers = seats[rows, states["mover"][rows]]
    for code in np.unique(movers[movers <= FIRST_AGENT]):
        mine = rows[movers == code]
        view = TableView(table._game, table.options, rules, states, mine)
        yield mine, ask(agents[FIRST_AGENT - int(code)], view, rng)


def check_fit(agents: Sequence[Agent], options: Any) -> None:
    """Check that agents can play at a table with these options, before any game begins.

    An agent may have a method `incompatibility(options)`: why it can't, as a clause, or None.

    Raises:
        ValueError: an agent can't.
    """
    for agent in agents:
        try:
            incompatibility = getattr(agent, "incompatibility", lambda options: None)(options)
        except (Exception, SystemExit) as error:  # the user's code, as in `ask`
            name = agent_name(agent)
            raise ValueError(
                f"agent {name!r}: its incompatibility failed ({error_text(error)})."
            ) from error
        if incompatibility is not None:
            raise ValueError(f"agent {agent_name(agent)!r} can't play here: {incompatibility}.")


def agent_name(agent: Agent) -> str:
    """The name of an agent for tables and messages."""
    return str(getattr(agent, "name", type(agent).__name__))


def seat_codes(agents: Sequence[Agent]) -> tuple[NDArray[np.int32], np.ndarray]:
    """The seat code of each agent, with `YOURS` at index −1, and the scripted players' records."""
    bots: list[np.ndarray] = []
    codes: list[int] = []
    for index, agent in enumerate(agents):
        if isinstance(agent, ScriptedAgent):
            codes.append(len(bots))
            bots.append(agent.bot)
        else:
            codes.append(FIRST_AGENT - index)
    records = np.concatenate(bots) if bots else np.zeros(0, Bot)
    return np.array([*codes, YOURS], np.int32), records
