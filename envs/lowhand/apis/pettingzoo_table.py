"""PettingZoo's environment of any game by its name, for games that have no module of their own."""

from typing import Any

from lowhand.apis.pettingzoo_env import GameEnv, metadata
from lowhand.engine.game import Game
from lowhand.engine.validation import make_options
from lowhand.games import get_game


class TableEnv(GameEnv):
    """`GameEnv` of a game, for instance `TableEnv("draw_once", num_players=3)`.

    Args:
        game: its name, or a `Game`.
        **arguments: those of `GameEnv`, and the game's options.

    Raises:
        ValueError: an argument that is none of these, or outside its bounds.
    """

    def __init__(
        self,
        game: str | Game,
        *,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: Any = "win",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = get_game(game) if isinstance(game, str) else game  # type: ignore[misc]
        self.metadata = metadata(self.game)
        super().__init__(
            make_options(self.game, **options),
            perfect_recall=perfect_recall,
            observation_seats=observation_seats,
            reward=reward,
            illegal_action=illegal_action,
            render_mode=render_mode,
        )

    def __getstate__(self) -> dict[str, Any]:
        return super().__getstate__() | {"game": self.game.name}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        super().__setstate__(kept | {"game": get_game(kept["game"])})
