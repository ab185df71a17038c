"""No Thanks!: rules, observation, scripted players, text and picture of one game."""

from lowhand.engine.game import EvaluationSetting, Game
from lowhand.games.no_thanks import observation, picture, rules, text
from lowhand.games.no_thanks import positions as consistency
from lowhand.games.no_thanks.bots import distributions as families
from lowhand.games.no_thanks.bots import policies as bots

GAME = Game(
    name="no_thanks",
    version=0,
    state=rules.State,
    options=rules.Options,
    min_players=rules.MIN_PLAYERS,
    max_players=rules.MAX_PLAYERS,
    num_actions=lambda options: rules.NUM_ACTIONS,
    observation=observation.observation,
    bots=bots.BOTS,
    bot_distributions=families.DISTRIBUTIONS,
    baselines=bots.BASELINES,
    describe_action=text.describe_action,
    render=text.render,
    set_position=text.set_position,
    invalid_state_reason=consistency.invalid_state_reason,
    observation_supports=lambda trained, options: (
        trained.low <= options.low <= options.high <= trained.high
    ),
    evaluation_settings=(EvaluationSetting("games", players=(3, 4, 5, 6, 7), rule_players=3),),
    picture=picture.picture,
)
"""What the shared parts need to know of No Thanks!."""
