"""PettingZoo's environment of any game by its name, for games that have no module of their own."""

from typing import Any

from lowhand.apis.pettingzoo_env import GameEnv, metadata
from lowhand.engine.game import Game
from lowhand.engine.validation import make_options
from lowhand.games import get_game

SHARED_ARGUMENTS = (
    "perfect_recall", "observation_seats", "reward", "illegal_action", "render_mode"
)  # fmt: skip
"""The arguments of `GameEnv`; all others are options of the game."""


class TableEnv(GameEnv):
    """`GameEnv` of a game, for instance `TableEnv("draw_once", num_players=3)`.

    Args:
        game: its name, or a `Game`.
        **arguments: those of `GameEnv`, and the game's options.

    Raises:
        ValueError: an argument that is none of these, or outside its bounds.
    """

    def __init__(self, game: str | Game, **arguments: Any) -> None:
        self.game = get_game(game) if isinstance(game, str) else game  # type: ignore[misc]
        self.metadata = metadata(self.game)
        shared = {name: arguments.pop(name) for name in SHARED_ARGUMENTS if name in arguments}
        super().__init__(make_options(self.game, **arguments), **shared)

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"game": self.game.name}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept | {"game": get_game(kept["game"])})
