"""The games that can be solved exactly, and what is asked of their solvers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, NamedTuple, Protocol

from lowhand_training.common.tables import Table

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done, and of how much."""


@dataclass(frozen=True)
class Request:
    """What to solve.

    Attributes:
        size: names of sizes; None with a size of your own.
        players, cards, removed, chips: a size of your own (No Thanks!); of Least Score only the
            number of players may be given.
        utility: what players maximise: "score", "relative" or "win".
        tie: the tie rule: "take", "pass", "kind" or "spite".
        iterations: of discounted CFR (Least Score); None for the default.
        agents: names of agents whose NashConv is computed; "baselines" means all baselines.
    """

    size: Sequence[str] | None = None
    players: int | None = None
    cards: int | None = None
    removed: int | None = None
    chips: int | None = None
    utility: str = "score"
    tie: str = "take"
    iterations: int | None = None
    agents: Sequence[str] = ()


class Solved(Protocol):
    """One solved size."""

    def tables(self) -> list[Table]:
        """Its results, to be shown as soon as they are there."""
        ...

    def records(self) -> list[dict[str, Any]]:
        """Its results as JSON-serialisable dicts."""
        ...


class Solver(NamedTuple):
    """How one game is solved. Its module is imported at the first use.

    Attributes:
        module: has `solve(request, progress)`, which yields a `Solved` for each size;
            `summary(solved)`, tables of all sizes together; `grid(solved)`, agents by sizes; and
            `nash_convs(size, agents)`, in points, None for agents that can't play the size.
        quick: the sizes that take seconds.
    """

    module: str
    quick: tuple[str, ...]

    def solve(self, request: Request, progress: Progress) -> Iterator[Solved]:
        """Solve each size of the request.

        Raises:
            ValueError: the request makes no sense for this game, or is too large.
        """
        solved: Iterator[Solved] = import_module(self.module).solve(request, progress)
        return solved

    def summary(self, solved: Sequence[Solved]) -> list[Table]:
        """Tables of all solved sizes together."""
        tables: list[Table] = import_module(self.module).summary(solved)
        return tables

    def grid(self, solved: Sequence[Solved]) -> Table:
        """The agents by sizes."""
        table: Table = import_module(self.module).grid(solved)
        return table

    def nash_convs(self, size: str, agents: Sequence[Any]) -> list[float | None]:
        """NashConv of agents on a size, in points; None for agents that can't play it."""
        found: list[float | None] = import_module(self.module).nash_convs(size, agents)
        return found


SOLVERS = {
    "no_thanks": Solver("lowhand_training.solve.no_thanks.results", ("XS", "S", "M", "4P")),
    "least_score": Solver(
        "lowhand_training.solve.least_score.results", ("3x2-1-6", "4x2-3-4", "4x2-2-4")
    ),
}


def get_solver(game: str) -> Solver:
    """The solver of a game.

    Raises:
        ValueError: the game has none.
    """
    if game not in SOLVERS:
        raise ValueError(f"GAME must be one of {', '.join(SOLVERS)}, not {game!r}.")
    return SOLVERS[game]


def solve_game(game: str, request: Request, progress: Progress | None = None) -> list[Solved]:
    """Solve sizes of a game exactly.

    Args:
        game: its name.
        request: the sizes, and the agents whose NashConv is computed.
        progress: called with what is done, how much of it is done, and of how much.

    Returns:
        The solutions, one for each size.

    Raises:
        ValueError: the game has no solver, or the request makes no sense or is too large.
    """
    return list(get_solver(game).solve(request, progress or (lambda *_: None)))
