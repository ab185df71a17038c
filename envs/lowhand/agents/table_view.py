"""Agents: whatever can decide at a table, and the names that they go by.

An agent is any object with `act(table, rng) -> actions`. It is asked for a batch of tables at
once and sees them through a `TableView`, which encodes any observation for the player to move
and shows nothing that this player can't know.

Names: `"greedy"`, `"threshold:2"` (scripted players), `"checkpoints/no_thanks"` (published
networks), `"mypackage.mymodule:MyAgent"` (a class of the user's own). Further kinds come from
the entry-point group `lowhand.agents`.
"""

import contextlib
import difflib
import hashlib
import importlib
from collections.abc import Callable, Sequence
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import (
    act_rows,
    dice_rows,
    first_illegal,
    mask_rows,
    observe_rows,
)
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.scripted import parse_bot


class TableView:
    """A batch of tables at which one agent is to move, as that agent may see them.

    Attributes:
        game: name of the game.
        options: the game's options; `num_players` differs per table, see `num_players` below.
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
        self._rules, self._states, self._rows = rules, states, rows

    def __len__(self) -> int:
        """Number of tables."""
        return len(self._rows)

    @property
    def num_players(self) -> NDArray[np.int64]:
        """Players at each table, (tables,) int64."""
        players: NDArray[np.int64] = self._states["num_players"][self._rows].astype(np.int64)
        return players

    @property
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action, (tables, actions) int8."""
        mask = np.empty((len(self), self._game.num_actions(self.options)), np.int8)
        mask_rows(self._rules, self._states, self._rows, mask)
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
        observe_rows(self._rules, spec.layout, self._states, self._rows, observation)
        return observation

    def dice(self) -> NDArray[np.float64]:
        """One number in [0, 1) for each table, fixed by its game and move: (tables,) float64.

        An agent that randomises with these plays the same whatever the batch it is asked in.
        They are for honest agents: who inverts the generator behind them learns the deck.
        """
        dice = np.empty(len(self), np.float64)
        dice_rows(self._states, self._rows, dice)
        return dice

    def fields(self, perfect_recall: bool = True) -> dict[str, NDArray[np.float32]]:
        """The observation as named arrays of shape (tables, *field shape)."""
        spec = self.spec(perfect_recall)
        return spec.views(self.observe(spec))


@cache
def _observation(game: Game, options: Any, recall: bool, seats: int) -> ObservationSpec:
    return game.observation(options, recall, seats)


@runtime_checkable
class Agent(Protocol):
    """Decides at tables. May keep no memory between calls: tables come in any order."""

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """A legal action for each of the `len(table)` tables, (tables,) integers."""
        ...


class ScriptedAgent:
    """A scripted player: `bot` is its Bot record, which batches play in compiled code."""

    def __init__(self, name: str, bot: np.ndarray) -> None:
        self.name, self.bot = name, bot

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """The player's actions. Its dice are fixed by game and move, so `rng` is not used."""
        actions = np.empty(len(table), np.int64)
        act_rows(table._rules, table._states, table._rows, self.bot, actions)
        return actions


def agents_generator(seed: int) -> np.random.Generator:
    """The generator that agents are handed in games of `seed` (a seed, or the key of one game).

    From a hash: what seeded it can't be found out from it, and so the deck can't either.
    """
    digest = hashlib.sha256(f"agents {int(seed)}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def ask(agent: Agent, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
    """The agent's actions, checked.

    Raises:
        ValueError: the agent failed, or gave something else than one legal action for each table.
    """
    try:
        actions = np.asarray(agent.act(table, rng))
    except (Exception, SystemExit) as error:  # whatever a user's agent raises is told in a sentence
        raise ValueError(f"agent {agent_name(agent)!r} failed: {_told(error)}.") from error
    if actions.shape != (len(table),) or actions.dtype.kind not in "iu":
        raise ValueError(
            f"agent {agent_name(agent)!r} must return {len(table)} integers, one action for each"
            f" table; it returned an array of shape {actions.shape} and type {actions.dtype}."
        )
    actions = actions.astype(np.int64)
    bad = first_illegal(table._rules, table._states, table._rows, actions)
    if bad >= 0:
        legal = np.flatnonzero(table.action_mask[bad]).tolist()
        raise ValueError(
            f"agent {agent_name(agent)!r} chose action {actions[bad]}, which is illegal; legal"
            f" there are {legal}."
        )
    return actions


def check_fit(agents: Sequence[Agent], options: Any) -> None:
    """Refuse agents that can't play at a table with these options, before any game begins.

    An agent may have a method `misfit(options)` that says why it can't, as a clause, or None.

    Raises:
        ValueError: one of them can't.
    """
    for agent in agents:
        try:
            misfit = getattr(agent, "misfit", lambda options: None)(options)
        except (Exception, SystemExit) as error:  # the user's code, as in `ask`
            name = agent_name(agent)
            raise ValueError(f"agent {name!r}: its misfit failed ({_told(error)}).") from error
        if misfit is not None:
            raise ValueError(f"agent {agent_name(agent)!r} can't play here: {misfit}.")


def agent_name(agent: Agent) -> str:
    """The name of an agent for tables and messages."""
    return str(getattr(agent, "name", type(agent).__name__))


def make_agent(agent: "str | Agent", game: str | Game) -> Agent:
    """The agent that a name means for `game` (or its name); an agent object is passed through.

    Raises:
        ValueError: nothing goes by this name, or it is of no use for this game.
    """
    from lowhand.games import GAMES, get_game  # which import the games, and those this module

    game = get_game(game) if isinstance(game, str) else game
    if not isinstance(agent, str):
        if isinstance(agent, type) or not callable(getattr(agent, "act", None)):
            raise ValueError(f"an agent needs a method act(table, rng); {agent!r} has none.")
        return agent
    bot = parse_bot(agent, game.bots)
    if bot is not None:
        return ScriptedAgent(agent, bot)
    kind, _, rest = agent.partition(":")
    for entry in entry_points(group="lowhand.agents"):
        if entry.name == kind:
            make: Callable[[str, Game], Agent] = entry.load()
            return make(rest, game)
    folder = find_checkpoint(agent)
    if folder is not None:
        from lowhand.agents.network import NetworkAgent  # loads safetensors only where it is needed

        return NetworkAgent.load(folder, game, name=agent)
    if rest and kind.replace(".", "").replace("_", "").isalnum():
        return _user_agent(agent, kind, rest)
    close = difflib.get_close_matches(kind, game.bots, n=1)
    meant = f"did you mean {close[0]!r}? It" if close else "it"
    others = [other.name for other in GAMES.values() if kind in other.bots]
    if others:
        raise ValueError(f"agent {agent!r} plays {others[0]}, not {game.name}.")
    raise ValueError(
        f"there is no agent {agent[:80]!r}: {meant} is neither a scripted player (`lowhand list`"
        " shows them), nor the folder of a checkpoint, nor module:Class."
    )


def _user_agent(name: str, module: str, attribute: str) -> Agent:
    try:
        imported = importlib.import_module(module)
    except (Exception, SystemExit) as error:  # importing runs the user's code
        raise ValueError(f"agent {name!r}: can't import {module!r} ({_told(error)}).") from error
    if not hasattr(imported, attribute):
        raise ValueError(f"agent {name!r}: module {module!r} has no {attribute!r}.")
    made = getattr(imported, attribute)
    try:
        agent = made() if isinstance(made, type) else made
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {name!r}: making it failed ({_told(error)}).") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {name!r} needs a method act(table, rng).")
    return agent  # type: ignore[no-any-return]


def _told(error: BaseException) -> str:
    """An error in one line: its kind and what it says."""
    said = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def find_checkpoint(name: str | Path) -> Path | None:
    """The checkpoint folder of this name: a path, else packaged data, else the repository's."""
    package = Path(__file__).parents[1]
    for folder in (Path(name), package / "_data" / name, package.parents[1] / name):
        with contextlib.suppress(OSError):  # a name too long for a file is none
            if (folder / "model.safetensors").is_file():
                return folder
    return None
