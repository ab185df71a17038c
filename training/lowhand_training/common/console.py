"""How commands print: the width of what they write to, and tables without lines."""

import os
import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

_NARROWEST = 80
"""Columns: a line that the terminal breaks is ugly, a figure that a table has no room for lost."""


class _Output(Console):
    """Stdout. Who stops reading has what it wanted; the work, and the files, are for others."""

    def on_broken_pipe(self) -> None:
        """Say no more, and go on."""
        self.quiet = True
        leave_stdout()


def make_console() -> Console:
    """The console of stdout: as wide as the terminal, and 100 columns away from one.

    There rich would take 80, which the tables do not fit.
    """
    if not sys.stdout.isatty():
        return _Output(width=100)
    console = _Output()
    console.width = max(console.width, _NARROWEST)
    return console


def leave_stdout() -> None:
    """Let what is still to be printed go nowhere, once nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def compact_table() -> Table:
    """A table without lines between its columns, to fit narrow terminals."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
