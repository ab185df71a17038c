"""The deal is uniform: chi-square at the level 1e-4 of `chances.LEVEL`, with fixed seeds."""

import itertools

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import deal_rows, resample_rows
from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import State, shuffle
from tests.engine.chances import is_uniform, is_uniform_shuffle

GAMES = 30_000


def deal_games(games: int = GAMES, seed: int = 1, **options: object) -> tuple[np.ndarray, Options]:
    chosen = Options(**options)  # type: ignore[arg-type]
    states = np.zeros(games, State)
    keys = np.random.default_rng(seed).integers(0, 2**64, games, np.uint64)
    deal_rows(chosen.rules(), states, keys, np.full(games, chosen.num_players))
    return states, chosen


def decks(states: np.ndarray, options: Options) -> np.ndarray:
    """Orders as numbers from 0, removed cards at the end."""
    return states["deck"][:, : options.num_cards].astype(np.int64) - options.low


@pytest.fixture(scope="module")
def dealt() -> tuple[np.ndarray, Options]:
    return deal_games()


def test_every_card_is_equally_likely_in_every_place_and_removed(
    dealt: tuple[np.ndarray, Options],
) -> None:
    """A common error: a shuffle that is not uniform."""
    states, options = dealt
    assert is_uniform_shuffle(decks(states, options), turned=24)


def test_neighbouring_places_are_independent(dealt: tuple[np.ndarray, Options]) -> None:
    """All ordered pairs of the first two cards, and of the 23rd and 24th, equally often."""
    orders = decks(*dealt)
    off_diagonal = ~np.eye(33, dtype=bool)
    for place in (0, 22):
        cells = orders[:, place] * 33 + orders[:, place + 1]
        assert is_uniform(np.bincount(cells, minlength=33 * 33).reshape(33, 33)[off_diagonal])


def test_all_orders_of_a_small_deck_are_equally_likely() -> None:
    states, options = deal_games(low=3, high=7, removed=2, num_players=2)
    turned = decks(states, options)[:, :3]
    counts = dict.fromkeys(itertools.permutations(range(5), 3), 0)
    for order in map(tuple, turned.tolist()):
        counts[order] += 1
    assert is_uniform(list(counts.values()))


@pytest.mark.parametrize("num_players", [2, 4, 7])
def test_nt4_the_first_player_is_uniform_whatever_the_first_card(num_players: int) -> None:
    """NT-4: each player is equally likely to begin, independently of the first card."""
    states, options = deal_games(num_players=num_players)
    cells = decks(states, options)[:, 0] * num_players + states["mover"]
    assert is_uniform(np.bincount(cells, minlength=33 * num_players))


def test_games_of_one_seed_are_shuffled_independently() -> None:
    """Not the keys alone: consecutive games of a batch, as `game_key` numbers them."""
    batch = make_batch("no_thanks", GAMES, seed=3, observe=False)
    assert is_uniform_shuffle(decks(batch.states, batch.options), turned=24)


@pytest.mark.parametrize("planted", ["naive", "sattolo", "last_stays"])
def test_the_statistic_finds_a_planted_bias(planted: str) -> None:
    rng = np.random.default_rng(0)
    orders = np.tile(np.arange(33), (GAMES, 1))
    games = np.arange(GAMES)
    for i in range(32):
        if planted == "naive":  # swaps each place with any place
            j = rng.integers(0, 33, GAMES)
        elif planted == "sattolo":  # never leaves a card where it is
            j = rng.integers(i + 1, 33, GAMES)
        else:  # off by one: the last card never comes into play
            j = rng.integers(i, 32, GAMES) if i < 31 else np.full(GAMES, i)
        there, here = orders[games, j].copy(), orders[:, i].copy()
        orders[:, i] = there
        orders[games, j] = here
    assert not is_uniform_shuffle(orders, turned=24)
    assert is_uniform_shuffle(rng.permuted(np.tile(np.arange(33), (GAMES, 1)), axis=1), turned=24)


@njit
def first_of_large_decks(deck, out):
    """The card that a shuffle puts first, for many keys; `deck` is sorted and stays so."""
    for i in range(out.size):
        shuffle(deck, 0, deck.size, 1, np.uint64(i), np.uint64(0))
        out[i] = deck[0]
        deck[deck[0]], deck[0] = deck[0], 0


def test_the_shuffle_draws_again_where_a_draw_would_be_biased() -> None:
    """3·2**14 cards: without that, every third card would come first twice as often."""
    deck, out = np.arange(3 * 2**14), np.zeros(30_000, np.int64)
    first_of_large_decks(deck, out)
    assert np.array_equal(deck, np.arange(deck.size))
    assert is_uniform(np.bincount(out % 3, minlength=3))


@pytest.mark.parametrize("recall", [False, True])
def test_a_re_deal_of_the_unseen_cards_is_uniform(recall: bool) -> None:
    states, options = deal_games(games=1, num_players=3, low=3, high=22, removed=4)
    states = states.repeat(GAMES)
    turned, fixed = 6, states["deck"][0].copy()
    states["turned"] = turned
    keys = np.random.default_rng(5).integers(0, 2**64, GAMES, np.uint64)
    resample_rows(options.rules(), states, 1, recall, keys)
    assert (states["deck"][:, :turned] == fixed[:turned]).all()
    rank = {card: place for place, card in enumerate(fixed[turned:20].tolist())}
    unseen = np.vectorize(rank.get)(states["deck"][:, turned:20])
    assert is_uniform_shuffle(unseen, turned=16 - turned)


def test_a_re_deal_of_the_chips_gives_each_to_any_other_player() -> None:
    states, options = deal_games(games=1, num_players=4, chips=5)
    states = states.repeat(GAMES)
    keys = np.random.default_rng(6).integers(0, 2**64, GAMES, np.uint64)
    resample_rows(options.rules(), states, 2, False, keys)
    chips = states["chips"]
    assert (chips[:, 2] == 5).all()
    assert (chips[:, :4].sum(axis=1) == 20).all()
    assert is_uniform(chips[:, [0, 1, 3]].sum(axis=0))
