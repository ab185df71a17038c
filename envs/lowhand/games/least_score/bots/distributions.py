"""Distributions of scripted players with random parameters, from which a training league samples.

The ranges are wide, from timid to reckless, so that a trained agent also holds against players
outside these families.
"""

import numpy as np

from lowhand.engine.scripted import bot_distribution
from lowhand.games.least_score.bots.policies import BOTS


def _aggressive(rng: np.random.Generator) -> tuple[float, ...]:
    """Limits far below and above the published ones: declare, take, low."""
    return float(rng.integers(2, 19)), float(rng.integers(1, 9)), float(rng.integers(2, 19))


def _tuned(rng: np.random.Generator) -> tuple[float, ...]:
    """Other limits to declare with, and weights changed by up to half."""
    always = int(rng.integers(1, 9))
    safe = always + rng.integers(0, 8)
    return float(always), float(safe), rng.uniform(0.0, 0.5), float(rng.integers(2**32))


def _caller(rng: np.random.Generator) -> tuple[float, ...]:
    """Numbers over the whole range; half of them deny, some are noisy."""
    return (
        rng.uniform(1.0, 18.0),  # limit
        rng.uniform(-1.0, 1.0),  # slope
        rng.uniform(-1.0, 3.0),  # margin
        rng.uniform(0.0, 7.0),  # take
        rng.uniform(-1.0, 4.0),  # cards
        rng.uniform(0.0, 4.0),  # keep
        rng.uniform(0.0, 3.0) if rng.random() < 0.5 else 0.0,  # deny
        rng.uniform(0.0, 8.0) if rng.random() < 0.3 else 0.0,  # noise
    )


_NUMBERS = {
    "greedy": lambda rng: (float(rng.integers(1, 16)),),
    "lookahead": lambda rng: (float(rng.integers(1, 13)),),
    "aggressive": _aggressive,
    "tuned": _tuned,
    "caller": _caller,
    "random": lambda rng: (),
}
DISTRIBUTIONS = {name: bot_distribution(BOTS[name], draw) for name, draw in _NUMBERS.items()}
