"""Every block of code of the tutorials runs as its reader would run it: see `tutorials.py`."""

import json
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

from lowhand.games import GAMES
from lowhand_training.cli import main as cli
from tests.docs.tutorials import ROOT, Block, _changed, blocks, run_command, run_page

DOCS = ROOT / "docs"
PAGES = [
    *(DOCS / name for name in ("index.md", "rules.md", "strength.md", "benchmarks.md")),
    *sorted((DOCS / "tutorials").glob("*.md")),
]
OWN_TEST = ("own_ppo.md", "add_a_game.md")
NEED = {"train.md": ("torch",), "evaluate.md": ("scipy", "pyarrow")}


@pytest.fixture
def reader(tmp_path, monkeypatch):
    """A reader's folder, whose modules and games are forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    modules, games, environments = set(sys.modules), set(GAMES), set(gymnasium.registry)
    yield tmp_path
    for name in set(sys.modules) - modules:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(tmp_path)):
            del sys.modules[name]
    for name in set(GAMES) - games:
        del GAMES[name]
    for name in set(gymnasium.registry) - environments:
        del gymnasium.registry[name]


@pytest.mark.parametrize(
    "page", [path for path in PAGES if path.name not in OWN_TEST], ids=lambda path: path.name
)
def test_a_page_runs_from_the_top(page, reader):
    for library in NEED.get(page.name, ()):
        pytest.importorskip(library)
    run_page(page)


def test_your_own_ppo_trains_and_is_an_agent(reader, capsys):
    pytest.importorskip("torch")
    run_page(DOCS / "tutorials" / "own_ppo.md")
    assert "of the games won, fair is 0.333" in capsys.readouterr().out
    assert (reader / "my_ppo.pt").is_file()


def test_an_added_game_trains_and_is_played(reader):
    pytest.importorskip("torch")
    namespace = run_page(DOCS / "tutorials" / "add_a_game.md")
    assert set(namespace["batch"].num_players) == {2, 3, 4}
    found = reader / "found.json"
    evaluate = f"evaluate runs/draw_once --against random --games 6000 --json {found}"
    assert cli.main(evaluate.split()) == 0
    (row,) = json.loads(found.read_text())["one_v_rest"]
    assert row["ci95"][0] > 1 / 3, "it has learned to beat random players."
    states = namespace["batch"].states
    assert np.isin(states["choice"], (0, 1, 2)).all()


def test_changes_for_tests_are_made_and_mistakes_in_them_are_noticed():
    mark = "<!-- in tests: N = 10 -> N = 2 -->"
    page = f'{mark}\n\n```python title="a.py"\nM, N = 5, 10\nN = 10\n```\n'
    (block,) = blocks(page)
    assert (block.title, block.language, block.line) == ("a.py", "python", 3)
    assert _changed(block) == "M, N = 5, 10\nN = 2\n"
    with pytest.raises(AssertionError, match="must stand once"):
        _changed(Block("python", None, "N = 11\n", 0, block.mark))
    with pytest.raises(AssertionError, match="is to be run"):
        run_command("lowhand evaluate greedy", "not run, for no reason")
    with pytest.raises(AssertionError, match="do not know"):
        run_command("rm -r runs", "")


def test_a_command_that_fails_fails_the_page(reader):
    Path("page.md").write_text("```bash\nlowhand evaluate nobody_of_this_name\n```\n")
    with pytest.raises(AssertionError, match="failed"):
        run_page(Path("page.md"))
