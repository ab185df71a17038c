"""`lowhand tournament`, and the tournament that `lowhand report` plays too."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from lowhand_training.cli.arguments import Agent, Folder, GameArguments, warn_of_other_players


@dataclass(frozen=True)
class TournamentArguments:
    """What is played, and by which processes.

    Attributes:
        players: players at a table.
        shapes: field shapes; by default all three.
        games: games of each agent in each shape, rounded up to balance seats and opponents.
        processes: processes that play.
        ray: play on the Ray cluster of this address; `local` starts one of --processes workers.
    """

    players: int = 3
    shapes: Annotated[Sequence[str] | None, "SHAPE"] = None
    games: int = 20_000
    processes: int = 2
    ray: Annotated[str | None, "ADDRESS"] = None

    def play(self, agents: Sequence[str], chosen: GameArguments, out: Path) -> None:
        """Play what is still to be played of the tournament in the folder `out`."""
        from lowhand_training.common.progress import games_progress
        from lowhand_training.evaluation.tournament.driver import run_tournament
        from lowhand_training.evaluation.tournament.plan import SHAPES, make_plan

        game, options = chosen.game_of(agents), chosen.options_of(agents)
        plan = make_plan(agents, game, self.players, self.shapes or SHAPES, self.games, options)
        warn_of_other_players(plan.agents, [self.players])
        with games_progress("playing") as progress:
            before = run_tournament(
                plan, out, processes=self.processes, ray=self.ray, progress=progress
            )
        known = f", {before:,} of them there already" if before else ""
        print(f"{plan.total:,} games of {len(plan.agents)} agents are in {out}{known}.")


def run(
    agents: Sequence[Agent] = (),
    *,
    out: Folder,
    chosen: GameArguments,
    tournament: TournamentArguments,
) -> None:
    """Play a tournament: every agent in every field shape, into a table of games.

    Each agent is in turn the focus of --games games of each shape, at a table of n players:

      one_v_rest   it sits alone among n - 1 copies of one other agent, all others in turn
      rest_v_one   n - 1 copies of it and one other agent, all others in turn
      mixed        it sits among n - 1 different others, drawn again for each game

    The first two mirror each other: what one_v_rest is for a, rest_v_one is for its opponent.
    Seats are balanced; seeds are hashes of the agents, so that they can't be chosen. By default
    all baselines of the game and all its published agents play.

    The folder of --out gets tournament.json and games/*.parquet, one row for each game and seat.
    The work may be killed at any moment: the same command goes on with what is missing, and ends
    with the same files, on processes of this machine and on a Ray cluster alike. Needs pyarrow
    (extra lowhand[eval]) and, with --ray, ray (extra lowhand[ray]).

    Examples:
      lowhand tournament --players 4 --out runs/cup
      lowhand tournament greedy sally connector --shapes one_v_rest --games 5000 --out runs/three
      lowhand tournament --game least_score --players 2 --out runs/least_score --ray local
      lowhand tournament --out runs/cup --ray head:6379
      lowhand rate runs/cup

    Args:
        agents: agents that play; by default all.
        out: where the games are written.
        chosen: what is played.
        tournament: how much of it, and where.
    """
    tournament.play(agents, chosen, out)
