"""What `lowhand solve no_thanks` prints and writes."""

from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent
from lowhand.games import get_game
from lowhand.games.no_thanks.options import Options
from lowhand_training.common.console import compact_table, make_console
from lowhand_training.solve.agent_policies import agent_names
from lowhand_training.solve.no_thanks.minimax import minimax_value
from lowhand_training.solve.no_thanks.solver import (
    Exploitability,
    Solution,
    check_tie,
    check_utility,
    nash_conv,
    reduced_options,
    registered_options,
    solve,
    warm_up,
)
from lowhand_training.solve.no_thanks.space import enumerate_space
from lowhand_training.solve.output import check_files, markdown_grid, print_titled, write_files

_OWN = "own"  # the size that --players, --cards, --removed and --chips make
_UNITS = {"score": "points", "relative": "points", "win": "shares of the win"}

Row = dict[str, Any]


def report(given: Any) -> None:
    """Solve what the command line asks for; print it, and write it where that is asked for.

    Raises:
        ValueError: what was asked for makes no sense, or is too large.
    """
    if given.iterations is not None:
        raise ValueError("no_thanks has no --iterations: its solution is exact.")
    sizes = _sizes(given)
    agents = _agents(given.agent)
    check_utility(given.utility)
    check_tie(given.tie)
    check_files(given)
    console = make_console()
    warm_up()
    rows: list[Row] = []
    for size, options in sizes.items():
        rows += _solved(size, options, given.utility, given.tie, agents, console)
    if len(sizes) > 1 and agents:
        _print_comparison(rows, console)
    write_files(given, rows, markdown(rows) if agents else "", console)


def _sizes(given: Any) -> dict[str, Options]:
    """The games that are meant, by the names of their sizes."""
    own = {name: given[name] for name in ("players", "cards", "removed", "chips")}
    missing = [f"--{name}" for name, number in own.items() if number is None]
    if given.size is not None:
        if len(missing) < len(own):
            raise ValueError("give --size, or a size of your own, not both.")
        return {name: registered_options(name) for name in given.size}
    if missing:
        raise ValueError(f"give --size, or a size of your own; {', '.join(missing)} missing.")
    return {_OWN: reduced_options(**own)}


def _agents(names: Sequence[str]) -> list[Agent]:
    """The agents of these names, each once."""
    game = get_game("no_thanks")
    return [make_agent(name, game) for name in agent_names(names, game)]


def _solved(
    size: str,
    options: Options,
    utility: str,
    tie: str,
    agents: Sequence[Agent],
    console: Console,
) -> list[Row]:
    """Solve one size, print it, and give its rows: one for each agent, or one."""
    solution = solve(options, utility, tie)
    row = _row(size, options, solution)
    console.print(Text(_headline(size, options)))
    if options.num_players == 2 and utility == "relative":
        row["minimax"] = minimax_value(options)
        _check_minimax(row)
        console.print(Text(f"Minimax, for itself, finds {row['minimax']:+.6f} for seat 0 as well."))
    _print_values(solution, console)
    if not agents:
        return [row]
    space = enumerate_space(options, forgets=False)
    found = [nash_conv(space, agent, utility) for agent in agents]
    _print_gains(found, console)
    return [{**row, **_agent_row(one)} for one in found]


def _row(size: str, options: Options, solution: Solution) -> Row:
    return {
        "game": "no_thanks",
        "size": size,
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


def _agent_row(found: Exploitability) -> Row:
    return {
        "agent": found.agent,
        "nash_conv": found.nash_conv,
        "gains": list(found.gains),
        "on_policy": list(found.on_policy),
        "best_response": list(found.best_response),
        "agent_states": found.states,
        "agent_seconds": round(found.seconds, 3),
    }


def _check_minimax(row: Row) -> None:
    """See that the two solutions of a zero-sum game agree.

    Raises:
        AssertionError: they do not, which would be an error of ours.
    """
    if abs(row["minimax"] - row["values"][0]) > 1e-9:
        raise AssertionError(
            f"minimax finds {row['minimax']}, and backward induction {row['values'][0]}"
        )


def _headline(size: str, options: Options) -> str:
    return (
        f"no_thanks {size}: {options.num_players} players, cards {options.low} to {options.high},"
        f" {options.removed} removed, {options.chips} chips each, seat 0 begins"
    )


def _print_values(solution: Solution, console: Console) -> None:
    """The equilibrium's values."""
    title = (
        f"Equilibrium values in {_UNITS[solution.utility]} ({solution.utility}, ties:"
        f" {solution.tie}), {solution.states:,} states, {solution.seconds:.2f} s"
    )
    table = compact_table()
    for seat in range(len(solution.values)):
        table.add_column(f"seat {seat}", justify="right")
    table.add_row(*(f"{value:.4f}" for value in solution.values))
    print_titled(title, table, console)


def _print_gains(found: Sequence[Exploitability], console: Console) -> None:
    """NashConv, and what it is made of."""
    first = found[0]
    title = (
        f"NashConv in {_UNITS[first.utility]}, {first.states:,} states; by seat what a best"
        " response gains, and the value if all play the agent"
    )
    table = compact_table()
    table.add_column("agent", overflow="fold")
    for name in ("NashConv", "gains", "values", "seconds"):
        table.add_column(name, justify="right", no_wrap=True)
    for one in found:
        seats = (" ".join(f"{x:.2f}" for x in numbers) for numbers in (one.gains, one.on_policy))
        table.add_row(Text(one.agent), f"{one.nash_conv:.4f}", *seats, f"{one.seconds:.2f}")
    print_titled(title, table, console)


def _print_comparison(rows: Sequence[Row], console: Console) -> None:
    """NashConv, agents by sizes."""
    sizes, agents, cells = _grid(rows)
    table = compact_table()
    table.add_column("agent", overflow="fold")
    for size in sizes:
        table.add_column(size, justify="right")
    for agent in agents:
        table.add_row(Text(agent), *(cells[size, agent] for size in sizes))
    utility = rows[0]["utility"]
    print_titled(f"NashConv in {_UNITS[utility]} ({utility})", table, console)


def markdown(rows: Sequence[Row]) -> str:
    """NashConv as a Markdown table, agents by sizes."""
    sizes, agents, cells = _grid(rows)
    return markdown_grid(agents, sizes, cells)


def _grid(rows: Sequence[Row]) -> tuple[list[str], list[str], dict[tuple[str, str], str]]:
    """Sizes, agents, and the NashConv of each pair as text."""
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    return sizes, agents, {(row["size"], row["agent"]): f"{row['nash_conv']:.2f}" for row in rows}
