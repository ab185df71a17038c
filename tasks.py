"""Set-up and everyday tasks of the project, with nothing but Python 3.11 and pip on the machine.

    python3 tasks.py demo     train a small agent and evaluate it against the baselines
    python3 tasks.py test     the test suite; further arguments go to pytest
    python3 tasks.py --help   the other tasks

Each task first sees to a virtual environment, `.venv` here or the folder that the variable
LOWHAND_VENV names, and installs the project into it, editable and at the versions of
constraints.txt. That is done once and again whenever pyproject.toml or constraints.txt change.
"""

from __future__ import annotations  # so that an older Python gets as far as our error sentence

import argparse
import hashlib
import importlib.util
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST_PYTHON = (3, 11)

# Each task: its help, the extra of pyproject.toml that it needs, and its commands. In those,
# the first word is a program of the virtual environment. Extra arguments are appended to the last
# command.
TASKS: dict[str, tuple[str, str, list[list[str]]]] = {
    "demo": (
        "train a small agent (about a minute on 2 cores) and evaluate it against the baselines",
        "train",
        [
            ["lowhand", "train", "--config", "configs/quickstart.yaml", "--out", "runs/quickstart"],
            ["lowhand", "evaluate", "runs/quickstart"],
        ],
    ),
    "test": (
        "run the test suite; further arguments go to pytest",
        "dev",
        # Two processes: the suite is planned for two cores, and more would compile the same kernels
        # in parallel on a cold cache. `-n 0` as a further argument switches that off.
        [["python", "-m", "pytest", "-n", "2"]],
    ),
    "lint": (
        "ruff, the formatter's check and mypy",
        "dev",
        [
            ["python", "-m", "ruff", "check"],
            ["python", "-m", "ruff", "format", "--check"],
            ["python", "-m", "mypy"],
        ],
    ),
    "crosscheck": (
        "the engine against the slow referee over 100,000 games",
        "dev",
        # One test plays for many minutes, so the limit for hung tests is lifted.
        [["python", "-m", "pytest", "-m", "crosscheck", "-o", "faulthandler_timeout=0"]],
    ),
    "mutants": (
        "plant known errors in a copy of the engine and see that a test fails for each",
        "dev",
        [["python", "tests/mutants.py"]],
    ),
    "bench": (
        "measure decisions per second, with other libraries in the same run",
        "bench",
        [["python", "benchmarks/throughput.py"]],
    ),
    "docs": (
        "build the documentation site into site/, warnings being errors",
        "docs",
        [["python", "-m", "mkdocs", "build", "--strict"]],
    ),
    "setup": ("make the environment for development and run nothing", "dev", []),
}

# Extras that contain others, as pyproject.toml says: nothing need be installed twice.
CONTAINED_IN = {"train": {"dev", "bench"}}


class TaskError(Exception):
    """A failure that one sentence explains; `status` is what the process exits with."""

    def __init__(self, message: str, status: int = 1) -> None:
        super().__init__(message)
        self.status = status


def main() -> int:
    """Run the task that the command line names and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="tasks.py",
        description="Makes the virtual environment if need be, then runs a task in it.",
        epilog="tasks:\n" + "\n".join(f"  {name:<11} {task[0]}" for name, task in TASKS.items()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("task", choices=TASKS, metavar="task", help="one of the tasks below")
    parser.add_argument(
        "args", nargs=argparse.REMAINDER, help="further arguments, for the task's last command"
    )
    if len(sys.argv) == 1:
        parser.print_help()
        return 2
    options = parser.parse_args()
    # mkdocs-material prints at each start that it has a successor: see pyproject.toml.
    os.environ.setdefault("NO_MKDOCS_2_WARNING", "1")
    _, extra, commands = TASKS[options.task]
    if options.args and not commands:
        parser.error(f"{options.task} takes no further arguments")
    try:
        env = environment_folder()
        ensure_environment(env, extra)
        for i, command in enumerate(commands):
            further = options.args if i == len(commands) - 1 else []
            print("$", shlex.join([*command, *further]), flush=True)
            status = run([program(env, command[0]), *command[1:], *further])
            if status != 0:
                return status
    except TaskError as error:
        print(f"tasks.py: {error}", file=sys.stderr)
        return error.status
    return 0


def environment_folder() -> Path:
    """The virtual environment's folder: `LOWHAND_VENV` if set, else `.venv` in the project."""
    named = os.environ.get("LOWHAND_VENV")
    return Path(named).expanduser().absolute() if named else ROOT / ".venv"


def program(env: Path, name: str) -> str:
    """The path of a program of the virtual environment."""
    if os.name == "nt":
        return str(env / "Scripts" / f"{name}.exe")
    return str(env / "bin" / name)


def ensure_environment(env: Path, extra: str) -> None:
    """Make `env` a virtual environment that holds the project with `extra`, at the tested versions.

    A stamp in the folder tells what was installed there, from which files, so that nothing is
    installed twice and a change of either file is noticed.
    """
    digest = hashlib.sha256(str(ROOT).encode())  # an editable install points to this folder
    for name in ("pyproject.toml", "constraints.txt"):
        try:
            digest.update((ROOT / name).read_bytes())
        except OSError as error:
            raise TaskError(f"{ROOT / name} can't be read ({error.strerror}).") from None

    stamp = env / "lowhand-stamp.json"
    installed = set(read_stamp(stamp).get(digest.hexdigest(), []))
    working = works(env)
    if working and installed & ({extra} | CONTAINED_IN.get(extra, set())):
        return
    if not working:
        make_environment(env)
        installed = set()

    print(f"Installing lowhand[{extra}] into {env}: once, a few minutes.", flush=True)
    pip = [program(env, "python"), "-m", "pip", "--quiet", "--disable-pip-version-check"]
    status = run([*pip, "install", "-c", "constraints.txt", "-e", f".[{extra}]"])
    if status != 0:
        raise TaskError(
            f"pip could not install lowhand[{extra}] (status {status}): see its message above.",
            status,
        )
    stamp.write_text(json.dumps({digest.hexdigest(): sorted(installed | {extra})}))


def read_stamp(stamp: Path) -> dict[str, list[str]]:
    """What the stamp says was installed: extras by digest; nothing if there is no sound stamp."""
    try:
        content = json.loads(stamp.read_text())
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def works(env: Path) -> bool:
    """Whether `env` holds a Python that is new enough and runs pip."""
    check = f"import sys, pip; sys.exit(sys.version_info < {OLDEST_PYTHON})"
    try:
        result = subprocess.run([program(env, "python"), "-c", check], capture_output=True)
    except OSError:
        return False
    return result.returncode == 0


def make_environment(env: Path) -> None:
    """Make a fresh virtual environment at `env`, in place of a broken one if there is one."""
    if env.exists() and not env.is_dir():
        raise TaskError(f"{env} is not a folder; the virtual environment would have to be there.")
    # Clearing empties the folder, so never do it to one that holds something else.
    if env.is_dir() and any(env.iterdir()) and not (env / "pyvenv.cfg").is_file():
        raise TaskError(f"{env} is no virtual environment but holds files; name another folder.")

    print(f"Making a virtual environment in {env}.", flush=True)
    make = [sys.executable, "-m", "venv", "--clear", str(env)]
    # Some Linux distributions leave out ensurepip; then the machine's own pip installs one.
    has_ensurepip = importlib.util.find_spec("ensurepip") is not None
    status = run(make if has_ensurepip else [*make, "--without-pip"])
    if status == 0 and not has_ensurepip:
        pip = [sys.executable, "-m", "pip", "--python", program(env, "python"), "install"]
        status = run([*pip, "--quiet", "--disable-pip-version-check", "pip"])
    if status != 0:
        raise TaskError(
            f"the virtual environment {env} could not be made: see the message above.",
            status,
        )


def run(command: list[str]) -> int:
    """Run a command in the project's folder and return its exit status.

    Ctrl-C reaches the command as well, and it alone decides what to do then (training saves its
    state first), so this process ignores it meanwhile.
    """
    try:
        process = subprocess.Popen(command, cwd=ROOT)
    except OSError as error:
        raise TaskError(f"{command[0]} can't be run ({error.strerror}).") from None
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    return status if status >= 0 else 128 - status  # ended by a signal: as a shell counts it


if __name__ == "__main__":
    if sys.version_info < OLDEST_PYTHON:
        sys.exit(
            f"tasks.py: Python {OLDEST_PYTHON[0]}.{OLDEST_PYTHON[1]} or newer is needed, "
            f"and this is {sys.version.split()[0]}: run it with a newer one."
        )
    sys.exit(main())
