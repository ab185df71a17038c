"""Model cards: a checkpoint's full evaluation, learning curve and story, in its folder.

`lowhand card` writes `README.md`, `curves.png` and the evaluation in `results.json`. Which of
several training seeds is published follows `rule`, which `choose` carries out.
"""

import hashlib
import json
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from lowhand.agents.network import CheckpointError, read_config
from lowhand.engine.game import EvaluationSetting, Game
from lowhand.games import get_game
from lowhand_training.common.catalogue import data_folders
from lowhand_training.common.files import write_atomically
from lowhand_training.common.progress import games_progress
from lowhand_training.common.tables import print_report
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.evaluation.results import Evaluation, Row, evaluation_report
from lowhand_training.publish import model_card_text as card_text
from lowhand_training.publish.model_card_text import training_config
from lowhand_training.trainer.checkpoint import MODEL, RESULTS, write_results
from lowhand_training.trainer.config import TrainConfig

CARD, CURVES = "README.md", "curves.png"


def rule(game: Game) -> str:
    """How it is decided which training seed is published; a tie goes to the lower seed."""
    setting = game.evaluation_settings[0]
    return (
        "Of three training seeds, the one published is the one whose smallest margin is largest:"
        f" over all baselines at {setting.rule_players} players, in both fields, the margin is the"
        " lone agent's win share minus 1/n, and 1/n minus the lone opponent's win share; seeds are"
        f" evaluated with {setting.games:,} {setting.title} a row on deals fixed by the hash of"
        " each checkpoint."
    )


Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Margin:
    """The field in which an agent does worst, by `rule`.

    Attributes:
        margin: what `rule` calls the smallest margin; above 0 the agent does better than fair.
        alone: whether the agent is the lone player of that field, else the opponent is.
        row: the field.
    """

    margin: float
    alone: bool
    row: Row


@dataclass(frozen=True)
class Seed:
    """One training seed: its folder, its number and its evaluation at the rule's players."""

    folder: Path
    seed: int
    evaluation: Evaluation

    def to_dict(self, published: bool) -> dict[str, Any]:
        """What is said of it in results.json and in the table."""
        worst = smallest_margin(self.evaluation)
        lone, rest = worst.row.agent, worst.row.opponent
        if not worst.alone:
            lone, rest = rest, lone
        agent, others = ("agent", f"{rest}") if worst.alone else (f"{lone}", "the agent")
        copies = _rule_players(self.evaluation) - 1
        return {
            "seed": self.seed,
            "agent": worst.row.agent,
            "margin": worst.margin,
            "field": f"{agent} alone against {copies} copies of {others}",
            "win_share": worst.row.win_share,
            "ci95": list(worst.row.ci95),
            "games": worst.row.games,
            "published": published,
        }


def run(
    folder: str | None,
    players: Sequence[int] | None,
    games: int | None,
    seeds: Sequence[str],
    choices: Sequence[str] | None,
    console: Console,
) -> None:
    """`lowhand card`: write the card of `folder`, or print which of `choices` the rule chooses.

    Raises:
        ValueError: both or neither of them were given, or a folder can't be used.
    """
    if (folder is None) == (choices is None):
        raise ValueError("give the folder of one checkpoint, or --choose and several folders.")
    if choices is not None:
        with games_progress() as progress:
            compared, chosen = choose_seed(choices, games, progress=progress)
        print_choice(compared, chosen, console)
    elif folder is not None:
        with games_progress() as progress:
            evaluations = write_card(folder, players, games, seeds, progress)
        for evaluation in evaluations:
            print_report(evaluation_report(evaluation), console)
        console.print(Text(f"Written to {folder}."))


def smallest_margin(evaluation: Evaluation) -> Margin:
    """The smallest margin by `rule` of an evaluation of one agent.

    Raises:
        ValueError: it has no rows at the rule's number of players, or several agents.
    """
    margins, players = [], _rule_players(evaluation)
    for alone, rows in ((True, evaluation.one_v_rest), (False, evaluation.rest_v_one)):
        for row in rows:
            if row.players == players and row.agent != row.opponent:
                margins.append(Margin(row.margin if alone else -row.margin, alone, row))
    if not margins or len(evaluation.agents) != 1:
        raise ValueError(f"the rule needs rows of one agent at {players} players.")
    return min(margins, key=lambda margin: margin.margin)


def choose(evaluations: Sequence[Evaluation]) -> int:
    """The index of the evaluation that `rule` chooses; of equal ones the first.

    Raises:
        ValueError: there is none, or they do not have the same opponents and games.
    """
    if not evaluations:
        raise ValueError("there is nothing to choose from.")
    if len({json.dumps(_fields(evaluation)) for evaluation in evaluations}) > 1:
        raise ValueError("the evaluations to choose from must have the same opponents and games.")
    # Shares are sums of fractions: what is equal but for rounding is a tie.
    margins = [round(smallest_margin(evaluation).margin, 12) for evaluation in evaluations]
    return margins.index(max(margins))


def _fields(evaluation: Evaluation) -> list[Any]:
    rows = evaluation.one_v_rest + evaluation.rest_v_one
    players = _rule_players(evaluation)
    return [(row.opponent, row.games) for row in rows if row.players == players]


def _rule_players(evaluation: Evaluation) -> int:
    """The number of players at which the rule looks."""
    return get_game(evaluation.game).evaluation_settings[0].rule_players


def choose_seed(
    folders: Sequence[str | Path],
    games: int | None = None,
    *,
    known: Mapping[str, Evaluation] | None = None,
    progress: Progress | None = None,
) -> tuple[list[Seed], int]:
    """Evaluate the checkpoints of several training seeds and choose one by `rule`.

    Args:
        folders: of the checkpoints; those that hold the same network count once.
        games: of each row; by default as many as the rule says.
        known: evaluations that stand already, by the hash of the network.
        progress: told (games finished, games in all), now and then.

    Returns:
        The seeds in ascending order, and the index of the chosen one.
    """
    found = {_hash(Path(folder)): Path(folder) for folder in reversed(folders)}
    numbers = {digest: _config(folder)[1].seed for digest, folder in found.items()}
    order = sorted(found, key=numbers.__getitem__)
    made = dict(known or {})
    todo = [digest for digest in order if digest not in made]
    for i, digest in enumerate(todo):
        tell = _part(progress, i, len(todo))
        setting = _evaluation_settings(found[digest])[0]
        made[digest] = _evaluated(found[digest], setting, [setting.rule_players], games, tell)
    seeds = [Seed(found[d], numbers[d], _at_rule(made[d])) for d in order]
    return seeds, choose([seed.evaluation for seed in seeds])


def print_choice(seeds: Sequence[Seed], chosen: int, console: Console) -> None:
    """The rule, the seeds side by side, and the folder that it chooses."""
    game = get_game(seeds[chosen].evaluation.game)
    console.print(Text(rule(game) + "\n"))
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for heading in ("seed", "folder", "smallest margin", "in the field"):
        table.add_column(heading, overflow="fold")
    for i, seed in enumerate(seeds):
        facts = seed.to_dict(i == chosen)
        cells = str(seed.seed), str(seed.folder), f"{facts['margin']:+.4f}", facts["field"]
        table.add_row(*map(Text, cells))
    console.print(table)
    console.print(Text(f"Chosen: {seeds[chosen].folder}"), soft_wrap=True)


def _part(progress: Progress | None, part: int, parts: int) -> Progress | None:
    """`progress` for one of several equal parts."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, parts * total)


def _at_rule(evaluation: Evaluation) -> Evaluation:
    """Its rows at the rule's number of players."""
    players = _rule_players(evaluation)
    alone, beaten = (
        [row for row in rows if row.players == players]
        for rows in (evaluation.one_v_rest, evaluation.rest_v_one)
    )
    return replace(evaluation, one_v_rest=alone, rest_v_one=beaten)


def _config(folder: Path) -> tuple[dict[str, Any], TrainConfig]:
    """The `config.yaml` of a checkpoint, and the config of its training."""
    config = read_config(folder)
    return config, training_config(config, folder)


def _hash(folder: Path) -> str:
    """The hash of a checkpoint's weights.

    Raises:
        CheckpointError: the folder has none.
    """
    try:
        return hashlib.sha256((folder / MODEL).read_bytes()).hexdigest()
    except OSError as error:
        raise CheckpointError(f"{folder} is no checkpoint (no {MODEL}).") from error


def _evaluation_settings(folder: Path) -> tuple[EvaluationSetting, ...]:
    """The forms of the game in which the checkpoint is judged."""
    return get_game(read_config(folder)["game"]["name"]).evaluation_settings


def _evaluated(
    folder: Path,
    setting: EvaluationSetting,
    players: Sequence[int],
    games: int | None,
    progress: Progress | None,
) -> Evaluation:
    """The evaluation against all baselines, on the options that the network was trained with.

    The setting's own options go first. Rows name it as `card_name` does, so that no path of this
    machine gets into a card.
    """
    config = read_config(folder)
    options = {k: v for k, v in config["game"]["options"].items() if k != "num_players"}
    options.update(setting.options)
    made = evaluate(
        str(folder.resolve()),
        None,
        config["game"]["name"],
        players,
        games or setting.games,
        options=options,
        progress=progress,
    )
    name = card_name(folder)
    return replace(
        made,
        one_v_rest=[replace(row, agent=name) for row in made.one_v_rest],
        rest_v_one=[replace(row, agent=name) for row in made.rest_v_one],
    )


def card_name(folder: Path) -> str:
    """The name that finds the folder on any machine, else its last part."""
    path = folder.resolve()
    for root in reversed(data_folders()):
        if path.is_relative_to(root.resolve()) and path != root.resolve():
            return path.relative_to(root.resolve()).as_posix()
    return path.name


def write_card(
    folder: str | Path,
    players: Sequence[int] | None = None,
    games: int | None = None,
    seeds: Sequence[str | Path] = (),
    progress: Progress | None = None,
) -> list[Evaluation]:
    """Evaluate a checkpoint and write its card; what training wrote in results.json is kept.

    Args:
        folder: the checkpoint.
        players: numbers of players; by default those of each setting at which it was trained.
        games: of each row; by default as many as each setting says.
        seeds: folders of the other training seeds; the card's own may be among them.
        progress: told (games finished, games in all), now and then; first of the card's
            evaluations, then of the seeds.

    Returns:
        The evaluation of each setting of the game.

    Raises:
        CheckpointError: a folder is no checkpoint that can be used.
        ValueError: the folder can't be written to, or matplotlib is missing.
    """
    folder, name = Path(folder), card_name(Path(folder))
    digest, (config, training) = _hash(folder), _config(Path(folder))
    results = read_results(folder)
    if not os.access(folder, os.W_OK):
        raise ValueError(f"the folder {folder} can't be written to.")
    watched, curve = training.evaluation, results.get("curve", [])
    game = get_game(config["game"]["name"])
    picture = card_text.draw_curves(curve, watched.players, watched.games) if curve else None
    command = _command(name, players, games, seeds)
    evaluation_settings, evaluations = _evaluation_settings(folder), []
    for i, setting in enumerate(evaluation_settings):
        tell = _part(progress, i, len(evaluation_settings))
        at = players or _players(setting, training)
        evaluations.append(_evaluated(folder, setting, at, games, tell))
    titles = [setting.title for setting in evaluation_settings]
    results["evaluation"] = evaluations[0].to_dict()
    results["further_evaluations"] = {
        title: made.to_dict() for title, made in zip(titles[1:], evaluations[1:], strict=True)
    }
    parts = [
        card_text.introduction(name, config, training),
        card_text.training_section(folder, config, training, results),
        card_text.strength_section(dict(zip(titles, evaluations, strict=True)), command),
    ]
    if picture is not None:
        parts.append(card_text.curve_section(CURVES, training))
    if seeds:
        there = _rule_players(evaluations[0]) in evaluations[0].options
        known = {digest: evaluations[0]} if there else {}
        compared, chosen = choose_seed([folder, *seeds], games, known=known, progress=progress)
        results["seeds"] = [seed.to_dict(i == chosen) for i, seed in enumerate(compared)]
        parts.append(card_text.seeds_section(rule(game), results["seeds"], training.seed))
    if "report" in results:  # of `lowhand report --cards`
        parts.append(card_text.report_section(results["report"]))
    parts.append(card_text.limitations_section(training))
    write_results(folder, results)
    if picture is not None:
        write_atomically(folder / CURVES, picture)
    write_atomically(folder / CARD, "\n".join(parts).encode())
    return evaluations


def _players(setting: EvaluationSetting, training: TrainConfig) -> list[int]:
    """A setting's numbers of players at which the agent was trained; if none, all of those."""
    trained = set(training.game.players)
    return sorted(trained & set(setting.players)) or sorted(trained)


def _command(
    name: str,
    players: Sequence[int] | None,
    games: int | None,
    seeds: Sequence[str | Path],
) -> str:
    """The command that writes the same card."""
    words = ["lowhand", "card", name]
    words += ["--players", *map(str, players)] if players else []
    words += ["--games", str(games)] if games else []
    if seeds:
        words += ["--seeds", *(card_name(Path(folder)) for folder in seeds)]
    return shlex.join(words)


def read_results(folder: Path) -> dict[str, Any]:
    """What stands in results.json; nothing if there is none."""
    try:
        results = json.loads((folder / RESULTS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise CheckpointError(f"{folder}: {RESULTS} can't be read ({error}).") from error
    if not isinstance(results, dict):
        raise CheckpointError(f"{folder}: {RESULTS} holds no results.")
    return results
