"""Least Score: rules, observation, scripted players, text and picture of one game."""

from lowhand.engine.game import EvaluationSetting, Game
from lowhand.games.least_score import (
    actions as sets,
)
from lowhand.games.least_score import (
    consistency,
    observation,
    options,
    picture,
    statistics,
    text,
)
from lowhand.games.least_score import (
    deck as state,
)
from lowhand.games.least_score.bots import distributions as families
from lowhand.games.least_score.bots import policies as bots

GAME = Game(
    name="least_score",
    version=0,
    state=state.State,
    options=options.Options,
    min_players=options.MIN_PLAYERS,
    max_players=options.MAX_PLAYERS,
    num_actions=lambda options: sets.num_actions(options.hand_size),
    observation=observation.observation,
    critic_observation=observation.critic_observation,
    bots=bots.BOTS,
    bot_distributions=families.DISTRIBUTIONS,
    baselines=bots.BASELINES,
    describe_action=text.describe_action,
    render=text.render,
    set_position=text.set_position,
    invalid_state_reason=consistency.invalid_state_reason,
    observation_supports=observation.observation_supports,
    evaluation_settings=(
        EvaluationSetting(
            "matches to 100",
            players=(2, 3, 4, 5, 6),
            rule_players=4,
            games=4000,
            options={"points_limit": 100, "single_deals": 0.0},
        ),
        EvaluationSetting(
            "single deals",
            players=(2, 4),
            rule_players=2,
            options={"points_limit": None, "single_deals": 0.0},
        ),
    ),
    statistics=statistics.STATISTICS,
    training_options=("single_deals",),
    notation=text.NOTATION,
    picture=picture.picture,
)
"""What the shared parts need to know of Least Score."""
