"""`lowhand evaluate`."""

from collections.abc import Sequence

from lowhand_training.cli.arguments import (
    Agent,
    File,
    GameArguments,
    warn_of_other_players,
    write_and_show,
)


def run(
    agents: Sequence[Agent],
    *,
    against: Sequence[Agent] | None = None,
    chosen: GameArguments,
    players: Sequence[int] | None = None,
    games: int = 20_000,
    seed: int | None = None,
    json: File | None = None,
) -> None:
    """Play agents against fields of opponents, and report with 95 % intervals.

    Two fields for each pair, at a table of n players: the agent alone against n - 1 copies of the
    opponent, and the opponent alone against n - 1 copies of the agent. Shown are the win share of
    the lone player (ties share a win; 1/n is fair) and the mean scores (low is good). The lone
    player sits at every seat equally often.

    One AGENT meets all baselines of the game; several meet each other; with --against each meets
    the opponents named there.

    Examples:
      lowhand evaluate checkpoints/no_thanks
      lowhand evaluate checkpoints/no_thanks --players 3 4 5 6 7 --json results.json
      lowhand evaluate greedy connector sally
      lowhand evaluate checkpoints/least_score --players 2 --options points_limit=null
      lowhand evaluate mypackage.mymodule:MyAgent --against greedy checkpoints/no_thanks

    Args:
        agents: agents to evaluate.
        against: opponents.
        chosen: what is played.
        players: numbers of players; by default 3, or the least number that all agents know.
        games: games of each field, rounded up to a multiple of the players.
        seed: seed of all fields; by default a hash of the agents and the opponents, so that it
            can't be chosen.
        json: write everything to this file too.
    """
    from lowhand_training.common.progress import games_progress
    from lowhand_training.evaluation.evaluation import evaluate
    from lowhand_training.evaluation.results import evaluation_report

    named = [*agents, *(against or [])]
    game, options = chosen.game_of(named), chosen.options_of(named)
    with games_progress() as progress:
        found = evaluate(
            agents, against, game, players, games, seed=seed, options=options, progress=progress
        )
    warn_of_other_players(named, list(found.options))
    write_and_show(json, found.to_dict(), evaluation_report(found))
