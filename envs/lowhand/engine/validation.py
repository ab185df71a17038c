"""Checks that the options and positions of every game make."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowhand.engine.game import MAX_SEATS, Game


def check_integer(name: str, value: Any, low: int, high: int) -> None:
    """Check that `value` is an integer from `low` to `high`.

    Raises:
        ValueError: it is not; the message states the bounds.
    """
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name} must be an integer from {low} to {high}, not {value!r}.")
    if not low <= value <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {value}.")


def is_list(value: Any) -> bool:
    """Whether `value` is a sequence, or an array of at least one dimension."""
    return isinstance(value, Sequence) or (isinstance(value, np.ndarray) and value.ndim > 0)


def check_seed(seed: Any) -> int:
    """The seed as an integer.

    Raises:
        ValueError: it is not an integer from 0 to 2**64 − 1.
    """
    if not isinstance(seed, (int, np.integer)) or not 0 <= int(seed) < 2**64:
        raise ValueError(f"a seed must be an integer from 0 to 2**64 - 1, not {seed!r}.")
    return int(seed)


def check_seats(observation_seats: int | None, num_players: int) -> int:
    """The seats of an observation: `observation_seats`, by default one for each player.

    Raises:
        ValueError: there are more players than seats, or more seats than a game can have.
    """
    if observation_seats is None:
        return num_players
    check_integer("observation_seats", observation_seats, num_players, MAX_SEATS)
    return observation_seats


def make_options(game: Game, /, **options: Any) -> Any:
    """The game's options.

    Raises:
        ValueError: the game has no option of this name, or one is outside its bounds.
    """
    known = getattr(game.options, "__dataclass_fields__", {})
    unknown = sorted(set(options) - set(known))
    if unknown:
        raise ValueError(
            f"{game.name} has no option {', '.join(map(repr, unknown))}; its options are"
            f" {', '.join(known)}."
        )
    return game.options(**options)


def error_text(error: BaseException) -> str:
    """An error as one line: its type and its message."""
    said = " ".join(str(error).split()).rstrip(".")
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
