"""The errors that `make mutants` plants still fit the source: their edits change what they mean."""

from pathlib import Path

import pytest

from . import Mutant, least_score, no_thanks

PACKAGE = Path(__file__).resolve().parents[2] / "envs" / "lowhand"


@pytest.mark.parametrize(
    "mutant", [*no_thanks.MUTANTS, *least_score.MUTANTS], ids=lambda mutant: mutant.error
)
def test_a_planted_error_fits_the_source(mutant: Mutant) -> None:
    text = (PACKAGE / mutant.file).read_text(encoding="utf-8")
    for old, new in ((mutant.old, mutant.new), *([mutant.also] if mutant.also else [])):
        assert text.count(old) == 1
        text = text.replace(old, new)
