"""The names of agents, in every command and every environment.

`"greedy"` and `"threshold:2"` are scripted players, `"checkpoints/no_thanks"` is a published
network, `"search:greedy?rollouts=32"` adds rollouts to an agent, and
`"mypackage.mymodule:MyAgent"` is a class of the user's. Further kinds come from the entry-point
group `lowhand.agents`.
"""

import contextlib
import difflib
import importlib
from collections.abc import Callable
from importlib.metadata import entry_points
from os import PathLike, fspath
from pathlib import Path

from lowhand.agents.table_view import Agent, ScriptedAgent
from lowhand.engine.game import Game
from lowhand.engine.scripted import parse_bot
from lowhand.engine.validation import error_text
from lowhand.games import GAMES, get_game


def make_agent(agent: "str | PathLike[str] | Agent", game: str | Game) -> Agent:
    """Return the agent of a name or a checkpoint's path for `game` (or its name).

    An agent object is returned as it is.

    Raises:
        ValueError: no agent has this name, or it can't play this game.
    """
    game = get_game(game) if isinstance(game, str) else game
    if isinstance(agent, PathLike):
        agent = fspath(agent)
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
        from lowhand.agents.network import NetworkAgent  # loads safetensors only where needed

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
        raise ValueError(
            f"agent {name!r}: can't import {module!r} ({error_text(error)})."
        ) from error
    if not hasattr(imported, attribute):
        raise ValueError(f"agent {name!r}: module {module!r} has no {attribute!r}.")
    found = getattr(imported, attribute)
    try:
        agent = found() if isinstance(found, type) else found
    except (Exception, SystemExit) as error:
        raise ValueError(f"agent {name!r}: making it failed ({error_text(error)}).") from error
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {name!r} needs a method act(table, rng).")
    return agent  # type: ignore[no-any-return]


def find_checkpoint(name: str | Path) -> Path | None:
    """The checkpoint folder of this name: a path, else in the package's data or the repository."""
    package = Path(__file__).parents[1]
    for folder in (Path(name), package / "_data" / name, package.parents[1] / name):
        with contextlib.suppress(OSError):  # a name may be too long for a file
            if (folder / "model.safetensors").is_file():
                return folder
    return None
