"""Decisions per second on one core: random legal play here and in other libraries.

    python benchmarks/throughput.py [--json FILE] [--only NAME…] [--seconds S]

All contestants run in this process, bound to one core, with one thread for every library. In
each repetition every contestant plays for some seconds, then its choice of actions is timed
alone, and the median of those times is subtracted (see `contestant.py`). The repetitions are
interleaved, so that noise of the machine meets all of them, and the median counts. What exists
before the first repetition is kept from garbage collection (`gc.freeze`), so that no
contestant pays for the objects of the others. A library that is not installed is skipped.
"""

import argparse
import fnmatch
import gc
import json
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import machine

if TYPE_CHECKING:
    from contestant import Contestant

# CPU seconds per second of the clock that pass for one core, undisturbed.
ONE_CORE = (0.97, 1.03)
MEMORY_BAR = 512
# Narrow, so that the tables fit 80 columns.
STYLE: dict[str, Any] = {"box": box.SIMPLE_HEAD, "pad_edge": False, "collapse_padding": True}


@dataclass(frozen=True)
class Repetition:
    """One repetition: seconds per decision played and per choice alone, and share of the core."""

    played: float
    chosen: float
    core_share: float


@dataclass
class Row:
    """A contestant and what was measured."""

    contestant: "Contestant"
    repetitions: list[Repetition] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.contestant.name

    @property
    def choice_seconds(self) -> float:
        """Seconds of one choice: the median, so that a choice timed at a bad moment counts
        for nothing."""
        return statistics.median(repetition.chosen for repetition in self.repetitions)

    @property
    def speeds(self) -> list[float]:
        """Decisions per second of each repetition."""
        choice = self.choice_seconds
        return [1 / (repetition.played - choice) for repetition in self.repetitions]

    @property
    def decisions_per_s(self) -> float:
        return statistics.median(self.speeds)

    @property
    def disturbed(self) -> bool:
        """Whether it had less than a whole core, or more, in any repetition."""
        shares = [repetition.core_share for repetition in self.repetitions]
        least, most = ONE_CORE
        return self.contestant.threads == 1 and (min(shares) < least or max(shares) > most)

    def as_json(self) -> dict[str, Any]:
        contestant = self.contestant
        return {
            "name": contestant.name,
            "decisions_per_s": self.decisions_per_s,
            "ours": contestant.ours,
            "observes": contestant.observes,
            "players": contestant.players,
            "threads": contestant.threads,
            "method": contestant.method,
            "library": contestant.library,
            "library_version": machine.version(contestant.library),
            "choice_seconds_per_decision": self.choice_seconds,
            "repetitions": [
                {
                    "decisions_per_s": speed,
                    "seconds_per_decision_with_choice": repetition.played,
                    "choice_seconds_per_decision": repetition.chosen,
                    "core_share": repetition.core_share,
                }
                for repetition, speed in zip(self.repetitions, self.speeds, strict=True)
            ],
            **contestant.facts,
        }


@dataclass(frozen=True)
class Bar:
    """A promised figure: what is measured, the least (or most) allowed, and the target."""

    what: str
    measured: float
    bar: float
    target: float | None = None
    at_most: bool = False

    @property
    def met(self) -> bool:
        return self.measured <= self.bar if self.at_most else self.measured >= self.bar


def all_contestants() -> list["Contestant"]:
    """Every row in the order of the table; nothing is imported for them yet."""
    import ours
    import peers

    return [*ours.contestants(), *peers.contestants()]


def prepare(contestants: Sequence["Contestant"], console: Console) -> tuple[list[Row], list[str]]:
    """Import, compile and warm up; return the rows to measure and why others are skipped."""
    rows: list[Row] = []
    skipped: list[str] = []
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=len(contestants))
        for contestant in contestants:
            progress.update(task, description=f"preparing {contestant.name}")
            try:
                with machine.on_cores(contestant.threads):
                    contestant.prepare()
            except ImportError as error:
                skipped.append(f"{contestant.name} is skipped, it cannot be imported: {error}.")
            else:
                rows.append(Row(contestant))
            progress.advance(task)
    return rows, skipped


def measure_once(contestant: "Contestant", seconds: float) -> Repetition:
    """One repetition: play, then only choose for a quarter of the time."""
    with machine.on_cores(contestant.threads):
        wall, cpu = time.perf_counter(), time.process_time()
        played = contestant.play(seconds)
        chosen = contestant.choose(seconds / 4)
        share = (time.process_time() - cpu) / (time.perf_counter() - wall)
    return Repetition(played.per_decision, chosen.per_decision, share)


def measure(rows: Sequence[Row], repetitions: int, seconds: float, console: Console) -> None:
    """Fill the rows, one repetition of every row after the other."""
    gc.collect()
    gc.freeze()
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=repetitions * len(rows))
        for i in range(repetitions):
            # Another one begins each time, so that none always follows the same neighbour's
            # heat and cache.
            for row in [*rows[i % len(rows) :], *rows[: i % len(rows)]]:
                progress.update(task, description=f"{i + 1}/{repetitions} {row.name}")
                row.repetitions.append(measure_once(row.contestant, seconds))
                progress.advance(task)
    gc.unfreeze()


def bars(rows: Sequence[Row]) -> list[Bar]:
    """The promised figures that can be judged from these rows."""
    speed = {row.name: row.decisions_per_s for row in rows}
    observing_peers = {
        row.name: row.decisions_per_s
        for row in rows
        if not row.contestant.ours and row.contestant.observes
    }
    found: list[Bar] = []
    if "batch+obs" in speed:
        found.append(Bar("batch+obs, decisions/s", speed["batch+obs"], 15e6, 40e6))
        if observing_peers:
            fastest = max(observing_peers, key=lambda name: observing_peers[name])
            ratio = speed["batch+obs"] / speed[fastest]
            found.append(Bar(f"batch+obs ÷ fastest peer ({fastest})", ratio, 5))
    if "batch" in speed:
        found.append(Bar("batch, decisions/s", speed["batch"], 80e6))
    if "aec" in speed:
        found.append(Bar("aec, decisions/s", speed["aec"], 150e3, 250e3))
        peer = "pettingzoo/leduc_holdem"
        if peer in speed:
            found.append(Bar(f"aec ÷ {peer}", speed["aec"] / speed[peer], 10))
    if "train" in speed:
        found.append(Bar("train, decisions/s", speed["train"], 70e3, 100e3))
    found += least_score_bars(speed)
    sizes = [row.contestant.facts.get("bytes_per_game") for row in rows if "/" not in row.name]
    if any(sizes):
        largest = max(size for size in sizes if size)
        found.append(Bar("bytes a game, buffers apart", largest, MEMORY_BAR, at_most=True))
    return found


def least_score_bars(speed: dict[str, float]) -> list[Bar]:
    """Those of the second game, whose peers are the games of melds."""
    least = {"batch+obs": 3e6, "aec": 100e3, "train": 40e3}
    found = [
        Bar(f"least_score/{name}, decisions/s", speed[f"least_score/{name}"], bar)
        for name, bar in least.items()
        if f"least_score/{name}" in speed
    ]
    peers = [name for name in speed if name.endswith(("gin_rummy", "mahjong"))]
    if peers and "least_score/batch+obs" in speed:
        fastest = max(peers, key=speed.__getitem__)
        ratio = speed["least_score/batch+obs"] / speed[fastest]
        found.append(Bar(f"least_score ÷ {fastest}", ratio, 1))
    return found


def three_digits(value: float) -> str:
    """1234567 as "1.23 M": three digits and a letter for the thousands."""
    for size, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:#.3g}{unit}".replace(". ", " ")
    return f"{value:#.3g}".rstrip(".")


def speed_table(rows: Sequence[Row]) -> Table:
    """One line a row, with the ratio of our one-core rows to each of them."""
    ours = [row for row in rows if row.contestant.ours and row.contestant.threads == 1]
    ours = [row for row in ours if "/" not in row.name]  # of the first game: more is too wide
    table = Table(title="Random legal play on one core, choice of actions subtracted", **STYLE)
    table.add_column("row", no_wrap=True)
    for column in ("seats", "decisions\n/s", "spread", *(f"{row.name}\n÷ row" for row in ours)):
        table.add_column(column, justify="right")
    for row in rows:
        spread = (max(row.speeds) - min(row.speeds)) / row.decisions_per_s
        table.add_row(
            f"[bold]{row.name}[/]" if row.contestant.ours else row.name,
            str(row.contestant.players),
            three_digits(row.decisions_per_s),
            f"{spread:.0%}",
            *(three_digits(own.decisions_per_s / row.decisions_per_s) for own in ours),
        )
    return table


def bar_table(found: Sequence[Bar]) -> Table:
    """The promised figures next to the measured ones."""
    table = Table(title="Bars", **STYLE)
    table.add_column("what", no_wrap=True)
    for column in ("measured", "bar", "target"):
        table.add_column(column, justify="right")
    table.add_column("met")
    for bar in found:
        table.add_row(
            bar.what,
            three_digits(bar.measured),
            f"{'≤' if bar.at_most else '≥'} {three_digits(bar.bar)}",
            three_digits(bar.target) if bar.target else "",
            "[green]yes[/]" if bar.met else "[red]no[/]",
        )
    return table


def report(rows: Sequence[Row], settings: dict[str, Any], skipped: Sequence[str]) -> dict[str, Any]:
    """Everything measured, as the JSON file has it."""
    ours = [row for row in rows if row.contestant.ours]
    return {
        "rows": [row.as_json() for row in rows],
        "ratios": {
            own.name: {
                row.name: own.decisions_per_s / row.decisions_per_s
                for row in rows
                if not row.contestant.ours
            }
            for own in ours
        },
        "bars": [
            {
                "what": bar.what,
                "measured": bar.measured,
                "bar": bar.bar,
                "target": bar.target,
                "at_most": bar.at_most,
                "met": bar.met,
            }
            for bar in bars(rows)
        ],
        "skipped": list(skipped),
        "settings": settings,
        "machine": machine.describe(),
    }


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument(
        "--only", nargs="+", metavar="NAME", help="rows to measure; may hold *, as in 'pgx/*'"
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="of play per repetition and row (default 1)"
    )
    parser.add_argument("--repetitions", type=int, default=5, help="(default 5)")
    arguments = parser.parse_args()
    if arguments.seconds <= 0 or arguments.repetitions < 1:
        parser.error("--seconds must be above 0 and --repetitions at least 1")
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        parser.error(f"the folder of {arguments.json} does not exist")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    console = Console()
    machine.use_one_thread()
    machine.allowed_cores()
    contestants = all_contestants()
    if arguments.only:
        names = [contestant.name for contestant in contestants]
        for pattern in arguments.only:
            if not fnmatch.filter(names, pattern):
                console.print(f"No row is named {pattern}; the rows are {', '.join(names)}.")
                return 2
        contestants = [
            contestant
            for contestant in contestants
            if any(fnmatch.fnmatch(contestant.name, pattern) for pattern in arguments.only)
        ]
    random.seed(0)
    rows, skipped = prepare(contestants, console)
    for sentence in skipped:
        console.print(sentence, style="yellow", highlight=False)
    if not rows:
        console.print("Nothing is left to measure.")
        return 1
    measure(rows, arguments.repetitions, arguments.seconds, console)

    console.print(speed_table(rows))
    if found := bars(rows):
        console.print(bar_table(found))
    if disturbed := [row.name for row in rows if row.disturbed]:
        console.print(
            f"Not measured on a core of their own, since others used it too: "
            f"{', '.join(disturbed)}. Measure again on a quiet machine.",
            style="yellow",
            highlight=False,
        )
    if arguments.json:
        settings = {"seconds": arguments.seconds, "repetitions": arguments.repetitions}
        arguments.json.write_text(
            json.dumps(report(rows, settings, skipped), indent=2) + "\n", encoding="utf-8"
        )
        console.print(f"Figures written to {arguments.json}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
