"""Scripted players as data: a kind and its parameters, played by compiled code.

A game lists its scripted players as `BotKind`s. A name such as `"threshold:2"` gives a `Bot`
record, so that any number of them can sit at the tables of a batch.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lowhand.engine.records import record

MAX_PARAMETERS = 8
MAX_NUMBER = 1e9
"""Bound of a parameter: sums of larger ones could overflow, and then no action is the best."""

Bot = record(kind=np.int32, params=(np.float64, (MAX_PARAMETERS,)))
"""One scripted player: `kind` chooses the rule, `params` are its parameters."""


@dataclass(frozen=True)
class BotKind:
    """A family of scripted players.

    Attributes:
        kind: the number by which the compiled `act` knows it.
        parameters: names of its parameters, in the order of the name's arguments.
        defaults: their values when the name gives none.
        flags: words that may follow the numbers; each sets a further parameter to 1.
        doc: its rule and source, as documentation and `lowhand list` show them.
    """

    kind: int
    parameters: tuple[str, ...] = ()
    defaults: tuple[float, ...] = ()
    flags: tuple[str, ...] = ()
    doc: str = ""

    def usage(self, name: str) -> str:
        """How its name is written, such as `chip_value:a,b[,extort]`."""
        arguments = ",".join(self.parameters)
        flags = "".join(f"[,{flag}]" for flag in self.flags)
        return name + (f":{arguments}{flags}" if arguments else "")


def make_bot(kind: BotKind, *numbers: float, flags: Sequence[str] = ()) -> np.ndarray:
    """The Bot record (array of shape (1,)) of a family with these parameters and flags."""
    bot = np.zeros(1, Bot)
    bot["kind"] = kind.kind
    values = [*numbers, *kind.defaults[len(numbers) :]]
    bot["params"][0, : len(values)] = values
    for flag in flags:
        bot["params"][0, len(kind.parameters) + kind.flags.index(flag)] = 1.0
    return bot


def bot_distribution(
    kind: BotKind, numbers: Callable[[np.random.Generator], Sequence[float]]
) -> Callable[[np.random.Generator], np.ndarray]:
    """A sampler of Bot records of a family: `numbers` draws parameters, a coin sets each flag."""

    def sample(rng: np.random.Generator) -> np.ndarray:
        drawn = numbers(rng)
        return make_bot(kind, *drawn, flags=[flag for flag in kind.flags if rng.random() < 0.5])

    return sample


def parse_bot(name: str, kinds: Mapping[str, BotKind]) -> np.ndarray | None:
    """The Bot record (array of shape (1,)) that `name` means, or None if no kind has it.

    Raises:
        ValueError: the kind is known and its arguments are wrong.
    """
    family, _, text = name.partition(":")
    if family not in kinds:
        return None
    kind = kinds[family]
    words = [word.strip() for word in text.split(",")] if text else []
    flags = [word for word in words if word in kind.flags]
    numbers = [word for word in words if word not in kind.flags]
    usage = f"write it as {kind.usage(family)!r}"
    if len(numbers) > len(kind.parameters):
        raise ValueError(f"agent {name!r} has {len(numbers)} numbers: {usage}.")
    try:
        values = [float(word) for word in numbers]
    except ValueError:
        raise ValueError(f"agent {name!r} has arguments that are no numbers: {usage}.") from None
    if not (np.abs(values) <= MAX_NUMBER).all():  # false for NaN too
        raise ValueError(f"agent {name!r} has a number outside ±{MAX_NUMBER:,.0f}: {usage}.")
    return make_bot(kind, *values, flags=flags)
