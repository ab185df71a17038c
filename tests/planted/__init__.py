"""Known errors, by game, that `tests/mutants.py` plants in copies of the package."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mutant:
    """One planted error.

    Attributes:
        error: what is wrong, in one clause.
        file: path in the package.
        old, new: the text that is replaced; it must stand there exactly once.
        also: a second such pair, for errors that need one.
        tests: the file of the tests that must notice.
        select: which of them, as pytest's `-k` takes it.
        compiled: whether they need compiled code. Few moves are played faster without.
    """

    error: str
    file: str
    old: str
    new: str
    tests: str
    select: str
    compiled: bool = False
    also: tuple[str, str] | None = None
