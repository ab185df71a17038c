"""The rules NT-1 to NT-10 in the compiled engine, one by one, and common errors of other programs.

Cards are chosen by setting the position, never by hunting for a seed. NT-11, what is open and
what is secret, is tested in `test_observation.py` and `test_leaks.py`.
"""

import itertools

import numpy as np
import pytest

from lowhand import game_key, make_batch
from lowhand.engine.kernels_rows import deal_rows, pay_rows
from lowhand.engine.rewards import reward_weights
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import State, card_points, score_change
from tests.games.no_thanks.play import PASS, TAKE, Play, taking
from tests.referee.no_thanks_examples import SCORE_CHANGES, SCORES

U = np.uint64


def word(cards: set[int]) -> np.uint64:
    """A set of cards as the engine holds it."""
    return U(sum(1 << card for card in cards))


# --- NT-1, set-up --------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", range(2, 8))
def test_nt1_exactly_24_of_33_cards_are_played(num_players: int) -> None:
    """NT-1: 24 of the 33 cards are played, nine are removed."""
    play = Play(num_players).take_all()
    taken = set().union(*play.cards)
    assert play.moves == 24
    assert len(taken) == 24
    assert taken == set(play.deck[:24])
    assert sorted(play.deck) == list(range(3, 36))


def test_nt1_cards_come_in_the_order_of_the_deck() -> None:
    """NT-1: cards are turned in the order of the deck."""
    play = Play(position={"deck": [30, 7, 21]})
    seen = []
    for _ in range(3):
        seen.append(play.offered)
        play.step(TAKE)
    assert seen == [30, 7, 21]


@pytest.mark.parametrize(
    ("low", "high", "removed"), [(3, 8, 1), (1, 35, 0), (35, 35, 0), (1, 2, 1)]
)
def test_nt1_reduced_games_play_their_cards(low: int, high: int, removed: int) -> None:
    """NT-1: options choose other cards and another number of removed ones."""
    play = Play(2, low=low, high=high, removed=removed).take_all()
    assert play.moves == high - low + 1 - removed == sum(map(len, play.cards))
    assert sorted(play.deck) == list(range(low, high + 1))


# --- NT-2 and NT-3, chips and players ------------------------------------------------------------


@pytest.mark.parametrize(
    ("num_players", "chips"), [(2, 11), (3, 11), (4, 11), (5, 11), (6, 9), (7, 7)]
)
def test_nt2_nt3_chips_by_number_of_players(num_players: int, chips: int) -> None:
    """NT-2, NT-3: everybody starts with the chips that the number of players gives."""
    assert Play(num_players).chips == [chips] * num_players


@pytest.mark.parametrize("chips", [0, 1, 255])
def test_nt2_chips_option(chips: int) -> None:
    """NT-2: the option `chips` sets everybody's chips."""
    assert Play(4, chips=chips).chips == [chips] * 4


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 7, not 1"),
        ({"num_players": 8}, "num_players must be from 2 to 7, not 8"),
        ({"num_players": 3.0}, "num_players must be an integer from 2 to 7, not 3.0"),
        ({"num_players": True}, "num_players must be an integer"),
        ({"chips": -1}, "chips must be from 0 to 255, not -1"),
        ({"chips": 256}, "chips must be from 0 to 255, not 256"),
        ({"low": 0}, "low must be from 1 to 35, not 0"),
        ({"high": 36}, "high must be from 3 to 35, not 36"),
        ({"low": 9, "high": 8}, "high must be from 9 to 35, not 8"),
        ({"removed": 33}, "removed must be from 0 to 32, not 33"),
        ({"removed": -1}, "removed must be from 0 to 32, not -1"),
        ({"first_player": 4}, "first_player must be from 0 to 3, not 4"),
        ({"first_player": "me"}, "first_player must be an integer from 0 to 3, not 'me'"),
    ],
)
def test_options_outside_their_bounds_are_refused(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Options(**options)


# --- NT-4, start ---------------------------------------------------------------------------------


def test_nt4_the_top_card_lies_face_up() -> None:
    """NT-4: the top card of the deck is on offer at the start, without chips on it."""
    play = Play(seed=5)
    assert play.offered == play.deck[0]
    assert (play.turned, play.pot, play.moves, play.over) == (1, 0, 0, 0)
    assert play.cards == [set(), set(), set()]


@pytest.mark.parametrize("seat", range(4))
def test_nt4_first_player_option(seat: int) -> None:
    """NT-4: the option `first_player` fixes who begins."""
    assert Play(4, first_player=seat).mover == seat


def test_nt4_a_random_first_player_may_be_anybody() -> None:
    """NT-4: by default a random player begins."""
    assert {Play(7, seed=seed).mover for seed in range(100)} == set(range(7))


# --- NT-5 to NT-8, play --------------------------------------------------------------------------


def test_nt5_a_pass_puts_one_chip_on_the_card_and_the_turn_moves_on() -> None:
    """NT-5: a pass puts one chip on the card, and the next player is to move."""
    play = Play(3, first_player=1)
    card = play.offered
    play.step(PASS)
    assert (play.chips, play.pot, play.mover, play.offered) == ([11, 10, 11], 1, 2, card)
    play.step(PASS)
    assert (play.chips, play.pot, play.mover, play.offered) == ([11, 10, 10], 2, 0, card)
    play.step(PASS)
    assert (play.chips, play.pot, play.mover, play.offered) == ([10, 10, 10], 3, 1, card)


def test_nt5_a_taker_gets_the_card_and_every_chip_on_it() -> None:
    """NT-5: a taker gets the card and all chips on it."""
    play = Play(3, first_player=0, position={"deck": [20, 8]}).step(PASS, PASS, PASS, PASS, TAKE)
    assert play.cards == [set(), {20}, set()]
    assert play.points == [0, 20, 0]
    assert play.chips == [9, 14, 10]
    assert play.pot == 0


def test_nt6_the_taker_decides_first_on_the_next_card() -> None:
    """NT-6: a taker decides first on the next card.

    A common error: the turn moves on after a take.
    """
    play = Play(3, first_player=2, position={"deck": [20, 8, 9]}).step(TAKE)
    assert (play.mover, play.offered, play.turned) == (2, 8, 2)
    play.step(PASS, TAKE)
    assert (play.mover, play.offered, play.turned) == (0, 9, 3)


def test_nt7_a_player_without_chips_must_take() -> None:
    """NT-7: a player without chips must take.

    A common error: a pass without chips is silently turned into a take.
    """
    play = Play(2, chips=1, first_player=0).step(PASS, PASS)
    before = play.states.copy()
    assert play.mask() == [0, 1]
    assert not play.try_step(PASS)
    assert play.states == before
    play.step(TAKE)
    assert play.chips == [2, 0]


def test_nt7_the_chips_just_taken_may_be_spent() -> None:
    """NT-7: chips that were just taken allow the next pass."""
    play = Play(2, chips=1, first_player=0).step(PASS, PASS, TAKE)
    assert (play.mover, play.mask()) == (0, [1, 1])


@pytest.mark.parametrize("action", [-1, 2, 127, -128])
def test_nt5_other_actions_are_illegal(action: int) -> None:
    """NT-5: take and pass are the only actions."""
    play = Play()
    before = play.states.copy()
    assert not play.try_step(action)
    assert play.states == before


def test_nt8_the_last_card_has_a_full_auction() -> None:
    """NT-8: the last card is auctioned like any other.

    A common error: the last card is offered only once.
    """
    play = Play(3, low=3, high=4, removed=0, first_player=0, chips=2, position={"deck": [3, 4]})
    play.step(TAKE)
    for decision in range(6):
        assert (play.offered, play.pot, play.mover, play.over) == (4, decision, decision % 3, 0)
        play.step(PASS)
    assert (play.over, play.mask()) == (0, [0, 1])
    play.step(TAKE)
    assert play.over == 1
    assert (play.offered, play.cards, play.chips) == (0, [{3, 4}, set(), set()], [6, 0, 0])


def test_nt8_no_pot_is_left_on_the_table_at_the_end() -> None:
    """NT-8: the game ends when the last card is taken, with the chips on it.

    A common error: chips stay on the table, so that the last step loses them.
    """
    play = Play(3, low=3, high=3, removed=0, first_player=0).step(PASS, PASS, TAKE)
    assert (play.over, play.pot, play.chips) == (1, 0, [10, 10, 13])
    assert play.scores() == [-10, -10, 3 - 13]


@pytest.mark.parametrize("num_players", [2, 3])
def test_nt8_a_long_game_is_not_cut(num_players: int) -> None:
    """NT-8: only the last take ends a game, however long it is.

    Everybody passes whenever it is legal: longer than the 214 decisions seen in skilled games.
    """
    play = Play(num_players)
    total = sum(play.chips)
    while not play.over:
        play.step(PASS if play.mask()[PASS] else TAKE)
        assert sum(play.chips) + play.pot == total
    assert sum(map(len, play.cards)) == 24
    assert 214 < play.moves <= 24 * (total + 1)


# --- NT-9, score ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("cards", "chips", "score"), SCORES)
def test_nt9_worked_examples(cards: set[int], chips: int, score: int) -> None:
    """NT-9: the lowest card of each run counts, less one point for each chip."""
    assert card_points(word(cards)) - chips == score


@pytest.mark.parametrize(("cards", "chips", "score"), SCORES[:-1])
def test_nt9_worked_examples_in_play(cards: set[int], chips: int, score: int) -> None:
    """NT-9: the examples score the same when their cards are taken in a game."""
    order = sorted(cards, key=lambda card: card * 7 % 36)
    play = taking(order[-1], order[:-1], chips).step(TAKE)
    assert play.over
    assert play.scores()[0] == score


def test_nt9_no_cards_and_4_chips_score_minus_4() -> None:
    """NT-9: chips count without cards, too.

    A common error: a player without cards scores 0.
    """
    play = taking(17, chips=4).step(TAKE)
    assert play.scores() == [17 - 4, -4]


def test_nt9_adding_14_bridges_13_and_15() -> None:
    """NT-9: a card that joins two runs lowers the score."""
    play = taking(14, [13, 15, 16])
    assert play.scores()[0] == 28
    assert play.step(TAKE).scores()[0] == 13


@pytest.mark.parametrize(("held", "card", "change"), SCORE_CHANGES)
def test_nt9_score_change(held: set[int], card: int, change: int) -> None:
    """NT-9: `score_change` is the difference that one more card makes."""
    assert score_change(word(held), card) == change
    assert taking(card, sorted(held)).step(TAKE).points[0] == card_points(word(held)) + change


def test_nt9_card_35_scores() -> None:
    """NT-9: the highest card counts like any other.

    A common error: card 35 never counts.
    """
    assert card_points(word({35})) == 35
    assert taking(35).step(TAKE).scores()[0] == 35
    assert taking(35, [3]).step(TAKE).scores()[0] == 38


@pytest.mark.parametrize("order", list(itertools.permutations([12, 13, 14, 16])))
def test_nt9_the_order_of_taking_does_not_matter(order: tuple[int, ...]) -> None:
    """NT-9: the cards alone make the score, in whatever order they were taken.

    A common error: the score depends on the order of taking.
    """
    play = Play(2, low=12, high=16, removed=1, chips=0, position={"deck": order}).take_all()
    assert sorted(play.scores()) == [0, 12 + 16]


def test_nt9_a_score_can_be_negative_with_cards() -> None:
    """NT-9: a score is negative where the chips are worth more than the cards."""
    play = taking(3, chips=2, pot=7).step(TAKE)
    assert play.scores() == [3 - 9, -2]


# --- NT-10, winner -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("scores", "shares"),
    [
        ([20.0, 10.0, 30.0], [0, 1, 0]),
        ([-4.0, -4.0, 30.0], [1 / 2, 1 / 2, 0]),
        ([7.0, 7.0, 7.0], [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_nt10_the_lowest_score_wins_and_ties_share(
    scores: list[float], shares: list[float]
) -> None:
    """NT-10: the lowest score wins, and ties share the win.

    A common error: tied winners are given less than a win together.
    """
    play = Play(3)
    play.states["points"][0, :3], play.states["chips"], play.states["over"] = scores, 0, 1
    out = np.zeros((1, 3), np.float32)
    pay_rows(play.rules, play.states, reward_weights("win"), out)
    np.testing.assert_allclose(out[0], np.array(shares) - 1 / 3, atol=1e-7)


def test_nt10_a_tie_in_play_shares_the_win() -> None:
    """NT-10: players who tie in a played game share the win."""
    batch = make_batch("no_thanks", 1, num_players=3, low=2, high=2, removed=0, chips=1,
                       first_player=0)  # fmt: skip
    for action in (PASS, TAKE):  # scores 0, 2 - 2 = 0 and -1
        batch.step([action])
    assert batch.final_scores.tolist() == [[0, 0, -1]]
    np.testing.assert_allclose(batch.rewards[0], [-1 / 3, -1 / 3, 2 / 3], atol=1e-7)
    for action in (PASS, PASS, TAKE):  # 0, 0 and 2 - 3 = -1
        batch.step([action])
    assert batch.final_scores.tolist() == [[0, 0, -1]]
    batch.step([TAKE])  # 2 - 1 = 1, and -1 twice
    assert batch.final_scores.tolist() == [[1, -1, -1]]
    np.testing.assert_allclose(batch.rewards[0], [-1 / 3, 1 / 6, 1 / 6], atol=1e-7)


# --- Seeds ---------------------------------------------------------------------------------------


def test_the_key_of_a_game_fixes_it() -> None:
    rules = Options(num_players=5).rules()
    keys = np.array([game_key(U(7), U(0), U(0)), game_key(U(7), U(0), U(1))], U)
    states = np.zeros(4, State)
    deal_rows(rules, states, keys[[0, 1, 0, 1]], np.full(4, 5))
    assert np.array_equal(states[:2], states[2:])
    assert states["deck"][0].tolist() != states["deck"][1].tolist()
