"""The games by name: a further game of this package is one line here.

A game of another package is known after `register_game`; and without it by the entry-point
group `lowhand.games`, in which an installed package names its games, to commands and checkpoints.

Nothing is imported of a game until it is asked for: `GAMES` imports all of this package.
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
    """Make a game of your own known by its name, to every API and to Gymnasium.

    Raises:
        ValueError: another game goes by this name.
    """
    if _games().setdefault(game.name, game) is not game:
        raise ValueError(f"there is another game {game.name!r}: give yours a name of its own.")
    register_gymnasium(game.name, game.version)


def gymnasium_id(name: str, version: int) -> str:
    """Return the id of a game in Gymnasium's registry, such as `lowhand/NoThanks-v0`."""
    camel = "".join(word.capitalize() for word in name.split("_"))
    return f"lowhand/{camel}-v{version}"


def register_gymnasium(name: str, version: int) -> None:
    """Enter a game into Gymnasium's registry, unless it is there already."""
    if gymnasium_id(name, version) not in gymnasium.registry:
        gymnasium.register(
            id=gymnasium_id(name, version),
            entry_point="lowhand.apis.gymnasium_env:SeatEnv",
            vector_entry_point="lowhand.apis.gymnasium_vector:SeatVectorEnv",
            kwargs={"game": name},
        )


def register_pettingzoo(name: str, version: int) -> None:
    """Enter a game of this package into PettingZoo's registry, which came with 1.27."""
    register = getattr(pettingzoo, "register", None)
    entry = f"lowhand/{name}-v{version}"
    if register is not None and entry not in pettingzoo.aec_registry:
        register("aec", entry, entry_point=f"lowhand.{name}_v{version}:env")
