"""The command line: `lowhand train`, and the commands in modules of their own.

What a command needs is imported when it runs, so that `lowhand --help` answers at once and
everything but training works without torch.
"""

import argparse
import io
import os
import re
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from jsonargparse import ArgumentParser, DefaultHelpFormatter, Namespace

from lowhand_training.common.optional_deps import need

ERROR, INTERRUPTED = 2, 130

_MAIN = """Card games in which the lowest score wins and what matters is hidden: train agents by
self-play, compare them, play against them.

An AGENT is a scripted player (greedy, threshold:2; `lowhand list` shows them all), the folder of
a checkpoint (checkpoints/no_thanks), or a class of your own (mypackage.mymodule:MyAgent, found
from the working directory too).

Example, from nothing to a game:

  lowhand train --config configs/quickstart.yaml --out runs/quickstart
  lowhand evaluate runs/quickstart
  lowhand play runs/quickstart"""

_TRAIN = """Train an agent by self-play, as a config file says.

Every key of the config can be given on the command line too, where it overrides the file.
Unknown keys are refused. The folder of --out gets the checkpoint, the resolved config and what
TensorBoard reads. Needs torch, which comes with the extra lowhand[train]; MaskablePPO of
sb3-contrib (`algorithm: maskable_ppo`) comes with lowhand[sb3].

Examples:

  lowhand train --config configs/no_thanks.yaml
  lowhand train --config configs/no_thanks.yaml --out runs/second --seed 2
  lowhand train --config configs/maskable_ppo.yaml
  lowhand train --config configs/no_thanks.yaml --out runs/second --resume
  lowhand train --config configs/no_thanks.yaml --print_config

Keys and their defaults stand below."""

_TRAIN_IN_SHORT = "train an agent from a config file"

# Commands in modules of their own, with a line of help; see `lowhand_training.commands`.
_MODULES = {
    "evaluate": ("lowhand_training.cli.evaluate", "compare agents, with intervals"),
    "card": ("lowhand_training.cli.card", "write a checkpoint's model card"),
    "play": ("lowhand_training.cli.play", "play against agents in the terminal"),
    "list": (
        "lowhand_training.cli.list",
        "list environments, agents, checkpoints and configs",
    ),
    "tournament": ("lowhand_training.cli.tournament", "play every agent in every field"),
    "rate": ("lowhand_training.cli.rate", "rate the agents of a tournament"),
    "compare": ("lowhand_training.cli.compare", "test whether one agent is better"),
    "solve": ("lowhand_training.cli.solve", "solve small games exactly; NashConv of agents"),
    "exploit": ("lowhand_training.cli.exploit", "bound how much an agent can be exploited"),
    "report": ("lowhand_training.cli.report", "write the report of one game"),
    "completion": ("lowhand_training.cli.completion", "let a shell complete commands"),
}


class _Manual(DefaultHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Help that keeps the paragraphs and examples of a description as they are written."""

    def _expand_help(self, action: argparse.Action) -> str:
        """The help of an argument, in which a bounded number is "int of at least 1"."""
        return re.sub(r"Annotated\[(\w+), ([^]]*)\]", r"\1 \2", str(super()._expand_help(action)))


class _Version(argparse.Action):
    """`--version`, which looks the version up only when asked."""

    def __init__(self, option_strings: Sequence[str], dest: str, **rest: Any) -> None:
        hidden = argparse.SUPPRESS
        super().__init__(option_strings, hidden, nargs=0, default=hidden, help=rest.get("help"))

    def __call__(self, *unused: Any) -> None:
        import lowhand

        print(f"lowhand {lowhand.__version__}")
        raise SystemExit(0)


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
    command = next((word for word in arguments if not word.startswith("-")), None)
    name = f"lowhand {command}" if command in _COMMANDS else "lowhand"
    if not arguments:
        return _fail(name, f"give a command, {', '.join(_COMMANDS)}; `lowhand --help` explains.")
    if arguments == ["train"]:  # and not a long run by defaults that nobody has asked for
        return _fail(name, "give --config FILE; `lowhand list` shows the configs that come along.")
    try:
        parsed = _parse(arguments, command)
        _COMMANDS[parsed.command](parsed[parsed.command])
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


def _make_printable() -> None:
    """See that no result is lost because stdout was closed, or can't encode a character."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # for the rest of the process
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


def _fail(name: str, message: str) -> int:
    print(f"{name}: {' '.join(message.split())}", file=sys.stderr)
    return ERROR


def clear_message(message: str) -> str:
    """A message of jsonargparse, which may be a small report, as one sentence."""
    text = " ".join(message.split())
    text = re.sub(r"<class '([\w.]+)'>", r"\1", text)
    text = text.replace("NoneType", "null")
    text = re.sub(r"Expected a typing\.Literal\[([^]]*)\]", r"Expected one of \1", text)
    text = re.sub(
        r"Does not validate against any of the Union subtypes Subtypes: \[([^]]*)\] .*"
        r"Given value: (.*)$",
        r"Expected one of \1. Got value: \2",
        text,
    )
    text = re.sub(r"Expected an? (.*?)\. Got value: (.*)$", r"expected \1, not \2", text)
    text = re.sub(r"Expected one of (.*?)\. Got value: (.*)$", r"expected one of \1; not \2", text)
    text = re.sub(r'^Parser key "([^"]*)"( element \d+)?:', r"--\1\2:", text)
    text = re.sub(
        r"^Subcommand '\w+' does not accept option '([^']*)'",
        r"the config has no key '\1' (see --help for those it has)",
        text,
    )
    text = re.sub(r"(required: )(?:\w+\.)", r"\1", text)
    return text if text.endswith(".") else text + "."


def make_parser(command: str | None) -> ArgumentParser:
    """The parser of all commands; the keys of a config are there if `command` is train."""
    parser = _parser(_MAIN, usage="lowhand [-h] [--version] COMMAND …")
    parser.add_argument("--version", action=_Version, help="Print the version and exit.")
    commands = parser.add_subcommands(dest="command", title="commands", metavar="COMMAND")
    commands.add_subcommand("train", _add_train(command == "train"), help=_TRAIN_IN_SHORT)
    for name, (module, text) in _MODULES.items():
        commands.add_subcommand(name, _add_module(module), help=text)
    return parser


def _parse(arguments: list[str], command: str | None) -> Namespace:
    """The parsed command line, whose first word is `command`.

    Raises:
        argparse.ArgumentError: it is wrong.
    """
    if command == "train":
        arguments = _completed(arguments)
    return make_parser(command).parse_args(arguments)


def _parser(description: str, usage: str) -> ArgumentParser:
    return ArgumentParser(
        description=description, usage=usage, formatter_class=_Manual, exit_on_error=False
    )


def _add_train(wanted: bool) -> ArgumentParser:
    """The parser of `train`; its keys are read from the code only where they are `wanted`."""
    usage = "lowhand train [--config FILE] [--out FOLDER] [--resume] [--KEY VALUE]…"
    parser = _parser(_TRAIN, usage)
    parser.add_argument("--config", action="config", help="Config file (YAML); its keys:")
    if wanted:
        from lowhand_training.trainer.config import TrainConfig

        parser.add_class_arguments(TrainConfig)
    return parser


def _add_module(name: str) -> ArgumentParser:
    module = import_module(name)
    parser = _parser(module.DESCRIPTION, module.USAGE)
    module.add(parser)
    return parser


def _completed(arguments: list[str]) -> list[str]:
    """The command line of `train`, completed for jsonargparse.

    `--config NAME` becomes a path, since packaged configs go by name too; a switch that stands
    alone, such as `--resume`, means true. A config that sets `overwrite` does so for the folder
    that it names itself, and not for another one that `--out` names.
    """
    from dataclasses import fields

    from lowhand_training.common.catalogue import find_config
    from lowhand_training.trainer.config import TrainConfig

    switches = {f"--{field.name}" for field in fields(TrainConfig) if field.type is bool}
    completed = []
    for i, word in enumerate(arguments):
        if word.startswith("--config="):
            word = "--config=" + find_config(word.removeprefix("--config="))
        elif i > 0 and arguments[i - 1] == "--config":
            word = find_config(word)
        elif word in switches and arguments[i + 1 : i + 2] not in (["true"], ["false"]):
            word += "=true"
        completed.append(word)
    return completed + _spares(completed)


def _spares(arguments: list[str]) -> list[str]:
    """`--overwrite=false`, where the config's `overwrite` is for another folder than `--out`."""
    import yaml

    def value(option: str) -> str | None:
        for word, following in zip(arguments, [*arguments[1:], ""]):
            if word == option or word.startswith(option + "="):
                return following if word == option else word.partition("=")[2]
        return None

    config, out = value("--config"), value("--out")
    if config is None or out is None or value("--overwrite") is not None:
        return []
    try:
        keys = yaml.safe_load(Path(config).read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError, RecursionError):
        return []  # the parser will say what is wrong
    own = isinstance(keys, dict) and Path(str(keys.get("out"))) == Path(out)
    return [] if own else ["--overwrite=false"]


def _train(given: Namespace) -> None:
    from dataclasses import fields, is_dataclass

    from lowhand_training.trainer.config import TrainConfig

    need("torch", "train")
    from lowhand_training.trainer.algorithms import train

    for field in fields(TrainConfig):
        if is_dataclass(field.type) and not isinstance(given[field.name], Namespace):
            raise ValueError(f"--{field.name}: expected keys of its own, not {given[field.name]}.")
    parser = _add_train(True)
    # The name since jsonargparse 4.49, and the one before.
    instantiate = getattr(parser, "instantiate", None) or parser.instantiate_classes
    made = instantiate(given)
    config = TrainConfig(**{field.name: made[field.name] for field in fields(TrainConfig)})
    train(config, progress=True)


def _run_module(name: str, given: Namespace) -> None:
    import_module(name).run(given)


_COMMANDS: dict[str, Callable[[Namespace], None]] = {
    "train": _train,
    **{name: partial(_run_module, module) for name, (module, _) in _MODULES.items()},
}


if __name__ == "__main__":
    sys.exit(main())
