"""NashConv of agents on reduced games, by whichever solver the game has."""

from collections.abc import Callable, Sequence

from lowhand.agents import make_agent
from lowhand.games import get_game

UNITS = "points"

NashConvs = dict[tuple[str, str], float]
"""By size and agent; an agent that can't play a size is left out."""


def reduced_nash_conv(game: str, sizes: Sequence[str], agents: Sequence[str]) -> NashConvs:
    """NashConv of each agent on each size.

    Raises:
        ValueError: the game has no solver, or no such size.
    """
    if game not in _SOLVERS:
        raise ValueError(f"there is no exact solver of {game}: leave the sizes out.")
    return _SOLVERS[game](sizes, agents)


def _no_thanks(sizes: Sequence[str], agents: Sequence[str]) -> NashConvs:
    from lowhand_training.solve.no_thanks import nash_conv, registered_options
    from lowhand_training.solve.no_thanks_space import enumerate_space

    game, found = get_game("no_thanks"), {}
    for size in sizes:
        space = enumerate_space(registered_options(size), forgets=False)
        for name in agents:
            found[size, name] = nash_conv(space, make_agent(name, game)).nash_conv
    return found


_SOLVERS: dict[str, Callable[[Sequence[str], Sequence[str]], NashConvs]] = {"no_thanks": _no_thanks}

_DEFAULT_SIZES = {"no_thanks": ("XS", "S", "M", "4P")}


def default_sizes(game: str) -> tuple[str, ...]:
    """The sizes that a report solves unless told otherwise: those that take seconds."""
    return _DEFAULT_SIZES.get(game, ())
