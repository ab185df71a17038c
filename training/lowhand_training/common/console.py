"""The console of the commands: its width, and what happens when its reader is gone."""

import os
import sys

from rich.console import Console

_NARROWEST = 80
"""Columns. A broken line is ugly; a figure that does not fit its table is lost."""


class _Output(Console):
    """Stdout. A reader that closes the pipe has what it wanted; work and files go on."""

    def on_broken_pipe(self) -> None:
        """Print no more, and go on."""
        self.quiet = True
        leave_stdout()


def make_console() -> Console:
    """The console of stdout: as wide as the terminal, or 100 columns without one.

    The tables do not fit the 80 columns that rich would use there.
    """
    if not sys.stdout.isatty():
        return _Output(width=100)
    console = _Output()
    console.width = max(console.width, _NARROWEST)
    return console


def leave_stdout() -> None:
    """Discard further output, after its reader is gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
