"""A match of Least Score on the referee against LS-12, LS-13, LS-14, LS-16 and LS-19."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import pytest

from tests.referee.least_score import Table, deal
from tests.referee.least_score_options import Options
from tests.referee.least_score_sets import DECLARE, parse


def match(players: int, first_player: int = 0, **options: Any) -> Table:
    return Table(Options(num_players=players, **options), first_player)


def declare(table: Table, hands: Sequence[str], declarer: int) -> list[int]:
    """A deal in which the seat declares and these hands are shown; its points."""
    deal(table, random.Random(0))
    table.hands = [parse(hand) for hand in hands]
    table.turns = [1] * table.num_players
    table.mover = declarer
    table.step(DECLARE)
    return table.deal_points


def void(table: Table) -> None:
    """A deal without a declaration."""
    deal(table, random.Random(0))
    while table.in_deal:
        table.step(table.legal_actions()[-1])


def ranked(points: list[int], out_in: list[int | None]) -> list[int]:
    """The places of a match that ended like this."""
    table = match(len(points))
    table.points, table.out_in, table.over = points, out_in, True
    return table.ranking()


# --- LS-12 -----------------------------------------------------------------------------------


def test_ls_12_points_add_up() -> None:
    table = match(3)
    assert declare(table, ["10C", "10D 6D", "8C 9C"], 0) == [0, 6, 7]
    assert declare(table, ["10C", "8D", "8C 7C"], 0) == [22, 0, 0]
    assert table.points == [22, 6, 7]
    assert table.deals == 2
    assert not table.over


@pytest.mark.parametrize(
    ("knockout", "limit", "own", "out"),
    [
        ("exceed", 25, "KC", False),  # 20 + 10 - 5 = 25 points
        ("exceed", 25, "KC AC", True),
        ("exceed", 25.5, "KC", False),
        ("exceed", 24.5, "KC", True),
        ("reach", 25, "9C", False),
        ("reach", 25, "KC", True),
        ("reach", 25.5, "KC", False),
    ],
)
def test_ls_12_the_limit(knockout: str, limit: float, own: str, out: bool) -> None:
    table = match(3, points_limit=limit, knockout=knockout)
    declare(table, [own, "5D", "8C"], 0)
    assert table.out_in == [1 if out else None, None, None]


def test_ls_12_usual_is_to_exceed_100() -> None:
    table = match(2)
    table.points = [80, 80]
    declare(table, ["5C", "5D"], 0)
    declare(table, ["5C", "5D AD"], 1)  # 20 + 6 - 5 = 21
    assert table.points == [80, 101]
    assert table.out_in == [None, 2]


def test_ls_12_who_is_out_sits_out() -> None:
    table = match(3, points_limit=20)
    declare(table, ["5D", "KC", "8C"], 1)
    assert table.seats_in() == [0, 2]
    deal(table, random.Random(0))
    assert table.participants == [0, 2]
    assert [len(hand) for hand in table.hands] == [5, 0, 5]
    assert table.deck_size == 52 - 11
    assert table.max_turns == 100
    movers = []
    for _ in range(4):
        movers.append(table.mover)
        table.step(table.legal_actions()[-1])
    assert movers == [2, 0, 2, 0]


def test_ls_12_the_hand_of_who_is_out_does_not_count() -> None:
    table = match(3, points_limit=20)
    declare(table, ["5D", "KC", "8C"], 1)
    assert declare(table, ["5D", "", "8C"], 0) == [0, 0, 3]
    assert table.points == [0, 25, 3]
    assert table.participants == [0, 2]


def test_ls_12_who_is_out_gets_no_cards() -> None:
    table = match(3, points_limit=20, ranks=4, suits=1, hand_size=1)
    declare(table, ["AC", "3C", "2C"], 1)
    with pytest.raises(ValueError, match="no other"):
        table.start_deal([parse("AC"), parse("2C"), parse("3C")], parse("4C")[0], [])
    table.start_deal([parse("AC"), [], parse("3C")], parse("4C")[0], parse("2C"))


def test_ls_12_no_limit_is_a_match_of_one_deal() -> None:
    table = match(3, points_limit=None)
    declare(table, ["10C", "10D 6D", "8C 9C"], 0)
    assert table.over
    assert not table.truncated
    assert table.out_in == [None] * 3
    assert table.ranking() == [0, 1, 2]
    assert table.win_shares() == [1.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="No deal is due"):
        deal(table, random.Random(0))


def test_ls_12_no_limit_fewest_points_win_and_ties_share() -> None:
    table = match(3, points_limit=None)
    declare(table, ["10C", "8D", "7C 8C"], 0)
    assert table.ranking() == [1, 0, 0]
    assert table.win_shares() == [0.0, 0.5, 0.5]


def test_ls_12_no_limit_a_void_deal_is_a_tie_of_all() -> None:
    table = match(4, points_limit=None, max_turns=5)
    void(table)
    assert table.over
    assert not table.truncated
    assert table.ranking() == [0] * 4
    assert table.win_shares() == [0.25] * 4


# --- LS-13 -----------------------------------------------------------------------------------


def test_ls_13_the_last_player_left_wins() -> None:
    table = match(3, points_limit=20)
    declare(table, ["5D", "KC", "8C"], 1)
    assert not table.over
    declare(table, ["KD", "", "8C"], 0)
    assert table.over
    assert table.winners() == [2]
    assert table.ranking() == [1, 2, 0]
    assert table.win_shares() == [0.0, 0.0, 1.0]


def test_ls_13_a_deal_that_knocks_out_all_but_one_ends_the_match() -> None:
    table = match(3, points_limit=20)
    declare(table, ["KC KD 5D", "AC", "KH KS 5S"], 1)
    assert table.points == [24, 0, 24]
    assert table.over
    assert table.ranking() == [1, 0, 1]


def test_ls_13_first_out_ends_the_match_and_fewest_points_win() -> None:
    table = match(4, points_limit=20, match_end="first_out")
    declare(table, ["AC", "3C", "5C", "KC"], 0)
    assert not table.over
    declare(table, ["5D", "KC", "8C", "8D"], 1)
    assert table.points == [0, 27, 4, 9]
    assert table.over
    assert table.ranking() == [0, 3, 1, 2]
    assert not table.truncated


def test_ls_13_first_out_ties_share() -> None:
    table = match(3, points_limit=20, match_end="first_out")
    declare(table, ["5D", "KC", "8C"], 1)
    assert table.win_shares() == [0.5, 0.0, 0.5]


def test_ls_13_nobody_has_won_before_the_end() -> None:
    table = match(2)
    for question in (table.ranking, table.winners, table.win_shares):
        with pytest.raises(ValueError, match="isn't over"):
            question()


# --- LS-14 -----------------------------------------------------------------------------------


def test_ls_14_the_start_rotates() -> None:
    table = match(3, first_player=2, max_turns=4)
    starters = []
    for _ in range(4):
        deal(table, random.Random(0))
        starters.append(table.mover)
        table.step(table.legal_actions()[0])
        assert table.mover == (starters[-1] + 1) % 3
        while table.in_deal:  # a void deal rotates too (LS-16)
            table.step(table.legal_actions()[-1])
    assert starters == [2, 0, 1, 2]


def test_ls_14_the_start_skips_who_is_out() -> None:
    table = match(4, points_limit=20)
    declare(table, ["5D", "KC", "8C", "8D"], 1)  # started by seat 0
    assert table.starter == 2
    declare(table, ["5D", "", "6C", "6D"], 0)
    declare(table, ["5D", "", "6C", "6D"], 0)
    assert table.starter == 0


@pytest.mark.parametrize(("starter", "following"), [(0, 1), (1, 2), (2, 3), (3, 0)])
def test_ls_14_when_the_starter_is_out_the_next_player_starts(starter: int, following: int) -> None:
    table = match(4, first_player=starter, points_limit=20)
    declare(table, ["KC" if seat == starter else "5D" for seat in range(4)], starter)
    assert table.seats_in() == [seat for seat in range(4) if seat != starter]
    assert table.starter == following


def test_ls_14_option_first_player() -> None:
    assert Table(Options(first_player=3)).starter == 3
    assert Table(Options(first_player=3), 3).starter == 3
    for options, seat in ((Options(first_player=3), 2), (Options(), None), (Options(), 4)):
        with pytest.raises(ValueError, match="LS-14"):
            Table(options, seat)


# --- LS-16 -----------------------------------------------------------------------------------


def test_ls_16_a_match_is_truncated_after_max_deals_and_ranked_by_points() -> None:
    table = match(3, max_deals=2, max_turns=5)
    declare(table, ["AC", "5C", "3C"], 0)
    void(table)  # counts as a deal
    assert table.over
    assert table.truncated
    assert table.deals == 2
    assert table.points == [0, 4, 2]
    assert table.ranking() == [0, 2, 1]


def test_ls_16_100_deals_are_the_default() -> None:
    table = match(2, max_turns=1)
    for _ in range(99):
        void(table)
    assert not table.over
    void(table)
    assert table.truncated
    assert table.win_shares() == [0.5, 0.5]


def test_ls_16_a_match_decided_in_its_last_deal_is_not_truncated() -> None:
    table = match(2, max_deals=1, points_limit=20)
    declare(table, ["KC", "5D"], 0)
    assert table.over
    assert not table.truncated


def test_ls_16_a_showdown_can_knock_out() -> None:
    table = match(2, points_limit=5, max_turns=1, at_limit="showdown", hand_size=1)
    rest = [card for card in table.deck_cards if card not in parse("AC 2C KC")]
    table.start_deal([parse("2C"), parse("KC")], parse("AC")[0], rest)
    table.step(table.legal_actions()[1])  # the 2 goes, the ace is picked up
    assert table.points == [0, 9]
    assert table.winners() == [0]


# --- LS-19 -----------------------------------------------------------------------------------


def test_ls_19_a_later_knock_out_ranks_higher() -> None:
    assert ranked([120, 101, 90, 150], [2, 1, None, 3]) == [2, 3, 0, 1]


def test_ls_19_in_the_same_deal_fewer_points_rank_higher() -> None:
    assert ranked([120, 101, 90, 150], [2, 2, None, 2]) == [2, 1, 0, 3]


def test_ls_19_then_places_are_shared() -> None:
    assert ranked([120, 90, 120, 150], [2, None, 2, 1]) == [1, 0, 1, 2]
    assert ranked([120, 90, 120], [1, None, 2]) == [2, 0, 1]


def test_ls_19_who_is_left_ranks_above_who_is_out() -> None:
    """At the truncation of a match; of those left fewer points rank higher, equal points share."""
    assert ranked([90, 30, 101, 30], [None, None, 5, None]) == [1, 0, 2, 0]
