"""What `lowhand solve` writes for any game, and tables under titles."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lowhand_training.common.files import as_json, check_writable, write_atomically


def check_files(given: Any) -> None:
    """See that the files that are asked for can be written, and have something to hold.

    Raises:
        ValueError: they can't, or haven't.
    """
    if given.markdown is not None and not given.agent:
        raise ValueError("--markdown writes a table of agents: name some by --agent.")
    for name in (given.json, given.markdown):
        if name is not None:
            check_writable(Path(name))


def write_files(given: Any, found: Sequence[Any], grid: str, console: Console) -> None:
    """Write the files that are asked for.

    Args:
        given: the command line.
        found: objects for --json, which writes one alone or a list of several.
        grid: the Markdown table of --markdown.
        console: where it is told.
    """
    json = as_json(found[0] if len(found) == 1 else list(found))
    for name, text in ((given.json, json), (given.markdown, grid)):
        if name is not None:
            write_atomically(Path(name), text.encode())
            console.print(f"Written to {name}.", highlight=False)


def markdown_grid(rows: Sequence[str], columns: Sequence[str], cells: Mapping[Any, str]) -> str:
    """A Markdown table of `cells[column, row]`; the rows are agents."""
    lines = [f"| agent | {' | '.join(columns)} |", f"| --- |{' ---: |' * len(columns)}"]
    for row in rows:
        told = " | ".join(cells[column, row] for column in columns)
        lines.append(f"| `{row}` | {told} |")
    return "\n".join(lines) + "\n"


def print_titled(title: str, table: Table, console: Console) -> None:
    """A table under its title, which may be wider."""
    console.print(Text(title))
    console.print(table)
    console.print()
