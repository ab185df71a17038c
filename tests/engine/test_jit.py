"""The compile cache is never stale, and the rules run without compiling as well."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lowhand
from lowhand.engine.jit import source_stamp
from lowhand.engine.kernels_rows import deal_one, observe_one, score_rows, step_one
from lowhand.engine.rewards import OBJECTIVES
from lowhand.games.no_thanks import GAME
from tests.engine.test_rng import many_keys

PACKAGE = Path(lowhand.__file__).parent

# Scores a hand by kernels.score_rows, which calls no_thanks.rules.score in another file.
SCORE_A_HAND = """
import json, sys, time
import numpy as np
from lowhand.engine.kernels_rows import score_rows
from lowhand.games.no_thanks.rules import Options, State

states, scores = np.zeros(1, State), np.zeros((1, 7))
states["num_players"], states["points"][0, 0], states["chips"][0, 0] = 2, 30, 4
score_rows(Options(num_players=2).rules(), states, scores)
hits = sum(score_rows.stats.cache_hits.values())
print(json.dumps({"score": scores[0, 0], "hits": hits}))
"""


def run(script: str, source_root: Path, **environment: str) -> Any:
    """The JSON that `script` prints in a process of its own, with the package of `source_root`."""
    variables = {**os.environ, "PYTHONPATH": str(source_root), **environment}
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=variables,
        cwd=source_root,
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def test_an_edited_rule_takes_effect(tmp_path: Path) -> None:
    """The caller's file stays as it is: Numba's own cache would run the old machine code."""
    shutil.copytree(PACKAGE, tmp_path / "lowhand", ignore=shutil.ignore_patterns("__pycache__"))
    rules = tmp_path / "lowhand" / "games" / "no_thanks" / "rules.py"
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    assert run(SCORE_A_HAND, tmp_path, **cache) == {"score": 26, "hits": 0}
    assert run(SCORE_A_HAND, tmp_path, **cache) == {"score": 26, "hits": 1}
    edit(
        rules,
        "np.float64(state.points[seat] - state.chips[seat])",
        "np.float64(state.points[seat] - 2 * state.chips[seat])",
    )
    assert run(SCORE_A_HAND, tmp_path, **cache) == {"score": 22, "hits": 0}
    assert run(SCORE_A_HAND, tmp_path, **cache) == {"score": 22, "hits": 1}


# Rules of another package: the least that score_rows, a kernel of ours, asks for.
RULES_ELSEWHERE = """
import json
import numpy as np
from lowhand import game
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import score_rows

Rules = np.dtype((np.record, np.dtype([("of_a_test", np.int64)])))
State = np.dtype((np.record, np.dtype([("num_players", np.int8), ("held", np.int64)])))

@game.score.register(Rules)
@njit
def score(rules, state, seat):
    return np.float64(state.held + 1)

states, scores = np.zeros(1, State), np.zeros((1, 2))
states["num_players"] = 2
score_rows(np.zeros(1, Rules), states, scores)
hits = sum(score_rows.stats.cache_hits.values())
print(json.dumps({"score": scores[0, 0], "hits": hits}))
"""


def test_edited_rules_of_another_package_take_effect(tmp_path: Path) -> None:
    """Our kernels are compiled for them and kept, though nothing of ours has changed."""
    cache = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    path = os.pathsep.join([str(PACKAGE.parent), str(tmp_path)])
    rules = tmp_path / "elsewhere" / "rules.py"
    rules.parent.mkdir()
    rules.write_text(RULES_ELSEWHERE)

    def score() -> Any:
        return run("import elsewhere.rules", tmp_path, PYTHONPATH=path, **cache)

    assert score() == {"score": 1, "hits": 0}
    assert score() == {"score": 1, "hits": 1}
    edit(rules, "state.held + 1", "state.held + 2")
    assert score() == {"score": 2, "hits": 0}


def test_the_stamp_changes_with_any_source(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.py").write_text("x = 1\n")
    stamps = {source_stamp.__wrapped__(tmp_path)}
    (tmp_path / "a" / "one.py").write_text("x = 2\n")
    stamps.add(source_stamp.__wrapped__(tmp_path))
    (tmp_path / "a" / "two.py").write_text("")
    stamps.add(source_stamp.__wrapped__(tmp_path))
    (tmp_path / "a" / "two.py").rename(tmp_path / "two.py")
    stamps.add(source_stamp.__wrapped__(tmp_path))
    (tmp_path / "notes.txt").write_text("no source")
    stamps.add(source_stamp.__wrapped__(tmp_path))
    assert len(stamps) == 4


def play_by_kernels() -> list[Any]:
    """A short game as a list of plain numbers: each position, what is seen, the scores."""
    options = GAME.options(num_players=3, low=3, high=12, removed=2, chips=4)
    rules, states = options.rules(), np.zeros(1, GAME.state)
    spec = GAME.observation(options, True, 4)
    observation, mask = np.zeros((1, spec.size), np.float32), np.zeros((1, 2), np.int8)
    scores, record, rewards = np.zeros((1, 7)), [], np.zeros((1, 3), np.float32)
    with np.errstate(over="ignore"):  # 64-bit random numbers wrap, which NumPy's scalars report
        deal_one(rules, states, np.uint64(3), np.uint64(1), np.uint64(2), 3)
        while not states["over"][0]:
            observe_one(rules, spec.layout, states, int(states["mover"][0]), observation, mask)
            record.append([states["chips"].tolist(), observation.tolist(), mask.tolist()])
            action = 0 if (len(record) * 7) % 5 < 3 and mask[0, 0] else 1
            step_one(rules, states, action, np.ones(len(OBJECTIVES)), rewards)
        score_rows(rules, states, scores)
    return [record, states["deck"].tolist(), scores.tolist(), rewards.tolist()]


def test_the_rules_run_without_compiling() -> None:
    script = "import json, tests.engine.test_jit as t; print(json.dumps(t.play_by_kernels()))"
    root = Path(__file__).parents[2]
    path = os.pathsep.join([str(PACKAGE.parent), str(root)])
    plain = run(script, root, NUMBA_DISABLE_JIT="1", PYTHONPATH=path)
    assert plain == play_by_kernels()
    assert len(plain[0]) > 15


def test_functions_of_other_packages_are_cached_too() -> None:
    """What tests or users compile with our `njit` lies in a cache folder of their own."""
    keys = np.zeros(1, np.uint64)
    many_keys(1, 1, 1, keys)
    if not hasattr(many_keys, "stats"):
        pytest.skip("nothing is compiled")
    assert Path(many_keys.stats.cache_path).exists()
