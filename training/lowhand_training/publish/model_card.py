"""Model cards: the evaluation, learning curve and training of a checkpoint, in its folder.

`lowhand card` evaluates and writes data: `results.json` and `curves.png`. `README.md` is rendered
from the data in the folder alone, so that it can be rendered again without a run.
"""

import contextlib
import json
import os
import shlex
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from lowhand.agents.network import CheckpointError, read_config
from lowhand.engine.game import EvaluationSetting
from lowhand.games import get_game, gymnasium_id
from lowhand_training.common.catalogue import data_folders
from lowhand_training.common.files import write_atomically
from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.results import Evaluation
from lowhand_training.publish.checkpoint_folder import (
    BOUNDS,
    card_name,
    network_size,
    read_bounds,
    read_results,
    training_config,
    weights_hash,
)
from lowhand_training.publish.curves import draw_curves
from lowhand_training.publish.seed_choice import (
    Progress,
    choose_seed,
    evaluate_checkpoint,
    part_of,
    rule,
    rule_players,
)
from lowhand_training.publish.templates import render_template
from lowhand_training.trainer.checkpoint import write_results
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.config_files import load_config

CARD, CURVES = "README.md", "curves.png"

_PER_RUN = ("out", "resume", "overwrite")  # keys that say where a run is, not what it trains


def write_card(
    folder: str | Path,
    players: Sequence[int] | None = None,
    games: int | None = None,
    seeds: Sequence[str | Path] = (),
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Evaluate a checkpoint and write its card; results.json keeps the entries of the training.

    Args:
        folder: the checkpoint.
        players: numbers of players; by default those of each setting at which it was trained.
        games: games of each row; by default as many as each setting says.
        seeds: folders of the other training seeds; the card's own may be among them.
        progress: called with the number of finished games and that of all games, first of the
            card's evaluations, then of the seeds.

    Returns:
        The evaluation of each setting of the game.

    Raises:
        CheckpointError: a folder is no checkpoint that can be used.
        ValueError: the folder can't be written to, or matplotlib or jinja2 is missing.
    """
    folder = Path(folder)
    digest, config, results = weights_hash(folder), read_config(folder), read_results(folder)
    training, game = training_config(config, folder), get_game(config["game"]["name"])
    need("jinja2", "train")  # a missing library is an error before the evaluation
    if not os.access(folder, os.W_OK):
        raise ValueError(f"the folder {folder} can't be written to.")
    watched, curve = training.evaluation, results.get("curve", [])
    picture = draw_curves(curve, watched.players, watched.games) if curve else None
    evaluations = [
        evaluate_checkpoint(
            folder,
            setting,
            players or _players(setting, training),
            games,
            part_of(progress, i, len(game.evaluation_settings)),
        )
        for i, setting in enumerate(game.evaluation_settings)
    ]
    results["evaluation"], *further = (made.to_dict() for made in evaluations)
    titles = [setting.title for setting in game.evaluation_settings[1:]]
    results["further_evaluations"] = dict(zip(titles, further, strict=True))
    results.pop("seeds", None)
    if seeds:
        evaluated = rule_players(evaluations[0]) in evaluations[0].options
        known = {digest: evaluations[0]} if evaluated else {}
        compared, chosen = choose_seed([folder, *seeds], games, known=known, progress=progress)
        results["seeds"] = [seed.to_dict(i == chosen) for i, seed in enumerate(compared)]
    results["network"] = network_size(folder, config)
    results["card_command"] = _command(card_name(folder), players, games, seeds)
    if picture is not None:
        write_atomically(folder / CURVES, picture)
    write_results_and_card(folder, results)
    return evaluations


def write_results_and_card(folder: Path, results: Mapping[str, Any]) -> None:
    """Write results.json and the card that is rendered from it.

    Raises:
        CheckpointError: `lowhand card` has never evaluated the checkpoint.
    """
    text = render(folder, results)
    write_results(folder, results)
    write_atomically(folder / CARD, text.encode())


def render(folder: Path, results: Mapping[str, Any] | None = None) -> str:
    """Returns the card of a checkpoint, made from the data files in its folder alone.

    Args:
        folder: the checkpoint.
        results: contents of results.json; by default they are read.

    Raises:
        CheckpointError: `lowhand card` has never evaluated the checkpoint.
        ValueError: jinja2 is not installed.
    """
    config, results = read_config(folder), results or read_results(folder)
    if not {"evaluation", "network", "card_command"} <= results.keys():
        raise CheckpointError(
            f"{folder} has no model card yet: write it with `lowhand card` first."
        )
    training, game = training_config(config, folder), get_game(config["game"]["name"])
    resolved = {k: v for k, v in config["training"].items() if k not in _PER_RUN}
    report, exploited = results.get("report"), folder / BOUNDS
    bounds = read_bounds(exploited, game.name) if exploited.is_file() else []
    bounds += [bound for bound in (report or {}).get("bounds", []) if bound not in bounds]
    filters = {
        "wrap": _wrapped, "bullet": _bullet, "either": _either, "share": _share,
        "median": statistics.median,
    }  # fmt: skip
    values = {
        "name": results["evaluation"]["one_v_rest"][0]["agent"],
        "game": game,
        "env_id": gymnasium_id(game.name, game.version),
        "config": config,
        "training": training,
        "training_command": training_command(training),
        "resolved": yaml.safe_dump(resolved, sort_keys=False, allow_unicode=True).strip(),
        "planned": training.updates * training.ppo.batch_size,
        "inputs": config["observation"],
        "results": results,
        "evaluations": {
            game.evaluation_settings[0].title: results["evaluation"],
            **results["further_evaluations"],
        },
        "fields_at": _fields_at,
        "worst_at": _worst_at,
        "rule": rule(game),
        "seeds": results.get("seeds", []),
        "report": report,
        "bounds": bounds,
        "curves": CURVES if results.get("curve") else None,
    }
    return render_template("model_card.md.j2", "train", values, filters)


def training_command(config: TrainConfig) -> str:
    """Returns the command that trains by `config`: the nearest config file, and the differences."""
    wanted = _flat(config.as_dict())
    bases = {"": TrainConfig().as_dict()}
    for root in data_folders():
        for path in sorted(root.glob("configs/*.yaml")):
            with contextlib.suppress(OSError, ValueError):  # another kind of file
                bases.setdefault(path.relative_to(root).as_posix(), load_config(path).as_dict())

    def changes(name: str) -> dict[str, Any]:
        base = _flat(bases[name])
        return {key: value for key, value in wanted.items() if value != base.get(key)}

    name = min(bases, key=lambda name: len(changes(name)))
    words = ["lowhand", "train"] + (["--config", name] if name else [])
    for key, value in changes(name).items():
        words += [f"--{key}", value if isinstance(value, str) else json.dumps(value)]
    return shlex.join([*words, "--out", f"runs/{Path(config.out).name}"])


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    """Returns the keys as the command line names them, without those of `_PER_RUN`."""
    flat = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": entry for inner, entry in value.items()})
        elif key not in _PER_RUN:
            flat[key] = value
    return flat


def _players(setting: EvaluationSetting, training: TrainConfig) -> list[int]:
    """Returns a setting's numbers of players at which the agent was trained; if none, all those."""
    trained = set(training.game.players)
    return sorted(trained & set(setting.players)) or sorted(trained)


def _command(
    name: str, players: Sequence[int] | None, games: int | None, seeds: Sequence[str | Path]
) -> str:
    """Returns the command that makes the same evaluation."""
    words = ["lowhand", "card", name]
    words += ["--players", *map(str, players)] if players else []
    words += ["--games", str(games)] if games else []
    if seeds:
        words += ["--seeds", *(card_name(Path(folder)) for folder in seeds)]
    return shlex.join(words)


# Filters and functions of the template

Fields = list[tuple[dict[str, Any], dict[str, Any]]]


def _fields_at(evaluation: Mapping[str, Any], players: int) -> Fields:
    """Returns for each opponent the row of the agent alone and that of the opponent alone."""
    rows = zip(evaluation["one_v_rest"], evaluation["rest_v_one"], strict=True)
    return [pair for pair in rows if pair[0]["players"] == players]


def _worst_at(evaluation: Mapping[str, Any], players: int) -> tuple[dict[str, Any], ...]:
    """Returns the row in which the agent alone wins least, and that in which the opponent most."""
    fields = [
        pair for pair in _fields_at(evaluation, players) if pair[0]["agent"] != pair[0]["opponent"]
    ]
    alone, beaten = zip(*fields, strict=True)
    return (
        min(alone, key=lambda row: row["win_share"]),
        max(beaten, key=lambda row: row["win_share"]),
    )


def _share(row: Mapping[str, Any]) -> str:
    """Returns a win share with its interval."""
    return f"{row['win_share']:.3f} [{row['ci95'][0]:.3f}, {row['ci95'][1]:.3f}]"


def _either(numbers: Sequence[int]) -> str:
    """Returns `3, 4 or 5`."""
    *others, last = map(str, sorted(set(numbers)))
    return f"{', '.join(others)} or {last}" if others else last


def _wrapped(text: str, indent: str = "") -> str:
    """Returns a paragraph in lines of at most 100 characters."""
    flat = " ".join(text.split())
    lines = textwrap.wrap(
        flat, 100, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
    return "\n".join(lines) + "\n"


def _bullet(text: str) -> str:
    """Returns an entry of a list in lines of at most 100 characters."""
    return _wrapped(f"- {text}", "  ")
