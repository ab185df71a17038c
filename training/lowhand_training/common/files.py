"""Files: written whole or not at all, JSON, and arrays that load without unpickling anything."""

import contextlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from lowhand.agents.network import CheckpointError

Arrays = Mapping[str, NDArray[Any]]


def write_atomically(path: Path, content: bytes) -> None:
    """Replace the file at once, or leave the old one as it was.

    A link is followed; what is no file, such as a pipe or /dev/stdout, is written to as it is.

    Raises:
        OSError: it can't be written; `path`, which the error names, is untouched.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(content)
            return
        path = Path(os.path.realpath(path))
        part = path.with_name(f"{path.name}.{os.getpid()}.part")
        try:
            with open(part, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except OSError as error:  # that of a full disk lacks the file's name
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error


def as_json(data: Any) -> str:
    """The text of a JSON file, for people too: indented a little, and not escaped."""
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def save_arrays(path: Path, arrays: Arrays, metadata: Mapping[str, Any] | None = None) -> None:
    """Write named arrays, and metadata as JSON in the file's header."""
    whole = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    header = {"json": json.dumps(metadata or {})}
    write_atomically(path, save(whole, metadata=header))


def load_arrays(path: Path) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the metadata that `save_arrays` wrote.

    Raises:
        CheckpointError: there is no such file, or it is broken.
    """
    try:
        with safe_open(path, framework="numpy") as file:
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
            metadata = json.loads((file.metadata() or {}).get("json", "{}"))
    except (OSError, SafetensorError, ValueError) as error:
        raise CheckpointError(f"{path} can't be read ({error}).") from error
    if not isinstance(metadata, dict):
        raise CheckpointError(f"{path} can't be read (its metadata is no mapping).")
    return arrays, metadata


def check_writable(path: Path) -> None:
    """See before a long run, not after it, that a file can be written.

    Raises:
        ValueError: the path is a folder, or its folder does not exist or can't be written to.
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder, not a file to write.")
    if path.exists() and not path.is_file():  # a pipe or a device
        return
    if not path.parent.is_dir():
        raise ValueError(f"the folder {path.parent} does not exist, so {path} can't be written.")
    if not os.access(path.parent, os.W_OK):
        raise ValueError(f"the folder {path.parent} can't be written to.")
