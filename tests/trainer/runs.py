"""What tests of whole runs share: running, stopping and reading them."""

import io
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from lowhand_training.trainer.algorithms import train
from lowhand_training.trainer.checkpoint import MODEL
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.run import TrainingRun


def quiet() -> Console:
    return Console(file=io.StringIO(), width=60)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def run(config: TrainConfig, console: Console | None = None) -> None:
    """Train by `config`, and show on `console` what a terminal would."""
    train(config, progress=True, console=console or quiet())


def model(folder: Path) -> bytes:
    return (folder / MODEL).read_bytes()


def after_update(made: TrainingRun, number: int, act: Callable[[], object]) -> None:
    """Have `act` called at the end of this update."""
    update = made.learner.update

    def spied() -> dict[str, float]:
        log = update()
        if made.learner.update_number == number:
            act()
        return log

    made.learner.update = spied  # type: ignore[method-assign]


def stop_after(config: TrainConfig, number: int) -> None:
    """Run `config` and stop it after an update."""
    made = TrainingRun(config, quiet())
    after_update(made, number, lambda: setattr(made, "stopping", True))
    made.run()
    assert made.learner.update_number == number
