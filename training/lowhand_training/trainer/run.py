"""A training run: its learner, its folder, and what is shown of it.

`lowhand train` and `train` in Python make a run and call its method `run`.
"""

import contextlib
import json
import signal
import time
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from lowhand.agents.network import CheckpointError, Network, NetworkAgent
from lowhand_training.common.catalogue import playing_options
from lowhand_training.common.files import load_arrays, save_arrays
from lowhand_training.common.optional_deps import need
from lowhand_training.common.progress import TrainingDisplay
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.trainer.checkpoint import MODEL, STATE, write_config, write_results
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.config_checks import check
from lowhand_training.trainer.config_files import refuse_old_keys
from lowhand_training.trainer.ppo.learner import Learner
from lowhand_training.trainer.ppo.network import wants_bfloat16
from lowhand_training.trainer.process import stop_signals, torch_settings
from lowhand_training.trainer.tensorboard import TensorBoardLog

# Keys that may differ when a run is resumed: they do not change what is learned.
_FREE_KEYS = {"out", "resume", "overwrite", "save_every", "tensorboard", "evaluation"}


class TrainingRun:
    """One run of our own trainer. Runs of other algorithms are subclasses.

    Args:
        config: of the run.
        console: where its progress is shown; by default the terminal.

    Attributes:
        learner: network, optimiser, league and games.
        curve: the evaluations so far.
        seconds: spent on updates so far.
        cpu_seconds: processor time of it, all threads together: on a busy machine the truer one.
        stopping: set it to end the run after the current update.
        log: where values go by TensorBoard tag, while it trains.
        display: what the terminal shows, while it trains.
    """

    def __init__(self, config: TrainConfig, console: Console | None = None) -> None:
        self.game = check(config)
        if config.tensorboard:
            need("tensorboard", "train")
        self.config, self.console = config, console or Console()
        self.folder = Path(config.out)
        self.curve: list[dict[str, float]] = []
        self.seconds = self.cpu_seconds = 0.0
        self.stopping = False
        self._signal: int | None = None
        self._config_written = False
        saved = self._saved_state()
        self.folder.mkdir(parents=True, exist_ok=True)
        if saved is None:
            self._say("compiling (in the first run of a configuration, up to a minute)")
        with self._torch_settings():
            self.learner: Learner = self._make_learner()
            if saved is not None:
                self._restore(*saved)

    def _make_learner(self) -> Any:
        """The learner; a subclass may make another class with the same public names."""
        return Learner(self.config, self.game)

    def _torch_settings(self) -> contextlib.AbstractContextManager[None]:
        """Torch's settings while the run makes its learner and while it trains."""
        return torch_settings(self.config.threads, wants_bfloat16(self.config.network))

    def _saved_state(self) -> tuple[dict[str, np.ndarray], dict[str, Any]] | None:
        """The state to continue from; None for a new run."""
        path = self.folder / STATE
        if not self.config.resume:
            there = path.exists() or (self.folder / MODEL).exists()
            if there and not self.config.overwrite:
                raise ValueError(
                    f"{self.folder} already holds a run: go on with --resume, replace it with"
                    " --overwrite, or choose another --out."
                )
            return None
        if not path.exists():
            raise CheckpointError(f"there is no run to go on with in {self.folder}.")
        arrays, metadata = load_arrays(path)
        if not isinstance(metadata.get("config"), dict):
            raise CheckpointError(f"{path} holds no training state.")
        refuse_old_keys(metadata["config"], f"resume: the run in {self.folder}")
        self._refuse_changes(metadata["config"])
        return arrays, metadata

    def _refuse_changes(self, saved: Mapping[str, Any]) -> None:
        """Refuse to continue a run that was started with another config."""
        # Keys that are newer than the run had their defaults in it.
        before = _flat_keys(TrainConfig().as_dict()) | _flat_keys(saved)
        now = _flat_keys(self.config.as_dict())
        changed = sorted(
            key
            for key in before.keys() | now.keys()
            if key.partition(".")[0] not in _FREE_KEYS and before.get(key) != now.get(key)
        )
        if changed:
            raise ValueError(
                f"the run in {self.folder} was started with other values of {', '.join(changed)};"
                " go on with the config that it was started with."
            )

    def _restore(self, arrays: dict[str, np.ndarray], metadata: dict[str, Any]) -> None:
        try:
            self.curve, self.seconds = metadata["curve"], metadata["seconds"]
            self.cpu_seconds = metadata["cpu_seconds"]
            game = metadata.get("game", [self.game.name, self.game.version])
            if game != [self.game.name, self.game.version]:
                raise ValueError(f"of another game or version, {game}")
            self.learner.set_training_state(arrays, metadata["learner"])
        except (KeyError, IndexError, TypeError, ValueError, RuntimeError) as error:
            raise CheckpointError(
                f"{self.folder / STATE} is broken or was written by another version of lowhand,"
                " and can't be gone on with."
            ) from error

    @property
    def decisions(self) -> int:
        """Decisions of the learner so far."""
        return self.learner.update_number * self.config.ppo.batch_size

    @property
    def finished(self) -> bool:
        """Whether all updates of the config are made."""
        return self.learner.update_number >= self.config.updates

    def run(self) -> None:
        """Train to the end, or until asked to stop; `train` says what it raises."""
        if self.finished:
            self._say(f"the run in {self.folder} is finished already.")
            return
        with stop_signals(self._stop), self._torch_settings():
            number, updates = self.learner.update_number, self.config.updates
            folder = self.folder / "tensorboard" if self.config.tensorboard else None
            with (
                contextlib.closing(TensorBoardLog(folder, self.decisions, self._warn)) as self.log,
                TrainingDisplay(self.console, number, updates) as self.display,
            ):
                self._train()
            self._save_at_end()
        self._report()
        if self._signal == signal.SIGINT:
            raise KeyboardInterrupt("saved")
        if self._signal is not None:
            raise SystemExit(128 + self._signal)

    def _stop(self, number: int) -> None:
        """Stop after the current update because of a signal; a second signal stops at once."""
        if self.stopping:
            raise KeyboardInterrupt
        self.stopping, self._signal = True, number
        self._say("stopping after this update; press Ctrl-C again to stop at once.")

    def _train(self) -> None:
        """Make updates until the run is finished or asked to stop."""
        while not (self.finished or self.stopping):
            start, cpu_start = time.perf_counter(), time.process_time()
            values = self.learner.update()
            cpu, elapsed = time.process_time() - cpu_start, time.perf_counter() - start
            values["time/fps"] = self.config.ppo.batch_size / elapsed
            self.after_update(values, elapsed, cpu)

    def after_update(self, values: Mapping[str, float], elapsed: float, cpu: float) -> None:
        """Log, evaluate, show and save after an update that took these seconds.

        Args:
            values: of the update, by TensorBoard tag.
            elapsed: seconds of the clock.
            cpu: seconds of processor time.
        """
        self.seconds += elapsed
        self.cpu_seconds += cpu
        number = self.learner.update_number
        self.log.write(values, self.decisions)
        if self.evaluation_due:
            self.evaluate_periodically()
        saving = number % self.config.save_every == 0
        threads = self.config.threads
        speed = f"{self.decisions / self.seconds:,.0f}/s, {threads} thread{'s' * (threads > 1)}"
        milestone = self.evaluation_due or self.finished or saving
        self.display.show(number, speed, self._note(), milestone)
        if saving and not self.finished:
            self._save_or_warn()

    @property
    def evaluation_due(self) -> bool:
        """Whether the config wants an evaluation after the update that was just made."""
        every = self.config.evaluation.every
        due = self.finished or (every > 0 and self.learner.update_number % every == 0)
        return due and bool(self.config.evaluation.opponents)

    def evaluate_periodically(self) -> None:
        """Evaluate the learner as it plays now, which does not change the training."""
        wanted = self.config.evaluation
        stream = np.random.SeedSequence([self.config.seed, len(self.curve)])
        try:
            evaluation = evaluate(
                self.agent(),
                wanted.opponents,
                self.game.name,
                (wanted.players,),
                wanted.games,
                seed=int(stream.generate_state(1, np.uint64)[0]),
                options=playing_options(self.game, self.config.game.options),
            )
        except ValueError as error:
            self._warn(f"this evaluation failed, and the run goes on: {error}")
            return
        shares = {f"alone against {row.opponent}": row.win_share for row in evaluation.one_v_rest}
        shares |= {f"{row.opponent} alone": row.win_share for row in evaluation.rest_v_one}
        self.curve.append({"decisions": float(self.decisions), "seconds": self.seconds} | shares)
        tagged = {f"eval/win_share/{name}": share for name, share in shares.items()}
        self.log.write(tagged, self.decisions)

    def agent(self) -> NetworkAgent:
        """The learner as it plays now."""
        return NetworkAgent(
            "learner", self.game, self.config.options(), Network(self._weights()), self.learner.spec
        )

    def _weights(self) -> dict[str, np.ndarray]:
        return {name: w.numpy() for name, w in self.learner.network.acting_weights().items()}

    def _note(self) -> str:
        """The last evaluation in a few words: the worst field."""
        if not self.curve:
            return ""
        shares = {k: v for k, v in self.curve[-1].items() if k.startswith("alone against ")}
        worst = min(shares, key=shares.__getitem__)
        return (
            f"win share {worst}: {shares[worst]:.2f} (the worst field; fair is"
            f" {1 / self.config.evaluation.players:.2f})"
        )

    def save(self) -> None:
        """Write checkpoint and training state.

        Raises:
            OSError: a file can't be written; the earlier file is unchanged.
        """
        if not self._config_written:
            if not self.config.resume:  # the files of a replaced run do not belong to this config
                for name in (MODEL, STATE):
                    (self.folder / name).unlink(missing_ok=True)
            write_config(self.folder, self.config, self.game, self.learner.spec)
            self._config_written = True
        save_arrays(self.folder / MODEL, self._weights())
        results = {
            "decisions": self.decisions,
            "seconds": round(self.seconds, 1),
            "cpu_seconds": round(self.cpu_seconds, 1),
            "decisions_per_s": round(self.decisions / max(self.seconds, 1e-9)),
            "curve": self.curve,
        }
        write_results(self.folder, results)
        arrays, metadata = self.learner.training_state()
        state = {
            "config": self.config.as_dict(),
            "game": [self.game.name, self.game.version],
            "learner": metadata,
            "curve": self.curve,
            "seconds": self.seconds,
            "cpu_seconds": self.cpu_seconds,
        }
        # Last, so that a run that is killed here writes the other files again when it is resumed.
        save_arrays(self.folder / STATE, arrays, state)

    def _save_or_warn(self) -> None:
        try:
            self.save()
        except OSError as error:
            self._warn(
                f"this save failed ({error.strerror}: {error.filename}); what was saved"
                " before stands, and the run goes on."
            )

    def _save_at_end(self) -> None:
        try:
            self.save()
        except OSError as error:
            raise OSError(
                f"the save at the end of the run failed ({error.strerror}: {error.filename}); what"
                " was saved before stands, and --resume goes on from there."
            ) from error

    def _report(self) -> None:
        speed = self.decisions / max(self.seconds, 1e-9)
        done = f"{self.decisions:,} decisions in {self.seconds:,.0f} s ({speed:,.0f} a second)"
        if self.finished:
            self._say(f"done: {done}; the checkpoint is {self.folder}.")
        else:
            share = self.learner.update_number / self.config.updates
            self._say(
                f"stopped at {share:.0%}: {done}; all is saved in {self.folder}, and --resume goes"
                " on."
            )

    def _say(self, message: str) -> None:
        self.console.print(message, markup=False, highlight=False, soft_wrap=True)

    def _warn(self, message: str) -> None:
        """Show a warning, by Python's `warnings` where the console shows nothing."""
        if self.console.quiet:
            warnings.warn(message, stacklevel=2)
        else:
            self._say(f"warning: {message}")


def _flat_keys(config: Mapping[str, Any]) -> dict[str, Any]:
    """The keys of a config, those of its parts as `part.key`, and values as JSON has them."""
    flat: dict[str, Any] = {}
    for key, value in json.loads(json.dumps(config)).items():
        if isinstance(value, dict):
            flat |= {f"{key}.{name}": part for name, part in value.items()}
        else:
            flat[key] = value
    return flat
