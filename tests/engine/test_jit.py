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
from lowhand.engine.jit import stamp
from lowhand.engine.kernels_rows import deal_one, observe_one, score_rows, step_one
from lowhand.engine.rewards import OBJECTIVES
from lowhand.games.no_thanks import GAME
from tests.engine.test_rng import many_keys

PACKAGE = Path(lowhand.__file__).parent

# Scores a hand of each game by score_rows, which calls `score` of the game's rules, in other files.
SCORE_HANDS = """
import json
import numpy as np
from lowhand.engine.kernels_rows import score_rows
from lowhand.games import GAMES

results = {}
for name, fields in {"no_thanks": {"points": 30, "chips": 4}, "least_score": {"points": 7}}.items():
    game = GAMES[name]
    states, scores = np.zeros(1, game.state), np.zeros((1, 7))
    states["num_players"] = 2
    for field, value in fields.items():
        states[field][0, 0] = value
    before = sum(score_rows.stats.cache_hits.values())
    score_rows(game.options(num_players=2).rules(), states, scores)
    results[name] = [scores[0, 0], sum(score_rows.stats.cache_hits.values()) - before]
print(json.dumps(results))
"""
KEPT, COMPILED = 1, 0  # hits of the cache
RULES, KERNELS = "games/no_thanks/rules.py", "engine/kernels_rows.py"
SCORE = "np.float64(state.points[seat] - state.chips[seat])"


def run(script: str, source_root: Path, **environment: str) -> Any:
    """The JSON that `script` prints in a process of its own, with the package of `source_root`."""
    variables = {**os.environ, "PYTHONPATH": str(source_root), **environment}
    if not environment.get("NUMBA_CACHE_DIR"):
        variables.pop("NUMBA_CACHE_DIR", None)  # machine code lies beside the sources
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


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package whose `score_rows` is compiled for both games."""
    root = tmp_path_factory.mktemp("compiled")
    shutil.copytree(PACKAGE, root / "lowhand", ignore=shutil.ignore_patterns("__pycache__"))
    assert run(SCORE_HANDS, root) == {"no_thanks": [26, COMPILED], "least_score": [7, COMPILED]}
    return root


@pytest.fixture
def package(compiled: Path, tmp_path: Path) -> Path:
    """A copy of it, with its cache, that a test may edit."""
    shutil.copytree(compiled, tmp_path, dirs_exist_ok=True)
    return tmp_path / "lowhand"


def scores(package: Path) -> Any:
    return run(SCORE_HANDS, package.parent)


def test_an_edited_rule_takes_effect(package: Path) -> None:
    """The caller's file stays as it is: Numba's own cache would run the old machine code."""
    assert scores(package) == {"no_thanks": [26, KEPT], "least_score": [7, KEPT]}
    edit(package / RULES, SCORE, "np.float64(state.points[seat] - 2 * state.chips[seat])")
    # The other game's machine code stays.
    assert scores(package) == {"no_thanks": [22, COMPILED], "least_score": [7, KEPT]}
    assert scores(package) == {"no_thanks": [22, KEPT], "least_score": [7, KEPT]}
    edit(
        package / KERNELS,
        "= score(rules[0], states[i], seat)",
        "= -score(rules[0], states[i], seat)",
    )
    assert scores(package) == {"no_thanks": [-22, COMPILED], "least_score": [-7, COMPILED]}
    kept = list(package.rglob("kernels_rows.score_rows*.nbc"))
    assert len(kept) == 2  # one for each game: what is stale is replaced


def test_what_no_kernel_reads_recompiles_nothing(package: Path) -> None:
    """Docstrings, comments, the lines that they move, and functions that it does not call."""
    for path in package.rglob("*.py"):
        first, *rest = path.read_text().split('"""\n', 1)
        path.write_text(f'# A comment.\n\n{first}\n\nMore.\n"""\n' + "".join(rest))
    with (package / RULES).open("a") as rules:
        rules.write("\n\n@njit\ndef unused(state):\n    return state.moves\n")
    assert scores(package) == {"no_thanks": [26, KEPT], "least_score": [7, KEPT]}


@pytest.mark.parametrize(
    ("imported", "used"),
    [
        ("from lowhand.games.no_thanks.extra import PAIR", "PAIR[1]"),
        ("from lowhand.games.no_thanks import extra", "extra.factor(2)"),
    ],
)
def test_a_constant_of_another_module_takes_effect(package: Path, imported: str, used: str) -> None:
    """A module imported since the last run, and then an edit of it alone."""
    extra = package / "games" / "no_thanks" / "extra.py"
    extra.write_text(
        "from lowhand.engine.jit import njit\n\nFACTOR = 2\nPAIR = (1, FACTOR)\n\n\n"
        "@njit\ndef factor(more=FACTOR):\n    return FACTOR\n"
    )
    edit(package / RULES, "import numpy as np\n", f"import numpy as np\n\n{imported}\n")
    edit(package / RULES, SCORE, f"np.float64(state.points[seat] - {used} * state.chips[seat])")
    assert scores(package) == {"no_thanks": [22, COMPILED], "least_score": [7, KEPT]}
    assert scores(package) == {"no_thanks": [22, KEPT], "least_score": [7, KEPT]}
    edit(extra, "FACTOR = 2", "FACTOR = 3")
    assert scores(package) == {"no_thanks": [18, COMPILED], "least_score": [7, KEPT]}


# Rules of another package: the least that kernels of ours ask for.
RULES_ELSEWHERE = """
import json
from typing import NamedTuple
import numpy as np
from lowhand.engine import game
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import score_rows

Rules = np.dtype((np.record, np.dtype([("of_a_test", np.int64)])))
State = np.dtype((np.record, np.dtype([("num_players", np.int8), ("held", np.int64)])))

class Arrays(NamedTuple):
    rules: np.ndarray
    states: np.ndarray

@game.score.register(Rules)
@njit
def score(rules, state, seat):
    return np.float64(state.held + 1)

@njit
def score_in_tuple(arrays):
    return game.score(arrays.rules[0], arrays.states[0], 0)

states, scores = np.zeros(1, State), np.zeros((1, 2))
states["num_players"] = 2
score_rows(np.zeros(1, Rules), states, scores)
inside = score_in_tuple(Arrays(np.zeros(1, Rules), states))
hits = [sum(kernel.stats.cache_hits.values()) for kernel in (score_rows, score_in_tuple)]
print(json.dumps({"scores": [scores[0, 0], inside], "hits": hits}))
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

    assert score() == {"scores": [1, 1], "hits": [0, 0]}
    assert score() == {"scores": [1, 1], "hits": [1, 1]}
    edit(rules, "state.held + 1", "state.held + 2")
    assert score() == {"scores": [2, 2], "hits": [0, 0]}


SOURCE = """
import numpy as np
CONSTANT, ARRAY, TABLE, THING = {constant}, np.arange({size}), ({{1, 2}}, [3]), {thing}
def inner(x):
    return x {operator} CONSTANT
def function(x, default={default}):
    "{docstring}"
    return [inner(y) for y in ARRAY] + [TABLE, THING, "{text}"]
"""
VALUES = {
    "constant": 1,
    "size": 3,
    "thing": "None",
    "operator": "+",
    "default": 1,
    "docstring": "A docstring.",
    "text": "some text",
}


def stamp_of(**changes: Any) -> str:
    namespace: dict[str, Any] = {"__name__": "a_module"}
    exec(SOURCE.format(**VALUES | changes), namespace)
    return stamp(namespace["function"], [])


@pytest.mark.parametrize(
    "change",
    [
        {"constant": 2},
        {"constant": 1.0},
        {"constant": True},
        {"size": 4},
        {"operator": "-"},
        {"default": 2},
        {"text": "another text"},
    ],
)
def test_the_stamp_changes_with_what_is_read(change: dict[str, Any]) -> None:
    assert stamp_of() == stamp_of(docstring="Another docstring.")
    assert stamp_of(**change) != stamp_of()


def test_the_stamp_of_something_unknown_is_never_the_same() -> None:
    """Better compiled in each process than stale."""
    assert stamp_of(thing="object()") != stamp_of(thing="object()")


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


HALVES = """
from typing import NamedTuple
from lowhand.engine.jit import njit

class Pair(NamedTuple):
    x: float
    y: float

@njit
def half(pair):
    return (pair.x + pair.y) / 2
"""


def test_a_class_of_a_cached_signature_may_be_renamed(tmp_path: Path) -> None:
    """Numba's index of the cache names the class, and could not be read after that."""
    script = "import halves, json; print(json.dumps(halves.half(halves.{}(1.0, 4.0))))"
    module = tmp_path / "halves.py"
    module.write_text(HALVES)
    assert run(script.format("Pair"), tmp_path) == 2.5
    module.write_text(HALVES.replace("Pair", "Couple"))
    assert run(script.format("Couple"), tmp_path) == 2.5
