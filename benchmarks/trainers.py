"""Our trainer and sb3-contrib's MaskablePPO: the same config, budget and opponents.

    python benchmarks/trainers.py [--decisions N] [--seeds N] [--games N] [--json FILE]

Each trains by configs/maskable_ppo.yaml, where only `algorithm` and the seed differ, in a process
and with a thread of its own; then its agent meets fields of others as in `lowhand evaluate`.
Speeds are decisions of the learner per second of the clock, and per second of processor time,
which other work on the machine disturbs less. Intervals are of the evaluation, at 95 %; seeds of
the training show how far runs differ.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

import machine

CONFIG = Path(__file__).parent.parent / "configs" / "maskable_ppo.yaml"
ALGORITHMS = "ppo", "maskable_ppo"
OPPONENTS = "connector", "sally", "blocker:9"
PLAYERS = 3


def train(algorithm: str, seed: int, decisions: int, folder: Path) -> dict[str, Any]:
    """Train in a process of its own; what it says of itself in results.json."""
    keys = {"algorithm": algorithm, "seed": seed, "decisions": decisions, "out": folder}
    changes = [word for key, value in keys.items() for word in (f"--{key}", str(value))]
    quiet = ["--evaluation.opponents", "[]", "--tensorboard", "false"]
    command = [sys.executable, "-m", "lowhand_training", "train", "--config", str(CONFIG)]
    subprocess.run([*command, *changes, *quiet], check=True, stdout=subprocess.DEVNULL)
    results: dict[str, Any] = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return results


def judge(folder: Path, games: int) -> dict[str, dict[str, Any]]:
    """Win shares and intervals: the agent alone against each opponent, and each against it."""
    from lowhand_training.evaluation.evaluation import evaluate

    found = evaluate(str(folder), OPPONENTS, "no_thanks", (PLAYERS,), games)
    rows = {f"alone v {row.opponent}": row for row in found.one_v_rest}
    rows |= {f"{row.opponent} alone": row for row in found.rest_v_one}
    return {name: {"win_share": row.win_share, "ci95": row.ci95} for name, row in rows.items()}


def measure(arguments: argparse.Namespace, console: Console) -> list[dict[str, Any]]:
    """One entry for each algorithm and seed. Seeds take turns, so that noise meets both."""
    entries = []
    with tempfile.TemporaryDirectory() as place:
        for seed in range(arguments.seeds):
            for algorithm in ALGORITHMS:
                folder = Path(place) / f"{algorithm}-{seed}"
                results = train(algorithm, seed, arguments.decisions, folder)
                entry = {
                    "algorithm": algorithm,
                    "seed": seed,
                    "decisions": results["decisions"],
                    "games": arguments.games,
                    "decisions_per_s": results["decisions"] / results["seconds"],
                    "decisions_per_cpu_s": results["decisions"] / results["cpu_seconds"],
                    "fields": judge(folder, arguments.games),
                }
                entries.append(entry)
                console.print(f"{algorithm}, seed {seed}: done.", highlight=False)
    return entries


def table(entries: list[dict[str, Any]]) -> Table:
    """One column a run, those of an algorithm side by side."""
    entries = sorted(entries, key=lambda entry: ALGORITHMS.index(entry["algorithm"]))
    made = Table(title="No Thanks!, 3 players, fair 0.333", box=box.SIMPLE_HEAD, pad_edge=False)
    made.add_column("")
    for entry in entries:
        made.add_column(f"{entry['algorithm']}\nseed {entry['seed']}", justify="right")
    for key, words in (("decisions_per_s", "decisions/s"), ("decisions_per_cpu_s", "a CPU second")):
        made.add_row(words, *(f"{entry[key]:,.0f}" for entry in entries))
    for name in entries[0]["fields"]:
        cells = []
        for entry in entries:
            low, high = entry["fields"][name]["ci95"]
            cells.append(f"{entry['fields'][name]['win_share']:.3f} ±{(high - low) / 2:.3f}")
        made.add_row(name, *cells)
    return made


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--decisions", type=int, default=2_000_000, help="(default 2,000,000)")
    parser.add_argument("--seeds", type=int, default=2, help="of the training (default 2)")
    parser.add_argument("--games", type=int, default=20_000, help="a field (default 20,000)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures to FILE")
    arguments = parser.parse_args()
    if min(arguments.decisions, arguments.seeds, arguments.games) < 1:
        parser.error("--decisions, --seeds and --games must be at least 1")
    machine.use_one_thread()
    console = Console()
    entries = measure(arguments, console)
    console.print(table(entries))
    if arguments.json:
        figures = {"runs": entries, "machine": machine.describe()}
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
