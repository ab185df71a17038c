"""What `lowhand solve least_score` prints and writes."""

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from lowhand.agents.names import make_agent
from lowhand.games.least_score import GAME
from lowhand_training.common.console import compact_table, make_console
from lowhand_training.solve.agent_policies import agent_names
from lowhand_training.solve.least_score.agents import check_agent
from lowhand_training.solve.least_score.solver import (
    ITERATIONS,
    SIZES,
    Solution,
    reduced_options,
    solve_least_score,
    warm_up,
)
from lowhand_training.solve.output import check_files, markdown_grid, print_titled, write_files

AVERAGE = "dcfr"
"""The average strategy in tables of agents."""

_OTHERS = ("cards", "removed", "chips")  # options of another game's sizes


def report(given: Any) -> None:
    """Solve what the command line asks for; print it, and write it where that is asked for.

    Raises:
        ValueError: what was asked for makes no sense, or is too large.
    """
    players = 2 if given.players is None else given.players
    iterations = ITERATIONS if given.iterations is None else given.iterations
    agents = _check(given, players)
    check_files(given)
    console = make_console()
    warm_up(agents=bool(agents))
    solutions = []
    for size in given.size:
        with _progress(size, console) as progress:
            solution = solve_least_score(size, iterations, agents, players, progress)
        solutions.append(solution)
        _print_agents(solution, console)
    _print_solutions(solutions, console)
    found = [solution.to_dict() for solution in solutions]
    write_files(given, found, markdown(solutions) if agents else "", console)


def _check(given: Any, players: int) -> list[str]:
    """The names of all agents, once everything is seen to make sense.

    Raises:
        ValueError: it makes none.
    """
    if given.size is None:
        raise ValueError(f"give --size: least_score has {', '.join(SIZES)}, and others like them.")
    foreign = [f"--{name}" for name in _OTHERS if given[name] is not None]
    if given.utility not in ("score", "relative") or given.tie != "take":
        foreign.append("--utility and --tie")
    if foreign:
        raise ValueError(f"least_score has no {foreign[0]}.")
    names = agent_names(given.agent, GAME)
    for size in given.size:
        options = reduced_options(size, players)
        for name in names:
            check_agent(make_agent(name, GAME), options)
    return names


@contextmanager
def _progress(size: str, console: Console):  # type: ignore[no-untyped-def]
    """A bar for iterations and one for agents, on a terminal; gone when all is done."""
    with Progress(console=console, transient=True, disable=not console.is_terminal) as bar:
        tasks: dict[str, Any] = {}

        def show(what: str, done: int, of: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(f"{size}: {what}", total=of)
            bar.update(tasks[what], completed=done)

        call: Callable[[str, int, int], None] = show
        yield call


def _print_solutions(solutions: Sequence[Solution], console: Console) -> None:
    """The average strategies, sizes in rows; of more than two nothing is claimed but gains."""
    players = solutions[0].tree.options.num_players
    measure = "exploitability" if players == 2 else "NashConv"
    table = _table("size", "infosets", "nodes", "seconds", "value", measure, "gains")
    for one in solutions:
        form = one.tree.form
        table.add_row(
            one.size,
            f"{form.num_infosets:,}",
            f"{form.nodes:,}",
            f"{one.seconds:.2f}",
            f"{one.values[0]:+.5f}",
            f"{one.exploitability if players == 2 else one.nash_conv:.1e}",
            " ".join(f"{max(0.0, gain):.1e}" for gain in one.gains),
        )
    suits = "kept" if solutions[0].tree.keep_suits else "forgotten"
    title = (
        f"least_score, {players} players: average strategies of {solutions[0].iterations}"
        f" iterations of DCFR, suits {suits}"
    )
    if players > 2:
        title += "; no claim of equilibrium"
    print_titled(title, table, console)


def _print_agents(solution: Solution, console: Console) -> None:
    """What a best response gains against each agent."""
    if not solution.agents:
        return
    table = _table("agent", "exploitability", "NashConv", "gains", "values", "seconds")
    for one in solution.agents:
        name = one.agent + (" *" if one.embedded else "")
        seats = (" ".join(f"{x:.3f}" for x in numbers) for numbers in (one.gains, one.values))
        table.add_row(
            Text(name),
            f"{one.exploitability:.4f}",
            f"{one.nash_conv:.4f}",
            *seats,
            f"{one.seconds:.2f}",
        )
    title = f"least_score {solution.size}: agents at all seats, in points, suits kept"
    if any(one.embedded for one in solution.agents):
        title += "; * trained with more cards"
    print_titled(title, table, console)


def markdown(solutions: Sequence[Solution]) -> str:
    """Exploitability as a Markdown table, agents by sizes, the average strategy last."""
    sizes = [one.size for one in solutions]
    agents = [one.agent for one in solutions[0].agents]
    cells = {
        (one.size, agent.agent): f"{agent.exploitability:.3f}"
        for one in solutions
        for agent in one.agents
    }
    average = {(one.size, AVERAGE): f"{one.exploitability:.1e}" for one in solutions}
    return markdown_grid([*agents, AVERAGE], sizes, {**cells, **average})


def _table(first: str, *others: str) -> Table:
    table = compact_table()
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
