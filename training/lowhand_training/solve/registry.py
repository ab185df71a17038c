"""The games that can be solved exactly, and what is asked of their solvers."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any, NamedTuple, Protocol

from lowhand.agents.names import make_agent
from lowhand_training.common.tables import Table

Progress = Callable[[str, int, int], None]
"""Called with what is done, how much of it is done, and of how much."""


@dataclass(frozen=True)
class Request:
    """What to solve.

    Attributes:
        size: names of sizes; without them, the next four describe a size of your own.
        players: players of a size of your own, or (least_score) of any, by default 2.
        cards: its cards, the removed ones included; they are 3, 4, …
        removed: how many of them are removed unseen.
        chips: chips each at the start.
        utility: what players maximise: score (minus their points), relative (the others' mean
            less theirs) or win (the share of the win).
        tie: what a mover does when both actions are worth the same: take, pass, kind (what gives
            the others more) or spite (less).
        iterations: iterations of discounted CFR (least_score), by default 200.
        agent: agents whose NashConv is computed; `baselines` means all baselines.
    """

    size: Annotated[Sequence[str] | None, "SIZE"] = None
    players: int | None = None
    cards: int | None = None
    removed: int | None = None
    chips: int | None = None
    utility: Annotated[str, "NAME"] = "score"
    tie: Annotated[str, "NAME"] = "take"
    iterations: int | None = None
    agent: Annotated[Sequence[str], "AGENT"] = ()


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


def default_sizes(game: str) -> tuple[str, ...]:
    """The sizes that a report solves by default: those that take seconds."""
    return SOLVERS[game].quick if game in SOLVERS else ()


def check_sizes(game: str, sizes: Sequence[str]) -> None:
    """See that there are such sizes.

    Raises:
        ValueError: the game has no solver, or no such size.
    """
    if sizes and game not in SOLVERS:
        raise ValueError(f"there is no exact solver of {game}: leave the sizes out.")
    for size in sizes:
        SOLVERS[game].nash_convs(size, [])


def reduced_nash_conv(
    game: str, sizes: Sequence[str], agents: Sequence[str]
) -> dict[tuple[str, str], float]:
    """NashConv in points, by size and agent, without the sizes that an agent can't play.

    Raises:
        ValueError: the game has no solver, or no such size; or an agent draws its actions and
            can't tell their probabilities.
    """
    check_sizes(game, sizes)
    named = [make_agent(name, game) for name in agents]
    return {
        (size, name): value
        for size in sizes
        for name, value in zip(agents, SOLVERS[game].nash_convs(size, named), strict=True)
        if value is not None
    }
