"""A game's options as OpenSpiel's parameters, made from the fields of its options.

OpenSpiel has integers, floats, booleans and strings, and converts none to another. So an option
that may be None is a number, where −1 (or −1.0) means None; a first player is a seat, where −1
means "random"; a list of words is one string, `pair+run`, where `none` is the empty list.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import NoneType
from typing import Any, get_args, get_origin, get_type_hints

from lowhand.engine.game import Game
from lowhand.engine.validation import make_options

NONE = -1
RANDOM = -1
JOINT = "+"
NO_WORDS = "none"


@dataclass(frozen=True)
class Parameter:
    """How one option is written as a parameter.

    Attributes:
        kind: the parameter's type: int, float, bool or str.
        default: the option's default.
        special: the value that means None or "random", or None if no value does.
        means: the option that `special` means.
        is_list: whether the option is a list of words.
    """

    kind: type
    default: Any
    special: int | None = None
    means: str | None = None
    is_list: bool = False

    def encoded(self, option: Any) -> Any:
        """The option as a parameter of OpenSpiel."""
        if self.is_list:
            return JOINT.join(option) or NO_WORDS
        if self.special is not None and option == self.means:
            return self.kind(self.special)
        return self.kind(option)

    def decoded(self, value: Any) -> Any:
        """The option that a parameter's value means."""
        if self.is_list:
            return [] if value == NO_WORDS else value.split(JOINT)
        if self.special is not None and value == self.special:
            return self.means
        return value


def parameters(game: Game) -> dict[str, Parameter]:
    """The parameters of a game by the names of its options, in their order."""
    types = get_type_hints(game.options)
    return {
        field.name: _parameter(types[field.name], field.default)
        for field in fields(game.options)  # type: ignore[arg-type]
    }


def _parameter(annotation: Any, default: Any) -> Parameter:
    kinds = set(get_args(annotation))
    if annotation in (int, float, bool, str):
        return Parameter(annotation, default)
    if get_origin(annotation) is Sequence:
        return Parameter(str, default, is_list=True)
    if NoneType in kinds and len(kinds) == 2:
        (kind,) = kinds - {NoneType}
        return Parameter(kind, default, special=NONE, means=None)
    if kinds == {int, str} and default == "random":
        return Parameter(int, default, special=RANDOM, means="random")
    raise TypeError(f"an option of type {annotation} can't be a parameter of OpenSpiel.")


def specification(game: Game) -> dict[str, Any]:
    """Names and defaults of the parameters, for OpenSpiel's game type."""
    return {name: p.encoded(p.default) for name, p in parameters(game).items()}


def options_from(game: Game, values: Mapping[str, Any]) -> Any:
    """The game's options that these parameters mean, with defaults for those not given.

    Raises:
        ValueError: an option is unknown or outside its bounds.
    """
    known = parameters(game)
    return make_options(
        game,
        **{n: known[n].decoded(value) if n in known else value for n, value in values.items()},
    )


def table(game: Game) -> str:
    """The parameters as a Markdown table: name, type, default, and what is written otherwise."""
    lines = ["| parameter | type | default | written so |", "| --- | --- | --- | --- |"]
    for name, parameter in parameters(game).items():
        default, otherwise = parameter.encoded(parameter.default), ""
        if parameter.is_list:
            otherwise = f"words joined by `{JOINT}`; `{NO_WORDS}` for no word"
        elif parameter.special is not None:
            means = "None" if parameter.means is None else f'"{parameter.means}"'
            otherwise = f"`{parameter.kind(parameter.special)}` for {means}"
        lines.append(f"| `{name}` | {parameter.kind.__name__} | `{default}` | {otherwise} |")
    return "\n".join(lines)
