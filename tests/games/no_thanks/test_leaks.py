"""No seat is shown what it can't know (NT-1, NT-11).

A determinization changes everything that a seat can't know; what it is shown must stay the same.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from lowhand import make_batch
from lowhand.engine.kernels_rows import act_rows, observe_one, resample_rows
from lowhand.engine.scripted import parse_bot
from lowhand.games.no_thanks import GAME
from lowhand.games.no_thanks.options import Options
from tests.games.no_thanks.positions import random_positions

BOTS = [
    *GAME.baselines,
    "threshold:3,extort",
    "chip_value:1,0",
    "valuer",
    "valuer:0.8,0.3,1,2,1,6,extort",
]

# What a seat is shown at one state: (options, states of shape (1,), seat) -> comparable values.
See = Callable[[Options, np.ndarray, int], object]


def observation(recall: bool) -> See:
    def see(options: Options, states: np.ndarray, seat: int) -> object:
        spec = GAME.observation(options, recall, 7)
        out, mask = np.full((1, spec.size), np.nan, np.float32), np.full((1, 2), -1, np.int8)
        observe_one(options.rules(), spec.layout, states, seat, out, mask)
        return out.tolist(), mask.tolist()

    return see


def rendering(options: Options, states: np.ndarray, seat: int) -> object:
    return GAME.render(options.rules(), states[0], seat)


def decisions(options: Options, states: np.ndarray, seat: int) -> object:
    """Of all scripted players, where it is the seat's turn; they remember every move."""
    actions, made = np.zeros(1, np.int64), []
    if seat == states["mover"][0]:
        for name in BOTS:
            bot = parse_bot(name, GAME.bots)
            act_rows(options.rules(), states, np.zeros(1, np.int64), bot, actions)
            made.append(int(actions[0]))
    return made


def re_deals(recall: bool, seed: int = 1) -> Iterator[tuple[Options, np.ndarray, np.ndarray, int]]:
    """Options, a position, the same after a re-deal of what `seat` can't know, and `seat`."""
    rng = np.random.default_rng(seed)
    for options, states in random_positions(seed, batches=12, tables=6):
        for i in range(len(states)):
            before = states[i : i + 1]
            for seat in range(options.num_players):
                after = before.copy()
                key = rng.integers(0, 2**64, 1, np.uint64)
                resample_rows(options.rules(), after, seat, recall, key)
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
            resample_rows(options.rules(), states, seat, recall, np.array([7], np.uint64))
        for name in ends[0].dtype.names or ():
            assert np.array_equal(ends[0][name], ends[1][name]), name


@pytest.mark.parametrize(
    ("see", "recall"),
    [
        pytest.param(observation(False), False, id="observation"),
        pytest.param(observation(False), True, id="observation, remembering"),
        pytest.param(observation(True), True, id="observation with recall"),
        pytest.param(rendering, False, id="rendering"),
        pytest.param(decisions, True, id="scripted players"),
    ],
)
def test_what_a_seat_is_shown_does_not_depend_on_what_it_cannot_know(
    see: See, recall: bool
) -> None:
    """A common error: observations that leak the removed cards or the order of the deck."""
    assert_no_leak(see, recall)


def test_the_scripted_players_do_decide_in_these_positions() -> None:
    made = [decisions(o, before, seat) for o, before, _, seat in re_deals(True)]
    chosen = [sorted(set(column)) for column in zip(*filter(None, made), strict=True)]
    assert chosen == [[0, 1]] * len(BOTS)


@pytest.mark.parametrize("recall", [False, True])
def test_a_re_deal_changes_all_that_is_hidden_and_nothing_else(recall: bool) -> None:
    changed = {"next card": 0, "removed cards": 0, "chips": 0, "key": 0}
    for options, before, after, seat in re_deals(recall):
        hidden = {"key", "deck", "chips"}
        for field in set(before.dtype.names or ()) - hidden:
            assert np.array_equal(before[field], after[field]), field
        turned, size = int(before["turned"][0]), options.num_cards
        decks = before["deck"][0], after["deck"][0]
        assert np.array_equal(decks[0][:turned], decks[1][:turned])
        assert sorted(decks[0][:size]) == sorted(decks[1][:size])
        chips = before["chips"][0], after["chips"][0]
        assert chips[0].sum() == chips[1].sum()
        assert chips[1].min() >= 0
        assert chips[0][seat] == chips[1][seat]
        assert not chips[1][options.num_players :].any()
        played = size - options.removed
        changed["next card"] += turned < played and decks[0][turned] != decks[1][turned]
        changed["removed cards"] += set(decks[0][played:size]) != set(decks[1][played:size])
        changed["chips"] += not np.array_equal(*chips)
        changed["key"] += before["key"][0] != after["key"][0]
    assert changed["next card"] > 100
    assert changed["removed cards"] > 100
    assert changed["key"] > 100
    assert changed["chips"] == 0 if recall else changed["chips"] > 100


def next_card(options: Options, states: np.ndarray, seat: int) -> object:
    return states["deck"][0, min(int(states["turned"][0]), options.num_cards - 1)]


def a_removed_card(options: Options, states: np.ndarray, seat: int) -> object:
    return sorted(states["deck"][0, options.num_cards - options.removed : options.num_cards])[:1]


@pytest.mark.parametrize(
    ("see", "recall"),
    [
        pytest.param(next_card, True, id="next card"),
        pytest.param(a_removed_card, True, id="removed card"),
        pytest.param(observation(True), False, id="chips of others"),
    ],
)
def test_a_planted_leak_is_found(see: See, recall: bool) -> None:
    with pytest.raises(AssertionError):
        assert_no_leak(see, recall)


def test_nobody_is_paid_before_the_end() -> None:
    """Rewards reveal nothing: they are zero until the step that ends the game."""
    batch = make_batch("no_thanks", 64, reward="score")
    for _ in range(23):
        batch.step(np.ones(64, np.int64))
        assert not batch.done.any()
        assert not batch.rewards.any()
    batch.step(np.ones(64, np.int64))
    assert batch.done.all()
    assert batch.rewards.any()
