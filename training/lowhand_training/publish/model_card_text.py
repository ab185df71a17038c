"""What a model card says: its sections as Markdown, and the learning curve as a picture."""

import io
import json
import shlex
import statistics
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import yaml
from safetensors.numpy import load_file

from lowhand.agents.network import CheckpointError, trained_spec
from lowhand.games import get_game
from lowhand_training.common.catalogue import data_folders
from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.results import Evaluation, Row
from lowhand_training.trainer.checkpoint import MODEL
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.config_files import refuse_old_keys

_PER_RUN = ("out", "resume", "overwrite")  # keys that say where a run stands, not what it is

_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")  # Okabe and Ito, 2008

LIMITATIONS = """\
- Win shares against known players do not bound exploitability: an opponent made to beat this agent
  may do far better than any of those above. Nothing here was measured against people.
- With three or more players a win share belongs to a whole table. It says little about tables of
  mixed players, or of players who act together.
- The intervals are those of the games of this one network. What another training seed gives is not
  in them.
- It was trained for the options and numbers of players of its config. With fewer cards or other
  options it plays, perhaps badly; more players or other cards it refuses.
- The policy is random on purpose: each action is drawn from its probabilities, sharpened by the
  `temperature` of its config."""

_KNOWN_FAMILIES = """\
- Scripted players, many of the families above with other parameters, sat at the tables in training.
  Players of another kind are the harder test.
"""


def training_config(config: dict[str, Any], folder: Path) -> TrainConfig:
    """The resolved training config that a checkpoint's `config.yaml` holds.

    Raises:
        CheckpointError: it holds none, or one with other keys than ours.
    """
    refuse_old_keys(config.get("training"), f"{folder}: config.yaml")
    try:
        given = dict(config["training"])
        for field in fields(TrainConfig):
            if is_dataclass(field.type) and field.name in given:
                given[field.name] = field.type(**given[field.name])  # type: ignore[operator]
        return TrainConfig(**given)
    except (KeyError, TypeError, ValueError) as error:
        raise CheckpointError(f"{folder}: config.yaml has no config of a training.") from error


def training_command(config: TrainConfig) -> str:
    """The command that trains by `config`: the nearest config file, and what differs from it."""
    wanted = _flat(config.as_dict())
    bases = {"": TrainConfig().as_dict()}
    for root in data_folders():
        for path in sorted(root.glob("configs/*.yaml")):
            loaded = _with_defaults(path)
            if loaded is not None:
                bases.setdefault(path.relative_to(root).as_posix(), loaded)

    def changes(name: str) -> dict[str, Any]:
        base = _flat(bases[name])
        return {key: value for key, value in wanted.items() if value != base.get(key)}

    name = min(bases, key=lambda name: len(changes(name)))
    words = ["lowhand", "train"] + (["--config", name] if name else [])
    for key, value in changes(name).items():
        words += [f"--{key}", value if isinstance(value, str) else json.dumps(value)]
    return shlex.join([*words, "--out", f"runs/{Path(config.out).name}"])


def _with_defaults(path: Path) -> dict[str, Any] | None:
    """A config file completed by the defaults, as plain data; None if it is no config."""
    try:
        given = yaml.safe_load(path.read_text(encoding="utf-8"))
        whole = TrainConfig().as_dict()
        for key, value in given.items():
            whole[key] = {**whole[key], **value} if isinstance(whole[key], dict) else value
    except (OSError, ValueError, yaml.YAMLError, AttributeError, KeyError, TypeError):
        return None
    return whole


def _flat(config: dict[str, Any]) -> dict[str, Any]:
    """The keys as the command line names them, without those that say where a run stands."""
    flat = {}
    for key, value in config.items():
        if isinstance(value, dict):
            flat.update({f"{key}.{inner}": entry for inner, entry in value.items()})
        elif key not in _PER_RUN:
            flat[key] = value
    return flat


def draw_curves(curve: Sequence[dict[str, float]], players: int, games: int) -> bytes:
    """The win shares of the fields watched in training, over decisions, as a PNG.

    Raises:
        ValueError: matplotlib is not installed.
    """
    library = need("matplotlib.figure", "train")
    figure = library.Figure(figsize=(9.6, 4.4), dpi=110, layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    start = "alone against "
    opponents = [key.removeprefix(start) for key in curve[-1] if key.startswith(start)]
    copies = f"{players - 1} {'copy' if players == 2 else 'copies'}"
    for panel, pattern, title in (
        (panels[0], start + "{}", f"agent alone against {copies} of\nthe opponent (high is good)"),
        (panels[1], "{} alone", f"opponent alone against {copies} of\nthe agent (low is good)"),
    ):
        panel.set_title(title, fontsize=10)
        for i, opponent in enumerate(opponents):
            key = pattern.format(opponent)
            points = [(point["decisions"] / 1e6, point[key]) for point in curve if key in point]
            style = {"color": _COLOURS[i % 6], "linestyle": ("-", "--", ":")[i // 6 % 3]}
            panel.plot(*zip(*points, strict=True), **style, marker="o", ms=3, label=opponent)
        _finish_panel(panel, 1 / players)
    panels[0].set_ylabel("win share of the lone player")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(
        handles, labels, loc="outside lower center", ncols=min(4, len(labels)), frameon=False,
        fontsize=9, title=f"{players} players, {games:,} games a point", title_fontsize=9,
    )  # fmt: skip
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()


def _finish_panel(panel: Any, fair: float) -> None:
    """The line of the fair share, axes and grid."""
    grey = "#555555"
    panel.axhline(fair, color=grey, linewidth=1, linestyle=(0, (4, 3)))
    panel.text(
        0.995, fair, f"fair share {fair:.3f}", ha="right", va="bottom", color=grey, fontsize=8,
        transform=panel.get_yaxis_transform(),
    )  # fmt: skip
    panel.set_xlabel("decisions of the learner (millions)")
    panel.set_ylim(0, None)
    panel.grid(alpha=0.25)
    panel.spines[["top", "right"]].set_visible(False)


def introduction(name: str, config: dict[str, Any], training: TrainConfig) -> str:
    """What the agent is and how it is used."""
    game = get_game(config["game"]["name"])
    numbers = sorted(set(training.game.players))
    text = ", ".join(map(str, numbers[:-1])) + " or " * (len(numbers) > 1) + str(numbers[-1])
    league = [
        who
        for who, games in (
            ("copies of itself", training.league.self_play),
            ("past selves", training.league.snapshots),
            ("scripted players", training.league.scripted),
        )
        if games > 0.0
    ]
    about = f"""A network that plays `{game.name}`, version {game.version}, at tables of {text}
        players. It was trained by self-play (PPO) in a league of {", ".join(league)}.
        `lowhand card` wrote this page; everything measured on it is in `results.json` too."""
    return f"""\
# {name}

{_wrap(about)}

## Use

```python
import gymnasium
import lowhand

env = gymnasium.make("{env}", num_players={numbers[0]}, opponents="{name}")
```

    lowhand evaluate {name}
    lowhand play {name}

It plays with NumPy alone, and loading it unpickles nothing.
"""


def training_section(
    folder: Path, config: dict[str, Any], training: TrainConfig, results: dict[str, Any]
) -> str:
    """How it was trained, and what came of it but for the strength."""
    game = get_game(config["game"]["name"])
    spec = trained_spec(config, game, folder)
    weights = load_file(folder / MODEL)
    played = {k: w for k, w in weights.items() if not k.startswith("value.")}
    body = [w.shape[0] for k, w in played.items() if k.startswith("body.") and w.ndim == 2]
    widths = [spec.size, *body, game.num_actions(game.options(**config["game"]["options"]))]
    recall = "perfect recall" if spec.perfect_recall else "what the table shows now, no recall"
    megabytes = (folder / MODEL).stat().st_size / 1e6
    resolved = {k: v for k, v in training.as_dict().items() if k not in _PER_RUN}
    versions = ", ".join(f"{name} {number}" for name, number in config.get("versions", {}).items())
    facts = [
        _length(training, results),
        f"Network: a multilayer perceptron with ReLU, {' → '.join(map(str, widths))}; what plays"
        f" has {sum(w.size for w in played.values()):,} parameters. The file has {megabytes:.2f}"
        f" MB; {_value_of_training(training)}",
        f"Observation: {spec.size} numbers, {recall}, {spec.seats} seats; its fields stand in"
        " `config.yaml`.",
        f"Trained with {versions}.",
    ]
    return f"""\
## Training

    {training_command(training)}

{chr(10).join(_wrap(f"- {fact}", "  ") for fact in facts)}

The config, resolved:

```yaml
{yaml.safe_dump(resolved, sort_keys=False, allow_unicode=True).strip()}
```
"""


def _value_of_training(training: TrainConfig) -> str:
    """Where the value is that training needs and playing does not."""
    if training.network.critic:
        return "the critic, which in training saw the hidden hands as well, is not in it."
    return "it also holds the value head, which only training uses."


def _length(training: TrainConfig, results: dict[str, Any]) -> str:
    """How long the training was, as far as it is known."""
    if "decisions" not in results:
        return "How long it was trained is not recorded."
    decisions = results["decisions"]
    planned = training.updates * training.ppo.batch_size
    stopped = f" of {planned:,} planned: the run was stopped" if decisions < planned else ""
    threads = f"{training.threads} thread" + "s" * (training.threads > 1)
    seconds, speed = results.get("seconds", 0), results.get("decisions_per_s", 0)
    cpu = f", {results['cpu_seconds']:,.0f} s of the processor" if "cpu_seconds" in results else ""
    return (
        f"{decisions:,} decisions of the learner{stopped}, in {seconds:,.0f} s{cpu}"
        f" ({speed:,} a second) with {threads} for the network, evaluations apart. Training"
        f" seed {training.seed}."
    )


def strength_section(evaluations: Mapping[str, Evaluation], command: str) -> str:
    """The tables of each setting's evaluation: in short, then by number of players."""
    (first, *_) = evaluations.values()
    versions = first.to_dict()["versions"]
    made_with = ", ".join(f"{name} {number}" for name, number in versions.items())
    how = f"""Two fields for each opponent at a table of n players: the agent alone against n − 1
        copies of the opponent, and the opponent alone against n − 1 copies of the agent. Tied
        winners share a win, so 1/n is fair. The lone player sits at every seat equally often;
        intervals are of 95 %. The seed of a field's deals: {first.seeds}. Made with {made_with}."""
    parts = [f"## Strength\n\n    {command}\n\n{_wrap(how)}\n"]
    for title, evaluation in evaluations.items():
        parts.append(_contest_section(title, evaluation))
    return "\n".join(parts)


def _contest_section(title: str, evaluation: Evaluation) -> str:
    """One setting: the worst fields, then a table for each number of players."""
    tables = "\n".join(_strength_table(title, evaluation, n) for n in evaluation.options)
    head = f"""{title[0].upper()}{title[1:]}, {evaluation.games:,} of each field, rounded up to a
        multiple of n. The worst field by number of players:"""
    return f"{_wrap(head)}\n\n{_overview(evaluation)}\n{tables}"


def _overview(evaluation: Evaluation) -> str:
    lines = [
        "| players | fair share | alone it wins at least | × fair | against copies of"
        " | alone against it wins at most | × fair | who |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for n in evaluation.options:
        alone, beaten = (
            [row for row in rows if row.players == n and row.agent != row.opponent]
            for rows in (evaluation.one_v_rest, evaluation.rest_v_one)
        )
        low = min(alone, key=lambda row: row.win_share)
        high = max(beaten, key=lambda row: row.win_share)
        lines.append(
            f"| {n} | {1 / n:.3f} | {share(low)} | {low.win_share * n:.2f} | `{low.opponent}`"
            f" | {share(high)} | {high.win_share * n:.2f} | `{high.opponent}` |"
        )
    return "\n".join(lines) + "\n"


def _strength_table(title: str, evaluation: Evaluation, players: int) -> str:
    lines = [
        f"### {title[0].upper()}{title[1:]}, {players} players, fair share {1 / players:.3f}\n",
        "| opponent | agent alone: win share (95 %) | mean score v the copies'"
        " | opponent alone: win share (95 %) | mean score v the copies' |",
        "| --- | --- | --- | --- | --- |",
    ]
    for alone, beaten in zip(evaluation.one_v_rest, evaluation.rest_v_one, strict=True):
        if alone.players == players:
            cells = share(alone), _scores(alone), share(beaten), _scores(beaten)
            lines.append(f"| `{alone.opponent}` | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def share(row: Row) -> str:
    """A row's win share with its interval."""
    return f"{row.win_share:.3f} [{row.ci95[0]:.3f}, {row.ci95[1]:.3f}]"


def _scores(row: Row) -> str:
    return f"{row.mean_score:.1f} v {row.rest_mean_score:.1f}"


def curve_section(picture: str, training: TrainConfig) -> str:
    """The learning curve and what it shows."""
    watched = training.evaluation
    how = f"""A look every {watched.every} updates, {watched.games:,} games a point: at a share of
        one half its 95 % interval is about ±{1.96 * 0.5 / watched.games**0.5:.3f}."""
    return f"""\
## Learning curve

![Win shares of the fields watched in training, over decisions]({picture})

{_wrap(how)}
"""


def seeds_section(rule: str, seeds: Sequence[dict[str, Any]], own: int) -> str:
    """The training seeds side by side; `own` is the seed of the card's checkpoint."""
    lines = [
        "| training seed | smallest margin | in the field | win share of the lone player (95 %)"
        " | published |",
        "| --- | --- | --- | --- | --- |",
    ]
    for seed in seeds:
        low, high = seed["ci95"]
        lines.append(
            f"| {seed['seed']} | {seed['margin']:+.3f} | {seed['field']}"
            f" | {seed['win_share']:.3f} [{low:.3f}, {high:.3f}]"
            f" | {'yes' if seed['published'] else 'no'} |"
        )
    margins = [seed["margin"] for seed in seeds]
    chosen = next(seed["seed"] for seed in seeds if seed["published"])
    table = "\n".join(lines)
    verdict = (
        "" if chosen == own else f" **This one is seed {own}, which the rule does not choose.**"
    )
    outcome = f"""Median {statistics.median(margins):+.3f}, worst {min(margins):+.3f}, of
        {len(seeds)} seeds with {seeds[0]["games"]:,} games a row. The rule publishes seed
        {chosen}.{verdict}"""
    return f"""\
## Training seeds

{_wrap(f"{rule} A tie goes to the lower seed.")}

{table}

{_wrap(outcome)}
"""


def report_section(found: Mapping[str, Any]) -> str:
    """What `lowhand report` found of the agent; see `report_cards.figures`."""
    low, high = found["ci95"]
    anchor, players = found["anchor"], found["players"]
    facts = [
        f"Rated {found['rating']:.0f} [{low:.0f}, {high:.0f}] in mixed games at {players} players,"
        f" place {found['place']} of {found['agents']} (Plackett–Luce on the Elo scale, 95 %;"
        f" `{anchor['agent']}` has {anchor['rating']:.0f}). Its share of the maximal lottery is"
        f" {found['maximal_lottery']:.2f}."
    ]
    if found["nash_conv"]:
        sizes = ", ".join(f"{value:.2f} on {size}" for size, value in found["nash_conv"].items())
        facts.append(
            f"NashConv on reduced games, exact, in points: {sizes}. It was not trained on them;"
            " 0 is an equilibrium."
        )
    for bound in found["bounds"]:
        facts.append(
            f"An attacker alone among copies of it, found by `lowhand exploit`, gains"
            f" {bound['bound']:.3f} [{bound['low']:.3f}, {bound['high']:.3f}] over the agent in its"
            f" place, {_GAINS[bound['utility']]}, at {bound['players']} players"
            f" ({bound['games']:,} games): a best response gains as much or more."
        )
    bullets = "\n".join(_wrap(f"- {fact}", "  ") for fact in facts)
    return f"## In the report\n\n    {found['command']}\n\n{bullets}\n"


_GAINS = {"win": "in share of the wins", "score": "in points", "relative": "in points of lead"}


def _wrap(text: str, indent: str = "") -> str:
    """A paragraph of lines of at most 100 characters."""
    return textwrap.fill(
        " ".join(text.split()),
        100,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def limitations_section(training: TrainConfig) -> str:
    """What the numbers do not show."""
    families = _KNOWN_FAMILIES if training.league.scripted > 0.0 else ""
    return f"## Limitations\n\n{LIMITATIONS}\n{families}"
