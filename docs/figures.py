"""The tables of measured figures, from the JSON files that commands of this project wrote."""

import json
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
DEALS = "nash_conv_least_score.json"


def table(headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    lines = [headings, ("---",) * len(headings), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)


def nash_convs(name: str) -> str:
    """A table of NashConv, agents by sizes, of what `lowhand solve --json` wrote.

    A row is of a size and an agent, or of a size and a list of agents.
    """
    found = json.loads((FOLDER / "data" / name).read_text(encoding="utf-8"))
    rows = [{**row, **agent} for row in found for agent in row.get("agents", [{}])]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    agents = list(dict.fromkeys(row["agent"] for row in rows))
    cells = {(row["agent"], row["size"]): f"{row['nash_conv']:.2f}" for row in rows}
    return table(
        ("agent", *sizes),
        [(f"`{agent}`", *(cells.get((agent, size), "–") for size in sizes)) for agent in agents],
    )


def solved_deals() -> str:
    """The table of Least Score's sizes, of what `lowhand solve --json` wrote."""
    found = json.loads((FOLDER / "data" / DEALS).read_text(encoding="utf-8"))
    return table(
        ("size", "information sets", "nodes", "value", "exploitability"),
        [
            (
                row["size"],
                f"{row['infosets']:,}",
                f"{row['nodes']:,}",
                f"{row['value']:+.4f}",
                f"{row['exploitability']:.1e}",
            )
            for row in found
        ],
    )


def _written(name: str) -> dict[str, Any]:
    """A published agent's results.json."""
    path = FOLDER.parent / "checkpoints" / name / "results.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _results(name: str, setting: str | None = None) -> dict[str, Any]:
    """The evaluation in a published agent's results.json: of the first setting, or of `setting`."""
    results = _written(name)
    further: dict[str, Any] = results["further_evaluations"]
    return dict(results["evaluation"] if setting is None else further[setting])


def _share(row: dict[str, Any]) -> str:
    low, high = row["ci95"]
    return f"{row['win_share']:.3f} [{low:.3f}, {high:.3f}]"


def _scores(row: dict[str, Any]) -> str:
    return f"{row['mean_score']:.1f} v {row['rest_mean_score']:.1f}"


def strength(name: str, players: int, setting: str | None = None) -> str:
    """The published agent against every baseline, and the reverse, at so many players."""
    found, rows = _results(name, setting), []
    for alone, beaten in zip(found["one_v_rest"], found["rest_v_one"], strict=True):
        if alone["players"] == players:
            cells = (_share(alone), _scores(alone), _share(beaten), _scores(beaten))
            rows.append((f"`{alone['opponent']}`", *cells))
    copies = f"{players - 1} cop{'y' if players == 2 else 'ies'}"
    games = next(r["games"] for r in found["one_v_rest"] if r["players"] == players)
    headings = ("opponent", "agent alone", "scores", "opponent alone", "scores")
    lead = f"{players} players, {games:,} games a field, one against {copies}; fair is"
    return f"{lead} {1 / players:.3f}:\n\n{table(headings, rows)}"


def worst(name: str) -> str:
    """The published agent's worst field at every number of players."""
    found, rows = _results(name), []
    for players in map(int, found["options"]):
        alone, beaten = (
            [row for row in found[kind] if row["players"] == players]
            for kind in ("one_v_rest", "rest_v_one")
        )
        low = min(alone, key=lambda row: row["win_share"])
        high = max(beaten, key=lambda row: row["win_share"])
        rows.append(
            (
                str(players),
                f"{1 / players:.3f}",
                f"{_share(low)}, `{low['opponent']}`",
                f"{low['win_share'] * players:.2f}",
                f"{_share(high)}, `{high['opponent']}`",
            )
        )
    headings = ("players", "fair share", "agent alone, worst opponent", "÷ fair")
    return table((*headings, "opponent alone, best opponent"), rows)


def reports() -> str:
    """What the reports found of both published agents."""
    rows = []
    for name in ("no_thanks", "least_score"):
        found = _written(name)["report"]
        low, high = found["ci95"]
        solved = ", ".join(f"{value:.2f} ({size})" for size, value in found["nash_conv"].items())
        bound = found["bounds"][0]
        gain = f"{bound['bound']:.3f} [{bound['low']:.3f}, {bound['high']:.3f}]"
        rows.append(
            (
                f"`checkpoints/{name}`",
                f"{found['rating']:.0f} [{low:.0f}, {high:.0f}]",
                f"{found['place']} of {found['agents']} at {found['players']} players",
                f"{found['maximal_lottery']:.2f}",
                solved,
                f"{gain} at {bound['players']} players",
            )
        )
    headings = ("agent", "rating", "place", "maximal lottery", "NashConv on reduced games")
    return table((*headings, "exploited by at least"), rows)


OURS = {
    "batch+obs": "batch engine, 4096 games, observations and masks",
    "batch": "the same without observations",
    "aec": "PettingZoo AEC, `last()` + `step()`, all checks",
}
PEERS = {
    "no_thanks": {
        "pettingzoo/leduc_holdem": "PettingZoo leduc_holdem",
        "rlcard/leduc_holdem": "RLCard leduc_holdem",
        "rlcard/uno": "RLCard uno",
        "openspiel/leduc_poker": "OpenSpiel leduc_poker, from Python",
        "openspiel/hearts": "OpenSpiel hearts, from Python",
        "openspiel/crazy_eights": "OpenSpiel crazy_eights, from Python",
        "pgx/leduc_holdem": "Pgx leduc_holdem, batched",
    },
    "least_score": {
        "rlcard/gin_rummy": "RLCard gin-rummy",
        "openspiel/gin_rummy": "OpenSpiel gin_rummy, from Python",
        "pgx/sparrow_mahjong": "Pgx sparrow_mahjong, batched",
    },
}


def _measured() -> dict[str, Any]:
    """What `benchmarks/throughput.py --json` wrote."""
    path = FOLDER / "data" / "throughput.json"
    return dict(json.loads(path.read_text(encoding="utf-8")))


def _speeds() -> dict[str, float]:
    return {row["name"]: row["decisions_per_s"] for row in _measured()["rows"]}


def _rate(speed: float) -> str:
    return f"{speed / 1e6:.1f} M" if speed >= 1e6 else f"{speed / 1e3:.0f} k"


def _ratio(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def speed(game: str) -> str:
    """Decisions a second of our engine and of its peers, and the ratios."""
    speeds, prefix = _speeds(), "" if game == "no_thanks" else f"{game}/"
    batch, aec = speeds[f"{prefix}batch+obs"], speeds[f"{prefix}aec"]
    named = {prefix + name: f"**{told}**" for name, told in OURS.items()} | PEERS[game]
    return table(
        ("", "decisions/s", "our batch engine ÷ it", "our AEC ÷ it"),
        [
            (told, _rate(speeds[name]), _ratio(batch / speeds[name]), _ratio(aec / speeds[name]))
            for name, told in named.items()
        ],
    )


HEADLINES = (
    ("batch+obs", "**lowhand, No Thanks!, batches with observations and masks**"),
    ("least_score/batch+obs", "**lowhand, Least Score, batches with observations and masks**"),
    ("pgx/leduc_holdem", "Pgx leduc_holdem, batches"),
    ("pgx/sparrow_mahjong", "Pgx sparrow_mahjong, batches"),
    ("openspiel/crazy_eights", "OpenSpiel crazy_eights, from Python"),
    ("openspiel/gin_rummy", "OpenSpiel gin_rummy, from Python"),
    ("aec", "**lowhand, No Thanks!, PettingZoo AEC**"),
    ("least_score/aec", "**lowhand, Least Score, PettingZoo AEC**"),
    ("pettingzoo/leduc_holdem", "PettingZoo leduc_holdem, AEC"),
)


def headline_speeds() -> str:
    """Our engines and the fastest of each kind of peer, for the README."""
    speeds = _speeds()
    rows = [(told, _rate(speeds[name])) for name, told in HEADLINES]
    return table(("one core, random legal play", "decisions/s"), rows)


TRAININGS = {
    "train": "No Thanks!",
    "least_score/train": "Least Score",
    "sb3/maskable_ppo": "No Thanks!, by MaskablePPO",
}


def training_speed() -> str:
    """Decisions of the learner a second."""
    rows = {row["name"]: row for row in _measured()["rows"]}
    return table(
        ("game", "decisions/s", "how"),
        [
            (told, _rate(rows[name]["decisions_per_s"]), rows[name]["method"])
            for name, told in TRAININGS.items()
        ],
    )


def speed_machine() -> str:
    """Where it was measured."""
    found = _measured()
    machine, settings = found["machine"], found["settings"]
    return textwrap.fill(
        f"Measured on {machine['cores']} cores of an {machine['cpu']}, Python {machine['python']},"
        f" NumPy {machine['numpy']}, Numba {machine['numba']}: medians of"
        f" {settings['repetitions']} repetitions. Batches, PettingZoo's environment and most peers"
        " play at tables of four where their game allows it.",
        100,
    )


def trainers() -> str:
    """What benchmarks/trainers.py found: a row for each measure, a column for each trainer."""
    found = json.loads((FOLDER / "data" / "trainers.json").read_text(encoding="utf-8"))
    runs: dict[str, list[Any]] = {}
    for run in found["runs"]:
        runs.setdefault(run["algorithm"], []).append(run)
    # Of the clock's seconds, which stand in the file too, a busy machine takes many away.
    speeds = [[run["decisions_per_cpu_s"] for run in made] for made in runs.values()]
    rows = [
        (
            "decisions in a second of one processor",
            *(_mean_and_range(speed, ",.0f") for speed in speeds),
        )
    ]
    for name in found["runs"][0]["fields"]:
        shares = [[run["fields"][name]["win_share"] for run in made] for made in runs.values()]
        rows.append((name, *(_mean_and_range(share, ".3f") for share in shares)))
    headings = ("No Thanks!, 3 players", *(f"`{name}`" for name in runs))
    first, seeds = found["runs"][0], len(found["runs"]) // len(runs)
    told = (
        f"{first['decisions']:,} decisions, one thread each, {seeds} seeds: mean, and the least"
        f" and the most of a seed. Win shares are of {first['games']:,} games a field; the fair"
        " share is 0.333."
    )
    return table(headings, rows) + "\n\n" + textwrap.fill(told, 100)


def _mean_and_range(values: Sequence[float], form: str) -> str:
    mean = sum(values) / len(values)
    return f"{mean:{form}} ({min(values):{form}} … {max(values):{form}})"
