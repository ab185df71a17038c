"""Dealing and reshuffling are uniform: chi-square at the level 1e-4 of `chances.LEVEL`.

Seeds are fixed, so that a test that passes always does.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.engine.kernels_rows import apply_rows, deal_rows
from lowhand.games.least_score.deck import State
from lowhand.games.least_score.options import Options
from tests.engine.chances import chi_square, chi_square_limit, is_uniform
from tests.games.least_score.play import Play, parse, position

GAMES = 30_000
PLAYERS = 4


def deal_matches(games: int = GAMES, seed: int = 1, **options: Any) -> tuple[np.ndarray, Options]:
    chosen = Options(**{"num_players": PLAYERS} | options)
    states = np.zeros(games, State)
    keys = np.random.default_rng(seed).integers(0, 2**64, games, np.uint64)
    deal_rows(chosen.rules(), states, keys, np.full(games, chosen.num_players))
    return states, chosen


def dealt_cards(states: np.ndarray, options: Options) -> tuple[np.ndarray, np.ndarray]:
    """(games, cards) numbers from 0 of the cards hand by hand, floor, then deck; place groups.

    A hand is one heap, since it is sorted; the floor and each place of the deck stand alone.
    """
    n, size = options.num_players, options.hand_size
    hands = states["hands"][:, :n, :size].reshape(len(states), -1)
    top_first = states["deck"][:, : states["pile_size"][0, 0]][:, ::-1]
    cards = np.concatenate([hands, states["floor"][:, :1], top_first], axis=1).astype(np.int64)
    groups = np.concatenate(
        [np.repeat(np.arange(n), size), n + np.arange(cards.shape[1] - n * size)]
    )
    return cards // 4 * options.suits + cards % 4, groups


def is_uniform_deal(cards: np.ndarray, groups: np.ndarray) -> bool:
    """Whether each card is equally often in each place, as `chances.is_uniform_shuffle` tests it.

    Here the places of a group, such as a hand, are one heap.
    """
    games, n = cards.shape
    number = int(groups.max()) + 1
    counts = np.bincount((groups * n + cards).ravel(), minlength=number * n).reshape(number, n)
    expected = np.bincount(groups)[:, np.newaxis] * (games / n)
    statistic = chi_square(counts, expected) * (n - 1) / n
    return statistic < chi_square_limit((number - 1) * (n - 1))


@pytest.fixture(scope="module")
def dealt() -> tuple[np.ndarray, Options]:
    return deal_matches()


# --- dealing (LS-1) ------------------------------------------------------------------------------


def test_every_card_is_equally_likely_in_every_hand_on_the_floor_and_in_the_deck(
    dealt: tuple[np.ndarray, Options],
) -> None:
    assert is_uniform_deal(*dealt_cards(*dealt))


def test_games_of_one_seed_are_dealt_independently() -> None:
    """Not the keys alone: consecutive games of a batch, as `game_key` numbers them."""
    batch = make_batch("least_score", GAMES, seed=3, observe=False)
    assert is_uniform_deal(*dealt_cards(batch.states, batch.options))


def test_the_open_card_and_the_next_are_independent(dealt: tuple[np.ndarray, Options]) -> None:
    cards, _ = dealt_cards(*dealt)
    cells = cards[:, 20] * 52 + cards[:, 21]
    off_diagonal = ~np.eye(52, dtype=bool)
    assert is_uniform(np.bincount(cells, minlength=52 * 52).reshape(52, 52)[off_diagonal])


def test_all_deals_of_a_small_deck_are_equally_likely() -> None:
    """Two hands of two, the open card and the deck's order: 6!/2!/2! = 180 deals."""
    states, options = deal_matches(num_players=2, ranks=3, suits=2, hand_size=2)
    cards, _ = dealt_cards(states, options)
    orders = [p for p in itertools.permutations(range(6)) if p[0] < p[1] and p[2] < p[3]]
    counts = dict.fromkeys(orders, 0)
    for order in map(tuple, cards.tolist()):
        counts[order] += 1
    assert len(counts) == 180
    assert is_uniform(list(counts.values()))


@pytest.mark.parametrize("num_players", [2, 5, 8])
def test_ls14_the_first_starter_is_uniform_whatever_the_cards(num_players: int) -> None:
    """LS-14: each player is equally likely to start, independently of the cards."""
    states, _ = deal_matches(num_players=num_players)
    cells = states["floor"][:, 0].astype(np.int64) * num_players + states["starter"]
    assert is_uniform(np.bincount(cells, minlength=52 * num_players))


def test_the_second_deal_is_uniform_and_independent_of_the_first() -> None:
    states, options = deal_matches(max_turns=1)
    first = states["floor"][:, 0].astype(np.int64)
    apply_rows(options.rules(), states, np.arange(GAMES), np.full(GAMES, 1))
    assert (states["deals"] == 1).all()
    assert is_uniform_deal(*dealt_cards(states, options))
    assert is_uniform(np.bincount(first * 52 + states["floor"][:, 0], minlength=52 * 52))


def test_stable_piles_are_dealt_from_a_uniform_deck() -> None:
    """The top cards of two piles: all ordered pairs of different cards equally often."""
    states, _ = deal_matches(deal_mode="stable", num_players=2, ranks=8, suits=1, hand_size=1)
    tops = []
    for seat in (0, 1):
        last = states["pile_start"][:, seat] + states["pile_size"][:, seat] - 1
        tops.append(states["deck"][np.arange(GAMES), last].astype(np.int64) // 4)
    counts = np.bincount(tops[0] * 8 + tops[1], minlength=64).reshape(8, 8)
    assert is_uniform(counts[~np.eye(8, dtype=bool)])


# --- reshuffling (LS-15) -------------------------------------------------------------------------

BURIED = "3S 4S 5S 6S 7S"


def reshuffled(play: Play, games: int = GAMES) -> np.ndarray:
    """Many matches in this position, each with a stream of its own, after a draw from the deck."""
    states = play.states.repeat(games)
    states["stream"] = np.random.default_rng(4).integers(0, 2**64, games, np.uint64)
    apply_rows(play.rules, states, np.arange(games), np.full(games, play.action("7C")))
    return states


@pytest.mark.parametrize("deal_mode", ["normal", "stable"])
def test_ls15_every_order_of_the_new_deck_is_equally_likely(deal_mode: str) -> None:
    """LS-15: buried cards are shuffled into the new deck uniformly."""
    options = {"rest": "away", "buried": BURIED, "deal_mode": deal_mode}
    states = reshuffled(position(["7C AC", "2C 3C"], floor="9C", **options))
    assert (states["hands"][:, 0, 0] == parse("AC")[0]).all()
    drawn = states["hands"][:, 0, 1:2]
    # With own piles the drawn card was the third of the first pile, and the other pile follows.
    closed = states["deck"][:, [0, 1, 2, 3] if deal_mode == "normal" else [0, 1, 3, 4]]
    counts = dict.fromkeys(itertools.permutations(parse(BURIED)), 0)
    for order in map(tuple, np.concatenate([drawn, closed], axis=1).tolist()):
        counts[order] += 1
    assert is_uniform(list(counts.values()))


# --- the statistic itself ------------------------------------------------------------------------


@pytest.mark.parametrize("planted", ["any with any", "last stays", "two never part"])
def test_the_statistic_finds_a_planted_bias(
    planted: str, dealt: tuple[np.ndarray, Options]
) -> None:
    rng, games = np.random.default_rng(0), np.arange(GAMES)
    _, groups = dealt_cards(*dealt)
    sorted_decks = np.tile(np.arange(52), (GAMES, 1))
    assert is_uniform_deal(rng.permuted(sorted_decks, axis=1), groups)
    cards = sorted_decks.copy()
    if planted == "any with any":  # swaps each place with any place
        for i in range(52):
            j = rng.integers(0, 52, GAMES)
            there, here = cards[games, j].copy(), cards[:, i].copy()
            cards[:, i], cards[games, j] = there, here
    elif planted == "last stays":
        cards[:, :51] = rng.permuted(cards[:, :51], axis=1)
    else:  # the first two cards come into one hand
        cards[:, :2] = 0, 1
        cards[:, 2:] = rng.permuted(cards[:, 2:], axis=1)
    assert not is_uniform_deal(cards, groups)
