"""Games between agents, played to the end: the basis of every evaluation.

Scripted players move in compiled code; other agents decide for all tables at which they are to
move at once. A game depends on its key and its players only, not on the other games, unless an
agent draws from the generator that it is given.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import Agent, TableView, agents_generator, ask_movers, seat_codes
from lowhand.engine.game import Game
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import (
    advance_rows,
    apply_rows,
    deal_rows,
    ranking_score_rows,
    score_rows,
)
from lowhand.engine.rewards import OBJECTIVES, win_shares
from lowhand.engine.rng import game_key


@dataclass(frozen=True)
class Results:
    """Results of finished games.

    Attributes:
        scores: (games, seats) float64 final scores in points.
        win_shares: (games, seats) float64 shares of the win; tied winners share it.
        states: (games,) State records at the end.
    """

    scores: NDArray[np.float64]
    win_shares: NDArray[np.float64]
    states: np.ndarray

    @property
    def decisions(self) -> NDArray[np.int64]:
        """Decisions of each game, (games,) int64."""
        return self.states["moves"].astype(np.int64)


@njit
def _write_keys(seed, first, keys):  # type: ignore[no-untyped-def]
    for i in range(keys.size):
        keys[i] = game_key(seed, np.uint64(first + i), np.uint64(0))


def game_keys(seed: int, first: int, count: int) -> NDArray[np.uint64]:
    """The keys `game_key(seed, i, 0)` of the games i = first … first + count − 1."""
    keys = np.empty(count, np.uint64)
    _write_keys(np.uint64(seed), first, keys)
    return keys


def play_games(
    game: Game,
    options: Any,
    agents: Sequence[Agent],
    seating: NDArray[np.int64],
    keys: NDArray[np.uint64],
    *,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Results:
    """Play one game for each key.

    Args:
        game: the game.
        options: its options; all games have `num_players` P.
        agents: the players.
        seating: (games, P) index into `agents` of each seat.
        keys: (games,) uint64, each fixes a game.
        seed: of the generator that agents get.
        progress: called with the number of finished games, now and then.

    Raises:
        ValueError: an agent made an illegal move.
    """
    players = options.num_players
    rules, states = options.rules(), np.zeros(len(keys), game.state)
    codes, bots = seat_codes(agents)
    seats, rng = codes[seating], agents_generator(seed)
    deal_rows(rules, states, keys, np.full(len(keys), players))
    rows = np.arange(len(keys))
    unpaid = np.zeros(len(OBJECTIVES)), np.empty((0, players), np.float32), False
    while True:
        advance_rows(rules, states, rows, seats, bots, *unpaid)
        rows = rows[states["over"][rows] == 0]
        if progress is not None:
            progress(len(keys) - len(rows))
        if len(rows) == 0:
            break
        table = TableView(game, options, rules, states, rows)
        for mine, actions in ask_movers(agents, table, seats, rng):
            apply_rows(rules, states, mine, actions)
    scores, ranking_scores = np.empty((2, len(keys), players))
    score_rows(rules, states, scores)
    ranking_score_rows(rules, states, ranking_scores)
    return Results(scores, win_shares(ranking_scores), states)
