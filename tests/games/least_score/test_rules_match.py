"""The match in the compiled engine: LS-12 to LS-14 and LS-19, and what players are paid."""

from __future__ import annotations

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.engine.rewards import SCORE_SCALE
from tests.games.least_score.play import Play, showdown


def next_deal(play: Play, *hands: str, declarer: int = 0) -> Play:
    """End the running deal: `declarer` declares with these hands, empty for who is out."""
    return play.set_hands(*hands).set(turn=play.left, mover=declarer).declare()


def match(num_players: int, **options: object) -> Play:
    return Play(num_players, **options)


# --- LS-12, points and knock-outs ----------------------------------------------------------------


def test_ls12_points_add_up_over_the_deals() -> None:
    """LS-12: points add up over deals."""
    play = next_deal(match(3), "10C", "10D 6D", "8C 9C")
    assert (play.deals, play.over, play.turn) == (1, 0, 0)
    next_deal(play, "10C", "8D", "8C 7C")
    assert play.of_seats("points") == [22, 6, 7]
    assert play.scores() == [22, 6, 7]
    assert play.everywhere() == play.all_cards


@pytest.mark.parametrize(
    ("knockout", "limit", "own", "out"),
    [
        ("exceed", 25, "KC", 0),  # 20 + 10 − 5 = 25 points
        ("exceed", 25, "KC AC", 1),
        ("exceed", 25.5, "KC", 0),
        ("exceed", 24.5, "KC", 1),
        ("reach", 25, "9C", 0),
        ("reach", 25, "KC", 1),
        ("reach", 25.5, "KC", 0),
    ],
)
def test_ls12_the_limit_must_be_exceeded_or_reached(
    knockout: str, limit: float, own: str, out: int
) -> None:
    """LS-12: the option `knockout` chooses between exceeding and reaching the limit.

    A common error: reaching the limit is enough where it must be exceeded.
    """
    play = next_deal(match(3, points_limit=limit, knockout=knockout), own, "5D", "8C")
    assert play.of_seats("out") == [out, 0, 0]
    assert (play.left, play.over) == (3 - out, 0)


def test_ls12_by_default_100_points_may_not_be_exceeded() -> None:
    """LS-12: by default a player with more than 100 points is out."""
    for before, out in ((79, 0), (80, 1)):  # a wrong declaration by one costs 21
        play = next_deal(match(3).set(points=[0, before, 0]), "5C", "5D AD", "6C", declarer=1)
        assert play.of_seats("points") == [0, before + 21, 0]
        assert play.of_seats("out") == [0, out, 0]


def test_ls12_who_is_out_sits_out_later_deals() -> None:
    """LS-12: a player who is out takes no part in later deals.

    A common error: a player who is out is dealt in again.
    """
    play = next_deal(match(4, points_limit=20), "5D", "KC", "8C", "9C", declarer=1)
    assert play.of_seats("out") == [0, 1, 0, 0]
    assert play.of_seats("sizes") == [5, 0, 5, 5]
    assert len(play.deck) == 52 - 16
    movers = []
    for _ in range(6):
        movers.append(play.mover)
        assert play.may_declare() == (len(movers) > 3)  # a round has three turns now
        play.any_turn()
    assert movers == [2, 3, 0, 2, 3, 0]
    assert play.everywhere() == play.all_cards


def test_ls12_who_is_out_takes_no_part_in_the_scoring() -> None:
    """LS-12: a player who is out scores nothing."""
    play = next_deal(match(4, points_limit=20), "5D", "KC", "8C", "9C", declarer=1)
    next_deal(play, "5D", "", "8C", "9C", declarer=0)
    assert play.of_seats("deal_points") == [0, 0, 3, 4]
    assert play.of_seats("points") == [0, 25, 3, 4]
    assert play.of_seats("played") == [1, 0, 1, 1]


def test_ls12_no_limit_is_a_match_of_one_deal() -> None:
    """LS-12: without a limit of points a match is one deal."""
    play = showdown(["10C", "10D 6D", "8C 9C"], points_limit=None)
    assert (play.over, play.truncated) == (1, 0)
    assert play.of_seats("out") == [0, 0, 0]
    assert play.places() == [0, 1, 2]
    tied = showdown(["10C", "10D 6D", "10S", "8C 2C"], points_limit=None)
    assert tied.places() == [0, 3, 0, 0]


def test_ls12_a_void_single_deal_is_a_tie_of_all() -> None:
    """LS-12: a single deal that is void is a tie of all players."""
    play = match(4, points_limit=None, max_turns=1).any_turn()
    assert (play.over, play.places()) == (1, [0, 0, 0, 0])
    assert play.paid("win") == play.paid("placement") == [0, 0, 0, 0]


def test_single_deals_mix_deals_and_matches_by_the_key_of_the_game() -> None:
    batch = make_batch("least_score", 1000, seed=1, single_deals=0.3, observe=False)
    single = batch.states["limit"] < 0
    assert 240 < single.sum() < 360
    assert (batch.states["limit"][~single] == 100).all()
    again = make_batch("least_score", 1000, seed=1, single_deals=0.3, observe=False)
    assert np.array_equal(batch.states, again.states)


# --- LS-13, the winner ---------------------------------------------------------------------------


def test_ls13_the_last_player_left_wins() -> None:
    """LS-13: the last player who is in wins."""
    play = next_deal(match(3, points_limit=20), "5D", "KC", "8C", declarer=1)
    assert play.over == 0
    next_deal(play, "9D", "", "8C", declarer=0)
    assert (play.over, play.truncated) == (1, 0)
    assert play.of_seats("points") == [21, 25, 0]
    assert play.places() == [1, 2, 0]


def test_ls13_a_deal_may_knock_out_all_but_one() -> None:
    """LS-13: one deal may put out all players but one, and ends the match."""
    play = next_deal(match(4, points_limit=5), "AC", "KC", "KD", "9C")
    assert play.of_seats("points") == [0, 9, 9, 8]
    assert (play.over, play.left, play.of_seats("out")) == (1, 1, [0, 1, 1, 1])
    assert play.places() == [0, 2, 2, 1]


def test_ls13_the_match_may_end_when_the_first_is_out() -> None:
    """LS-13: with the option `match_end` the match ends when the first player is out."""
    play = match(4, points_limit=20, match_end="first_out").set(points=[3, 0, 3, 9])
    next_deal(play, "5D", "KC", "8C", "9C", declarer=1)
    assert (play.over, play.truncated) == (1, 0)
    assert play.of_seats("points") == [3, 25, 3, 9]
    assert play.places() == [0, 3, 0, 2]
    np.testing.assert_allclose(play.paid("win"), [1 / 4, -1 / 4, 1 / 4, -1 / 4])


def test_ls13_with_two_players_both_ends_are_the_same() -> None:
    """LS-13: with two players both kinds of `match_end` are the same."""
    for match_end in ("last_survivor", "first_out"):
        play = next_deal(match(2, points_limit=20, match_end=match_end), "KC", "8C")
        assert (play.over, play.places()) == (1, [1, 0])


# --- LS-14, who starts ---------------------------------------------------------------------------


@pytest.mark.parametrize("seat", range(4))
def test_ls14_the_start_rotates(seat: int) -> None:
    """LS-14: each deal is started by the next player."""
    play = match(4, first_player=seat)
    for deal in range(6):
        assert play.starter == play.mover == (seat + deal) % 4
        next_deal(play, "AC", "AD", "AH", "AS", declarer=deal % 4)


def test_ls14_the_start_passes_over_who_is_out() -> None:
    """LS-14: the start passes over players who are out."""
    play = next_deal(match(4, points_limit=20), "5D", "KC", "8C", "9C", declarer=1)
    starters = [play.starter]
    for _ in range(3):
        next_deal(play, "AC", "", "AD", "AH")
        starters.append(play.starter)
    assert starters == [2, 3, 0, 2]


def test_ls14_the_start_passes_on_from_a_starter_who_goes_out() -> None:
    """LS-14: the start passes on from a starter who goes out."""
    play = next_deal(match(4, points_limit=20, first_player=2), "5D", "9C", "KC", "8C", declarer=2)
    assert play.of_seats("out") == [0, 0, 1, 0]
    assert play.starter == play.mover == 3


def test_ls14_the_first_starter_is_random() -> None:
    """LS-14: a random player starts the first deal."""
    starters = [Play(8, seed, first_player="random").mover for seed in range(120)]
    assert set(starters) == set(range(8))


# --- LS-19, the ranking --------------------------------------------------------------------------


def test_ls19_a_later_knock_out_ranks_higher_whatever_the_points() -> None:
    """LS-19: a player who goes out later ranks higher, whatever the points."""
    play = match(4).set(points=[300, 120, 101, 0], out=[0, 1, 1], out_deal=[0, 4, 2])
    play.set(deals=5, left=2)
    next_deal(play, "KC", "", "", "8C")
    assert play.of_seats("out_deal") == [6, 4, 2, 0]
    assert (play.over, play.places()) == (1, [1, 2, 3, 0])


def test_ls19_in_the_same_deal_fewer_points_rank_higher_and_equal_ones_share() -> None:
    """LS-19: of players who go out in the same deal, fewer points rank higher."""
    play = match(6, points_limit=5).set(points=[5, 5, 5, 4, 5, 5])
    next_deal(play, "AC", "4C", "3C", "4D", "3D", "KC")
    assert play.of_seats("points") == [5, 8, 7, 7, 7, 14]
    assert play.places() == [0, 4, 1, 1, 1, 5]


def test_ls19_who_is_in_ranks_by_points_when_a_match_is_truncated() -> None:
    """LS-19: players who are in when a match is truncated rank by points."""
    play = match(4, max_deals=3, max_turns=1)
    play.set(points=[50, 101, 9, 9], out=[0, 1], out_deal=[0, 1], left=3, deals=2).any_turn()
    assert (play.truncated, play.places()) == (1, [2, 3, 0, 0])


# --- what is paid --------------------------------------------------------------------------------


def test_points_are_paid_deal_by_deal_among_those_who_took_part() -> None:
    play = next_deal(match(4, points_limit=20), "5D", "KC", "8C", "9C", declarer=1)
    paid = np.array(play.paid("score")) * SCORE_SCALE
    np.testing.assert_allclose(paid, [25 / 3, -25, 25 / 3, 25 / 3], rtol=1e-6)
    next_deal(play, "5D", "", "8C", "9C", declarer=0)
    paid = np.array(play.paid("score")) * SCORE_SCALE
    np.testing.assert_allclose(paid, [3.5, 0, -1, -2.5], rtol=1e-6)


def test_places_are_paid_when_they_are_settled() -> None:
    play = next_deal(match(4, points_limit=20), "5D", "KC", "8C", "9C", declarer=1)
    np.testing.assert_allclose(play.paid("win"), [0, -1 / 4, 0, 0])
    assert play.paid("placement") == [0, -1, 0, 0]
    next_deal(play, "5D", "", "8C", "9C", declarer=0)
    assert play.paid("win") == play.paid("placement") == [0, 0, 0, 0]
    next_deal(play, "AD", "", "KC KD KH", "KC KD KH", declarer=0)
    np.testing.assert_allclose(play.paid("win"), [3 / 4, 0, -1 / 4, -1 / 4])
    np.testing.assert_allclose(play.paid("placement"), [1, 0, 1 / 3, -1 / 3], rtol=1e-6)


def test_nothing_is_paid_within_a_deal() -> None:
    play = match(3).any_turn()
    assert [play.paid(kind) for kind in ("win", "score", "placement")] == [[0, 0, 0]] * 3


# --- the hands of a match ------------------------------------------------------------------------


def test_every_deal_of_a_match_is_dealt_anew() -> None:
    play = match(3, max_turns=1)
    deals = [play.hands] + [play.any_turn().hands for _ in range(5)]
    assert all(deals.count(hands) == 1 for hands in deals)
    assert all([len(hand) for hand in hands] == [5, 5, 5] for hands in deals)


def test_the_next_deal_does_not_depend_on_how_this_one_was_played() -> None:
    deals = [match(3).any_turn(turns).declare() for turns in (3, 4, 8)]
    assert [play.deals for play in deals] == [1, 1, 1]
    for play in deals[1:]:
        assert (play.hands, play.floor, play.deck) == (
            deals[0].hands,
            deals[0].floor,
            deals[0].deck,
        )
