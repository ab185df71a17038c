"""What a seat sees: every field from the rules' own words, exactly in its place (NT-11)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowhand import make_batch
from lowhand.engine.kernels_rows import observe_one
from lowhand.games.no_thanks import GAME
from tests.crosscheck.no_thanks import Twins
from tests.games.fields import assert_each_field_writes_its_slice, assert_padded_with_zeros
from tests.games.no_thanks.play import PASS, TAKE, Play
from tests.games.no_thanks.positions import random_twins


def expected(twins: Twins, i: int, seat: int, recall: bool, seats: int) -> dict[str, np.ndarray]:
    """The fields as the referee would fill them in."""
    table, low = twins.tables[i], twins.batch.options.low
    n, cards = table.num_players, twins.batch.options.num_cards
    fields = {
        "offered": np.zeros(cards),
        "cards": np.zeros((seats, cards)),
        "pot": np.array([table.pot / 11]),
        "chips": np.zeros(seats),
        "scarce_chips": np.zeros((seats, 3)),
        "card_points": np.zeros(seats),
        "score_change": np.zeros(seats),
        "cards_left": np.array([table.cards_left / len(table.deck)]),
        "present": np.zeros(seats),
    }
    offered = table.deck[table.turned - 1]
    fields["offered"][offered - low] = 1
    for place in range(n):
        player = (seat + place) % n
        for card in table.cards[player]:
            fields["cards"][place, card - low] = 1
        chips = table.chips[player]
        fields["chips"][place] = chips / 11
        fields["scarce_chips"][place] = [chips < 1, chips < 2, chips < 3]
        fields["card_points"][place] = (table.score(player) + chips) / 100
        fields["score_change"][place] = table.score_change(player, offered) / 35
        fields["present"][place] = 1
    if not recall:
        fields["chips"] = fields["chips"][:1]
        fields["scarce_chips"] = fields["scarce_chips"][:1]
    return fields


def test_every_field_is_what_the_referee_says() -> None:
    rng = np.random.default_rng(0)
    compared = 0
    for twins in random_twins(seed=4, batches=20, tables=8):
        batch = twins.batch
        for i in range(batch.num_envs):
            n = twins.tables[i].num_players
            recall, seats = bool(rng.integers(2)), int(rng.integers(n, 8))
            seat = int(rng.integers(n))
            spec = GAME.observation(batch.options, recall, seats)
            out = np.full((1, spec.size), np.nan, np.float32)
            mask = np.full((1, 2), -1, np.int8)
            rules, states = batch.options.rules(), batch.states[i : i + 1]
            observe_one(rules, spec.layout, states, seat, out, mask)
            wanted = expected(twins, i, seat, recall, seats)
            for name, values in spec.views(out[0]).items():
                np.testing.assert_allclose(values, wanted[name], rtol=1e-6, err_msg=name)
            legal = twins.tables[i].legal_actions() if seat == twins.tables[i].mover else []
            assert mask[0].tolist() == [int(action in legal) for action in (PASS, TAKE)]
            compared += 1
    assert compared == 20 * 5 * 8


@pytest.mark.parametrize("recall", [False, True])
@pytest.mark.parametrize("seats", [3, 5])
def test_each_field_writes_exactly_its_slice(recall: bool, seats: int) -> None:
    play = Play(3, first_player=0).step(PASS, TAKE, PASS, PASS)
    spec = GAME.observation(play.options, recall, seats)
    assert_each_field_writes_its_slice(spec, play.rules, play.states, seat=1, num_actions=2)


@settings(max_examples=60)
@given(
    players=st.integers(2, 7),
    low=st.integers(1, 35),
    width=st.integers(0, 34),
    chips=st.sampled_from([0, 1, 11, 255]),
    recall=st.booleans(),
    actions=st.lists(st.integers(0, 1), max_size=120),
    seed=st.integers(0, 2**64 - 1),
)
def test_entries_stay_within_their_bounds(
    players: int, low: int, width: int, chips: int, recall: bool, actions: list[int], seed: int
) -> None:
    high = min(35, low + width)
    play = Play(players, seed, low=low, high=high, removed=0, chips=chips)
    spec = GAME.observation(play.options, recall, 7)
    lowest, highest = spec.bounds()
    for action in [*actions, TAKE]:
        if play.over:
            break
        play.step(action if play.mask()[action] else TAKE)
        for seat in range(players):
            out = np.full((1, spec.size), np.nan, np.float32)
            observe_one(play.rules, spec.layout, play.states, seat, out, np.zeros((1, 2), np.int8))
            assert (out[0] >= lowest).all()  # false for NaN, so that every entry is written
            assert (out[0] <= highest).all()


def test_the_bounds_hold_for_all_points_and_all_chips_in_one_hand() -> None:
    play = Play(7, low=1, high=35, removed=0, chips=255)
    play.states["chips"][0] = [255 * 7, 0, 0, 0, 0, 0, 0]
    play.give(range(1, 36, 2))
    play.states["points"][0, 0] = sum(range(1, 36, 2))
    spec = GAME.observation(play.options, True, 7)
    fields, _ = play.see(0, True)
    for field in spec.fields:
        assert fields[field.name].max() <= field.high, field.name


def test_seats_stand_in_order_of_play_from_the_viewer_on() -> None:
    play = Play(4, first_player=0, position={"chips": [8, 9, 10, 17], "pot": 0})
    play.give([3], [5], [7], [9])
    for viewer in range(4):
        fields, _ = play.see(viewer, perfect_recall=True)
        order = [(viewer + place) % 4 for place in range(4)]
        held = [int(np.flatnonzero(row)[0]) + 3 for row in fields["cards"]]
        assert held == [[3, 5, 7, 9][seat] for seat in order]
        chips = np.rint(fields["chips"] * 11).astype(int).tolist()
        assert chips == [[8, 9, 10, 17][seat] for seat in order]


@pytest.mark.parametrize("recall", [False, True])
def test_padding_is_zero_and_does_not_move_the_rest(recall: bool) -> None:
    play = Play(3, first_player=0).step(PASS, PASS, TAKE, PASS)
    assert_padded_with_zeros(play.see(1, recall)[0], play.see(1, recall, seats=7)[0], players=3)


def test_perfect_recall_adds_chips_and_nothing_else() -> None:
    play = Play(4, first_player=0).step(PASS, PASS, TAKE, PASS)
    plain, _ = play.see(2)
    recall, _ = play.see(2, perfect_recall=True)
    assert plain.keys() == recall.keys()
    for name, values in recall.items():
        if name in ("chips", "scarce_chips"):
            assert len(plain[name]) == 1
            assert len(values) == 4
            values = values[:1]
        np.testing.assert_array_equal(plain[name], values, err_msg=name)


def test_nt11_without_recall_other_players_chips_are_not_in_it() -> None:
    """NT-11: without perfect recall an observation hides the other players' chips."""
    play = Play(3, first_player=0)
    before = play.see(0)[0]
    play.states["chips"][0, :3] = [11, 0, 22]
    after = play.see(0)[0]
    for name, values in after.items():
        np.testing.assert_array_equal(before[name], values, err_msg=name)


def test_after_the_end_nothing_is_on_offer() -> None:
    play = Play(2, low=3, high=4, removed=0).take_all()
    fields, mask = play.see(0, perfect_recall=True)
    assert not fields["offered"].any()
    assert not fields["score_change"].any()
    assert fields["cards_left"] == [0]
    assert mask == [0, 0]


def test_the_exact_change_of_the_score_is_a_feature() -> None:
    play = Play(3, first_player=0, position={"deck": [20], "cards": [[19, 21], [22], []]})
    fields, _ = play.see(0)
    assert np.rint(fields["score_change"] * 35).tolist() == [-21, 20, 20]
    fields, _ = Play(3, first_player=0, position={"deck": [21], "cards": [[20], [22], []]}).see(1)
    assert np.rint(fields["score_change"] * 35).tolist() == [-1, 21, 0]


@pytest.mark.parametrize(
    ("players", "seats", "sentence"),
    [
        (4, 3, "observation_seats must be from 4 to 8, not 3"),
        (4, 8, "observation_seats must be at most 7, not 8"),
    ],
)
def test_seats_that_do_not_fit_are_refused(players: int, seats: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        make_batch("no_thanks", 1, num_players=players, observation_seats=seats)
