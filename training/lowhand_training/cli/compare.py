"""`lowhand compare`."""

from lowhand_training.cli.arguments import (
    Agent,
    File,
    GameArguments,
    warn_of_other_players,
    write_and_show,
)


def run(
    a: str,
    b: str,
    *,
    among: Agent | None = None,
    chosen: GameArguments,
    players: int | None = None,
    h0: float = 0.0,
    h1: float = 0.02,
    alpha: float = 0.05,
    beta: float = 0.05,
    max_games: int = 400_000,
    json: File | None = None,
) -> None:
    """Compare two agents that are nearly alike, until it is clear whether A is better.

    A block is two games: A alone among copies of B, and B alone among copies of A, at the same
    seat; its value is the difference of the two win shares. (For two players that is both
    seatings. With --among both sit among copies of a third agent instead.) A generalised
    sequential probability ratio test decides between "the difference is at most --h0" and "at
    least --h1", and stops by itself when the log-likelihood ratio leaves ±2.944 (errors of 0.05
    either way).

    A pilot finds out whether blocks on one deal vary less than blocks on two; only then are deals
    shared. In Least Score the hands of a shared deal are the same, but not what is drawn later;
    `--options deal_mode=stable` gives each player a separate pile, which is not quite the game.
    Needs SciPy (extra lowhand[eval]).

    Examples:
      lowhand compare runs/second checkpoints/no_thanks --players 3
      lowhand compare blocker:2 blocker:3 --among connector --players 4
      lowhand compare greedy:6 greedy:7 --game least_score --h1 0.01 --json compared.json

    Args:
        a: the agent that may be better.
        b: the agent that it is compared with.
        among: the agent that fills the table, instead of A and B.
        chosen: what is played.
        players: players at a table; by default 3, or the least number that all are trained for.
        h0: difference at which A is not better.
        h1: difference at which A is better.
        alpha: probability of the error "better" at --h0.
        beta: probability of the error "not better" at --h1.
        max_games: games after which the comparison ends undecided; the pilot's are not counted.
        json: write everything to this file too.
    """
    from lowhand_training.common.progress import games_progress
    from lowhand_training.evaluation.compare import compare
    from lowhand_training.evaluation.gsprt import Gsprt

    agents = [name for name in (a, b, among) if name is not None]
    with games_progress("comparing, at most") as progress:
        found = compare(
            a,
            b,
            chosen.game_of(agents),
            players,
            among=among,
            test=Gsprt(h0, h1, alpha, beta),
            max_games=max_games,
            options=chosen.options_of(agents),
            progress=progress,
        )
    warn_of_other_players(agents, [found.options["num_players"]])
    write_and_show(json, found.to_dict(), found.sentences())
