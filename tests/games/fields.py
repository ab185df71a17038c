"""Checks of an observation's fields, for every game."""

from collections.abc import Mapping

import numpy as np

from lowhand.engine.kernels_rows import observe_one
from lowhand.engine.observation import ObservationSpec


def assert_each_field_writes_its_slice(
    spec: ObservationSpec, rules: np.ndarray, states: np.ndarray, seat: int, num_actions: int
) -> None:
    """With its offset moved after all others, a field fills that place and no other."""
    whole = np.full((1, spec.size), np.nan, np.float32)
    mask = np.zeros((1, num_actions), np.int8)
    observe_one(rules, spec.layout, states, seat, whole, mask)
    assert not np.isnan(whole).any()
    for field in spec.fields:
        layout = spec.layout.copy()
        layout[field.name] = spec.size + 1
        out = np.full((1, spec.size + 1 + field.size + 1), np.nan, np.float32)
        observe_one(rules, layout, states, seat, out, mask)
        wanted = np.full(out.shape[1], np.nan, np.float32)
        wanted[: spec.size] = whole[0]
        wanted[spec.slices[field.name]] = np.nan
        wanted[spec.size + 1 : -1] = whole[0, spec.slices[field.name]]
        np.testing.assert_array_equal(out[0], wanted, err_msg=field.name)


def assert_padded_with_zeros(
    tight: Mapping[str, np.ndarray], padded: Mapping[str, np.ndarray], players: int
) -> None:
    """Fields with more seats than players: zeros for the seats without one, the rest unmoved."""
    for name, values in padded.items():
        if values.shape != tight[name].shape:
            assert not values[players:].any(), name
            values = values[:players]
        np.testing.assert_array_equal(values, tight[name], err_msg=name)
