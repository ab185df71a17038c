"""The compiled engine against the referee, and what must hold in every match."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lowhand import Batch, game_key, make_batch
from lowhand.engine.kernels_rows import (
    apply_rows,
    deal_one,
    deal_rows,
    observe_one,
    score_rows,
    step_one,
)
from lowhand.engine.rewards import OBJECTIVES
from lowhand.games.least_score import GAME
from lowhand.games.least_score.cards import NUM_CARDS
from lowhand.games.least_score.options import MAX_PLAYERS
from tests.crosscheck.core import print_progress
from tests.crosscheck.least_score import Twins, crosscheck, random_options
from tests.engine.test_jit import PACKAGE, run
from tests.games.least_score.play import Play

U = np.uint64

# --- against the referee -------------------------------------------------------------------------


def test_engine_and_referee_agree_over_5000_deals() -> None:
    """Every rule and every reward, turn by turn; all cards accounted for in each."""
    counts = crosscheck(5000, seed=20241)
    assert counts.games >= 5000
    assert counts.decisions > 50_000


@pytest.mark.crosscheck
def test_engine_and_referee_agree_over_100000_deals(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        counts = crosscheck(100_000, seed=1, progress=print_progress(100_000, "deal"))
    assert counts.games >= 100_000


@pytest.mark.parametrize(
    ("field", "place", "value"),
    [
        ("points", (0,), 1),
        ("hands", (1, 0), 99),
        ("floor", (0,), 99),
        ("deck", (3,), 99),
        ("pile_size", (0,), 1),
        ("buried", (), 1),
        ("known", (2,), 1),
        ("held", (), 2),
        ("drawn", (0,), 1),
        ("turn", (), 5),
        ("mover", (), 2),
        ("starter", (), 1),
        ("out", (1,), 1),
        ("left", (), 2),
        ("deals", (), 1),
        ("declared", (0,), 1),
    ],
)
def test_the_crosscheck_of_the_engine_can_fail(field: str, place: tuple, value: int) -> None:
    twins = Twins(random.Random(3), 2, {"num_players": [3], "first_player": 0})
    twins.compare()
    twins.batch.states[field][(1, *place)] = value
    with pytest.raises(AssertionError, match=r"at table 1, deal 0 of seed .*: engine .*, referee"):
        twins.compare()


def test_the_crosscheck_sees_a_wrong_mask() -> None:
    twins = Twins(random.Random(3), 2, {"num_players": [3], "first_player": 0})
    twins.batch.action_mask[1, 0] = 1
    with pytest.raises(AssertionError, match="legal actions at table 1"):
        twins.compare()


# --- any legal play ------------------------------------------------------------------------------


def words(cards: np.ndarray) -> np.ndarray:
    """Cards (…, n), what is no card left out, as sets of bits (…)."""
    bits = np.where(cards < NUM_CARDS, U(1) << (cards % 64).astype(U), U(0))
    return np.bitwise_or.reduce(bits, axis=-1)


def lying(states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How many cards lie anywhere in each state, and which."""
    closed = np.zeros((len(states), NUM_CARDS), bool)
    for start, size in zip(states["pile_start"].T, states["pile_size"].T, strict=True):
        place = np.arange(NUM_CARDS)
        closed |= (place >= start[:, None]) & (place < (start + size)[:, None])
    deck = np.where(closed, states["deck"], NUM_CARDS)
    count = states["sizes"].sum(axis=1) + states["floor_size"] + states["pile_size"].sum(axis=1)
    count = count + np.bitwise_count(states["buried"])
    parts = [words(states["hands"].reshape(len(states), -1)), words(states["floor"]), words(deck)]
    return count, np.bitwise_or.reduce([*parts, states["buried"]])


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_engine_plays_any_legal_actions_to_the_end(seed: int) -> None:
    """No illegal action is played, all cards are accounted for, and there is an end in time."""
    rng = random.Random(seed)
    options = random_options(rng) | {"max_deals": 3}
    batch = make_batch("least_score", 4, seed=seed, **options)
    rules = batch.options.rules()
    deck = words(np.array(Play(2, **{k: v for k, v in options.items() if k in DECK}).all_cards))
    ends = np.zeros(4, int)
    while not ends.all():
        states = batch.states.copy()
        count, cards = lying(states)
        assert (count == batch.options.num_cards).all()
        assert (cards == deck).all()
        assert (states["turn"] < rules["max_turns"][0, states["left"]]).all()
        assert (states["deals"] < 3).all()
        assert (batch.action_mask.sum(axis=1) > 0).all()
        refuse_illegal(batch, rng)
        assert np.array_equal(batch.states, states)
        batch.step([rng.choice(np.flatnonzero(mask).tolist()) for mask in batch.action_mask])
        ends += batch.done


DECK = ("ranks", "suits", "hand_size")


def refuse_illegal(batch: Batch, rng: random.Random) -> None:
    """An illegal action in one game is refused for all."""
    actions = batch.action_mask.argmax(axis=1)
    illegal = np.flatnonzero(batch.action_mask[2] == 0).tolist()
    if illegal:
        actions[2] = rng.choice(illegal)
        with pytest.raises(ValueError, match=f"action {actions[2]} in game 2 is illegal"):
            batch.step(actions)


# --- seeds ---------------------------------------------------------------------------------------


def script(batch: Batch) -> np.ndarray:
    """Legal actions that depend on the positions alone."""
    masks, states = batch.action_mask, batch.states
    ranks = (states["moves"] * 7 + states["mover"] * 3) % masks.sum(axis=1)
    return np.array([np.flatnonzero(m)[r] for m, r in zip(masks, ranks, strict=True)])


@pytest.mark.parametrize(("size", "threads"), [(20, 1), (6, 2)])
def test_seeds_fix_matches_whatever_plays_them(size: int, threads: int) -> None:
    players = [3, 8, 4]
    plain = make_batch("least_score", 6, num_players=players, seed=11)
    other = make_batch("least_score", size, num_players=players, seed=11, num_threads=threads)
    ends = 0
    for _ in range(300):
        assert np.array_equal(plain.states, other.states[:6])
        assert np.array_equal(plain.action_mask, other.action_mask[:6])
        assert np.array_equal(plain.observation, other.observation[:6])
        plain.step(script(plain))
        other.step(script(other))
        ends += int(plain.states["deal_ended"].sum())
    assert ends > 60


def test_a_batch_plays_the_games_of_game_key() -> None:
    """Single kernels deal the same games: game i's episode j is `game_key(seed, i, j)`."""
    batch = make_batch("least_score", 4, num_players=[2, 6], seed=2**64 - 1, points_limit=10)
    rules, rng = batch.options.rules(), np.random.default_rng(1)
    single, episodes = np.zeros(4, GAME.state), np.zeros(4, int)
    fresh = np.ones(4, bool)
    while episodes.min() < 3:
        for i in np.flatnonzero(fresh):
            n, again = int(batch.num_players[i]), np.zeros(1, GAME.state)
            deal_one(rules, single[i : i + 1], U(2**64 - 1), U(i), U(episodes[i]), n)
            key = game_key(U(2**64 - 1), U(i), U(episodes[i]))
            deal_rows(rules, again, np.array([key], U), np.array([n]))
            assert np.array_equal(single[i : i + 1], again)
        # What other matches have left in unused places of the record is no part of the game.
        assert as_played(batch.states) == as_played(single)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_mask])
        apply_rows(rules, single, np.arange(4), actions)
        batch.step(actions)
        fresh = batch.done.copy()
        episodes += fresh


def as_played(states: np.ndarray) -> list[Any]:
    return [states[name].tolist() for name in states.dtype.names or ()]


def second_deal(seed: int, actions: Sequence[int], **options: Any) -> Play:
    """A match's second deal, after a first in which each number chose one of the legal actions."""
    play = Play(4, seed, points_limit=1000, **options)
    for action in actions:
        if play.deals == 0:
            legal = play.legal()
            play.step(legal[action % len(legal)])
    while play.deals == 0:
        play.step(play.legal()[0])
    return play


@given(
    seed=st.integers(0, 2**64 - 1),
    actions=st.lists(st.integers(0, 99), max_size=60),
    others=st.lists(st.integers(0, 99), max_size=60),
    stable=st.booleans(),
)
@settings(max_examples=25)
def test_the_deals_of_a_match_do_not_depend_on_how_it_is_played(
    seed: int, actions: list[int], others: list[int], stable: bool
) -> None:
    options = {"deal_mode": "stable" if stable else "normal"}
    one, other = (second_deal(seed, played, **options) for played in (actions, others))
    for name in ("hands", "floor", "deck", "pile_start", "pile_size", "mover", "stream", "counter"):
        assert np.array_equal(one.states[name], other.states[name]), name
    assert one.hands != Play(4, seed, **options).hands


def test_reset_with_a_seed_fixes_the_deal() -> None:
    """Error of others: `reset(seed)` does not fix the deal."""
    batch = make_batch("least_score", 3, seed=7)
    first = batch.states.copy()
    batch.reset()
    assert not np.array_equal(batch.states["hands"], first["hands"])
    batch.reset(7)
    assert np.array_equal(batch.states, first)
    batch.reset(8)
    assert not np.array_equal(batch.states["hands"], first["hands"])


# --- without compiling ---------------------------------------------------------------------------


def play_by_kernels() -> list[Any]:
    """A short match as plain numbers: each position, what is seen, the scores."""
    options = GAME.options(num_players=3, points_limit=25, max_turns=40, two_pairs=True)
    rules, states = options.rules(), np.zeros(1, GAME.state)
    spec = GAME.observation(options, True, 4)
    observation = np.zeros((1, spec.size), np.float32)
    mask = np.zeros((1, GAME.num_actions(options)), np.int8)
    rewards, weights = np.zeros((1, MAX_PLAYERS), np.float32), np.ones(len(OBJECTIVES))
    scores, record = np.zeros((1, MAX_PLAYERS)), []
    with np.errstate(over="ignore"):  # 64-bit random numbers wrap, which NumPy's scalars report
        deal_one(rules, states, U(3), U(1), U(2), 3)
        while not states["over"][0] and len(record) < 150:
            observe_one(rules, spec.layout, states, int(states["mover"][0]), observation, mask)
            record.append([as_played(states), observation.tolist(), mask.tolist()])
            legal = np.flatnonzero(mask[0])
            action = int(legal[len(record) * 7 % len(legal)])
            step_one(rules, states, action, weights, rewards)
        score_rows(rules, states, scores)
    return [record, scores.tolist(), rewards.tolist()]


def test_the_rules_run_without_compiling() -> None:
    module = "tests.games.least_score.test_engine"
    script = f"import json, {module} as t; print(json.dumps(t.play_by_kernels()))"
    root = Path(__file__).parents[3]
    path = os.pathsep.join([str(PACKAGE.parent), str(root)])
    plain = run(script, root, NUMBA_DISABLE_JIT="1", PYTHONPATH=path)
    assert plain == play_by_kernels()
    assert len(plain[0]) > 30


def test_engine_state_takes_at_most_512_bytes() -> None:
    assert GAME.state.itemsize <= 512
