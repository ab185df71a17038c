"""Pictures of positions: their form, what they show and what they may not show."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from itertools import islice

import gymnasium
import numpy as np
import pytest

from lowhand import Batch
from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import resample_rows
from lowhand.games import GAMES, gymnasium_id
from tests.games.least_score.seats import random_actions

pytest.importorskip("PIL")

from lowhand.engine.game import View
from lowhand.rendering.screen import frame

PLAYERS = [(game, n) for game in GAMES.values()
           for n in range(game.min_players, game.max_players + 1)]  # fmt: skip
tables = pytest.mark.parametrize(
    ("game", "num_players"), PLAYERS, ids=[f"{game.name}, {n}" for game, n in PLAYERS]
)
games = pytest.mark.parametrize("game", GAMES.values(), ids=list(GAMES))


def positions(game: Game, num_players: int, turns: int = 2) -> Iterator[tuple[np.ndarray, ...]]:
    """Rules and copies of the states (2,) of random play, and last those of two games' ends."""
    rng = np.random.default_rng(num_players)
    batch = Batch(
        game, game.options(num_players=num_players), 2, num_players=[num_players], seed=1,
        keep_final=True,
    )  # fmt: skip
    rules, ends = batch.options.rules(), batch.states.copy()
    for _ in range(turns):
        yield rules, batch.states.copy()
        for _ in range(20):
            batch.step(random_actions(batch.action_mask, rng, declare=0.5))
    left = {0, 1}
    while left:
        batch.step(random_actions(batch.action_mask, rng, declare=0.5))
        for row in left & set(np.flatnonzero(batch.done).tolist()):
            ends[row] = batch.final_states[row]
            left.remove(row)
    assert ends["over"].all()
    yield rules, ends


def seen(game: Game, rules: np.ndarray, states: np.ndarray, viewer: int | None) -> np.ndarray:
    return frame(game, rules, states[0], View(viewer))


@tables
def test_every_position_is_a_picture_of_one_size(game: Game, num_players: int) -> None:
    for rules, states in positions(game, num_players):
        viewer = int(states[0].mover)
        notes = ["player_0: discard 7♠ 8♦, take Q♥ from the floor – −3"] * num_players
        picture = frame(game, rules, states[0], View(viewer, notes, offender=viewer))
        assert picture.shape == (720, 1280, 3)
        assert picture.dtype == np.uint8
        assert picture.flags.writeable
        colours = picture[::4, ::4].astype(np.int64) @ [1 << 16, 1 << 8, 1]
        assert len(np.unique(colours)) > 50


def re_deals(game: Game) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray, int]]:
    """Rules, a position, the same after a re-deal of what a seat can't know, and the seat."""
    rng = np.random.default_rng(5)
    for num_players in (2, game.max_players):
        for rules, states in islice(positions(game, num_players), 1, 2):
            mover = int(states[0].mover)
            for seat in (mover, (mover + 1) % num_players):
                before, after = states[:1], states[:1].copy()
                key = rng.integers(0, 2**64, 1, np.uint64)
                resample_rows(rules, after, seat, False, key)
                yield rules, before, after, seat


@games
def test_a_picture_does_not_depend_on_what_its_viewer_cannot_know(game: Game) -> None:
    differ = 0
    for rules, before, after, seat in re_deals(game):
        assert np.array_equal(seen(game, rules, before, seat), seen(game, rules, after, seat))
        differ += not np.array_equal(
            seen(game, rules, before, None), seen(game, rules, after, None)
        )
    assert differ >= 2  # what was dealt anew is drawn for one who sees all (if it can differ:
    # of two players in No Thanks!, one can work out the other's chips)


@games
def test_environments_draw_what_the_player_sees_who_is_to_decide(game: Game) -> None:
    """For every environment: a re-deal of what the player can't know draws the same picture."""
    module = importlib.import_module(f"lowhand.{game.name}_v{game.version}")
    table = module.env(num_players=3, render_mode="rgb_array")
    one = gymnasium.make(
        gymnasium_id(game.name, game.version), num_players=3, render_mode="rgb_array"
    ).unwrapped
    many = gymnasium.make_vec(
        gymnasium_id(game.name, game.version), 1, num_players=3, render_mode="rgb_array", seat=0
    )
    for env in (table, one, many):
        env.reset(seed=3)
    for env, states in ((table, table._states), (one, one._states), (many, many.batch.states)):
        seat, rules, before = int(states[0]["mover"]), one.options.rules(), env.render()
        everything = frame(game, rules, states[0], View())
        resample_rows(rules, states, seat, False, np.array([5], np.uint64))
        assert np.array_equal(before, env.render())
        assert not np.array_equal(everything, frame(game, rules, states[0], View()))


@games
def test_all_is_open_at_the_end(game: Game) -> None:
    *_, (rules, states) = positions(game, 3)
    for seat in range(3):
        notes = [f"seat {seat}"]  # the viewer's own place is marked, and nothing else may differ
        mine = frame(game, rules, states[0], View(seat, notes)).astype(int)
        everything = frame(game, rules, states[0], View(None, notes)).astype(int)
        tops = np.flatnonzero(np.abs(mine - everything).any(axis=(1, 2)))
        assert 0 < len(tops) <= 24  # the height of the word "you"


@games
def test_notes_and_an_illegal_action_are_drawn(game: Game) -> None:
    rules, states = next(positions(game, 3))
    views = [View(0), View(0, ["player_1: ♣"]), View(0, ["player_1: ♥"]), View(0, (), 0)]
    pictures = [frame(game, rules, states[0], view).tobytes() for view in views]
    assert len(set(pictures)) == len(views)


@games
def test_what_a_picture_shows_changes_with_the_game(game: Game) -> None:
    shown = {seen(game, rules, states, None).tobytes() for rules, states in positions(game, 4)}
    assert len(shown) == 3
