"""`lowhand rate`."""

from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.common.tables import print_report

DESCRIPTION = """Rate the agents of a tournament, with 95 % intervals.

Two opinions on the same games. The rating is Plackett-Luce by maximum likelihood, on an Elo-like
scale: 400 points are odds of ten to one to rank above, and the anchor has 1000. The maximal
lottery is what holds where there is no line of strength, as when a beats b, b beats c and c
beats a: a mixture of agents that none beats on average.

By default the mixed games count, in which every game ranks different agents. --shapes counts
others; copies of an agent at a table are then entrants of its strength. Ties are broken at
random, each order equally likely. A folder is one game, one number of players and one set of
rules, and so is a rating. Needs pyarrow and SciPy (extra lowhand[eval]).

Examples:

  lowhand rate runs/cup
  lowhand rate runs/cup --anchor connector --json ratings.json
  lowhand rate runs/cup --shapes one_v_rest rest_v_one"""

USAGE = "lowhand rate FOLDER [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument("folder", metavar="FOLDER", help="Of a finished tournament.")
    parser.add_argument(
        "--anchor",
        metavar="AGENT",
        help="Who has 1000 points; by default the first baseline that takes part.",
    )
    parser.add_argument("--shapes", nargs="+", metavar="SHAPE", help="Whose games count.")
    parser.add_argument("--json", metavar="FILE", help="Write everything to this file too.")


def run(given: Namespace) -> None:
    """Rate, and print both opinions."""
    from lowhand_training.common.console import make_console
    from lowhand_training.common.files import as_json, check_writable, write_atomically
    from lowhand_training.evaluation.ratings import rate, roles
    from lowhand_training.evaluation.ratings_output import ratings_dict, ratings_report
    from lowhand_training.evaluation.tournament.table import load_games

    path = None if given.json is None else Path(given.json)
    if path is not None:
        check_writable(path)
    games = load_games(given.folder)
    ratings = rate(games, anchor=given.anchor, shapes=given.shapes)
    found = roles(games)
    console = make_console()
    try:
        if path is not None:
            write_atomically(path, as_json(ratings_dict(games, ratings, found)).encode())
    finally:  # where one fails, the other is still of use
        print_report(ratings_report(games.plan, ratings, found), console)
    if path is not None:
        console.print(f"Written to {path}.", highlight=False)
