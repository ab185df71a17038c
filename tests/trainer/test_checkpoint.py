import json
import os
import pickle
import stat
from pathlib import Path

import numpy as np
import pytest
import yaml
from safetensors.numpy import load_file, save_file

from lowhand.agents.names import make_agent
from lowhand.agents.network import CheckpointError, NetworkAgent
from lowhand_training.common import files as module
from lowhand_training.common.files import load_arrays, save_arrays, write_atomically
from lowhand_training.trainer.checkpoint import CONFIG, MODEL, RESULTS, write_config, write_results
from tests.trainer.small import GAME, small_config

CONFIG_OF_RUN = small_config()
SPEC = GAME.observation(CONFIG_OF_RUN.options(), True, 4)


def random_weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = {"body.0": (8, SPEC.size), "policy": (2, 8), "value": (1, 8)}
    weights = {}
    for name, shape in shapes.items():
        weights[f"{name}.weight"] = rng.normal(size=shape).astype(np.float32)
        weights[f"{name}.bias"] = rng.normal(size=shape[0]).astype(np.float32)
    return weights


@pytest.fixture
def folder(tmp_path) -> Path:
    """A checkpoint as a run writes it."""
    save_arrays(tmp_path / MODEL, random_weights())
    write_config(tmp_path, CONFIG_OF_RUN, GAME, SPEC)
    write_results(tmp_path, {"decisions": 1})
    return tmp_path


def full_disk(*unused: object) -> None:
    raise OSError(28, "No space left on device")


class FullFile:
    """A file to which nothing can be written."""

    def __init__(self, path: Path, mode: str) -> None:
        self.file = open(path, mode)  # noqa: SIM115

    def __enter__(self) -> "FullFile":
        return self

    def __exit__(self, *unused: object) -> None:
        self.file.close()

    write = full_disk


def test_file_is_written_and_replaced(tmp_path):
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("place", ["write", "fsync", "replace"])
def test_full_disk_leaves_the_old_file_and_names_it(tmp_path, place, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")
    if place == "write":
        monkeypatch.setattr(module, "open", FullFile, raising=False)
    else:
        monkeypatch.setattr(os, place, full_disk)
    with pytest.raises(OSError, match="No space left on device") as failure:
        write_atomically(path, b"new")
    assert failure.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_interrupt_in_the_middle_leaves_the_old_file(tmp_path, monkeypatch):
    def interrupt(*unused: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_link_stays_one_and_what_it_names_is_written(tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_written_to_and_stays_one(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"new")
    assert os.read(reader, 10) == b"new"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)


def test_missing_folder_is_an_error_that_names_the_file(tmp_path):
    with pytest.raises(FileNotFoundError) as failure:
        write_atomically(tmp_path / "nowhere" / "file", b"new")
    assert failure.value.filename == str(tmp_path / "nowhere" / "file")


@pytest.mark.parametrize("umask", [0o022, 0o077])
def test_files_have_the_permissions_that_the_user_wants(tmp_path, umask):
    before = os.umask(umask)
    try:
        save_arrays(tmp_path / MODEL, random_weights())
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / MODEL).stat().st_mode) == 0o666 & ~umask


def test_arrays_and_metadata_come_back_as_they_were(tmp_path):
    arrays = {
        "a": np.arange(6, dtype=np.float32).reshape(2, 3),
        "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
        "bytes": np.arange(4, dtype=np.uint8),
        "seed": np.array([2**64 - 1], np.uint64),
    }
    metadata = {"update": 3, "state": 2**127, "curve": [{"ä": 0.1}]}
    save_arrays(tmp_path / "file", arrays, metadata)
    again, described = load_arrays(tmp_path / "file")
    assert described == metadata
    assert again.keys() == arrays.keys()
    for name, array in arrays.items():
        assert again[name].dtype == array.dtype
        np.testing.assert_array_equal(again[name], array)


def test_checkpoint_plays(folder):
    agent = make_agent(str(folder), GAME)
    assert isinstance(agent, NetworkAgent)
    assert agent.name == str(folder)
    assert agent.spec.signature() == SPEC.signature()
    assert agent.temperature == 1.0


def test_config_holds_what_is_needed_to_play_and_the_whole_config_of_the_run(folder):
    config = yaml.safe_load((folder / CONFIG).read_text(encoding="utf-8"))
    options = {"num_players": 4, **CONFIG_OF_RUN.game.options}
    assert config["game"] == {"name": GAME.name, "version": GAME.version, "options": options}
    assert config["observation"]["seats"] == 4
    assert config["training"] == CONFIG_OF_RUN.as_dict()
    assert set(config["versions"]) == {"lowhand", "numpy", "torch"}


def test_results_are_json(folder):
    assert json.loads((folder / RESULTS).read_text()) == {"decisions": 1}


def in_config(*path: str, value: object):
    """Change one entry of config.yaml; a value of None takes it away."""

    def spoil(folder: Path) -> None:
        config = yaml.safe_load((folder / CONFIG).read_text())
        holder = config
        for key in path[:-1]:
            holder = holder[key]
        holder[path[-1]] = value
        if value is None:
            del holder[path[-1]]
        (folder / CONFIG).write_text(yaml.safe_dump(config))

    return spoil


def in_weights(**changes: object):
    """Change tensors of model.safetensors, whose dots are written `__`; None takes one away."""

    def spoil(folder: Path) -> None:
        weights = load_file(folder / MODEL)
        for name, change in changes.items():
            key = name.replace("__", ".")
            if change is None:
                del weights[key]
            else:
                weights[key] = np.ascontiguousarray(change(weights[key]))
        save_file(weights, folder / MODEL)

    return spoil


def with_bytes(name: str, change):
    def spoil(folder: Path) -> None:
        (folder / name).write_bytes(change((folder / name).read_bytes()))

    return spoil


def not_a_number(array: np.ndarray) -> np.ndarray:
    array = array.copy()
    array.flat[-1] = np.nan
    return array


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (with_bytes(MODEL, lambda content: content[: len(content) // 2]), "weights can't be read"),
        (with_bytes(MODEL, lambda content: content[:5]), "weights can't be read"),
        (with_bytes(MODEL, lambda content: b""), "weights can't be read"),
        (with_bytes(MODEL, lambda content: b"\xff" * 100), "weights can't be read"),
        (with_bytes(MODEL, lambda content: content + b"more"), "weights can't be read"),
        (in_weights(policy__bias=None), "the weights lack 'policy.bias'"),
        (in_weights(body__0__bias=None), "the weights lack 'body.0.bias'"),
        (in_weights(policy__weight=lambda w: w[:, :5]), "do not match"),
        (in_weights(body__0__weight=lambda w: w.T), "do not match"),
        (in_weights(policy__weight=np.ravel), "do not match"),
        (in_weights(body__0__weight=not_a_number), "numbers that are not finite"),
        (in_weights(policy__bias=not_a_number), "numbers that are not finite"),
        (in_weights(body__0__weight=lambda w: w[:, :-1]), "do not belong together"),
        (
            in_weights(
                policy__weight=lambda w: np.vstack([w, w]),
                policy__bias=lambda b: np.concatenate([b, b]),
            ),
            "makes 4 actions",
        ),
        (lambda folder: (folder / CONFIG).unlink(), "config.yaml can't be read"),
        (with_bytes(CONFIG, lambda content: b"\xff\xfe\xfd"), "config.yaml can't be read"),
        (with_bytes(CONFIG, lambda content: b"format: [1"), "config.yaml can't be read"),
        (with_bytes(CONFIG, lambda content: b"[" * 5000), "config.yaml can't be read"),
        (with_bytes(CONFIG, lambda content: b""), "not of format 1"),
        (with_bytes(CONFIG, lambda content: b"just words"), "not of format 1"),
        (in_config("format", value=2), "not of format 1"),
        (in_config("game", value=None), "'game' is missing"),
        (in_config("game", value=[1]), "config.yaml can't be used"),
        (in_config("game", "name", value="chess"), "trained on chess, and can't play no_thanks"),
        (in_config("game", "version", value=99), "trained on version 99 of no_thanks; this is"),
        (in_config("game", "options", value={"decks": 2}), "config.yaml can't be used"),
        (in_config("game", "options", value=7), "config.yaml can't be used"),
        (in_config("game", "options", "removed", value=40), "removed must be from 0 to"),
        (in_config("observation", value=None), "'observation' is missing"),
        (in_config("observation", "fields", value=None), "'fields' is missing"),
        (
            in_config("observation", "fields", value=[["pot", [1]]]),
            "observation fields that differ",
        ),
        (in_config("observation", "perfect_recall", value=False), "fields that differ"),
        (in_config("observation", "seats", value=3), "observation fields that differ"),
        (in_config("observation", "seats", value=9), "observation_seats must be at most 7"),
        (in_config("observation", "seats", value="many"), "config.yaml can't be used"),
        (in_config("temperature", value="hot"), "must be 0 or a number from 0.001 to 1000"),
        (in_config("temperature", value=-1.0), "must be 0 or a number from 0.001 to 1000"),
        (in_config("temperature", value=float("nan")), "must be 0 or a number from 0.001 to 1000"),
    ],
)
def test_what_does_not_fit_is_refused_in_one_sentence(folder, spoil, sentence):
    spoil(folder)
    with pytest.raises(CheckpointError) as refusal:
        make_agent(str(folder), GAME)
    message = str(refusal.value)
    assert sentence in message
    assert str(folder) in message
    assert message.endswith(".")
    assert "\n" not in message


def test_python_objects_in_the_config_are_refused_and_not_made(folder):
    sign = folder / "executed"
    text = f"!!python/object/apply:os.system ['touch {sign}']"
    for content in (text, f"format: 1\ngame: {text}"):
        (folder / CONFIG).write_text(content)
        with pytest.raises(CheckpointError, match=r"config\.yaml can't be read"):
            make_agent(str(folder), GAME)
    assert not sign.exists()


def test_pickled_weights_are_refused_and_not_loaded(folder):
    sign = folder / "executed"

    class Malice:
        def __reduce__(self):
            return os.system, (f"touch {sign}",)

    (folder / MODEL).write_bytes(pickle.dumps(Malice()))
    with pytest.raises(CheckpointError, match="weights can't be read"):
        make_agent(str(folder), GAME)
    assert not sign.exists()


def test_weights_of_torch_save_are_refused(folder):
    torch = pytest.importorskip("torch")
    tensors = {name: torch.from_numpy(array) for name, array in random_weights().items()}
    torch.save(tensors, folder / MODEL)
    with pytest.raises(CheckpointError, match="weights can't be read"):
        make_agent(str(folder), GAME)


@pytest.mark.parametrize("content", [None, b"", b"broken", b"\xff" * 50], ids=str)
def test_broken_training_state_is_refused(tmp_path, content):
    path = tmp_path / "state"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(CheckpointError, match=r"state can't be read \(.*\)\.$"):
        load_arrays(path)


def test_training_state_without_a_mapping_is_refused(tmp_path):
    save_file({"a": np.zeros(1)}, tmp_path / "state", metadata={"json": "[1]"})
    with pytest.raises(CheckpointError, match="its metadata is no mapping"):
        load_arrays(tmp_path / "state")
