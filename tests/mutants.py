"""Plant known errors in copies of the engine and see that a test fails for each.

    python tests/mutants.py [WORD …]     all, or those whose description contains a word

Each error is a text edit of a fresh copy of the package, on which the tests named with it are
run. They must pass on an unedited copy and fail on the edited one. The status is 1 if an error
survives, 2 if an edit no longer fits the source or the tests could not be run.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from planted import Mutant, least_score, no_thanks

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "envs" / "lowhand"

MUTANTS = (*no_thanks.MUTANTS, *least_score.MUTANTS)


class SetupError(Exception):
    """The mutants can't be judged; the message says why."""


@contextmanager
def copy_of(package: Path) -> Iterator[Path]:
    """A folder with a copy of the package in `lowhand/`, and room for its compile cache."""
    with tempfile.TemporaryDirectory(prefix="lowhand-mutant-") as folder:
        root = Path(folder).resolve()
        shutil.copytree(package, root / "lowhand", ignore=shutil.ignore_patterns("__pycache__"))
        yield root


def plant(root: Path, mutant: Mutant) -> None:
    """Edit the copy in `root`."""
    path = root / "lowhand" / mutant.file
    text = path.read_text()
    edits = [(mutant.old, mutant.new), *([mutant.also] if mutant.also else [])]
    for old, new in edits:
        if text.count(old) != 1:
            raise SetupError(
                f"{mutant.error!r}: {old!r} stands {text.count(old)} times in {mutant.file},"
                " and not once: adapt tests/mutants.py."
            )
        text = text.replace(old, new)
    path.write_text(text)


def run_tests(root: Path, tests: str, select: str, compiled: bool) -> tuple[bool, str]:
    """Whether the tests pass on the copy in `root`, and what pytest said."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(root),
        "PYTHONDONTWRITEBYTECODE": "1",
        "LOWHAND_UNDER_TEST": str(root),  # conftest.py sees that it is this copy
        "NUMBA_CACHE_DIR": str(root / "cache"),
        "NUMBA_DISABLE_JIT": "0" if compiled else "1",
    }
    options = ["-x", "-q", "-p", "no:cacheprovider", "-W", "ignore::RuntimeWarning", "-k", select]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, tests],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in (0, 1):  # neither all passed nor some failed
        raise SetupError(f"{tests} -k {select!r} could not be run:\n{done.stdout}{done.stderr}")
    return done.returncode == 0, done.stdout


def check_untouched(package: Path, selection: tuple[str, str, bool]) -> None:
    """See that the selected tests pass on an unedited copy."""
    with copy_of(package) as root:
        passed, said = run_tests(root, *selection)
    if not passed:
        raise SetupError(f"{selection[0]} fails without any error planted:\n{said}")


def judge(package: Path, mutant: Mutant) -> tuple[Mutant, str, float]:
    """The name of the first test that notices the planted error, or nothing, and the seconds."""
    start = time.monotonic()
    with copy_of(package) as root:
        plant(root, mutant)
        passed, said = run_tests(root, mutant.tests, mutant.select, mutant.compiled)
    failed = [line for line in said.splitlines() if line.startswith("FAILED ")]
    caught_by = "" if passed else failed[0].partition("::")[2].partition(" - ")[0]
    return mutant, caught_by, time.monotonic() - start


def show(mutant: Mutant, caught_by: str, seconds: float) -> None:
    verdict = "caught  " if caught_by else "SURVIVED"
    print(f"{verdict}  {mutant.error:<54} {seconds:4.0f} s  {caught_by}", flush=True)


def main() -> int:
    """Judge all mutants, two at a time, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("words", nargs="*", help="only errors whose description has one of these")
    words = parser.parse_args().words
    chosen = [m for m in MUTANTS if not words or any(word in m.error for word in words)]
    start, survived = time.monotonic(), 0
    try:
        # One copy for all, so that edits made meanwhile do not mix with the planted ones.
        with copy_of(PACKAGE) as root, ThreadPoolExecutor(2) as pool:
            package = root / "lowhand"
            for mutant in MUTANTS:  # all edits must fit before minutes are spent on tests
                with copy_of(package) as scratch:
                    plant(scratch, mutant)
            selections = dict.fromkeys((m.tests, m.select, m.compiled) for m in chosen)
            list(pool.map(partial(check_untouched, package), selections))
            print(f"{len(selections)} selections of tests pass on an unedited copy.", flush=True)
            for verdict in pool.map(partial(judge, package), chosen):
                show(*verdict)
                survived += not verdict[1]
    except SetupError as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2
    print(
        f"{len(chosen) - survived} of {len(chosen)} planted errors were caught in"
        f" {time.monotonic() - start:.0f} s."
    )
    return 1 if survived or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
