"""LS-15, LS-16 and the own piles in the compiled engine: the closed deck, and deals without end."""

from __future__ import annotations

import pytest

from lowhand import least_score_v0
from tests.games.least_score.play import Play, parse, position

# --- LS-15, the empty deck -----------------------------------------------------------------------


def test_ls15_an_empty_deck_on_turn_1_with_a_card_on_the_floor() -> None:
    """LS-15: with neither deck nor buried cards only the floor can be drawn.

    The deck may be empty from the first turn on, as here with two players and three cards.
    """
    play = Play(2, ranks=3, suits=1, hand_size=1)
    assert (play.deck, play.buried, len(play.floor)) == ([], [], 1)
    assert play.sources() == [1]
    assert not play.try_step(1)  # discard the only card, draw from the deck
    play.any_turn()
    assert play.sources() == [1]


def test_ls15_the_buried_cards_can_be_drawn_even_if_the_deck_is_empty() -> None:
    """LS-15: buried cards become the deck when it is empty and a card is drawn."""
    buried = "3S 4S 5S 6S"
    play = position(["7C KS", "2C 3C"], floor="9C 9D", buried=buried, rest="away")
    assert play.sources() == [0, 1, 2]
    play.play("7C")
    assert len(play.deck) == 3
    drawn = [card for card in play.hands[0] if card != parse("KS")[0]]
    assert sorted(play.deck + drawn) == parse(buried)


def test_ls15_neither_the_old_floor_nor_the_own_discard_is_shuffled_in() -> None:
    """LS-15: neither the floor nor the discard of this turn goes into the new deck.

    A common error: the old floor goes into the new deck, where it may be drawn at once.
    """
    drawn = set()
    for seed in range(40):
        play = position(["7C KS", "2C 3C"], "9C 9D", buried="3S 4S 5S", rest="away", seed=seed)
        play.play("7C")
        drawn |= set(play.hands[0]) - set(parse("KS"))
        assert (play.floor, play.buried) == (parse("7C"), parse("9C 9D"))
        assert set(play.deck) < set(parse("3S 4S 5S"))
    assert drawn == set(parse("3S 4S 5S"))


def test_ls15_without_deck_and_buried_cards_only_the_floor_can_be_drawn() -> None:
    """LS-15: without deck and buried cards a draw from the deck is illegal."""
    play = position(["7C KS", "2C 3C"], floor="9C 9D", rest="away")
    assert play.sources() == [1, 2]
    play.play("7C", draw="9C")
    assert (play.buried, play.sources()) == (parse("9D"), [0, 1])


def test_ls15_the_last_card_of_the_deck_is_drawn_without_a_reshuffle() -> None:
    """LS-15: the reshuffle waits until a card is to be drawn."""
    play = position(["7C KS", "2C 3C"], floor="9C", deck="4D", rest="buried")
    play.play("7C")
    assert play.deck == []
    assert parse("4D")[0] in play.hands[0]
    play.play("2C")
    assert play.buried == parse("7C")
    assert len(play.deck) == 52 - 4 - 2  # but the hands, the new floor, and the old one


def test_ls15_cards_are_never_lost() -> None:
    """LS-15: a reshuffle loses no card."""
    play = Play(8, seed=1, points_limit=None, max_turns=400)
    reshuffles = 0
    while not play.over:
        empty = not play.deck
        play.any_turn()
        reshuffles += empty and bool(play.deck)
        assert play.everywhere() == play.all_cards
    assert reshuffles > 3


def test_ls18_at_a_reshuffle_all_cards_unseen_until_then_are_in_hands() -> None:
    """LS-18: at a reshuffle all cards unseen until then are in hands, and that is known."""
    play = position(["7C 8C KS", "2C 3C", "4D"], floor="9C 9D", rest="buried", buried="")
    play.set(known=[0, 1 << parse("3C")[0]])
    play.play("7C")
    drawn = next(card for card in play.hands[0] if card not in parse("8C KS"))
    # The card just drawn comes from the new deck, and 3C is known to be with player 1.
    assert play.held == sorted(parse("8C KS 2C 4D"))
    assert drawn not in play.held
    assert play.of_seats("drawn") == [1, 0, 0]
    play.play("2C", draw="7C")
    assert play.held == sorted(parse("8C KS 4D"))
    assert play.known == [[], parse("3C 7C"), []]
    play.play("4D")
    assert (play.held, play.of_seats("drawn")) == (sorted(parse("8C KS")), [1, 0, 1])


# --- LS-16, the endless deal ---------------------------------------------------------------------


@pytest.mark.parametrize("num_players", [2, 4, 8])
def test_ls16_after_50_turns_for_each_player_a_deal_is_void(num_players: int) -> None:
    """LS-16: after 50 turns a player without a declaration a deal is void."""
    play = Play(num_players).any_turn(50 * num_players - 1)
    assert (play.deals, play.turn) == (0, 50 * num_players - 1)
    play.any_turn()
    assert (play.deals, play.turn, play.declarer, play.deal_ended) == (1, 0, -1, 1)
    assert play.of_seats("points") == [0] * num_players


def test_ls16_the_default_counts_those_who_play_the_deal() -> None:
    """LS-16: the 50 turns count for each player who is still in."""
    play = Play(4).set(points=[0, 150], out=[0, 1], out_deal=[0, 1], left=3)
    play.any_turn(150)
    assert (play.deals, play.turn) == (1, 0)


def test_ls16_max_turns() -> None:
    """LS-16: the option `max_turns` sets another limit."""
    play = Play(3, max_turns=7).any_turn(6)
    assert play.may_declare()
    play.any_turn()
    assert (play.deals, play.turn) == (1, 0)


@pytest.mark.parametrize(("at_limit", "points"), [("void", [0, 0, 0]), ("showdown", [5, 4, 0])])
def test_ls16_at_the_limit_hands_may_be_shown(at_limit: str, points: list[int]) -> None:
    """LS-16: with the option `at_limit` hands are shown at the limit.

    Each player scores its total minus the lowest; there is no penalty.
    """
    options = {"max_turns": 3, "points_limit": None, "at_limit": at_limit, "rounds": 0}
    play = position(["9C", "5C", "7C"], floor="KH", **options)
    play.play("9C", draw="KH").play("5C", draw="9C").play("7C", draw="5C")
    assert play.totals() == [10, 9, 5]
    assert play.of_seats("deal_points") == play.of_seats("points") == points
    assert (play.over, play.declarer) == (1, -1)


def test_ls16_a_void_deal_counts_and_the_start_rotates() -> None:
    """LS-16: a void deal counts among the deals of the match, and the start goes on."""
    play = Play(3, max_turns=1, first_player=1)
    assert [play.starter, play.any_turn().starter, play.any_turn().starter] == [1, 2, 0]
    assert play.deals == 2
    assert play.of_seats("deals_played") == [2, 2, 2]


@pytest.mark.parametrize("max_deals", [1, 3])
def test_ls16_after_max_deals_the_match_is_truncated_and_ranked_by_points(max_deals: int) -> None:
    """LS-16: after the last deal the match is truncated, and points rank the players."""
    play = Play(3, max_turns=1, max_deals=max_deals).any_turn(max_deals - 1)
    assert (play.over, play.truncated) == (0, 0)
    play.set(points=[9, 4, 4]).any_turn()
    assert (play.over, play.truncated, play.deals) == (1, 1, max_deals)
    assert play.places() == [2, 0, 0]


def test_ls16_the_default_is_100_deals() -> None:
    """LS-16: a match has at most 100 deals."""
    play = Play(2, max_turns=1).any_turn(99)
    assert (play.over, play.deals) == (0, 99)
    assert play.any_turn().truncated


def test_ls16_a_match_that_its_last_deal_decides_is_not_truncated() -> None:
    """LS-16: a match that its last deal decides is not truncated."""
    play = Play(2, max_deals=1, points_limit=20).set_hands("KC", "5D").set(turn=2).declare()
    assert (play.over, play.truncated) == (1, 0)


# --- deal_mode="stable" --------------------------------------------------------------------------


def test_stable_everybody_has_an_own_pile() -> None:
    play = Play(4, deal_mode="stable", first_player=2)
    assert [len(play.pile(seat)) for seat in range(4)] == [8, 7, 8, 8]  # from the starter on
    top = [play.pile(seat)[0] for seat in range(4)]
    for seat in (2, 3, 0, 1):
        assert play.mover == seat
        play.any_turn()
        assert top[seat] in play.hands[seat]


def test_stable_what_one_draws_leaves_the_draws_of_others_as_they_are() -> None:
    drawn = []
    for draws_from_floor in (False, True):
        play = Play(3, seed=5, deal_mode="stable", open_card=True)
        play.step(play.legal()[1 if draws_from_floor else 0])
        before = set(play.hands[1])
        play.any_turn()
        drawn.append(set(play.hands[1]) - before)
    assert drawn[0] == drawn[1]


def test_stable_an_empty_pile_is_refilled_from_the_buried_cards() -> None:
    piles = ["", "3H", "4H 5H"]
    options = {"deal_mode": "stable", "buried": "2S 3S 4S 5S 6S 7S 8S", "rest": "away"}
    play = position(["7C KS", "2C 3C", "4D"], floor="9C", **options).set_piles(*piles)
    play.play("7C")
    # Seven cards, the mover first: three, two and two, beneath what is left; one is drawn.
    assert [len(play.pile(seat)) for seat in range(3)] == [2, 3, 4]
    assert (play.pile(1)[0], play.pile(2)[:2]) == (parse("3H")[0], parse("4H 5H"))
    new = [*play.pile(0), *play.pile(1)[1:], *play.pile(2)[2:]]
    drawn = next(card for card in play.hands[0] if card != parse("KS")[0])
    assert sorted([*new, drawn]) == parse("2S 3S 4S 5S 6S 7S 8S")
    assert (play.buried, play.held) == (parse("9C"), [])


def test_stable_ls18_if_no_pile_is_left_all_cards_unseen_are_in_hands() -> None:
    """LS-18: with the `stable` option all unseen cards are in hands once no pile is left."""
    options = {"deal_mode": "stable", "rest": "buried"}
    play = position(["7C KS", "2C 3C", "4D"], floor="9C", **options).play("7C")
    assert play.held == sorted(parse("KS 2C 3C 4D"))


def test_stable_without_an_open_card_the_starter_can_always_draw() -> None:
    play = Play(8, ranks=3, suits=3, hand_size=1, open_card=False, deal_mode="stable")
    assert play.legal() == [1]  # the card beyond the hands is the starter's pile
    assert play.any_turn().sources() == [1]


def test_the_count_of_draws_stops_where_a_byte_can_hold_it() -> None:
    env = least_score_v0.env(2, max_turns=600, points_limit=None, deal_mode="stable")
    env.reset(seed=0)
    for turn in range(400):  # one draws from its pile, the other from the floor
        env.step(1 + turn % 2)
    assert sorted(env.get_state().drawn[:2].tolist()) == [0, 100]
