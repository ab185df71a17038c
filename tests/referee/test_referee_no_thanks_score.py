"""Scores, winners and rewards of the No Thanks! referee: NT-9, NT-10, and the worked examples."""

from __future__ import annotations

import itertools
import random

import pytest

from tests.referee.no_thanks import TAKE, Table, card_points, deal
from tests.referee.no_thanks_examples import SCORE_CHANGES, SCORES, play_random


def finished(hands: list[set[int]], chips: list[int]) -> Table:
    """A finished game with these cards and chips in front of the players."""
    table = Table(len(hands), deck=[3], chips=0)
    table.step(TAKE)
    table.cards = [set(hand) for hand in hands]
    table.chips = list(chips)
    return table


# --- NT-9: the worked examples ---------------------------------------------------------------


@pytest.mark.parametrize(("cards", "chips", "score"), SCORES)
def test_nt9_worked_examples(cards: set[int], chips: int, score: int) -> None:
    table = finished([cards, {30}], [chips, 0])
    assert table.score(0) == score
    assert table.scores() == [score, 30]


def test_nt9_adding_14_bridges_13_and_15() -> None:
    table = finished([{13, 15, 16}, set()], [0, 0])
    assert table.score_change(0, 14) == 13 - 28
    assert table.score_change(1, 14) == 14


@pytest.mark.parametrize(("held", "card", "change"), SCORE_CHANGES)
def test_nt9_score_change(held: set[int], card: int, change: int) -> None:
    assert finished([held, set()], [0, 0]).score_change(0, card) == change


def test_nt9_score_change_agrees_with_the_closed_formula() -> None:
    """The formula for d against the difference of scores, on every subset of 1-9."""
    everything = range(1, 10)
    for size in range(9):
        for held in itertools.combinations(everything, size):
            table = finished([set(held), set()], [0, 0])
            for c in set(everything) - set(held):
                formula = (0 if c - 1 in held else c) - (c + 1 if c + 1 in held else 0)
                assert table.score_change(0, c) == formula


def test_nt9_order_of_taking_does_not_matter() -> None:
    cards = [13, 14, 15, 16, 20]
    for order in itertools.permutations(cards):
        removed = [card for card in range(13, 21) if card not in cards]
        table = Table(2, deck=order, removed=removed, chips=0)
        for _ in order:
            table.step(TAKE)
        assert table.score(0) == 13 + 20


def test_nt9_card_35_counts() -> None:
    assert card_points({35}) == 35
    assert card_points({33, 35}) == 68
    assert card_points({34, 35}) == 34


def test_nt9_no_cards_scores_minus_chips() -> None:
    table = Table(3, deck=[5])
    table.step(TAKE)
    assert table.scores() == [5 - 11, -11, -11]


# --- NT-10 and rewards -----------------------------------------------------------------------


def test_nt10_lowest_score_wins() -> None:
    table = finished([{20}, {5}, {3, 30}], [0, 0, 11])
    assert table.scores() == [20, 5, 22]
    assert table.winners() == [1]
    assert table.win_shares() == [0.0, 1.0, 0.0]


def test_nt10_ties_share_the_win() -> None:
    table = finished([{5}, {6}, {30}], [0, 1, 0])
    assert table.winners() == [0, 1]
    assert table.win_shares() == [0.5, 0.5, 0.0]
    assert table.rewards("win") == pytest.approx([1 / 6, 1 / 6, -1 / 3])


def test_nt10_a_tie_of_all_is_worth_nothing() -> None:
    table = finished([{5}, {5}, {5}, {5}], [0] * 4)
    for kind in ("win", "score", "placement"):
        assert table.rewards(kind) == pytest.approx([0.0] * 4)


def test_nt10_nobody_has_won_before_the_end() -> None:
    table = Table(2, deck=[3, 4])
    for question in (table.winners, table.win_shares, lambda: table.rewards("win")):
        with pytest.raises(ValueError, match="isn't over"):
            question()


def test_reward_score_is_the_mean_of_the_others_minus_own() -> None:
    table = finished([{10}, {20}, {33}], [0, 0, 0])
    assert table.rewards("score") == pytest.approx([16.5, 1.5, -18.0])
    assert table.rewards("score", scale=10) == pytest.approx([1.65, 0.15, -1.8])


@pytest.mark.parametrize(
    ("scores", "placement"),
    [
        ([4, 9], [1, -1]),
        ([9, 4], [-1, 1]),
        ([10, 20, 30], [1, 0, -1]),
        ([20, 10, 10], [-1, 0.5, 0.5]),
        ([10, 20, 20], [1, -0.5, -0.5]),
        ([40, 10, 30, 20], [-1, 1, -1 / 3, 1 / 3]),
        ([10, 20, 20, 30], [1, 0, 0, -1]),
        ([20, 10, 20, 20, 30], [0, 1, 0, 0, -1]),
    ],
)
def test_reward_placement(scores: list[int], placement: list[float]) -> None:
    table = finished([{score} for score in scores], [0] * len(scores))
    assert table.rewards("placement") == pytest.approx(placement)


@pytest.mark.parametrize("players", range(2, 8))
@pytest.mark.parametrize("kind", ["win", "score", "placement"])
def test_rewards_add_up_to_nothing(players: int, kind: str) -> None:
    rng = random.Random(7)
    for _ in range(20):
        table = play_random(deal(rng, players), rng)
        assert sum(table.rewards(kind, scale=35.0)) == pytest.approx(0.0)


def test_unknown_rewards_are_refused() -> None:
    with pytest.raises(ValueError, match="placement"):
        finished([{3}, {4}], [0, 0]).rewards("money")
