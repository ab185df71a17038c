"""The games that can be solved, for whoever needs a solver: a game is a line in `SOLVERS`."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple


class Solver(NamedTuple):
    """How one game is solved.

    Solvers are imported when they are called, and so is what agents are: the help of the command
    needs neither.

    Attributes:
        report: does what the command line asks for.
        nash_convs: NashConv of agents on a size, in points; None for agents that can't play it.
        quick: the sizes that take seconds.
    """

    report: Callable[[Any], None]
    nash_convs: Callable[[str, Sequence[Any]], list[float | None]]
    quick: tuple[str, ...]


def _report_no_thanks(given: Any) -> None:
    from lowhand_training.solve.no_thanks.report import report

    report(given)


def _no_thanks(size: str, agents: Sequence[Any]) -> list[float | None]:
    from lowhand_training.solve.no_thanks.solver import nash_convs

    return nash_convs(size, agents)


def _report_least_score(given: Any) -> None:
    from lowhand_training.solve.least_score.report import report

    report(given)


def _least_score(size: str, agents: Sequence[Any]) -> list[float | None]:
    from lowhand_training.solve.least_score.solver import nash_convs

    return nash_convs(size, agents)


SOLVERS = {
    "no_thanks": Solver(_report_no_thanks, _no_thanks, ("XS", "S", "M", "4P")),
    "least_score": Solver(_report_least_score, _least_score, ("3x2-1-6", "4x2-3-4", "4x2-2-4")),
}
