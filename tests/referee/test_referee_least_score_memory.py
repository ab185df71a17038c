"""What a rememberer knows in Least Score, on the referee (LS-18)."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.referee.least_score import Table, deal, shuffler
from tests.referee.least_score_memory import BURIED, DECK, FLOOR, OWN, SOME_HAND, UNSEEN, Place
from tests.referee.least_score_options import Options
from tests.referee.least_score_positions import play, start
from tests.referee.least_score_sets import DECLARE, parse


def known(table: Table, seat: int, place: Place) -> list[int]:
    """The cards that the seat knows to be there, sorted."""
    return [card for card, where in table.knowledge(seat).items() if where == place]


def test_ls_18_at_the_start_only_hand_and_floor_are_known() -> None:
    table = start(["AC 2C", "3C 4C"], "5C", hand_size=2)
    for seat in (0, 1):
        assert known(table, seat, OWN) == table.hands[seat]
        assert known(table, seat, FLOOR) == parse("5C")
        assert len(known(table, seat, UNSEEN)) == 52 - 3
        assert table.unseen(seat) == known(table, seat, UNSEEN)


def test_ls_18_a_pick_is_known_until_it_is_discarded() -> None:
    table = start(["AC 2C", "3C 4C", "6C 7C"], "5C", hand_size=2)
    play(table, "AC", draw="5C")
    assert known(table, 1, ("hand", 0)) == known(table, 2, ("hand", 0)) == parse("5C")
    assert known(table, 0, ("hand", 0)) == []
    assert parse("5C")[0] in known(table, 0, OWN)
    play(table, "3C")
    play(table, "6C")
    assert known(table, 1, ("hand", 0)) == parse("5C")
    play(table, "5C")
    assert known(table, 1, ("hand", 0)) == []
    assert known(table, 1, FLOOR) == parse("5C")


def test_ls_18_a_pick_wanders_from_hand_to_hand() -> None:
    table = start(["AC 2C", "3C 4C", "6C 7C"], "5C", hand_size=2)
    play(table, "AC", draw="5C")
    play(table, "3C", draw="AC")
    play(table, "6C")
    play(table, "5C")
    play(table, "4C", draw="5C")
    assert known(table, 0, ("hand", 1)) == parse("AC 5C")
    assert known(table, 2, ("hand", 1)) == parse("AC 5C")
    assert known(table, 2, ("hand", 0)) == []


def test_ls_18_buried_cards_are_known() -> None:
    table = start(["AC 2C", "3C 3D", "6C 7C"], "5C", hand_size=2)
    play(table, "AC")
    play(table, "3C 3D")
    play(table, "7C", draw="3D")
    for seat in range(3):
        assert known(table, seat, BURIED) == table.buried == parse("AC 3C 5C")
        assert known(table, seat, FLOOR) == parse("7C")


def test_ls_18_a_card_drawn_blind_stays_unseen_to_the_others() -> None:
    table = start(["AC 2C", "3C 4C"], "5C", deck="KC", hand_size=2)
    play(table, "AC")
    assert table.knowledge(0)[parse("KC")[0]] == OWN
    assert table.knowledge(1)[parse("KC")[0]] == UNSEEN


def reshuffled() -> Table:
    """Three players and ten cards, after four turns, in the fourth of which seat 0 reshuffled.

    Hands are 2C 4D, 2D 5C and 3D 5D, the floor is AD, 3C is buried and AC 4C are the deck.
    """
    table = start(["AC AD", "2C 2D", "3C 3D"], "4C", "4D 5C 5D", ranks=5, suits=2, hand_size=2)
    play(table, "AC")
    play(table, "2C")
    play(table, "3C")
    assert table.deck_size == 0
    table.reshuffle = lambda buried: parse("2C AC 4C")
    play(table, "AD")
    return table


def test_ls_18_before_a_reshuffle_an_empty_deck_tells_nothing_yet() -> None:
    """Knowledge is a list of what was seen; the pools are sorted out at the reshuffle."""
    table = start(["AC AD", "2C 2D", "3C 3D"], "4C", "4D 5C 5D", ranks=5, suits=2, hand_size=2)
    play(table, "AC")
    play(table, "2C")
    play(table, "3C")
    assert known(table, 0, UNSEEN) == parse("2D 3D 5C 5D")


def test_ls_18_after_a_reshuffle_unseen_cards_are_in_hands_and_buried_ones_the_deck() -> None:
    table = reshuffled()
    assert known(table, 1, OWN) == parse("2D 5C")
    assert known(table, 1, FLOOR) == parse("AD")
    assert known(table, 1, BURIED) == parse("3C")
    assert known(table, 1, DECK) == parse("AC 2C 4C")  # seat 0 drew one of these
    assert known(table, 1, SOME_HAND) == parse("3D 4D 5D")
    assert known(table, 1, UNSEEN) == []
    assert table.unseen(1) == parse("AC 2C 3D 4C 4D 5D")


def test_ls_18_who_reshuffled_knows_what_he_drew() -> None:
    table = reshuffled()
    assert known(table, 0, OWN) == parse("2C 4D")
    assert known(table, 0, DECK) == parse("AC 4C")
    assert known(table, 0, SOME_HAND) == parse("2D 3D 5C 5D")


def test_ls_18_after_a_reshuffle_cards_leave_their_pool_when_they_are_seen() -> None:
    table = reshuffled()
    play(table, "5C", draw="AD")
    assert known(table, 0, ("hand", 1)) == parse("AD")
    assert known(table, 0, SOME_HAND) == parse("2D 3D 5D")
    play(table, "3D")  # draws AC
    play(table, "2C")  # draws 4C
    assert known(table, 1, DECK) == parse("AC 4C")
    assert known(table, 1, BURIED) == parse("3C 3D 5C")


def test_ls_18_knowledge_is_kept_over_a_second_reshuffle() -> None:
    table = reshuffled()
    play(table, "5C", draw="AD")
    play(table, "3D")
    play(table, "2C")
    table.reshuffle = lambda buried: parse("5C 3C 3D")
    play(table, "2D")
    assert known(table, 0, OWN) == parse("4C 4D")
    assert known(table, 0, ("hand", 1)) == parse("AD")  # picked before
    assert known(table, 0, FLOOR) == parse("2D")
    assert known(table, 0, BURIED) == parse("2C")
    assert known(table, 0, DECK) == parse("3C 3D 5C")
    # AC was in the last deck and has been drawn since; 5D has never been seen
    assert known(table, 0, SOME_HAND) == parse("AC 5D")
    assert known(table, 1, SOME_HAND) == parse("AC 4C 4D 5D")


def test_ls_18_a_new_deal_starts_with_nothing_known() -> None:
    table = Table(Options(num_players=2, max_turns=6), 0, shuffler(random.Random(0)))
    deal(table, random.Random(0))
    while table.in_deal:
        table.step(table.legal_actions()[-1])  # with many a pick from the floor
    assert known(table, 0, ("hand", 1)) != []
    deal(table, random.Random(1))
    assert known(table, 0, ("hand", 1)) == known(table, 0, BURIED) == []
    assert len(table.unseen(0)) == 52 - 6


def test_ls_18_stable_piles_that_are_left_keep_unseen_cards_unseen() -> None:
    options = Options(num_players=2, ranks=10, suits=1, hand_size=2, deal_mode="stable")
    table = Table(options, first_player=0, reshuffle=lambda buried: parse("4C 5C"))
    piles = [parse("6C"), parse("7C 8C 9C 10C")]
    table.start_deal([parse("AC 4C"), parse("2C 3C")], parse("5C")[0], piles)
    play(table, "4C")
    play(table, "3C")
    play(table, "AC")  # 4C and 5C are dealt; seat 0 draws 4C, and 5C lies under 8C 9C 10C
    assert table.piles == [[], parse("8C 9C 10C 5C")]
    assert known(table, 0, UNSEEN) == parse("2C 7C 8C 9C 10C")
    assert known(table, 0, DECK) == parse("5C")
    assert known(table, 1, DECK) == parse("4C 5C")
    assert known(table, 1, SOME_HAND) == []


def check_true(table: Table, seat: int) -> None:
    """What the seat claims to know is so."""
    others = [
        card for other in range(table.num_players) if other != seat for card in table.hands[other]
    ]
    closed = [card for pile in table.piles for card in pile]
    for card, place in table.knowledge(seat).items():
        if isinstance(place, tuple):
            assert place[1] != seat
            assert card in table.hands[place[1]]
        else:
            assert (
                card
                in {
                    OWN: table.hands[seat],
                    FLOOR: table.floor,
                    BURIED: table.buried,
                    SOME_HAND: others,
                    DECK: closed + others,
                    UNSEEN: closed + others,
                }[place]
            )


@pytest.mark.parametrize(
    "options",
    [
        {"num_players": 2, "hand_size": 3, "ranks": 4},
        {"num_players": 3, "ranks": 5},
        {"num_players": 8},
        {"num_players": 3, "ranks": 5, "deal_mode": "stable"},
        {"num_players": 8, "deal_mode": "stable", "open_card": False},
    ],
)
def test_ls_18_knowledge_is_true_whatever_is_played(options: dict[str, Any]) -> None:
    rng, reshuffles = random.Random(2), []

    def shuffle(buried: list[int]) -> list[int]:
        reshuffles.append(len(buried))
        return rng.sample(buried, len(buried))

    table = Table(Options(**options, max_turns=100, max_deals=3), 0, shuffle)
    while not table.over:
        deal(table, rng)
        while table.in_deal:
            for seat in table.participants:
                check_true(table, seat)
            table.step(rng.choice([a for a in table.legal_actions() if a != DECLARE]))
    assert len(reshuffles) >= 3
