"""No seat is shown what it can't know (LS-18).

A determinization changes everything that a seat can't know; what it is shown must stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from lowhand.engine.kernels_rows import act_rows, resample_rows
from lowhand.engine.scripted import parse_bot
from lowhand.games.least_score import GAME
from lowhand.games.least_score.options import Options
from lowhand.games.least_score.text import hand_of
from lowhand.least_score_v0 import env as make_env
from tests.games.least_score.play import cards_of, parse
from tests.games.least_score.seats import (
    TABLES,
    Seats,
    all_cards,
    observed,
    pile_cards,
    random_positions,
    rules_of,
    spec_of,
)

# What a seat is shown at one state: (options, states of shape (1,), seat) -> comparable values.
See = Callable[[Options, np.ndarray, int], object]


def observation(recall: bool) -> See:
    def see(options: Options, states: np.ndarray, seat: int) -> object:
        spec = spec_of(options, recall, options.num_players)
        return [array.tolist() for array in observed(options, spec, states, seat)]

    return see


def rendering(options: Options, states: np.ndarray, seat: int) -> object:
    return GAME.render(rules_of(options), states[0], seat)


def decisions(options: Options, states: np.ndarray, seat: int) -> list[int]:
    """Of the scripted players, where it is the seat's turn; they remember every move."""
    actions = np.zeros(1, np.int64)
    made: list[int] = []
    if seat == states["mover"][0]:
        for name in GAME.baselines:
            bot = parse_bot(name, GAME.bots)
            act_rows(rules_of(options), states, np.zeros(1, np.int64), bot, actions)
            made.append(int(actions[0]))
    return made


def re_deals(recall: bool, seed: int = 1) -> Iterator[tuple[Options, np.ndarray, np.ndarray, int]]:
    """Options, a position, the same after a re-deal of what `seat` can't know, and `seat`."""
    rng = np.random.default_rng(seed)
    for options, states in random_positions(seed, tables=3):
        for i in range(len(states)):
            before = states[i : i + 1]
            for seat in range(options.num_players):
                after = before.copy()
                key = rng.integers(0, 2**64, 1, np.uint64)
                resample_rows(rules_of(options), after, seat, recall, key)
                yield options, before, after, seat


def assert_no_leak(see: See, recall: bool) -> None:
    for options, before, after, seat in re_deals(recall):
        # A scripted player's random numbers come from the key, so it must be the same.
        after["key"] = before["key"]
        assert see(options, before, seat) == see(options, after, seat)


@pytest.mark.parametrize("recall", [False, True])
def test_a_re_deal_depends_on_its_key_and_not_on_what_lay_hidden(recall: bool) -> None:
    for options, before, after, seat in re_deals(recall):
        ends = before.copy(), after.copy()
        for states in ends:
            resample_rows(rules_of(options), states, seat, recall, np.array([7], np.uint64))
        piles = [[pile_cards(states[0], pile) for pile in range(8)] for states in ends]
        assert piles[0] == piles[1]
        for states in ends:
            states["deck"] = 0  # beyond the piles lies what no move will ever read
        for name in ends[0].dtype.names or ():
            assert np.array_equal(ends[0][name], ends[1][name]), name


@pytest.mark.parametrize(
    ("see", "recall"),
    [
        pytest.param(observation(False), False, id="observation"),
        pytest.param(observation(False), True, id="observation, remembering"),
        pytest.param(observation(True), True, id="observation with recall"),
        pytest.param(rendering, False, id="rendering"),
        pytest.param(rendering, True, id="rendering, remembering"),
        pytest.param(decisions, True, id="scripted players"),
    ],
)
def test_what_a_seat_is_shown_does_not_depend_on_what_it_cannot_know(
    see: See, recall: bool
) -> None:
    assert_no_leak(see, recall)


def test_the_scripted_players_do_decide_in_these_positions() -> None:
    made = [decisions(options, before, seat) for options, before, _, seat in re_deals(True)]
    chosen = [set(column) for column in zip(*filter(None, made), strict=True)]
    assert len(chosen) == len(GAME.baselines)
    assert all(len(actions) > 10 for actions in chosen)


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("chosen", TABLES[:4])
def test_an_environment_tells_nothing_else(chosen: dict[str, Any], recall: bool) -> None:
    env = make_env(**chosen, perfect_recall=recall, render_mode="ansi", reward="score")
    rng = np.random.default_rng(2)
    names = ("agents", "agent_selection", "rewards", "terminations", "truncations", "infos")
    env.reset(seed=3)
    while len(env.agents) == env.num_agents and not any(env.terminations.values()):
        seat = int(rng.integers(env.num_agents))
        twin = env.clone()
        twin.resample_hidden(seat, rng)
        agent = env.possible_agents[seat]
        for name, array in env.observe(agent).items():
            assert np.array_equal(array, twin.observe(agent)[name])
        if agent == env.agent_selection:
            assert env.render() == twin.render()
            assert env.legal_actions() == twin.legal_actions()
        for name in names:
            assert getattr(env, name) == getattr(twin, name)
        env.step(int(rng.choice(env.legal_actions())))


@pytest.mark.parametrize("recall", [False, True])
def test_a_re_deal_changes_all_that_is_hidden_and_nothing_else(recall: bool) -> None:
    changed = {"hands": 0, "deck": 0, "key": 0, "buried": 0, "known": 0}
    for options, before, after, seat in re_deals(recall):
        old, new = before[0], after[0]
        hidden = {"key", "stream", "counter", "deck", "hands"}
        if not recall:
            hidden |= {"buried", "known", "held"}
        for field in set(before.dtype.names or ()) - hidden:
            assert np.array_equal(old[field], new[field]), field
        assert all_cards(new) == all_cards(old)
        assert hand_of(new, seat) == hand_of(old, seat)
        assert int(new.buried).bit_count() == int(old.buried).bit_count()
        assert_hands_are_sorted(options, new)
        changed["hands"] += not np.array_equal(old.hands, new.hands)
        changed["deck"] += pile_cards(old, seat) != pile_cards(new, seat)
        changed["key"] += bool(old.key != new.key)
        changed["buried"] += bool(old.buried != new.buried)
        changed["known"] += not np.array_equal(old.known, new.known)
    kept = {"buried", "known"} if recall else set()
    for name, count in changed.items():
        assert count == 0 if name in kept else count > 20, (name, count)


def assert_hands_are_sorted(options: Options, state: np.record) -> None:
    """Slots ascend, and those after the last card are empty."""
    for seat in range(options.num_players):
        hand = hand_of(state, seat)
        assert hand == sorted(set(hand))
        assert (state.hands[seat, len(hand) :] == 127).all()


def test_ls18_what_all_remember_stays_where_it_is_known_to_be() -> None:
    """LS-18: a determinization with perfect recall leaves every known card where it is."""
    reached = {"known": 0, "held": 0, "drew nothing": 0}
    for options, _, after, _ in re_deals(recall=True):
        state = after[0]
        hands = [set(hand_of(state, seat)) for seat in range(options.num_players)]
        held = set(cards_of(state.held))
        for seat, hand in enumerate(hands):
            known = set(cards_of(state.known[seat]))
            assert known <= hand
            reached["known"] += bool(known)
            if held:  # there was a reshuffle
                others = hand - held - known
                assert len(others) <= state.drawn[seat]
                reached["drew nothing"] += bool(hand) and not state.drawn[seat]
        assert held <= set().union(*hands)
        reached["held"] += bool(held)
    assert min(reached.values()) > 20, reached


def after_a_reshuffle() -> Seats:
    """The second player has drawn from the new deck, the others' unseen cards are old ones."""
    rest = [card for card in range(52) if card not in parse("AS 5H 9S KS 6H 7D 3C 9C 9D")]
    position = {"hands": ["AS 5H 9S", "KS 6H", "7D 3C"], "floor": "9C", "deck": "9D"}
    play = Seats(3, first_player=0, position={**position, "buried": rest})
    return play.play("9S").play("KS")


def test_ls18_after_a_reshuffle_only_new_cards_are_dealt_anew() -> None:
    """LS-18: after a reshuffle a determinization moves only cards that are unknown since."""
    play = after_a_reshuffle()
    state = play.state
    assert cards_of(state.held) == sorted(parse("AS 5H 9D 6H 7D 3C"))
    assert state.drawn[:3].tolist() == [0, 1, 0]
    hands = set()
    for key in range(60):
        after = play.states.copy()
        resample_rows(play.rules, after, 2, True, np.array([key], np.uint64))
        assert all_cards(after[0]) == list(range(52))
        dealt = [hand_of(after[0], seat) for seat in range(3)]
        old = [[card for card in hand if card in cards_of(state.held)] for hand in dealt]
        assert sorted(old[0] + old[1]) == sorted(parse("AS 5H 9D 6H"))
        assert (len(old[0]), len(old[1])) == (3, 1)
        hands.add(tuple(dealt[1]))
    assert len(hands) > 30  # the drawn card is any of the new deck, the other any that is held


def test_without_recall_a_re_deal_forgets_the_reshuffle() -> None:
    play = after_a_reshuffle()
    resample_rows(play.rules, play.states, 2, False, np.array([5], np.uint64))
    assert not play.state.held
    assert not play.state.known.any()
    assert all_cards(play.state) == list(range(52))


def test_after_a_re_deal_the_deals_to_come_are_others() -> None:
    play = Seats(2, position={"turn": 2, "hands": ["AS", "2S"], "first_player": 0})
    twin = play.states.copy()
    resample_rows(play.rules, twin, 0, True, np.array([9], np.uint64))
    other = Seats(2)
    other.states[:] = twin
    assert play.step(0).hands != other.step(0).hands


def next_card(options: Options, states: np.ndarray, seat: int) -> object:
    number = seat if options.deal_mode == "stable" else 0
    return pile_cards(states[0], number)[:1]


def a_hand_of_another(options: Options, states: np.ndarray, seat: int) -> object:
    return hand_of(states[0], (seat + 1) % options.num_players)


@pytest.mark.parametrize(
    ("see", "recall"),
    [
        pytest.param(next_card, True, id="next card"),
        pytest.param(a_hand_of_another, True, id="hand of another"),
        pytest.param(observation(True), False, id="what is remembered"),
    ],
)
def test_a_planted_leak_is_found(see: See, recall: bool) -> None:
    with pytest.raises(AssertionError):
        assert_no_leak(see, recall)
