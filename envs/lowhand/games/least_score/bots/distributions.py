"""Distributions of scripted players with random parameters, from which a training league samples.

The ranges are wide, from timid to reckless, so that a trained agent also holds against players
outside these families.
"""

from collections.abc import Callable

import numpy as np

from lowhand.engine.scripted import make_bot
from lowhand.games.least_score.bots.policies import BOTS


def random_random(rng: np.random.Generator) -> np.ndarray:
    """`random`, which has no parameters."""
    return make_bot(BOTS["random"])


def random_greedy(rng: np.random.Generator) -> np.ndarray:
    """`greedy:T` with T from 1 to 15."""
    return make_bot(BOTS["greedy"], float(rng.integers(1, 16)))


def random_lookahead(rng: np.random.Generator) -> np.ndarray:
    """`lookahead:T` with T from 1 to 12."""
    return make_bot(BOTS["lookahead"], float(rng.integers(1, 13)))


def random_aggressive(rng: np.random.Generator) -> np.ndarray:
    """`aggressive` with its limits far below and above the published ones."""
    numbers = (
        float(rng.integers(2, 19)),  # declare
        float(rng.integers(1, 9)),  # take
        float(rng.integers(2, 19)),  # low
    )
    return make_bot(BOTS["aggressive"], *numbers)


def random_tuned(rng: np.random.Generator) -> np.ndarray:
    """`tuned` with other limits to declare with, and weights changed by up to half."""
    always = int(rng.integers(1, 9))
    numbers = (
        float(always),
        float(always + rng.integers(0, 8)),  # safe
        rng.uniform(0.0, 0.5),  # jitter
        float(rng.integers(2**32)),  # draw
    )
    return make_bot(BOTS["tuned"], *numbers)


def random_caller(rng: np.random.Generator) -> np.ndarray:
    """`caller` over its whole range; half of them deny, some of them are noisy."""
    numbers = (
        rng.uniform(1.0, 18.0),  # limit
        rng.uniform(-1.0, 1.0),  # slope
        rng.uniform(-1.0, 3.0),  # margin
        rng.uniform(0.0, 7.0),  # take
        rng.uniform(-1.0, 4.0),  # cards
        rng.uniform(0.0, 4.0),  # keep
        rng.uniform(0.0, 3.0) if rng.random() < 0.5 else 0.0,  # deny
        rng.uniform(0.0, 8.0) if rng.random() < 0.3 else 0.0,  # noise
    )
    return make_bot(BOTS["caller"], *numbers)


DISTRIBUTIONS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "greedy": random_greedy,
    "lookahead": random_lookahead,
    "aggressive": random_aggressive,
    "tuned": random_tuned,
    "caller": random_caller,
    "random": random_random,
}
