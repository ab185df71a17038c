"""What there is to play with: `lowhand list`, and where configs and checkpoints are found."""

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import lowhand
from lowhand.agents.names import find_checkpoint
from lowhand.agents.network import CheckpointError, read_config
from lowhand.engine.game import Game
from lowhand.engine.scripted import parse_bot
from lowhand.games import GAMES, get_game
from lowhand_training.common.tables import Table


def data_folders() -> list[Path]:
    """Where a name such as `configs/no_thanks.yaml` is looked up, in this order.

    The working directory, the data packed with the package, the repository.
    """
    package = Path(lowhand.__file__).parent
    return [Path(), package / "_data", package.parents[1]]


def find_config(name: str) -> str:
    """The path of a config file: the name itself, else packaged data, else the repository's.

    A name that is found nowhere is returned as it is, for the reader to report.
    """
    for folder in data_folders():
        if (folder / name).is_file():
            return str(folder / name)
    return name


@dataclass(frozen=True)
class CheckpointInfo:
    """What `config.yaml` records about the training of a checkpoint.

    Attributes:
        folder: of the checkpoint.
        game: name of the game.
        options: options of the game; None if they are not recorded.
        players: numbers of players; None if they are not recorded.
        observation: the observed fields, as recorded.
    """

    folder: Path
    game: str
    options: Mapping[str, Any] | None
    players: frozenset[int] | None
    observation: Any

    def playing_options(self) -> dict[str, Any]:
        """Returns the options without those that serve training alone.

        Raises:
            CheckpointError: they are not recorded.
        """
        if self.options is None:
            raise CheckpointError(
                f"{self.folder}: config.yaml does not say which options it was trained with."
            )
        return playing_options(get_game(self.game), self.options)


def checkpoint_info(name: str) -> CheckpointInfo | None:
    """Returns what is recorded about the checkpoint of this name; None if it is no checkpoint.

    Raises:
        CheckpointError: its config is broken, or does not name the game.
    """
    folder = find_checkpoint(name)
    if folder is None:
        return None
    version = (0, 0)
    with contextlib.suppress(OSError):  # reading it will say what is wrong
        written = (folder / "config.yaml").stat()
        version = written.st_mtime_ns, written.st_size
    return _read_info(folder, version)


@lru_cache(maxsize=64)
def _read_info(folder: Path, version: tuple[int, int]) -> CheckpointInfo:
    """Parse a config once, and once more after it was rewritten, which changes its `version`."""
    config = read_config(folder)
    game = config.get("game")
    if not isinstance(game, dict) or "name" not in game:
        raise CheckpointError(f"{folder}: config.yaml does not say which game it was trained on.")
    try:
        players = frozenset(int(number) for number in config["training"]["game"]["players"])
    except (LookupError, TypeError, ValueError):  # it plays without
        players = frozenset()
    options = game.get("options")
    return CheckpointInfo(
        folder=folder,
        game=str(game["name"]),
        options=options if isinstance(options, dict) else None,
        players=players or None,
        observation=config.get("observation"),
    )


def trained_options(name: str, game: str) -> dict[str, Any] | None:
    """The options for play of this checkpoint; None if it is no checkpoint of this game."""
    info = checkpoint_info(name)
    return info.playing_options() if info is not None and info.game == game else None


def trained_players(name: str) -> frozenset[int] | None:
    """The numbers of players that this checkpoint was trained at; None if there is no record."""
    info = checkpoint_info(name)
    return None if info is None else info.players


def playing_options(game: Game, options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of a training without those that serve training alone, and without the players."""
    left_out = ("num_players", *game.training_options)
    return {key: value for key, value in options.items() if key not in left_out}


def meant_game(names: Sequence[str]) -> str:
    """The game that these agents play, if none was named.

    The one that the first checkpoint among them was trained on; else the first game that has
    all scripted players that are named; else the first game.
    """
    for name in names:
        if (info := checkpoint_info(name)) is not None:
            return info.game

    def scripted_players() -> list[str]:
        kinds = {kind for game in GAMES.values() for kind in game.bots}
        return [name for name in names if name.partition(":")[0] in kinds]

    scripted = scripted_players()
    if len(scripted) < len(names):  # games of other packages are imported only for a name unknown
        for entry in entry_points(group="lowhand.games"):
            get_game(entry.name)
        scripted = scripted_players()
    for game in GAMES.values():
        with contextlib.suppress(ValueError):
            if all(parse_bot(name, game.bots) is not None for name in scripted):
                return game.name
    return next(iter(GAMES))


def published() -> list[str]:
    """Names of the published agents of all games."""
    return _found("checkpoints/*/model.safetensors")


def listing() -> list[Table | str]:
    """Environments, agents, checkpoints and configs."""
    parts: list[Table | str] = []
    for game in GAMES.values():
        parts += [_environment(game), _agents(game)]
    others = {entry.name for entry in entry_points(group="lowhand.games")} - GAMES.keys()
    if others:
        parts.append(f"Games of other packages, known by name: {' '.join(sorted(others))}")
    for title, pattern in (
        ("Checkpoints", "checkpoints/*/model.safetensors"),
        ("Your runs", "runs/*/model.safetensors"),
        ("Configs", "configs/*.yaml"),
    ):
        parts.append(f"{title}: {' '.join(_found(pattern)) or 'none'}")
    return parts


def _environment(game: Game) -> str:
    """Names and options of a game's environments."""
    camel = "".join(part.capitalize() for part in game.name.split("_"))
    options = ", ".join(
        f"{field.name}={field.default!r}"
        for field in fields(game.options)  # type: ignore[arg-type]
    )
    return (
        f"Game {game.name}, version {game.version}, {game.min_players} to {game.max_players}"
        f" players\n"
        f"  PettingZoo  from lowhand import {game.name}_v{game.version}\n"
        f"  Gymnasium   gymnasium.make('lowhand/{camel}-v{game.version}')\n"
        f"  batch       lowhand.make_batch('{game.name}', num_envs)\n"
        f"  options     {options}"
    )


def _agents(game: Game) -> Table:
    """The scripted players with their one-line docs."""
    families = {name.partition(":")[0] for name in game.baselines}
    return Table(
        columns=("agent", "rule"),
        rows=[
            (kind.usage(name) + (" *" if name in families else ""), kind.doc)
            for name, kind in game.bots.items()
        ],
        align="tt",
        title=f"Scripted players of {game.name}",
        note="* among the baselines, which `lowhand evaluate AGENT` plays against:\n"
        f"{' '.join(game.baselines)}\n"
        "A checkpoint's folder and your own module:Class are agents too.",
    )


def _found(pattern: str) -> list[str]:
    """Names of the files that match below any data folder; a checkpoint goes by its folder."""
    names = set()
    for root in data_folders():
        for path in root.glob(pattern):
            name = path.relative_to(root)
            names.add((name.parent if name.suffix == ".safetensors" else name).as_posix())
    return sorted(names)
