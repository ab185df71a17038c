"""The command `lowhand solve`: the games' solvers behind one command line."""

import argparse
from dataclasses import fields
from pathlib import Path
from typing import Any

from lowhand_training.common.console import make_console
from lowhand_training.common.files import as_json, check_writable, write_atomically
from lowhand_training.common.progress import steps_progress
from lowhand_training.solve.registry import SOLVERS, Request, get_solver

USAGE = "lowhand solve GAME [--size SIZE…] [options]"

DESCRIPTION = """Solve reduced games exactly: equilibria, and how far agents are from one.

No Thanks! with counted chips hides nothing but the next card, so that backward induction solves
it. The values are those of one equilibrium, stated with the rule by which ties are broken; for two
players and --utility relative they are unique.

With --agent NAME every seat plays the agent, and each in turn is replaced by a best response. The
gain of that seat is its regret, and the sum of the gains is NashConv, 0 for an equilibrium. All is
exact: agents are asked at every reachable position, and stochastic agents for their probabilities
(an agent of your own that randomises needs a method probabilities(table), as networks have).
`baselines` means all baselines of the game.

Sizes of no_thanks (players, cards from 3 up, removed ones among them, chips each; seat 0 begins):
XS 3 5 1 2, S 3 6 1 3, M 3 7 2 3, L 3 8 2 3, 4P 4 6 2 3, 2P 2 8 2 4; or give your own by --players,
--cards, --removed and --chips.

Least Score hides hands. One deal is solved by discounted CFR, for the difference of points: the
average strategy's exploitability (NashConv / players) is exact. For three players it need not be an
equilibrium, and only the gain of each seat is claimed. A network that was trained with more cards
observes the missing cards as buried.

Sizes of least_score (ranks x suits, cards of a hand, turns after which hands are shown; pairs are
the only sets, a wrong declaration costs 5, seat 0 begins): 3x2-1-6, 4x2-3-4, 4x2-2-4, 4x2-2-5,
5x2-2-4; others may be written likewise. --players, --iterations and --agent are its options.

Examples:

  lowhand solve no_thanks --size S
  lowhand solve no_thanks --size M --agent checkpoints/no_thanks --json m.json
  lowhand solve no_thanks --size XS S M 4P 2P --agent baselines checkpoints/no_thanks
  lowhand solve no_thanks --players 2 --cards 6 --removed 1 --chips 4 --utility relative
  lowhand solve least_score --size 4x2-2-4 --agent greedy:7 tuned --json deal.json
  lowhand solve least_score --size 3x2-1-6 --players 3 --iterations 1000"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments."""
    parser.add_argument("game", metavar="GAME", help=f"One of {', '.join(SOLVERS)}.")
    parser.add_argument("--size", nargs="+", metavar="SIZE", help="Registered sizes.")
    for name, text in (
        ("players", "Players: of a size of your own, or (least_score) of any, by default 2."),
        ("cards", "Its cards, the removed ones included; they are 3, 4, …"),
        ("removed", "How many of them are removed unseen."),
        ("chips", "Chips each at the start."),
    ):
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    parser.add_argument(
        "--utility",
        default="score",
        metavar="NAME",
        help="What players maximise: score (minus their points), relative (the others' mean less"
        " theirs) or win (the share of the win).",
    )
    parser.add_argument(
        "--tie",
        default="take",
        metavar="NAME",
        help="What a mover does when both actions are worth the same: take, pass, kind (what gives"
        " the others more) or spite (less).",
    )
    parser.add_argument(
        "--iterations",
        type=int,
        metavar="N",
        help="Iterations of discounted CFR (least_score), by default 200.",
    )
    parser.add_argument(
        "--agent", nargs="+", default=[], metavar="AGENT", help="Whose NashConv to find."
    )
    parser.add_argument(
        "--json",
        metavar="FILE",
        help="Write an object to this file too; with several sizes (no_thanks: or agents), a list"
        " of them.",
    )
    parser.add_argument(
        "--markdown", metavar="FILE", help="Write the table of agents by sizes to this file too."
    )


def run(given: Any) -> None:
    """Solve, print each size as it is solved, and write the files that are asked for.

    Raises:
        ValueError: what was asked for makes no sense, or is too large.
    """
    solver = get_solver(given.game)
    if given.markdown is not None and not given.agent:
        raise ValueError("--markdown writes a table of agents: name some by --agent.")
    for file in (given.json, given.markdown):
        if file is not None:
            check_writable(Path(file))
    names = {field.name for field in fields(Request)} - {"agents"}
    request = Request(agents=given.agent, **{name: given[name] for name in names})
    console, solved = make_console(), []
    with steps_progress(console) as progress:
        for one in solver.solve(request, progress):
            solved.append(one)
            for table in one.tables():
                table.print(console)
    for table in solver.summary(solved):
        table.print(console)
    records = [record for one in solved for record in one.records()]
    json = as_json(records[0] if len(records) == 1 else records)
    grid = solver.grid(solved).markdown(code=True) if given.markdown is not None else ""
    for file, text in ((given.json, json), (given.markdown, grid)):
        if file is not None:
            write_atomically(Path(file), text.encode())
            console.print(f"Written to {file}.", highlight=False)
