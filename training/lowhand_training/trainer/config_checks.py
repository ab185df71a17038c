"""All checks of a training config. Each refusal is one sentence that names the key."""

import math
from typing import Any

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import check_fit
from lowhand.engine.game import Game
from lowhand.engine.rewards import reward_weights
from lowhand.engine.validation import check_seed, make_options
from lowhand.games import get_game
from lowhand_training.trainer.config import LeagueConfig, NetworkConfig, PPOConfig, TrainConfig
from lowhand_training.trainer.field_types import check_fields
from lowhand_training.trainer.warm_start import initial_weights


def check(config: TrainConfig) -> Game:
    """Check that the values of a config are allowed and fit together.

    Returns:
        The config's game.

    Raises:
        ValueError: a value can't be used; the message says which and what would be right.
    """
    check_fields(config)
    check_seed(config.seed)
    game = get_game(config.game.name)
    _check_game(config, game)
    _check_ppo(config.ppo, len(config.game.players))
    _check_reward(config)
    _check_network(config.network, game)
    _check_league(config.league, game)
    _check_opponents(config, game)
    if config.init is not None and not config.resume:
        seats = config.game.seats or max(config.game.players)
        spec = game.observation(config.options(), config.game.perfect_recall, seats)
        initial_weights(config.init, game, spec, config.network.hidden)
    if config.evaluation.opponents:
        _check_evaluation(config, game)
    if config.algorithm == "maskable_ppo":
        _check_maskable(config)
    return game


def _check_game(config: TrainConfig, game: Game) -> None:
    players, options, seats = config.game.players, config.game.options, config.game.seats
    if not players:
        raise ValueError("game.players must name at least one number of players.")
    if "num_players" in options:
        raise ValueError("give numbers of players as game.players, not in game.options.")
    for number in players:
        _check_options(game, number, options)
    if seats is not None and not max(players) <= seats <= game.max_players:
        raise ValueError(
            f"game.seats must be null or from {max(players)}, the most players, to"
            f" {game.max_players}, not {seats}."
        )


def _check_options(game: Game, players: int, options: dict[str, Any]) -> None:
    try:
        make_options(game, num_players=players, **options)
    except ValueError as error:
        raise ValueError(f"the game can't be set up: {error}") from error


def _check_ppo(ppo: PPOConfig, numbers: int) -> None:
    if ppo.num_envs < numbers:
        raise ValueError(
            f"ppo.num_envs must be at least {numbers}, so that every number in game.players is"
            f" played, not {ppo.num_envs}."
        )
    if ppo.minibatch_size > ppo.batch_size:
        raise ValueError(
            f"ppo.minibatch_size must be at most ppo.num_envs × ppo.num_steps = {ppo.batch_size},"
            f" not {ppo.minibatch_size}."
        )


def _check_reward(config: TrainConfig) -> None:
    for key, weights in (("start", config.reward.start), ("end", config.reward.end)):
        try:
            reward_weights(weights)
        except ValueError as error:
            raise ValueError(f"reward.{key}: {error}") from error


def _check_network(network: NetworkConfig, game: Game) -> None:
    if not network.hidden:
        raise ValueError("network.hidden must name at least one layer's width.")
    if network.critic and game.critic_observation is None:
        raise ValueError(
            f"network.critic must be empty: in {game.name} nothing is hidden that a critic of its"
            " own could see."
        )


def _check_league(league: LeagueConfig, game: Game) -> None:
    shares = (league.self_play, league.scripted, league.snapshots, league.fixed)
    if not (min(shares) >= 0 and abs(sum(shares) - 1.0) <= 1e-6):
        raise ValueError(
            "league.self_play, league.scripted, league.snapshots and league.fixed must be shares"
            f" ≥ 0 that add up to 1, not {', '.join(map(str, shares))}."
        )
    given = league.bot_distributions
    weights = given.values()
    fine = all(weight >= 0 and math.isfinite(weight) for weight in weights)
    if set(given) - set(game.bot_distributions) or not fine or (weights and not any(weights)):
        raise ValueError(
            f"league.bot_distributions must give weights ≥ 0, not all 0, to distributions among"
            f" {', '.join(game.bot_distributions)}; not {given}."
        )


def _check_opponents(config: TrainConfig, game: Game) -> None:
    league = config.league
    if bool(league.opponents) != (league.fixed > 0):
        raise ValueError(
            "league.fixed is the share of games against league.opponents: give both or neither,"
            f" not {league.fixed} and {league.opponents}."
        )
    check_fit([make_agent(name, game) for name in league.opponents], config.options())
    _refuse_repeated("league.opponents", league.opponents)


def _refuse_repeated(key: str, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{key} names {name!r} twice.")


def _check_evaluation(config: TrainConfig, game: Game) -> None:
    players, opponents = config.evaluation.players, config.evaluation.opponents
    _check_options(game, players, config.game.options)
    seats = config.game.seats or max(config.game.players)
    if players > seats:
        raise ValueError(
            f"evaluation.players must be at most {seats}, the seats of the agent's observation,"
            f" not {players}."
        )
    for opponent in opponents:
        make_agent(opponent, game)
    _refuse_repeated("evaluation.opponents", opponents)


def _check_maskable(config: TrainConfig) -> None:
    ppo, network = config.ppo, config.network
    if config.init is not None:
        raise ValueError("under maskable_ppo init must be null: only ppo starts from a checkpoint.")
    if network.critic or network.precision == "bfloat16":
        raise ValueError(
            "under maskable_ppo network.critic must be empty and network.precision auto or"
            " float32: sb3-contrib has neither such a critic nor bfloat16 layers."
        )
    if ppo.minibatch_size == 1 or ppo.batch_size % ppo.minibatch_size == 1:
        raise ValueError(
            "ppo.minibatch_size must divide ppo.num_envs × ppo.num_steps so that no minibatch is"
            f" of a single decision, which sb3-contrib can't normalise; {ppo.minibatch_size}"
            " doesn't."
        )
