"""The table as text, actions in words, and positions given as reset options."""

import pytest

from lowhand.games.no_thanks import GAME
from lowhand.games.no_thanks.text import runs
from tests.games.no_thanks.play import PASS, TAKE, Play


@pytest.fixture
def play() -> Play:
    position = {
        "deck": [21, 9],
        "cards": [[7, 8, 20], [35], []],
        "chips": [12, 0, 16],
        "pot": 5,
        "first_player": 2,
    }
    return Play(3, position=position)


def test_a_position_stands_as_it_was_given(play: Play) -> None:
    assert (play.offered, play.pot, play.mover, play.turned) == (21, 5, 2, 5)
    assert play.cards == [{7, 8, 20}, {35}, set()]
    assert play.points == [27, 35, 0]
    assert play.chips == [12, 0, 16]
    assert sorted(play.deck) == list(range(3, 36))
    play.step(TAKE)
    assert (play.offered, play.cards[2], play.chips) == (9, {21}, [12, 0, 21])
    assert sum(map(len, play.take_all().cards)) == 24


def test_a_table_reads_like_this(play: Play) -> None:
    assert GAME.render(play.rules, play.states[0], None) == (
        "On offer: 21 with 5 chips; 19 cards left.\n"
        "  player_0   12 chips  7-8 20  (27 points, score 15)\n"
        "  player_1    0 chips  35  (35 points, score 35)\n"
        "> player_2   16 chips  –  (0 points, score -16)"
    )


def test_nt11_a_viewer_sees_no_chips_but_its_own(play: Play) -> None:
    """NT-11: the text for one seat hides the other players' chips."""
    lines = GAME.render(play.rules, play.states[0], 0).splitlines()
    assert lines[1] == "  player_0   12 chips  7-8 20  (27 points, score 15)"
    assert lines[2] == "  player_1    ? chips  35  (35 points)"
    assert lines[3] == "> player_2    ? chips  –  (0 points)"


def test_after_the_end_all_is_open() -> None:
    play = Play(2, low=3, high=3, removed=0, first_player=1).step(PASS, TAKE)
    assert GAME.render(play.rules, play.states[0], 1) == (
        "Game over after 2 decisions.\n"
        "  player_0   12 chips  3  (3 points, score -9)\n"
        "  player_1   10 chips  –  (0 points, score -10)"
    )


@pytest.mark.parametrize(
    ("cards", "text"),
    [([], "–"), ([5], "5"), ([5, 6], "5-6"), ([3, 5, 6, 7, 35], "3 5-7 35"), ([1, 3], "1 3")],
)
def test_cards_are_shown_in_runs(cards: list[int], text: str) -> None:
    assert runs(cards) == text


@pytest.mark.parametrize(
    ("pot", "words"), [(0, "take 21"), (1, "take 21 and 1 chip"), (7, "take 21 and 7 chips")]
)
def test_actions_in_words(play: Play, pot: int, words: str) -> None:
    play.states["pot"][0] = pot
    assert GAME.describe_action(play.rules, play.states[0], TAKE) == words
    assert GAME.describe_action(play.rules, play.states[0], PASS) == "pass (1 chip)"


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ({"deck": [5, 5]}, "deck must be different cards from 3 to 35 that no player holds"),
        ({"deck": [2]}, "deck must be different cards from 3 to 35"),
        ({"deck": [36]}, "deck must be different cards from 3 to 35"),
        ({"deck": [5], "cards": [[5], [], []]}, "that no player holds"),
        ({"cards": [[5], []]}, "cards must be 3 lists of different cards"),
        ({"cards": [[5], [5], []]}, "cards must be 3 lists of different cards"),
        ({"cards": [[2], [], []]}, "cards must be from 3 to 35"),
        ({"cards": [list(range(3, 27)), [], []]}, "24 cards are held, so that no card is left"),
        ({"first_player": 3}, "first_player must be a seat from 0 to 2, not 3"),
        ({"first_player": -1}, "first_player must be a seat from 0 to 2, not -1"),
        ({"chips": [11, 11]}, "chips must be 3 numbers ≥ 0 that make 33 with the pot"),
        ({"chips": [11, 11, 12]}, "that make 33 with the pot"),
        ({"chips": [-1, 23, 11]}, "chips must be 3 numbers ≥ 0"),
        ({"chips": [11, 11, 10], "pot": 2}, "that make 33 with the pot"),
        ({"pot": 2}, "a pot needs chips"),
    ],
)
def test_positions_that_cannot_stand_are_refused(position: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Play(3, position=position)


def test_unknown_options_of_a_position_are_ignored() -> None:
    assert (Play(3, position={"weather": "fine"}).states == Play(3).states).all()


def test_a_deck_given_in_part_goes_on_as_dealt() -> None:
    dealt = Play(3, seed=4)
    play = Play(3, seed=4, position={"deck": [30, 4]})
    assert play.deck[:2] == [30, 4]
    assert play.deck[2:] == [card for card in dealt.deck if card not in (30, 4)]
