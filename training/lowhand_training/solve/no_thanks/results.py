"""Sizes of No Thanks! solved on request, and their results as tables and records."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lowhand.agents.names import make_agent
from lowhand.games import get_game
from lowhand.games.no_thanks.options import Options
from lowhand_training.common.tables import Table
from lowhand_training.solve.agent_policies import agent_names
from lowhand_training.solve.no_thanks import solver
from lowhand_training.solve.no_thanks.solver import Exploitability, Solution, nash_conv, nash_convs
from lowhand_training.solve.no_thanks.space import enumerate_space
from lowhand_training.solve.registry import Progress, Request

__all__ = ["SolvedSize", "grid", "nash_convs", "solve", "summary"]

_CUSTOM = "own"  # the name of the size that players, cards, removed and chips make
_UNITS = {"score": "points", "relative": "points", "win": "shares of the win"}


@dataclass(frozen=True)
class SolvedSize:
    """An equilibrium of one size, and the exploitability of agents on it.

    Attributes:
        size: its name, or "own".
        options: the options of the reduced game.
        solution: the equilibrium.
        agents: results of the agents, if any.
    """

    size: str
    options: Options
    solution: Solution
    agents: tuple[Exploitability, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One JSON-serialisable dict for each agent, or one without agents."""
        options, solution = self.options, self.solution
        size = {
            "game": "no_thanks",
            "size": self.size,
            "players": options.num_players,
            "cards": options.num_cards,
            "removed": options.removed,
            "chips": options.chips,
            "utility": solution.utility,
            "tie": solution.tie,
            "states": solution.states,
            "seconds": round(solution.seconds, 3),
            "values": list(solution.values),
        }
        return [{**size, **one.to_dict()} for one in self.agents] or [size]

    def tables(self) -> list[Table]:
        """The values of the equilibrium, and the NashConv of the agents by seat."""
        options, solution = self.options, self.solution
        units = _UNITS[solution.utility]
        values = Table(
            columns=[f"seat {seat}" for seat in range(len(solution.values))],
            rows=[[f"{value:.4f}" for value in solution.values]],
            align="r" * len(solution.values),
            title=f"no_thanks {self.size}: {options.num_players} players, cards {options.low} to"
            f" {options.high}, {options.removed} removed, {options.chips} chips each, seat 0"
            f" begins\nEquilibrium values in {units} ({solution.utility}, ties: {solution.tie}),"
            f" {solution.states:,} states, {solution.seconds:.2f} s",
        )
        if not self.agents:
            return [values]
        gains = Table(
            columns=("agent", "NashConv", "gains", "values", "seconds"),
            rows=[
                (one.agent, f"{one.nash_conv:.4f}", _by_seat(one.gains), _by_seat(one.values),
                 f"{one.seconds:.2f}")
                for one in self.agents
            ],
            title=f"NashConv in {units}, {self.agents[0].states:,} states; by seat the gain of a"
            " best response, and the value if all play the agent",
        )  # fmt: skip
        return [values, gains]


def solve(request: Request, progress: Progress) -> Iterator[SolvedSize]:
    """Solve each size of the request, and measure the agents on it.

    Raises:
        ValueError: the request makes no sense, or is too large.
    """
    if request.iterations is not None:
        raise ValueError("no_thanks has no --iterations: its solution is exact.")
    sizes = _sizes(request)
    game = get_game("no_thanks")
    agents = [make_agent(name, game) for name in agent_names(request.agent, game)]
    solver.check_utility(request.utility)
    solver.check_tie(request.tie)
    solver.warm_up()
    for size, options in sizes.items():
        solution = solver.solve(options, request.utility, request.tie)
        found = []
        if agents:
            space = enumerate_space(options, forgets=False)
            for k, agent in enumerate(agents):
                progress("agents", k, len(agents))
                found.append(nash_conv(space, agent, request.utility))
        yield SolvedSize(size, options, solution, tuple(found))


def _sizes(request: Request) -> dict[str, Options]:
    """The options of each size by its name."""
    custom = {name: getattr(request, name) for name in ("players", "cards", "removed", "chips")}
    missing = [f"--{name}" for name, number in custom.items() if number is None]
    if request.size is not None:
        if len(missing) < len(custom):
            raise ValueError("give --size, or a size of your own, not both.")
        return {name: solver.registered_options(name) for name in request.size}
    if missing:
        raise ValueError(f"give --size, or a size of your own; {', '.join(missing)} missing.")
    return {_CUSTOM: solver.reduced_options(**custom)}


def summary(solved: Sequence[SolvedSize]) -> list[Table]:
    """NashConv of agents by sizes, if there are several sizes."""
    return [grid(solved)] if len(solved) > 1 and solved[0].agents else []


def grid(solved: Sequence[SolvedSize]) -> Table:
    """NashConv, agents by sizes."""
    utility = solved[0].solution.utility
    return Table(
        columns=["agent", *(one.size for one in solved)],
        rows=[
            [agent.agent, *(f"{one.agents[k].nash_conv:.2f}" for one in solved)]
            for k, agent in enumerate(solved[0].agents)
        ],
        title=f"NashConv in {_UNITS[utility]} ({utility})",
    )


def _by_seat(numbers: Sequence[float]) -> str:
    return " ".join(f"{number:.2f}" for number in numbers)
