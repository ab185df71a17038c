"""What a run leaves in its folder and says, and how it takes a full disk and broken files."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
import yaml
from rich.console import Console

torch = pytest.importorskip("torch")

from lowhand.agents.names import make_agent
from lowhand.agents.network import CheckpointError
from lowhand_training.cli.main import main
from lowhand_training.common.files import load_arrays, save_arrays
from lowhand_training.trainer.checkpoint import MODEL, RESULTS, STATE
from lowhand_training.trainer.config import EvaluationConfig, GameConfig
from lowhand_training.trainer.run import TrainingRun
from tests.cli.test_main import WITHOUT_TORCH, one_sentence
from tests.trainer.runs import after_update, model, quiet, run, said, stop_after
from tests.trainer.small import GAME, UPDATES, small_config

BATCH = 16 * 8  # decisions of an update


def full_disk_while(monkeypatch, full: Callable[[], bool]) -> None:
    """Let nothing be written as long as `full()`."""
    fsync = os.fsync

    def fail(number: int) -> None:
        if full():
            raise OSError(28, "No space left on device")
        fsync(number)

    monkeypatch.setattr(os, "fsync", fail)


@pytest.mark.parametrize("place", ["periodic", "final"])
def test_full_disk_loses_nothing(tmp_path, unbroken, place, monkeypatch):
    config, console = small_config(tmp_path, save_every=2), quiet()
    made = TrainingRun(config, console)
    failing = 4 if place == "periodic" else UPDATES
    full_disk_while(monkeypatch, lambda: made.learner.update_number == failing)
    if place == "periodic":
        made.run()
        warning = f"(No space left on device: {tmp_path / MODEL})"
        assert f"warning: this save failed {warning}; what was saved before" in said(console)
        assert model(tmp_path) == model(unbroken)
        return
    with pytest.raises(OSError, match="the save at the end of the run failed") as failure:
        made.run()
    assert "No space left on device" in str(failure.value)
    assert not list(tmp_path.glob("*.part"))
    assert load_arrays(tmp_path / STATE)[1]["learner"]["update"] == 4
    make_agent(str(tmp_path), GAME)
    monkeypatch.undo()
    run(small_config(tmp_path, resume=True), quiet())
    assert model(tmp_path) == model(unbroken)


def test_failed_final_save_is_one_sentence_and_exit_code_2(tmp_path, monkeypatch, capsys):
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(small_config(tmp_path / "run").as_dict()))
    full_disk_while(monkeypatch, lambda: True)
    assert main(["train", "--config", str(file)]) == 2
    assert "the save at the end" in one_sentence(capsys.readouterr().err)


def test_folder_that_cannot_be_made_is_an_error_before_the_training(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["train", "--out", str(tmp_path / "file" / "run")]) == 2
    assert str(tmp_path / "file") in capsys.readouterr().err


@pytest.mark.parametrize("spoiled", ["truncated", "missing", "other version", "no state"])
def test_training_state_that_does_not_fit_is_one_sentence(tmp_path, spoiled):
    stop_after(small_config(tmp_path), 2)
    path = tmp_path / STATE
    arrays, metadata = load_arrays(path)
    if spoiled == "truncated":
        path.write_bytes(path.read_bytes()[:-100])
    elif spoiled == "missing":
        save_arrays(path, {k: v for k, v in arrays.items() if k != "batch.states"}, metadata)
    elif spoiled == "other version":
        save_arrays(path, arrays, metadata | {"game": [GAME.name, 99]})
    else:
        save_arrays(path, arrays)
    with pytest.raises(CheckpointError) as refusal:
        run(small_config(tmp_path, resume=True), quiet())
    message = str(refusal.value)
    assert str(path) in message
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize("change", ["shape", "size"])
def test_training_state_of_other_shapes_is_one_sentence(tmp_path, change):
    stop_after(small_config(tmp_path), 2)
    arrays, metadata = load_arrays(tmp_path / STATE)
    name = "network.policy.weight" if change == "shape" else "batch.states"
    arrays[name] = arrays[name][:, :-1]
    save_arrays(tmp_path / STATE, arrays, metadata)
    with pytest.raises(CheckpointError, match="broken or was written by another version"):
        run(small_config(tmp_path, resume=True), quiet())


def test_state_of_runs_that_did_not_note_the_games_version_is_read(tmp_path, unbroken):
    stop_after(small_config(tmp_path), 2)
    arrays, metadata = load_arrays(tmp_path / STATE)
    del metadata["game"]
    save_arrays(tmp_path / STATE, arrays, metadata)
    run(small_config(tmp_path, resume=True), quiet())
    assert model(tmp_path) == model(unbroken)


def test_run_that_diverges_leaves_the_last_save(tmp_path):
    made = TrainingRun(small_config(tmp_path, save_every=1), quiet())
    after_update(made, 2, lambda: setattr(made.config.ppo, "learning_rate", 1e30))
    with pytest.raises(ValueError, match="diverged at update 3"):
        made.run()
    make_agent(str(tmp_path), GAME)


def test_evaluation_is_kept_and_changes_nothing(tmp_path, unbroken):
    looking = EvaluationConfig(every=2, opponents=["greedy", "random"], players=4, games=12)
    console = quiet()
    run(small_config(tmp_path, evaluation=looking), console)
    assert model(tmp_path) == model(unbroken)
    results = json.loads((tmp_path / RESULTS).read_text())
    assert set(results) == {"decisions", "seconds", "cpu_seconds", "decisions_per_s", "curve"}
    assert results["decisions"] == UPDATES * BATCH
    assert [point["decisions"] for point in results["curve"]] == [2 * BATCH, 4 * BATCH, 6 * BATCH]
    for point in results["curve"]:
        assert set(point) == {
            "decisions", "seconds", "alone against greedy", "greedy alone",
            "alone against random", "random alone",
        }  # fmt: skip
        assert all(0 <= value <= 1 for name, value in point.items() if "alone" in name)
    first, *lines = said(console).splitlines()
    assert first.startswith("compiling ")
    assert [line.partition(",")[0] for line in lines[:-1]] == [
        f"update {n} of 6" for n in (2, 4, 6)
    ]
    assert "(the worst field; fair is 0.25)" in lines[0]
    assert lines[-1].startswith("done: 768 decisions in ")
    assert lines[-1].endswith(f"; the checkpoint is {tmp_path}.")


def test_last_evaluation_is_made_even_where_others_are_not(tmp_path):
    looking = EvaluationConfig(every=0, opponents=["random"], games=12)
    run(small_config(tmp_path, evaluation=looking), quiet())
    assert len(json.loads((tmp_path / RESULTS).read_text())["curve"]) == 1


def test_evaluation_that_fails_warns_and_the_run_goes_on(tmp_path, unbroken, monkeypatch):
    (tmp_path / "my_broken_agent.py").write_text(
        "import numpy as np\n"
        "class Broken:\n"
        "    def act(self, table, rng):\n"
        "        return np.full(len(table), 7)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    looking = EvaluationConfig(every=3, opponents=["my_broken_agent:Broken"], games=12)
    console = quiet()
    run(small_config(tmp_path / "run", evaluation=looking), console)
    assert "warning: this evaluation failed, and the run goes on: agent" in said(console)
    assert model(tmp_path / "run") == model(unbroken)


def test_unknown_opponent_is_refused_before_the_training(tmp_path):
    looking = EvaluationConfig(every=1, opponents=["nobody"])
    with pytest.raises(ValueError, match="there is no agent 'nobody'"):
        run(small_config(tmp_path / "run", evaluation=looking), quiet())
    assert not (tmp_path / "run").exists()


def test_messages_stand_as_they_are_whatever_the_folder_is_called(tmp_path):
    console, folder = quiet(), tmp_path / "[bold]a long name that is wider than the console is"
    run(small_config(folder), console)
    assert said(console).endswith(f"the checkpoint is {folder}.\n")


def test_terminal_shows_speed_time_left_and_the_evaluation(tmp_path):
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    looking = EvaluationConfig(every=2, opponents=["greedy"], games=12)
    run(small_config(tmp_path, evaluation=looking), console)
    shown = said(console)
    assert "training" in shown
    assert "100%" in shown
    assert "/s, 1 thread" in shown
    assert "left" in shown
    assert "win share alone against greedy: " in shown
    assert "update 2 of 6" not in shown, "that is for log files"


def test_tensorboard_log_has_the_training_and_the_evaluation(tmp_path):
    reader = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    looking = EvaluationConfig(every=2, opponents=["greedy"], games=12)
    config = small_config(tmp_path, tensorboard=True, evaluation=looking)
    stop_after(config, 4)
    run(replace(config, resume=True), quiet())
    log = reader.EventAccumulator(str(tmp_path / "tensorboard"))
    log.Reload()
    tags = set(log.Tags()["scalars"])
    assert {"eval/win_share/alone against greedy", "eval/win_share/greedy alone"} <= tags
    names = ("policy_gradient_loss", "value_loss", "entropy_loss", "approx_kl", "clip_fraction",
             "explained_variance", "learning_rate")  # fmt: skip
    assert {f"train/{name}" for name in names} | {"time/fps", "rollout/episodes"} <= tags
    steps = [event.step for event in log.Scalars("train/policy_gradient_loss")]
    assert steps == [BATCH * number for number in range(1, UPDATES + 1)]


def test_log_on_a_full_disk_warns_once_and_the_run_goes_on(tmp_path, unbroken, monkeypatch):
    tensorboard = pytest.importorskip("torch.utils.tensorboard")

    def fail(*unused: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tensorboard.SummaryWriter, "add_scalar", fail)
    console = quiet()
    run(small_config(tmp_path, tensorboard=True), console)
    assert said(console).count("warning: the TensorBoard log ends here") == 1
    assert model(tmp_path) == model(unbroken)


def test_trained_agent_plays_without_torch(unbroken):
    arguments = ["evaluate", str(unbroken), "--against", "greedy", "--games", "6"]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"Worst field of {unbroken}" in done.stdout.replace("\n", " ")


def test_the_run_is_watched_in_the_games_that_it_learns(tmp_path, monkeypatch):
    import lowhand_training.trainer.run as module

    game = GameConfig(name="least_score", players=[2], options={"points_limit": None, "ranks": 4,
                      "suits": 2, "hand_size": 2, "single_deals": 0.5})  # fmt: skip
    config = small_config(tmp_path, game=game, evaluation=EvaluationConfig(players=2, games=4))
    made, seen = TrainingRun(config, quiet()), []

    def spy(*_: object, options: dict[str, object], **__: object) -> None:
        seen.append(options)
        raise ValueError("enough.")

    monkeypatch.setattr(module, "evaluate", spy)
    made.evaluate_periodically()
    assert seen == [{"points_limit": None, "ranks": 4, "suits": 2, "hand_size": 2}]
