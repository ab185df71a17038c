"""The facts of a report as one HTML page that needs no other file."""

import base64
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from lowhand_training.evaluation.results import thousandths
from lowhand_training.publish.templates import environment, source

Row = Mapping[str, Any]


class Column(NamedTuple):
    """A column of a sortable table: its heading, the text of a row's cell, and the sort key."""

    heading: str
    text: Callable[[Row], str]
    key: Callable[[Row], Any]


def render(facts: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """Returns the page.

    Args:
        facts: facts of `report_data.gather`.
        pictures: PNG files of the learning curves, by agent.

    Raises:
        ValueError: jinja2 is not installed.
    """
    page: str = (
        environment("eval", html=True)
        .from_string(source("report.html.j2"))
        .render(
            facts=facts,
            pictures={name: base64.b64encode(data).decode() for name, data in pictures.items()},
            share=share,
            zip=zip,
            ratings=_RATINGS,
            reduced=_reduced(facts["exploitability"]["sizes"]),
            bounds=_BOUNDS,
        )
    )
    return page


def share(value: float | None) -> str:
    """Returns a share with three decimals, `.345`; a dash for none."""
    return "–" if value is None else thousandths(value)


def heat(value: float, fair: float) -> tuple[str, str]:
    """Returns the colour of a share and that of the text on it: blue above fair, red below.

    White is fair; the colour is full at 0 and at 1.
    """
    above = value >= fair
    part = (value - fair) / (1.0 - fair) if above else (fair - value) / fair
    full = (38, 93, 148) if above else (178, 58, 52)
    mixed = [round(255 + (end - 255) * min(1.0, max(0.0, part)) ** 0.8) for end in full]
    return "rgb({},{},{})".format(*mixed), "#fff" if part > 0.55 else "#1c2430"


def _column(heading: str, field: str, form: str = "{}") -> Column:
    """Returns a column that shows one field and sorts by it."""
    return Column(heading, lambda row: form.format(row[field]), lambda row: row[field])


def _share_column(heading: str, field: str) -> Column:
    return Column(heading, lambda row: share(row[field]), lambda row: row[field])


def _interval(form: str) -> Column:
    """Returns the column of a 95 % interval, which sorts by its lower end."""
    text = f"{{low:{form}}} … {{high:{form}}}"
    return Column("95 % interval", lambda row: text.format(**row), lambda row: row["low"])


def _worst(row: Row) -> str:
    worst = row["worst"]
    return f"{share(worst['share'])} [{share(worst['low'])}, {share(worst['high'])}]"


_RATINGS = (
    _column("agent", "agent"),
    _column("rating", "rating", "{:.0f}"),
    _interval(".0f"),
    Column("", lambda row: "", lambda row: row["rating"]),  # the template draws a bar here
    _share_column("maximal lottery", "lottery"),
    _share_column("wins among mixed others", "mixed_share"),
    _column("mean score there", "mixed_score", "{:.1f}"),
    Column(
        "worst field alone: copies of",
        lambda row: row["worst"]["opponent"],
        lambda row: row["worst"]["opponent"],
    ),
    Column("wins there", _worst, lambda row: row["worst"]["share"]),
    _column("µs a decision", "microseconds", "{:.2f}"),
)

_BOUNDS = (
    _column("agent", "agent"),
    _column("players", "players"),
    _column("utility", "utility"),
    _column("lower bound", "bound", "{:+.3f}"),
    _interval("+.3f"),
    _column("found by", "attacker"),
    _column("games", "games"),
)


def _reduced(sizes: Sequence[str]) -> list[Column]:
    """Returns the columns of NashConv on reduced games."""

    def column(i: int, size: str) -> Column:
        def value(row: Row) -> Any:
            return row["values"][i]

        return Column(
            size,
            lambda row: "–" if value(row) is None else f"{value(row):.2f}",
            lambda row: "" if value(row) is None else value(row),
        )

    return [_column("agent", "agent"), *(column(i, size) for i, size in enumerate(sizes))]
