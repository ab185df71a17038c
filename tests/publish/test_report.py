"""The report: facts from a tournament, on a page that needs no other file."""

import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("scipy")
pytest.importorskip("jinja2")

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import ScriptedAgent
from lowhand.games import get_game
from lowhand_training.cli.main import main
from lowhand_training.publish.checkpoint_folder import read_bounds
from lowhand_training.publish.report import heat, share
from lowhand_training.publish.timing import TABLES, decision_times, positions
from lowhand_training.solve.least_score import solver as least_score
from lowhand_training.solve.least_score.solver import solve_least_score
from lowhand_training.solve.no_thanks import solver as no_thanks
from lowhand_training.solve.registry import SOLVERS, default_sizes, reduced_nash_conv

AGENTS = ["greedy", "random", "connector", "threshold:4"]
EVIL = "tests.publish.test_report:Evil"
TWO_SEATS = "tests.publish.test_report:TwoSeats"


class Evil(ScriptedAgent):
    """A user's agent whose name would be markup, were it not escaped."""

    def __init__(self):
        super().__init__("<script>alert(1)</script>", make_agent("greedy", GAME).bot)


GAME = get_game("no_thanks")


class Cells(HTMLParser):
    """The text of every table cell, and what the page would load."""

    def __init__(self):
        super().__init__()
        self.cells, self.loads, self._in = [], [], False

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if tag in ("td", "th"):
            self._in = True
            self.cells.append("")
        self.loads += [given[k] for k in ("src", "href") if k in given]

    def handle_endtag(self, tag):
        self._in = self._in and tag not in ("td", "th")

    def handle_data(self, data):
        if self._in:
            self.cells[-1] += data.strip()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A report of a small tournament, by the command. Not to be changed."""
    out = tmp_path_factory.mktemp("reports") / "small"
    bounds = out.parent / "bounds.json"
    bounds.write_text(json.dumps(BOUND))
    words = ["report", *AGENTS, "--out", str(out), "--games", "600", "--processes", "1"]
    assert main([*words, "--sizes", "XS", "--bounds", str(bounds)]) == 0
    return out


BOUND = {
    "game": "no_thanks",
    "agent": "greedy",
    "players": 3,
    "utility": "win",
    "lower_bound": 0.41,
    "ci95": [0.39, 0.43],
    "attacker": "rollout",
    "games": 3000,
}


def test_the_page_says_what_the_json_says(folder):
    facts = json.loads((folder / "report.json").read_text())
    page = Cells()
    page.feed((folder / "report.html").read_text())
    for row in facts["ratings"]["rows"]:
        assert row["agent"] in page.cells
        assert f"{row['rating']:.0f}" in page.cells
    for value in facts["exploitability"]["reduced"][0]["values"]:
        assert f"{value:.2f}" in page.cells
    assert "+0.410" in page.cells
    shares = [cell["share"] for row in facts["matrix"]["cells"] for cell in row if cell]
    assert len(shares) == 12
    assert all(share(value) in page.cells for value in shares)


def test_the_page_needs_no_other_file(folder):
    page = Cells()
    page.feed((folder / "report.html").read_text())
    assert all(one.startswith("data:") for one in page.loads)
    assert "http" not in re.sub(r"data:\S+", "", (folder / "report.html").read_text())


def test_agents_stand_from_the_best_to_the_worst(folder):
    facts = json.loads((folder / "report.json").read_text())
    ratings = [row["rating"] for row in facts["ratings"]["rows"]]
    assert ratings == sorted(ratings, reverse=True)
    assert facts["ratings"]["rows"][-1]["agent"] == "random"
    assert facts["matrix"]["agents"] == [row["agent"] for row in facts["ratings"]["rows"]]


def test_a_report_goes_on_with_its_tournament_and_gives_the_same_figures(folder, tmp_path):
    folder = Path(shutil.copytree(folder, tmp_path / "copy"))
    before = json.loads((folder / "report.json").read_text())
    words = ["report", *AGENTS, "--out", str(folder), "--games", "600", "--sizes"]
    assert main(words) == 0
    after = json.loads((folder / "report.json").read_text())
    assert after["cross_table"] == before["cross_table"]
    assert after["rating_details"] == before["rating_details"]
    assert after["exploitability"]["reduced"] == []
    assert after["command"].endswith("--games 600 --sizes")


def test_names_of_agents_are_text_on_the_page(tmp_path):
    words = ["report", EVIL, "random", "greedy", "--out", str(tmp_path / "r"), "--games", "600"]
    assert main([*words, "--sizes"]) == 0
    assert "<script>alert" not in (tmp_path / "r" / "report.html").read_text()


@pytest.mark.parametrize(
    "content", ["{", "[1]", '{"agent": "greedy"}', json.dumps({**BOUND, "ci95": []})]
)
def test_bounds_that_cannot_be_read_are_refused(content, tmp_path):
    path = tmp_path / "bounds.json"
    path.write_text(content)
    with pytest.raises(ValueError, match="no file of `lowhand exploit --json`"):
        read_bounds(path, "no_thanks")


def test_bounds_of_another_game_are_refused(tmp_path):
    path = tmp_path / "bounds.json"
    path.write_text(json.dumps(BOUND))
    with pytest.raises(ValueError, match="another game than least_score"):
        read_bounds(path, "least_score")


def test_a_size_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="no size 'XXL' of no_thanks"):
        reduced_nash_conv("no_thanks", ["XXL"], ["greedy"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--sizes", "XXL"], "no size 'XXL' of no_thanks"),
        (["--bounds", "nowhere.json"], "nowhere.json is no file of"),
        (["--shapes", "mixed"], "name one_v_rest or rest_v_one among the shapes"),
    ],
)
def test_what_no_report_can_come_of_is_refused_before_the_tournament(tmp_path, capsys, words, told):
    out = tmp_path / "r"
    assert main(["report", *AGENTS, "--games", "60", "--out", str(out), *words]) == 2
    assert told in capsys.readouterr().err
    assert not out.exists()


class TwoSeats(Evil):
    """Plays with two only."""

    def incompatibility(self, options):
        return None if options.num_players == 2 else "it is too crowded"


def test_agents_of_either_game_are_solved_where_they_fit():
    found = reduced_nash_conv("no_thanks", ["XS"], ["greedy", TWO_SEATS])
    assert found == {("XS", "greedy"): pytest.approx(4.86, abs=0.005)}
    agents = ["greedy:7", "checkpoints/least_score"]
    found = reduced_nash_conv("least_score", ["3x2-1-3", "3x2-1-4"], agents)
    assert set(found) == {(size, name) for size in ("3x2-1-3", "3x2-1-4") for name in agents}
    for size in ("3x2-1-3", "3x2-1-4"):
        (greedy,) = solve_least_score(size, iterations=1, agents=["greedy:7"]).agents
        assert found[size, "greedy:7"] == pytest.approx(greedy.nash_conv)


@pytest.mark.parametrize("game", list(SOLVERS))
def test_the_sizes_of_a_report_are_registered(game):
    registered = {"no_thanks": no_thanks.SIZES, "least_score": least_score.SIZES}
    assert set(default_sizes(game)) <= set(registered[game])


def test_colours_are_white_at_the_fair_share_and_full_at_the_ends():
    assert heat(0.25, 0.25)[0] == "rgb(255,255,255)"
    assert heat(1.0, 0.25)[0] == "rgb(38,93,148)"
    assert heat(0.0, 0.25)[0] == "rgb(178,58,52)"


@pytest.mark.parametrize("name", ["no_thanks", "least_score"])
def test_agents_are_timed_at_positions_of_running_games(name):
    game = get_game(name)
    options = game.options(num_players=3)
    states = positions(game, options)
    assert len(states) == TABLES
    assert not states["over"].any()
    assert len(np.unique(states["moves"])) > 5
    agents = {"greedy": make_agent("greedy", game), "random": make_agent("random", game)}
    assert all(time > 0.0 for time in decision_times(game, options, agents).values())
