"""The contract test of a game: `check_game` plays it at random and says what is wrong with it.

    from lowhand.testing import check_game

    def test_my_game_fulfils_the_contract():
        check_game(GAME)

It finds errors against the contract of `lowhand.engine.game`. Whether the game has the right rules
is for tests of your own.
"""

from typing import Any

from lowhand.engine.game import Game
from lowhand.engine.game_checks import check_declaration
from lowhand.engine.validation import make_options
from lowhand.testing.environments import check_batch_and_table, check_environments
from lowhand.testing.knowledge import check_positions_from_outside
from lowhand.testing.play import check_deal_over_an_old_game, check_deals, check_games
from lowhand.testing.trial import Trial

__all__ = ["check_game"]


def check_game(
    game: Game, *, games: int = 8, seed: int = 0, hidden: bool = True, **options: Any
) -> None:
    """Play `game` at random, for the fewest, the most and a middle number of players.

    Args:
        game: what is tested. It need not be registered; if it is, copies by pickle are tested too.
        games: number of games, for each number of players.
        seed: fixes deals and moves.
        hidden: whether a key must change the deal, and a sample the hidden state; False for a game
            of perfect information.
        **options: the game's own, in place of their defaults; `num_players` is tested alone.

    Raises:
        AssertionError: what is wrong, in a sentence that names the function at fault.
    """
    try:
        check_declaration(game)
    except ValueError as error:
        raise AssertionError(str(error)) from error
    low, high = game.min_players, game.max_players
    numbers = (
        {options["num_players"]} if "num_players" in options else {low, (low + high) // 2, high}
    )
    for players in sorted(numbers):
        made = make_options(game, **(options | {"num_players": players}))
        trial = Trial(game, made, games, seed, hidden)
        check_deals(trial)
        ends = check_games(trial)
        check_deal_over_an_old_game(trial, ends)
        check_positions_from_outside(trial)
        check_batch_and_table(trial, seed)
        check_environments(trial)
