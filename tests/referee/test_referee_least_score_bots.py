"""The scripted Least Score players on positions worked out by hand from BASELINES.md."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.referee import least_score_bots as bots
from tests.referee.least_score import Table, deal, shuffler
from tests.referee.least_score_options import Options
from tests.referee.least_score_positions import action, position
from tests.referee.least_score_sets import DECLARE, parse

FAR = "10H JH QH KH"  # four cards of an opponent who is far from declaring


def lookahead(table: Table, seat: int) -> int:
    """`lookahead` with a sample that is the same for the same cards unseen."""
    unseen = table.unseen(seat)
    return bots.lookahead(table, seat, random.Random(0).sample(unseen, min(5, len(unseen))))


EVERY_BOT: list[bots.Bot] = [
    lambda table, seat: bots.random(table, seat, random.Random(0)),
    bots.greedy,
    lambda table, seat: bots.greedy(table, seat, 3),
    lookahead,
    bots.aggressive,
    bots.conservative,
    bots.tuned,
]


# --- all of them -----------------------------------------------------------------------------


@pytest.mark.parametrize("bot", EVERY_BOT)
@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 3},
        {"num_players": 8, "points_limit": None},
        {"num_players": 2, "ranks": 3, "suits": 1, "hand_size": 1, "open_card": False},
        {"num_players": 2, "ranks": 11, "suits": 1, "max_turns": 20},
        {"num_players": 4, "deal_mode": "stable", "face_values": "pip", "two_pairs": True},
        {"num_players": 2, "sets": (), "declare_limit": 3},
    ],
)
def test_every_bot_plays_every_game_by_the_rules(bot: bots.Bot, options: dict[str, Any]) -> None:
    rng = random.Random(1)
    table = Table(Options(max_deals=2, **options), 0, shuffler(rng))
    while not table.over:
        deal(table, rng)
        for _ in range(60):
            if table.in_deal:
                table.step(bot(table, table.mover))
        if table.in_deal:
            return  # by the rules so far


def hide(table: Table, seat: int, rng: random.Random) -> None:
    """A determinization for the seat: the same numbers of cards, in other places."""
    unseen = table.unseen(seat)
    others = [table.hands[other] for other in range(table.num_players) if other != seat]
    slots = [
        (cards, k)
        for cards in (*others, *table.piles)
        for k, card in enumerate(cards)
        if card in unseen
    ]
    for (cards, k), card in zip(slots, rng.sample(unseen, len(unseen)), strict=True):
        cards[k] = card


@pytest.mark.parametrize("bot", EVERY_BOT)
@pytest.mark.parametrize("players", [2, 8])
def test_no_bot_looks_at_the_deck_or_at_other_hands(bot: bots.Bot, players: int) -> None:
    rng = random.Random(2)
    table = Table(Options(num_players=players, max_turns=60, points_limit=None), 0, shuffler(rng))
    deal(table, rng)
    while table.in_deal:
        piles, hands = [list(pile) for pile in table.piles], [list(hand) for hand in table.hands]
        known = bot(table, table.mover)
        hide(table, table.mover, rng)
        assert bot(table, table.mover) == known
        table.piles, table.hands = piles, hands
        table.step(known)


@pytest.mark.parametrize(
    ("bot", "low", "high"),
    [
        (bots.greedy, "3C 4D", "4C 4D"),  # 7, 8
        (lambda table, seat: bots.greedy(table, seat, 3), "AC 2D", "2C 2D"),
        (lookahead, "2C 4D", "3C 4D"),  # less than 7
        (bots.aggressive, "3C 7D", "4C 7D"),
        (bots.conservative, "3C 4D", "4C 4D"),
        (bots.tuned, "AC 4D", "2C 4D"),
    ],
)
def test_when_bots_declare(bot: bots.Bot, low: str, high: str) -> None:
    assert bot(position([low, FAR], "9S"), 0) == DECLARE
    assert bot(position([high, FAR], "9S"), 0) != DECLARE
    assert bot(position([low, FAR], "9S", turns=0), 0) != DECLARE  # LS-9
    assert bot(position([low, FAR], "9S", declare_limit=2), 0) != DECLARE


@pytest.mark.parametrize("bot", EVERY_BOT)
def test_with_no_closed_card_a_floor_card_is_taken(bot: bots.Bot) -> None:
    hands = ["AC 2C 4C 8C", "3C 5C 6C 7C 9C"]
    table = position(hands, "10C JC", rest="buried", ranks=11, suits=1)
    choice = bot(table, 0)
    assert choice in table.legal_actions()
    if bot is not EVERY_BOT[0]:
        assert choice == action(table, "8C", draw="10C")  # both unwanted, both of 10 points


def test_random_is_uniform_over_the_legal_actions() -> None:
    table, rng = position(["KC KD", FAR], "9S"), random.Random(3)
    counts = Counter(bots.random(table, 0, rng) for _ in range(3500))
    assert sorted(counts) == table.legal_actions()
    assert len(counts) == 7
    assert all(count == pytest.approx(500, abs=100) for count in counts.values())


# --- greedy ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "discard"),
    [
        ("3C 8D KH", "KH"),
        ("6C 6D KH", "6C 6D"),
        ("5C 5D KH 2H", "5C 5D"),  # 10 each: more cards
        ("2C 3D 4H 9S", "2C 3D 4H"),  # 9 each: more cards
        ("JC QD 4H", "JC"),  # equal: the lowest action
        ("KC KD KH", "KC KD"),
    ],
)
def test_greedy_discards_the_most_points(hand: str, discard: str) -> None:
    table = position([hand, "8C 8S"], "JS")
    assert bots.greedy(table, 0) == action(table, discard)


@pytest.mark.parametrize(
    ("hand", "discard", "floor", "draw"),
    [
        ("7C 9C KH", "KH", "3S", "3S"),
        ("7C 9C KH", "KH", "4S", ""),
        ("7C 9C KH", "KH", "9S", "9S"),  # pairs the 9
        ("7C 10C KH KD", "KH KD", "10S", ""),  # a pair, but of more than 9
        ("7C KH", "KH", "KS", ""),  # the king has just been discarded
        ("2C 9C KH", "KH", "2S 3S 9S", "2S"),  # of several the lowest
        ("7C 9C KH", "KH", "7S 8S 9S", "7S"),
        ("7C 9C KH", "KH", "2H 2S", "2H"),  # equal: the lowest action
    ],
)
def test_greedy_draws(hand: str, discard: str, floor: str, draw: str) -> None:
    table = position([hand, "JC JS"], floor)
    assert bots.greedy(table, 0) == action(table, discard, draw)


# --- lookahead -------------------------------------------------------------------------------


def look(hand: str, floor: str, samples: str) -> tuple[Table, int]:
    table = position([hand, "8C"], floor)
    return table, bots.lookahead(table, 0, parse(samples))


def test_lookahead_keeps_what_the_floor_pairs() -> None:
    """9 goes, KK would go next and leave 0; the deck would leave 3 on average."""
    table, choice = look("9D KC", "KD", "AS 2S 3S 4S 5S")
    assert choice == action(table, "9D", draw="KD")


def test_lookahead_prefers_to_complete_a_set_even_if_the_deck_promises_less() -> None:
    """K goes, 66 would go next and leave 5. Every sample makes a run of 5-6 and leaves 0."""
    table, choice = look("5H 6D KC", "6S", "7C 7D 7H 7S 4C")
    assert choice == action(table, "KC", draw="6S")


def test_lookahead_takes_a_low_floor_card_that_completes_nothing() -> None:
    """With the ace 1 is left whichever of 9 and K goes first: the lower action."""
    table, choice = look("9D KC", "AS", "10S JS QS 10H JH")
    assert choice == action(table, "9D", draw="AS")


@pytest.mark.parametrize(
    ("samples", "draw"),
    [
        ("AS 2S 3S 4S 4D", ""),  # 2.8 left on average
        ("2S 2D 3S 4S 4D", ""),  # 3.0, as much as with the floor's 3: the lower action
        ("2S 3S 3D 4S 4D", "3H"),  # 3.2
    ],
)
def test_lookahead_averages_over_the_samples(samples: str, draw: str) -> None:
    table, choice = look("9D KC", "3H", samples)
    assert choice == action(table, "9D", draw)


def test_lookahead_looks_one_discard_ahead_only() -> None:
    """With a queen to come: K and Q go and leave 9, or 2-3-4 and Q go and leave 10."""
    table, choice = look("2C 3D 4H KC", "QS", "QC QD QH JS JD")
    assert choice == action(table, "KC")  # the deck is the lower action
    table, choice = look("2C 3D 4H KC", "KS", "AC AD AH AS 2S")
    assert choice == action(table, "2C 3D 4H", draw="KS")


def test_lookahead_without_unseen_cards_counts_the_deck_as_nothing_drawn() -> None:
    table = position(["9D KC", "8C"], "3H")
    assert bots.lookahead(table, 0, []) == action(table, "9D")


def test_lookahead_every_draw_improves_on_the_own_total() -> None:
    """Why two clauses of the rule are left out: what is left is always below S."""
    rng = random.Random(4)
    table = position(["9D KC", "8C"], "3H")
    for _ in range(200):
        hand = sorted(rng.sample(table.deck_cards, 5))
        drawn = rng.choice([card for card in table.deck_cards if card not in hand])
        for discard in bots.legal_sets(table, hand):
            kept = [card for card in hand if card not in discard]
            assert bots.total_after_next(table, [*kept, drawn]) < table.value(hand)


# --- aggressive, conservative ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "discard"),
    [
        # S = 24. 9-9: 18+4+50+7.5; 9: 9+3.75
        ("6C 9D 9H", "9D 9H"),
        # S = 21. K: 10+4.8, 11 stay; 5-5: 10+4+4.8, 11 stay
        ("AC 5C 5D KH", "5C 5D"),
        # S = 20. 10: 10+50+5, 10 stay; 2-3-4: 9+6+4.5, 11 stay
        ("AC 2C 3D 4H 10S", "10S"),
        # S = 21. 10: 10+4.8, 11 stay; 2-3-4: 9+6+4.3, 12 stay; two such runs: the lower action
        ("2C 2D 3D 4H 10S", "2C 3D 4H"),
        # S = 20. 10: 10+5 v 4-4: 8+4+4 and 12 stay: +50 for the 10 that leaves 10
        ("AC AD 4C 4D 10S", "10S"),
        # S = 21. 10: 10+4.8 and 11 stay v 4-4: 8+4+3.8
        ("AC 2D 4C 4D 10S", "4C 4D"),
        # S = 26. 7-7: 14+4+5.4; 3-4-5: 12+6+4.6
        ("3C 4D 5H 7C 7D", "7C 7D"),
    ],
)
def test_callers_discard(hand: str, discard: str) -> None:
    table = position([hand, "8C"], "KS")
    for bot in (bots.aggressive, bots.conservative):
        assert bot(table, 0) == action(table, discard)


@pytest.mark.parametrize(
    ("hand", "limit"),
    [
        ("7H 9D KC", 6),  # 16 stay
        ("7H 8D KC", 4),  # 15 stay
        ("5H 8D KC", 4),  # 13 stay
        ("5H 7D KC", 3),  # 12 stay
    ],
)
def test_callers_draw(hand: str, limit: int) -> None:
    for bot, own in ((bots.aggressive, limit), (bots.conservative, limit - 1)):
        for v in range(1, 10):
            floor = f"{'A' if v == 1 else v}S"
            table = position([hand, FAR], floor)
            assert bot(table, 0) == action(table, "KC", draw=floor if v <= own else "")


def test_callers_take_the_lowest_of_several() -> None:
    table = position(["7H 9D KC", FAR], "2D 2S 3S")
    assert bots.aggressive(table, 0) == action(table, "KC", draw="2D")


# --- tuned -----------------------------------------------------------------------------------


def test_tuned_declares_5_only_if_every_opponent_has_four_cards() -> None:
    assert bots.tuned(position(["AC 4D", FAR, FAR.replace("H", "S")], "9S"), 0) == DECLARE
    assert bots.tuned(position(["AC 4D", FAR, "10S JS QS"], "9S"), 0) != DECLARE
    assert bots.tuned(position(["AC AD", "10S", FAR], "9S"), 0) == DECLARE  # 2 always
    assert bots.tuned(position(["AC 2D", "10S", FAR], "9S"), 0) != DECLARE


def test_tuned_keeps_neighbours_unless_an_opponent_is_close() -> None:
    """K 157 + floor(95/20) with 9-10 kept; 10 157 + floor(41/20) with 9-K kept."""
    far = position(["9C 10D KH", "AS 2D 3D 4D"], "2S")
    assert bots.tuned(far, 0) == action(far, "KH")
    close = position(["9C 10D KH", "AS 2D 3D"], "2S")
    assert bots.tuned(close, 0) == action(close, "10D")  # most points, equal: the lowest


def test_tuned_reckons_with_what_it_remembers() -> None:
    """Kept pair K-K: 116 of potential. J and Q differ only by the queens that are left."""
    table = position(["JC QD", "AS 2D 3D 4D"], "6S", buried="QC QH QS")
    # J kept: -10+30, 1; Q kept: -10-26, floor -2. So the Q goes.
    assert bots.tuned(table, 0) == action(table, "QD")
    table = position(["JC QD", "AS 2D 3D 4D"], "6S", buried="JD JH JS")
    assert bots.tuned(table, 0) == action(table, "JC")


@pytest.mark.parametrize(
    ("hand", "discard", "unseen", "worth"),
    [
        ("5C 10D", "10D", "5D 5H", 150 + 7 + 1 + 79),  # 25 of potential
        ("5C 10D", "10D", "", 150 + 7 - 2 + 79),  # -31: the floor of -1.55
        ("6C 10D", "10D", "6D 6H", 150 + 7 + 1),  # 24; 6 stay
        ("5C 10D", "5C", "10C 10H", 75 + 7 + 1),  # 20
        ("5C 5D KH", "5C 5D", "KC KD", 150 + 14 + 1),  # 20
        ("5C 5D KH", "KH", "", 150 + 7 + 6),  # 126
        ("2C 3D 4H", "2C 3D 4H", "", 135 + 21 + 79),
    ],
)
def test_tuned_worth_of_a_discard(hand: str, discard: str, unseen: str, worth: int) -> None:
    table = position(["9C", "8C"], "2S")
    assert bots.tuned_worth(table, parse(discard), parse(hand), parse(unseen)) == worth


def test_tuned_takes_a_pair_and_leaves_a_low_card() -> None:
    """9-10 are kept. Over the 48 cards unseen the score is 22.7 on average."""
    pair = position(["9C 10D KH", "AS 2D 3D 4D"], "9S")
    assert bots.tuned(pair, 0) == action(pair, "KH", draw="9S")
    low = position(["9C 10D KH", "AS 2D 3D 4D"], "AC")
    assert bots.tuned(low, 0) == action(low, "KH")


def test_tuned_takes_the_floor_card_of_the_highest_score() -> None:
    """9: 57. 8: 2+73. J: 0+73."""
    table = position(["9C 10D KH", "AS 2D 3D 4D"], "8S 9S JS")
    assert bots.tuned(table, 0) == action(table, "KH", draw="8S")


@pytest.mark.parametrize(("floor", "draw"), [("2S", ""), ("AS", "AS")])
def test_tuned_wants_more_than_8_above_the_mean(floor: str, draw: str) -> None:
    """The only card unseen is 10S: 0-46. The 2: 8-46, 8 above it; the ace: 9-46."""
    table = position(["4C 6H", "10S"], floor, rest="buried")
    assert table.unseen(0) == parse("10S")
    assert bots.tuned(table, 0) == action(table, "6H", draw)


@pytest.mark.parametrize(
    ("kept", "unseen", "worth"),
    [
        ("5C", "5D 5H", -5 + 30),
        ("5C", "5D", -5 + 12),
        ("5C", "6D", -5 - 26),
        ("5C 5D", "", -5 + 68),
        ("5C 5D 5H", "5S", -5 + 68),
        ("5C 6D", "5D", -5 + 12 + 27),
        ("5C 6D 6H", "5D", -5 + 12 + 27),
        ("5C 4D 6H", "5D", -5 + 12 + 33),
        ("5C 5D 4D 6H", "", -5 + 68 + 33),
        ("5C 7D", "5D", -5 + 12),
        ("AC KD", "", -1 - 26),
    ],
)
def test_tuned_potential(kept: str, unseen: str, worth: int) -> None:
    table = position(["9C", "8C"], "2S")
    cards = parse(kept)
    assert bots.potential(table, cards[0], cards, parse(unseen)) == worth


@pytest.mark.parametrize(
    ("card", "kept", "unseen", "worth"),
    [
        ("3C", "9C", "3D", 7),
        ("3C", "9C", "3C", 7 - 46),
        ("3C", "9C", "", 7 - 46),
        ("3C", "3D", "", 7 + 56),
        ("3C", "3D 3H", "", 7 + 56 + 24),
        ("3C", "4D 5H", "", 7 + 73),
        ("3C", "2D 4H", "", 7 + 73),
        ("3C", "AD 4H", "3D", 7),
        ("AC", "QD KH", "", 9 + 73),
        ("3C", "3D 4D 5H", "", 7 + 56 + 73),
    ],
)
def test_tuned_liking(card: str, kept: str, unseen: str, worth: int) -> None:
    table = position(["9C", "8C"], "2S")
    assert bots.liking(table, parse(card)[0], parse(kept), parse(unseen)) == worth


def test_greedy_against_itself_matches_the_published_means() -> None:
    """BASELINES.md: 2 players, declaring at 7: 5.6 turns a player, 8.5 % wrong declarations."""
    rng, deals = random.Random(5), 600
    turns, wrong = 0, 0
    for _ in range(deals):
        table = Table(Options(num_players=2, points_limit=None), 0, shuffler(rng))
        deal(table, rng)
        while table.in_deal:
            table.step(bots.greedy(table, table.mover))
        turns += sum(table.turns)
        wrong += table.declarer is not None and table.deal_points[table.declarer] > 0
    assert turns / deals / 2 == pytest.approx(5.6, abs=0.4)
    assert wrong / deals == pytest.approx(0.085, abs=0.04)
