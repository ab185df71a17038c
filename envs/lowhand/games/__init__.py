"""The games by name: a further game of this package is one line here.

A game of another package is known after `register_game`; and without it by the entry-point
group `lowhand.games`, in which an installed package names its games, to commands and checkpoints.
"""

from importlib.metadata import entry_points
from importlib.util import find_spec

import gymnasium
import pettingzoo

from lowhand.engine.game import Game
from lowhand.engine.game_checks import check_declaration
from lowhand.games.least_score import GAME as LEAST_SCORE
from lowhand.games.no_thanks import GAME as NO_THANKS

GAMES: dict[str, Game] = {game.name: game for game in (NO_THANKS, LEAST_SCORE)}


def get_game(name: str) -> Game:
    """The game called `name`.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        for entry in entry_points(group="lowhand.games", name=name):
            register_game(entry.load())
    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; choose one of {', '.join(sorted(GAMES))}.")
    return GAMES[name]


def register_game(game: Game) -> None:
    """Make a game of your own known by its name, to every API, Gymnasium and PettingZoo.

    Raises:
        ValueError: another game has this name, or the game does not fulfil the contract: a rule
            function is missing, it has more players than a table has seats, or a field clashes
            with those of every game.
    """
    check_declaration(game)
    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"there is another game {game.name!r}: give yours another name.")
    register_environments()


def env_id(game: Game) -> str:
    """The game's name in Gymnasium's registry, such as `lowhand/NoThanks-v0`."""
    camel = "".join(word.capitalize() for word in game.name.split("_"))
    return f"lowhand/{camel}-v{game.version}"


def register_environments() -> None:
    """Register every game with Gymnasium and PettingZoo, and leave those that are.

    The entry points are strings, so that games know no environment. PettingZoo has a registry
    since 1.27.
    """
    for game in GAMES.values():
        if env_id(game) not in gymnasium.registry:
            gymnasium.register(
                id=env_id(game),
                entry_point="lowhand.apis.gymnasium_env:SeatEnv",
                vector_entry_point="lowhand.apis.gymnasium_vector:SeatVectorEnv",
                kwargs={"game": game.name},
            )
        name = f"lowhand/{game.name}-v{game.version}"
        if hasattr(pettingzoo, "register") and name not in pettingzoo.aec_registry:
            module = f"lowhand.{game.name}_v{game.version}"
            if find_spec(module):
                pettingzoo.register("aec", name, f"{module}:env")
            else:
                entry_point, kwargs = "lowhand.apis.pettingzoo_table:TableEnv", {"game": game.name}
                pettingzoo.register("aec", name, entry_point, kwargs=kwargs)
