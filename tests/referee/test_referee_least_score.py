"""A deal of Least Score on the referee against LS-1, LS-3, LS-8 ... LS-11 and LS-17.

Legal sets, empty decks and endless deals, the match, and what a rememberer knows have files of
their own. What can't be shown on a referee, which has no seeds, no observations and no shuffle of
its own, is left to the engine's tests.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.referee.least_score import Table, deal
from tests.referee.least_score_options import Options, declaration_points
from tests.referee.least_score_positions import (
    action,
    check_conserved,
    discards,
    play,
    position,
    snapshot,
    sources,
    start,
)
from tests.referee.least_score_sets import DECLARE, encode, parse

HANDS = ("2C 2D 7H 9S KC", "3C 5D 8H JS QC")


# --- LS-1, LS-17: the deal -------------------------------------------------------------------


@pytest.mark.parametrize("players", range(2, 9))
def test_ls_01_five_cards_each_and_one_face_up(players: int) -> None:
    table = Table(Options(num_players=players), first_player=0)
    deal(table, random.Random(0))
    assert [len(hand) for hand in table.hands] == [5] * players
    assert len(table.floor) == 1
    assert table.deck_size == 52 - 5 * players - 1
    assert table.buried == []
    check_conserved(table)


def test_ls_01_without_an_open_card_the_first_player_draws_from_the_deck() -> None:
    table = start(HANDS, deck="AS 4S", open_card=False)
    assert table.floor == []
    assert sources(table) == {0}
    play(table, "KC")
    assert table.hands[0] == parse("AS 2C 2D 7H 9S")
    assert sources(table) == {0, 1}


@pytest.mark.parametrize(
    ("hands", "open_card", "deck", "message"),
    [
        (["AC", "2C"], "3C", "", "all cards"),  # two cards are missing
        (["AC", "2C"], "3C", "4C 5C 5C", "all cards"),
        (["AC", "2C"], "3C", "4C 5C 6C", "all cards"),
        (["AC", "2C"], None, "3C 4C 5C", "Open card"),
        (["AC 2C", "3C"], "4C", "5C", "gets 1 cards"),
        (["AC"], "2C", "3C 4C 5C", "gets 1 cards"),
    ],
)
def test_ls_01_wrong_deals_are_refused(
    hands: list[str], open_card: str | None, deck: str, message: str
) -> None:
    table = Table(Options(num_players=2, hand_size=1, ranks=5, suits=1), first_player=0)
    opened = parse(open_card)[0] if open_card else None
    before = snapshot(table)
    with pytest.raises(ValueError, match=message):
        table.start_deal([parse(hand) for hand in hands], opened, parse(deck))
    assert snapshot(table) == before


def test_ls_01_no_deal_starts_within_a_deal() -> None:
    table = start(HANDS, "4C")
    with pytest.raises(ValueError, match="No deal is due"):
        deal(table, random.Random(0))


@pytest.mark.parametrize("players", [1, 9])
def test_ls_17_two_to_eight_players(players: int) -> None:
    with pytest.raises(ValueError, match="num_players"):
        Options(num_players=players)


def test_ls_17_four_players_are_usual() -> None:
    assert Options().num_players == 4


@pytest.mark.parametrize(
    ("players", "hand_size", "ranks", "suits"), [(2, 5, 11, 1), (8, 5, 11, 4), (8, 4, 11, 3)]
)
def test_ls_17_the_cards_must_suffice(players: int, hand_size: int, ranks: int, suits: int) -> None:
    options: dict[str, Any] = {"num_players": players, "hand_size": hand_size, "suits": suits}
    deal(Table(Options(**options, ranks=ranks), first_player=0), random.Random(0))
    short = (players * hand_size) // suits
    for open_card in (True, False):
        with pytest.raises(ValueError, match="LS-17"):
            Options(**options, ranks=short, open_card=open_card)


@pytest.mark.parametrize(
    "option",
    [
        {"points_limit": 0},
        {"points_limit": -5},
        {"knockout": "touch"},
        {"match_end": "never"},
        {"tie": "shared"},
        {"penalty": -1},
        {"face_values": "eleven"},
        {"first_player": 4},
        {"first_player": "last"},
        {"max_turns": 0},
        {"at_limit": "draw"},
        {"max_deals": 0},
        {"deal_mode": "open"},
        {"ranks": 14},
        {"suits": 0},
        {"hand_size": 6},
        {"sets": ("pair", "triple")},
    ],
)
def test_illegal_options_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(option))):
        Options(**option)


# --- LS-3, LS-8: the turn --------------------------------------------------------------------


def test_ls_03_discard_then_draw_from_the_deck() -> None:
    table = start(HANDS, "4C", deck="AS 6S")
    play(table, "2C 2D")
    assert table.hands[0] == parse("AS 7H 9S KC")
    assert table.floor == parse("2C 2D")
    assert table.buried == parse("4C")
    assert table.piles[0][0] == parse("6S")[0]
    assert table.mover == 1
    check_conserved(table)


def test_ls_03_discard_then_draw_from_the_floor() -> None:
    table = start(HANDS, "4C", deck="AS 6S")
    play(table, "KC", draw="4C")
    assert table.hands[0] == parse("2C 2D 4C 7H 9S")
    assert table.floor == parse("KC")
    assert table.buried == []
    assert table.piles[0][:2] == parse("AS 6S")


def test_ls_03_any_one_of_the_open_cards() -> None:
    table = position(HANDS, floor="3D 4S 5H")
    assert sources(table) == {0, 1, 2, 3}
    play(table, "KC", draw="4S")
    assert table.hands[0] == parse("2C 2D 4S 7H 9S")
    assert table.buried == parse("3D 5H")


def test_ls_03_the_own_discard_cannot_be_picked_up() -> None:
    """No action at all brings back what it discards."""
    choices = position(HANDS, floor="4S").legal_actions()
    for choice in choices[1:]:
        table = position(HANDS, floor="4S")
        table.step(choice)
        assert not set(table.floor) & set(table.hands[0])
    assert choices[0] == DECLARE


def test_ls_03_every_legal_discard_goes_with_every_legal_draw() -> None:
    table = position(["2C 3D 4H 4S KC", "9C"], floor="KD KH")
    sets = ["2C", "3D", "2C 3D 4H", "4H", "4S", "4H 4S", "2C 3D 4S", "KC"]
    expected = {action(table, cards, draw) for cards in sets for draw in ("", "KD", "KH")}
    assert set(table.legal_actions()) == expected | {DECLARE}
    assert table.legal_actions() == sorted(table.legal_actions())


def test_ls_03_all_cards_may_be_discarded() -> None:
    table = position(["2H 4H 7H JH KH", "9C"], floor="3D", deck="AS")
    play(table, "2H 4H 7H JH KH")
    assert table.hands[0] == parse("AS")
    assert table.floor == parse("2H 4H 7H JH KH")


@pytest.mark.parametrize(
    ("subset", "source"),
    [
        (0b00101, 0),  # 2 and 7 are no set
        (0b100000, 0),  # there is no sixth card
        (0b00001, 2),  # the floor has one card
    ],
)
def test_ls_03_illegal_actions_are_refused_and_change_nothing(subset: int, source: int) -> None:
    table = start(HANDS, "4C")
    before = snapshot(table)
    with pytest.raises(ValueError, match="isn't legal"):
        table.step(encode(subset, source))
    assert snapshot(table) == before


def test_ls_03_slots_beyond_a_small_hand_are_not_legal() -> None:
    table = position(["2C 9D", "3C"], floor="4C")
    assert discards(table) == {1, 2}


def test_ls_08_the_floor_is_the_whole_discard_of_the_previous_player_only() -> None:
    table = start(["2C 2D 7H 9S KC", "3C 3D 8H JS QC", "4C 5D 6H 10S KD"], "AC")
    play(table, "2C 2D")
    play(table, "3C 3D", draw="2D")
    assert table.floor == parse("3C 3D")
    assert table.buried == parse("AC 2C")
    play(table, "4C 5D 6H", draw="3C")
    assert table.floor == parse("4C 5D 6H")
    assert table.buried == parse("AC 2C 3D")
    assert table.mover == 0


# --- LS-9: declaring -------------------------------------------------------------------------


def test_ls_09_nobody_declares_in_the_first_round() -> None:
    table = start(["AC AD 2H 2S 3C", "3D 4D 4H 5S 5C", "6C 6D 7H 7S 8C"], "KC")
    for _ in range(3):
        assert DECLARE not in table.legal_actions()
        with pytest.raises(ValueError, match="Action 0 isn't legal"):
            table.step(DECLARE)
        table.step(table.legal_actions()[0])
    for _ in range(3):
        assert DECLARE in table.legal_actions()
        table.step(table.legal_actions()[1])


def test_ls_09_declaring_ends_the_deal_without_a_discard_or_a_draw() -> None:
    table = position(["2C 3D", "9C"], floor="4C")
    hands, floor = [list(hand) for hand in table.hands], list(table.floor)
    table.step(DECLARE)
    assert not table.in_deal
    assert table.declarer == 0
    assert (table.hands, table.floor) == (hands, floor)
    assert table.turns == [1, 1]
    assert table.legal_actions() == []
    with pytest.raises(ValueError, match="No deal is being played"):
        table.step(DECLARE)


def test_ls_09_not_after_having_discarded_in_the_same_turn() -> None:
    """Discard and draw are one action, and the turn passes with it."""
    table = position(["2C 3D", "9C"], floor="4C")
    play(table, "3D")
    assert table.mover == 1


def test_ls_09_any_total_may_declare() -> None:
    table = position(["10C JD QH KS KC", "AC"], floor="4C")
    assert DECLARE in table.legal_actions()


@pytest.mark.parametrize(("limit", "may"), [(4, False), (5, True), (6, True)])
def test_ls_09_declare_limit(limit: int, may: bool) -> None:
    table = position(["2C 3D", "9C"], floor="4C", declare_limit=limit)
    assert (DECLARE in table.legal_actions()) == may


def test_ls_09_declare_limit_goes_by_the_options_values() -> None:
    for face_values, may in (("ten", True), ("pip", False)):
        table = position(["KC", "9C"], "4C", declare_limit=10, face_values=face_values)
        assert (DECLARE in table.legal_actions()) == may


# --- LS-10, LS-11: the points of a deal ------------------------------------------------------


@pytest.mark.parametrize(
    ("totals", "declarer", "points"),
    [
        ((10, 16, 17), 0, [0, 6, 7]),
        ((10, 8, 15), 0, [22, 0, 0]),
        ((16, 10, 17), 1, [6, 0, 7]),
        ((10, 10, 17), 0, [0, 0, 7]),  # a tie for lowest counts as correct
        ((10, 10, 10), 2, [0, 0, 0]),
        ((50, 1), 0, [69, 0]),
        ((1, 50), 0, [0, 49]),
    ],
)
def test_ls_10_ls_11_points(totals: tuple[int, ...], declarer: int, points: list[int]) -> None:
    assert list(declaration_points(dict(enumerate(totals)), declarer).values()) == points


def test_ls_10_a_declaration_is_scored_by_the_hands() -> None:
    table = position(["4C 6D", "7C 9D", "8C 9S"], floor="AC")
    table.step(DECLARE)
    assert table.deal_points == [0, 6, 7]
    assert table.points == [0, 6, 7]


def test_ls_11_a_wrong_declaration_is_scored_by_the_hands() -> None:
    table = position(["4C 6D", "3C 5D", "7C 8S"], floor="AC")
    table.step(DECLARE)
    assert table.deal_points == [22, 0, 0]


def test_ls_10_tie_wrong_costs_exactly_the_penalty() -> None:
    for penalty in (20, 25):
        table = position(["4C 6D", "KC", "7C 8S"], floor="AC", tie="wrong", penalty=penalty)
        table.step(DECLARE)
        assert table.deal_points == [penalty, 0, 0]


def test_ls_10_tie_wrong_leaves_a_strictly_lowest_declarer_right() -> None:
    assert declaration_points({0: 9, 1: 10}, 0, tie="wrong") == {0: 0, 1: 1}


def test_ls_11_penalty() -> None:
    assert declaration_points({0: 10, 1: 8, 2: 15}, 0, penalty=30) == {0: 32, 1: 0, 2: 0}


def test_ls_10_face_values_count() -> None:
    for face_values, points in (("ten", 5), ("pip", 8)):
        table = position(["5C", "KC"], floor="AC", face_values=face_values)
        table.step(DECLARE)
        assert table.deal_points == [0, points]
