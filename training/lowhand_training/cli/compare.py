"""`lowhand compare`."""

from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import add_game, chosen_game, chosen_options, tell_unfamiliar

DESCRIPTION = """Compare two agents that are nearly alike, until it is clear whether A is better.

A block is two games: A alone among copies of B, and B alone among copies of A, at the same seat;
its value is the difference of the two win shares. (For two players that is both seatings. With
--among both sit among copies of a third agent instead.) A generalised sequential probability
ratio test decides between "the difference is at most --h0" and "at least --h1", and stops by
itself when the log-likelihood ratio leaves ±2.944 (errors of 0.05 either way).

A pilot finds out whether blocks on one deal vary less than blocks on two; only then are deals
shared. In Least Score the hands of a shared deal are the same, but not what is drawn later;
`--options deal_mode=stable` gives each player a pile of its own, which is not quite the game.
Needs SciPy (extra lowhand[eval]).

Examples:

  lowhand compare runs/second checkpoints/no_thanks --players 3
  lowhand compare blocker:2 blocker:3 --among connector --players 4
  lowhand compare greedy:6 greedy:7 --game least_score --h1 0.01 --json compared.json"""

USAGE = "lowhand compare A B [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument("a", metavar="A", help="The agent that may be better.")
    parser.add_argument("b", metavar="B", help="The agent that it is compared with.")
    parser.add_argument("--among", metavar="NAME", help="Who fills the table, instead of A and B.")
    add_game(parser)
    parser.add_argument(
        "--players",
        type=int,
        metavar="N",
        help="Players at a table; by default 3, or the least number for which all are made.",
    )
    parser.add_argument("--h0", type=float, default=0.0, metavar="D", help="Not better.")
    parser.add_argument("--h1", type=float, default=0.02, metavar="D", help="Better.")
    parser.add_argument("--alpha", type=float, default=0.05, metavar="P", help="Error if not.")
    parser.add_argument("--beta", type=float, default=0.05, metavar="P", help="Error if better.")
    parser.add_argument(
        "--max-games", type=int, default=400_000, metavar="N", help="Then it is undecided."
    )
    parser.add_argument("--json", metavar="FILE", help="Write everything to this file too.")


def run(given: Namespace) -> None:
    """Compare, and say what was found."""
    from lowhand_training.common.files import as_json, check_writable, write_atomically
    from lowhand_training.common.progress import games_progress
    from lowhand_training.evaluation.compare import compare
    from lowhand_training.evaluation.gsprt import Gsprt

    path = None if given.json is None else Path(given.json)
    if path is not None:
        check_writable(path)
    agents = [name for name in (given.a, given.b, given.among) if name is not None]
    game = chosen_game(given, agents)
    with games_progress("comparing, at most") as progress:
        found = compare(
            given.a,
            given.b,
            game,
            given.players,
            among=given.among,
            test=Gsprt(given.h0, given.h1, given.alpha, given.beta),
            max_games=given.max_games,
            options=chosen_options(given, game, agents),
            progress=progress,
        )
    tell_unfamiliar(agents, [found.options["num_players"]])
    try:
        if path is not None:
            write_atomically(path, as_json(found.to_dict()).encode())
    finally:  # where one fails, the other is still of use
        print("\n".join(found.sentences()))
    if path is not None:
        print(f"Written to {path}.")
