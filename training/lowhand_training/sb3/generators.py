"""The random generators that SB3 shares with its whole process."""

import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray


class SharedGenerators:
    """States of the generators of torch, NumPy and Python that one model draws from.

    SB3 seeds and uses those that a process shares. Within `in_use` they have this model's states,
    and outside those that the rest of the process left there.
    """

    def __init__(self) -> None:
        self._states = _read()
        self._in_use = False

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Give the process this model's states, and afterwards restore its own."""
        before = _read()
        _write(self._states)
        self._in_use = True
        try:
            yield
        finally:
            self._states, self._in_use = _read(), False
            _write(before)

    def training_state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """The states of torch's and NumPy's as arrays, and as metadata for JSON."""
        torch_state, numpy_state, _ = _read() if self._in_use else self._states
        position = {"pos": int(numpy_state["state"]["pos"])}
        arrays = {"torch_rng": torch_state.numpy(), "numpy_rng": numpy_state["state"]["key"]}
        return arrays, {"numpy_rng": {**numpy_state, "state": position}}

    def set_training_state(
        self, arrays: Mapping[str, NDArray[Any]], metadata: Mapping[str, Any]
    ) -> None:
        """Continue from what `training_state` gave; not to be called within `in_use`."""
        shared = metadata["numpy_rng"]
        state = {"key": arrays["numpy_rng"], "pos": shared["state"]["pos"]}
        torch_state = torch.from_numpy(np.array(arrays["torch_rng"]))
        self._states = torch_state, {**shared, "state": state}, self._states[2]


def _read() -> tuple[torch.Tensor, dict[str, Any], Any]:
    numpy_state = np.random.get_state(legacy=False)  # noqa: NPY002
    assert isinstance(numpy_state, dict)
    return torch.get_rng_state(), numpy_state, random.getstate()


def _write(states: tuple[torch.Tensor, dict[str, Any], Any]) -> None:
    torch.set_rng_state(states[0])
    np.random.set_state(states[1])  # noqa: NPY002
    random.setstate(states[2])
