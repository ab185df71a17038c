"""One table for every output: columns and rows, shown on a terminal or written as Markdown."""

from collections.abc import Iterable, Sequence
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
        align: "l" (left), "r" (right) or "t" (left, long text is folded) for each column; by
            default "t" for the first and "r" for the others.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    title: str = ""
    note: str = ""
    align: str = ""

    def print(self, console: Console) -> None:
        """Print it without lines between columns, to fit a narrow terminal."""
        table = RichTable(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
        for heading, align in zip(self.columns, self._align(), strict=True):
            justify: JustifyMethod = "right" if align == "r" else "left"
            table.add_column(heading, justify=justify, no_wrap=align != "t", overflow="fold")
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
        rule = ["---:" if align == "r" else "---" for align in self._align()]
        tick = "`" if code else ""
        rows = [[f"{tick}{first}{tick}", *cells] for first, *cells in self.rows]
        return "".join(f"| {' | '.join(cells)} |\n" for cells in (self.columns, rule, *rows))

    def _align(self) -> str:
        return self.align or "t" + "r" * (len(self.columns) - 1)


def print_report(parts: Iterable[Table | str], console: Console) -> None:
    """Print tables and sentences, one after the other."""
    for part in parts:
        if isinstance(part, Table):
            part.print(console)
        else:
            console.print(Text(part))
