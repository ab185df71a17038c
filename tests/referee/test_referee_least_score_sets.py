"""Legal sets of Least Score against LS-2 and LS-4 ... LS-7, and their known counts."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.referee.least_score_sets import (
    ACE,
    KINDS,
    decode,
    encode,
    full_deck,
    is_flush,
    is_four,
    is_legal_set,
    is_pair,
    is_run,
    legal_subsets,
    num_actions,
    parse,
    points,
    rank,
    subset_cards,
    suit,
    value,
)


def legal(text: str, **options: object) -> bool:
    """Whether the set is legal; the answer must not depend on the order of the cards."""
    answers = {is_legal_set(order, **options) for order in itertools.permutations(parse(text))}
    assert len(answers) == 1
    return answers.pop()


# --- cards and LS-2 --------------------------------------------------------------------------


def test_cards_sort_by_rank_then_suit() -> None:
    deck = full_deck()
    assert deck == list(range(52))
    assert [(rank(card), suit(card)) for card in deck] == sorted(
        itertools.product(range(13), range(4))
    )


def test_reduced_decks_keep_the_numbers_of_their_cards() -> None:
    assert full_deck(ranks=3, suits=2) == parse("AC AD 2C 2D 3C 3D")
    assert len(full_deck(ranks=5, suits=3)) == 15


def test_ls_02_values() -> None:
    names = parse("AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS")
    assert [value(card) for card in names] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert points(parse("AC KD 5H")) == 16


def test_ls_02_pip_counts_faces_11_12_13() -> None:
    names = parse("AS 2S 3S 4S 5S 6S 7S 8S 9S 10S JS QS KS")
    assert [value(card, "pip") for card in names] == list(range(1, 14))
    assert points(parse("AC KD QH"), "pip") == 26


# --- LS-4 ... LS-7 ---------------------------------------------------------------------------


def test_ls_04_any_single_card_is_legal() -> None:
    assert all(is_legal_set([card], kinds=()) for card in full_deck())


@pytest.mark.parametrize("text", ["KC KD", "KC KS", "AC AH", "10D 10H", "KC KD KH KS"])
def test_ls_05_two_or_four_of_a_rank_are_legal(text: str) -> None:
    assert legal(text)


def test_ls_05_three_of_a_rank_is_not_legal() -> None:
    assert not legal("KC KD KH")
    assert not any(
        is_legal_set(three)
        for r in range(13)
        for three in itertools.combinations(range(4 * r, 4 * r + 4), 3)
    )


def test_ls_05_from_three_kings_a_pair_goes_in_three_ways() -> None:
    hand = parse("KC KD KH")
    sets = [subset_cards(hand, subset) for subset in legal_subsets(hand)]
    assert sorted(len(cards) for cards in sets) == [1, 1, 1, 2, 2, 2]


def test_ls_05_two_cards_of_different_ranks_are_not_legal() -> None:
    assert not legal("KC QC")
    assert not legal("2C 3C")


def test_ls_05_two_pairs_are_legal_only_as_an_option() -> None:
    assert not legal("KC KD QC QD")
    assert legal("KC KD QC QD", two_pairs=True)
    assert legal("KC KD QC QD", two_pairs=True, kinds=())
    assert not legal("KC KD KH QD", two_pairs=True)
    assert not legal("KC KD QC JD", two_pairs=True)
    assert not legal("KC KD QC QD JC", two_pairs=True)
    assert not legal("KC KD KH KS", two_pairs=True, kinds=("pair",))


@pytest.mark.parametrize(
    "text",
    ["2C 3D 4H", "6C 7D 8H 9S 10C", "JC QD KH", "AC 2D 3H", "QC KD AH", "10C JD QH KS AC"],
)
def test_ls_06_runs_of_three_and_five_are_legal(text: str) -> None:
    assert legal(text)


def test_ls_06_suits_are_free_and_may_be_equal() -> None:
    assert legal("2C 3C 4C")
    assert legal("2C 3C 4D")
    assert legal("AS 2S 3S 4S 5S")


@pytest.mark.parametrize("text", ["4C 5D 6H 7S", "4C 5C 6C 7C", "AC 2D 3H 4S", "JC QD KH AS"])
def test_ls_06_runs_of_four_are_never_legal(text: str) -> None:
    assert not legal(text)


@pytest.mark.parametrize("text", ["KC AD 2H", "QC KD AH 2S 3C", "JC QD KH AS 2C", "KC AD 2H 3S 4C"])
def test_ls_06_the_ace_is_never_between_king_and_two(text: str) -> None:
    assert not legal(text)


@pytest.mark.parametrize("text", ["2C 3D 5H", "2C 2D 3H", "2C 3D 4H 5S 7C", "2C 3D 4H 5S 5C"])
def test_ls_06_gaps_and_doubles_are_not_legal(text: str) -> None:
    assert not legal(text)


@pytest.mark.parametrize("ranks", range(3, 14))
def test_ls_06_the_ace_follows_the_king_only_with_all_13_ranks(ranks: int) -> None:
    triples = itertools.combinations(full_deck(ranks, suits=1), 3)
    runs = [cards for cards in triples if is_run(cards)]
    assert len(runs) == (ranks - 2 if ranks < 13 else 12)


def test_ls_07_five_of_one_suit_are_legal_four_are_not() -> None:
    assert legal("2H 4H 7H JH KH")
    assert not legal("2H 4H 7H JH")
    assert not legal("2H 4H 7H JH KS")
    assert not legal("2H 4H 7H")


def test_ls_07_a_straight_flush_is_one_legal_set() -> None:
    hand = parse("6H 7H 8H 9H 10H")
    assert legal("6H 7H 8H 9H 10H")
    assert legal("6H 7H 8H 9H 10H", kinds=("run",))
    assert legal("6H 7H 8H 9H 10H", kinds=("flush",))
    assert legal_subsets(hand).count(0b11111) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_option_sets_leaves_out_what_it_does_not_name(kind: str) -> None:
    examples = {
        "pair": "KC KD",
        "four": "KC KD KH KS",
        "run": "2C 3D 4H",
        "flush": "2H 4H 7H JH KH",
    }
    for other, text in examples.items():
        assert legal(text, kinds=(kind,)) == (kind == other)
        assert legal(text, kinds=[k for k in KINDS if k != kind]) == (kind != other)


# --- counts ----------------------------------------------------------------------------------


def may_grow(cards: tuple[int, ...]) -> bool:
    """Whether cards could be part of a larger legal set: one suit, one rank, or within a run."""
    ranks = [rank(card) for card in cards]
    if len({suit(card) for card in cards}) == 1 or len(set(ranks)) == 1:
        return True
    high = [13 if r == ACE else r for r in ranks]
    return len(set(ranks)) == len(ranks) and any(max(r) - min(r) <= 4 for r in (ranks, high))


def every_legal_set() -> Iterator[tuple[int, ...]]:
    """All legal sets of the full deck, by growing sets card by card as long as they may grow."""
    stack = [(card,) for card in full_deck()]
    while stack:
        cards = stack.pop()
        if is_legal_set(cards):
            yield cards
        if len(cards) < 5:
            grown = ((*cards, card) for card in range(cards[-1] + 1, 52))
            stack += [larger for larger in grown if may_grow(larger)]


def test_counts_of_legal_sets() -> None:
    sets = list(every_legal_set())
    runs = Counter(len(cards) for cards in sets if is_run(cards))
    assert len(set(sets)) == len(sets) == 16_259
    assert sum(len(cards) == 1 for cards in sets) == 52
    assert sum(is_pair(cards) for cards in sets) == 78
    assert sum(is_four(cards) for cards in sets) == 13
    assert runs == {3: 768, 5: 10_240}
    assert sum(is_flush(cards) for cards in sets) == 5_148
    assert sum(is_flush(cards) and is_run(cards) for cards in sets) == 40


def test_counts_miss_no_small_set() -> None:
    """The sets up to three cards once more, without leaving anything out."""
    sizes = Counter(
        size
        for size in (1, 2, 3)
        for cards in itertools.combinations(full_deck(), size)
        if is_legal_set(cards)
    )
    assert sizes == {1: 52, 2: 78, 3: 768}


def test_a_fresh_hand_has_5942_legal_discards_on_average() -> None:
    """A set of k cards is in C(52 - k, 5 - k) of the hands."""
    sizes = Counter(len(cards) for cards in every_legal_set())
    discards = sum(count * math.comb(52 - k, 5 - k) for k, count in sizes.items())
    assert math.comb(52, 5) == 2_598_960
    assert discards / math.comb(52, 5) == pytest.approx(5.942, abs=0.0005)


def test_a_hand_has_at_most_12_legal_discards() -> None:
    """Apart from a flush, which adds one, only ranks decide: one hand for all of equal ranks."""
    most = 0
    for ranks in itertools.combinations_with_replacement(range(13), 5):
        if max(Counter(ranks).values()) <= 4:
            # equal ranks get different suits, and no five cards one suit
            hand = [4 * r + k % 4 for k, r in enumerate(ranks)]
            flush = len(set(ranks)) == 5
            most = max(most, len(legal_subsets(hand)) + flush)
    assert most == 12


# --- actions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("hand_size", "actions"), [(1, 3), (2, 10), (3, 29), (4, 76), (5, 187)])
def test_actions_are_numbered_without_gaps(hand_size: int, actions: int) -> None:
    assert num_actions(hand_size) == actions
    pairs = itertools.product(range(1, 2**hand_size), range(hand_size + 1))
    for number, pair in enumerate(pairs, start=1):
        assert encode(*pair, hand_size) == number
        assert decode(number, hand_size) == pair
    assert number == actions - 1


def test_subsets_are_bits_of_the_sorted_hand() -> None:
    hand = parse("KS AD 7H 7C 2S")
    random.Random(0).shuffle(hand)
    assert subset_cards(hand, 0b00001) == parse("AD")
    assert subset_cards(hand, 0b01100) == parse("7C 7H")
    assert subset_cards(hand, 0b10000) == parse("KS")
    assert legal_subsets(hand) == [1, 2, 4, 8, 12, 16]


def test_legal_subsets_are_what_the_definition_says() -> None:
    rng = random.Random(1)
    for _ in range(100):
        hand = rng.sample(full_deck(), rng.randint(1, 5))
        listed = [tuple(subset_cards(hand, subset)) for subset in legal_subsets(hand)]
        found = {
            cards
            for size in range(1, 6)
            for cards in itertools.combinations(sorted(hand), size)
            if is_legal_set(cards)
        }
        assert len(listed) == len(found)
        assert set(listed) == found
