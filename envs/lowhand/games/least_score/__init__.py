"""Least Score: rules, observation, scripted players, text and picture of one game."""

from lowhand.engine.game import EvaluationSetting, Game, Statistic
from lowhand.games.least_score import actions, deck, observation, options, picture, positions, text
from lowhand.games.least_score.bots import distributions, policies

STATISTICS = {
    "points_per_deal": Statistic(
        "points in a deal that the player took part in",
        total=lambda states: states["points"],
        count=lambda states: states["deals_played"],
    ),
    "declarations_per_deal": Statistic(
        "share of its deals that the player ended by declaring",
        total=lambda states: states["declared"],
        count=lambda states: states["deals_played"],
    ),
    "wrong_declarations": Statistic(
        "share of its declarations that were wrong (LS-11)",
        total=lambda states: states["wrong"],
        count=lambda states: states["declared"],
    ),
    "total_at_declaration": Statistic(
        "points in its hand when it declared",
        total=lambda states: states["declared_total"],
        count=lambda states: states["declared"],
    ),
}
"""What an evaluation reports in addition to wins and points."""

GAME = Game(
    name="least_score",
    version=0,
    state=deck.State,
    options=options.Options,
    min_players=options.MIN_PLAYERS,
    max_players=options.MAX_PLAYERS,
    num_actions=lambda options: actions.num_actions(options.hand_size),
    observation=observation.observation,
    critic_observation=observation.critic_observation,
    bots=policies.BOTS,
    bot_distributions=distributions.DISTRIBUTIONS,
    baselines=policies.BASELINES,
    describe_action=text.describe_action,
    render=text.render,
    set_position=positions.set_position,
    invalid_state_reason=positions.invalid_state_reason,
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
    statistics=STATISTICS,
    training_options=("single_deals",),
    notation=text.NOTATION,
    picture=picture.picture,
)
"""Least Score as every API uses it."""
