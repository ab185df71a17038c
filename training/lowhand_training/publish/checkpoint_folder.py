"""The contents of a checkpoint's folder as data: config, results, bounds, size of the network."""

import hashlib
import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from safetensors.numpy import load_file

from lowhand.agents.network import CheckpointError, trained_spec
from lowhand.games import get_game
from lowhand_training.common.catalogue import data_folders
from lowhand_training.trainer.checkpoint import MODEL, RESULTS
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.config_files import refuse_old_keys

BOUNDS = "exploit.json"
"""The output of `lowhand exploit --json` for the checkpoint, if there is one."""


def read_results(folder: Path) -> dict[str, Any]:
    """Returns the contents of results.json; an empty dictionary if there is no such file."""
    try:
        results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{folder}: {RESULTS} can't be read ({error}).") from error
    if not isinstance(results, dict):
        raise CheckpointError(f"{folder}: {RESULTS} holds no results.")
    return results


def training_config(config: dict[str, Any], folder: Path) -> TrainConfig:
    """Returns the resolved training config in a checkpoint's `config.yaml`.

    Raises:
        CheckpointError: it has none, or one with unknown keys.
        ValueError: it has old names of keys.
    """
    given = config.get("training")
    if not isinstance(given, dict):
        raise CheckpointError(f"{folder}: config.yaml has no config of a training.")
    refuse_old_keys(given, f"{folder}: config.yaml")
    try:
        parts = {
            field.name: field.type(**given[field.name])  # type: ignore[operator]
            for field in fields(TrainConfig)
            if is_dataclass(field.type) and field.name in given
        }
        return TrainConfig(**{**given, **parts})
    except (TypeError, ValueError) as error:
        raise CheckpointError(
            f"{folder}: another version of lowhand wrote the training config in config.yaml"
            f" ({error})."
        ) from error


def read_bounds(path: Path, game: str) -> list[dict[str, Any]]:
    """Returns the lower bounds of exploitability in a file of `lowhand exploit --json`.

    Raises:
        ValueError: the file can't be read, or is of another game.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        rows = [
            {
                "agent": row["agent"],
                "players": row["players"],
                "utility": row["utility"],
                "bound": row["lower_bound"],
                "low": row["ci95"][0],
                "high": row["ci95"][1],
                "attacker": row["attacker"],
                "games": row["games"],
                "game": row["game"],
            }
            for row in (found if isinstance(found, list) else [found])
        ]
    except (OSError, LookupError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is no file of `lowhand exploit --json` ({error}).") from error
    if any(row["game"] != game for row in rows):
        raise ValueError(f"{path} is about another game than {game}.")
    return rows


def weights_hash(folder: Path) -> str:
    """Returns the sha256 of a checkpoint's weights.

    Raises:
        CheckpointError: the folder has none.
    """
    try:
        return hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()
    except OSError as error:
        raise CheckpointError(f"{folder} is no checkpoint (no {MODEL}).") from error


def network_size(folder: Path, config: dict[str, Any]) -> dict[str, Any]:
    """Returns the widths of the policy's layers, its number of parameters, and the file's bytes."""
    game = get_game(config["game"]["name"])
    policy = {k: w for k, w in load_file(folder / MODEL).items() if not k.startswith("value.")}
    hidden = [w.shape[0] for k, w in policy.items() if k.startswith("body.") and w.ndim == 2]
    actions = game.num_actions(game.options(**config["game"]["options"]))
    return {
        "widths": [trained_spec(config, game, folder).size, *hidden, actions],
        "parameters": sum(w.size for w in policy.values()),
        "bytes": (folder / MODEL).stat().st_size,
    }


def card_name(folder: Path) -> str:
    """Returns the name by which the folder is found on any machine, else its last part."""
    path = folder.resolve()
    for root in reversed(data_folders()):
        if path.is_relative_to(root.resolve()) and path != root.resolve():
            return path.relative_to(root.resolve()).as_posix()
    return path.name
