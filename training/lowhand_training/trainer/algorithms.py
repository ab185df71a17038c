"""The training algorithms by name, and `train`, which runs the one that a config names."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from lowhand_training.common.optional_deps import need
from lowhand_training.trainer.config import TrainConfig

if TYPE_CHECKING:
    from lowhand_training.trainer.run import TrainingRun

ALGORITHMS = {
    "ppo": "lowhand_training.trainer.run:TrainingRun",
    "maskable_ppo": "lowhand_training.sb3.run:MaskableRun",
}
"""The class of an algorithm's runs: module and name."""

_EXTRAS = ("stable_baselines3", "sb3_contrib")


def train(config: TrainConfig, progress: bool = False, console: Console | None = None) -> Path:
    """Train an agent by a config.

    Args:
        config: of the run, such as `load_config` reads.
        progress: show the progress of the run.
        console: where to show it; by default the terminal.

    Returns:
        The run's folder, which is a checkpoint: its name is the name of the agent.

    Raises:
        ValueError: the config can't be used, or `out` holds another run.
        CheckpointError: the run to continue can't be read.
        OSError: `out` can't be written to, or the last save failed; earlier saves remain.
        KeyboardInterrupt: Ctrl-C stopped the run, which is saved and can be continued.
        SystemExit: the same for SIGTERM, with the shell's exit code for it, 143.
    """
    shown = (console or Console()) if progress else Console(quiet=True)
    run = run_class(config.algorithm)(config, shown)
    run.run()
    return run.folder


def run_class(algorithm: str) -> "type[TrainingRun]":
    """The class of an algorithm's runs.

    Raises:
        ValueError: there is no such algorithm, or it needs an extra that is not installed.
    """
    if algorithm not in ALGORITHMS:
        raise ValueError(f"algorithm must be {' or '.join(ALGORITHMS)}, not {algorithm!r}.")
    need("torch", "train")
    module, _, name = ALGORITHMS[algorithm].partition(":")
    try:
        found: type[TrainingRun] = getattr(import_module(module), name)
    except ModuleNotFoundError as error:
        if error.name not in _EXTRAS:
            raise
        raise ValueError(str(error)) from error
    return found
