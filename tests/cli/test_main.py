import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import lowhand
from lowhand.games import get_game
from lowhand_training.cli import main as cli
from lowhand_training.cli.main import clear_message, main
from lowhand_training.common.console import make_console
from tests.evaluation.test_evaluation import write_checkpoint

# Refuses torch as if it were not installed, then runs a command.
WITHOUT_TORCH = """
import sys
class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("torch", "tensorboard"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Refuse())
from lowhand_training.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def process(
    *arguments, code="import sys; from lowhand_training.cli.main import main; sys.exit(main())"
):
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def one_sentence(text: str) -> str:
    assert text.endswith(".\n"), text
    assert text.count("\n") == 1, text
    assert "Traceback" not in text
    return text


@pytest.fixture(autouse=True)
def own_path(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))


def test_evaluate_prints_a_table_and_writes_json(tmp_path, capsys):
    file = tmp_path / "results.json"
    arguments = ["evaluate", "greedy", "--against", "random", "sally", "--games", "30"]
    assert main([*arguments, "--players", "3", "4", "--json", str(file)]) == 0
    shown = capsys.readouterr()
    assert shown.err == "", "away from a terminal there is no progress bar"
    assert "Worst field of greedy" in shown.out
    data = json.loads(file.read_text(encoding="utf-8"))
    assert [row["players"] for row in data["one_v_rest"]] == [3, 3, 4, 4]
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_one_agent_meets_all_baselines_and_several_meet_each_other(tmp_path):
    file = tmp_path / "results.json"
    rest = ["--games", "6", "--json", str(file)]
    assert main(["evaluate", "threshold:3", *rest]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["rest_v_one"]
    assert [row["opponent"] for row in rows] == list(get_game("no_thanks").baselines)
    assert main(["evaluate", "threshold:3", "greedy", *rest]) == 0
    rows = json.loads(file.read_text(encoding="utf-8"))["one_v_rest"]
    assert [(row["agent"], row["opponent"]) for row in rows] == [
        ("threshold:3", "greedy"),
        ("greedy", "threshold:3"),
    ]


def test_evaluate_takes_a_class_of_the_working_directory(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_cli_agent.py").write_text(
        "import numpy as np\n"
        "class Taker:\n"
        "    def act(self, table, rng):\n"
        "        return np.ones(len(table), np.int64)\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "my_cli_agent:Taker", "--against", "greedy", "--games", "6"]) == 0
    assert "my_cli_agent:Taker" in capsys.readouterr().out


def test_evaluate_works_without_torch(tmp_path):
    checkpoint = write_checkpoint(tmp_path / "network")
    arguments = ["evaluate", checkpoint, "--against", "greedy", "--games", "6"]
    done = process(*arguments, code=WITHOUT_TORCH)
    assert done.returncode == 0, done.stderr
    assert f"Worst field of {checkpoint}" in " ".join(done.stdout.split())


def test_train_without_torch_names_the_extra():
    done = process("train", "--seed", "1", code=WITHOUT_TORCH)
    assert done.returncode == 2
    assert "lowhand[train]" in one_sentence(done.stderr)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([], "give a command, train, evaluate, card, play, list"),
        (["nix"], "invalid choice: 'nix'"),
        (["evaluate"], "required: agents"),
        (["evaluate", "nobody"], "there is no agent 'nobody'"),
        (["evaluate", "nomodule:Agent"], "can't import 'nomodule'"),
        (["evaluate", "os:NoAgent"], "has no 'NoAgent'"),
        (["evaluate", "greedy", "--against", "threshold:x"], "arguments that are no numbers"),
        (["evaluate", "greedy", "--players", "9"], "num_players must be from 2 to 7, not 9"),
        (["evaluate", "greedy", "--players", "x"], "--players element 1: expected int, not x"),
        (["evaluate", "greedy", "--games", "x"], "--games: expected int, not x"),
        (["evaluate", "greedy", "--seed", "-3"], "a seed must be"),
        (["evaluate", "greedy", "--game", "chess"], "there is no game 'chess'"),
        (["evaluate", "greedy", "--nope", "3"], "unrecognized arguments: --nope"),
        (["play", "nobody"], "there is no agent 'nobody'"),
        (["play", "--seat", "first"], "--seat must be a seat's number or random, not 'first'"),
        (["train", "--config", "nowhere.yaml"], "File does not exist"),
        (["train", "--nope", "3"], "unrecognized arguments: --nope"),
        (["train", "--seed", "x"], "--seed: expected int, not x"),
    ],
)
def test_errors_of_the_user_are_one_sentence_and_exit_code_2(arguments, sentence, capsys):
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert sentence in one_sentence(shown.err)


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ("nope: 3", "the config has no key 'nope'"),
        ("league:\n  nope: 3", "the config has no key 'league.nope'"),
        ("ppo:\n  num_envs: many", "--ppo.num_envs: expected int, not many"),
        ("seed: [", "config.yaml is no YAML"),
    ],
)
def test_wrong_configs_are_one_sentence_and_exit_code_2(tmp_path, config, sentence, capsys):
    file = tmp_path / "config.yaml"
    file.write_text(config)
    assert main(["train", "--config", str(file)]) == 2
    assert sentence in one_sentence(capsys.readouterr().err)


def test_broken_checkpoint_is_one_sentence(tmp_path, capsys):
    folder = write_checkpoint(tmp_path / "network")
    (tmp_path / "network" / "model.safetensors").write_bytes(b"broken")
    assert main(["evaluate", folder]) == 2
    assert "can't be read" in one_sentence(capsys.readouterr().err)


@pytest.mark.parametrize("place", ["missing/results.json", "."])
def test_json_that_cannot_be_written_is_refused_before_the_games(
    tmp_path, place, monkeypatch, capsys
):
    monkeypatch.setattr(
        "lowhand_training.evaluation.evaluation.evaluate", lambda *a, **k: pytest.fail("played")
    )
    assert main(["evaluate", "greedy", "--json", str(tmp_path / place)]) == 2
    one_sentence(capsys.readouterr().err)


def test_full_disk_leaves_the_old_file_and_the_table(tmp_path, monkeypatch, capsys):
    file = tmp_path / "results.json"
    file.write_text("old")

    def full(*unused):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    arguments = ["evaluate", "greedy", "--against", "random", "--games", "6", "--json", str(file)]
    assert main(arguments) == 2
    shown = capsys.readouterr()
    assert "Worst field of greedy" in shown.out
    assert "No space left on device" in shown.err
    assert file.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["results.json"]


def test_interrupt_is_one_sentence_and_exit_code_130(monkeypatch, capsys):
    def interrupt(*unused):
        raise KeyboardInterrupt

    monkeypatch.setattr("builtins.input", interrupt)
    assert main(["play", "greedy", "--seed", "1", "--seat", "0"]) == 130
    assert capsys.readouterr().err.strip() == "lowhand play: interrupted."


def test_play_in_the_terminal(monkeypatch, capsys):
    monkeypatch.setattr("builtins.input", lambda question: "t")
    assert main(["play", "greedy", "connector", "--seed", "1"]) == 0
    assert "Scores, the winner first" in capsys.readouterr().out


def test_play_without_input_ends_well():
    done = process("play", "greedy", "--seed", "1", "--seat", "0")
    assert done.returncode == 0
    assert done.stdout.endswith("The input ended, and with it the game.\n")
    assert done.stderr == ""


def test_list_shows_environments_agents_and_baselines(capsys):
    assert main(["list"]) == 0
    shown = capsys.readouterr().out
    game = get_game("no_thanks")
    for name in game.baselines:
        assert name in shown
    for name in game.bots:
        assert name in shown
    for word in ("lowhand/NoThanks-v", "no_thanks_v", "num_players", "Checkpoints:", "Configs:"):
        assert word in shown


@pytest.mark.parametrize("command", cli.COMMANDS)
def test_help_is_a_manual(command, capsys):
    with pytest.raises(SystemExit) as end:
        main([command, "--help"])
    assert end.value.code == 0
    shown = capsys.readouterr().out
    assert shown.startswith(f"usage: lowhand {command}")
    if command != "list":
        assert re.search(rf"Examples:\n  lowhand {command}", shown)


def test_help_of_train_explains_the_keys_of_the_config(capsys):
    with pytest.raises(SystemExit):
        main(["train", "--help"])
    shown = capsys.readouterr().out
    assert "--league.self_play" in shown
    assert "--out" in shown


def test_main_help_is_fast_and_imports_nothing_heavy():
    code = (
        "import sys; from lowhand_training.cli.main import main\n"
        "try: main(['--help'])\n"
        "finally: print([m for m in ('numba', 'numpy', 'torch', 'gymnasium') if m in sys.modules])"
    )
    start = time.perf_counter()
    done = process(code=code)
    assert time.perf_counter() - start < 5.0
    assert done.stdout.endswith("[]\n")
    for command in ("train", "evaluate", "play", "list"):
        assert f"    {command} " in done.stdout


def test_the_package_runs_as_a_module():
    words = [sys.executable, "-m", "lowhand_training", "--version"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    assert done.stdout == f"lowhand {lowhand.__version__}\n"
    done = subprocess.run([*words[:3], "nix"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "invalid choice: 'nix'" in one_sentence(done.stderr)


def test_interrupt_of_the_first_imports_is_one_sentence():
    code = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *unused):\n"
        "        if name == 'jsonargparse': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from lowhand_training.__main__ import main; sys.exit(main())"
    )
    done = process("list", code=code)
    assert (done.returncode, done.stderr) == (130, "\nlowhand: interrupted.\n")


def test_version(capsys):
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert capsys.readouterr().out == f"lowhand {lowhand.__version__}\n"


@pytest.fixture
def configs(monkeypatch):
    """The configs that `train` is called with, which trains nothing."""
    pytest.importorskip("torch")
    given = []
    train = "lowhand_training.trainer.algorithms.train"
    monkeypatch.setattr(train, lambda config, **_: given.append(config))
    return given


def test_train_hands_the_config_over(tmp_path, configs):
    file = tmp_path / "config.yaml"
    file.write_text("decisions: 5000\nppo:\n  num_envs: 32\n")
    arguments = ["--config", str(file), "--out", "runs/x", "--ppo.num_steps", "16", "--resume"]
    assert main(["train", *arguments]) == 0
    (config,) = configs
    assert (config.decisions, config.ppo.num_envs, config.ppo.num_steps) == (5000, 32, 16)
    assert (config.out, config.resume) == ("runs/x", True)


@pytest.mark.parametrize(
    ("words", "overwrites"),
    [
        ([], True),
        (["--out", "runs/x"], True),
        (["--out=runs/x"], True),
        (["--out", "runs/of_mine"], False),
        (["--out=runs/of_mine"], False),
        (["--out", "runs/of_mine", "--overwrite"], True),
    ],
)
def test_a_config_overwrites_the_folder_that_it_names_and_no_other(
    words, overwrites, tmp_path, configs
):
    file = tmp_path / "config.yaml"
    file.write_text("out: runs/x\noverwrite: true\n")
    assert main(["train", "--config", str(file), *words]) == 0
    assert configs[0].overwrite == overwrites


def test_evaluate_plays_at_a_number_of_players_that_the_agent_knows(tmp_path, capsys):
    folder = tmp_path / "duel"
    write_checkpoint(folder)
    file = folder / "config.yaml"
    config = yaml.safe_load(file.read_text(encoding="utf-8"))
    config["training"] = {"game": {"players": [5, 4]}}
    file.write_text(yaml.safe_dump(config), encoding="utf-8")
    assert main(["evaluate", str(folder), "--against", "greedy", "--games", "4"]) == 0
    shown = capsys.readouterr()
    assert "4 players" in shown.out
    assert "Note:" not in shown.err


def test_configs_go_by_name_from_any_folder(tmp_path, monkeypatch):
    root = Path(lowhand.__file__).parents[2]
    monkeypatch.chdir(tmp_path)
    from lowhand_training.common.catalogue import find_config

    for path in (root / "configs").glob("*.yaml"):
        assert Path(find_config(f"configs/{path.name}")).samefile(path)
    assert find_config("configs/nowhere.yaml") == "configs/nowhere.yaml"


def test_reports_of_the_parser_become_sentences():
    report = (
        'Parser key "seats":\n  Does not validate against any of the Union subtypes\n'
        "  Subtypes: [<class 'int'>, <class 'NoneType'>]\n  Errors:\n    - Expected a <class 'int'>"
        "\n  Given value type: <class 'str'>\n  Given value: x"
    )
    assert clear_message(report) == "--seats: expected one of int, null; not x."
    report = "Parser key \"algorithm\":\n  Expected a typing.Literal['a', 'b']. Got value: x"
    assert clear_message(report) == "--algorithm: expected one of 'a', 'b'; not x."


def test_train_without_any_word_asks_for_a_config(capsys):
    assert cli.main(["train"]) == 2
    assert "give --config FILE" in capsys.readouterr().err


@pytest.mark.parametrize("reader", [">&-", "| head -c 0; exit ${PIPESTATUS[0]}"])
@pytest.mark.parametrize(
    "command", ["evaluate greedy --against random --games 4", "solve no_thanks --size XS"]
)
def test_results_are_written_though_nobody_reads_stdout(tmp_path, reader, command):
    file = tmp_path / "found.json"
    code = "import sys; from lowhand_training.cli.main import main; sys.exit(main())"
    shell = f"{sys.executable} -c '{code}' {command} --json {file} {reader}"
    done = subprocess.run(["bash", "-c", shell], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(file.read_text(encoding="utf-8"))


def test_what_stdout_can_not_encode_is_no_error(monkeypatch):
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    done = process("evaluate", "greedy", "--against", "random", "--games", "4")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Worst field of greedy" in done.stdout


def test_a_narrow_terminal_loses_no_figures(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "40")
    assert make_console().width == 80
    monkeypatch.setenv("COLUMNS", "120")
    assert make_console().width == 120


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_device_is_named_and_the_table_shown(capsys):
    words = ["evaluate", "greedy", "--against", "random", "--games", "4", "--json", "/dev/full"]
    assert main(words) == 2
    shown = capsys.readouterr()
    assert "/dev/full" in shown.err
    assert "Worst field of greedy" in shown.out
