"""The command line: `lowhand train`, `evaluate`, `card`, `play`, `list` and others.

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

from lowhand_training.commands.shared import (
    add_game,
    chosen_game,
    chosen_options,
    tell_unfamiliar,
)
from lowhand_training.extras import need

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

_EVALUATE = """Play agents against fields of opponents, and report with 95 % intervals.

Two fields for each pair, at a table of n players: the agent alone against n - 1 copies of the
opponent, and the opponent alone against n - 1 copies of the agent. Shown are the win share of
the lone player (ties share a win; 1/n is fair) and the mean scores (low is good). The lone
player sits at every seat equally often.

One AGENT meets all baselines of the game; several meet each other; with --against each meets the
opponents named there.

Examples:

  lowhand evaluate checkpoints/no_thanks
  lowhand evaluate checkpoints/no_thanks --players 3 4 5 6 7 --json results.json
  lowhand evaluate greedy connector sally
  lowhand evaluate checkpoints/least_score --players 2 --options points_limit=null
  lowhand evaluate mypackage.mymodule:MyAgent --against greedy checkpoints/no_thanks"""

_CARD = """Write the model card of a checkpoint, or choose among training seeds.

The agent meets all baselines, as in `lowhand evaluate`; README.md, curves.png and results.json in
its folder get the tables, the learning curve and all rows. With --seeds the card compares it with
the other training seeds. --choose says which of several seeds is to be published, and writes
nothing. Curves need matplotlib, which comes with the extra lowhand[train].

Examples:

  lowhand card runs/no_thanks
  lowhand card --choose runs/no_thanks-1 runs/no_thanks-2 runs/no_thanks-3
  lowhand card checkpoints/no_thanks --seeds runs/no_thanks-1 runs/no_thanks-2 runs/no_thanks-3"""

_PLAY = """Play a game in the terminal against agents.

Before each of your moves you see what the others did and the table as you may see it. Answer
with the number of an action or the beginning of its words (in No Thanks! p or t, pass or take);
in Least Score with the cards to discard and, perhaps, one to take: 7s 8d take qh. ? helps, q
leaves. The seed that is printed deals the same game again.

Examples:

  lowhand play
  lowhand play greedy connector sally
  lowhand play checkpoints/no_thanks --players 5 --seat 0
  lowhand play --game least_score --options points_limit=50"""

# Commands in modules of their own, with a line of help; see `lowhand_training.commands`.
_MODULES = {
    "tournament": ("lowhand_training.commands.tournament", "play every agent in every field"),
    "rate": ("lowhand_training.commands.rate", "rate the agents of a tournament"),
    "compare": ("lowhand_training.commands.compare", "test whether one agent is better"),
    "solve": ("lowhand_training.solve.command", "solve small games exactly; NashConv of agents"),
    "exploit": ("lowhand_training.exploit.command", "bound how much an agent can be exploited"),
    "report": ("lowhand_training.report.command", "write the report of one game"),
    "completion": ("lowhand_training.commands.completion", "let a shell complete commands"),
}

_LIST = "List environments with their options, agents, baselines, checkpoints and configs."


class _Manual(DefaultHelpFormatter, argparse.RawDescriptionHelpFormatter):
    """Help that keeps the paragraphs and examples of a description as they are written."""


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
        from lowhand_training.terminal import leave_stdout

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
    for name, add, text in (
        ("train", _add_train, "train an agent from a config file"),
        ("evaluate", _add_evaluate, "compare agents, with intervals"),
        ("card", _add_card, "write a checkpoint's model card"),
        ("play", _add_play, "play against agents in the terminal"),
        ("list", _add_list, "list environments, agents, checkpoints and configs"),
    ):
        commands.add_subcommand(name, add(name == command), help=text)
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
        from lowhand_training.config import TrainConfig

        parser.add_class_arguments(TrainConfig)
    return parser


def _add_evaluate(wanted: bool) -> ArgumentParser:
    parser = _parser(_EVALUATE, "lowhand evaluate AGENT… [options]")
    parser.add_argument("agents", nargs="+", metavar="AGENT", help="Whom to evaluate.")
    parser.add_argument("--against", nargs="+", metavar="AGENT", help="Opponents.")
    add_game(parser)
    parser.add_argument(
        "--players",
        nargs="+",
        type=int,
        metavar="N",
        help="Players, one or several; by default 3, or the least number that all agents know.",
    )
    parser.add_argument(
        "--games",
        type=int,
        default=20_000,
        metavar="N",
        help="Games of each field, rounded up to a multiple of the players.",
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="Seed of all fields. By default a hash of who plays, so that nobody can choose it.",
    )
    parser.add_argument("--json", metavar="FILE", help="Write everything to this file too.")
    return parser


def _add_card(wanted: bool) -> ArgumentParser:
    parser = _parser(_CARD, "lowhand card FOLDER [options] | lowhand card --choose FOLDER…")
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="The checkpoint.")
    parser.add_argument(
        "--players", nargs="+", type=int, metavar="N", help="Players; by default all usual numbers."
    )
    parser.add_argument("--games", type=int, metavar="N", help="Of each field.")
    parser.add_argument(
        "--seeds", nargs="+", default=[], metavar="FOLDER", help="The other training seeds."
    )
    parser.add_argument("--choose", nargs="+", metavar="FOLDER", help="Seeds to choose from.")
    return parser


def _add_play(wanted: bool) -> ArgumentParser:
    parser = _parser(_PLAY, "lowhand play [OPPONENT…] [options]")
    parser.add_argument(
        "opponents",
        nargs="*",
        default=[],
        metavar="OPPONENT",
        help="One, who sits at all other seats, or one for each, in order of play after you. By"
        " default the game's published agent, or else its last baseline.",
    )
    add_game(parser)
    parser.add_argument(
        "--players",
        type=int,
        metavar="N",
        help="Players, you included; by default 3, or as many as the opponents make.",
    )
    parser.add_argument(
        "--seat", default="random", metavar="SEAT", help="Your seat, from 0, or random."
    )
    parser.add_argument("--seed", type=int, metavar="N", help="Deals the same game again.")
    return parser


def _add_list(wanted: bool) -> ArgumentParser:
    return _parser(_LIST, "lowhand list")


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

    from lowhand_training.config import TrainConfig
    from lowhand_training.listing import find_config

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

    from lowhand_training.config import TrainConfig

    need("torch", "train")
    from lowhand_training.train import run

    for field in fields(TrainConfig):
        if is_dataclass(field.type) and not isinstance(given[field.name], Namespace):
            raise ValueError(f"--{field.name}: expected keys of its own, not {given[field.name]}.")
    parser = _add_train(True)
    # The name since jsonargparse 4.49, and the one before.
    instantiate = getattr(parser, "instantiate", None) or parser.instantiate_classes
    made = instantiate(given)
    run(TrainConfig(**{field.name: made[field.name] for field in fields(TrainConfig)}))


def _evaluate(given: Namespace) -> None:
    from lowhand.agents import make_agent
    from lowhand.games import get_game
    from lowhand_training.checkpoint import write_atomically
    from lowhand_training.evaluate import evaluate, usual_players
    from lowhand_training.progress import games_progress
    from lowhand_training.results import check_writable, print_evaluation
    from lowhand_training.terminal import make_console

    path = None if given.json is None else Path(given.json)
    if path is not None:
        check_writable(path)
    named = [*given.agents, *(given.against or [])]
    game = chosen_game(given, named)
    options = chosen_options(given, game, named)
    made = [make_agent(name, game) for name in named]
    players = given.players or [usual_players(get_game(game), named, made, options)]
    with games_progress() as progress:
        evaluation = evaluate(
            given.agents,
            given.against,
            game,
            players,
            given.games,
            seed=given.seed,
            options=options,
            progress=progress,
        )
    tell_unfamiliar(named, players)
    console = make_console()
    try:
        if path is not None:
            write_atomically(path, evaluation.to_json().encode())
    finally:  # where one fails, the other is still of use
        print_evaluation(evaluation, console)
    if path is not None:
        console.print(f"Written to {path}.", highlight=False)


def _card(given: Namespace) -> None:
    from lowhand_training.card import run
    from lowhand_training.terminal import make_console

    run(given.folder, given.players, given.games, given.seeds, given.choose, make_console())


def _play(given: Namespace) -> None:
    from lowhand_training.play import play

    if given.seat != "random" and not given.seat.isdecimal():
        raise ValueError(f"--seat must be a seat's number or random, not {given.seat!r}.")
    seat = None if given.seat == "random" else int(given.seat)
    game = chosen_game(given, given.opponents)
    options = chosen_options(given, game, given.opponents)
    play(given.opponents, game, given.players, seat, given.seed, options=options)


def _list(given: Namespace) -> None:
    from lowhand_training.listing import print_listing
    from lowhand_training.terminal import make_console

    print_listing(make_console())


def _run_module(name: str, given: Namespace) -> None:
    import_module(name).run(given)


_COMMANDS: dict[str, Callable[[Namespace], None]] = {
    "train": _train,
    "evaluate": _evaluate,
    "play": _play,
    "list": _list,
    "card": _card,
    **{name: partial(_run_module, module) for name, (module, _) in _MODULES.items()},
}


if __name__ == "__main__":
    sys.exit(main())
