"""`lowhand train`: a run from its config to a checkpoint, saved on the way and resumed at will."""

import contextlib
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from lowhand.agents import make_agent
from lowhand.arena import play_games
from lowhand.batch import make_options
from lowhand.network import CheckpointError, Network, NetworkAgent
from lowhand_training.checkpoint import (
    MODEL,
    STATE,
    load_arrays,
    save_arrays,
    write_config,
    write_results,
)
from lowhand_training.config import TrainConfig, check
from lowhand_training.ppo import Learner

# Keys that may differ when a run goes on: they change what is shown and kept, not what is learned.
_FREE_KEYS = {"out", "resume", "overwrite", "save_every", "tensorboard", "evaluation"}


def run(config: TrainConfig, console: Console | None = None) -> None:
    """Train by `config` and leave a checkpoint in `config.out`.

    Raises:
        ValueError: the config can't be used, or `out` holds another run.
        CheckpointError: the run to go on with can't be read.
        OSError: the last save failed; earlier ones stand.
    """
    TrainingRun(config, console or Console()).run()


class TrainingRun:
    """One run: the learner, its folder and what is shown of it."""

    def __init__(self, config: TrainConfig, console: Console) -> None:
        self.game = check(config)
        self.config, self.console = config, console
        self.folder = Path(config.out)
        self.curve: list[dict[str, float]] = []
        self.seconds = 0.0
        self.stopping = False
        saved = self._saved_state()
        torch.set_num_threads(config.threads)
        self.learner = Learner(config, self.game)
        if saved is not None:
            arrays, metadata = saved
            self.learner.set_training_state(arrays, metadata["learner"])
            self.curve, self.seconds = metadata["curve"], metadata["seconds"]
        self.folder.mkdir(parents=True, exist_ok=True)
        write_config(self.folder, config, self.game, self.learner.spec)

    def _saved_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """The state to go on from; None for a new run."""
        path = self.folder / STATE
        if not self.config.resume:
            if (self.folder / MODEL).exists() and not self.config.overwrite:
                raise ValueError(
                    f"{self.folder} already holds a run: go on with --resume true, replace it with"
                    " --overwrite true, or choose another --out."
                )
            return None
        if not path.exists():
            raise CheckpointError(f"there is no run to go on with in {self.folder}.")
        arrays, metadata = load_arrays(path)
        try:
            before = metadata["config"]
            changed = sorted(
                key
                for key, value in self.config.as_dict().items()
                if key not in _FREE_KEYS and before.get(key) != value
            )
            metadata["learner"]["update"], metadata["curve"], metadata["seconds"]
        except (KeyError, TypeError) as error:
            raise CheckpointError(f"{path} holds no training state (no {error}).") from error
        if changed:
            raise ValueError(
                f"the run in {self.folder} was started with other values of {', '.join(changed)};"
                " go on with the config that it was started with."
            )
        return arrays, metadata

    def run(self) -> None:
        """Train to the end, or until asked to stop."""
        config, learner = self.config, self.learner
        batch = config.ppo.games * config.ppo.steps
        with self._progress() as progress, self._writer() as writer, self._interrupts():
            bar = progress.add_task("training", total=config.updates, speed="", note="")
            progress.update(bar, completed=learner.update_number)
            while learner.update_number < config.updates and not self.stopping:
                start = time.perf_counter()
                log = learner.update()
                elapsed = time.perf_counter() - start
                self.seconds += elapsed
                decisions = learner.update_number * batch
                if writer is not None:
                    for name, value in (log | {"decisions_per_s": batch / elapsed}).items():
                        writer.add_scalar(f"train/{name}", value, decisions)
                self._look(decisions, writer)
                speed = f"{decisions / self.seconds:,.0f}/s on {config.threads} threads"
                progress.update(bar, advance=1, speed=speed, note=self._note())
                if learner.update_number % config.save_every == 0:
                    self._save_or_warn()
        self.save()
        self._report(batch)

    def _report(self, batch: int) -> None:
        decisions = self.learner.update_number * batch
        state = "stopped" if self.learner.update_number < self.config.updates else "done"
        speed = decisions / max(self.seconds, 1e-9)
        self.console.print(
            f"{state}: {decisions:,} decisions in {self.seconds:,.0f} s"
            f" ({speed:,.0f} a second); the checkpoint is {self.folder}"
            + (", go on with --resume true" if state == "stopped" else "")
        )

    def _look(self, decisions: int, writer: Any) -> None:
        """Now and then, and at the end, measure the agent against a few opponents."""
        evaluation, number = self.config.evaluation, self.learner.update_number
        due = evaluation.every > 0 and number % evaluation.every == 0
        if not evaluation.opponents or not (due or number == self.config.updates):
            return
        point = {"decisions": float(decisions), "seconds": self.seconds}
        for opponent in evaluation.opponents:
            point[f"alone against {opponent}"] = self._share(opponent, alone=True)
            point[f"{opponent} alone"] = self._share(opponent, alone=False)
        self.curve.append(point)
        if writer is not None:
            for name, value in point.items():
                if name not in ("decisions", "seconds"):
                    writer.add_scalar(f"win_share/{name}", value, decisions)

    def _share(self, opponent: str, alone: bool) -> float:
        """Win share of the lone seat: the agent among copies of `opponent`, or the reverse."""
        evaluation = self.config.evaluation
        options = make_options(
            self.game, **{**self.config.game.options, "num_players": evaluation.players}
        )
        lone = np.arange(evaluation.games) % evaluation.players
        seating = np.full((evaluation.games, evaluation.players), int(alone), np.int64)
        seating[np.arange(evaluation.games), lone] = int(not alone)
        keys = np.random.default_rng([self.config.seed, len(self.curve)]).integers(
            2**64, size=evaluation.games, dtype=np.uint64
        )
        agents = [self.agent(), make_agent(opponent, self.game)]
        results = play_games(self.game, options, agents, seating, keys)
        return float(results.win_shares[np.arange(evaluation.games), lone].mean())

    def agent(self) -> NetworkAgent:
        """The learner as it plays now."""
        weights = {k: v.numpy() for k, v in self.learner.network.state_dict().items()}
        return NetworkAgent("learner", Network(weights), self.learner.spec)

    def _note(self) -> str:
        """The last look in a few words: the worst field."""
        if not self.curve:
            return ""
        shares = {k: v for k, v in self.curve[-1].items() if k.startswith("alone")}
        worst = min(shares, key=shares.__getitem__)
        return f"{worst}: {shares[worst]:.2f}"

    def save(self) -> None:
        """Write checkpoint and training state.

        Raises:
            OSError: a file can't be written; what stood there before still does.
        """
        arrays, metadata = self.learner.training_state()
        state = {
            "config": self.config.as_dict(),
            "learner": metadata,
            "curve": self.curve,
            "seconds": self.seconds,
        }
        save_arrays(self.folder / STATE, arrays, state)
        weights = {k: v.numpy() for k, v in self.learner.network.state_dict().items()}
        save_arrays(self.folder / MODEL, weights)
        decisions = self.learner.update_number * self.config.ppo.games * self.config.ppo.steps
        write_results(
            self.folder,
            {
                "decisions": decisions,
                "seconds": round(self.seconds, 1),
                "decisions_per_s": round(decisions / max(self.seconds, 1e-9)),
                "curve": self.curve,
            },
        )

    def _save_or_warn(self) -> None:
        try:
            self.save()
        except OSError as error:
            self.console.print(
                f"warning: this save failed ({error.strerror}: {error.filename}); the last one"
                " stands, and the run goes on."
            )

    def _progress(self) -> Progress:
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[speed]}  {task.fields[note]}"),
            console=self.console,
        )

    @contextlib.contextmanager
    def _writer(self) -> Iterator[Any]:
        """A TensorBoard writer, or None where it is not wanted."""
        if not self.config.tensorboard:
            yield None
            return
        from torch.utils.tensorboard import SummaryWriter

        batch = self.config.ppo.games * self.config.ppo.steps
        writer = SummaryWriter(
            str(self.folder / "tensorboard"), purge_step=self.learner.update_number * batch + 1
        )
        try:
            yield writer
        finally:
            writer.close()

    @contextlib.contextmanager
    def _interrupts(self) -> Iterator[None]:
        """Let Ctrl-C and a polite kill end the run after the update in hand; a second one now."""

        def stop(number: int, frame: FrameType | None) -> None:
            if self.stopping:
                raise KeyboardInterrupt
            self.stopping = True
            self.console.print("stopping after this update; press Ctrl-C again to stop at once.")

        signals = [signal.SIGINT, signal.SIGTERM]
        try:
            before = [signal.signal(number, stop) for number in signals]
        except ValueError:  # not in the main thread: whoever runs us handles signals
            yield
            return
        try:
            yield
        finally:
            for number, handler in zip(signals, before, strict=True):
                signal.signal(number, handler)
