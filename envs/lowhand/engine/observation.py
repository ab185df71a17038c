"""Observations: a list of named fields, and everything else derived from that list.

A game declares its fields once, each with a shape and a meaning. The list determines the layout
by which the compiled `observe` writes, the flat vector's size and bounds, the named views, and
the tables of the documentation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.records import record

ABSENT = -1
"""The offset, in a layout record, of a field that the observation lacks."""


@dataclass(frozen=True)
class Field:
    """One field of an observation.

    Attributes:
        name: name of the field, also in the layout record.
        shape: its shape; the flat vector holds it in C order.
        meaning: its description in one line.
        low, high: bounds of its values.
    """

    name: str
    shape: tuple[int, ...]
    meaning: str
    low: float = 0.0
    high: float = 1.0

    @property
    def size(self) -> int:
        """Number of entries in the flat vector."""
        return math.prod(self.shape)


class ObservationSpec:
    """The fields of an observation in the order of the flat vector.

    Args:
        fields: the fields present.
        layout_dtype: record dtype with an int32 offset for every field the game knows, and
            the parameters; by default for the fields present and `seats`.
        parameters: values of the layout record that are no offsets; by default `seats`.
        perfect_recall: whether the observer remembers every public move.
        seats: seats that the observation has room for.

    Raises:
        ValueError: two entries of the layout have the same name.

    Attributes:
        layout: array of shape (1,) of the layout record; compiled functions read it.
        size: length of the flat vector.
        slices: the part of the flat vector that each field takes.
    """

    def __init__(
        self,
        fields: Sequence[Field],
        layout_dtype: np.dtype | None = None,
        parameters: dict[str, int] | None = None,
        *,
        perfect_recall: bool,
        seats: int,
    ) -> None:
        self.fields = tuple(fields)
        self.perfect_recall = perfect_recall
        self.seats = seats
        self.slices: dict[str, slice] = {}
        parameters = {"seats": seats} if parameters is None else parameters
        names = [*(field.name for field in self.fields), *parameters]
        clashing = sorted({name for name in names if names.count(name) > 1})
        if clashing:
            raise ValueError(f"two entries of the observation's layout are named {clashing[0]!r}.")
        if layout_dtype is None:
            layout_dtype = record(**dict.fromkeys(names, np.int32))
        self.layout: np.ndarray = np.zeros(1, layout_dtype)
        for name in layout_dtype.names or ():
            self.layout[name] = ABSENT
        offset = 0
        for field in self.fields:
            self.slices[field.name] = slice(offset, offset + field.size)
            self.layout[field.name] = offset
            offset += field.size
        self.size = offset
        for name, value in parameters.items():
            self.layout[name] = value

    def __repr__(self) -> str:
        fields = ", ".join(f"{f.name} {'×'.join(map(str, f.shape))}" for f in self.fields)
        return f"ObservationSpec({self.size}: {fields})"

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Lowest and highest value of each entry: two float32 vectors of length `size`."""
        sizes = [field.size for field in self.fields]
        low = np.repeat(np.array([f.low for f in self.fields], np.float32), sizes)
        high = np.repeat(np.array([f.high for f in self.fields], np.float32), sizes)
        return low, high

    def views(self, observation: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        """The fields of `observation` (shape (..., size)) by name, as views of their shape."""
        lead = observation.shape[:-1]
        return {
            field.name: observation[..., self.slices[field.name]].reshape(*lead, *field.shape)
            for field in self.fields
        }

    def table(self) -> str:
        """The fields as a Markdown table: name, place in the vector, shape, range, meaning."""
        lines = ["| field | entries | shape | range | meaning |", "| --- | --- | --- | --- | --- |"]
        for field in self.fields:
            place = self.slices[field.name]
            shape = " × ".join(map(str, field.shape))
            lines.append(
                f"| `{field.name}` | {place.start}–{place.stop - 1} | {shape} "
                f"| {field.low:g} … {field.high:g} | {field.meaning} |"
            )
        return "\n".join(lines)

    def signature(self) -> list[list[object]]:
        """Names and shapes in order, as plain lists, which a checkpoint records and compares."""
        return [[field.name, list(field.shape)] for field in self.fields]
