"""A progress bar on stderr, so that stdout holds results alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn


@contextmanager
def games_progress() -> Iterator[Callable[[int, int], None]]:
    """A bar of games played with the time left; yields what is told (finished, in all).

    It appears with the first games, so that an error in what was asked for stands alone, and
    only on a terminal.
    """
    console = Console(stderr=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} games"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        refresh_per_second=4,
        disable=not console.is_terminal,
    )
    task = progress.add_task("evaluating", total=1)

    def show(finished: int, total: int) -> None:
        progress.start()
        progress.update(task, completed=finished, total=total)

    try:
        yield show
    finally:
        progress.stop()
