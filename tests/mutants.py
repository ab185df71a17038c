"""Plant known errors in copies of the engine and see that a test fails for each.

    python tests/mutants.py [WORD …]     all, or those whose description contains a word

Each error is a text edit of a fresh copy of the package, on which the tests named beside it are
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
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "envs" / "lowhand"

RULES = "no_thanks/rules.py"
OBSERVATION = "no_thanks/observation.py"
TEST_RULES = "tests/envs/no_thanks/test_rules.py"
TEST_LEAKS = "tests/envs/no_thanks/test_leaks.py"
TEST_SHUFFLE = "tests/envs/no_thanks/test_shuffle.py"


@dataclass(frozen=True)
class Mutant:
    """One planted error.

    Attributes:
        error: what is wrong, as RULES.md says it.
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


NEXT_CARD = "np.uint64(min(state.turned, rules.num_cards - 1))"
LAST_CARD = "np.uint64(rules.num_cards - 1)"
CARDS_LEFT = "(rules.num_turned - state.turned) / layout.num_turned"

MUTANTS = (
    Mutant(
        "the turn moves on after a take",
        RULES,
        "following = np.int64(state.mover) + pass_\n",
        "following = np.int64(state.mover) + 1\n",
        TEST_RULES,
        "nt6",
    ),
    *(
        Mutant(
            f"{33 - removed} cards played instead of 24",
            RULES,
            "removed: int = 9",
            f"removed: int = {removed}",
            TEST_RULES,
            "nt1",
        )
        for removed in (10, 7, 4)
    ),
    Mutant(
        "the last card is offered only once",
        RULES,
        "    state.over = last\n",
        "    state.over = state.turned == rules.num_turned and (last or pass_)\n",
        TEST_RULES,
        "nt8",
    ),
    Mutant(
        "card 35 is never scored",
        RULES,
        "(1 - holds(cards, card - 1)) * card -",
        "(1 - holds(cards, card - 1)) * card * (card < 35) -",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "card 35 is left out of a sum over hands",
        RULES,
        "range(LOWEST_CARD, HIGHEST_CARD + 1)",
        "range(LOWEST_CARD, HIGHEST_CARD)",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "the score depends on the order of taking",
        RULES,
        " - holds(cards, card + 1) * (card + 1)",
        "",
        TEST_RULES,
        "nt9 and order",
    ),
    Mutant(
        "no cards score 0 instead of minus the chips",
        RULES,
        "return np.float64(state.points[seat] - state.chips[seat])",
        "return np.float64((state.points[seat] - state.chips[seat]) * (state.cards[seat] != 0))",
        TEST_RULES,
        "nt9",
    ),
    Mutant(
        "a stale pot is left on the table at the end",
        RULES,
        "state.pot = pass_ * (pot + 1)",
        "state.pot = pass_ * (pot + 1) + last * pot",
        TEST_RULES,
        "nt8",
    ),
    Mutant(
        "the last pot is lost",
        RULES,
        "state.chips[seat] += take * pot - pass_",
        "state.chips[seat] += take * (1 - last) * pot - pass_",
        TEST_RULES,
        "nt8",
    ),
    Mutant("11 chips for 6 players", RULES, "6: 9,", "6: 11,", TEST_RULES, "nt3"),
    Mutant("11 chips for 7 players", RULES, "7: 7}", "7: 11}", TEST_RULES, "nt3"),
    Mutant(
        "a pass without chips is turned into a take",
        RULES,
        "take = np.int64(action == TAKE)",
        "take = np.int64(action == TAKE or state.chips[state.mover] == 0)",
        TEST_RULES,
        "nt7",
        also=(" and chips_needed <= state.chips[np.uint64(state.mover)]", ""),
    ),
    Mutant(
        "a pass without chips is legal",
        RULES,
        " and chips_needed <= state.chips[np.uint64(state.mover)]",
        "",
        TEST_RULES,
        "nt7",
    ),
    Mutant(
        "tied winners are given nothing",
        "rewards.py",
        "share = 1.0 / tied if better == 0 else 0.0",
        "share = 1.0 if better == 0 and tied == 1 else 0.0",
        TEST_RULES,
        "nt10",
    ),
    Mutant(
        "tied winners are given a win each",
        "rewards.py",
        "share = 1.0 / tied if better == 0 else 0.0",
        "share = 1.0 if better == 0 else 0.0",
        TEST_RULES,
        "nt10",
    ),
    Mutant(
        "reset(seed) does not fix the deal",
        "batch.py",
        "np.uint64(check_seed(seed))",
        "np.uint64(np.random.default_rng().integers(2**63))",
        TEST_RULES,
        "reset_with_a_seed",
    ),
    Mutant(
        "every seed gives the same deal",
        "rng.py",
        "np.uint64(seed) + GOLDEN",
        "np.uint64(0) + GOLDEN",
        TEST_RULES,
        "reset_with_a_seed",
    ),
    Mutant(
        "the observation leaks the next card",
        OBSERVATION,
        CARDS_LEFT,
        f"{CARDS_LEFT} + 0.001 * state.deck[{NEXT_CARD}]",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the observation leaks a removed card",
        OBSERVATION,
        CARDS_LEFT,
        f"{CARDS_LEFT} + 0.001 * state.deck[{LAST_CARD}]",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the observation leaks other players' chips",
        OBSERVATION,
        "seats if perfect_recall else 1",
        "seats",
        TEST_LEAKS,
        "cannot_know and observation",
        compiled=True,
    ),
    Mutant(
        "the rendering leaks other players' chips",
        "no_thanks/text.py",
        "viewer is None or viewer == seat or bool(state.over)",
        "True",
        TEST_LEAKS,
        "cannot_know and rendering",
        compiled=True,
    ),
    Mutant(
        "a scripted player peeks at the deck",
        "no_thanks/bots.py",
        "state.pot / state.offered > params[0]",
        f"state.pot / state.offered > 0.01 * state.deck[{NEXT_CARD}]",
        TEST_LEAKS,
        "cannot_know and scripted",
        compiled=True,
    ),
    Mutant(
        "a non-uniform shuffle: any place is swapped with any",
        RULES,
        "bound = np.uint64(stop - i)",
        "bound = np.uint64(stop)",
        TEST_SHUFFLE,
        "every_card",
        compiled=True,
        also=("j = np.uint64(i) + (product >> _S16)", "j = product >> _S16"),
    ),
    Mutant(
        "a non-uniform shuffle: the last card is never moved",
        RULES,
        "bound = np.uint64(stop - i)",
        "bound = np.uint64(max(1, stop - i - 1))",
        TEST_SHUFFLE,
        "every_card",
        compiled=True,
    ),
    Mutant(
        "the first player is not random",
        RULES,
        "state.mover = first\n",
        "state.mover = 0\n",
        TEST_RULES,
        "nt4",
    ),
)


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
