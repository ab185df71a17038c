import numpy as np
import pytest

from lowhand.games import get_game
from lowhand_training.cli.game_terminal import _result, default_opponent, play, set_table


class Answers:
    """Types prepared answers, the last one again and again, and keeps what was shown."""

    def __init__(self, *answers: str) -> None:
        self.answers, self.lines = list(answers), []

    def read(self, question: str) -> str:
        self.lines.append(question)
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    def write(self, text: str) -> None:
        self.lines.append(text)

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def session(*answers, opponents=("greedy",), game="no_thanks", **rest):
    person = Answers(*answers)
    table = set_table(get_game(game), opponents, **rest)
    person.finished = play(table, person.read, person.write)
    return person


@pytest.mark.parametrize("word", ["t", "T", "take", "1", " take "])
def test_taking_everything_ends_the_game_with_scores(word):
    person = session(word, seed=3)
    assert person.finished
    assert "Game over after" in person.text
    assert "Scores, the winner first: " in person.lines[-1]


def test_game_is_fixed_by_its_seed():
    assert session("t", seed=5).lines == session("t", seed=5).lines
    assert session("t", seed=5).lines != session("t", seed=6).lines


def test_each_opponents_move_is_described_and_chips_of_others_stay_secret():
    person = session("p", "p", "t", opponents=("greedy", "connector"), seed=3, seat=0)
    assert "You are player_0" in person.text
    assert any(line.startswith("player_1 (greedy): pass (1 chip)") for line in person.lines)
    assert any(line.startswith("player_2 (connector): ") for line in person.lines)
    tables = [line for line in person.lines if "On offer" in line]
    assert tables
    for table in tables:
        assert table.count("? chips") == 2


def test_passing_costs_a_chip_and_the_pot_is_offered():
    person = session("pass", "q", opponents=("random:0",), players=3, seed=1, seat=1)
    tables = [line for line in person.lines if "On offer" in line]
    assert "  11 chips" in tables[0]
    assert "  10 chips" in tables[1]


def test_wrong_answers_are_asked_again_and_help_is_shown():
    person = session("x", "", "7", "?", "table", "t", seed=3)
    assert "'x' is not a legal action here; legal: 0 (pass (1 chip)), 1 (take" in person.text
    assert "'' is not a legal action" in person.text
    assert "'7' is not a legal action" in person.text
    assert "Type an action's number" in person.text
    assert person.finished


def test_passing_without_chips_is_refused_not_turned_into_a_take():
    person = session(*["p"] * 12, "q", opponents=("random:0",), seed=1, players=2)
    assert any(line.startswith("'p' is not a legal action here; legal: 1 (take") for line in
               person.lines)  # fmt: skip


def test_leaving_ends_in_one_sentence():
    person = session("q", seed=1)
    assert not person.finished
    assert person.lines[-1] == "You left the game."


def test_end_of_input_ends_in_one_sentence():
    person = Answers()

    def read(question):
        raise EOFError

    assert not play(set_table(get_game("no_thanks"), ["greedy"], seed=1), read, person.write)
    assert person.lines[-1].strip() == "The input ended, and with it the game."


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        ((20, 30, 40), "You win."),
        ((30, 20, 40), "player_1 (greedy) wins."),
        ((30, 20, 20), "player_1 (greedy) and player_2 (greedy) win."),
        ((20, 30, 20), "You share the win with player_2 (greedy)."),
    ],
)
def test_winner_is_named(points, verdict):
    table = set_table(get_game("no_thanks"), ["greedy"], 3, 0, 1)
    table.state.points[:3] = points
    table.state.chips[:3] = 2
    assert _result(table).endswith(verdict)
    assert f"player_0 (you) {points[0] - 2}" in _result(table)


def test_users_own_agent_object_plays():
    class Taker:
        def act(self, table, rng):
            return np.ones(len(table), np.int64)

    assert session("p", "t", opponents=(Taker(), "greedy"), seed=1).finished


def test_one_opponent_fills_all_seats_and_three_are_the_default():
    assert session("q", seed=1).text.count("(greedy)") >= 2
    assert session("q", seed=1, players=7).text.split("? helps")[0].count("(greedy)") == 6


def test_default_opponent_is_an_agent_that_is_here():
    game = get_game("no_thanks")
    assert default_opponent(game) in (*game.baselines, "checkpoints/no_thanks")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"opponents": ["nobody"]}, "there is no agent 'nobody'"),
        ({"opponents": ["greedy", "sally"], "players": 5}, "one opponent, or 4, not 2"),
        ({"players": 9}, "num_players must be from 2 to 7"),
        ({"seat": 3}, "seat must be from 0 to 2, not 3"),
        ({"seed": -1}, "a seed must be"),
        ({"game": "chess"}, "there is no game 'chess'"),
    ],
)
def test_wrong_arguments_are_refused(arguments, sentence):
    with pytest.raises(ValueError, match=sentence):
        session("q", **arguments)


def test_least_score_is_played_by_naming_cards():
    person = session("2s", "declare", "q", opponents=("greedy:7",), game="least_score", seed=5)
    assert "Your move: the cards to discard" in person.text
    held = next(line for line in person.lines if "> player_" in line)
    card = held.split("0:")[1].split()[0]
    person = session(card, "q", opponents=("greedy:7",), game="least_score", seed=5)
    assert "turn 3 of" in person.text, "the first move was made"
    assert "may not declare" not in person.text


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ("declare", "no player may declare in the first round of a deal."),
        ("zz", "'zz' is no card"),
        ("2s take", "a turn takes one card"),
        ("999", "'999' is not a legal action here; `list` shows the"),
    ],
)
def test_a_move_that_is_none_is_explained(answer, sentence):
    person = session(answer, "q", opponents=("greedy:7",), game="least_score", seed=5, seat=0)
    assert sentence in person.text


def test_all_hands_are_shown_when_a_deal_has_ended():
    person = session("d", "1", "q", opponents=("aggressive",), game="least_score", seed=5, seat=0)
    shown = [line for line in person.lines if "all hands were these" in line]
    assert shown
    assert all(line.count(" = ") == 3 for line in shown), "totals of three open hands"
