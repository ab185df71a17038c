"""The games of this package by name: a further game is one line here."""

from lowhand.game import Game
from lowhand.least_score import GAME as LEAST_SCORE
from lowhand.no_thanks import GAME as NO_THANKS

GAMES: dict[str, Game] = {game.name: game for game in (NO_THANKS, LEAST_SCORE)}


def get_game(name: str) -> Game:
    """The game called `name`.

    Raises:
        ValueError: there is no such game.
    """
    if name not in GAMES:
        raise ValueError(f"there is no game {name!r}; choose one of {', '.join(sorted(GAMES))}.")
    return GAMES[name]
