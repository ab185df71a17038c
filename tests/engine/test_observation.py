"""Specs of observations: everything follows from one list of fields."""

import numpy as np
import pytest

from lowhand.engine.observation import ABSENT, Field, ObservationSpec

Layout = np.dtype(
    (np.record, np.dtype([(name, np.int32) for name in ("a", "hidden", "b", "seats")], align=True))
)


@pytest.fixture
def spec() -> ObservationSpec:
    fields = [
        Field("a", (2, 3), "six of something", high=2.0),
        Field("b", (4,), "four of another", low=-1.0),
    ]
    return ObservationSpec(fields, Layout, {"seats": 5}, perfect_recall=False, seats=5)


def test_fields_follow_one_another_without_gaps(spec: ObservationSpec) -> None:
    assert spec.size == 10
    assert spec.slices == {"a": slice(0, 6), "b": slice(6, 10)}


def test_the_layout_holds_offsets_and_parameters(spec: ObservationSpec) -> None:
    assert spec.layout.shape == (1,)
    assert [int(spec.layout[name][0]) for name in ("a", "hidden", "b", "seats")] == [
        0,
        ABSENT,
        6,
        5,
    ]


def test_bounds_are_those_of_the_fields(spec: ObservationSpec) -> None:
    low, high = spec.bounds()
    assert low.tolist() == [0] * 6 + [-1] * 4
    assert high.tolist() == [2] * 6 + [1] * 4
    assert low.dtype == high.dtype == np.float32


@pytest.mark.parametrize("lead", [(), (7,), (2, 3)])
def test_views_share_memory_and_have_the_fields_shapes(
    spec: ObservationSpec, lead: tuple[int, ...]
) -> None:
    observation = np.arange(10 * int(np.prod(lead, dtype=int)), dtype=np.float32)
    observation = observation.reshape(*lead, 10)
    views = spec.views(observation)
    assert {name: view.shape for name, view in views.items()} == {
        "a": (*lead, 2, 3),
        "b": (*lead, 4),
    }
    assert np.array_equal(views["a"].reshape(*lead, 6), observation[..., :6])
    views["b"][...] = -1
    assert (observation[..., 6:] == -1).all()


def test_the_table_of_the_documentation(spec: ObservationSpec) -> None:
    lines = spec.table().splitlines()
    assert lines[2] == "| `a` | 0–5 | 2 × 3 | 0 … 2 | six of something |"
    assert lines[3] == "| `b` | 6–9 | 4 | -1 … 1 | four of another |"
    assert len(lines) == 4


def test_the_signature_is_plain_and_tells_observations_apart(spec: ObservationSpec) -> None:
    assert spec.signature() == [["a", [2, 3]], ["b", [4]]]
