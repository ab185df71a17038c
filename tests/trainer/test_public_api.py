"""What `lowhand_training` offers in Python."""

import inspect
import subprocess
import sys

import pytest

import lowhand_training
from lowhand_training.trainer.algorithms import ALGORITHMS, run_class
from lowhand_training.trainer.config import TrainConfig
from tests.trainer.small import small_config

QUICK_IMPORT = """
import sys
import lowhand_training
assert not {"torch", "numpy", "lowhand"} & set(sys.modules)
dir(lowhand_training)
lowhand_training.TrainConfig, lowhand_training.train, lowhand_training.load_config
lowhand_training.bound_exploitability, lowhand_training.evaluate, lowhand_training.compare
assert "torch" not in sys.modules
"""


def test_all_public_names_are_there_and_sorted():
    assert lowhand_training.__all__ == sorted(lowhand_training.__all__)
    assert set(lowhand_training.__all__) <= set(dir(lowhand_training))
    for name in lowhand_training.__all__:
        found = getattr(lowhand_training, name)
        assert found.__name__ == name
        assert inspect.getdoc(found)
    with pytest.raises(AttributeError, match="No lowhand_training attribute nothing"):
        _ = lowhand_training.nothing


def test_no_public_name_is_that_of_a_subpackage():
    for name in lowhand_training.__all__:
        assert not inspect.ismodule(getattr(lowhand_training, name))


def test_import_is_quick_and_needs_no_torch():
    done = subprocess.run(
        [sys.executable, "-c", QUICK_IMPORT], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_training_from_python_prints_nothing_and_returns_the_agents_folder(tmp_path, capfd):
    pytest.importorskip("torch")
    folder = lowhand_training.train(small_config(tmp_path / "run"))
    evaluation = lowhand_training.evaluate(
        str(folder), ["greedy"], games=30, options=small_config().game.options
    )
    assert evaluation.one_v_rest[0].games >= 30
    printed = capfd.readouterr()
    assert (printed.out, printed.err) == ("", "")
    lowhand_training.train(small_config(tmp_path / "shown"), progress=True)
    assert "done: 768 decisions" in capfd.readouterr().out


def test_warnings_of_a_quiet_run_are_warnings(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from lowhand_training.trainer.run import TrainingRun

    save, saves = TrainingRun.save, []

    def fail_first(self: TrainingRun) -> None:
        saves.append(0)
        if len(saves) == 1:
            raise OSError(28, "No space left on device", "model")
        save(self)

    monkeypatch.setattr(TrainingRun, "save", fail_first)
    with pytest.warns(UserWarning, match="this save failed"):
        lowhand_training.train(small_config(tmp_path, save_every=4))


def test_every_algorithm_of_the_config_has_its_runs():
    pytest.importorskip("sb3_contrib")
    from lowhand_training.trainer.run import TrainingRun

    for name in ALGORITHMS:
        assert issubclass(run_class(name), TrainingRun)
    assert f"Literal{list(ALGORITHMS)!r}" in str(TrainConfig.__annotations__["algorithm"])
    with pytest.raises(ValueError, match="algorithm must be ppo or maskable_ppo, not 'a2c'"):
        run_class("a2c")


def test_exact_solutions_from_python():
    pytest.importorskip("scipy")
    request = lowhand_training.Request(size=["XS"], agent=["greedy"])
    (solved,) = lowhand_training.solve_game("no_thanks", request)
    assert solved.records()
