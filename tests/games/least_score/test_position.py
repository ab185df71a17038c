"""Positions given as reset options."""

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest

from lowhand.games.least_score import GAME
from lowhand.games.least_score.cards import NO_CARD
from tests.games.least_score.play import cards_of, parse
from tests.games.least_score.seats import (
    HANDS,
    POSITION,
    TABLES,
    Seats,
    all_cards,
    pile_cards,
    random_positions,
)


def test_a_position_stands_as_it_was_given() -> None:
    play = Seats(3, position=POSITION)
    state = play.state
    assert play.hands == [parse(hand) for hand in HANDS]
    assert state.sizes.tolist() == [4, 5, 1, 0, 0, 0, 0, 0]
    assert state.hands[2].tolist() == [*parse("10D"), *[NO_CARD] * 4]
    assert state.floor.tolist() == [*parse("7S QH"), *[NO_CARD] * 3]
    assert int(state.floor_size) == 2
    assert pile_cards(state)[:2] == parse("4C 4D")
    assert cards_of(state.buried) == sorted(parse("JD 2H"))
    assert state.points[:3].tolist() == [100, 31, 4]
    assert (int(state.mover), int(state.starter), int(state.turn)) == (1, 0, 4)
    assert all_cards(state) == list(range(52))
    play.play("7C 8D 9S", "QH").play("10D").play("AS")
    assert play.hands == [sorted(parse("2S 3S 9H 4D")), parse("QH KC KH"), parse("4C")]


def test_what_is_known_is_forgotten() -> None:
    play = Seats(2, seed=1)
    play.step(2)  # the lowest card for the open one
    assert play.state.known.any()
    play.states["held"], play.states["drawn"] = 1, 3
    GAME.set_position(play.options, play.rules, play.states, {"turn": 1})
    assert not any(play.state[name].any() for name in ("known", "held", "drawn"))
    assert all_cards(play.state) == list(range(52))


@pytest.mark.parametrize("chosen", TABLES)
def test_what_is_not_given_is_as_dealt(chosen: dict[str, Any]) -> None:
    dealt = Seats(seed=4, **chosen)
    state = dealt.state
    for position in (
        {"turn": 0},
        {"first_player": int(state.mover)},
        {"hands": dealt.hands, "buried": []},
        {
            "floor": state.floor[: state.floor_size],
            "points": np.zeros(dealt.options.num_players, int),
        },
    ):
        play = Seats(seed=4, position=position, **chosen)
        for name in state.dtype.names:
            if (
                name != "deck" or "hands" not in position
            ):  # the order of dealing is not part of a hand
                assert np.array_equal(play.state[name], state[name]), name
        assert pile_cards(play.state) == pile_cards(state)


def test_the_rest_of_the_deck_follows_as_dealt() -> None:
    dealt = Seats(3, seed=5)
    order = [*dealt.state.deck[::-1]]  # as dealt: hands, the open card, the deck
    named = parse("4C 4D")
    play = Seats(
        3, seed=5, position={"deck": named, "hands": [[order[20]], [order[0]], [order[1]]]}
    )
    rest = [card for card in order if card not in [*named, order[20], order[0], order[1]]]
    assert play.state.floor[0] == rest[0]
    assert pile_cards(play.state) == named + rest[1:]


def test_turns_made_fix_who_is_to_move_and_the_mover_who_started() -> None:
    play = Seats(3, first_player=2, position={"turn": 4})
    assert (play.state.starter, play.state.mover, play.state.moves) == (2, 0, 4)
    play = Seats(3, first_player=2, position={"turn": 4, "first_player": 2})
    assert (play.state.starter, play.state.mover) == (1, 2)
    play = Seats(3, first_player=2, position={"first_player": 1})
    assert (play.state.starter, play.state.mover) == (1, 1)


def test_ls15_an_empty_deck_is_a_position() -> None:
    """LS-15: a position may have an empty deck."""
    rest = [card for card in range(52) if card not in parse("AS 2S KD KH")]
    position = {"hands": ["AS KH", "2S"], "floor": "KD", "buried": rest, "first_player": 0}
    play = Seats(2, position=position)
    assert pile_cards(play.state) == []
    assert play.play("KH").state.buried != 0
    assert all_cards(play.state) == list(range(52))


@pytest.mark.parametrize(("hand", "piles"), [("AS", [16, 16, 16]), ("AS 4S", [15, 16, 16])])
def test_with_piles_of_their_own_a_position_divides_the_deck(hand: str, piles: list[int]) -> None:
    position = {"hands": [hand, "2S", "3S"], "first_player": 1}
    play = Seats(3, deal_mode="stable", position=position)
    assert play.of_seats("pile_size") == piles
    assert all_cards(play.state) == list(range(52))


def test_a_position_in_a_reduced_deck() -> None:
    position = {"hands": ["AC 2C", "AD 2D"], "floor": "3C", "first_player": 1}
    play = Seats(2, ranks=4, suits=2, hand_size=2, position=position)
    assert all_cards(play.state) == parse("AC AD 2C 2D 3C 3D 4C 4D")
    assert sorted(pile_cards(play.state)) == parse("3D 4C 4D")


def test_every_position_of_play_can_be_given() -> None:
    for options, states in random_positions(seed=8, tables=2):
        state = states[0]
        if options.deal_mode == "stable" or state.out.any():
            continue
        seats = range(options.num_players)
        position = {
            "hands": [state.hands[seat, : state.sizes[seat]] for seat in seats],
            "floor": state.floor[: state.floor_size],
            "deck": pile_cards(state),
            "buried": cards_of(state.buried),
            "points": state.points[: options.num_players],
            "turn": int(state.turn),
            "first_player": state.mover,
        }
        play = Seats(position=position, **asdict(options))
        placed = ("hands", "sizes", "floor", "floor_size", "buried")
        for name in (*placed, "points", "turn", "mover", "starter"):
            assert np.array_equal(play.state[name], state[name]), name
        assert pile_cards(play.state) == pile_cards(state)


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        ({"hands": ["AS", "2S"]}, "hands must be 3 lists of 1 to 5 cards"),
        ({"hands": ["AS", "2S", ""]}, "hands must be 3 lists of 1 to 5 cards"),
        ({"hands": ["AS", "2S", range(8, 14)]}, "hands must be 3 lists of 1 to 5 cards"),
        ({"hands": "AS"}, "hands must be 3 lists of cards, not 'AS'"),
        ({"hands": 7}, "hands must be 3 lists of cards, not 7"),
        ({"hands": ["AS", "2S", 7]}, "hands must be given as a list of cards, not as 7"),
        ({"hands": ["AS", "2S", "AS"]}, "each card exists once, but A♠ is named twice"),
        ({"floor": "AS", "deck": "AS"}, "each card exists once, but A♠ is named twice"),
        ({"buried": "AS AS"}, "A♠ is named twice"),
        ({"floor": range(6)}, "the floor must be at most 5 cards, not A♣ A♦ A♥ A♠ 2♣ 2♦"),
        ({"floor": [52]}, "a card must be from 0 to 51, not 52"),
        ({"floor": [True]}, "a card must be given in integers, not as True"),
        ({"deck": ["1S"]}, "'1S' is no card"),
        ({"deck": 3}, "deck must be given as a list of cards, not as 3"),
        ({"deck": range(40)}, "too few cards are left to deal what is not given"),
        ({"points": [1, 2]}, r"points must be 3 integers from 0 to 100, not \[1, 2\]"),
        ({"points": 3}, "points must be 3 integers from 0 to 100, not 3"),
        ({"points": [1, 2, 101]}, "points must be from 0 to 100, not 101"),
        ({"points": [1, 2, -1]}, "points must be from 0 to 100, not -1"),
        ({"points": [1, 2, 3.5]}, "points must be given in integers, not as 3.5"),
        ({"first_player": 3}, "first_player must be from 0 to 2, not 3"),
        ({"first_player": True}, "first_player must be given in integers, not as True"),
        ({"turn": -1}, "turn must be from 0 to 149, not -1"),
        ({"turn": 150}, "turn must be from 0 to 149, not 150"),
    ],
)
def test_positions_that_cannot_stand_are_refused(position: dict[str, Any], sentence: str) -> None:
    play = Seats(3)
    before = play.states.tobytes()
    with pytest.raises(ValueError, match=sentence) as refused:
        GAME.set_position(play.options, play.rules, play.states, {"turn": 1, **position})
    assert "\n" not in str(refused.value)
    assert play.states.tobytes() == before


@pytest.mark.parametrize(
    ("options", "position", "sentence"),
    [
        (
            {"points_limit": None},
            {"points": [0, 1]},
            "this game is a single deal, in which all points are 0",
        ),
        ({"knockout": "reach"}, {"points": [0, 100]}, "points must be from 0 to 99, not 100"),
        ({"points_limit": 12.5}, {"points": [0, 13]}, "points must be from 0 to 12, not 13"),
        ({"points_limit": 10**6}, {"points": [0, 10**9]}, "points must be from 0 to 1000000"),
        ({"deal_mode": "stable"}, {"deck": "AS"}, 'deck can\'t be given with deal_mode="stable"'),
        ({"ranks": 3, "hand_size": 2}, {"floor": "4C"}, "4♣ is not in the deck: ranks=3, suits=4"),
        ({"suits": 3}, {"floor": "AS"}, "A♠ is not in the deck: ranks=13, suits=3"),
        (
            {"deal_mode": "stable", "ranks": 2, "suits": 3, "hand_size": 2},
            {"hands": ["AC AD", "AH 2C"], "floor": "2D 2H", "buried": [], "first_player": 1},
            None,
        ),
        (
            {"deal_mode": "stable", "ranks": 2, "suits": 3, "hand_size": 2, "first_player": 0},
            {"hands": ["AC AD", "AH 2C"], "floor": [], "buried": [], "turn": 1, "deck": []},
            "deck can't be given",
        ),
    ],
)
def test_the_options_bound_positions(
    options: dict[str, Any], position: dict[str, Any], sentence: str | None
) -> None:
    if sentence is None:
        Seats(2, position=position, **options)
        return
    with pytest.raises(ValueError, match=sentence):
        Seats(2, position=position, **options)


def test_ls3_who_is_to_move_must_have_a_card_to_draw() -> None:
    """LS-3: a position without a card to draw is refused."""
    options: dict[str, Any] = {"deal_mode": "stable", "ranks": 5, "suits": 1, "hand_size": 2}
    position = {"hands": ["AC 2C", "3C 4C"], "floor": [], "turn": 1}
    with pytest.raises(ValueError, match="the player to move must have a card to draw"):
        Seats(2, position=position, first_player=0, **options)
    assert Seats(2, position={**position, "turn": 0}, first_player=0, **options).state.mover == 0


def test_unknown_keys_pass() -> None:
    assert (Seats(3, position={"weather": "fine"}).states == Seats(3).states).all()
