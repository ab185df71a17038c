"""The games by name: a further game of this package is one line here.

A game of another package is known after `register_game`; and without it by the entry-point
group `lowhand.games`, in which an installed package names its games, to commands and checkpoints.
"""

from importlib.metadata import entry_points

from lowhand.engine.game import Game
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
    """Make a game of your own known by its name, to every API and to Gymnasium.

    Raises:
        ValueError: another game goes by this name.
    """
    from lowhand.apis.gymnasium_env import register  # which imports this module

    if GAMES.setdefault(game.name, game) is not game:
        raise ValueError(f"there is another game {game.name!r}: give yours a name of its own.")
    register()
