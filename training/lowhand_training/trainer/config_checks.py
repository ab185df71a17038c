"""Checks of a config's league, and of the agents that it and `init` name."""

import math
from typing import TYPE_CHECKING

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import check_fit
from lowhand.engine.game import Game
from lowhand_training.trainer.warm_start import initial_weights

if TYPE_CHECKING:
    from lowhand_training.trainer.config import LeagueConfig, TrainConfig


def check_league(league: "LeagueConfig", game: Game) -> None:
    """Refuse shares and families that make no league.

    Raises:
        ValueError: that is so; the message says why.
    """
    shares = (league.self_play, league.scripted, league.snapshots, league.fixed)
    if not (min(shares) >= 0 and abs(sum(shares) - 1.0) <= 1e-6):
        raise ValueError(
            "league.self_play, league.scripted, league.snapshots and league.fixed must be shares"
            f" ≥ 0 that add up to 1, not {', '.join(map(str, shares))}."
        )
    weights = league.families.values()
    fine = all(weight >= 0 and math.isfinite(weight) for weight in weights)
    if (
        set(league.families) - set(game.bot_distributions)
        or not fine
        or (weights and not any(weights))
    ):
        raise ValueError(
            f"league.families must give weights ≥ 0, not all 0, to families among"
            f" {', '.join(game.bot_distributions)}; not {league.families}."
        )


def check_opponents(config: "TrainConfig", game: Game) -> None:
    """Refuse opponents that are named twice or can't play here.

    Raises:
        ValueError: that is so; the message says why.
    """
    league = config.league
    if bool(league.opponents) != (league.fixed > 0):
        raise ValueError(
            "league.fixed is the share of games against league.opponents: give both or neither,"
            f" not {league.fixed} and {league.opponents}."
        )
    check_fit([make_agent(name, game) for name in league.opponents], config.options())
    for name in league.opponents:
        if league.opponents.count(name) > 1:
            raise ValueError(f"league.opponents names {name!r} twice.")


def check_init(config: "TrainConfig", game: Game) -> None:
    """Refuse a checkpoint whose weights this config's learner can't take.

    Raises:
        ValueError: that is so; the message says why.
    """
    seats = config.game.seats or max(config.game.players)
    spec = game.observation(config.options(), config.game.perfect_recall, seats)
    initial_weights(str(config.init), game, spec, config.network.hidden)
