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
        num_players: 2 to 7.
        perfect_recall: False shows what lies on the table now and the player's chips; True
            adds what a player who remembers every move knows: all chips.
        observation_seats: seats in the observation, so that one network plays any number of
            players; by default one for each player.
        reward: "win" (the share of the win minus 1/n), "score" (the others' mean score minus the
            player's, scaled), "placement" (1 for the first to −1 for the last), "points" (minus
            the player's score, scaled), or weights by these names. All are paid at the end.
        illegal_action: "lose" ends the game with −1 for the player who passes without chips and
            0 for the others; "raise" raises a ValueError.
        render_mode: "ansi" (`render` returns text), "rgb_array" (a picture), "human" (every
            position is shown in a window, or printed without a display), "print" (printed), None.
        chips: chips of each player at the start, 0 to 255; None follows the rules (NT-2, NT-3).
        low, high: the cards are low…high, 1 ≤ low ≤ high ≤ 35.
        removed: cards removed unseen, 0 ≤ removed < number of cards.
        first_player: a seat, or "random".

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
        super().__init__(
            Options(num_players, chips, low, high, removed, first_player),
            perfect_recall=perfect_recall,
            observation_seats=observation_seats,
            reward=reward,
            illegal_action=illegal_action,
            render_mode=render_mode,
        )


env = raw_env
"""`GameEnv` makes the checks of PettingZoo's wrappers itself: no wrapper is needed."""
