"""Which of several training seeds is published: the rule, and its application."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from lowhand.agents.network import read_config
from lowhand.engine.game import EvaluationSetting, Game
from lowhand.games import get_game
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.evaluation.results import Evaluation, Row, copies
from lowhand_training.publish.checkpoint_folder import card_name, training_config, weights_hash

Progress = Callable[[int, int], None]
"""Called now and then with the number of finished games and that of all games."""


def rule(game: Game) -> str:
    """Returns the rule by which one of the training seeds is published; ties go to the lower."""
    setting = game.evaluation_settings[0]
    return (
        "Of three training seeds, the one published is the one whose smallest margin is largest:"
        f" over all baselines at {setting.rule_players} players, in both fields, the margin is the"
        " lone agent's win share minus 1/n, and 1/n minus the lone opponent's win share; seeds are"
        f" evaluated with {setting.games:,} {setting.title} a row on deals fixed by the hash of"
        " each checkpoint."
    )


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
        """Returns its entry in results.json."""
        worst = smallest_margin(self.evaluation)
        opponent = worst.row.opponent
        lone, others = ("agent", opponent) if worst.alone else (opponent, "the agent")
        return {
            "seed": self.seed,
            "agent": worst.row.agent,
            "margin": worst.margin,
            "field": f"{lone} alone against {copies(worst.row.players)} of {others}",
            "win_share": worst.row.win_share,
            "ci95": list(worst.row.ci95),
            "games": worst.row.games,
            "published": published,
        }


def smallest_margin(evaluation: Evaluation) -> Margin:
    """Returns the smallest margin, by `rule`, of an evaluation of one agent.

    Raises:
        ValueError: it has no rows at the rule's number of players, or several agents.
    """
    players = rule_players(evaluation)
    fields = _at_rule(evaluation)
    margins = [
        Margin(row.margin if alone else -row.margin, alone, row)
        for alone, rows in ((True, fields.one_v_rest), (False, fields.rest_v_one))
        for row in rows
        if row.agent != row.opponent
    ]
    if not margins or len(evaluation.agents) != 1:
        raise ValueError(f"the rule needs rows of one agent at {players} players.")
    return min(margins, key=lambda margin: margin.margin)


def choose(evaluations: Sequence[Evaluation]) -> int:
    """Returns the index of the evaluation that `rule` chooses; of equal ones the first.

    Raises:
        ValueError: there is none, or they do not have the same opponents and games.
    """
    if not evaluations:
        raise ValueError("there is nothing to choose from.")
    compared = map(_at_rule, evaluations)
    fields = {
        json.dumps([(row.opponent, row.games) for row in found.one_v_rest + found.rest_v_one])
        for found in compared
    }
    if len(fields) > 1:
        raise ValueError("the evaluations to choose from must have the same opponents and games.")
    # Shares are sums of fractions: values that are equal but for rounding are a tie.
    margins = [round(smallest_margin(evaluation).margin, 12) for evaluation in evaluations]
    return margins.index(max(margins))


def rule_players(evaluation: Evaluation) -> int:
    """Returns the number of players at which the rule compares."""
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
        folders: folders of the checkpoints; those that hold the same network count once.
        games: games of each row; by default as many as the rule says.
        known: evaluations that exist already, by the hash of the network.
        progress: called with the number of finished games and that of all games.

    Returns:
        The seeds in ascending order, and the index of the chosen one.
    """
    found = {weights_hash(Path(folder)): Path(folder) for folder in reversed(folders)}
    numbers = {
        digest: training_config(read_config(folder), folder).seed
        for digest, folder in found.items()
    }
    order = sorted(found, key=numbers.__getitem__)
    evaluations = dict(known or {})
    missing = [digest for digest in order if digest not in evaluations]
    for i, digest in enumerate(missing):
        setting = get_game(read_config(found[digest])["game"]["name"]).evaluation_settings[0]
        part = part_of(progress, i, len(missing))
        players = [setting.rule_players]
        evaluations[digest] = evaluate_checkpoint(found[digest], setting, players, games, part)
    seeds = [Seed(found[key], numbers[key], _at_rule(evaluations[key])) for key in order]
    return seeds, choose([seed.evaluation for seed in seeds])


def part_of(progress: Progress | None, part: int, parts: int) -> Progress | None:
    """Returns a callback that reports one of several equal parts to `progress`."""
    if progress is None:
        return None
    return lambda done, total: progress(part * total + done, parts * total)


def _at_rule(evaluation: Evaluation) -> Evaluation:
    """Returns the evaluation with only its rows at the rule's number of players."""
    players = rule_players(evaluation)
    alone, beaten = (
        [row for row in rows if row.players == players]
        for rows in (evaluation.one_v_rest, evaluation.rest_v_one)
    )
    return replace(evaluation, one_v_rest=alone, rest_v_one=beaten)


def evaluate_checkpoint(
    folder: Path,
    setting: EvaluationSetting,
    players: Sequence[int],
    games: int | None,
    progress: Progress | None,
) -> Evaluation:
    """Evaluate against all baselines, with the options that the network was trained with.

    The setting's own options take precedence. Rows name the agent as `card_name` does, so that no
    path of this machine gets into a card.
    """
    trained = read_config(folder)["game"]
    options = {k: v for k, v in trained["options"].items() if k != "num_players"}
    made = evaluate(
        str(folder.resolve()),
        None,
        trained["name"],
        players,
        games or setting.games,
        options={**options, **setting.options},
        progress=progress,
    )
    name = card_name(folder)
    return replace(
        made,
        one_v_rest=[replace(row, agent=name) for row in made.one_v_rest],
        rest_v_one=[replace(row, agent=name) for row in made.rest_v_one],
    )
