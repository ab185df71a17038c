"""Record types: a position in one piece of memory, as compiled code reads it."""

from typing import Any

import numpy as np

SHARED_FIELDS = {
    "key": np.uint64,  # fixes the deal and the random numbers of the scripted players
    "mover": np.int8,  # the player to move; after the end the one who moved last
    "num_players": np.int8,  # players at the table
    "over": np.int8,  # 1 after the end of the game
    "moves": np.int32,  # decisions made so far
}
"""Fields that every game's State has, with the same type and meaning, in addition to its own."""

OPTIONAL_FIELDS = {
    "out": np.int8,  # (players,): 1 for who is out before the end and has no more moves
    "truncated": np.int8,  # 1 if the game was ended by a limit and not by its rules
}
"""Fields that have a meaning in the States that have them."""


def record(**fields: Any) -> np.dtype:
    """The aligned record type of these fields, each a type or `(type, shape)`."""
    parts = [(name, *kind) if isinstance(kind, tuple) else (name, kind)
             for name, kind in fields.items()]  # fmt: skip
    return np.dtype((np.record, np.dtype(parts, align=True)))


def state_record(**fields: Any) -> np.dtype:
    """The record type of a game's State: the fields of every game, and these."""
    return record(**(SHARED_FIELDS | fields))
