"""Seconds until the first game is dealt, in a fresh process, with and without a compile cache.

    python benchmarks/startup.py [--json FILE] [--repetitions N]

Each measurement is a new Python process that imports lowhand, makes the PettingZoo
environment for four and resets it, and looks at its own clock before, between and after; the
whole process, from its start to its end, is timed from outside as well. "warm" runs with the
compile cache as a user has it, after one run, not counted, that fills it. "cold" runs with
NUMBA_CACHE_DIR set to a new, empty folder; that the folder holds machine code afterwards
shows that it was the cache in use. The two take turns, and the median counts. So does the import
of the libraries alone, to which that of lowhand is compared.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import machine

BARS = {"warm": 1.0, "cold": 6.0}

IMPORT_BAR = 1.15
"""Bar of `import lowhand`, as a multiple of the import of the libraries."""

LIBRARIES = """
import time
start = time.perf_counter()
import numba, gymnasium, pettingzoo
print(time.perf_counter() - start, 0.0)
"""

PROGRAM = """
import time
start = time.perf_counter()
import lowhand
imported = time.perf_counter()
from lowhand import no_thanks_v0
no_thanks_v0.env(num_players=4).reset(seed=0)
print(imported - start, time.perf_counter() - imported)
"""


class StartupError(Exception):
    """The measured program failed, or ran in a way that makes its time meaningless."""


@dataclass(frozen=True)
class Startup:
    """Seconds of one process: the import, making and resetting, and all of it from outside."""

    imported: float
    reset: float
    process: float

    @property
    def until_reset(self) -> float:
        return self.imported + self.reset


def start(environment: dict[str, str], program: str = PROGRAM) -> Startup:
    """Run `program` in a new process.

    Raises:
        StartupError: it failed; the message holds the last line of its error.
    """
    begin = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True
    )
    process = perf_counter() - begin
    if done.returncode != 0:
        raise StartupError(done.stderr.strip().splitlines()[-1])
    imported, reset = map(float, done.stdout.split()[-2:])
    return Startup(imported, reset, process)


def start_cold(environment: dict[str, str]) -> Startup:
    """Run the program with an empty compile cache.

    Raises:
        StartupError: the program failed, or compiled nothing into that cache.
    """
    with tempfile.TemporaryDirectory() as folder:
        measured = start({**environment, "NUMBA_CACHE_DIR": folder})
        if not any(Path(folder).rglob("*.nbc")):
            raise StartupError(
                "Nothing was compiled into the empty NUMBA_CACHE_DIR, so another cache was used "
                "or none."
            )
    return measured


def measure(repetitions: int, console: Console) -> dict[str, list[Startup]]:
    """All runs, warm and cold by turns."""
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    runs: dict[str, list[Startup]] = {name: [] for name in (*BARS, "libraries")}
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("starting processes", total=3 * repetitions + 1)
        start(environment)
        progress.advance(task)
        for _ in range(repetitions):
            runs["warm"].append(start(environment))
            progress.advance(task)
            runs["cold"].append(start_cold(environment))
            progress.advance(task)
            runs["libraries"].append(start(environment, LIBRARIES))
            progress.advance(task)
    return runs


def table_of(runs: dict[str, list[Startup]]) -> Table:
    """Medians and the bars."""
    table = Table(
        title="import lowhand + first reset(), fresh process (seconds)",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    table.add_column("cache")
    for column in ("import", "reset", "both", "slowest", "bar", "whole process"):
        table.add_column(column, justify="right")
    table.add_column("met")
    for name in BARS:
        measured = runs[name]
        both = median_until_reset(measured)
        table.add_row(
            name,
            f"{statistics.median(run.imported for run in measured):.2f}",
            f"{statistics.median(run.reset for run in measured):.2f}",
            f"{both:.2f}",
            f"{max(run.until_reset for run in measured):.2f}",
            f"{BARS[name]:.2f}",
            f"{statistics.median(run.process for run in measured):.2f}",
            "[green]yes[/]" if both <= BARS[name] else "[red]no[/]",
        )
    return table


def import_ratio(runs: dict[str, list[Startup]]) -> float:
    """Return the time of `import lowhand` as a multiple of that of the libraries."""
    warm, libraries = (
        statistics.median(run.imported for run in runs[name]) for name in ("warm", "libraries")
    )
    return warm / libraries


def median_until_reset(measured: list[Startup]) -> float:
    return statistics.median(run.until_reset for run in measured)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    parser.add_argument("--repetitions", type=int, default=5, help="(default 5)")
    arguments = parser.parse_args()
    if arguments.repetitions < 1:
        parser.error("--repetitions must be at least 1")
    if arguments.json and not arguments.json.absolute().parent.is_dir():
        parser.error(f"the folder of {arguments.json} does not exist")
    console = Console()
    try:
        runs = measure(arguments.repetitions, console)
    except StartupError as error:
        console.print(f"Startup could not be measured: {error}", highlight=False)
        return 1
    console.print(table_of(runs))
    ratio = import_ratio(runs)
    console.print(
        f"import lowhand takes {ratio:.2f} × the time of numba, gymnasium and pettingzoo"
        f" (bar {IMPORT_BAR})."
    )
    if arguments.json:
        figures = {
            "rows": [
                {
                    "name": name,
                    "seconds": median_until_reset(measured),
                    "bar": BARS[name],
                    "met": median_until_reset(measured) <= BARS[name],
                    "repetitions": [asdict(run) for run in measured],
                }
                for name, measured in runs.items()
                if name in BARS
            ],
            "import_ratio": {"ratio": ratio, "bar": IMPORT_BAR, "met": ratio <= IMPORT_BAR},
            "machine": machine.describe(),
        }
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
        console.print(f"Figures written to {arguments.json}.")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
