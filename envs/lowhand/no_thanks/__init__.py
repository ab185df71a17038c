"""No Thanks!: rules, observation, scripted players, text and picture of one game."""

from lowhand.game import Contest, Game
from lowhand.no_thanks import bots, consistency, families, observation, picture, rules, text

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
    families=families.FAMILIES,
    baselines=bots.BASELINES,
    describe_action=text.describe_action,
    render=text.render,
    set_position=text.set_position,
    inconsistency=consistency.inconsistency,
    covers=lambda trained, options: trained.low <= options.low <= options.high <= trained.high,
    contests=(Contest("games", players=(3, 4, 5, 6, 7), rule_players=3),),
    picture=picture.picture,
)
"""What the shared parts need to know of No Thanks!."""
