"""The TensorBoard log of a run, with tags as Stable-Baselines3 names them."""

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path


class TensorBoardLog:
    """The TensorBoard log of a run, which may be off. A full disk ends it and not the run.

    Args:
        folder: where it goes; None for no log.
        decisions: made so far; values of an earlier log beyond them are void.
        warn: prints a message.
    """

    def __init__(self, folder: Path | None, decisions: int, warn: Callable[[str], None]) -> None:
        self._warn, self._writer = warn, None
        if folder is not None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(str(folder), purge_step=decisions + 1)

    def write(self, values: Mapping[str, float], decisions: int) -> None:
        """Add values by tag, at this number of decisions."""
        with self._warning():
            for tag, value in values.items():
                if self._writer is not None:
                    self._writer.add_scalar(tag, value, decisions)

    def close(self) -> None:
        """Write what is not written yet."""
        with self._warning():
            if self._writer is not None:
                self._writer.close()

    @contextlib.contextmanager
    def _warning(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            self._writer = None
            self._warn(f"the TensorBoard log ends here ({error}); the run goes on.")
