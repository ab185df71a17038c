"""Configs read from files, and the names that keys had in earlier versions."""

from argparse import ArgumentError
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import yaml
from jsonargparse import ArgumentParser

from lowhand_training.common.catalogue import find_config
from lowhand_training.trainer.config import TrainConfig

RENAMED_KEYS = {
    "ppo.games": "ppo.num_envs",
    "ppo.steps": "ppo.num_steps",
    "ppo.epochs": "ppo.update_epochs",
    "ppo.minibatch": "ppo.minibatch_size",
    "league.families": "league.bot_distributions",
}
"""Names of keys in earlier versions, and what they are called now."""


def refuse_old_keys(config: Any, holder: str) -> None:
    """Refuse a config with keys that have other names now.

    Args:
        config: a config as plain data; what is no mapping has no such keys.
        holder: what holds it, for the message.

    Raises:
        ValueError: it has such keys; the message says what they are called now.
    """
    old = [
        f"{key} is now {now}"
        for key, now in RENAMED_KEYS.items()
        if isinstance(config, Mapping)
        and isinstance(part := config.get(key.partition(".")[0]), Mapping)
        and key.partition(".")[2] in part
    ]
    if old:
        raise ValueError(f"{holder} has old names of keys: {', '.join(old)}.")


def read_keys(path: str | Path) -> Mapping[str, Any]:
    """Read the keys of a config file, which may be wrong but are no old ones.

    Raises:
        OSError: there is no such file.
        ValueError: it is no YAML, holds no keys, or has old names of keys.
    """
    try:
        keys = yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except (UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        raise ValueError(f"{path} is no YAML ({' '.join(str(error).split())}).") from error
    if not isinstance(keys, Mapping):
        raise ValueError(f"{path} must hold the keys of a config and their values.")
    refuse_old_keys(keys, str(path))
    return keys


def load_config(path: str | Path) -> TrainConfig:
    """Read a config file.

    Args:
        path: of a YAML file, or the name of a packaged config such as "configs/quickstart.yaml".

    Raises:
        OSError: there is no such file.
        ValueError: it is no config; the message says which key is wrong.
    """
    keys = read_keys(find_config(str(path)))
    parser = ArgumentParser(exit_on_error=False)
    parser.add_class_arguments(TrainConfig)
    try:
        parsed = parser.parse_object(dict(keys))
    except ArgumentError as error:
        raise ValueError(f"{path}: {' '.join(str(error).split())}.") from error
    # The name since jsonargparse 4.49, and the one before.
    instantiate = getattr(parser, "instantiate", None) or parser.instantiate_classes
    made = instantiate(parsed)
    return TrainConfig(**{field.name: made[field.name] for field in fields(TrainConfig)})
