"""The facts of a report as one HTML page that needs no other file."""

import base64
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lowhand_training.evaluation.results import thousandths
from lowhand_training.publish.templates import render_template

Row = Mapping[str, Any]


Cell = tuple[str, Any]
"""The text of a cell of a sortable table, and its sort key."""


def render(facts: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """Returns the page.

    Args:
        facts: facts of `report_data.gather`.
        pictures: PNG files of the learning curves, by agent.

    Raises:
        ValueError: jinja2 is not installed.
    """
    values = {
        "facts": facts,
        "pictures": {name: base64.b64encode(data).decode() for name, data in pictures.items()},
        "share": share,
        "zip": zip,
        "ratings": _ratings,
        "reduced": partial(_reduced, sizes=facts["exploitability"]["sizes"]),
        "bounds": _bounds,
    }
    return render_template("report.html.j2", "eval", values)


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


def _interval(row: Row, form: str) -> Cell:
    """Returns a 95 % interval, which sorts by its lower end."""
    return f"{row['low']:{form}} … {row['high']:{form}}", row["low"]


def _cell(value: Any, form: str = "{}") -> Cell:
    return form.format(value), value


def _share_cell(value: float | None) -> Cell:
    return share(value), value


def _ratings(row: Row) -> dict[str, Cell]:
    worst = row["worst"]
    interval = f"[{share(worst['low'])}, {share(worst['high'])}]"
    return {
        "agent": _cell(row["agent"]),
        "rating": _cell(row["rating"], "{:.0f}"),
        "95 % interval": _interval(row, ".0f"),
        "": ("", row["rating"]),  # the template draws a bar here
        "maximal lottery": _share_cell(row["lottery"]),
        "wins among mixed others": _share_cell(row["mixed_share"]),
        "mean score there": _cell(row["mixed_score"], "{:.1f}"),
        "worst field alone: copies of": _cell(worst["opponent"]),
        "wins there": (f"{share(worst['share'])} {interval}", worst["share"]),
        "µs a decision": _cell(row["microseconds"], "{:.2f}"),
    }


def _bounds(row: Row) -> dict[str, Cell]:
    """Returns a lower bound of exploitability on the full game."""
    return {
        "agent": _cell(row["agent"]),
        "players": _cell(row["players"]),
        "utility": _cell(row["utility"]),
        "lower bound": _cell(row["bound"], "{:+.3f}"),
        "95 % interval": _interval(row, "+.3f"),
        "found by": _cell(row["attacker"]),
        "games": _cell(row["games"]),
    }


def _reduced(row: Row, sizes: Sequence[str]) -> dict[str, Cell]:
    """Returns an agent's NashConv on reduced games."""
    values = zip(sizes, row["values"], strict=True)
    return {
        "agent": _cell(row["agent"]),
        **{size: ("–", "") if v is None else _cell(v, "{:.2f}") for size, v in values},
    }
