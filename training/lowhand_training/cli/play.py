"""`lowhand play`."""

from collections.abc import Sequence
from typing import Annotated

from lowhand_training.cli.arguments import GameArguments


def run(
    opponents: Annotated[Sequence[str], "OPPONENT"] = (),
    *,
    chosen: GameArguments,
    players: int | None = None,
    seat: str = "random",
    seed: int | None = None,
) -> None:
    """Play a game in the terminal against agents.

    Before each of your moves you see what the others did and the table as you may see it. Answer
    with the number of an action or the beginning of its words (in No Thanks! p or t, pass or
    take); in Least Score with the cards to discard and, perhaps, one to take: 7s 8d take qh.
    ? helps, q leaves. The seed that is printed deals the same game again.

    Examples:
      lowhand play
      lowhand play greedy connector sally
      lowhand play checkpoints/no_thanks --players 5 --seat 0
      lowhand play --game least_score --options points_limit=50

    Args:
        opponents: one, which sits at all other seats, or one for each, in order of play after
            you; by default the game's published agent, or else its last baseline.
        chosen: what is played.
        players: players, you included; by default 3, or as many as the opponents make.
        seat: your seat, from 0, or random.
        seed: deals the same game again.
    """
    from lowhand.games import get_game
    from lowhand_training.cli.game_terminal import play, set_table

    if seat != "random" and not seat.isdecimal():
        raise ValueError(f"--seat must be a seat's number or random, not {seat!r}.")
    game, options = get_game(chosen.game_of(opponents)), chosen.options_of(opponents)
    place = None if seat == "random" else int(seat)
    play(set_table(game, opponents, players, place, seed, options))
