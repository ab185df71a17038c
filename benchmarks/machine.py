"""The machine that a benchmark runs on: one core to measure on, and a note of what it was.

Imports nothing but the standard library, since what it sets must be in force before NumPy,
Numba or JAX are imported.
"""

import contextlib
import functools
import importlib.metadata
import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import Any

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)


def use_one_thread() -> None:
    """Tell every numerical library to use one thread; call before importing any of them."""
    for variable in THREAD_VARIABLES:
        os.environ[variable] = "1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = (
        "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1 "
        + os.environ.get("XLA_FLAGS", "")
    ).strip()


@functools.cache
def allowed_cores() -> tuple[int, ...]:
    """The cores that this process could use when it was first asked; empty if unknown."""
    if not hasattr(os, "sched_setaffinity"):
        return ()
    return tuple(sorted(os.sched_getaffinity(0)))


@contextlib.contextmanager
def on_cores(count: int) -> Iterator[None]:
    """Run the block on the last `count` of the allowed cores.

    Does nothing on systems that cannot bind a process to cores (macOS, Windows).
    """
    cores = allowed_cores()
    if not cores:
        yield
        return
    # The last, since interrupts and the shell tend to sit on the first.
    os.sched_setaffinity(0, set(cores[-count:]))
    try:
        yield
    finally:
        os.sched_setaffinity(0, set(cores))


def cpu_model() -> str:
    """The processor's name as the system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def version(distribution: str) -> str | None:
    """The installed version of a distribution, or None."""
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return None


def describe() -> dict[str, Any]:
    """What a reader needs to judge a figure: processor, system, Python, NumPy, Numba, load."""
    return {
        "cpu": cpu_model(),
        "cores": os.cpu_count(),
        "bound_to_cores": bool(allowed_cores()),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "numpy": version("numpy"),
        "numba": version("numba"),
        "load_average": list(os.getloadavg()) if hasattr(os, "getloadavg") else None,
    }
