"""The table as text, and actions in cards."""

import inspect
from dataclasses import fields
from typing import Any

import numpy as np
import pytest

from lowhand import least_score_v0
from lowhand.apis.pettingzoo_env import GameEnv
from lowhand.games.least_score import GAME
from lowhand.games.least_score.cards import card_name
from lowhand.games.least_score.options import Options
from lowhand.games.least_score.text import Move, action_to_cards, cards_to_action
from lowhand.least_score_v0 import env as make_env
from tests.games.least_score.play import parse
from tests.games.least_score.seats import POSITION, TABLES, Seats


@pytest.fixture
def play() -> Seats:
    return Seats(3, position=POSITION)


# The environment's signature


def test_the_environment_has_every_option_with_its_default() -> None:
    own = {"perfect_recall", "observation_seats", "reward", "illegal_action", "render_mode"}
    parameters = inspect.signature(make_env).parameters
    defaults = {name: parameter.default for name, parameter in parameters.items()}
    assert {name: defaults[name] for name in defaults if name not in own} == {
        field.name: field.default for field in fields(Options)
    }
    assert own < defaults.keys()
    described = (make_env.__doc__ or "") + (GameEnv.__doc__ or "") + (Options.__doc__ or "")
    for name in defaults:
        assert f"{name}:" in described.replace(", ", ": "), name


@pytest.mark.parametrize(
    "chosen",
    [
        {"num_players": 6, "points_limit": None, "declare_limit": 9, "max_turns": 12},
        {"knockout": "reach", "match_end": "first_out", "tie": "wrong", "at_limit": "showdown"},
        {"penalty": 7, "face_values": "pip", "two_pairs": True, "open_card": False},
        {"first_player": 2, "max_deals": 3, "deal_mode": "stable", "single_deals": 0.25},
        {"ranks": 9, "suits": 3, "hand_size": 4, "sets": ("run",)},
    ],
)
def test_the_environment_hands_every_option_on(chosen: dict[str, Any]) -> None:
    assert make_env(**chosen).options == Options(**chosen)


# Actions in cards


def test_an_action_in_cards_and_back(play: Seats) -> None:
    # Slots 0, 1, 2 of the hand, and slot 1 of the floor.
    action = 1 + (0b00111 - 1) * 6 + 2
    assert action_to_cards(play.state, action) == Move(
        False, tuple(parse("7C 8D 9S")), parse("QH")[0]
    )
    assert action_to_cards(play.state, action - 2).draw is None
    assert action_to_cards(play.state, 0) == Move(declare=True)
    assert cards_to_action(play.state, ["9♠", "7♣", "8♦"], "Q♥") == action
    assert cards_to_action(play.state, "7c 8d 9s", "qh") == action
    assert cards_to_action(play.state, parse("7C 8D 9S"), parse("QH")[0]) == action
    assert cards_to_action(play.state, np.array(parse("7C 8D 9S"))) == action - 2
    assert cards_to_action(play.state, declare=True) == 0


def test_the_module_of_the_environment_exports_both() -> None:
    assert least_score_v0.action_to_cards is action_to_cards
    assert least_score_v0.cards_to_action is cards_to_action


@pytest.mark.parametrize("chosen", TABLES)
def test_every_legal_action_goes_to_cards_and_back(chosen: dict[str, Any]) -> None:
    env, rng = make_env(**chosen), np.random.default_rng(0)
    env.reset(seed=2)
    for _ in range(12):
        state, legal = env.get_state(), env.legal_actions()
        if not legal:
            break
        for action in legal:
            move = action_to_cards(state, action, env.options)
            back = cards_to_action(
                state, move.discard, move.draw, declare=move.declare, options=env.options
            )
            assert back == action
        env.step(int(rng.choice(legal[1:] or legal)))
        while env.agents and env.terminations[env.agent_selection]:
            env.step(None)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"discard": "AS"}, "player_1 does not hold A♠; its hand is 7♣ 8♦ 9♠ K♣ K♥"),
        ({"discard": "7C 8D"}, "7♣ 8♦ may not be discarded together; legal from this hand are 7♣;"),
        ({"discard": "KC KC"}, "K♣ is named twice"),
        ({"discard": "KC", "draw": "2C"}, "2♣ is not on the floor, which has 7♠ Q♥"),
        ({"discard": "KC", "draw": "KC"}, "K♣ is not on the floor"),
        ({}, "a turn discards at least one card: name it, or declare"),
        ({"discard": []}, "a turn discards at least one card"),
        ({"discard": "KC", "declare": True}, "a declaration neither discards nor draws"),
        ({"draw": "QH", "declare": True}, "a declaration neither discards nor draws"),
        ({"discard": "1S"}, "'1S' is no card: write a rank from A, 2"),
        ({"discard": [52]}, "a card must be from 0 to 51, not 52"),
        ({"discard": [1.0]}, "a card must be given in integers, not as 1.0"),
        ({"discard": 7}, "discard must be given as a list of cards, not as 7"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(
    play: Seats, given: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(ValueError, match=sentence) as refused:
        cards_to_action(play.state, **given)
    assert "\n" not in str(refused.value)


def test_ls9_ls15_declarations_and_draws_that_are_illegal_are_refused() -> None:
    """LS-9, LS-15: the text of an illegal declaration or draw is refused."""
    first = Seats(2, position={"hands": ["AS", "2S"], "first_player": 0})
    with pytest.raises(ValueError, match="no player may declare in the first round"):
        cards_to_action(first.state, declare=True)
    high = Seats(2, declare_limit=9, position={"hands": ["KS", "2S"], "first_player": 0, "turn": 2})
    with pytest.raises(ValueError, match="a hand of 10 points may not declare: the limit is 9"):
        cards_to_action(high.state, declare=True, options=high.options)
    others = [card for card in range(16) if card not in parse("AS 2S 3S")]
    dry = Seats(
        2, ranks=4, hand_size=2,
        position={"hands": [others[:2], others[2:4]], "floor": others[4:6], "first_player": 0},
    )  # fmt: skip
    assert cards_to_action(dry.state, others[:1], options=dry.options) == 1
    dry.states["pile_size"] = 0
    with pytest.raises(ValueError, match="the closed deck has no card to draw: take one of the"):
        cards_to_action(dry.state, others[:1], options=dry.options)


def test_after_the_end_nothing_can_be_played() -> None:
    over = Seats(2, points_limit=None, position={"turn": 2, "first_player": 0}).step(0)
    with pytest.raises(ValueError, match="the game is over"):
        cards_to_action(over.state, declare=True)


@pytest.mark.parametrize("action", [187, -1])
def test_an_action_outside_the_space_has_no_cards(play: Seats, action: int) -> None:
    with pytest.raises(ValueError, match=f"an action must be from 0 to 186, not {action}"):
        action_to_cards(play.state, action)


@pytest.mark.parametrize("action", [1 + (0b00010 - 1) * 6, 1 + 3])
def test_an_action_on_empty_slots_has_no_cards(action: int) -> None:
    play = Seats(2, position={"hands": ["AS", "2S"], "first_player": 0})
    with pytest.raises(ValueError, match=f"action {action} means a slot without a card"):
        action_to_cards(play.state, action)


def test_the_options_decide_what_is_a_set() -> None:
    position = {"hands": ["KS KH QS QH", "2S"], "first_player": 0}
    with pytest.raises(ValueError, match="may not be discarded together"):
        cards_to_action(Seats(2, position=position).state, "KS KH QS QH")
    pairs = Seats(2, position=position, two_pairs=True)
    assert cards_to_action(pairs.state, "KS KH QS QH", options=pairs.options) == 1 + 14 * 6
    short = Seats(2, hand_size=4, position=position)
    assert cards_to_action(short.state, "QH", options=short.options) == 1
    assert cards_to_action(short.state, "QS", options=short.options) == 1 + 1 * 5


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"discard": "7C 8D 9S", "draw": "QH"}, "discard 7♣ 8♦ 9♠, take Q♥ from the floor"),
        ({"discard": "KC"}, "discard K♣, draw from the deck"),
        ({"declare": True}, "declare with 44 points"),
    ],
)
def test_actions_in_words(play: Seats, given: dict[str, Any], words: str) -> None:
    action = cards_to_action(play.state, **given)
    assert GAME.describe_action(play.rules, play.state, action) == words


def test_a_single_point_is_told_in_the_singular() -> None:
    play = Seats(2, position={"hands": ["AS", "2S"], "turn": 2, "first_player": 0})
    assert GAME.describe_action(play.rules, play.state, 0) == "declare with 1 point"


# The table


def test_a_table_reads_like_this(play: Seats) -> None:
    assert play.render(None) == [
        "Deal 1, turn 5 of at most 150; out above 100 points.",
        "Floor 1:7♠ 2:Q♥; 38 in the deck, 2 buried.",
        "  player_0  100 points  0:A♠ 1:2♠ 2:3♠ 3:9♥ = 15",
        "> player_1   31 points  0:7♣ 1:8♦ 2:9♠ 3:K♣ 4:K♥ = 44",
        "  player_2    4 points  0:10♦ = 10",
    ]


def test_ls18_a_viewer_sees_the_own_hand_alone(play: Seats) -> None:
    """LS-18: the text for one seat shows that hand and no other."""
    rows = play.render(None)
    assert play.render(0)[2:] == [
        rows[2],
        "> player_1   31 points  5 cards",
        "  player_2    4 points  1 card",
    ]


def test_the_result_of_a_deal_is_shown_and_who_is_out() -> None:
    play = Seats(3, position=POSITION).step(0)  # 44 against 15 and 10: wrong, 20 + 34
    assert play.render(2)[-1] == (
        "Deal 1: player_1 declared and was wrong; points: player_0 0, player_1 54, player_2 0."
    )
    assert play.render(2)[0] == "Deal 2, turn 1 of at most 150; out above 100 points."
    again = {"hands": ["AS", "5H", "2S"], "points": [0, 97, 9], "turn": 3, "first_player": 0}
    GAME.set_position(play.options, play.rules, play.states, again)
    rows = play.step(0).render(1)
    assert rows[0] == "Deal 3, turn 1 of at most 100; out above 100 points."
    assert "  player_1  101 points  out in deal 2" in rows
    assert rows[-1] == (
        "Deal 2: player_0 declared and was right; points: player_0 0, player_1 4, player_2 1."
    )


def test_a_result_is_shown_until_everybody_has_had_a_turn(play: Seats) -> None:
    play.step(0)
    for _ in range(3):
        assert "declared and was wrong" in play.render(None)[-1]
        play.step(1)
    assert play.render(None)[-1].startswith("  player_2")


def test_after_the_end_all_is_open_and_the_result_told() -> None:
    position = {**POSITION, "points": [0, 0, 0]}
    play = Seats(3, points_limit=None, position=position)
    assert play.render(0)[0] == "Single deal, turn 5 of at most 150."
    assert play.step(0).render(0) == [
        "Game over after 1 deal and 5 decisions.",
        "Floor 1:7♠ 2:Q♥; 38 in the deck, 2 buried.",
        "  player_0    0 points  0:A♠ 1:2♠ 2:3♠ 3:9♥ = 15",
        "  player_1   54 points  0:7♣ 1:8♦ 2:9♠ 3:K♣ 4:K♥ = 44",
        "  player_2    0 points  0:10♦ = 10",
        "Deal 1: player_1 declared and was wrong; points: player_0 0, player_1 54, player_2 0.",
    ]


def test_who_goes_out_last_keeps_the_cards_on_the_table() -> None:
    position = {"hands": ["AS", "9H"], "points": [0, 95], "turn": 2, "first_player": 0}
    rows = Seats(2, position=position).step(0).render(0)
    assert rows[0] == "Game over after 1 deal and 3 decisions."
    assert rows[3] == "  player_1  103 points  0:9♥ = 9, out in deal 1"


@pytest.mark.parametrize(
    ("options", "hands", "told"),
    [
        ({}, ["2S", "2H"], "player_0 declared and was right; points: player_0 0, player_1 0"),
        ({"tie": "wrong"}, ["2S", "2H"], "was wrong; points: player_0 20, player_1 0"),
        ({"tie": "wrong", "penalty": 0}, ["2S", "2H"], "was wrong; points: player_0 0, player_1 0"),
        ({"tie": "wrong", "penalty": 0}, ["2S", "3H"], "was right; points: player_0 0, player_1 1"),
        ({"penalty": 0}, ["3S", "2H"], "was wrong; points: player_0 1, player_1 0"),
        ({"penalty": 0}, ["2S", "2H"], "was right; points: player_0 0, player_1 0"),
    ],
)
def test_ls10_ls11_right_and_wrong_are_told(
    options: dict[str, Any], hands: list[str], told: str
) -> None:
    """LS-10, LS-11: the text says whether a declaration was right or wrong."""
    play = Seats(2, position={"hands": hands, "turn": 2, "first_player": 0}, **options).step(0)
    assert told in play.render(0)[-1]
    assert ("right" in told) == (play.state.wrong[0] == 0)


def test_ls16_a_deal_without_a_declaration_and_a_match_that_is_stopped() -> None:
    """LS-16: the text names a void deal and a truncated match."""
    position = {"hands": ["3S", "2H"], "deck": "KS", "first_player": 0}
    play = Seats(2, max_turns=1, max_deals=1, at_limit="showdown", position=position).step(1)
    rows = play.render(1)
    assert rows[0] == "Game stopped after 1 deal, the most that are played."
    assert rows[-1] == ("Deal 1: reached the limit of turns; points: player_0 8, player_1 0.")


def test_with_piles_of_their_own_the_table_shows_each() -> None:
    play = Seats(3, deal_mode="stable", first_player=2, knockout="reach")
    rows = play.render(1)
    assert rows[0].endswith("out at 100 points.")
    assert ["12 to draw" in row for row in rows[2:]] == [True] * 3
    assert "36 in the deck" in rows[1]


def test_without_a_card_on_the_floor_there_is_a_dash() -> None:
    assert Seats(2, open_card=False).render(0)[1] == "Floor –; 42 in the deck, 0 buried."


def test_cards_have_the_names_that_the_text_uses() -> None:
    assert [card_name(card) for card in parse("10S ac qh")] == ["10♠", "A♣", "Q♥"]
