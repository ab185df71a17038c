"""Distributions of scripted players with random parameters, from which a training league samples.

The ranges are wide, from timid to reckless, so that a trained agent also holds against players
outside these families.
"""

from collections.abc import Callable

import numpy as np

from lowhand.engine.scripted import make_bot
from lowhand.games.no_thanks.bots.policies import BOTS


def _extort(rng: np.random.Generator) -> tuple[str, ...]:
    return ("extort",) if rng.random() < 0.5 else ()


def random_threshold(rng: np.random.Generator) -> np.ndarray:
    """`threshold:T` with T from −6 to 12, half of them with extortion."""
    return make_bot(BOTS["threshold"], rng.uniform(-6.0, 12.0), flags=_extort(rng))


def random_chip_value(rng: np.random.Generator) -> np.ndarray:
    """`chip_value:a,b`, half of them with extortion."""
    numbers = rng.uniform(0.0, 2.0), rng.uniform(-4.0, 6.0)
    return make_bot(BOTS["chip_value"], *numbers, flags=_extort(rng))


def random_valuer(rng: np.random.Generator) -> np.ndarray:
    """`valuer` over its whole range, half of them with extortion, some of them noisy."""
    noise = rng.uniform(0.0, 8.0) if rng.random() < 0.3 else 0.0
    numbers = (
        rng.uniform(0.4, 2.5),  # chip
        rng.uniform(-0.5, 1.5),  # late
        rng.uniform(0.0, 6.0),  # poor
        rng.uniform(0.0, 4.0),  # near
        rng.uniform(-6.0, 6.0),  # bias
        noise,
    )
    return make_bot(BOTS["valuer"], *numbers, flags=_extort(rng))


def random_connector(rng: np.random.Generator) -> np.ndarray:
    """`connector` with other limits and factors around the published ones."""
    return make_bot(BOTS["connector"], float(rng.integers(0, 8)), rng.uniform(1.5, 5.0))


def random_ratio(rng: np.random.Generator) -> np.ndarray:
    """`ratio:q` with q from 0.15 to 0.8."""
    return make_bot(BOTS["ratio"], rng.uniform(0.15, 0.8))


def random_sally(rng: np.random.Generator) -> np.ndarray:
    """`sally` with all limits scaled by 0.5 to 1.6."""
    return make_bot(BOTS["sally"], rng.uniform(0.5, 1.6))


def random_linear(rng: np.random.Generator) -> np.ndarray:
    """`linear` with its bias shifted by up to 0.3 either way, and weights changed by up to half."""
    numbers = 0.58845 + rng.uniform(-0.3, 0.3), rng.uniform(0.0, 0.5), float(rng.integers(2**32))
    return make_bot(BOTS["linear"], *numbers)


def random_blocker(rng: np.random.Generator) -> np.ndarray:
    """`blocker:M` with M from 1 to 14."""
    return make_bot(BOTS["blocker"], float(rng.integers(1, 15)))


def random_random(rng: np.random.Generator) -> np.ndarray:
    """`random:p` with p from 0.05 to 0.6."""
    return make_bot(BOTS["random"], rng.uniform(0.05, 0.6))


DISTRIBUTIONS: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "threshold": random_threshold,
    "chip_value": random_chip_value,
    "valuer": random_valuer,
    "connector": random_connector,
    "ratio": random_ratio,
    "sally": random_sally,
    "linear": random_linear,
    "blocker": random_blocker,
    "random": random_random,
}
