"""What the cross-checks of all games share: comparing, counting, and the command line."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from lowhand import Batch
from lowhand.engine.rewards import OBJECTIVES

REWARDS: tuple[Any, ...] = (*OBJECTIVES, {"win": 0.5, "score": 0.25, "placement": -2.0})
"""What a batch may pay: each objective, and a mix."""

Progress = Callable[["Counts"], None]


@dataclass
class Counts:
    """What was compared; in games of many deals, each deal counts as a game."""

    games: int = 0
    decisions: int = 0


class BaseTwins:
    """A batch of the engine, and a referee's table for each of its games.

    Attributes:
        batch: the engine's games.
        seed: of the batch.
        options: those of `make_batch`.
        games_of: games, or deals, that have ended at each table.
        decisions: moves compared.
    """

    unit = "game"
    batch: Batch
    seed: int
    options: dict[str, Any]
    games_of: list[int]
    decisions = 0

    def step(self) -> None:
        """One random legal action at every table, on both sides, and everything compared."""
        raise NotImplementedError

    def _close(self, found: np.ndarray, wanted: list[float], what: str, i: int) -> None:
        """Compare numbers of the seats up to rounding; seats without a player have zero."""
        padded = np.zeros(found.shape)
        padded[: len(wanted)] = wanted
        if not np.allclose(found, padded, rtol=1e-5, atol=1e-5):
            self._equal(found.tolist(), padded.tolist(), what, i)

    def _equal(self, found: object, wanted: object, what: str, i: int | None = None) -> None:
        if found != wanted:
            raise AssertionError(f"{self._where(what, i)}: engine {found}, referee {wanted}")

    def _where(self, what: str, i: int | None = None) -> str:
        place = "" if i is None else f" at table {i}, {self.unit} {self.games_of[i]}"
        return f"{what}{place} of seed {self.seed}, {self.options}"


def mixed(kinds: dict[str, list[float]], reward: Any) -> list[float]:
    """What each seat gets under `reward`, from what it gets under each objective."""
    mix = reward if isinstance(reward, dict) else {reward: 1.0}
    paid = zip(*([weight * x for x in kinds[kind]] for kind, weight in mix.items()), strict=True)
    return [sum(parts) for parts in paid]


def run(
    make_twins: Callable[[random.Random], BaseTwins],
    games: int,
    each: int,
    seed: int = 0,
    progress: Progress | None = None,
) -> Counts:
    """Compare at least `games` whole games, at least `each` at every table.

    Args:
        make_twins: makes a batch and its referees, with random options.
        games: whole games at least.
        each: games at every table at least.
        seed: of options and actions.
        progress: called after each batch.

    Raises:
        AssertionError: engine and referee differ.
    """
    counts, rng = Counts(), random.Random(seed)
    while counts.games < games:
        twins = make_twins(rng)
        while min(twins.games_of) < each:
            twins.step()
        counts.games += sum(twins.games_of)
        counts.decisions += twins.decisions
        if progress is not None:
            progress(counts)
    return counts


def print_progress(games: int, unit: str = "game") -> Progress:
    """A progress line on stderr, rewritten in place on a terminal."""
    start, end = time.monotonic(), "\r" if sys.stderr.isatty() else "\n"
    shown = 0.0

    def show(counts: Counts) -> None:
        nonlocal shown
        seconds = time.monotonic() - start
        if seconds - shown < (0.5 if end == "\r" else 20.0) and counts.games < games:
            return
        shown = seconds
        left = seconds * max(0, games - counts.games) / counts.games
        print(
            f"{counts.games:>9,} of {games:,} {unit}s, {counts.decisions:,} decisions agree;"
            f" {seconds:.0f} s, {left:.0f} s left   ",
            end=end,
            file=sys.stderr,
            flush=True,
        )

    return show


def command_line(
    doc: str, crosscheck: Callable[[int, int, Progress], Counts], unit: str = "game"
) -> None:
    """Run the cross-check of the command line."""
    parser = argparse.ArgumentParser(description=doc.split("\n\n")[0])
    parser.add_argument(f"--{unit}s", type=int, default=100_000, dest="games", help="at least")
    parser.add_argument("--seed", type=int, default=1, help="of options and actions")
    arguments = parser.parse_args()
    progress = print_progress(arguments.games, unit)
    counts = crosscheck(arguments.games, arguments.seed, progress)
    print(
        f"\nThe engine and the referee agree on {counts.games:,} {unit}s,"
        f" {counts.decisions:,} decisions."
    )
