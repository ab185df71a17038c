"""Configs read from files, and what is said of keys by the names of earlier versions."""

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

torch = pytest.importorskip("torch")

from lowhand.agents.names import make_agent
from lowhand_training.cli.main import main
from lowhand_training.common.files import load_arrays, save_arrays
from lowhand_training.evaluation.evaluation import evaluate
from lowhand_training.trainer.checkpoint import CONFIG, STATE
from lowhand_training.trainer.config_files import RENAMED_KEYS, load_config, refuse_old_keys
from tests.cli.test_main import one_sentence
from tests.trainer.runs import quiet, run, stop_after
from tests.trainer.small import GAME, SHORT_GAME, small_config

OLD = {now: key for key, now in RENAMED_KEYS.items()}


def with_old_keys(config: dict[str, Any]) -> dict[str, Any]:
    """The config as an earlier version wrote it."""
    for now, old in OLD.items():
        part, _, name = now.partition(".")
        config[part][old.partition(".")[2]] = config[part].pop(name)
    return config


@pytest.fixture
def old_checkpoint(tmp_path, unbroken) -> Path:
    """The finished run as an earlier version left it."""
    folder = tmp_path / "old"
    shutil.copytree(unbroken, folder)
    config = yaml.safe_load((folder / CONFIG).read_text())
    config["training"] = with_old_keys(config["training"])
    (folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False))
    arrays, metadata = load_arrays(folder / STATE)
    metadata["config"] = with_old_keys(metadata["config"])
    save_arrays(folder / STATE, arrays, metadata)
    return folder


def refused(message: str) -> None:
    for now, old in OLD.items():
        assert f"{old} is now {now}" in message
    assert message.endswith(".")
    assert "\n" not in message


def test_every_old_name_is_gone_and_every_new_one_is_there():
    config = small_config().as_dict()
    for old, now in RENAMED_KEYS.items():
        part, _, name = now.partition(".")
        assert name in config[part]
        assert old.partition(".")[2] not in config[part]
    refuse_old_keys(config, "it")


@pytest.mark.parametrize("config", [None, [], {"ppo": None}, {"ppo": ["games"]}, {"games": 1}])
def test_what_has_no_such_keys_passes(config):
    refuse_old_keys(config, "it")


def test_a_single_old_key_is_named_alone():
    with pytest.raises(ValueError, match=r"^it has old names of keys: ppo\.games is now ppo\.num"):
        refuse_old_keys({"ppo": {"games": 3, "num_steps": 4}}, "it")


def test_an_old_checkpoint_plays_as_before(old_checkpoint, unbroken):
    specs = [make_agent(str(folder), GAME).spec for folder in (old_checkpoint, unbroken)]
    assert specs[0].signature() == specs[1].signature()
    old, new = (
        evaluate(str(folder), ["greedy"], games=60, seed=1, options=SHORT_GAME).one_v_rest[0]
        for folder in (old_checkpoint, unbroken)
    )
    assert (old.win_share, old.mean_score) == (new.win_share, new.mean_score)


def test_a_run_from_an_old_checkpoint_is_refused_in_one_sentence(old_checkpoint, tmp_path, capsys):
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(small_config(tmp_path / "new").as_dict()))
    assert main(["train", "--config", str(file), "--init", str(old_checkpoint)]) == 2
    error = one_sentence(capsys.readouterr().err).strip()
    assert error.startswith("lowhand train: init: config.yaml of ")
    refused(error)
    assert not (tmp_path / "new").exists()


def test_an_old_run_is_not_resumed_and_says_so_in_one_sentence(tmp_path):
    stop_after(small_config(tmp_path), 2)
    arrays, metadata = load_arrays(tmp_path / STATE)
    metadata["config"] = with_old_keys(metadata["config"])
    save_arrays(tmp_path / STATE, arrays, metadata)
    with pytest.raises(ValueError, match=r"^resume: the run in ") as refusal:
        run(small_config(tmp_path, resume=True), quiet())
    refused(str(refusal.value))


def test_the_command_refuses_a_config_file_with_old_keys_in_one_sentence(tmp_path, capsys):
    file = tmp_path / "old.yaml"
    file.write_text("ppo: {games: 64}\n")
    assert main(["train", "--config", str(file)]) == 2
    assert "ppo.games is now ppo.num_envs" in one_sentence(capsys.readouterr().err)


def test_the_card_of_an_old_checkpoint_is_refused_in_one_sentence(old_checkpoint, capsys):
    pytest.importorskip("matplotlib")
    assert main(["card", str(old_checkpoint)]) == 2
    refused(one_sentence(capsys.readouterr().err).strip())


def test_a_config_file_is_read_as_on_the_command_line(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("seed: 5\nppo: {num_envs: 64, learning_rate: 5e-4}\ngame: {players: [3]}\n")
    config = load_config(file)
    assert (config.seed, config.ppo.num_envs, config.ppo.learning_rate) == (5, 64, 5e-4)
    assert config.ppo.num_steps == small_config().ppo.num_steps * 8
    file.write_text(yaml.safe_dump(small_config(tmp_path).as_dict()))
    assert load_config(file) == small_config(tmp_path)


def test_packaged_configs_are_found_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert load_config("configs/quickstart.yaml").game.name == "no_thanks"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nope: 1", "nope"),
        ("ppo: {num_envs: many}", "ppo.num_envs"),
        ("ppo: {games: 3}", "ppo.games is now ppo.num_envs"),
        ("ppo: {", "is no YAML"),
    ],
)
def test_a_file_that_is_no_config_is_refused_in_one_sentence(tmp_path, text, words):
    file = tmp_path / "config.yaml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"\.$") as refusal:
        load_config(file)
    assert str(file) in str(refusal.value)
    assert words in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_config(tmp_path / "nowhere.yaml")
