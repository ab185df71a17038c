"""`lowhand train`."""

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import manual
from lowhand_training.common.optional_deps import need

if TYPE_CHECKING:
    from lowhand_training.trainer.config import TrainConfig


def run(config: "TrainConfig") -> None:
    """Train an agent by self-play, as a config file says.

    Every key of the config can be given on the command line too, where it overrides the file.
    Unknown keys are refused. The folder of --out gets the checkpoint, the resolved config and
    what TensorBoard reads. Needs torch, which comes with the extra lowhand[train]; MaskablePPO of
    sb3-contrib (`algorithm: maskable_ppo`) comes with lowhand[sb3].

    Examples:
      lowhand train --config configs/no_thanks.yaml
      lowhand train --config configs/no_thanks.yaml --out runs/second --seed 2
      lowhand train --config configs/maskable_ppo.yaml
      lowhand train --config configs/no_thanks.yaml --out runs/second --resume
      lowhand train --config configs/no_thanks.yaml --print_config

    Args:
        config: its keys, with their defaults:
    """
    need("torch", "train")
    from lowhand.agents.names import find_checkpoint
    from lowhand.agents.network import read_config
    from lowhand_training.trainer.algorithms import train
    from lowhand_training.trainer.config_files import refuse_old_keys

    folder = None if config.init is None else find_checkpoint(config.init)
    if folder is not None:
        refuse_old_keys(read_config(folder).get("training"), f"init: config.yaml of {config.init}")
    train(config, progress=True)


def add_keys(parser: ArgumentParser) -> None:
    """Give the parser its manual, --config and the keys of a config."""
    from lowhand_training.trainer.config import TrainConfig

    parser.description = manual(run)
    parser.usage = "lowhand train [--config FILE] [--out FOLDER] [--resume] [--KEY VALUE]…"
    parser.add_argument("--config", action="config", help="Config file (YAML); its keys:")
    parser.add_class_arguments(TrainConfig)


def config(given: Namespace) -> "TrainConfig":
    """Returns the config that was given, in its file and on the command line.

    Raises:
        ValueError: a part of it has no keys.
    """
    from lowhand_training.trainer.config import TrainConfig

    need("torch", "train")
    for field in fields(TrainConfig):
        if is_dataclass(field.type) and not isinstance(given[field.name], Namespace):
            raise ValueError(f"--{field.name}: expected keys of its own, not {given[field.name]}.")
    parser = ArgumentParser()
    add_keys(parser)
    made = parser.instantiate(given)
    return TrainConfig(**{field.name: made[field.name] for field in fields(TrainConfig)})


def completed(arguments: Sequence[str]) -> list[str]:
    """Returns the command line, completed for jsonargparse.

    `--config NAME` becomes a path, since packaged configs go by name too; a switch that stands
    alone, such as `--resume`, means true. A config that sets `overwrite` does so for the folder
    that it names itself, and not for another one that `--out` names.
    """
    from lowhand_training.common.catalogue import find_config
    from lowhand_training.trainer.config import TrainConfig

    switches = {f"--{field.name}" for field in fields(TrainConfig) if field.type is bool}
    words = []
    for i, word in enumerate(arguments):
        if word.startswith("--config="):
            word = "--config=" + find_config(word.removeprefix("--config="))
        elif i > 0 and arguments[i - 1] == "--config":
            word = find_config(word)
        elif word in switches and list(arguments[i + 1 : i + 2]) not in (["true"], ["false"]):
            word += "=true"
        words.append(word)
    return words + _spared(words)


def _spared(arguments: list[str]) -> list[str]:
    """`--overwrite=false`, where the config's `overwrite` is for another folder than `--out`.

    Raises:
        ValueError: the config file holds no keys, or old names of them.
    """
    from lowhand_training.trainer.config_files import read_keys

    given: dict[str, str] = {}
    for word, following in zip(arguments, [*arguments[1:], ""]):
        option, equals, value = word.partition("=")
        given.setdefault(option, value if equals else following)
    if "--config" not in given:
        return []
    try:
        keys = read_keys(given["--config"])
    except OSError:
        return []  # the parser will say what is wrong
    if "--out" not in given or "--overwrite" in given:
        return []
    of_config = Path(str(keys.get("out"))) == Path(given["--out"])
    return [] if of_config else ["--overwrite=false"]
