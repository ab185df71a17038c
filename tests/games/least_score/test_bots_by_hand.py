"""Scripted players with other numbers than the published ones, in positions set by hand."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from lowhand.games.least_score.bots.tuned import WEIGHTS, weight
from tests.games.least_score.bot_positions import FAR, actions, position, positions, said
from tests.referee.least_score_sets import DECLARE


@pytest.mark.parametrize(
    ("bot", "low", "high"),
    [
        ("greedy:3", "AC 2D", "2C 2D"),
        ("lookahead", "2C 4D", "3C 4D"),
        ("lookahead:9", "4C 5D", "5C 5D"),
        ("aggressive:12", "2C KD", "3C KD"),
        ("conservative", "3C 4D", "4C 4D"),
        ("tuned", "AC 4D", "2C 4D"),
        ("tuned:1,8", "4C 4D", "4C 5D"),
        ("tuned:8,1", "4C 4D", "4C 5D"),
        ("caller:7", "3C 4D", "4C 4D"),
        ("caller:6.9", "2C 4D", "3C 4D"),
        ("caller:-5", "AC", "2C"),  # at least 1
    ],
)
def test_the_highest_total_to_declare_with(bot: str, low: str, high: str) -> None:
    assert said(bot, *position(low, FAR)) == "declare"
    assert said(bot, *position(high, FAR)) != "declare"
    assert said(bot, *position(low, FAR, rounds=0)) != "declare"  # LS-9
    assert said(bot, *position(low, FAR, declare_limit=1)) != "declare" or bot == "caller:-5"


@pytest.mark.parametrize(
    ("bot", "hand", "other", "declares"),
    [
        ("tuned:1,8", "4C 4D", "9H 10H JH QH", True),
        ("tuned:1,8", "4C 4D", "9H 10H JH", False),  # has but 3 cards
        ("tuned:1,8", "AC", "9H 10H JH", True),
        ("caller:9,0,2", "4C 5D", FAR, True),
        ("caller:9,0,2", "4C 5D", "9H 10H JH QH", False),  # 9 − 2·1
        ("caller:9,0,2", "3C 4D", "9H 10H JH QH", True),
        ("caller:9,0,2", "2C 4D", "9H 10H", False),  # 9 − 2·3
        ("caller:9,0,2", "AC 2D", "9H 10H", True),
        ("caller:9,0,-1", "6C 6D", "9H 10H", True),
    ],
)
def test_limits_depend_on_the_smallest_other_hand(
    bot: str, hand: str, other: str, declares: bool
) -> None:
    assert (said(bot, *position(hand, FAR.replace("H", "S"), other)) == "declare") == declares


@pytest.mark.parametrize(
    ("bot", "rounds", "highest"),
    [
        ("caller:3,1,0", 1, 4),
        ("caller:3,1,0", 4, 7),
        ("caller:3,1,0", 10, 13),
        ("caller:3,1,0", 30, 13),  # no more after 10 turns
        ("caller:9,-0.5,0", 4, 7),
        ("caller:9,-0.5,0", 5, 6),
    ],
)
def test_the_limit_of_caller_moves_with_its_turns(bot: str, rounds: int, highest: int) -> None:
    for hand, total in (("AC 3D", 4), ("AC 5D", 6), ("3C 4D", 7), ("3C KD", 13), ("4C KD", 14)):
        declares = said(bot, *position(hand, FAR, rounds=rounds)) == "declare"
        assert declares == (total <= highest), hand


def test_noise_moves_the_limit_of_caller_by_up_to_half_its_width() -> None:
    """Noise 10: the limit moves by −5 … 5 points."""
    options, states = position("2C QD", FAR)  # a total of 12
    many = states.repeat(2000)
    many["key"] = np.arange(2000)
    shares = []
    for limit in (6.9, 8, 12, 16, 17.1):
        made = actions(options, many, f"caller:{limit},0,0,0,0,0,0,10")
        shares.append(made.count(DECLARE) / 2000)
    np.testing.assert_allclose(shares, [0, 0.1, 0.5, 0.9, 1], atol=0.05)
    assert shares[0] == 0
    assert shares[-1] == 1


@pytest.mark.parametrize(
    ("low", "discard"),
    [
        (8, "2D 3H 4S"),  # (9 + 6)·19 + 10·9 beats 10·19 + 10·10
        (9, "KC"),  # the total after the king is 9: 50 more
        (10, "2D 3H 4S"),  # the total after the run is 10: 50 more for both
    ],
)
def test_the_bonus_of_aggressive_is_for_a_low_total_after_the_discard(
    low: int, discard: str
) -> None:
    assert said(f"aggressive:1,0,{low}", *position("KC 2D 3H 4S", FAR)) == f"{discard}, deck"


# What follows 1,0,0 (limit, slope, margin) is: take, cards, keep, deny, noise.


@pytest.mark.parametrize(
    ("take", "floor", "draw"),
    [
        (3, "3S", "3S"),
        (3, "4S", "deck"),
        (3.9, "4S", "deck"),
        (4, "2H 4S", "2H"),  # the cheaper
        (10, "8H 8S", "8H"),  # of equals the lower slot
    ],
)
def test_caller_takes_floor_cards_up_to_its_limit(take: float, floor: str, draw: str) -> None:
    bot = f"caller:1,0,0,{take},0,0"
    assert said(bot, *position("6D KC", FAR, floor=floor)) == f"KC, {draw}"


@pytest.mark.parametrize(
    ("cards", "discard"), [(0, "KC"), (1.9, "KC"), (2.1, "AD 2H 3S"), (-1, "KC")]
)
def test_caller_counts_the_cards_that_it_discards(cards: float, discard: str) -> None:
    """Six points and three cards against ten points and one."""
    bot = f"caller:1,0,0,0,{cards},0"
    assert said(bot, *position("KC AD 2H 3S", FAR)) == f"{discard}, deck"


@pytest.mark.parametrize(
    ("keep", "hand", "discard"),
    [
        (0, "9H KC KD", "KC KD"),
        (5.4, "9H KC KD", "KC KD"),  # 20 against 9 + 5.4·2
        (5.6, "9H KC KD", "9H"),
        (0, "4H 8C 9D", "9D"),
        (4.9, "4H 8C 9D", "9D"),  # 9 against 4 + 4.9·1
        (5.1, "4H 8C 9D", "4H"),
        (20, "8H 10C KD", "10C"),  # neither equals nor neighbours
        (20, "AH QC KD", "AH"),
        (20, "2H 9C KD", "KD"),
        (20, "AH 9C KD", "KD"),  # king and ace are no neighbours
    ],
)
def test_caller_keeps_what_goes_together(keep: float, hand: str, discard: str) -> None:
    bot = f"caller:1,0,0,-99,0,{keep}"
    assert said(bot, *position(hand, FAR)) == f"{discard}, deck"


@pytest.mark.parametrize(
    ("keep", "floor", "draw"),
    [
        (2.4, "8S", "deck"),  # 8 − 2.4·2 > 3
        (2.6, "8S", "8S"),
        (3.9, "7S", "deck"),  # 7 − 3.9·1 > 3
        (4.1, "7S", "7S"),
        (5.1, "9S", "deck"),
        (6.1, "9S", "9S"),
        (6.1, "8S 9S", "8S"),  # the cheaper, of what is left of its points
        (9, "6S", "deck"),
    ],
)
def test_caller_takes_what_goes_with_the_cards_kept(keep: float, floor: str, draw: str) -> None:
    bot = f"caller:1,0,0,3,0,{keep}"
    assert said(bot, *position("8C KD", FAR, floor=floor)) == f"KD, {draw}"


@pytest.mark.parametrize(
    ("deny", "hand", "discard"),
    [
        (0, "KC 9D", "KC"),
        (0.4, "KC 9D", "KC"),  # 10 − 0.4·2 against 9
        (0.6, "KC 9D", "9D"),
        (0.9, "JC 9D", "JC"),  # neither equal nor a neighbour: 10 − 0.9·0
        (0.9, "QC 9D", "QC"),  # 10 − 0.9·1
        (1.1, "QC 9D", "9D"),
        (9, "8C 4D", "8C"),  # what the third player holds is no matter
        (0.3, "5C AD 2C 3C", "AD 2C 3C"),  # 6 − 0.3·3, for the ace, against 5
        (0.4, "5C AD 2C 3C", "5C"),
    ],
)
def test_caller_denies_the_next_player_what_is_of_use(deny: float, hand: str, discard: str) -> None:
    """The next player has picked up a king, the third an eight; low cards are of use to all."""
    others = "KH 5H 6H 7H 6S", "8D 7D 5D 6D 7S"
    table = position(hand, *others, known={1: "KH", 2: "8D"}, floor="10S")
    assert said(f"caller:1,0,0,-99,0,0,{deny}", *table) == f"{discard}, deck"


def test_caller_counts_only_who_is_in() -> None:
    """Where the next player is out, the one after is next; turns and cards count likewise."""
    hands = "KC 9D", "", "KH 5H 6H 7H 6S"
    table = position("KC 9D", FAR, hands[2], known={2: "KH"})
    assert said("caller:1,0,0,-99,0,0,1", *table) == "KC, deck"
    table = position(*hands, known={2: "KH"}, out=1)
    assert said("caller:1,0,0,-99,0,0,1", *table) == "9D, deck"
    table = position(*hands, rounds=4, out=1)
    assert said("caller:15,1,0", *table) == "declare"  # 15 + 1·4
    assert said("caller:14.9,1,0", *table) != "declare"
    assert said("caller:19,0,9", *table) == "declare"


def test_jitter_changes_the_weights_of_tuned_as_the_draw_says() -> None:
    for k, published in enumerate(WEIGHTS):
        assert weight(k, 0.0, 5.0) == published
        drawn = [weight(k, 0.5, float(draw)) for draw in range(200)]
        bounds = sorted((0.5 * published, 1.5 * published))
        assert bounds[0] - 0.5 <= min(drawn) < published < max(drawn) <= bounds[1] + 0.5
        assert np.mean(drawn) == pytest.approx(published, rel=0.1)


def test_tuned_plays_otherwise_with_other_weights() -> None:
    played: Counter[str] = Counter()
    for options, states in positions(seed=2):
        published = actions(options, states, "tuned")
        assert actions(options, states, "tuned:2,5,0,7") == published
        for name in ("tuned:2,5,0.5,7", "tuned:2,5,0.5,8"):
            others = actions(options, states, name)
            played[name] += sum(a != b for a, b in zip(others, published, strict=True))
        played["all"] += len(states)
    different = [played["tuned:2,5,0.5,7"], played["tuned:2,5,0.5,8"]]
    assert 5 < min(different) < max(different) < played["all"] / 2
    assert different[0] != different[1]
