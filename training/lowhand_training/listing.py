"""What there is to play with: `lowhand list`, and where configs and checkpoints are found."""

from dataclasses import fields
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

import lowhand
from lowhand.agents import find_checkpoint
from lowhand.game import Game
from lowhand.games import GAMES
from lowhand.network import read_config


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


def trained_game(name: str) -> str | None:
    """The game that the checkpoint of this name was trained on; None if it is no checkpoint."""
    folder = find_checkpoint(name)
    if folder is None:
        return None
    game = read_config(folder).get("game")
    return str(game["name"]) if isinstance(game, dict) and "name" in game else None


def print_listing(console: Console) -> None:
    """Environments, agents, checkpoints and configs."""
    for game in GAMES.values():
        console.print(Text(_environment(game)))
        console.print(_agents(game))
        console.print(Text("* among the baselines, whom `lowhand evaluate AGENT` meets:"))
        console.print(Text(" ".join(game.baselines)))
        console.print(Text("A checkpoint's folder and your own module:Class are agents too.\n"))
    for title, pattern in (
        ("Checkpoints", "checkpoints/*/model.safetensors"),
        ("Your runs", "runs/*/model.safetensors"),
        ("Configs", "configs/*.yaml"),
    ):
        found = _found(pattern)
        console.print(Text(f"{title}: {' '.join(found) or 'none'}"))


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
    table = Table(title=f"Scripted players of {game.name}", title_justify="left", box=SIMPLE_HEAD)
    table.add_column("agent", overflow="fold", max_width=34)
    table.add_column("rule")
    for name, kind in game.bots.items():
        mark = " *" if name in families else ""
        table.add_row(Text(kind.usage(name) + mark), Text(kind.doc))
    return table


def _found(pattern: str) -> list[str]:
    """Names of the files that match below any data folder; a checkpoint goes by its folder."""
    names = set()
    for root in data_folders():
        for path in root.glob(pattern):
            name = path.relative_to(root)
            names.add((name.parent if name.suffix == ".safetensors" else name).as_posix())
    return sorted(names)
