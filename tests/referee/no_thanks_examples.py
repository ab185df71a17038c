"""Worked examples of the score (NT-9), for the referee and the engine, and random play."""

import random

from tests.referee.no_thanks import Table

SCORES = [  # cards, chips, score
    ({7, 8, 9, 15, 20, 21}, 9, 33),
    ({13, 15, 16}, 0, 28),
    ({13, 14, 15, 16}, 0, 13),
    ({8, 9}, 0, 8),
    ({17, 18, 19, 20}, 0, 17),
    ({3, 10, 11, 12, 13, 20}, 5, 28),
    ({3, 8, 19, 20, 21, 35}, 5, 60),
    ({7, 8, 9, 10, 13, 15, 16, 17, 24, 26, 27}, 0, 85),
    (set(), 4, -4),
]

SCORE_CHANGES = [  # cards held, the card taken, what it adds to their points
    (set(), 20, 20),  # a card on its own
    ({19}, 20, 0),  # extends a run upwards
    ({21}, 20, -1),  # extends a run downwards
    ({19, 21}, 20, -21),  # bridges two runs
    ({18, 22}, 20, 20),  # gaps of two are no neighbours
    ({34}, 35, 0),
    (set(), 35, 35),
    ({2}, 1, -1),
    (set(), 1, 1),
]


def play_random(table: Table, rng: random.Random) -> Table:
    while not table.over:
        table.step(rng.choice(table.legal_actions()))
    return table
