"""NashConv of agents on reduced games, by whichever solver the game has."""

from collections.abc import Sequence

from lowhand.agents.names import make_agent
from lowhand_training.solve.registry import SOLVERS

UNITS = "points"

NashConvs = dict[tuple[str, str], float]
"""By size and agent; an agent that can't play a size is left out."""


def reduced_nash_conv(game: str, sizes: Sequence[str], agents: Sequence[str]) -> NashConvs:
    """NashConv of each agent on each size.

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


def check_sizes(game: str, sizes: Sequence[str]) -> None:
    """See that there are such sizes.

    Raises:
        ValueError: the game has no solver, or no such size.
    """
    if sizes and game not in SOLVERS:
        raise ValueError(f"there is no exact solver of {game}: leave the sizes out.")
    for size in sizes:
        SOLVERS[game].nash_convs(size, [])


def default_sizes(game: str) -> tuple[str, ...]:
    """The sizes that a report solves by default: those that take seconds."""
    return SOLVERS[game].quick if game in SOLVERS else ()
