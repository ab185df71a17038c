"""LS-4 to LS-7 in the compiled engine: which cards may be discarded together, and all counts."""

from __future__ import annotations

import itertools
import math

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lowhand.engine.jit import njit
from lowhand.games.least_score.actions import (
    ALL_SETS,
    DECLARE,
    join_action,
    legal_subsets,
    num_actions,
    split_action,
)
from lowhand.games.least_score.options import Options
from tests.games.least_score.play import Play, parse, position

RANKS = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
WINDOWS = [RANKS[start : start + size] for size in (3, 5) for start in range(14 - size + 1)]


def is_legal(names: str, **options: object) -> bool:
    """Whether just these cards may be discarded together, as a hand of their own."""
    play = position([names, "4C"] if "4C" not in names else [names, "8H"], **options)
    return sorted(parse(names)) in play.discards()


def legal_discards(hand: str, **options: object) -> list[list[int]]:
    return position([hand, "4C" if "4C" not in hand else "8H"], **options).discards()


LEGAL = [
    "KC KD",
    "KC KD KH KS",
    "2C 3D 4H",
    "6C 7C 8D 9H 10S",
    "JC QC KD",
    "AC 2D 3H",
    "QC KD AH",
    "10C JD QH KS AC",
    "2H 5H 9H JH KH",
]
NOT_LEGAL = [
    "KC KD KH",
    "4D 5C 6C 7C",
    "KC AD 2H",
    "QC KD AH 2S 3C",
    "2H 5H 9H JH",
    "KC KD QH QS",
]


# --- LS-4, singles -------------------------------------------------------------------------------


def test_ls4_any_single_card_is_legal() -> None:
    """LS-4: any single card is a set."""
    for first in range(0, 52, 5):
        hand = [card % 52 for card in range(first, first + 25, 5)]
        names = " ".join(f"{RANKS[c // 4]}{'CDHS'[c % 4]}" for c in hand)
        assert all([card] in legal_discards(names) for card in hand)


# --- LS-5 to LS-7: examples -----------------------------------------------------------------------


@pytest.mark.parametrize("names", LEGAL)
def test_ls5_ls6_ls7_legal_examples(names: str) -> None:
    """LS-5, LS-6, LS-7: examples of pairs, fours, runs and flushes that are sets."""
    assert is_legal(names)


@pytest.mark.parametrize("names", NOT_LEGAL)
def test_ls5_ls6_ls7_examples_that_are_not_legal(names: str) -> None:
    """LS-5, LS-6, LS-7: examples that are not sets."""
    assert not is_legal(names)


@pytest.mark.parametrize("spare", ["AC", "5D", "KS"])
def test_ls5_three_of_a_rank_is_not_legal(spare: str) -> None:
    """LS-5: three of a rank are not a set.

    A common error: three of a kind may be discarded.
    """
    assert not is_legal("8C 8D 8H")
    assert parse("8C 8D 8H") not in legal_discards(f"8C 8D 8H {spare}")


def test_ls5_of_three_kings_a_pair_may_be_discarded_in_three_ways() -> None:
    """LS-5: any two of three kings are a set."""
    pairs = [discard for discard in legal_discards("KC KD KS 2H 7D") if len(discard) == 2]
    assert pairs == [parse("KC KD"), parse("KC KS"), parse("KD KS")]


def test_ls5_of_four_kings_a_pair_or_all_may_be_discarded() -> None:
    """LS-5: two or four of four kings are a set, three are not."""
    sizes = [len(discard) for discard in legal_discards("KC KD KH KS 2H")]
    assert [sizes.count(size) for size in range(1, 6)] == [5, 6, 0, 1, 0]


def test_ls5_two_pairs_of_different_ranks_are_an_option() -> None:
    """LS-5: two pairs of different ranks are a set only with the option `two_pairs`."""
    assert not is_legal("KC KD QH QS")
    assert is_legal("KC KD QH QS", two_pairs=True)
    assert is_legal("AC AD KH KS", two_pairs=True)
    assert not is_legal("KC KD KH QS", two_pairs=True)
    assert not is_legal("KC KD QH JS", two_pairs=True)
    assert not is_legal("KC KD QH QS AC", two_pairs=True)
    assert is_legal("KC KD KH KS", two_pairs=True)  # as four of a rank
    assert not is_legal("KC KD KH KS", two_pairs=True, sets=("pair",))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
@pytest.mark.parametrize("start", range(13))
def test_ls6_runs_have_exactly_three_or_five_cards(start: int, size: int) -> None:
    """LS-6: a run has exactly three or exactly five cards.

    A common error: runs of four, or of any length from three on.
    """
    if start + size <= len(RANKS):
        names = [rank + "CDHSC"[k] for k, rank in enumerate(RANKS[start : start + size])]
        assert is_legal(" ".join(names)) == (size in (3, 5))


@pytest.mark.parametrize(
    "names", ["KC AD 2H", "QC KD AH 2S 3C", "KC AD 2H 3S 4D", "JC QD KH AS 2C"]
)
def test_ls6_no_run_goes_round_the_ace(names: str) -> None:
    """LS-6: the ace does not stand between the king and the two.

    A common error: the ace counts as low and high at once.
    """
    assert not is_legal(names)


def test_ls6_the_ace_may_follow_the_king() -> None:
    """LS-6: a run may end with the king and the ace.

    A common error: the ace only counts low.
    """
    hand = legal_discards("AC AD JC QC KD")
    assert [parse("AC QC KD"), parse("AD QC KD")] == [d for d in hand if len(d) == 3 and d[0] < 4]
    assert is_legal("AC 10D JD QD KD")
    assert not is_legal("AC 9D JD QD KD")


def test_ls6_a_run_has_one_card_of_each_rank() -> None:
    """LS-6: a run has one card of each rank."""
    assert not is_legal("5C 5D 6C")
    assert not is_legal("5C 6C 6D 7C 8C")
    assert not is_legal("5C 6C 6D 7C 7D")


def test_ls6_suits_are_free_and_every_card_of_a_rank_may_serve() -> None:
    """LS-6: the cards of a run may be of any suits."""
    runs = [d for d in legal_discards("5C 6C 6D 7C 7S") if len(d) == 3]
    assert runs == [parse(f"5C {six} {seven}") for six in ("6C", "6D") for seven in ("7C", "7S")]


@pytest.mark.parametrize("suit", "CDHS")
def test_ls7_a_flush_takes_all_five_cards(suit: str) -> None:
    """LS-7: a flush is five cards of one suit, not fewer."""
    names = [rank + suit for rank in ("2", "5", "9", "J", "K")]
    assert is_legal(" ".join(names))
    for count in (2, 3, 4):
        assert not is_legal(" ".join(names[:count]))
    other = "D" if suit == "C" else "C"
    assert not is_legal(" ".join([*names[:4], "K" + other]))


def test_ls7_a_straight_flush_is_one_discard() -> None:
    """LS-7: five cards that are a run and a flush are one discard, not two."""
    assert legal_discards("6H 7H 8H 9H 10H").count(parse("6H 7H 8H 9H 10H")) == 1
    assert is_legal("6H 7H 8H 9H 10H", sets=("run",))
    assert is_legal("6H 7H 8H 9H 10H", sets=("flush",))


@pytest.mark.parametrize("kind", ALL_SETS)
def test_ls4_to_ls7_the_option_sets_names_what_is_legal_beside_singles(kind: str) -> None:
    """LS-4 to LS-7: the option `sets` names what is legal apart from single cards."""
    example = dict(
        zip(ALL_SETS, ("KC KD", "KC KD KH KS", "QC KD AH", "2H 5H 9H JH KH"), strict=True)
    )
    for other, names in example.items():
        assert is_legal(names, sets=(kind,)) == (kind == other)
        assert is_legal(names, sets=[k for k in ALL_SETS if k != kind]) == (kind != other)
    assert [len(d) for d in legal_discards("KC KD KH KS AC", sets=())] == [1] * 5


def test_ls6_reduced_decks_have_no_ace_behind_the_highest_rank() -> None:
    """LS-6: in a reduced deck the ace does not follow the highest rank."""
    assert not is_legal("AC JC QC", ranks=12)
    assert is_legal("10C JC QC", ranks=12)
    assert is_legal("AC QC KC", suits=2, hand_size=3)


# --- all legal actions, by brute force from the rules --------------------------------------------


def is_set(cards: tuple[int, ...], sets: tuple[str, ...], two_pairs: bool) -> bool:
    """The definition in LS-4 to LS-7, in terms of the names of ranks."""
    ranks, suits = [RANKS[card // 4] for card in cards], {card % 4 for card in cards}
    counts = sorted(ranks.count(rank) for rank in set(ranks))
    return (
        len(cards) == 1
        or ("pair" in sets and counts == [2])
        or ("four" in sets and counts == [4])
        or (two_pairs and counts == [2, 2])
        or ("run" in sets and any(sorted(ranks) == sorted(window) for window in WINDOWS))
        or ("flush" in sets and len(cards) == 5 and len(suits) == 1)
    )


@st.composite
def positions(draw: st.DrawFn) -> Play:
    """Hands of one to five cards, often close in rank or of one suit, and any floor and deck."""
    sets = (
        tuple(draw(st.sets(st.sampled_from(ALL_SETS))) | {"run"}) if draw(st.booleans()) else None
    )
    options = {"sets": sets or ALL_SETS, "two_pairs": draw(st.booleans())}
    options["declare_limit"] = draw(st.none() | st.integers(1, 30))
    pool = draw(st.sampled_from(["all", "near", "suit", "edge"]))
    low = draw(st.integers(0, 9)) * 4
    cards = {
        "all": list(range(52)),
        "near": list(range(low, low + 16)),
        "suit": list(range(low % 4, 52, 4)),
        "edge": [*range(8), *range(36, 52)],
    }[pool]
    hand = draw(st.lists(st.sampled_from(cards), min_size=1, max_size=5, unique=True))
    others = [card for card in range(52) if card not in hand]
    floor = draw(st.lists(st.sampled_from(others), max_size=5, unique=True))
    names = ["".join((RANKS[card // 4], "CDHS"[card % 4])) for card in range(52)]
    free = next(card for card in others if card not in floor)
    return position(
        [" ".join(names[card] for card in hand), names[free]],
        floor=" ".join(names[card] for card in floor),
        rest=draw(st.sampled_from(["deck", "buried", "away"])),
        rounds=draw(st.integers(0, 2)),
        **options,
    )


@given(play=positions())
def test_ls3_to_ls9_exactly_the_legal_actions_are_legal(play: Play) -> None:
    """LS-3 to LS-9: the engine accepts the legal actions and no others.

    Of all 187 actions and numbers outside them.
    """
    options, hand = play.options, play.hands[0]
    closed = [0] if play.deck or play.buried else []
    sources = [*closed, *range(1, len(play.floor) + 1)]
    limit = options.declare_limit or 99
    legal = {DECLARE} if play.turn >= 2 and play.totals()[0] <= limit else set()
    for subset in range(1, 32):
        cards = tuple(card for slot, card in enumerate(hand) if subset >> slot & 1)
        if subset < 2 ** len(hand) and is_set(cards, options.sets, options.two_pairs):
            legal |= {1 + (subset - 1) * 6 + source for source in sources}
    assert set(play.legal()) == legal
    accepted = {action for action in range(-3, 200) if play.accepts(action)}
    assert accepted == legal


@pytest.mark.parametrize(("hand_size", "actions"), [(1, 3), (2, 10), (3, 29), (4, 76), (5, 187)])
def test_actions_are_numbered_by_subset_and_source(hand_size: int, actions: int) -> None:
    assert num_actions(hand_size) == actions
    pairs = itertools.product(range(1, 2**hand_size), range(hand_size + 1))
    for number, (subset, source) in enumerate(pairs, start=1):
        assert join_action(subset, source, hand_size) == number
        assert split_action(number, hand_size) == (subset, source)
    assert number == actions - 1


# --- counts over all hands -----------------------------------------------------------------------

compiled = pytest.mark.skipif(
    bool(numba.config.DISABLE_JIT), reason="millions of hands need compiled code"
)


@njit
def count_discards(rules, size, counts, whole):
    """Over all hands of `size` cards: hands by number of legal discards; those legal as a whole."""
    hands = np.full((1, 5), 127, np.int8)
    for k in range(size):
        hands[0, k] = k
    full = np.uint32((1 << size) - 2)  # the bit of the subset of all slots
    while True:
        legal = legal_subsets(rules[0], hands, 0, size)
        discards = 0
        for bit in range(31):
            discards += (legal >> np.uint32(bit)) & np.uint32(1)
        counts[discards] += 1
        whole[0] += (legal >> full) & np.uint32(1)
        k = size - 1
        while k >= 0 and hands[0, k] == 52 - size + k:
            k -= 1
        if k < 0:
            return
        hands[0, k] += 1
        for j in range(k + 1, size):
            hands[0, j] = hands[0, j - 1] + 1


def count(size: int, *sets: str) -> tuple[int, np.ndarray]:
    """How many hands of `size` cards are legal as a whole, and hands by number of discards."""
    counts, whole = np.zeros(32, np.int64), np.zeros(1, np.int64)
    count_discards(Options(sets=sets).rules(), size, counts, whole)
    assert counts.sum() == math.comb(52, size)
    return int(whole[0]), counts


@compiled
def test_ls4_to_ls7_counts_of_all_legal_sets() -> None:
    """LS-4 to LS-7: the numbers of sets of each kind are those that combinatorics gives."""
    assert count(1)[0] == 52
    assert count(2, "pair")[0] == 78
    assert count(4, "four")[0] == 13
    assert count(3, "run")[0] == 768
    assert count(5, "run")[0] == 10_240
    assert count(5, "flush")[0] == 5_148
    assert count(5, *ALL_SETS)[0] == 10_240 + 5_148 - 40
    assert sum(count(size, *ALL_SETS)[0] for size in range(1, 6)) == 16_259


@compiled
def test_ls4_to_ls7_discards_of_all_fresh_hands() -> None:
    """LS-4 to LS-7: all dealt hands together have the known number of discards.

    5.942 legal discards on average over all 2,598,960 hands, at most 12.
    """
    _, counts = count(5, *ALL_SETS)
    assert counts.sum() == 2_598_960
    assert np.flatnonzero(counts).max() == 12
    assert (np.arange(32) * counts).sum() / counts.sum() == pytest.approx(5.942, abs=0.0005)
