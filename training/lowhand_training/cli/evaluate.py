"""`lowhand evaluate`."""

from pathlib import Path

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import add_game, chosen_game, chosen_options, tell_unfamiliar
from lowhand_training.common.tables import print_report

DESCRIPTION = """Play agents against fields of opponents, and report with 95 % intervals.

Two fields for each pair, at a table of n players: the agent alone against n - 1 copies of the
opponent, and the opponent alone against n - 1 copies of the agent. Shown are the win share of
the lone player (ties share a win; 1/n is fair) and the mean scores (low is good). The lone
player sits at every seat equally often.

One AGENT meets all baselines of the game; several meet each other; with --against each meets the
opponents named there.

Examples:

  lowhand evaluate checkpoints/no_thanks
  lowhand evaluate checkpoints/no_thanks --players 3 4 5 6 7 --json results.json
  lowhand evaluate greedy connector sally
  lowhand evaluate checkpoints/least_score --players 2 --options points_limit=null
  lowhand evaluate mypackage.mymodule:MyAgent --against greedy checkpoints/no_thanks"""

USAGE = "lowhand evaluate AGENT… [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="Whom to evaluate.")
    parser.add_argument("--against", nargs="+", metavar="AGENT", help="Opponents.")
    add_game(parser)
    parser.add_argument(
        "--players",
        nargs="+",
        type=int,
        metavar="N",
        help="Players, one or several; by default 3, or the least number that all agents know.",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=20_000,
        metavar="N",
        help="Games of each field, rounded up to a multiple of the players.",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="Seed of all fields. By default a hash of who plays, so that nobody can choose it.",
    )
    parser.add_argument("--json", metavar="FILE", help="Write everything to this file too.")


def run(given: Namespace) -> None:
    """Evaluate, print the tables, and write the JSON file if one was asked for."""
    from lowhand.agents.names import make_agent
    from lowhand.games import get_game
    from lowhand_training.common.console import make_console
    from lowhand_training.common.files import check_writable, write_atomically
    from lowhand_training.common.progress import games_progress
    from lowhand_training.evaluation.evaluation import evaluate, usual_players
    from lowhand_training.evaluation.results import evaluation_report

    path = None if given.json is None else Path(given.json)
    if path is not None:
        check_writable(path)
    named = [*given.agents, *(given.against or [])]
    game = chosen_game(given, named)
    options = chosen_options(given, game, named)
    players = given.players
    if players is None:
        made = [make_agent(name, game) for name in named]
        players = [usual_players(get_game(game), named, made, options)]
    with games_progress() as progress:
        evaluation = evaluate(
            given.agents,
            given.against,
            game,
            players,
            given.games,
            seed=given.seed,
            options=options,
            progress=progress,
        )
    tell_unfamiliar(named, players)
    console = make_console()
    try:
        if path is not None:
            write_atomically(path, evaluation.to_json().encode())
    finally:  # where one fails, the other is still of use
        print_report(evaluation_report(evaluation), console)
    if path is not None:
        console.print(f"Written to {path}.", highlight=False)
