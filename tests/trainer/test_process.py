"""What a run sets for its whole process is as before when it ends, however it ends."""

import signal
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from lowhand.games import get_game
from lowhand_training.trainer.config import GameConfig, NetworkConfig, TrainConfig
from lowhand_training.trainer.ppo import network as network_module
from lowhand_training.trainer.process import torch_settings
from lowhand_training.trainer.run import TrainingRun
from tests.trainer.runs import after_update, quiet, run
from tests.trainer.small import small_config

READ = """
import os, random, signal, warnings
import numpy as np, torch
def products(of):
    return getattr(getattr(of, "matmul", None), "fp32_precision", None)
def settings():
    return {
        "threads": torch.get_num_threads(),
        "precision": torch.get_float32_matmul_precision(),
        "products": (products(torch.backends.mkldnn), products(torch.backends.cuda)),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "gradients": torch.is_grad_enabled(),
        "dtype": torch.get_default_dtype(),
        "numpy errors": np.geterr(),
        "environment": dict(os.environ),
        "signals": [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM)],
        "warnings": list(warnings.filters),
        "torch generator": torch.get_rng_state().tolist(),
        "numpy generator": np.random.get_state()[1].tolist(),
        "generator": random.getstate(),
    }
"""

IMPORTS_CHANGE_NOTHING = (
    READ
    + """
import importlib, pkgutil
import matplotlib, stable_baselines3, sb3_contrib  # what others' packages set is theirs
before = settings()
import lowhand_training
for module in pkgutil.walk_packages(lowhand_training.__path__, "lowhand_training."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
after = settings()
print([name for name in before if before[name] != after[name]])
"""
)

_reader: dict[str, Any] = {}
exec(READ, _reader)
settings = _reader["settings"]


@pytest.fixture(scope="module", autouse=True)
def imported(tmp_path_factory) -> None:
    """Imports what a first optimiser imports: torch's compiler sets a variable of its own."""
    run(small_config(tmp_path_factory.mktemp("first")), quiet())


@pytest.fixture(params=[False, True], ids=["float32", "bfloat16"])
def config(request, tmp_path, monkeypatch) -> TrainConfig:
    """A small run, on a processor that multiplies bfloat16 natively and on one that doesn't."""
    monkeypatch.setattr(network_module, "has_fast_bfloat16", lambda: request.param)
    config = small_config(tmp_path / "run", threads=torch.get_num_threads() + 1)
    assert network_module.wants_bfloat16(config.network) == request.param
    return config


@pytest.fixture(params=["ppo", "maskable_ppo"])
def trained(request, config) -> TrainConfig:
    """The same for both algorithms."""
    if request.param == "maskable_ppo":
        pytest.importorskip("sb3_contrib")
    config.algorithm = request.param
    return config


def make(config: TrainConfig) -> TrainingRun:
    if config.algorithm == "ppo":
        return TrainingRun(config, quiet())
    from lowhand_training.sb3.run import MaskableRun

    return MaskableRun(config, quiet())


def after(made: TrainingRun, number: int, act) -> None:
    """Have `act` called at the end of this update, within the run."""
    if made.config.algorithm == "ppo":
        after_update(made, number, act)
        return
    end_update = made.learner.end_update

    def spied() -> None:
        end_update()
        if made.learner.update_number == number:
            act()

    made.learner.end_update = spied


def test_the_settings_are_those_asked_for_within_and_the_old_ones_after():
    before = settings()
    for bfloat16 in (False, True):
        with torch_settings(3, bfloat16):
            assert torch.get_num_threads() == 3
            changed = settings_of_products()
            with torch_settings(2, not bfloat16):
                assert torch.get_num_threads() == 2
                assert settings_of_products() != changed
            assert (torch.get_num_threads(), settings_of_products()) == (3, changed)
        assert settings() == before


def settings_of_products() -> str:
    products = getattr(torch.backends.mkldnn, "matmul", None)
    return torch.get_float32_matmul_precision() if products is None else products.fp32_precision


def test_settings_that_a_user_made_stay():
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(3)
        torch.set_float32_matmul_precision("high")
        before = settings()
        with torch_settings(1, True):
            assert torch.get_num_threads() == 1
        assert settings() == before
    finally:
        torch.set_num_threads(threads)
        torch.set_float32_matmul_precision("highest")


def test_making_a_run_changes_nothing(trained):
    before = settings()
    make(trained)
    assert settings() == before


def test_a_finished_run_leaves_nothing(trained):
    before = settings()
    run(trained, quiet())
    assert settings() == before


def test_a_run_computes_with_the_settings_of_its_config(config):
    made, seen = TrainingRun(config, quiet()), []
    after_update(made, 2, lambda: seen.append(torch.get_num_threads()))
    before = torch.get_num_threads()
    made.run()
    assert seen == [config.threads] != [before]


def test_a_run_that_fails_leaves_nothing(trained):
    def fail() -> None:
        raise RuntimeError("enough")

    before, made = settings(), make(trained)
    after(made, 2, fail)
    with pytest.raises(RuntimeError, match="enough"):
        made.run()
    assert settings() == before


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_interrupted_leaves_nothing(trained, number, count):
    """One signal ends the run after an update, and two end it at once."""

    def interrupt() -> None:
        for _ in range(count):
            signal.raise_signal(number)

    before, made = settings(), make(trained)
    after(made, 2, interrupt)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        made.run()
    assert settings() == before


def test_a_run_that_cannot_be_gone_on_with_leaves_nothing(trained):
    made = make(trained)
    made.stopping = True
    made.run()
    before = settings()
    trained.resume, trained.network = True, NetworkConfig(hidden=[4, 4])
    with pytest.raises(ValueError, match=r"other values of network\.hidden"):
        run(trained, quiet())
    assert settings() == before


def test_learning_a_belief_leaves_nothing():
    from lowhand.agents.names import make_agent
    from lowhand_training.exploit.belief import learn_belief

    game, before = get_game("least_score"), settings()
    learn_belief(make_agent("greedy:7", game), game, game.options(num_players=2), 1)
    assert settings() == before


def test_a_run_makes_the_same_weights_whatever_was_drawn_before(config):
    first = TrainingRun(config, quiet()).learner.network.state_dict()
    torch.rand(3)
    again = TrainingRun(config, quiet()).learner.network.state_dict()
    for name, tensor in first.items():
        assert torch.equal(tensor, again[name]), name


def test_products_after_a_run_are_exact(config):
    """With the run's own precision the error would be some 0.01."""
    config.game = GameConfig(players=[3])
    run(config, quiet())
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(2, 256, 256)).astype(np.float32)
    product = torch.from_numpy(one) @ torch.from_numpy(two)
    np.testing.assert_allclose(product.numpy(), one @ two, rtol=1e-4, atol=1e-4)


def test_imports_change_nothing():
    pytest.importorskip("sb3_contrib")
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS_CHANGE_NOTHING], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\n"
