"""`lowhand play`."""

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.cli.arguments import add_game, chosen_game, chosen_options

DESCRIPTION = """Play a game in the terminal against agents.

Before each of your moves you see what the others did and the table as you may see it. Answer
with the number of an action or the beginning of its words (in No Thanks! p or t, pass or take);
in Least Score with the cards to discard and, perhaps, one to take: 7s 8d take qh. ? helps, q
leaves. The seed that is printed deals the same game again.

Examples:

  lowhand play
  lowhand play greedy connector sally
  lowhand play checkpoints/no_thanks --players 5 --seat 0
  lowhand play --game least_score --options points_limit=50"""

USAGE = "lowhand play [OPPONENT…] [options]"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument(
        "opponents",
        nargs="*",
        default=[],
        metavar="OPPONENT",
        help="One, who sits at all other seats, or one for each, in order of play after you. By"
        " default the game's published agent, or else its last baseline.",
    )
    add_game(parser)
    parser.add_argument(
        "--players",
        type=int,
        metavar="N",
        help="Players, you included; by default 3, or as many as the opponents make.",
    )
    parser.add_argument(
        "--seat", default="random", metavar="SEAT", help="Your seat, from 0, or random."
    )
    parser.add_argument("--seed", type=int, metavar="N", help="Deals the same game again.")


def run(given: Namespace) -> None:
    """Play one game."""
    from lowhand_training.cli.game_terminal import play

    if given.seat != "random" and not given.seat.isdecimal():
        raise ValueError(f"--seat must be a seat's number or random, not {given.seat!r}.")
    seat = None if given.seat == "random" else int(given.seat)
    game = chosen_game(given, given.opponents)
    options = chosen_options(given, game, given.opponents)
    play(given.opponents, game, given.players, seat, given.seed, options=options)
