"""Which game is played by which options, from what is named on the command line."""

import json
from types import SimpleNamespace

import pytest
import yaml

from lowhand_training.cli.main import main
from lowhand_training.common.catalogue import meant_game, trained_options
from tests.evaluation.test_evaluation import write_checkpoint


@pytest.mark.parametrize(
    ("names", "game"),
    [
        (["greedy"], "no_thanks"),
        (["connector", "greedy"], "no_thanks"),
        (["tuned"], "least_score"),
        (["greedy:7", "random"], "least_score"),  # greedy takes no number in No Thanks!
        (["mypackage:Agent"], "no_thanks"),
        (
            ["tuned", "connector"],
            "no_thanks",
        ),  # no game has both: making them says which plays which
    ],
)
def test_the_game_is_the_one_that_the_named_players_play(names, game):
    assert meant_game(names) == game


def test_a_player_of_another_game_is_told_apart_from_none(capsys):
    assert main(["evaluate", "tuned", "connector", "--games", "6"]) == 2
    assert "agent 'tuned' plays least_score, not no_thanks." in capsys.readouterr().err


def test_options_are_those_of_the_checkpoint_unless_given(tmp_path, capsys):
    folder = tmp_path / "reduced"
    write_checkpoint(folder)
    config = yaml.safe_load((folder / "config.yaml").read_text())
    config["game"]["options"] |= {"chips": 4, "removed": 20}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    options = []
    for extra in ([], ["--options", "removed=8"], ["--options", "chips=None"]):
        path = tmp_path / "result.json"
        words = ["evaluate", str(folder), "--against", "greedy", "--games", "6", *extra]
        assert main([*words, "--json", str(path)]) == 0
        found = json.loads(path.read_text())["options"]["3"]
        options.append((found["chips"], found["removed"]))
    assert options == [(4, 20), (4, 8), (None, 20)]


def test_options_that_serve_training_alone_are_not_taken_over():
    assert "single_deals" not in trained_options("checkpoints/least_score", "least_score")
    assert trained_options("checkpoints/least_score", "least_score")["points_limit"] == 100
    assert trained_options("checkpoints/least_score", "no_thanks") is None


@pytest.mark.parametrize("value", ["[" * 3000, "2020-13-45"])
def test_an_option_that_cannot_be_read_is_one_sentence(value, capsys):
    assert main(["evaluate", "greedy", "--options", f"chips={value}"]) == 2
    assert "has a value that can't be read." in capsys.readouterr().err


def test_games_of_other_packages_are_imported_only_for_a_name_that_is_unknown(monkeypatch):
    from lowhand_training.common import catalogue

    imported = []
    monkeypatch.setattr(catalogue, "entry_points", lambda group: [SimpleNamespace(name="heap")])
    monkeypatch.setattr(catalogue, "get_game", imported.append)
    assert catalogue.meant_game(["greedy:7", "tuned"]) == "least_score"
    assert imported == []
    catalogue.meant_game(["greedy", "pile:3"])
    assert imported == ["heap"]
