"""No Thanks!: rules, observation, scripted players, text and picture of one game."""

from lowhand.engine.game import EvaluationSetting, Game
from lowhand.games.no_thanks import (
    hidden,  # noqa: F401  # registers `resample_hidden`
    observation,
    options,
    picture,
    positions,
    rules,
    text,
)
from lowhand.games.no_thanks.bots import distributions, policies

GAME = Game(
    name="no_thanks",
    version=0,
    state=rules.State,
    options=options.Options,
    min_players=options.MIN_PLAYERS,
    max_players=options.MAX_PLAYERS,
    num_actions=lambda options: rules.NUM_ACTIONS,
    observation=observation.observation,
    bots=policies.BOTS,
    bot_distributions=distributions.DISTRIBUTIONS,
    baselines=policies.BASELINES,
    describe_action=text.describe_action,
    render=text.render,
    set_position=positions.set_position,
    invalid_state_reason=positions.invalid_state_reason,
    observation_supports=lambda trained, options: (
        trained.low <= options.low <= options.high <= trained.high
    ),
    evaluation_settings=(EvaluationSetting("games", players=(3, 4, 5, 6, 7), rule_players=3),),
    picture=picture.picture,
)
"""No Thanks! as every API uses it."""
