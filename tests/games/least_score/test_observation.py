"""What a seat sees: every field in plain Python from the state, exactly in its place (LS-18)."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from lowhand import Batch
from lowhand.engine.observation import ObservationSpec
from lowhand.games.least_score import GAME
from lowhand.games.least_score.observation import critic_observation
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT, Options
from lowhand.games.least_score.text import hand_of
from tests.games.fields import assert_each_field_writes_its_slice, assert_padded_with_zeros
from tests.games.least_score.play import cards_of, parse
from tests.games.least_score.seats import (
    TABLES,
    Seats,
    observed,
    random_actions,
    random_positions,
    spec_of,
)

SEEN = (
    "hand_ranks", "hand_suits", "floor_ranks", "floor_suits", "total", "may_declare",
    "hand_sizes", "points", "distance", "playing", "single_deal", "deck_size", "buried_size",
    "turn",
)  # fmt: skip
REMEMBERED = ("known", "buried", "held", "unseen_ranks")
HIDDEN = ("hidden_ranks", "hidden_totals")


def one_hot(slots: list[int], size: int, of: str, options: Options) -> np.ndarray:
    """Rank or suit of the card in each slot."""
    rows = np.zeros((options.hand_size, size))
    for k, card in enumerate(slots):
        rows[k, card // 4 if of == "rank" else card % 4] = 1
    return rows


def plane(chosen: list[int], options: Options) -> np.ndarray:
    """Cards of the deck as zeros and ones, rank by rank."""
    deck = [4 * rank + suit for rank in range(options.ranks) for suit in range(options.suits)]
    return np.array([float(card in chosen) for card in deck])


def total(hand: list[int], options: Options) -> int:
    pips = [card // 4 + 1 for card in hand]
    return sum(pips if options.face_values == "pip" else [min(pip, 10) for pip in pips])


def may_declare(options: Options, state: np.record, seat: int) -> bool:
    """LS-9: on the player's turn, not in the first round, with a total within the limit."""
    if (
        state.over
        or seat != state.mover
        or state.turn < (state.out[: state.num_players] == 0).sum()
    ):
        return False
    limit = options.declare_limit
    return limit is None or total(hand_of(state, seat), options) <= limit


def expected(options: Options, state: np.record, seat: int, seats: int) -> dict[str, np.ndarray]:
    """All fields as the table's cards and numbers give them."""
    n, hand = int(state.num_players), hand_of(state, seat)
    order = [(seat + place) % n for place in range(n)]
    floor, buried = state.floor[: state.floor_size].tolist(), cards_of(state.buried)
    pile = seat if options.deal_mode == "stable" else 0
    fields = {
        "hand_ranks": one_hot(hand, options.ranks, "rank", options),
        "hand_suits": one_hot(hand, options.suits, "suit", options),
        "floor_ranks": one_hot(floor, options.ranks, "rank", options),
        "floor_suits": one_hot(floor, options.suits, "suit", options),
        "total": total(hand, options) / 50,
        "may_declare": may_declare(options, state, seat),
        "single_deal": state.limit == NO_LIMIT,
        "deck_size": state.pile_size[pile] / options.num_cards,
        "buried_size": len(buried) / options.num_cards,
        "turn": state.turn / (10 * max(2, int(state.left))),
        "buried": plane(buried, options),
        "held": plane([c for c in cards_of(state.held) if c not in hand], options),
    }
    for name in ("hand_sizes", "points", "distance", "playing", "hidden_totals"):
        fields[name] = np.zeros(seats)
    fields["known"] = np.zeros((seats, options.num_cards))
    fields["hidden_ranks"] = np.zeros((seats, options.ranks))
    placed = {*hand, *floor, *buried}
    for place, player in enumerate(order):
        theirs, known = hand_of(state, player), cards_of(state.known[player])
        inside = not state.out[player]
        fields["hand_sizes"][place] = len(theirs) / options.hand_size
        fields["points"][place] = state.points[player] / 100
        if inside and state.limit != NO_LIMIT:
            fields["distance"][place] = (options.points_limit - state.points[player]) / 100
        fields["playing"][place] = inside
        fields["known"][place] = plane(known, options)
        fields["hidden_totals"][place] = total(theirs, options) / 50
        for card in theirs:
            fields["hidden_ranks"][place, card // 4] += 1 / 4
        placed |= set(known)
    unseen = plane([card for card in range(52) if card not in placed], options)
    fields["unseen_ranks"] = unseen.reshape(options.ranks, options.suits).sum(axis=1) / 4
    return fields


def assert_as_expected(
    options: Options, spec: ObservationSpec, states: np.ndarray, seat: int
) -> None:
    out, mask = observed(options, spec, states, seat)
    wanted = expected(options, states[0], seat, spec.seats)
    low, high = spec.bounds()
    for name, values in spec.views(out).items():
        np.testing.assert_allclose(values, np.broadcast_to(wanted[name], values.shape), rtol=1e-5,
                                   err_msg=name)  # fmt: skip
    assert (low <= out).all()
    assert (out <= high).all()
    assert mask.any() == (seat == states["mover"][0] and not states["over"][0])


@pytest.mark.parametrize("recall", [False, True])
def test_every_field_is_what_lies_on_the_table(recall: bool) -> None:
    rng = np.random.default_rng(0)
    reached = {"held": 0, "known": 0, "out": 0, "single": 0}
    for options, states in random_positions(seed=4):
        seats = int(rng.integers(options.num_players, MAX_PLAYERS + 1))
        spec = critic_observation(options, recall, seats)
        for i, state in enumerate(states):
            seat = int(rng.integers(options.num_players))
            assert_as_expected(options, spec, states[i : i + 1], seat)
            reached["held"] += bool(state.held)
            reached["known"] += bool(state.known.any())
            reached["out"] += bool(state.out.any())
            reached["single"] += bool(state.limit == NO_LIMIT)
    assert min(reached.values()) > 10, reached


def test_the_fields_are_those_of_the_level_of_recall() -> None:
    options = Options(3)
    for recall, names in ((False, SEEN), (True, SEEN + REMEMBERED)):
        fields = GAME.observation(options, recall, 3).fields
        assert tuple(field.name for field in fields) == names
        fields = critic_observation(options, recall, 3).fields
        assert tuple(field.name for field in fields) == names + HIDDEN


@cache
def critic_spec(options: Options, seats: int) -> ObservationSpec:
    return critic_observation(options, True, seats)


def test_the_observation_of_a_critic_begins_with_the_players() -> None:
    for options, states in random_positions(seed=5, tables=1):
        spec, wide = spec_of(options, True, 8), critic_spec(options, 8)
        out, _ = observed(options, spec, states, 1)
        behind, _ = observed(options, wide, states, 1)
        np.testing.assert_array_equal(behind[: spec.size], out)


@pytest.mark.parametrize("chosen", TABLES)
def test_the_end_of_a_game_is_seen_as_it_lies(chosen: dict[str, Any]) -> None:
    limit = chosen.get("points_limit", 100) and 15  # games that end soon, or single deals
    options, rng = Options(**{**chosen, "points_limit": limit}), np.random.default_rng(1)
    batch = Batch(GAME, options, 6, num_players=[options.num_players], keep_final=True)
    seen = np.zeros(6, np.bool_)
    spec = GAME.observation(options, True, MAX_PLAYERS)
    for _ in range(600):
        batch.step(random_actions(batch.action_mask, rng, declare=0.7))
        for i in np.flatnonzero(batch.done & ~seen):
            assert_as_expected(options, spec, batch.final_states[i : i + 1], int(i) % 2)
        seen |= batch.done
        if seen.all():
            return
    raise AssertionError("games that never end")


@pytest.mark.parametrize("chosen", TABLES)
@pytest.mark.parametrize("recall", [False, True])
def test_each_field_writes_exactly_its_slice(chosen: dict[str, Any], recall: bool) -> None:
    play = Seats(**chosen).step(1, 1)
    spec, num_actions = critic_observation(play.options, recall, 8), GAME.num_actions(play.options)
    assert_each_field_writes_its_slice(spec, play.rules, play.states, 1, num_actions)


def test_seats_stand_in_order_of_play_from_the_viewer_on() -> None:
    position = {"hands": ["AS", "2S 2H", "3S 3H 3D", "4S 4H 4D 4C"], "points": [1, 2, 3, 4]}
    play = Seats(4, position=position)
    for viewer in range(4):
        fields = play.see(viewer)
        order = [(viewer + place) % 4 + 1 for place in range(4)]
        assert np.rint(fields["hand_sizes"] * 5).tolist() == order
        assert np.rint(fields["points"] * 100).tolist() == order
        assert np.rint(fields["total"] * 50) == (viewer + 1) ** 2


@pytest.mark.parametrize("recall", [False, True])
def test_padding_is_zero_and_does_not_move_the_rest(recall: bool) -> None:
    play = Seats(3, first_player=0).step(2, 2, 1)
    assert_padded_with_zeros(play.see(1, recall), play.see(1, recall, seats=8), players=3)


def test_ls18_who_remembers_knows_picked_up_and_buried_cards() -> None:
    """LS-18: with perfect recall an observation shows picked up and buried cards."""
    position = {"hands": ["KS 5H", "QS 6H", "2C"], "floor": "3D", "deck": "8C"}
    play = Seats(3, first_player=0, position=position).play("KS", "3D").play("QS").play("2C", "QS")
    fields = play.see(1, perfect_recall=True)
    picked = [np.flatnonzero(row).tolist() for row in fields["known"]]
    assert picked == [[], parse("QS"), parse("3D")]  # seats 1, 2, 0
    assert np.flatnonzero(fields["buried"]).tolist() == parse("KS")
    assert fields["unseen_ranks"][[0, 1, 2, 12]].tolist() == [1, 3 / 4, 3 / 4, 3 / 4]
    assert not fields["held"].any()


def test_ls18_after_a_reshuffle_the_unseen_cards_are_in_hands() -> None:
    """LS-18: with perfect recall, unseen cards are seen to be in hands after a reshuffle."""
    rest = [card for card in range(52) if card not in parse("AS 5H KS 6H 9C 9D")]
    position = {"hands": ["AS 5H", "KS 6H"], "floor": "9C", "deck": "9D", "buried": rest}
    play = Seats(2, position={**position, "first_player": 0}).play("5H")  # the last of the deck
    assert not play.see(0, perfect_recall=True)["held"].any()
    play.play("KS")  # from the new deck
    fields = play.see(0, perfect_recall=True)
    assert np.flatnonzero(fields["held"]).tolist() == parse("6H")
    assert np.flatnonzero(play.see(1, perfect_recall=True)["held"]).tolist() == parse("AS 9D")
    assert play.play("9D").see(1, perfect_recall=True)["held"].sum() == 1


def test_ls9_declaring_is_seen_where_it_is_legal() -> None:
    """LS-9: an observation shows whether declaring is legal."""
    position = {"hands": ["5S", "6S"], "turn": 2, "first_player": 0}
    play = Seats(2, declare_limit=5, position=position)
    assert [play.see(seat)["may_declare"][0] for seat in range(2)] == [1, 0]
    assert Seats(2, declare_limit=4, position=position).see(0)["may_declare"] == [0]
    first = Seats(2, position={**position, "turn": 1, "first_player": 0})
    assert first.see(0)["may_declare"] == [0]


def test_more_seats_than_players_can_be_are_refused() -> None:
    with pytest.raises(ValueError, match="observation_seats must be at most 8, not 9"):
        GAME.observation(Options(3), True, 9)
