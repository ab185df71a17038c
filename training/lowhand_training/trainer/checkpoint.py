"""Checkpoints: what a run writes, atomically and without pickle.

A checkpoint is a folder: `model.safetensors`, `config.yaml`, `results.json` and, for published
agents, `README.md`. A run keeps `training_state.safetensors` beside them, one file, so that it
is always of one moment: weights, optimiser, generators, games and league.
"""

import contextlib
import json
import os
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

import lowhand
from lowhand.agents.network import FORMAT, CheckpointError
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec
from lowhand_training.trainer.config import TrainConfig

MODEL, CONFIG, RESULTS = "model.safetensors", "config.yaml", "results.json"
STATE = "training_state.safetensors"

Arrays = Mapping[str, NDArray[Any]]


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file at once, or leave the old one as it was.

    A link is followed; what is no file, such as a pipe or /dev/stdout, is written to as it is.

    Raises:
        OSError: it can't be written; `path`, which the error names, is untouched.
    """
    if path.exists() and not path.is_file():
        try:
            path.write_bytes(content)
        except OSError as error:
            raise _named(error, path) from error
        return
    path = Path(os.path.realpath(path))
    name = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(name, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            os.unlink(name)
        if isinstance(error, OSError):
            raise _named(error, path) from error
        raise


def _named(error: OSError, path: Path) -> OSError:
    """The error with the file's name, which that of a full disk lacks."""
    return OSError(error.errno, error.strerror or str(error), str(path))


def as_json(told: Any) -> str:
    """The text of a JSON file, for people too: indented a little, and not escaped."""
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


def save_arrays(path: Path, arrays: Arrays, metadata: Mapping[str, Any] | None = None) -> None:
    """Write named arrays, and metadata as JSON in the file's header."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = {"json": json.dumps(metadata or {})}
    write_atomically(path, save(whole, metadata=header))


def load_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the metadata that `save_arrays` wrote.

    Raises:
        CheckpointError: there is no such file, or it is broken.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = json.loads((file.metadata() or {}).get("json", "{}"))
    except (OSError, SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path} can't be read ({error}).") from error
    if not isinstance(metadata, dict):
        raise CheckpointError(f"{path} can't be read (its metadata is no mapping).")
    return arrays, metadata


def write_config(folder: Path, config: TrainConfig, game: Game, spec: ObservationSpec) -> None:
    """Write `config.yaml`: what `lowhand.agents.network` needs to play, and the resolved config."""
    text = yaml.safe_dump(
        {
            "format": FORMAT,
            "game": {
                "name": game.name,
                "version": game.version,
                "options": {"num_players": max(config.game.players), **config.game.options},
            },
            "observation": {
                "perfect_recall": spec.perfect_recall,
                "seats": spec.seats,
                "fields": spec.signature(),
            },
            "temperature": config.network.temperature,
            "versions": {
                "lowhand": lowhand.__version__,
                "numpy": _version("numpy"),
                "torch": _version("torch"),
            },
            "training": config.as_dict(),
        },
        sort_keys=False,
        allow_unicode=True,
    )
    write_atomically(folder / CONFIG, text.encode())


def _version(package: str) -> str:
    try:
        return version(package).partition("+")[0]
    except PackageNotFoundError:
        return "unknown"


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json`."""
    write_atomically(folder / RESULTS, (json.dumps(results, indent=1) + "\n").encode())
