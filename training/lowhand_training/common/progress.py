"""Progress on the terminal, while games are played or an agent is trained."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from rich.console import Console, RenderableType
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


@contextmanager
def games_progress(what: str = "evaluating") -> Iterator[Callable[[int, int], None]]:
    """A bar of games played with the time left; yields a function of (finished, total).

    It is on stderr, so that stdout has results only. It appears with the first games, so that an
    error in the arguments is shown without it, and only on a terminal.
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
    task = progress.add_task(what, total=1)

    def show(finished: int, total: int) -> None:
        progress.update(task, completed=finished, total=total)
        progress.start()

    try:
        yield show
    finally:
        progress.stop()


@contextmanager
def steps_progress(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """A bar for each named step; yields a function of (name, done, total). Gone at the end."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        tasks: dict[str, TaskID] = {}

        def show(name: str, done: int, total: int) -> None:
            if name not in tasks:
                tasks[name] = progress.add_task(name, total=total)
            progress.update(tasks[name], completed=done)

        yield show


class TrainingDisplay(Progress):
    """A training run: a bar with speed and time left, and below it a note on how well it plays.

    Away from a terminal it prints a line at every milestone instead, for a log file.

    Args:
        console: where to.
        number: updates made so far.
        updates: of the whole run.
    """

    def __init__(self, console: Console, number: int, updates: int) -> None:
        self._note = ""
        super().__init__(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            TaskProgressColumn(),
            TextColumn("{task.fields[speed]}"),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            disable=not console.is_terminal,
        )
        self._run = self.add_task("training", total=updates, completed=number, speed="starting")

    def show(self, number: int, speed: str, note: str, milestone: bool) -> None:
        """Show the state after update `number`.

        Args:
            number: from 1.
            speed: of the training, in words.
            note: how well it plays, in words; may be empty.
            milestone: whether there is something new to say in a log file.
        """
        self._note = note
        self.update(self._run, completed=number, speed=speed)
        if milestone and not self.console.is_terminal:
            words = [f"update {number} of {self.tasks[0].total}", speed, note]
            line = ", ".join(filter(None, words))
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def get_renderables(self) -> Iterable[RenderableType]:
        """The bar, and the note if there is one."""
        yield self.make_tasks_table(self.tasks)
        if self._note:
            yield Text(self._note, no_wrap=True, overflow="ellipsis")
