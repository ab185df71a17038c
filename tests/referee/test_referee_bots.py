"""The scripted players on positions worked out by hand from the formulas of BASELINES.md."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

from tests.referee import bots
from tests.referee.no_thanks import PASS, TAKE, Table, deal


def position(
    card: int,
    pot: int = 0,
    hands: Sequence[set[int]] = (set(), set(), set()),
    chips: Sequence[int] = (11, 11, 11),
    left: int = 23,
) -> Table:
    """Seat 0 to decide on `card`, with `left` cards not yet turned (of 24)."""
    others = [c for c in range(3, 36) if c != card]
    taken = 23 - left
    table = Table(len(hands), [*others[:taken], card, *others[taken:23]], others[23:])
    table.turned = taken + 1
    table.pot = pot
    table.cards = [set(hand) for hand in hands]
    table.chips = list(chips)
    assert table.offered == card
    assert table.cards_left == left
    return table


EVERY_BOT: list[bots.Bot] = [
    lambda table, seat: bots.random(table, seat, random.Random(0)),
    lambda table, seat: bots.random(table, seat, random.Random(0), p=0.1),
    bots.threshold,
    bots.greedy,
    bots.sequence,
    lambda table, seat: bots.chip_value(table, seat, 1.0, 0.0),
    lambda table, seat: bots.chip_value(table, seat, 1.0, 0.0, extort=True),
    bots.blocker,
    lambda table, seat: bots.blocker(table, seat, milk_limit=9),
    bots.connector,
    bots.ratio,
    bots.sally,
    bots.linear,
]


@pytest.mark.parametrize("bot", EVERY_BOT)
def test_everybody_takes_without_chips(bot: bots.Bot) -> None:
    assert bot(position(35, chips=(0, 11, 11)), 0) == TAKE


@pytest.mark.parametrize("bot", EVERY_BOT)
@pytest.mark.parametrize(
    ("players", "low", "high", "removed", "chips"),
    [(3, 3, 35, 9, None), (2, 3, 8, 1, 3), (7, 1, 35, 0, None), (2, 1, 1, 0, 1), (2, 35, 35, 0, 0)],
)
def test_every_bot_plays_every_size_by_the_rules(
    bot: bots.Bot, players: int, low: int, high: int, removed: int, chips: int | None
) -> None:
    table = deal(random.Random(1), players, low, high, removed, chips)
    while not table.over:
        table.step(bot(table, table.mover))


@pytest.mark.parametrize("bot", EVERY_BOT)
def test_no_bot_looks_at_the_deck_or_the_removed_cards(bot: bots.Bot) -> None:
    """Play does not depend on what no player can know."""
    table = deal(random.Random(2), num_players=3)
    while not table.over:
        deck, removed = table.deck, table.removed
        known = bot(table, table.mover)
        table.deck = [card if i < table.turned else 99 for i, card in enumerate(deck)]
        table.removed = []
        assert bot(table, table.mover) == known
        table.deck, table.removed = deck, removed
        table.step(known)


def test_random_takes_with_probability_p() -> None:
    rng, table = random.Random(3), position(20)
    assert sum(bots.random(table, 0, rng) for _ in range(4000)) == pytest.approx(2000, abs=160)
    assert sum(bots.random(table, 0, rng, 0.1) for _ in range(4000)) == pytest.approx(400, abs=100)


@pytest.mark.parametrize(("pot", "action"), [(19, PASS), (20, TAKE), (21, TAKE)])
def test_greedy_takes_at_no_cost(pot: int, action: int) -> None:
    assert bots.greedy(position(20, pot), 0) == action
    assert bots.threshold(position(20, pot - 4), 0, 4) == action
    assert bots.sequence(position(20, pot - 10), 0) == action


@pytest.mark.parametrize(
    ("left", "pot", "action"),
    [
        (23, 9, PASS),  # 9 * 2 + 1 = 19 < 20
        (23, 10, TAKE),  # 10 * 2 + 1 = 21
        (0, 18, PASS),  # 18 * 1 + 1 = 19
        (0, 19, TAKE),
    ],
)
def test_chip_value(left: int, pot: int, action: int) -> None:
    assert bots.chip_value(position(20, pot, left=left), 0, 1.0, 1.0) == action


@pytest.mark.parametrize(
    ("hands", "chips", "action"),
    [
        (({19}, set(), set()), (5, 5, 5), PASS),  # I'd take, no other player would: d = 20 for both
        (({19}, set(), set()), (5, 5, 0), TAKE),  # a later player would have to take
        (({19}, {19}, set()), (5, 5, 5), TAKE),  # a later player wants it
        (({19}, set(), {21}), (5, 5, 5), TAKE),  # so does the second one
        ((set(), set(), set()), (5, 5, 5), PASS),  # I don't want it myself
    ],
)
def test_chip_value_extort(hands: Sequence[set[int]], chips: Sequence[int], action: int) -> None:
    table = position(20, 0, hands, chips, left=0)
    assert bots.chip_value(table, 0, 0.0, 0.0, extort=True) == action


@pytest.mark.parametrize(("pot", "action"), [(17, PASS), (18, TAKE)])
def test_chip_value_extort_counts_the_chips_of_those_between(pot: int, action: int) -> None:
    """At pot 18 the third player sees 20 chips on a 20 and would take; at 17 it sees 19."""
    table = position(20, pot, ({19}, set(), set()), (5, 5, 5), left=0)
    assert bots.chip_value(table, 0, 0.0, 0.0, extort=True) == action


def test_blocker_blocks_a_close_leader() -> None:
    # Scores 12 - 5, -5 and 30: the leader is seat 1 and 12 points ahead; d - pot = -13 for it.
    close = position(12, 0, ({20}, {11, 13}, {30}), (8, 24, 0))
    assert close.scores() == [12, 0, 30]
    assert bots.blocker(close, 0) == TAKE  # 12 + (0 - 14) < 0
    far = position(12, 0, ({20}, {11, 13}, {30}), (7, 24, 0))
    assert far.scores() == [13, 0, 30]
    assert bots.blocker(far, 0) == PASS  # 13 points more is too far; 12 is too dear


def test_blocker_of_equal_leaders_sees_the_next_to_decide() -> None:
    hands = [{20}, {11, 13}, {24}]  # both opponents score 10; only one wants the 12
    assert bots.blocker(position(12, 0, hands, (8, 14, 14)), 0) == TAKE
    hands = [{20}, {24}, {11, 13}]
    assert bots.blocker(position(12, 0, hands, (8, 14, 14)), 0) == PASS


@pytest.mark.parametrize(
    ("pot", "limit", "chips", "action"),
    [
        (1, 2, (11, 11, 11), PASS),  # milk: 0 - 1 <= 0, and 20 - 1 > 0 for both
        (2, 2, (11, 11, 11), TAKE),  # pot no longer below M
        (2, 9, (11, 11, 11), PASS),
        (1, 2, (11, 0, 11), TAKE),  # an opponent without chips
    ],
)
def test_blocker_milks(pot: int, limit: int, chips: Sequence[int], action: int) -> None:
    table = position(20, pot, ({19}, set(), set()), chips)
    assert bots.blocker(table, 0, milk_limit=limit) == action


@pytest.mark.parametrize(
    ("chips", "left", "action"),
    [
        (2, 23, TAKE),  # 1 <= 3/3 + 0
        (3, 23, PASS),  # 1 > 3/4
        (5, 0, TAKE),  # 1 <= 3/6 + 0.5
        (6, 0, PASS),
    ],
)
def test_blocker_pays_a_little_when_short_of_chips(chips: int, left: int, action: int) -> None:
    assert bots.blocker(position(20, 19, chips=(chips, 5, 5), left=left), 0) == action


@pytest.mark.parametrize(
    ("hands", "pot", "chips", "action"),
    [
        (({19}, set(), set()), 3, (5, 5, 5), PASS),  # connects, but none of the three; 9 < 20
        (({19}, set(), set()), 4, (5, 5, 5), TAKE),
        (({19}, set(), set()), 0, (5, 5, 0), TAKE),
        (({21}, set(), {19}), 0, (5, 5, 5), TAKE),
        ((set(), {19}, {21}), 0, (5, 5, 0), PASS),  # not mine
    ],
)
def test_connector(hands: Sequence[set[int]], pot: int, chips: Sequence[int], action: int) -> None:
    assert bots.connector(position(20, pot, hands, chips), 0) == action


@pytest.mark.parametrize(
    ("taken", "pot", "action"),
    [(0, 6, PASS), (0, 7, TAKE), (23, 10, PASS), (23, 11, TAKE)],  # worth 3 a chip, then 2
)
def test_connector_values_chips_by_the_cards_taken(taken: int, pot: int, action: int) -> None:
    first_seat_has = set(range(50, 50 + taken))  # far from the card
    assert bots.connector(position(20, pot, (first_seat_has, set(), set())), 0) == action


@pytest.mark.parametrize(("pot", "action"), [(8, PASS), (9, TAKE)])
def test_ratio(pot: int, action: int) -> None:
    assert bots.ratio(position(20, pot), 0) == action  # 8/20 isn't more than .4


@pytest.mark.parametrize(
    ("card", "hands", "dear", "cheap"),
    [
        (20, ({19}, {21}, set()), -1, 0),  # next to mine and theirs: always
        (20, ({19}, {22}, set()), 2, 3),  # mine, theirs two away: above .1
        (20, ({19}, {23}, set()), 4, 5),  # mine alone: above .2
        (20, ({18}, set(), set()), 6, 7),  # an open gap: above .304
        (20, ({18}, {19}, set()), 7, 8),  # gap filled by another: above .352
        (20, ({22}, {21}, set()), 7, 8),
        (27, (set(), set(), set()), 9, 10),  # middle card: above .352
        (28, (set(), set(), set()), 11, 12),  # above .402
        (5, (set(), set(), set()), 2, 3),
    ],
)
def test_sally(card: int, hands: Sequence[set[int]], dear: int, cheap: int) -> None:
    if dear >= 0:
        assert bots.sally(position(card, dear, hands), 0) == PASS
    assert bots.sally(position(card, cheap, hands), 0) == TAKE


def test_sally_asks_more_later() -> None:
    assert bots.sally(position(20, 7, ({18}, set(), set()), left=11), 0) == PASS  # .35 < .352
    assert bots.sally(position(20, 7, ({18}, set(), set()), left=13), 0) == TAKE  # .35 > .344


def test_linear_features() -> None:
    table = position(20, 4, ({19, 21, 30}, {5}, set()), (9, 6, 11), left=12)
    assert bots.linear_features(table, 0) == pytest.approx(
        [
            17 / 32,
            4 / 33,
            16 / 35,
            9 / 11,
            1,
            1,
            1 / 32,
            12 / 24,
            1.0,  # my 19 + 21 + 30 - 9 = 61 against -11: more than 35 behind
            (-21 - 4) / 35,  # bridging 19 and 21 takes 21 points off
            1 - (9 / 11) ** 0.5,
            41 / 32,  # 20 + 21, not clamped
        ]
    )


def test_linear_features_without_cards() -> None:
    features = bots.linear_features(position(35), 0)
    assert features[6] == 1.0
    assert features[4] == features[5] == features[11] == 0.0


def test_linear_takes_below_the_threshold() -> None:
    """Nobody holds a card and all have 11 chips: worked out with the four features that matter."""
    for pot in range(36):
        rest = 0.007316 * 17 / 32 + 0.731221 - 0.070235 - 0.750375 * 23 / 24
        total = rest - 2.586556 * pot / 33 + (1.271264 + 0.775220) * (20 - pot) / 35
        expected = TAKE if total < 0.58845 else PASS
        assert bots.linear(position(20, pot), 0) == expected
