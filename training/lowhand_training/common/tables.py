"""One table for every output: columns and rows, shown on a terminal or written as Markdown."""

from collections.abc import Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.console import Console, JustifyMethod
from rich.table import Table as RichTable
from rich.text import Text


@dataclass(frozen=True)
class Table:
    """Columns and rows of text.

    Attributes:
        columns: headings; a heading may have two lines.
        rows: cells, one for each column.
        title: a sentence above the table.
        note: sentences below it.
        align: "l" or "r" for each column; by default the first is left and the others right.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    note: str = ""
    align: str = ""

    def print(self, console: Console) -> None:
        """Print it without lines between columns, to fit a narrow terminal."""
        table = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for k, (heading, align) in enumerate(zip(self.columns, self._align(), strict=True)):
            justify: JustifyMethod = "right" if align == "r" else "left"
            # Names of agents may be long: they are folded, while figures are kept whole.
            table.add_column(heading, justify=justify, no_wrap=k > 0, overflow="fold")
        for row in self.rows:
            table.add_row(*map(Text, row))
        if self.title:
            console.print(Text(self.title))
        console.print(table)
        console.print(Text(self.note + "\n" if self.note else ""))

    def markdown(self, code: bool = False) -> str:
        """The table as Markdown, without title and note, ending in a newline.

        Args:
            code: whether the first column holds names to be set as code.
        """
        rule = [" ---: " if align == "r" else " --- " for align in self._align()]
        lines = [_line([f" {column} " for column in self.columns]), _line(rule)]
        tick = "`" if code else ""
        for first, *cells in self.rows:
            lines.append(_line([f" {tick}{first}{tick} ", *(f" {cell} " for cell in cells)]))
        return "\n".join(lines) + "\n"

    def _align(self) -> str:
        return self.align or "l" + "r" * (len(self.columns) - 1)


def _line(cells: Sequence[str]) -> str:
    return "|" + "|".join(cells) + "|"
