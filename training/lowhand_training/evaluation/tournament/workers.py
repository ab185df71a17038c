"""Jobs played by processes of this machine, or by a Ray cluster.

Both take a list of jobs and yield each with its part when it is finished, in any order. What a
part holds does not depend on who played it.
"""

import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.tournament.plan import Job
from lowhand_training.evaluation.tournament.play import play_job

_PATIENCE = 10.0  # seconds
LOCAL = "local"
"""The address of a Ray cluster that is started on this machine for one tournament."""


def check_processes(processes: int) -> None:
    """Raise a ValueError if there is no process to play in."""
    if processes < 1:
        raise ValueError(f"processes must be at least 1, not {processes}.")


def play_in_processes(jobs: Sequence[Job], processes: int) -> Iterator[tuple[Job, bytes]]:
    """Play jobs in several processes, or in this one if `processes` is 1.

    Raises:
        ValueError: an agent failed or made an illegal move, or a process ended.
    """
    check_processes(processes)
    if processes == 1 or len(jobs) < 2:
        for job in jobs:
            yield job, play_job(job)
        return
    # Forked processes would inherit the threads of libraries in an unknown state.
    context, others = multiprocessing.get_context("spawn"), set(multiprocessing.active_children())
    pool = ProcessPoolExecutor(min(processes, len(jobs)), context, initializer=_begin_worker)
    try:
        futures = {pool.submit(play_job, job): job for job in jobs}
        for future in as_completed(futures):
            yield futures.pop(future), future.result()
    except BaseException as error:
        # No one waits for what is being played, and workers write no file: no harm is done.
        for worker in set(multiprocessing.active_children()) - others:
            worker.terminate()
        if isinstance(error, BrokenProcessPool):
            raise ValueError(
                "a process that played was killed, perhaps for want of memory, or an agent ended"
                " it; the same command goes on with what is missing."
            ) from error
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin_worker() -> None:
    """Leave Ctrl-C to the parent, and end when the parent does, however it ends.

    A parent that was killed closes no queue: its workers would wait for it for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def play_on_ray(jobs: Sequence[Job], address: str, processes: int) -> Iterator[tuple[Job, bytes]]:
    """Play jobs on a Ray cluster, one a processor.

    Every machine of the cluster needs lowhand, the agents' checkpoints under the names given,
    and the modules of agents of the user's own; none needs the tournament's folder.

    Args:
        jobs: what to play.
        address: of the cluster, or `LOCAL` for one of this machine, or `auto` for the one that
            runs here.
        processes: of a `LOCAL` cluster.

    Raises:
        ValueError: Ray is missing, no cluster answers, an agent failed or made an illegal move.
    """
    ray = need("ray", "ray")
    joined = ray.is_initialized()
    if not joined:
        _join(address, processes)
    try:
        remote = ray.remote(_play_there)
        waiting = {remote.remote(job, sys.path): job for job in jobs}
        while waiting:
            (done, *_), _ = ray.wait(list(waiting))
            try:
                part: bytes = ray.get(done)
            except ray.exceptions.RayError as error:  # of the job, or of a worker that died
                cause = getattr(error, "cause", error)
                if isinstance(cause, ValueError):  # one of ours
                    raise cause from error
                first_line = next(iter(str(cause).strip().splitlines()), type(cause).__name__)
                reason = first_line.rstrip(".")
                raise ValueError(f"a worker of the Ray cluster failed ({reason}).") from error
            yield waiting.pop(done), part
    finally:
        if not joined:
            ray.shutdown()


def _play_there(job: Job, path: list[str]) -> bytes:
    """Play a job on another machine, whose modules of the same place are found there too."""
    sys.path.extend(place for place in path if place not in sys.path)
    return play_job(job)


def _join(address: str, processes: int) -> None:
    """Connect to a cluster, or start one.

    Raises:
        ValueError: none answers at this address.
    """
    ray = need("ray", "ray")
    settings: dict[str, Any] = {
        "log_to_driver": False,
        "logging_level": "ERROR",
        # What a network computes must not depend on how many threads its machine gives it.
        "runtime_env": {"env_vars": {"OPENBLAS_NUM_THREADS": "1"}},
    }
    if address == LOCAL:
        settings |= {"num_cpus": processes, "include_dashboard": False}
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    try:
        if colon:  # no word such as `auto`: see that it listens, since Ray would try for minutes
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE).close()
        ray.init(address, **settings)
    except (OSError, OverflowError, ValueError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise ValueError(f"no Ray cluster answers at {address!r} ({reason}).") from error
