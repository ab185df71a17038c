"""How long agents take to decide."""

import time
from collections.abc import Mapping
from statistics import median
from typing import Any

import numpy as np

from lowhand.agents.play_games import game_keys
from lowhand.agents.table_view import Agent, TableView, agents_generator, ask
from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import apply_rows, deal_rows

TABLES = 1024
"""Positions that an agent is asked for at once, as in an evaluation."""
_MOVES = 12  # random moves that lead to them, at most
_REPEATS = 5


def decision_times(game: Game, options: Any, agents: Mapping[str, Agent]) -> dict[str, float]:
    """Microseconds of one processor that a decision takes, by agent: the median of five runs.

    All agents are asked at the same `TABLES` positions, which random play reaches.
    """
    rules, states = options.rules(), positions(game, options)
    table = TableView(game, options, rules, states, np.arange(len(states)))
    return {name: _microseconds(agent, table) for name, agent in agents.items()}


def positions(game: Game, options: Any) -> np.ndarray:
    """`TABLES` positions of unfinished games, up to `_MOVES` random moves from the deal."""
    rules, rng = options.rules(), np.random.default_rng(0)
    kept: list[np.ndarray] = []
    first = 0
    while sum(map(len, kept)) < TABLES:
        states = np.zeros(TABLES, game.state)
        players = np.full(TABLES, options.num_players)
        deal_rows(rules, states, game_keys(0, first, TABLES), players)
        first += TABLES
        until = rng.integers(_MOVES + 1, size=TABLES)
        for move in range(_MOVES):
            rows = np.flatnonzero((until > move) & (states["over"] == 0))
            mask = TableView(game, options, rules, states, rows).action_mask
            chosen = (rng.random(mask.shape) * mask).argmax(axis=1)
            apply_rows(rules, states, rows, chosen)
        kept.append(states[states["over"] == 0])
    return np.concatenate(kept)[:TABLES]


def _microseconds(agent: Agent, table: TableView) -> float:
    rng = agents_generator(0)
    ask(agent, table, rng)  # compiles, and loads what the agent needs
    times = []
    for _ in range(_REPEATS):
        begin = time.process_time()
        ask(agent, table, rng)
        times.append(time.process_time() - begin)
    return 1e6 * median(times) / len(table)
