"""The No Thanks! referee against its rules, NT-9 and NT-10 apart: see test_referee_no_thanks_score.

What can't be shown on a referee, which has no seeds, no observations and no shuffle of its own, is
left to the engine's tests: `reset(seed)` fixing the deal, leaks, the uniformity of the shuffle.
"""

from __future__ import annotations

import random

import pytest

from tests.referee.no_thanks import DEFAULT_CHIPS, PASS, TAKE, Table, deal
from tests.referee.no_thanks_examples import play_random


def snapshot(table: Table) -> str:
    """Every attribute as text, to see whether anything changed."""
    return repr(vars(table))


# --- NT-1 ... NT-4: set-up -------------------------------------------------------------------


def test_nt1_24_of_33_cards_are_played() -> None:
    table = play_random(deal(random.Random(1)), random.Random(2))
    assert len(table.deck) == 24
    assert len(table.removed) == 9
    assert table.taken == 24
    assert table.cards_left == 0
    assert set().union(*table.cards, table.removed) == set(range(3, 36))


@pytest.mark.parametrize(("players", "chips"), [(2, 11), (3, 11), (4, 11), (5, 11), (6, 9), (7, 7)])
def test_nt2_nt3_chips_by_number_of_players(players: int, chips: int) -> None:
    assert DEFAULT_CHIPS[players] == chips
    assert Table(players, deck=[3]).chips == [chips] * players
    assert players * chips <= 55  # the box


@pytest.mark.parametrize("players", [-1, 0, 1, 8])
def test_nt3_number_of_players_is_checked(players: int) -> None:
    with pytest.raises(ValueError, match="2 to 7"):
        Table(players, deck=[3])


@pytest.mark.parametrize("first", [0, 1, 2])
def test_nt4_first_player_decides_on_the_first_card(first: int) -> None:
    table = Table(3, deck=[9, 8], first_player=first)
    assert (table.mover, table.offered, table.pot, table.cards_left) == (first, 9, 0, 1)


def test_nt4_first_player_is_random_when_not_given() -> None:
    rng = random.Random(3)
    assert {deal(rng, num_players=5).mover for _ in range(200)} == {0, 1, 2, 3, 4}
    with pytest.raises(ValueError, match="First player 3"):
        Table(3, deck=[3], first_player=3)


@pytest.mark.parametrize(
    ("deck", "removed", "reason"),
    [
        ([], [3, 4], "at least one card"),
        ([3, 3], [], "exactly once"),
        ([3, 4], [4], "exactly once"),  # in the deck and removed
        ([3, 5], [], "every card of a range"),
        ([0, 1], [], "within 1 to 35"),
        ([35, 36], [], "within 1 to 35"),
    ],
)
def test_nt1_bad_decks_are_refused(deck: list[int], removed: list[int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Table(2, deck=deck, removed=removed)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"low": 0}, "low <= high"),
        ({"high": 36}, "low <= high"),
        ({"low": 9, "high": 8}, "low <= high"),
        ({"removed": 33}, "at least one must stay"),
        ({"removed": -1}, "at least one must stay"),
        ({"chips": -1}, "0 or more"),
    ],
)
def test_bad_options_are_refused(options: dict[str, int], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        deal(random.Random(0), **options)


# --- NT-5 ... NT-8: play ---------------------------------------------------------------------


def test_nt5_pass_pays_a_chip_and_moves_the_turn_on() -> None:
    table = Table(3, deck=[9, 8], chips=2, first_player=2)
    table.step(PASS)
    assert (table.chips, table.pot, table.mover) == ([2, 2, 1], 1, 0)
    table.step(PASS)
    assert (table.chips, table.pot, table.mover) == ([1, 2, 1], 2, 1)
    assert table.offered == 9
    assert table.cards == [set(), set(), set()]


def test_nt5_take_gets_the_card_and_every_chip_on_it() -> None:
    table = Table(3, deck=[9, 8], chips=2)
    for action in (PASS, PASS, TAKE):
        table.step(action)
    assert table.cards == [set(), set(), {9}]
    assert table.chips == [1, 1, 4]
    assert table.pot == 0


def test_nt5_the_auction_goes_round_until_somebody_takes() -> None:
    table = Table(2, deck=[30, 31], chips=3)
    for expected_mover in (0, 1, 0, 1, 0, 1):
        assert table.mover == expected_mover
        table.step(PASS)
    assert table.pot == 6
    assert table.chips == [0, 0]
    assert table.legal_actions() == [TAKE]
    table.step(TAKE)
    assert table.chips == [6, 0]
    assert table.offered == 31


def test_nt6_after_a_take_the_turn_does_not_move_on() -> None:
    table = Table(4, deck=[9, 8, 7], first_player=1)
    table.step(TAKE)
    assert (table.mover, table.offered, table.pot) == (1, 8, 0)
    table.step(TAKE)
    assert (table.mover, table.offered) == (1, 7)
    table.step(PASS)
    assert table.mover == 2
    table.step(TAKE)
    assert table.over


def test_nt7_without_chips_one_must_take() -> None:
    table = Table(2, deck=[9, 8], chips=1)
    assert table.legal_actions() == [PASS, TAKE]
    table.step(PASS)
    table.step(PASS)
    assert table.legal_actions() == [TAKE]


def test_nt7_a_pass_without_chips_is_refused_and_not_turned_into_a_take() -> None:
    table = Table(2, deck=[9, 8], chips=0)
    before = snapshot(table)
    with pytest.raises(ValueError, match=r"legal are \[1\]"):
        table.step(PASS)
    assert snapshot(table) == before


@pytest.mark.parametrize("action", [-1, 2, 3])
def test_nt5_unknown_actions_are_refused(action: int) -> None:
    table = Table(2, deck=[9, 8])
    before = snapshot(table)
    with pytest.raises(ValueError, match=r"legal are \[0, 1\]"):
        table.step(action)
    assert snapshot(table) == before


def test_nt8_the_last_card_has_a_full_auction() -> None:
    table = Table(3, deck=[9, 8], chips=2)
    table.step(TAKE)
    assert table.cards_left == 0
    assert table.offered == 8
    assert not table.over
    for _ in range(6):  # two rounds, until all chips are spent
        table.step(PASS)
        assert not table.over
    table.step(TAKE)
    assert table.over
    assert table.cards == [{8, 9}, set(), set()]
    assert table.chips == [6, 0, 0]


def test_nt8_the_game_ends_when_the_24th_card_is_taken() -> None:
    table = deal(random.Random(4), first_player=0)
    for taken in range(24):
        assert not table.over
        assert table.taken == taken
        assert table.cards_left == 23 - taken
        table.step(PASS)
        table.step(TAKE)
    assert table.over
    assert table.taken == 24


def test_nt8_after_the_end_there_is_no_pot_no_offer_and_no_move() -> None:
    table = Table(2, deck=[9], chips=1)
    table.step(PASS)
    table.step(TAKE)
    assert table.over
    assert table.pot == 0
    assert table.offered is None
    assert table.legal_actions() == []
    assert table.chips == [0, 2]
    for action in (PASS, TAKE):
        with pytest.raises(ValueError, match="over"):
            table.step(action)


def test_reduced_game_of_one_card() -> None:
    table = Table(2, deck=[5], removed=[3, 4, 6], chips=1)
    assert table.cards_left == 0
    table.step(TAKE)
    assert table.over
    assert table.scores() == [4, -1]
    assert table.winners() == [1]


def test_reduced_game_without_chips_goes_to_the_first_player() -> None:
    table = Table(3, deck=[5, 3, 4], chips=0, first_player=1)
    while not table.over:
        assert table.legal_actions() == [TAKE]
        table.step(TAKE)
    assert table.scores() == [0, 3, 0]
    assert table.win_shares() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(
    ("low", "high", "removed"), [(1, 1, 0), (35, 35, 0), (3, 8, 1), (1, 35, 0)]
)
@pytest.mark.parametrize("players", [2, 3, 7])
@pytest.mark.parametrize("chips", [0, 1, 3])
def test_every_size_plays_to_the_end_and_keeps_every_chip(
    low: int, high: int, removed: int, players: int, chips: int
) -> None:
    rng = random.Random(5)
    table = deal(rng, players, low, high, removed, chips)
    while not table.over:
        table.step(rng.choice(table.legal_actions()))
        assert sum(table.chips) + table.pot == players * chips
    assert table.pot == 0
    assert table.taken == high - low + 1 - removed
    assert table.decisions <= len(table.deck) * (players * chips + 1)


def test_the_bound_on_decisions_is_reached_when_all_always_pass() -> None:
    """24 * (total chips + 1) is a true bound: with one card it is reached exactly."""
    table = Table(3, deck=[20], chips=2)
    while not table.over:
        table.step(table.legal_actions()[0])
    assert table.decisions == 1 * (6 + 1)


def test_random_play_of_four_matches_the_published_means() -> None:
    """Known of random legal play, 4 players: 48.0 decisions a game, mean score 80.08."""
    rng, games = random.Random(6), 2000
    tables = [play_random(deal(rng), rng) for _ in range(games)]
    assert sum(t.decisions for t in tables) / games == pytest.approx(48.0, abs=0.8)
    assert sum(sum(t.scores()) / 4 for t in tables) / games == pytest.approx(80.08, abs=1.0)


# --- NT-11 -----------------------------------------------------------------------------------


def test_nt11_chips_can_be_counted_by_who_remembers_every_move() -> None:
    """Public moves alone (who passed, who took which pot) give every player's chips."""
    rng = random.Random(8)
    table = deal(rng, num_players=5)
    counted = [11] * 5
    while not table.over:
        mover, pot = table.mover, table.pot
        action = rng.choice(table.legal_actions())
        table.step(action)
        counted[mover] += pot if action == TAKE else -1
        assert counted == table.chips


def test_nt11_the_number_of_cards_left_goes_down_with_every_take_only() -> None:
    table = Table(2, deck=[5, 4, 3], chips=1)
    seen = [table.cards_left]
    for action in (PASS, PASS, TAKE, PASS, TAKE, TAKE):
        table.step(action)
        seen.append(table.cards_left)
    assert seen == [2, 2, 2, 1, 1, 0, 0]  # the last take turns nothing
    assert table.over
