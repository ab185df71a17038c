"""Distributions of scripted players with random parameters, from which a training league samples.

The ranges are wide, from timid to reckless, so that a trained agent also holds against players
outside these families. Half of the players that can extort do.
"""

import numpy as np

from lowhand.engine.scripted import bot_distribution
from lowhand.games.no_thanks.bots.policies import BOTS


def _valuer(rng: np.random.Generator) -> tuple[float, ...]:
    """Numbers over the whole range; some are noisy."""
    noise = rng.uniform(0.0, 8.0) if rng.random() < 0.3 else 0.0
    return (
        rng.uniform(0.4, 2.5),  # chip
        rng.uniform(-0.5, 1.5),  # late
        rng.uniform(0.0, 6.0),  # poor
        rng.uniform(0.0, 4.0),  # near
        rng.uniform(-6.0, 6.0),  # bias
        noise,
    )


def _linear(rng: np.random.Generator) -> tuple[float, ...]:
    """A bias around the published one, and weights changed by up to half."""
    return 0.58845 + rng.uniform(-0.3, 0.3), rng.uniform(0.0, 0.5), float(rng.integers(2**32))


_NUMBERS = {
    "threshold": lambda rng: (rng.uniform(-6.0, 12.0),),
    "chip_value": lambda rng: (rng.uniform(0.0, 2.0), rng.uniform(-4.0, 6.0)),
    "valuer": _valuer,
    "connector": lambda rng: (float(rng.integers(0, 8)), rng.uniform(1.5, 5.0)),
    "ratio": lambda rng: (rng.uniform(0.15, 0.8),),
    "sally": lambda rng: (rng.uniform(0.5, 1.6),),
    "linear": _linear,
    "blocker": lambda rng: (float(rng.integers(1, 15)),),
    "random": lambda rng: (rng.uniform(0.05, 0.6),),
}
DISTRIBUTIONS = {name: bot_distribution(BOTS[name], draw) for name, draw in _NUMBERS.items()}
