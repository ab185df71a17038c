"""`lowhand rate`."""

from collections.abc import Sequence
from typing import Annotated

from lowhand_training.cli.arguments import Agent, File, Folder, write_and_show


def run(
    folder: Folder,
    *,
    anchor: Agent | None = None,
    shapes: Annotated[Sequence[str] | None, "SHAPE"] = None,
    json: File | None = None,
) -> None:
    """Rate the agents of a tournament, with 95 % intervals.

    Two opinions on the same games. The rating is Plackett-Luce by maximum likelihood, on an
    Elo-like scale: 400 points are odds of ten to one to rank above, and the anchor has 1000. The
    maximal lottery is what holds where there is no line of strength, as when a beats b, b beats c
    and c beats a: a mixture of agents that none beats on average.

    By default the mixed games count, in which every game ranks different agents. --shapes counts
    others; copies of an agent at a table are then entrants of its strength. Ties are broken at
    random, each order equally likely. A folder is one game, one number of players and one set of
    rules, and so is a rating. Needs pyarrow and SciPy (extra lowhand[eval]).

    Examples:
      lowhand rate runs/cup
      lowhand rate runs/cup --anchor connector --json ratings.json
      lowhand rate runs/cup --shapes one_v_rest rest_v_one

    Args:
        folder: folder of a finished tournament.
        anchor: the agent with 1000 points; by default the first baseline that takes part.
        shapes: field shapes whose games count.
        json: write everything to this file too.
    """
    from lowhand_training.evaluation.ratings import rate, ratings_dict, ratings_report, roles
    from lowhand_training.evaluation.tournament.table import load_games

    games = load_games(folder)
    ratings, found = rate(games, anchor=anchor, shapes=shapes), roles(games)
    report = ratings_report(games.plan, ratings, found)
    write_and_show(json, ratings_dict(games, ratings, found), report)
