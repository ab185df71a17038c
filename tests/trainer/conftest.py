"""A finished run, for the tests that compare theirs with it or read its files."""

from pathlib import Path

import pytest

from tests.trainer.small import small_config


@pytest.fixture(scope="session")
def unbroken(tmp_path_factory) -> Path:
    """The folder of a small run that nothing interrupted. Not to be changed."""
    from tests.trainer.runs import quiet, run

    folder: Path = tmp_path_factory.mktemp("runs") / "unbroken"
    run(small_config(folder), quiet())
    return folder
