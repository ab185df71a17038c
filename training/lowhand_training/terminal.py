"""How commands print: the width of what they write to, and tables without lines."""

import sys

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table


def make_console() -> Console:
    """The console of stdout: as wide as the terminal, and 100 columns away from one.

    There rich would take 80, which the tables do not fit.
    """
    return Console() if sys.stdout.isatty() else Console(width=100)


def compact_table() -> Table:
    """A table without lines between its columns, to fit narrow terminals."""
    return Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
