"""What a report puts into model cards."""

import json

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")
pytest.importorskip("jinja2")
pytest.importorskip("matplotlib")

from lowhand_training.cli.main import main
from lowhand_training.publish.model_card import write_card, write_results_and_card
from tests.publish.test_model_card import FEW, checkpoint


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A checkpoint with a card, its bound, and a report of it that was put into the card."""
    base = tmp_path_factory.mktemp("cards")
    mine = checkpoint(base / "mine")
    write_card(mine, **FEW)
    bound = {"game": "no_thanks", "agent": str(mine), "players": 3, "utility": "win"}
    bound |= {"lower_bound": 0.25, "ci95": [0.2, 0.3], "attacker": "learned", "games": 3000}
    (mine / "exploit.json").write_text(json.dumps(bound), encoding="utf-8")
    words = ["report", "random", "greedy", str(mine), "--out", str(base / "out"), "--games", "600"]
    assert main([*words, "--processes", "1", "--sizes", "XS", "--cards"]) == 0
    return mine, json.loads((base / "out" / "report.json").read_text(encoding="utf-8"))


def test_the_card_has_the_figures_of_the_report(made):
    folder, facts = made
    text = (folder / "README.md").read_text(encoding="utf-8")
    section = " ".join(text.partition("## In the report")[2].partition("## ")[0].split())
    (place,) = (i for i, r in enumerate(facts["ratings"]["rows"], 1) if r["agent"] == str(folder))
    row = facts["ratings"]["rows"][place - 1]
    assert facts["command"] in section
    assert f"Rated {row['rating']:.0f} [{row['low']:.0f}, {row['high']:.0f}]" in section
    assert f"place {place} of 3" in section
    (solved,) = (r for r in facts["exploitability"]["reduced"] if r["agent"] == str(folder))
    assert f"{solved['values'][0]:.2f} on XS" in section
    assert "gains 0.250 [0.200, 0.300] over the agent in its place, in share of the wins" in section
    assert text.index("## In the report") < text.index("## Limitations")


def test_a_second_report_replaces_the_first(made):
    folder, _ = made
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    before = (folder / "README.md").read_text(encoding="utf-8")
    changed = {**results["report"], "rating": 1234.0}
    write_results_and_card(folder, {**results, "report": changed})
    after = (folder / "README.md").read_text(encoding="utf-8")
    assert after.count("## In the report") == 1
    assert "Rated 1234 [" in after
    write_results_and_card(folder, results)
    assert (folder / "README.md").read_text(encoding="utf-8") == before


def test_a_card_that_is_written_anew_keeps_the_figures(made):
    folder, _ = made
    before = (folder / "README.md").read_text(encoding="utf-8")
    write_card(folder, **FEW)
    assert (folder / "README.md").read_text(encoding="utf-8") == before


def test_a_checkpoint_without_a_card_is_told_of(tmp_path):
    folder = checkpoint(tmp_path / "mine")
    with pytest.raises(ValueError, match="has no model card yet"):
        write_results_and_card(folder, {"report": {}})


def test_options_that_are_usual_are_called_so(tmp_path):
    words = ["report", "random", "greedy:7", "--game", "least_score", "--players", "2"]
    words += ["--options", "points_limit=null", "--games", "40", "--sizes"]
    for options, said in ([], "points_limit=None"), (["tie=wrong"], "points_limit=None, tie=wrong"):
        out = tmp_path / said
        at = words.index("--games")
        assert main([*words[:at], *options, *words[at:], "--out", str(out)]) == 0
        facts = json.loads((out / "report.json").read_text(encoding="utf-8"))
        assert f"; {said}. Intervals" in facts["subtitle"]
