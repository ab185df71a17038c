"""`lowhand report`."""

import shlex
from collections.abc import Sequence
from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import chosen_game
from lowhand_training.common.optional_deps import need

DESCRIPTION = """Write the report of one game: who is how strong, and who beats whom.

A tournament of all baselines and published agents (or of the agents named) is played into
FOLDER/tournament, as `lowhand tournament` does: it may be killed at any moment, and the same
command goes on. From it come ratings with intervals, maximal lotteries, and the share that each
wins alone among copies of each other. Then all agents are solved for NashConv on reduced games
(--sizes), and timed. FOLDER gets report.html, one page that needs no other file and no network,
and the same facts as report.json.

Lower bounds of exploitability on the full game are those that `lowhand exploit --json` wrote:
exploit.json in a checkpoint's folder, and the files of --bounds.

With --cards the model card of each checkpoint among the agents says what the report says of it.

Needs pyarrow, scipy and jinja2 (extra lowhand[eval]), and matplotlib for learning curves.

Examples:

  lowhand report --game no_thanks --out runs/report
  lowhand report --game least_score --players 2 --out runs/report-least-score
  lowhand report greedy sally runs/mine --out runs/mine/report --games 5000 --sizes XS S"""

USAGE = "lowhand report [AGENT…] --out FOLDER [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    from lowhand_training.cli import tournament

    tournament.add(parser)
    parser.add_argument(
        "--sizes",
        nargs="*",
        default=None,
        metavar="SIZE",
        help="Reduced games on which agents are solved, such as XS S; by default the game's small"
        " ones. Without a name: none.",
    )
    parser.add_argument(
        "--bounds", nargs="+", default=[], metavar="FILE", help="Results of `lowhand exploit`."
    )
    parser.add_argument(
        "--cards", action="store_true", help="Put the figures into the checkpoints' model cards."
    )


def run(given: Namespace) -> None:
    """Play, gather, and write both files.

    Raises:
        ValueError: something in what was asked for can't be.
    """
    from lowhand_training.cli import tournament
    from lowhand_training.common.files import as_json, write_atomically
    from lowhand_training.evaluation.tournament.table import load_games
    from lowhand_training.publish.reduced_games import default_sizes
    from lowhand_training.publish.report import render
    from lowhand_training.publish.report_data import gather, pictures, write_cards

    if given.out is None:
        raise ValueError("give --out FOLDER, where the report is written.")
    folder, game = Path(given.out), chosen_game(given, given.agents)
    sizes = default_sizes(game) if given.sizes is None else given.sizes
    _check(given, game, sizes)
    tournament.run(Namespace(**{**vars(given), "out": str(folder / "tournament")}))
    games = load_games(folder / "tournament")
    facts = gather(games, sizes, [Path(name) for name in given.bounds], _command(given))
    page = render(facts, pictures(facts))
    write_atomically(folder / "report.json", as_json(facts).encode())
    write_atomically(folder / "report.html", page.encode())
    print(f"Written: {folder / 'report.html'} and {folder / 'report.json'}.")
    if given.cards:
        for card in write_cards(facts):
            print(f"Written: {card}.")


def _check(given: Namespace, game: str, sizes: Sequence[str]) -> None:
    """See before a long tournament, not after it, that a report can come of it.

    Raises:
        ValueError: it can't.
    """
    from lowhand_training.evaluation.tournament.plan import MIXED, ONE_V_REST, REST_V_ONE
    from lowhand_training.publish.checkpoint_folder import read_bounds
    from lowhand_training.publish.reduced_games import check_sizes

    for library in ("jinja2", "scipy"):
        need(library, "eval")
    if given.shapes is not None and set(given.shapes) == {MIXED}:
        raise ValueError(
            f"a report shows who beats whom: name {ONE_V_REST} or {REST_V_ONE} among the shapes."
        )
    check_sizes(game, sizes)
    for name in given.bounds:
        read_bounds(Path(name), game)


def _command(given: Namespace) -> str:
    """The command line that makes the same report."""
    words = ["lowhand", "report", *given.agents]
    for name in ("out", "game", "options", "players", "shapes", "games", "sizes", "bounds"):
        value = given[name]
        if value is None or (value == [] and name != "sizes"):  # no sizes are other than usual ones
            continue
        values = value if isinstance(value, list) else [value]
        words += [f"--{name}", *map(str, values)]
    return shlex.join(words)
