"""Sizes of Least Score solved on request, and their results as tables."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lowhand.agents.names import make_agent
from lowhand.games.least_score import GAME
from lowhand_training.common.tables import Table
from lowhand_training.solve.agent_policies import agent_names
from lowhand_training.solve.least_score.agents import check_agent
from lowhand_training.solve.least_score.solver import (
    ITERATIONS,
    SIZES,
    Solution,
    nash_convs,
    reduced_options,
    solve_least_score,
    warm_up,
)
from lowhand_training.solve.registry import Progress, Request

__all__ = ["AVERAGE", "SolvedSize", "grid", "nash_convs", "solve", "summary"]

AVERAGE = "dcfr"
"""The name of the average strategy in tables of agents."""

_FOREIGN = ("cards", "removed", "chips")  # of another game's sizes


@dataclass(frozen=True)
class SolvedSize:
    """The average strategy on one size, with the agents measured on it."""

    solution: Solution

    def records(self) -> list[dict[str, Any]]:
        """One JSON-serialisable dict."""
        return [self.solution.to_dict()]

    def tables(self) -> list[Table]:
        """What a best response gains against each agent."""
        agents = self.solution.agents
        if not agents:
            return []
        trained = "; * trained with more cards" if any(one.embedded for one in agents) else ""
        return [
            Table(
                columns=("agent", "exploitability", "NashConv", "gains", "values", "seconds"),
                rows=[
                    (
                        one.agent + (" *" if one.embedded else ""),
                        f"{one.exploitability:.4f}",
                        f"{one.nash_conv:.4f}",
                        " ".join(f"{gain:.3f}" for gain in one.gains),
                        " ".join(f"{value:.3f}" for value in one.values),
                        f"{one.seconds:.2f}",
                    )
                    for one in agents
                ],
                title=f"least_score {self.solution.size}: agents at all seats, in points, suits"
                f" kept{trained}",
            )
        ]


def solve(request: Request, progress: Progress) -> Iterator[SolvedSize]:
    """Solve each size of the request, and measure the agents on it.

    Raises:
        ValueError: the request makes no sense, or is too large.
    """
    players = 2 if request.players is None else request.players
    iterations = ITERATIONS if request.iterations is None else request.iterations
    agents = _checked_agents(request, players)
    warm_up(agents=bool(agents))
    for size in request.size or ():
        yield SolvedSize(solve_least_score(size, iterations, agents, players, progress))


def _checked_agents(request: Request, players: int) -> list[str]:
    """The names of all agents, after every part of the request has been checked.

    Raises:
        ValueError: a part makes no sense.
    """
    if request.size is None:
        raise ValueError(f"give --size: least_score has {', '.join(SIZES)}, and others like them.")
    foreign = [f"--{name}" for name in _FOREIGN if getattr(request, name) is not None]
    if request.utility not in ("score", "relative") or request.tie != "take":
        foreign.append("--utility and --tie")
    if foreign:
        raise ValueError(f"least_score has no {foreign[0]}.")
    names = agent_names(request.agent, GAME)
    for size in request.size:
        options = reduced_options(size, players)
        for name in names:
            check_agent(make_agent(name, GAME), options)
    return names


def summary(solved: Sequence[SolvedSize]) -> list[Table]:
    """The average strategies by size."""
    solutions = [one.solution for one in solved]
    first = solutions[0]
    two = first.tree.options.num_players == 2
    suits = "kept" if first.tree.keep_suits else "forgotten"
    return [
        Table(
            columns=("size", "infosets", "nodes", "seconds", "value",
                     "exploitability" if two else "NashConv", "gains"),
            rows=[
                (
                    one.size,
                    f"{one.tree.form.num_infosets:,}",
                    f"{one.tree.form.nodes:,}",
                    f"{one.seconds:.2f}",
                    f"{one.values[0]:+.5f}",
                    f"{one.exploitability if two else one.nash_conv:.1e}",
                    " ".join(f"{max(0.0, gain):.1e}" for gain in one.gains),
                )
                for one in solutions
            ],
            title=f"least_score, {first.tree.options.num_players} players: average strategies of"
            f" {first.iterations} iterations of DCFR, suits {suits}"
            + ("" if two else "; no claim of equilibrium"),
        )
    ]  # fmt: skip


def grid(solved: Sequence[SolvedSize]) -> Table:
    """Exploitability, agents by sizes, the average strategy last."""
    solutions = [one.solution for one in solved]
    rows = [
        [agent.agent, *(f"{one.agents[k].exploitability:.3f}" for one in solutions)]
        for k, agent in enumerate(solutions[0].agents)
    ]
    average = [AVERAGE, *(f"{one.exploitability:.1e}" for one in solutions)]
    return Table(columns=["agent", *(one.size for one in solutions)], rows=[*rows, average])
