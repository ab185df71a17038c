"""Checkpoints: what a run writes, atomically and without pickle.

A checkpoint is a folder: `model.safetensors`, `config.yaml`, `results.json` and, for published
agents, `README.md`. A run also keeps `training_state.safetensors`, one file, so that it is
always of one moment: weights, optimiser, generators, games and league.
"""

import json
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import lowhand
from lowhand.agents.network import FORMAT
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec
from lowhand_training.common.files import write_atomically
from lowhand_training.trainer.config import TrainConfig

MODEL, CONFIG, RESULTS = "model.safetensors", "config.yaml", "results.json"
STATE = "training_state.safetensors"


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


def flat(parts: Mapping[Any, Mapping[str, Any]]) -> dict[str, NDArray[Any]]:
    """Arrays, or tensors as arrays, of the parts of a training state, by `part.name`."""
    return {f"{part}.{k}": np.asarray(v) for part, named in parts.items() for k, v in named.items()}


def under(named: Mapping[str, Any], part: str) -> dict[str, Any]:
    """The entries of one part of what `flat` gave, by their own names."""
    return {k.removeprefix(f"{part}."): v for k, v in named.items() if k.startswith(f"{part}.")}


def write_results(folder: Path, results: Mapping[str, Any]) -> None:
    """Write `results.json`."""
    write_atomically(folder / RESULTS, (json.dumps(results, indent=1) + "\n").encode())
