"""Types of a config's fields that bound numbers, and a check of any dataclass by its types."""

import math
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np


@dataclass(frozen=True, repr=False)
class Bound:
    """What is true of a field's numbers beyond their type; `words` says it."""

    words: str
    holds: Callable[[float], bool]

    def __repr__(self) -> str:
        return self.words


_POSITIVE = Bound("greater than 0", lambda x: 0 < x < math.inf)
_NON_NEGATIVE = Bound("of at least 0", lambda x: 0 <= x < math.inf)

PositiveInt = Annotated[int, Bound("of at least 1", lambda x: x >= 1)]
NonNegativeInt = Annotated[int, _NON_NEGATIVE]
PositiveFloat = Annotated[float, _POSITIVE]
NonNegativeFloat = Annotated[float, _NON_NEGATIVE]
Share = Annotated[float, Bound("from 0 to 1", lambda x: 0 <= x <= 1)]
PositiveShare = Annotated[float, Bound("greater than 0 and at most 1", lambda x: 0 < x <= 1)]


def check_fields(config: Any, prefix: str = "") -> None:
    """Refuse a dataclass with a value that its field's type does not allow.

    Args:
        config: the dataclass, which may hold others.
        prefix: of its fields' names in messages.

    Raises:
        ValueError: there is such a value; the message names the field and what would be right.
    """
    for name, hint in get_type_hints(type(config), include_extras=True).items():
        value, key = getattr(config, name), prefix + name
        if not _allows(hint, value):
            right = "keys of its own" if is_dataclass(hint) else " or ".join(_words(hint))
            raise ValueError(f"{key} must be {right}, not {value!r}.")
        if is_dataclass(hint):
            check_fields(value, f"{key}.")


def _allows(hint: Any, value: Any) -> bool:
    """Whether a value is of a type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is Annotated:
        base, *bounds = arguments
        return _allows(base, value) and all(bound.holds(value) for bound in bounds)
    if origin is Literal:
        return value in arguments
    if origin in (Union, types.UnionType):
        return any(_allows(argument, value) for argument in arguments)
    if origin is list:
        return isinstance(value, list) and all(_allows(arguments[0], v) for v in value)
    if origin is dict:
        return isinstance(value, dict) and all(
            _allows(arguments[0], k) and _allows(arguments[1], v) for k, v in value.items()
        )
    if hint in (int, float):
        numbers = (int, np.integer) if hint is int else (int, float, np.integer, np.floating)
        return isinstance(value, numbers) and not isinstance(value, bool)
    return isinstance(value, hint)


_NAMES = {int: "an integer", float: "a number", bool: "true or false", str: "text"}


def _words(hint: Any) -> Iterator[str]:
    """What a value of a type may be, in words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        yield f"{_NAMES[arguments[0]]} {arguments[1].words}"
    elif origin is Literal:
        yield from map(str, arguments)
    elif origin in (Union, types.UnionType):
        for argument in arguments:
            yield from _words(argument)
    elif origin is list:
        yield f"a list, each entry {' or '.join(_words(arguments[0]))}"
    elif origin is dict:
        yield "a mapping" if arguments[1] is Any else "a mapping of names to numbers"
    else:
        yield "null" if hint is type(None) else _NAMES[hint]
