"""The games by name: a further game of this package is an entry of `VERSIONS`.

A game of another package is registered by `register_game`, or by the entry-point group
`lowhand.games`, in which an installed package names its games. Games are imported when they are
first needed, and `GAMES` imports all of this package.
"""

import functools
from importlib import import_module
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

import gymnasium
import pettingzoo

if TYPE_CHECKING:
    from lowhand.engine.game import Game

    GAMES: dict[str, Game]

VERSIONS = {"no_thanks": 0, "least_score": 0}
"""Version of each game of this package, by the name of its folder."""


@functools.cache
def _games() -> "dict[str, Game]":
    return {name: import_module(f"{__name__}.{name}").GAME for name in VERSIONS}


def __getattr__(name: str) -> Any:
    if name == "GAMES":
        return _games()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def get_game(name: str) -> "Game":
    """Return the game called `name`.

    Raises:
        ValueError: there is no such game.
    """
    games = _games()
    if name not in games:
        for entry in entry_points(group="lowhand.games", name=name):
            register_game(entry.load())
    if name not in games:
        raise ValueError(f"there is no game {name!r}; choose one of {', '.join(sorted(games))}.")
    return games[name]


def register_game(game: "Game") -> None:
    """Register a game of another package with every API, Gymnasium and PettingZoo.

    Raises:
        ValueError: another game has this name, or the game does not fulfil the contract: a rule
            function is missing, it has more players than a table has seats, or a field clashes
            with those of every game.
    """
    from lowhand.engine.game_checks import check_declaration  # which imports Numba

    check_declaration(game)
    if _games().setdefault(game.name, game) is not game:
        raise ValueError(f"there is another game {game.name!r}: give yours another name.")
    register_environments(game.name, game.version)


def gymnasium_id(name: str, version: int) -> str:
    """Return the id of a game in Gymnasium's registry, such as `lowhand/NoThanks-v0`."""
    camel = "".join(word.capitalize() for word in name.split("_"))
    return f"lowhand/{camel}-v{version}"


def register_environments(name: str, version: int) -> None:
    """Register a game with Gymnasium and PettingZoo, unless it is registered.

    The entry points are strings, so that games know no environment. PettingZoo has a registry
    since 1.27.
    """
    if gymnasium_id(name, version) not in gymnasium.registry:
        gymnasium.register(
            id=gymnasium_id(name, version),
            entry_point="lowhand.apis.gymnasium_env:SeatEnv",
            vector_entry_point="lowhand.apis.gymnasium_vector:SeatVectorEnv",
            kwargs={"game": name},
        )
    entry = f"lowhand/{name}-v{version}"
    if hasattr(pettingzoo, "register") and entry not in pettingzoo.aec_registry:
        if name in VERSIONS:
            pettingzoo.register("aec", entry, f"lowhand.{name}_v{version}:env")
        else:
            table = "lowhand.apis.pettingzoo_table:TableEnv"
            pettingzoo.register("aec", entry, table, kwargs={"game": name})
