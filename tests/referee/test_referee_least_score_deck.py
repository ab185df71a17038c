"""The deck of Least Score on the referee: LS-15, LS-16, stable piles, random play to the end."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.referee.least_score import Table, deal, shuffler
from tests.referee.least_score_options import Options, showdown_points
from tests.referee.least_score_positions import (
    all_cards,
    check_conserved,
    play,
    position,
    snapshot,
    sources,
    start,
)
from tests.referee.least_score_sets import DECLARE, parse

HANDS = ("2C 2D 7H 9S KC", "3C 5D 8H JS QC")


# --- LS-15: the empty deck -------------------------------------------------------------------


def no_deck(**options: Any) -> Table:
    """Two players, all cards open once but those in hands; the deck is empty."""
    return position(
        ["2C 2D", "3C"], floor="4C", rest="buried", ranks=5, suits=2, hand_size=4, **options
    )


def test_ls_15_the_buried_cards_become_the_deck() -> None:
    table = no_deck()
    asked: list[list[int]] = []

    def order(buried: list[int]) -> list[int]:
        asked.append(buried)
        return parse("5D AC 5C 4D AD 3D")

    table.reshuffle = order
    assert 0 in sources(table)
    play(table, "2C")
    assert asked == [parse("AC AD 3D 4D 5C 5D")]  # neither 4C, the old floor, nor 2C, the discard
    assert table.hands[0] == parse("2D 5D")
    assert table.piles == [parse("AC 5C 4D AD 3D")]
    assert table.buried == parse("4C")
    assert table.floor == parse("2C")
    check_conserved(table)


def test_ls_15_no_reshuffle_before_a_card_is_to_be_drawn() -> None:
    table = no_deck()
    play(table, "2C", draw="4C")  # without any order given
    assert table.deck_size == 0
    assert len(table.buried) == 6


def test_ls_15_the_last_card_of_the_deck_is_drawn_without_a_reshuffle() -> None:
    table = position(["2C 2D", "3C"], "4C", deck="AC", rest="buried", ranks=5, hand_size=2)
    play(table, "2C")
    assert table.hands[0] == parse("AC 2D")
    assert table.deck_size == 0


def test_ls_15_without_deck_and_buried_cards_the_floor_must_be_drawn_from() -> None:
    table = position(["AC 2C 3C 4C 5C", "6C 7C 8C 9C"], "10C JC", ranks=11, suits=1, rest="buried")
    assert table.deck_size + len(table.buried) == 0
    assert sources(table) == {1, 2}
    with pytest.raises(ValueError, match="isn't legal"):
        play(table, "AC")
    play(table, "AC", draw="JC")
    assert sources(table) == {0, 1}  # the 10 is buried now


def test_ls_15_an_empty_deck_on_turn_1_with_a_card_on_the_floor_is_legal() -> None:
    table = start(["AC 2C 3C 4C 5C", "6C 7C 8C 9C 10C"], "JC", ranks=11, suits=1)
    assert table.deck_size == 0
    assert table.in_deal
    assert sources(table) == {1}


@pytest.mark.parametrize("wrong", ["5D AC", "5D AC 5C 4D AD 3D 4C", "5D AC 5C 4D AD AD"])
def test_ls_15_what_is_no_order_of_the_buried_cards_is_refused(wrong: str) -> None:
    table = no_deck()
    table.reshuffle = lambda buried: parse(wrong)
    before = snapshot(table)
    with pytest.raises(ValueError, match="order of the buried"):
        play(table, "2C")
    assert snapshot(table) == before


def test_ls_15_a_reshuffle_without_an_order_is_refused() -> None:
    table = no_deck()
    before = snapshot(table)
    with pytest.raises(ValueError, match="no order is given"):
        play(table, "2C")
    assert snapshot(table) == before


# --- LS-16: endless deals --------------------------------------------------------------------


def test_ls_16_a_deal_is_void_after_max_turns() -> None:
    table = start(HANDS, "4C", max_turns=3)
    for _ in range(3):
        assert table.in_deal
        table.step(table.legal_actions()[-1])
    assert not table.in_deal
    assert table.declarer is None
    assert table.deal_points == [0, 0]
    assert table.deals == 1


def test_ls_16_the_last_turn_may_be_a_declaration() -> None:
    table = start(["AC AD 2H 2S 3C", "10C JD QH KS KC"], "4C", max_turns=3)
    table.step(table.legal_actions()[0])
    table.step(table.legal_actions()[0])
    table.step(DECLARE)
    assert table.declarer == 0


def test_ls_16_showdown() -> None:
    assert showdown_points({0: 7, 1: 12, 3: 5}) == {0: 2, 1: 7, 3: 0}
    table = start(["AC AD 2H 2S 3C", "10C JD QH KS KC"], "4C", max_turns=1, at_limit="showdown")
    play(table, "3C", draw="4C")
    assert table.declarer is None
    assert table.deal_points == [0, 50 - 10]


@pytest.mark.parametrize("players", [2, 4])
def test_ls_16_fifty_turns_per_player_are_the_default(players: int) -> None:
    table = Table(Options(num_players=players), 0, reshuffle=shuffler(random.Random(0)))
    deal(table, random.Random(0))
    while table.in_deal:
        table.step(next(a for a in table.legal_actions() if a != DECLARE))
    assert table.turns == [50] * players
    assert table.deal_points == [0] * players


@pytest.mark.parametrize(("at_limit", "points"), [("void", [0, 0]), ("showdown", [0, 2])])
def test_ls_16_who_can_do_nothing_ends_the_deal(at_limit: str, points: list[int]) -> None:
    """No floor, an empty own pile and nothing buried: there is nothing to draw."""
    options = Options(
        num_players=2, ranks=5, suits=1, hand_size=2, open_card=False,
        deal_mode="stable", at_limit=at_limit,
    )  # fmt: skip
    table = Table(options, first_player=0)
    table.start_deal([parse("AC 3C"), parse("2C 4C")], None, [[], parse("5C")])
    assert not table.in_deal
    assert table.deals == 1
    assert table.deal_points == points


# --- deal_mode="stable" ----------------------------------------------------------------------


def stable(piles: list[str], buried: str, order: str = "", out: int | None = None) -> Table:
    """Seat 0 to move with 2C and 3C; other players' cards do not matter; the floor is 10C."""
    options = Options(num_players=3, ranks=10, suits=2, hand_size=2, deal_mode="stable")
    table = Table(options, first_player=0, reshuffle=lambda cards: parse(order))
    table.participants = [seat for seat in range(3) if seat != out]
    table.hands = [parse("2C 3C") if seat in table.participants else [] for seat in range(3)]
    table.floor = parse("10C")
    table.piles = [parse(pile) for pile in piles]
    table.buried = parse(buried)
    table.in_deal = True
    return table


def test_stable_everybody_draws_from_the_own_pile() -> None:
    table = stable(["AC AD", "4C 4D", "5C 5D"], buried="6C 6D")
    table.hands[1:] = [parse("7C 7D"), parse("8C 8D")]
    play(table, "3C")
    play(table, "7D")
    play(table, "8D")
    assert table.hands == [parse("AC 2C"), parse("4C 7C"), parse("5C 8C")]
    assert table.piles == [parse("AD"), parse("4D"), parse("5D")]


def test_stable_the_buried_cards_are_dealt_in_turn_beneath_what_is_left() -> None:
    table = stable(["", "4C 4D", ""], buried="6C 6D 7C 7D 8C", order="8C 7D 6C 7C 6D")
    play(table, "3C")
    assert table.hands[0] == parse("2C 8C")
    assert table.piles == [parse("7C"), parse("4C 4D 7D 6D"), parse("6C")]
    assert table.buried == parse("10C")


def test_stable_who_is_out_gets_no_cards() -> None:
    table = stable(["", "", ""], buried="6C 6D 7C 7D", order="7D 6C 7C 6D", out=1)
    play(table, "3C")
    assert table.piles == [parse("7C"), [], parse("6C 6D")]


@pytest.mark.parametrize(
    ("piles", "buried", "legal"),
    [
        (["", "4C", "5C"], "", {1}),  # the piles of others don't help
        (["AC", "", ""], "", {0, 1}),
        (["", "", ""], "6C", {0, 1}),
    ],
)
def test_stable_the_deck_may_be_drawn_from_with_an_own_pile_or_buried_cards(
    piles: list[str], buried: str, legal: set[int]
) -> None:
    assert sources(stable(piles, buried)) == legal


def test_stable_wrong_piles_are_refused() -> None:
    options = Options(num_players=2, ranks=5, suits=1, hand_size=1, deal_mode="stable")
    table, hands = Table(options, first_player=0), [parse("AC"), parse("2C")]
    with pytest.raises(ValueError, match="has a pile"):
        table.start_deal(hands, parse("3C")[0], [parse("4C 5C")])
    table.out_in[1] = 1
    with pytest.raises(ValueError, match="has a pile"):
        table.start_deal([parse("AC"), []], parse("3C")[0], [parse("4C 5C"), parse("2C")])


# --- random play -----------------------------------------------------------------------------

TABLES: list[dict[str, Any]] = [
    {},
    {"num_players": 2, "points_limit": 50, "knockout": "reach"},
    {"num_players": 3, "two_pairs": True, "face_values": "pip", "tie": "wrong"},
    {"num_players": 6, "match_end": "first_out", "points_limit": 25.5},
    {"num_players": 8, "max_deals": 4},
    {"num_players": 8, "deal_mode": "stable", "max_deals": 4},
    {"num_players": 5, "deal_mode": "stable", "open_card": False, "points_limit": 25},
    {"num_players": 2, "ranks": 11, "suits": 1, "max_turns": 30, "max_deals": 5},
    {"num_players": 3, "ranks": 4, "suits": 2, "hand_size": 2, "open_card": False},
    {"num_players": 2, "ranks": 3, "suits": 1, "hand_size": 1, "at_limit": "showdown"},
    {"num_players": 4, "points_limit": None, "declare_limit": 9, "sets": ("pair",)},
]


def random_action(table: Table, rng: random.Random) -> int:
    """A random action that seldom declares, so that deals get long."""
    plays = [choice for choice in table.legal_actions() if choice != DECLARE]
    return DECLARE if table.may_declare(table.mover) and rng.random() < 0.02 else rng.choice(plays)


@pytest.mark.parametrize("options", TABLES)
def test_random_play_keeps_all_cards_and_the_bounds(options: dict[str, Any]) -> None:
    rng = random.Random(1)
    table = Table(Options(**options), 1, reshuffle=shuffler(rng))
    size = table.options.hand_size
    while not table.over:
        deal(table, rng)
        while table.in_deal:
            assert all_cards(table) == table.deck_cards
            assert all(1 <= len(table.hands[seat]) <= size for seat in table.participants)
            assert len(table.floor) <= size
            mover, held = table.mover, len(table.hands[table.mover])
            table.step(random_action(table, rng))
            assert len(table.hands[mover]) <= held  # a hand never grows
        assert all_cards(table) == table.deck_cards
        assert min(table.deal_points) == 0
    assert sum(table.win_shares()) == pytest.approx(1)
