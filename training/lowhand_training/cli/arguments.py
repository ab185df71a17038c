"""What several commands ask for in the same way: which game is played, by which options."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

from jsonargparse import ArgumentParser, Namespace


def add_game(parser: ArgumentParser) -> None:
    """What says which game is played, by which options."""
    parser.add_argument(
        "--game",
        metavar="NAME",
        help="Name of the game; by default that of the first checkpoint named, else the one that"
        " has the scripted players that are named.",
    )
    parser.add_argument(
        "--options",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="Options of the game, such as points_limit=null or tie=wrong; by default those that"
        " the first checkpoint named was trained with.",
    )


def chosen_game(given: Namespace, agents: Sequence[str]) -> str:
    """The game that is meant: named, or the one that the agents play."""
    from lowhand_training.common.catalogue import meant_game

    return meant_game(agents) if given.game is None else str(given.game)


def tell_unfamiliar(agents: Sequence[str], players: Sequence[int]) -> None:
    """Say on stderr, in a line each, which checkpoints were trained with other numbers of players.

    A network plays on at tables that it has never seen, but its results there say little.
    """
    from lowhand_training.common.catalogue import trained_players

    for agent in dict.fromkeys(agents):
        trained = trained_players(agent)
        strange = sorted(set(players) - trained) if trained else []
        if trained and strange:
            print(
                f"Note: {agent} was trained with {_listed(trained)} players and plays with"
                f" {_listed(strange)} here.",
                file=sys.stderr,
            )


def _listed(numbers: Iterable[int]) -> str:
    *others, last = sorted(numbers)
    return f"{', '.join(map(str, others))} or {last}" if others else str(last)


def chosen_options(given: Namespace, game: str, agents: Sequence[str]) -> dict[str, Any]:
    """The game's options: those of the first checkpoint named, changed by `NAME=VALUE`s."""
    import yaml

    from lowhand_training.common.catalogue import trained_options

    trained = (trained_options(agent, game) for agent in agents)
    options = dict(next((found for found in trained if found is not None), {}))
    for word in given.options:
        name, equals, value = word.partition("=")
        if not (name and equals):
            raise ValueError(f"--options must be given as NAME=VALUE, not {word!r}.")
        try:
            options[name] = None if value.lower() == "none" else yaml.safe_load(value)
        except (yaml.YAMLError, RecursionError, ValueError):
            raise ValueError(f"--options {word!r} has a value that can't be read.") from None
    return options
