import json
import os
import shlex
import shutil
import struct
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from rich.console import Console

pytest.importorskip("jinja2")

from lowhand.agents.network import CheckpointError, read_config
from lowhand.games import GAMES, get_game
from lowhand_training.cli import main as cli
from lowhand_training.cli.card import print_choice
from lowhand_training.common.files import save_arrays
from lowhand_training.evaluation.results import Evaluation, Row
from lowhand_training.publish.checkpoint_folder import (
    card_name,
    network_size,
    read_results,
    training_config,
)
from lowhand_training.publish.model_card import render, training_command, write_card
from lowhand_training.publish.seed_choice import (
    choose,
    choose_seed,
    rule,
    smallest_margin,
)
from lowhand_training.trainer.checkpoint import write_config, write_results
from lowhand_training.trainer.config import (
    EvaluationConfig,
    GameConfig,
    LeagueConfig,
    PPOConfig,
    TrainConfig,
)

ROOT = Path(__file__).parents[2]
GAME = get_game("no_thanks")
CURVE = [
    {"decisions": d, "seconds": d / 1e5, "alone against sally": s, "sally alone": 0.5 - s}
    for d, s in ((1e6, 0.1), (2e6, 0.3), (3e6, 0.4))
]
FEW = {"players": [3], "games": 6}


def checkpoint(folder, seed=1, curve=CURVE, **changes):
    """What a training run leaves in its folder, with random weights."""
    config = TrainConfig(
        out=str(folder),
        seed=seed,
        ppo=PPOConfig(num_envs=64, num_steps=8, minibatch_size=128),
        league=LeagueConfig(bot_distributions={"connector": 2.0}),
        evaluation=EvaluationConfig(opponents=["sally"]),
        **changes,
    )
    spec = GAME.observation(config.options(), True, 7)
    rng, weights = np.random.default_rng(seed), {}
    for name, shape in {"body.0": (8, spec.size), "policy": (2, 8), "value": (1, 8)}.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    folder.mkdir()
    write_config(folder, config, GAME, spec)
    save_arrays(folder / "model.safetensors", weights)
    written = {"decisions": 12_345, "seconds": 6.7, "decisions_per_s": 1843, "curve": curve}
    write_results(folder, written)
    return folder


def evaluation(alone, beaten, agent="mine", players=3):
    """An evaluation whose rows have these win shares of the lone player."""

    def rows(shares):
        return [
            Row(agent, f"bot{i}", players, 30, share, (0, 1), 0, (0, 1), 0, 1, 1, 0, (0, 1), {}, {})
            for i, share in enumerate(shares)
        ]

    return Evaluation("no_thanks", 0, {players: {}}, 30, "", rows(alone), rows(beaten))


def rows_of_a_table(text, start):
    """The cells of the Markdown table behind the line `start`."""
    lines = text[text.index(start) :].split("\n\n")[1].splitlines()
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A card with two seeds, at two numbers of players."""
    base = tmp_path_factory.mktemp("runs")
    folder, other = checkpoint(base / "first", 1), checkpoint(base / "second", 2)
    told = []
    (found,) = write_card(folder, [3, 5], 6, [other], lambda *counts: told.append(counts))
    return folder, found, told


def test_results_keep_what_training_wrote_and_get_the_evaluation(written):
    folder, found, _ = written
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert (results["decisions"], results["seconds"]) == (12_345, 6.7)
    assert results["curve"] == CURVE
    assert results["evaluation"] == json.loads(found.to_json())
    for field in ("one_v_rest", "rest_v_one"):
        rows = results["evaluation"][field]
        assert [row["opponent"] for row in rows] == list(GAME.baselines) * 2
        assert [row["players"] for row in rows] == [3] * 12 + [5] * 12
        assert {row["agent"] for row in rows} == {"first"}
    assert [seed["seed"] for seed in results["seeds"]] == [1, 2]
    assert sum(seed["published"] for seed in results["seeds"]) == 1


def test_tables_hold_the_rows(written):
    folder, found, _ = written
    text = (folder / "README.md").read_text(encoding="utf-8")
    for players in (3, 5):
        table = rows_of_a_table(text, f"### Games, {players} players")
        pairs = [
            pair
            for pair in zip(found.one_v_rest, found.rest_v_one, strict=True)
            if pair[0].players == players
        ]
        assert len(table) == len(pairs) == 12
        for cells, (alone, beaten) in zip(table, pairs, strict=True):
            low, high = beaten.ci95
            assert cells[0] == f"`{alone.opponent}`"
            assert cells[1].startswith(f"{alone.win_share:.3f} [")
            assert cells[2] == f"{alone.mean_score:.1f} v {alone.rest_mean_score:.1f}"
            assert cells[3] == f"{beaten.win_share:.3f} [{low:.3f}, {high:.3f}]"
    overview = rows_of_a_table(text, "The worst field by number of players")
    assert [cells[:2] for cells in overview] == [["3", "0.333"], ["5", "0.200"]]
    for players, cells in zip((3, 5), overview, strict=True):
        low = min(row.win_share for row in found.one_v_rest if row.players == players)
        high = max(row.win_share for row in found.rest_v_one if row.players == players)
        assert cells[2].startswith(f"{low:.3f} [")
        assert cells[5].startswith(f"{high:.3f} [")


def test_the_card_tells_the_story(written):
    folder, _, told = written
    text = (folder / "README.md").read_text(encoding="utf-8")
    flat = " ".join(text.split())
    assert rule(GAME) in flat
    assert "12,345 decisions" in text
    assert "315 → 8 → 2" in text
    assert "![Win shares" in text
    assert "do not bound exploitability" in text
    assert 'opponents="first"' in text
    assert "lowhand card first --players 3 5 --games 6 --seeds second" in text
    assert told[-1][0] == told[-1][1] > 0


@pytest.mark.parametrize("game", GAMES)
def test_the_published_card_is_what_the_data_files_say(game):
    folder = ROOT / "checkpoints" / game
    text = (folder / "README.md").read_text(encoding="utf-8")
    assert text == render(folder), f"{folder} is stale: run `python docs/generate.py`."
    size = network_size(folder, read_config(folder))
    assert read_results(folder)["network"] == size


def test_a_card_is_rendered_again_without_its_weights(tmp_path, written):
    folder, _, _ = written
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("model.safetensors", "README.md"))
    assert render(copy) == (folder / "README.md").read_text(encoding="utf-8")


def test_a_bound_in_the_folder_is_in_the_card(tmp_path, written):
    folder, _, _ = written
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy)
    bound = {"game": "no_thanks", "agent": "first", "players": 3, "utility": "score"}
    bound |= {"lower_bound": 1.25, "ci95": [1.0, 1.5], "attacker": "learned", "games": 3000}
    (copy / "exploit.json").write_text(json.dumps(bound), encoding="utf-8")
    section = render(copy).partition("## Exploitability")[2]
    flat = " ".join(section.split())
    assert "gains 1.250 [1.000, 1.500] over the agent in its place, in points" in flat
    assert "## In the report" not in render(copy)


def test_no_path_of_this_machine_gets_into_the_card(written):
    folder, _, _ = written
    for name in ("README.md", "results.json"):
        text = (folder / name).read_text(encoding="utf-8")
        assert str(folder.parent) not in text
        assert os.path.expanduser("~") + os.sep not in text


def test_the_curve_is_a_picture(written):
    folder, _, _ = written
    picture = (folder / "curves.png").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", picture[16:24])
    assert width > 800
    assert height > 300


def test_nothing_but_the_files_is_left(written):
    folder, _, _ = written
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md", "config.yaml", "curves.png", "model.safetensors", "results.json"
    ]  # fmt: skip


def test_deals_are_those_of_the_hash_whatever_the_folder_is_called(tmp_path, written):
    _, found, _ = written
    (again,) = write_card(checkpoint(tmp_path / "elsewhere", 1), **FEW)
    assert [row.seed for row in again.one_v_rest] == [row.seed for row in found.one_v_rest[:12]]
    shares = [row.win_share for row in found.one_v_rest[:12]]
    assert [row.win_share for row in again.one_v_rest] == shares


def test_without_a_curve_there_is_no_picture_and_no_need_of_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    folder = checkpoint(tmp_path / "quiet", curve=[])
    write_card(folder, **FEW)
    assert not (folder / "curves.png").exists()
    assert "Learning curve" not in (folder / "README.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"needs matplotlib.*lowhand\[train\]"):
        write_card(checkpoint(tmp_path / "watched"), **FEW)


def test_a_card_needs_jinja2_before_anything_is_evaluated(tmp_path, monkeypatch):
    folder = checkpoint(tmp_path / "run")
    before = (folder / "results.json").read_bytes()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setattr("lowhand_training.publish.model_card.evaluate_checkpoint", None)
    with pytest.raises(ValueError, match=r"needs jinja2.*lowhand\[train\]"):
        write_card(folder, **FEW)
    assert (folder / "results.json").read_bytes() == before


def test_the_command_gives_the_config_again(tmp_path):
    folder = checkpoint(tmp_path / "run-7", 7, decisions=5_000)
    config = training_config(
        yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8")), folder
    )
    assert config.seed == 7
    command = training_command(config)
    assert command.endswith("--out runs/run-7")
    assert parsed_config(command) == {**config.as_dict(), "out": "runs/run-7"}


@pytest.mark.parametrize("name", ["no_thanks", "quickstart"])
def test_the_command_names_the_nearest_config_file(name):
    start = parsed_config(f"lowhand train --config configs/{name}.yaml")
    config = training_config({"training": {**start, "seed": 9, "out": "/x/y/z"}}, "")
    command = training_command(config)
    assert command == f"lowhand train --config configs/{name}.yaml --seed 9 --out runs/z"
    # A config overwrites the folder that it names itself, and no other.
    assert parsed_config(command) == {**start, "seed": 9, "out": "runs/z", "overwrite": False}


def parsed_config(command):
    given = cli.parse(shlex.split(command)[1:])
    return {
        key: value
        for key, value in given.train.as_dict().items()
        if key in TrainConfig.__dataclass_fields__
    }


def test_the_rule_looks_at_both_fields_and_takes_the_best_of_the_worst():
    third = 1 / 3
    good_alone = evaluation([0.9, third + 0.02], [0.0, 0.0])  # smallest margin +0.02
    beaten = evaluation([0.9, 0.9], [0.0, third - 0.01])  # +0.01, in the other field
    even = evaluation([third + 0.05] * 2, [third - 0.04] * 2)  # +0.04
    assert choose([good_alone, beaten, even]) == 2
    assert choose([good_alone, beaten]) == 0
    assert choose([beaten, good_alone]) == 1
    assert not smallest_margin(beaten).alone
    assert smallest_margin(beaten).margin == pytest.approx(0.01)
    assert smallest_margin(beaten).row.opponent == "bot1"


def test_of_equal_seeds_the_first_is_chosen_rounding_apart():
    a = evaluation([0.5, 0.4], [0.1, 0.1])
    b = evaluation([0.4, 0.6], [0.1 + 1e-15, 0.2])
    assert choose([a, b]) == choose([b, a]) == 0
    c = evaluation([0.4 + 1e-15, 0.5], [0.1, 0.1])
    assert choose([a, c]) == 0
    assert choose([a, evaluation([0.4 + 1e-6, 0.5], [0.1, 0.1])]) == 1


def test_the_rule_counts_rows_at_three_players_alone():
    at_three = evaluation([0.5], [0.2])
    at_five = evaluation([0.0], [1.0], players=5)
    mixed = replace(
        at_three,
        one_v_rest=at_three.one_v_rest + at_five.one_v_rest,
        rest_v_one=at_three.rest_v_one + at_five.rest_v_one,
    )
    assert smallest_margin(mixed) == smallest_margin(at_three)
    assert choose([evaluation([0.4], [0.2]), mixed]) == 1
    with pytest.raises(ValueError, match="rows of one agent at 3 players"):
        choose([at_five])


def test_what_can_not_be_compared_is_refused():
    with pytest.raises(ValueError, match="nothing to choose from"):
        choose([])
    with pytest.raises(ValueError, match="same opponents and games"):
        choose([evaluation([0.5], [0.2]), evaluation([0.5, 0.5], [0.2, 0.2])])


def test_seeds_are_ordered_by_number_and_the_same_network_counts_once(tmp_path):
    second, first = checkpoint(tmp_path / "b", 2), checkpoint(tmp_path / "a", 1)
    copy = checkpoint(tmp_path / "published", 2)
    seeds, chosen = choose_seed([second, first, copy], games=6)
    assert [(seed.seed, seed.folder) for seed in seeds] == [(1, first), (2, second)]
    margins = [smallest_margin(seed.evaluation).margin for seed in seeds]
    assert chosen == margins.index(max(margins))
    console = Console(width=100, record=True)
    print_choice(seeds, chosen, console)
    shown = console.export_text()
    assert " ".join(shown.split()).startswith(rule(GAME))
    assert f"Chosen: {seeds[chosen].folder}" in " ".join(shown.split())


def test_a_card_says_when_the_rule_chooses_another(tmp_path):
    folders = [checkpoint(tmp_path / f"s{seed}", seed) for seed in (1, 2)]
    _, chosen = choose_seed(folders, games=6)
    for i, folder in enumerate(folders):
        write_card(folder, seeds=folders, **FEW)
        text = " ".join((folder / "README.md").read_text(encoding="utf-8").split())
        assert f"The rule publishes seed {chosen + 1}." in text
        assert ("which the rule does not choose" in text) == (i != chosen)


def test_names_in_a_card(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert card_name(tmp_path / "runs" / "x") == "runs/x"
    assert card_name(tmp_path.parent / "elsewhere" / "x") == "x"


def test_what_is_no_checkpoint_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="is no checkpoint"):
        write_card(tmp_path, **FEW)
    folder = checkpoint(tmp_path / "broken")
    (folder / "results.json").write_text("{")
    with pytest.raises(CheckpointError, match=r"results\.json can't be read"):
        write_card(folder, **FEW)
    (folder / "results.json").unlink()
    config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    config["training"]["ppo"]["number_of_games"] = 64
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    with pytest.raises(CheckpointError, match=r"another version of lowhand.*number_of_games"):
        write_card(folder, **FEW)
    config["training"]["ppo"] = {"games": 64}
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    with pytest.raises(ValueError, match=r"old names of keys: ppo\.games is now ppo\.num_envs"):
        write_card(folder, **FEW)
    del config["training"]
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    with pytest.raises(CheckpointError, match="no config of a training"):
        write_card(folder, **FEW)


def test_the_command_line(tmp_path, capsys):
    folder = str(checkpoint(tmp_path / "run"))
    assert cli.main(["card", folder, "--players", "3", "--games", "6"]) == 0
    assert f"Written to {folder}." in capsys.readouterr().out.replace("\n", "")
    assert cli.main(["card", "--choose", folder, "--games", "6"]) == 0
    assert f"Chosen: {folder}" in capsys.readouterr().out
    assert cli.main(["card"]) == 2
    assert "give the folder of one checkpoint" in capsys.readouterr().err


def test_help_is_a_manual(capsys):
    with pytest.raises(SystemExit):
        cli.main(["card", "--help"])
    shown = capsys.readouterr().out
    assert shown.startswith("usage: lowhand card")
    assert "Examples:\n  lowhand card" in shown


def test_the_card_is_of_the_numbers_of_players_that_the_agent_knows(tmp_path):
    folder = checkpoint(tmp_path / "four", game=GameConfig(players=[4, 3]))
    (found,) = write_card(folder, games=12)
    assert list(found.options) == [3, 4]
