"""The command line: which command is asked for, and how errors end it.

A command is a module of this folder with a function `run`, whose signature gives the flags and
whose docstring is the manual. Only the module of the command that is asked for is imported, so
that `lowhand --help` answers at once and everything but training works without torch.
"""

import argparse
import io
import os
import re
import sys
from collections.abc import Container, Sequence
from importlib import import_module
from typing import Any

from jsonargparse import ArgumentParser, DefaultHelpFormatter, Namespace

from lowhand_training.cli.arguments import add_flags, call, clear_message

ERROR, INTERRUPTED = 2, 130

COMMANDS = {
    "train": "train an agent from a config file",
    "evaluate": "compare agents, with intervals",
    "card": "write a checkpoint's model card",
    "play": "play against agents in the terminal",
    "list": "list environments, agents, checkpoints and configs",
    "tournament": "play every agent in every field",
    "rate": "rate the agents of a tournament",
    "compare": "test whether one agent is better",
    "solve": "solve small games exactly; NashConv of agents",
    "exploit": "bound how much an agent can be exploited",
    "report": "write the report of one game",
    "completion": "let a shell complete commands",
}
"""What each command does; the module of that name has its manual."""

_MANUAL = """No Thanks! and Least Score as reinforcement-learning environments: train agents by
self-play, compare them, play against them.

An AGENT is a scripted player (greedy, threshold:2; `lowhand list` shows them all), the folder of
a checkpoint (checkpoints/no_thanks), or a class of your own (mypackage.mymodule:MyAgent, found
from the working directory too).

Example, from nothing to a game:

  lowhand train --config configs/quickstart.yaml --out runs/quickstart
  lowhand evaluate runs/quickstart
  lowhand play runs/quickstart"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command.

    Args:
        arguments: of the command line; by default those of this process.

    Returns:
        The exit code: 0, 2 after an error of the user's (one sentence on stderr), 130 after
        Ctrl-C. With the variable LOWHAND_TRACEBACK set, errors show where they came from.
    """
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    # NumPy reads it when it is imported, which the commands do. For networks this small a second
    # thread costs more than it brings: three times as long, where another process is busy too.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # agents of the user's own, in the working directory
    _make_printable()
    command = _command(arguments)
    name = f"lowhand {command}" if command in COMMANDS else "lowhand"
    if not arguments:
        return _fail(name, f"give a command, {', '.join(COMMANDS)}; `lowhand --help` explains.")
    if arguments == ["train"]:  # instead of a long run by defaults
        return _fail(name, "give --config FILE; `lowhand list` shows the configs that come along.")
    try:
        parsed = parse(arguments)
        module, given = _module(parsed.command), parsed[parsed.command]
        if parsed.command == "train":
            module.run(module.config(given))
        else:
            call(module.run, given)
        sys.stdout.flush()  # so that a closed pipe shows here and not at the exit
    except argparse.ArgumentError as error:
        return _fail(name, clear_message(str(error)))
    except BrokenPipeError:  # `lowhand list | head`: the reader has what it wanted
        from lowhand_training.common.console import leave_stdout

        leave_stdout()
    except (ValueError, OSError) as error:
        if os.environ.get("LOWHAND_TRACEBACK"):
            raise
        return _fail(name, str(error))
    except KeyboardInterrupt as interrupt:
        if not interrupt.args:  # else the command has said what it stopped at
            print(f"\n{name}: interrupted.", file=sys.stderr)
        return INTERRUPTED
    return 0


def parse(arguments: Sequence[str]) -> Namespace:
    """Returns what a command line asks for: its `command`, and under that name the arguments.

    Raises:
        argparse.ArgumentError: it is wrong.
    """
    command = _command(arguments)
    if command == "train":
        from lowhand_training.cli.train import completed

        arguments = completed(arguments)
    return make_parser({command}).parse_args(list(arguments))


def make_parser(commands: Container[str | None] = tuple(COMMANDS)) -> ArgumentParser:
    """Returns the parser of all commands, with the arguments of those in `commands`."""
    settings: dict[str, Any] = {"formatter_class": _Help, "exit_on_error": False}
    usage = "lowhand [-h] [--version] COMMAND …"
    parser = ArgumentParser(prog="lowhand", description=_MANUAL, usage=usage, **settings)
    parser.add_argument("--version", action=_Version, help="Print the version and exit.")
    subcommands = parser.add_subcommands(dest="command", title="commands", metavar="COMMAND")
    for name, summary in COMMANDS.items():
        of_command = ArgumentParser(**settings)
        if name in commands:
            module = _module(name)
            if name == "train":
                module.add_keys(of_command)
            else:
                add_flags(of_command, name, module.run)
        subcommands.add_subcommand(name, of_command, help=summary)
    return parser


def _command(arguments: Sequence[str]) -> str | None:
    return next((word for word in arguments if not word.startswith("-")), None)


def _module(command: str) -> Any:
    return import_module(f"lowhand_training.cli.{command}")


def _make_printable() -> None:
    """See that no result is lost because stdout was closed, or can't encode a character."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _fail(name: str, message: str) -> int:
    print(f"{name}: {' '.join(message.split())}", file=sys.stderr)
    return ERROR


class _Help(DefaultHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Help that keeps the paragraphs and examples of a description as they are written.

    What says nothing is left out: an empty default, and that a FILE is a path. A bounded number
    is "int of at least 1".
    """

    def _expand_help(self, action: argparse.Action) -> str:
        text = re.sub(r"Annotated\[(\w+), ([^]]*)\]", r"\1 \2", str(super()._expand_help(action)))
        if action.metavar is not None:
            text = re.sub(r"(, )?type: <class 'Path'>|(, )?default: (null|\[\])(?=\)$)", "", text)
        return text.removesuffix(" ()")


class _Version(argparse.Action):
    """`--version`, which looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        hidden = argparse.SUPPRESS
        super().__init__(option_strings, hidden, nargs=0, default=hidden, help=rest.get("help"))

    def __call__(self, *unused: Any) -> None:
        import lowhand

        print(f"lowhand {lowhand.__version__}")
        raise SystemExit(0)
