"""No Thanks! for PettingZoo: `from lowhand import no_thanks_v0; env = no_thanks_v0.env()`."""

from collections.abc import Mapping

from lowhand.apis.pettingzoo_env import GameEnv, metadata
from lowhand.games.no_thanks import GAME
from lowhand.games.no_thanks.options import Options

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name by which PettingZoo's users know it
    """No Thanks! for 2 to 7 players: actions 0 (pass) and 1 (take), the lowest score wins.

    Observations, infos and the methods for search are described at
    `lowhand.apis.pettingzoo_env.GameEnv`; the reset options that set a position at
    `lowhand.games.no_thanks.positions.set_position`.

    Args:
        num_players, chips, low, high, removed, first_player: as for
            `lowhand.games.no_thanks.options.Options`.
        perfect_recall, observation_seats, reward, illegal_action, render_mode: as for `GameEnv`.
            A player without chips who passes acts illegally; all rewards are paid at the end.

    Raises:
        ValueError: an argument is outside its bounds.
    """

    game = GAME
    metadata = metadata(GAME)

    def __init__(
        self,
        num_players: int = 4,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: str | Mapping[str, float] = "win",
        illegal_action: str = "lose",
        render_mode: str | None = None,
        *,
        chips: int | None = None,
        low: int = 3,
        high: int = 35,
        removed: int = 9,
        first_player: int | str = "random",
    ) -> None:
        options = Options(num_players, chips, low, high, removed, first_player)
        shared = perfect_recall, observation_seats, reward, illegal_action, render_mode
        super().__init__(options, *shared)


env = raw_env
"""`GameEnv` makes the checks of PettingZoo's wrappers itself: no wrapper is needed."""
