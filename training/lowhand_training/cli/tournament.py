"""`lowhand tournament`."""

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import add_game, chosen_game, chosen_options, tell_unfamiliar

DESCRIPTION = """Play a tournament: every agent in every field shape, into a table of games.

Each agent is in turn the focus of --games games of each shape, at a table of n players:

  one_v_rest   it sits alone among n - 1 copies of one other agent, all others in turn
  rest_v_one   n - 1 copies of it and one other agent, all others in turn
  mixed        it sits among n - 1 different others, drawn anew for each game

The first two mirror each other: what one_v_rest is for a, rest_v_one is for its opponent. Seats
are balanced; seeds are hashes of who plays, so that nobody can choose them. By default all
baselines of the game and all its published agents play.

The folder of --out gets tournament.json and games/*.parquet, one row for each game and seat. The
work may be killed at any moment: the same command goes on with what is missing, and ends with
the same files. So it does whoever plays: processes of this machine, or a Ray cluster. Needs
pyarrow (extra lowhand[eval]) and, with --ray, ray (extra lowhand[ray]).

Examples:

  lowhand tournament --players 4 --out runs/cup
  lowhand tournament greedy sally connector --shapes one_v_rest --games 5000 --out runs/three
  lowhand tournament --game least_score --players 2 --out runs/least_score --ray local
  lowhand tournament --out runs/cup --ray head:6379
  lowhand rate runs/cup"""

USAGE = "lowhand tournament [AGENT…] --out FOLDER [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument(
        "agents", nargs="*", default=[], metavar="AGENT", help="Who plays. By default all."
    )
    parser.add_argument("--out", metavar="FOLDER", help="Folder of the tournament.")
    add_game(parser)
    parser.add_argument("--players", type=int, default=3, metavar="N", help="Players at a table.")
    parser.add_argument(
        "--shapes", nargs="+", metavar="SHAPE", help="Field shapes. By default all three."
    )
    parser.add_argument(
        "--games",
        type=int,
        default=20_000,
        metavar="N",
        help="Games of each agent in each shape, rounded up to balance seats and opponents.",
    )
    parser.add_argument(
        "--processes", type=int, default=2, metavar="N", help="Processes that play."
    )
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="Play on the Ray cluster of this address; `local` starts one of --processes workers.",
    )


def run(given: Namespace) -> None:
    """Play what is still to be played."""
    from lowhand_training.common.progress import games_progress
    from lowhand_training.evaluation.tournament.driver import run_tournament
    from lowhand_training.evaluation.tournament.plan import SHAPES, entrants, make_plan

    if given.out is None:
        raise ValueError("give --out FOLDER, where the games are written.")
    game = chosen_game(given, given.agents)
    options = chosen_options(given, game, given.agents)
    agents = given.agents or entrants(game, given.players, options)
    plan = make_plan(agents, game, given.players, given.shapes or SHAPES, given.games, options)
    tell_unfamiliar(agents, [given.players])
    with games_progress("playing") as progress:
        before = run_tournament(
            plan, given.out, processes=given.processes, ray=given.ray, progress=progress
        )
    known = f", {before:,} of them there already" if before else ""
    print(f"{plan.total:,} games of {len(plan.agents)} agents are in {given.out}{known}.")
