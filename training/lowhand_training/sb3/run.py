"""`lowhand train` with `algorithm: maskable_ppo`: a run whose updates MaskablePPO makes."""

import contextlib
import io
import time
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger

from lowhand.engine.game import Game
from lowhand_training.common.catalogue import playing_options
from lowhand_training.common.files import write_atomically
from lowhand_training.sb3.learner import MaskableLearner
from lowhand_training.sb3.vec_env import LowhandVecEnv
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.process import torch_settings
from lowhand_training.trainer.run import TrainingRun
from lowhand_training.trainer.tensorboard import TensorBoardLog

ZIP = "maskable_ppo.zip"
"""What `sb3_contrib.MaskablePPO.load` reads, in the folder of the checkpoint."""

_EVALUATION_GAMES = 64  # side by side


class MaskableRun(TrainingRun):
    """A run of MaskablePPO: `learn` collects and updates, and a callback does the rest.

    Saving, resuming, Ctrl-C and evaluation are those of `TrainingRun`. A resumed run makes the
    same updates as one that was never stopped.

    Args:
        config: of the run.
        console: where its progress is shown; by default the terminal.
        callbacks: further callbacks of SB3. One that ends the training stops the run, which is
            saved and can be resumed.

    Attributes:
        maskable: the model, its games and league.
    """

    def __init__(
        self,
        config: TrainConfig,
        console: Console | None = None,
        callbacks: Sequence[BaseCallback] = (),
    ) -> None:
        super().__init__(config, console)
        self.callbacks = list(callbacks)

    def _make_learner(self) -> Any:
        self.maskable = MaskableLearner(self.config, self.game)
        return self.maskable

    def _torch_settings(self) -> contextlib.AbstractContextManager[None]:
        return torch_settings(self.config.threads, bfloat16=False)  # SB3 knows float32 alone

    def _train(self) -> None:
        model = self.maskable.model
        model.set_logger(Logger(None, [_IntoLog(self.log)]))
        keeper = UpdateCallback(self, _evaluation(self.config, self.game))
        batch = self.config.ppo.batch_size
        left = (self.config.updates - self.maskable.update_number) * batch
        with contextlib.suppress(_Stopped), self.maskable.generators.in_use():
            model.learn(left, callback=[keeper, *self.callbacks], reset_num_timesteps=False)

    def save(self) -> None:
        """Write checkpoint, training state and SB3's own zip; see `TrainingRun.save`."""
        zipped = io.BytesIO()
        self.maskable.model.save(zipped, exclude=["_last_obs"])  # new games begin otherwise
        write_atomically(self.folder / ZIP, zipped.getvalue())
        super().save()


class _Stopped(Exception):  # noqa: N818
    """The run was asked to stop; raised between two updates, where nothing is under way."""


class UpdateCallback(BaseCallback):
    """What a run does between two updates: it counts, logs, evaluates, shows, saves and stops.

    SB3 has a callback for the end of collecting and none for the end of learning from it, so an
    update ends where the next one begins, or with the training.

    Args:
        run: the run.
        evaluation: is triggered where the config wants an evaluation; None for none.
    """

    def __init__(self, run: MaskableRun, evaluation: MaskableEvalCallback | None) -> None:
        super().__init__()
        self._run, self._evaluation, self._collected = run, evaluation, False

    def _init_callback(self) -> None:
        if self._evaluation is not None:
            self._evaluation.init_callback(self.model)

    def _on_rollout_start(self) -> None:
        self._end_update()
        if self._run.stopping:
            raise _Stopped
        self._run.maskable.begin_update()
        self._start = time.perf_counter(), time.process_time()

    def _on_step(self) -> bool:
        return True

    def _on_rollout_end(self) -> None:
        self._collected = True

    def _on_training_end(self) -> None:
        self._end_update()

    def _end_update(self) -> None:
        if not self._collected:
            return
        self._collected = False
        run, (start, cpu_start) = self._run, self._start
        elapsed, cpu = time.perf_counter() - start, time.process_time() - cpu_start
        run.maskable.end_update()
        if self._evaluation is not None and run.evaluation_due:
            self._evaluation.on_step()
        run.after_update({}, elapsed, cpu)


class _IntoLog(KVWriter):
    """Writes what SB3 logs into the run's TensorBoard log, under SB3's names."""

    def __init__(self, log: TensorBoardLog) -> None:
        self._log = log

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        """Write the numbers among the values that are meant for TensorBoard."""
        for key, value in key_values.items():
            if "tensorboard" not in key_excluded[key]:
                self._log.write({key: float(value)}, step)

    def close(self) -> None:
        """Nothing: the run closes its log."""


def _evaluation(config: TrainConfig, game: Game) -> MaskableEvalCallback | None:
    """SB3's own evaluation: alone against the config's opponents, who share a table.

    It takes the likeliest action everywhere and draws nothing from generators that the training
    uses, so it changes nothing there. What it finds is logged as `eval/…`; the win shares by
    opponent are those of `lowhand evaluate`.
    """
    wanted = config.evaluation
    if not wanted.opponents:
        return None
    others = (wanted.opponents * wanted.players)[: wanted.players - 1]
    env = LowhandVecEnv(
        min(wanted.games, _EVALUATION_GAMES),
        game,
        opponents=others,
        num_players=wanted.players,
        perfect_recall=config.game.perfect_recall,
        observation_seats=config.game.seats or max(config.game.players),
        **playing_options(game, config.game.options),
    )
    env.seed(config.seed)
    return MaskableEvalCallback(env, n_eval_episodes=wanted.games, eval_freq=1, verbose=0)
