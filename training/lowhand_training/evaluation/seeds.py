"""Seeds of evaluations: hashes of who plays and what, so that no one can choose them."""

import hashlib
import json
from typing import Any

from lowhand.agents.names import find_checkpoint
from lowhand.engine.game import Game

SEED_RULE = (
    "the first 8 bytes, big-endian, of the sha256 of the JSON list [game, version, options, lone"
    " player, copies], options with the number of players; a player is its name, or for a"
    " checkpoint the sha256 of its model.safetensors"
)
GIVEN_SEED_RULE = "given, the same for all rows: they play the same deals"


def identity(game: Game, name: str) -> str:
    """A player's part of a seed: its name, or the hash of a checkpoint's weights."""
    folder = None if name.partition(":")[0] in game.bots else find_checkpoint(name)
    if folder is None:
        return name
    return hashlib.sha256((folder / "model.safetensors").read_bytes()).hexdigest()


def hashed_seed(what: list[Any]) -> int:
    """The seed that this list fixes: 8 bytes of the sha256 of its JSON, big-endian."""
    digest = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).digest()
    return int.from_bytes(digest[:8], "big")
