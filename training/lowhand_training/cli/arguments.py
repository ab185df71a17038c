"""Flags from the signature of a command, and what several commands ask for and print alike."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

from jsonargparse import ArgumentParser, Namespace

# What a word is called in the help, for types and names that don't say it.
Agent = Annotated[str, "AGENT"]
File = Annotated[Path, "FILE"]  # one to be written
Folder = Annotated[Path, "FOLDER"]
_METAVARS = {int: "N", float: "X"}


class _Flag(NamedTuple):
    """One parameter of a command."""

    name: str
    kind: Any  # the type of one word
    default: Any  # inspect.Parameter.empty: it must be given
    help: str
    metavar: str
    positional: bool
    nargs: str | None

    @property
    def required(self) -> bool:
        return self.default is inspect.Parameter.empty

    @property
    def usage(self) -> str:
        """The parameter in the usage line; empty for an option that may be left out."""
        if self.positional:
            word = self.metavar + "…" * (self.nargs in ("+", "*"))
            return word if self.required else f"[{word}]"
        return f"--{self.name} {self.metavar}" if self.required else ""


def add_flags(parser: ArgumentParser, name: str, run: Callable[..., None]) -> None:
    """Give the parser of a command its manual and its arguments: the docstring and signature.

    Parameters that are positional in Python are so on the command line, all others are options.
    Sequences take several words. A parameter whose type is a dataclass adds a flag for each of
    its fields. `Annotated[type, "METAVAR"]` names a word in the help, and `Annotated[type,
    "METAVAR", "*"]` also allows no word where otherwise a sequence needs one.
    """
    parser.description = manual(run)
    flags = list(_flags(run))
    usage = [word for flag in flags if (word := flag.usage)]
    parser.usage = " ".join(["lowhand", name, *usage, "[options]"])
    for flag in flags:
        words: dict[str, Any] = {"help": flag.help[:1].upper() + flag.help[1:]}
        if not flag.required:
            words["default"] = flag.default
        if flag.kind is bool:
            words["action"] = "store_true"
        else:
            words |= {"nargs": flag.nargs, "metavar": flag.metavar}
            if get_origin(flag.kind) is Literal:
                words["choices"] = get_args(flag.kind)
            elif flag.kind is not str:  # which jsonargparse takes as it is without a type
                words["type"] = flag.kind
        option = flag.name if flag.positional else f"--{flag.name.replace('_', '-')}"
        parser.add_argument(option, **{k: word for k, word in words.items() if word is not None})


def manual(run: Callable[..., None]) -> str:
    """Returns the docstring of a command up to its arguments."""
    return inspect.cleandoc(run.__doc__ or "").partition("\nArgs:\n")[0]


def call(run: Callable[..., None], given: Namespace) -> None:
    """Run a command with what was given on the command line.

    Raises:
        ValueError: an option without a default is missing, or a `File` can't be written.
    """
    from lowhand_training.common.files import check_writable

    for flag in _flags(run):
        if flag.required and given[flag.name] is None:
            raise ValueError(f"give --{flag.name} {flag.metavar}, {flag.help}")
    values: dict[str, Any] = {}
    for name, kind in get_type_hints(run, include_extras=True).items():
        if is_dataclass(kind):
            values[name] = kind(**{field.name: given[field.name] for field in fields(kind)})  # type: ignore[operator]
        elif name != "return":
            values[name] = given[name]
            if kind == File | None and values[name] is not None:
                check_writable(values[name])
    run(**values)


def _flags(source: Callable[..., Any]) -> Iterator[_Flag]:
    """The parameters of a function, or the fields of a dataclass that has defaults for all."""
    import docstring_parser

    style = docstring_parser.DocstringStyle.GOOGLE
    helps = {
        param.arg_name: param.description or ""
        for param in docstring_parser.parse(source.__doc__ or "", style=style).params
    }
    hints = get_type_hints(source, include_extras=True)
    defaults = source() if is_dataclass(source) else None
    for name, parameter in inspect.signature(source).parameters.items():
        if is_dataclass(hints[name]):
            yield from _flags(hints[name])
            continue
        default = parameter.default if defaults is None else getattr(defaults, name)
        default = list(default) if isinstance(default, tuple) else default
        positional = defaults is None and parameter.kind is not inspect.Parameter.KEYWORD_ONLY
        kind, metavar, nargs = _words(hints[name])
        optional = default is not inspect.Parameter.empty
        if positional and optional:
            nargs = "?" if nargs is None else "*"
        text = " ".join(helps[name].split())
        metavar = metavar or _METAVARS.get(kind, name.upper())
        yield _Flag(name, kind, default, text, metavar, positional, nargs)


def _words(hint: Any) -> tuple[Any, str | None, str | None]:
    """The type of one word of a parameter, what the help calls it, and argparse's `nargs`."""
    metavar = nargs = allowed = None
    while (origin := get_origin(hint)) not in (None, Literal):
        if origin is Annotated:
            metavar, *rest = hint.__metadata__
            allowed = rest[0] if rest else allowed
            hint = hint.__origin__
        elif origin in (Union, UnionType):
            (hint,) = (kind for kind in get_args(hint) if kind is not NoneType)
        else:  # a sequence
            (hint,), nargs = get_args(hint), "+"
    return hint, metavar, allowed or nargs


def clear_message(message: str) -> str:
    """A message of jsonargparse, which may be a small report, as one sentence."""
    text = " ".join(message.split())
    for pattern, clearer in (
        (r"<class '([\w.]+)'>", r"\1"),
        (r"NoneType", "null"),
        (r"Expected a typing\.Literal\[([^]]*)\]", r"Expected one of \1"),
        (
            r"Does not validate against any of the Union subtypes Subtypes: \[([^]]*)\] .*"
            r"Given value: (.*)$",
            r"Expected one of \1. Got value: \2",
        ),
        (r"Expected an? (.*?)\. Got value: (.*)$", r"expected \1, not \2"),
        (r"Expected one of (.*?)\. Got value: (.*)$", r"expected one of \1; not \2"),
        (r'^Parser key "([^"]*)"( element \d+)?:', r"--\1\2:"),
        (
            r"^Subcommand '\w+' does not accept option '([^']*)'",
            r"the config has no key '\1' (see --help for those it has)",
        ),
        (r"(required: )(?:\w+\.)", r"\1"),
    ):
        text = re.sub(pattern, clearer, text)
    return text if text.endswith(".") else text + "."


@dataclass(frozen=True)
class GameArguments:
    """Which game is played, by which options.

    Attributes:
        game: name of the game; by default that of the first checkpoint named, else the one that
            has the scripted players that are named.
        options: options of the game, such as points_limit=null or tie=wrong; by default those
            that the first checkpoint named was trained with.
    """

    game: Annotated[str | None, "NAME"] = None
    options: Annotated[Sequence[str], "NAME=VALUE"] = ()

    def game_of(self, agents: Sequence[str]) -> str:
        """Returns the game that is named, or the one that the agents play."""
        from lowhand_training.common.catalogue import meant_game

        return meant_game(agents) if self.game is None else self.game

    def options_of(self, agents: Sequence[str]) -> dict[str, Any]:
        """Returns the game's options: those of the first checkpoint, changed by `NAME=VALUE`s.

        Raises:
            ValueError: a word of `options` is no such pair.
        """
        import yaml

        from lowhand_training.common.catalogue import trained_options

        trained = (trained_options(agent, self.game_of(agents)) for agent in agents)
        options = dict(next((found for found in trained if found is not None), {}))
        for word in self.options:
            name, equals, value = word.partition("=")
            if not (name and equals):
                raise ValueError(f"--options must be given as NAME=VALUE, not {word!r}.")
            try:
                options[name] = None if value.lower() == "none" else yaml.safe_load(value)
            except (yaml.YAMLError, RecursionError, ValueError):
                raise ValueError(f"--options {word!r} has a value that can't be read.") from None
        return options


def warn_of_other_players(agents: Sequence[str], players: Sequence[int]) -> None:
    """Print a line on stderr for each checkpoint that was trained with other numbers of players.

    A network plays on at tables that it has never seen, but its results there mean little.
    """
    from lowhand_training.common.catalogue import trained_players

    def listed(numbers: Iterable[int]) -> str:
        *others, last = sorted(numbers)
        return f"{', '.join(map(str, others))} or {last}" if others else str(last)

    for agent in dict.fromkeys(agents):
        trained = trained_players(agent) or set(players)
        if strange := set(players) - trained:
            known, here = listed(trained), listed(strange)
            note = f"Note: {agent} was trained with {known} players and plays with {here} here."
            print(note, file=sys.stderr)


def write_and_show(path: Path | None, record: Any, report: Sequence[Any]) -> None:
    """Write results to a JSON file if one is asked for, and show them, even if writing fails.

    Args:
        path: of the file.
        record: what it gets.
        report: what is shown, each a `Table` or a sentence.
    """
    from lowhand_training.common.console import make_console
    from lowhand_training.common.files import as_json, write_atomically
    from lowhand_training.common.tables import print_report

    try:
        if path is not None:
            write_atomically(path, as_json(record).encode())
    finally:
        print_report(report, make_console())
    if path is not None:
        print(f"Written to {path}.")
