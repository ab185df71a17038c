"""The rules of a deal in the compiled engine: LS-1 to LS-3, LS-8 to LS-11 and LS-15 to LS-18.

Cards are chosen by setting the position, never by hunting for a seed. The legal sets, LS-4 to
LS-7, are in `test_rules_sets.py`; the match, LS-12 to LS-14 and LS-19, in `test_rules_match.py`.
"""

from __future__ import annotations

import numpy as np
import pytest

from lowhand.engine.kernels_rows import deal_rows
from lowhand.games.least_score.cards import card_values
from lowhand.games.least_score.deck import State
from lowhand.games.least_score.options import Options
from tests.games.least_score.play import Play, parse, position, showdown, word

# Hands without any set, so that what is discarded and drawn is plain.
PLAIN = ["2C 5D 8H JS KC", "3C 6D 9H QS AC"]

# --- LS-1, the deal ------------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", range(2, 9))
def test_ls1_five_cards_each_and_one_face_up(num_players: int) -> None:
    """LS-1: each player has five cards, and one further card lies face up."""
    play = Play(num_players)
    assert [len(hand) for hand in play.hands] == [5] * num_players
    assert len(play.floor) == 1
    assert len(play.deck) == 52 - 5 * num_players - 1
    assert play.everywhere() == list(range(52))
    assert (play.turn, play.deals, play.buried, play.over) == (0, 0, [], 0)


def test_ls1_hands_are_sorted_by_rank_then_suit() -> None:
    """LS-1: the engine keeps dealt hands sorted by rank, then suit."""
    for seed in range(20):
        assert all(hand == sorted(hand) for hand in Play(4, seed).hands)


def test_ls1_without_an_open_card_the_first_player_can_only_draw_from_the_deck() -> None:
    """LS-1: without the open card the first player draws from the deck."""
    play = Play(3, open_card=False)
    assert (play.floor, len(play.deck)) == ([], 52 - 15)
    assert play.sources() == [0]
    play.any_turn()
    assert len(play.floor) == 1
    assert play.sources() == [0, 1]


@pytest.mark.parametrize(
    ("options", "cards"),
    [
        ({"ranks": 3, "suits": 1, "hand_size": 1}, [0, 4, 8]),
        ({"ranks": 2, "suits": 3, "hand_size": 2}, [0, 1, 2, 4, 5, 6]),
        ({"suits": 1, "hand_size": 3}, list(range(0, 52, 4))),
    ],
)
def test_ls1_reduced_decks_hold_the_lowest_ranks_and_first_suits(
    options: dict, cards: list[int]
) -> None:
    """LS-1: a smaller deck has the lowest ranks and the first suits."""
    play = Play(2, **options)
    assert play.everywhere() == cards
    assert [len(hand) for hand in play.hands] == [options["hand_size"]] * 2


# --- LS-2, values --------------------------------------------------------------------------------


def test_ls2_values() -> None:
    """LS-2: the ace counts 1, number cards their number, faces 10."""
    assert card_values("ten") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10]
    assert card_values("pip") == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]


def test_ls2_totals_of_hands() -> None:
    """LS-2: a total adds the values of all cards in a hand.

    The ace is worth 1 even where it would follow the king in a run.
    """
    hands = ["QC KD AH", "10C JD QH KS", "AC AD 2H 9S 7C"]
    assert position(hands).totals() == [21, 40, 20]
    assert position(hands, face_values="pip").totals() == [26, 46, 20]


# --- LS-3, the turn ------------------------------------------------------------------------------


def test_ls3_a_turn_discards_one_set_and_draws_one_card_from_the_deck() -> None:
    """LS-3: a turn discards one set and draws one card, here from the deck."""
    play = position(["7C 7D 9H", "2C"], floor="KS", deck="3D 4D").play("7C 7D")
    assert play.hands == [parse("3D 9H"), parse("2C")]
    assert play.floor == parse("7C 7D")
    assert play.deck[0] == parse("4D")[0]
    assert (play.mover, play.turn) == (1, 3)


def test_ls3_any_one_of_the_open_cards_may_be_drawn_instead() -> None:
    """LS-3: a turn may draw any one card of the floor."""
    for drawn in ("9C", "9D", "9H", "9S"):
        play = position(["7C 7D KS", "2C"], floor="9C 9D 9H 9S")
        assert play.sources() == [0, 1, 2, 3, 4]
        size = len(play.deck)
        play.play("7C 7D", draw=drawn)
        assert play.hands[0] == sorted(parse(f"KS {drawn}"))
        assert (len(play.deck), play.floor) == (size, parse("7C 7D"))


def test_ls3_the_face_up_card_may_be_drawn_on_the_first_turn() -> None:
    """LS-3: the card that starts the floor may be drawn on the first turn."""
    play = position(PLAIN, floor="4H", rounds=0).play("KC", draw="4H")
    assert play.hands[0] == parse("2C 4H 5D 8H JS")
    assert play.buried == []


def test_ls3_the_own_discard_of_this_turn_cannot_be_picked_up() -> None:
    """LS-3: what a player discards in this turn is not drawn in it.

    A common error: the discard lies on the floor before the draw.
    """
    play = position(["7C 7D KS", "2C"], floor="9C")
    assert play.sources() == [0, 1]
    play.play("7C 7D", draw="9C")
    assert play.hands[0] == parse("9C KS")
    play = position(["7C 7D KS", "2C"])
    assert play.sources() == [0]


def test_ls3_a_whole_hand_may_go_for_one_card() -> None:
    """LS-3: a set may be the whole hand, and one card is drawn for it."""
    play = position(["6C 7C 8D 9H 10S", "2C"], floor="AS").play("6C 7C 8D 9H 10S", draw="AS")
    assert play.hands[0] == parse("AS")
    assert play.floor == parse("6C 7C 8D 9H 10S")


def test_ls3_a_hand_never_grows_and_never_vanishes() -> None:
    """LS-3: one card is drawn for one or more, so a hand never grows and is never empty."""
    play = Play(4, seed=3, points_limit=None)
    sizes = play.of_seats("sizes")
    rng = np.random.default_rng(0)
    while not play.over:
        play.step(int(rng.choice([action for action in play.legal() if action])))
        now = play.of_seats("sizes")
        assert all(1 <= after <= before for after, before in zip(now, sizes, strict=True))
        assert min(play.totals()) >= 1
        sizes = now


@pytest.mark.parametrize("action", [-1, 187, 10**6, 1 + (32 - 1) * 6])
def test_ls3_other_numbers_are_no_actions(action: int) -> None:
    """LS-3: numbers outside the code of sets and draws are illegal."""
    play = Play()
    before = play.states.copy()
    assert not play.try_step(action)
    assert play.states == before


# --- LS-8, the floor -----------------------------------------------------------------------------


def test_ls8_the_discard_is_the_new_floor_and_the_rest_of_the_old_is_buried() -> None:
    """LS-8: a discard replaces the floor, and the rest of the old floor is buried."""
    play = position(["7C 7D KS", "2C", "5H"], floor="9C 9D JC", buried="3S")
    play.play("7C 7D", draw="9D")
    assert (play.floor, play.buried) == (parse("7C 7D"), parse("3S 9C JC"))
    assert play.sources() == [0, 1, 2]
    play.play("2C")  # from the deck: all of the old floor is buried
    assert (play.floor, play.buried) == (parse("2C"), parse("3S 7C 7D 9C JC"))


def test_ls8_a_buried_card_can_never_be_picked_from_again() -> None:
    """LS-8: a buried card cannot be drawn from the floor again."""
    play = position(["7C KS", "2C 3C", "5H 6H"], floor="9C 9D")
    play.play("7C", draw="9D").play("2C")
    assert play.sources() == [0, 1]
    assert play.floor == parse("2C")


# --- LS-9, declaring -----------------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 3, 8])
def test_ls9_nobody_declares_in_the_first_round(num_players: int) -> None:
    """LS-9: declaring is legal from a player's second turn on.

    A common error: a lucky hand ends the deal before others had a turn.
    """
    play = Play(num_players, first_player=1)
    for _ in range(num_players):
        assert not play.may_declare()
        assert not play.try_step(0)
        play.any_turn()
    for _ in range(num_players):
        assert play.may_declare()
        play.any_turn()


def test_ls9_a_declaration_ends_the_deal_at_once() -> None:
    """LS-9: a declaration replaces the turn and ends the deal."""
    play = position(["10C", "10D 6D", "8C 9C"], floor="2C", points_limit=None)
    hands, floor, turn = play.hands, play.floor, play.turn
    play.declare()
    assert (play.hands, play.floor, play.turn) == (hands, floor, turn)
    assert (play.over, play.deal_ended, play.declarer, play.deals) == (1, 1, 0, 1)


def test_ls9_any_total_may_declare() -> None:
    """LS-9: by default any total may be declared."""
    assert position(["10C JC QC KC KD", "AC"]).may_declare()


@pytest.mark.parametrize(("limit", "may"), [(1, False), (14, False), (15, True), (16, True)])
def test_ls9_declare_limit(limit: int, may: bool) -> None:
    """LS-9: the option `declare_limit` is the highest total that may be declared."""
    assert position(["10C 5D", "AC"], declare_limit=limit).may_declare() == may


def test_ls9_declare_limit_counts_values() -> None:
    """LS-9: the limit counts faces as the option `face_values` says."""
    assert position(["KC", "AC"], declare_limit=10).may_declare()
    assert not position(["KC", "AC"], declare_limit=10, face_values="pip").may_declare()


# --- LS-10 and LS-11, points of a deal -----------------------------------------------------------


def test_ls10_worked_example() -> None:
    """LS-10: a correct declarer scores 0, the others what they have more.

    Declarer 10 against 16 and 17.
    """
    play = showdown(["10C", "10D 6D", "8C 9C"])
    assert play.of_seats("deal_points") == [0, 6, 7]
    assert play.of_seats("points") == [0, 6, 7]


def test_ls11_worked_example() -> None:
    """LS-11: a wrong declarer scores the penalty and the difference, the others 0.

    Declarer 10 against 8 and 15.
    """
    play = showdown(["10C", "8D", "8C 7C"])
    assert play.of_seats("deal_points") == [22, 0, 0]


@pytest.mark.parametrize("declarer", range(4))
def test_ls10_ls11_whoever_declares(declarer: int) -> None:
    """LS-10, LS-11: the scores do not depend on the declarer's seat."""
    hands = ["9C", "5C", "7C", "KC"]
    wanted = [[24, 0, 0, 0], [4, 0, 2, 5], [0, 0, 22, 0], [0, 0, 0, 25]][declarer]
    assert showdown(hands, declarer).of_seats("deal_points") == wanted


def test_ls10_a_tie_for_lowest_is_correct() -> None:
    """LS-10: a declarer who ties for the lowest total is correct.

    A common error: a tie counts as wrong, or costs the players who tie.
    """
    play = showdown(["10C", "6D 4D", "8C 7C"])
    assert play.of_seats("deal_points") == [0, 0, 5]
    assert play.of_seats("wrong") == [0, 0, 0]


def test_ls10_a_tie_costs_exactly_the_penalty_if_it_is_wrong() -> None:
    """LS-10: with the option `tie` a tie is wrong and costs the penalty alone."""
    play = showdown(["10C", "6D 4D", "8C 7C"], tie="wrong", penalty=13)
    assert play.of_seats("deal_points") == [13, 0, 0]
    assert showdown(["10C", "KD AD"], tie="wrong").of_seats("deal_points") == [0, 1]
    assert showdown(["10C", "9D", "KC"], tie="wrong").of_seats("deal_points") == [21, 0, 0]


@pytest.mark.parametrize("penalty", [0, 1, 20, 40])
def test_ls11_penalty(penalty: int) -> None:
    """LS-11: the option `penalty` replaces the 20 points."""
    play = showdown(["10C 2C", "KD", "5D"], penalty=penalty)
    assert play.of_seats("deal_points") == [penalty + 7, 0, 0]


def test_ls10_ls11_totals_count_faces_by_the_option() -> None:
    """LS-10, LS-11: totals count faces as the option `face_values` says."""
    hands = ["KC", "JD", "10H 2H"]
    assert showdown(hands).of_seats("deal_points") == [0, 0, 2]
    assert showdown(hands, face_values="pip").of_seats("deal_points") == [22, 0, 0]


# --- LS-17, players and options ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"num_players": 1}, "num_players must be from 2 to 8, not 1"),
        ({"num_players": 9}, "num_players must be from 2 to 8, not 9"),
        ({"num_players": 4.0}, "num_players must be an integer from 2 to 8, not 4.0"),
        (
            {"points_limit": 0},
            "points_limit must be a number greater than 0 and at most 1,000,000, or None",
        ),
        ({"points_limit": 10**400}, "at most 1,000,000"),
        ({"points_limit": 1e300}, "at most 1,000,000"),
        ({"points_limit": float("inf")}, "points_limit must be a number greater than 0"),
        ({"points_limit": True}, "points_limit must be a number greater than 0"),
        ({"knockout": "touch"}, 'knockout must be "exceed" or "reach", not \'touch\''),
        ({"match_end": "never"}, "match_end must be"),
        ({"tie": "lost"}, "tie must be"),
        ({"at_limit": "draw"}, "at_limit must be"),
        ({"deal_mode": "own"}, "deal_mode must be"),
        ({"face_values": 10}, "face_values must be"),
        ({"penalty": -1}, "penalty must be from 0 to 10000, not -1"),
        ({"declare_limit": 0}, "declare_limit must be from 1 to"),
        ({"two_pairs": 1}, "two_pairs must be true or false, not 1"),
        ({"open_card": None}, "open_card must be true or false"),
        ({"first_player": 4}, "first_player must be from 0 to 3, not 4"),
        ({"max_turns": 0}, "max_turns must be from 1 to"),
        ({"max_deals": 0}, "max_deals must be from 1 to"),
        ({"ranks": 14}, "ranks must be from 1 to 13, not 14"),
        ({"suits": 5}, "suits must be from 1 to 4, not 5"),
        ({"hand_size": 6}, "hand_size must be from 1 to 5, not 6"),
        ({"sets": ("triple",)}, "some of pair, four, run, flush, not"),
        ({"sets": "pair"}, "some of pair, four, run, flush, not"),
        ({"single_deals": 1.5}, "single_deals must be from 0 to 1"),
    ],
)
def test_options_outside_their_bounds_are_refused(options: dict, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        Options(**options)


@pytest.mark.parametrize("deal_mode", ["normal", "stable"])
@pytest.mark.parametrize("open_card", [True, False])
def test_ls17_hands_and_one_card_must_fit_the_deck(open_card: bool, deal_mode: str) -> None:
    """LS-17: the deck must have a card for every hand and one more."""
    options = {"suits": 2, "open_card": open_card, "deal_mode": deal_mode}
    play = Play(5, ranks=13, hand_size=5, **options)
    assert len(play.everywhere()) == 26
    assert play.legal()
    with pytest.raises(ValueError, match="5 hands of 5 and a further card are 26 cards, more than"):
        Options(num_players=5, ranks=12, hand_size=5, **options)


def test_ls17_eight_players_may_play() -> None:
    """LS-17: eight players may play."""
    assert len(Play(8).deck) == 52 - 41


@pytest.mark.parametrize("num_players", range(2, 9))
def test_ls17_every_table_within_the_bounds_can_be_played(num_players: int) -> None:
    """LS-17: any table within the bounds of the options can be played."""
    options = Options(num_players=num_players, first_player=num_players - 1)
    states = np.zeros(1, State)
    deal_rows(options.rules(), states, np.zeros(1, np.uint64), np.array([num_players]))
    assert states["mover"][0] == num_players - 1


# --- LS-18, what is known ------------------------------------------------------------------------


def test_ls18_a_picked_up_card_is_known_until_it_is_discarded() -> None:
    """LS-18: a card that a player picked up is known until it is discarded."""
    play = position(["7C KS", "2C 3C"], floor="9C 9D").play("7C", draw="9D")
    assert play.known == [parse("9D"), []]
    play.play("2C", draw="7C")
    assert play.known == [parse("9D"), parse("7C")]
    play.play("9D")
    assert play.known == [[], parse("7C")]


def test_ls18_cards_from_the_deck_are_not_known() -> None:
    """LS-18: a card drawn from the deck is secret."""
    play = position(["7C KS", "2C 3C"], floor="9C").play("7C")
    assert play.known == [[], []]
    assert play.held == []
    assert play.states["buried"][0] == word("9C")


def test_ls18_nothing_is_known_of_a_new_deal() -> None:
    """LS-18: a new deal makes all known cards unknown."""
    play = position(["7C KS", "2C 3C"], floor="9C 9D").play("7C", draw="9D").declare()
    assert (play.deals, play.known, play.buried, play.held) == (1, [[], []], [], [])
