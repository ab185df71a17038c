"""What `lowhand solve least_score` prints and writes."""

import json
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from lowhand.agents import make_agent
from lowhand.least_score import GAME
from lowhand_training.checkpoint import write_atomically
from lowhand_training.results import check_writable
from lowhand_training.solve.least_score import (
    ITERATIONS,
    SIZES,
    Solution,
    reduced_options,
    solve_least_score,
    warm_up,
)
from lowhand_training.solve.least_score_agents import check_agent

_OTHERS = ("cards", "removed", "chips")  # options of another game's sizes


def report(given: Any) -> None:
    """Solve what the command line asks for; print it, and write it where that is asked for.

    Raises:
        ValueError: what was asked for makes no sense, or is too large.
    """
    players = 2 if given.players is None else given.players
    iterations = ITERATIONS if given.iterations is None else given.iterations
    agents = _check(given, players)
    paths = [Path(name) for name in (given.json, given.markdown) if name is not None]
    for path in paths:
        check_writable(path)
    console = Console() if sys.stdout.isatty() else Console(width=100)
    warm_up(agents=bool(agents))
    solutions = []
    for size in given.size:
        with _progress(size, console) as progress:
            solution = solve_least_score(size, iterations, agents, players, progress)
        solutions.append(solution)
        _print_agents(solution, console)
    _print_solutions(solutions, console)
    if given.json is not None:
        found = [solution.to_dict() for solution in solutions]
        content = found[0] if len(found) == 1 else found
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        write_atomically(Path(given.json), text.encode())
    if given.markdown is not None:
        write_atomically(Path(given.markdown), markdown(solutions).encode())
    for path in paths:
        console.print(f"Written to {path}.", highlight=False)


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
    if given.markdown is not None and not given.agent:
        raise ValueError("--markdown writes exploitability of agents: name some by --agent.")
    names: list[str] = []
    for name in given.agent:
        names += GAME.baselines if name == "baselines" else [name]
    names = list(dict.fromkeys(names))
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
    """The average strategies, sizes in rows."""
    players = solutions[0].tree.options.num_players
    table = _table("size", "infosets", "nodes", "seconds", "value", "exploitability")
    table.add_column("gains", justify="right", no_wrap=True)
    for one in solutions:
        form = one.tree.form
        table.add_row(
            one.size,
            f"{form.num_infosets:,}",
            f"{form.nodes:,}",
            f"{one.seconds:.2f}",
            f"{one.values[0]:+.5f}",
            f"{one.exploitability:.1e}",
            " ".join(f"{max(0.0, gain):.1e}" for gain in one.gains),
        )
    suits = "kept" if solutions[0].tree.keep_suits else "forgotten"
    console.print(
        Text(
            f"least_score, {players} players: average strategies of {solutions[0].iterations}"
            f" iterations of DCFR, suits {suits}"
        )
    )
    console.print(table)
    console.print()


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
    console.print(Text(title))
    console.print(table)
    if any(one.embedded for one in solution.agents):
        console.print("* trained with more cards")
    console.print()


def markdown(solutions: Sequence[Solution]) -> str:
    """Exploitability as a Markdown table, agents by sizes, the average strategy last."""
    lines = [
        f"| agent | {' | '.join(one.size for one in solutions)} |",
        f"| --- |{' ---: |' * len(solutions)}",
    ]
    for k, agent in enumerate(solutions[0].agents):
        cells = " | ".join(f"{one.agents[k].exploitability:.3f}" for one in solutions)
        lines.append(f"| `{agent.agent}` | {cells} |")
    cells = " | ".join(f"{one.exploitability:.1e}" for one in solutions)
    return "\n".join(lines) + f"\n| DCFR | {cells} |\n"


def _table(first: str, *others: str) -> Table:
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column(first, overflow="fold")
    for name in others:
        table.add_column(name, justify="right", no_wrap=True)
    return table
