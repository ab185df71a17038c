"""The errors that `make mutants` plants still fit the source, and each still has a test."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.planted import Mutant, least_score, no_thanks

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "envs" / "lowhand"
MUTANTS = (*no_thanks.MUTANTS, *least_score.MUTANTS)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.error)
def test_a_planted_error_fits_the_source(mutant: Mutant) -> None:
    text = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    for old, new in ((mutant.old, mutant.new), *([mutant.also] if mutant.also else [])):
        assert text.count(old) == 1
        text = text.replace(old, new)


def test_every_planted_error_selects_a_test() -> None:
    """`select` is one word of a test's name and parameters, or several joined by "and"."""
    files = sorted({mutant.tests for mutant in MUTANTS})
    collect = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-n", "0", *files]
    done = subprocess.run(collect, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    tests = [line.split("::", 1) for line in done.stdout.splitlines() if "::" in line]
    for mutant in MUTANTS:
        words = mutant.select.split(" and ")
        assert any(
            file == mutant.tests and all(word in test for word in words) for file, test in tests
        ), mutant
