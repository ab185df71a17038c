"""A tournament from its first job to its last, in a folder that any interruption leaves whole."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from lowhand_training.common.files import write_atomically
from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.tournament.plan import Plan
from lowhand_training.evaluation.tournament.table import (
    PARTS,
    PLAN,
    has_part,
    part_path,
    read_plan,
)
from lowhand_training.evaluation.tournament.workers import (
    check_processes,
    play_in_processes,
    play_on_ray,
)

_TORN = "*.part"  # files of a process that was killed in `write_atomically`


def run_tournament(
    plan: Plan,
    folder: str | Path,
    *,
    processes: int = 2,
    ray: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> int:
    """Play what of a plan is not yet played; the folder then holds the whole table.

    A part is written at once when its job is finished, and never again: a run that was killed
    goes on where it was, and ends with the same files as an unbroken one. Only a part that is
    broken, or of another job, is played again.

    Args:
        plan: what to play.
        folder: of the tournament; made if there is none.
        processes: of this machine, or of a local Ray cluster.
        ray: address of a Ray cluster that plays instead of processes (see `play_on_ray`).
        progress: called with (games finished, games in all) of this run after each job.

    Returns:
        The number of games that were there already.

    Raises:
        ValueError: the folder holds another tournament or other files, or another run plays into
            it; pyarrow or Ray is missing; or an agent failed or made an illegal move.
    """
    need("pyarrow", "eval")
    if ray is not None:
        need("ray", "ray")
    check_processes(processes)
    folder = Path(folder)
    _prepare(folder, plan)
    with _alone(folder):
        for path in [*folder.glob(_TORN), *(folder / PARTS).glob(_TORN)]:
            path.unlink()
        todo = [job for job in plan.jobs() if not has_part(folder, job)]
        total = sum(job.count for job in todo)
        if not todo:
            return plan.total
        if ray is None:
            played = play_in_processes(todo, processes)
        else:
            played = play_on_ray(todo, ray, processes)
        progress = progress or (lambda finished, total: None)
        progress(0, total)
        finished = 0
        for job, part in played:
            write_atomically(part_path(folder, job), part)
            finished += job.count
            progress(finished, total)
        return plan.total - total


def _prepare(folder: Path, plan: Plan) -> None:
    """Make the folder of a plan; a ValueError says what else it holds already."""
    if not (folder / PLAN).exists():
        foreign = not folder.is_dir() or set(folder.iterdir()) - set(folder.glob(_TORN))
        if folder.exists() and foreign:
            raise ValueError(
                f"{folder} exists and holds no tournament; name a new folder, or an empty one."
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PLAN, plan.to_json().encode())
    known = vars(read_plan(folder))
    different = [name for name, value in vars(plan).items() if value != known[name]]
    if different:
        raise ValueError(
            f"{folder} holds another tournament (it differs in {' and '.join(different)}); give"
            " its command again to go on with it, or name another folder."
        )
    (folder / PARTS).mkdir(exist_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep other runs away from a tournament's folder, as far as its file system can.

    The lock ends with the process, however that ends. A ValueError says that another run is there.
    """
    try:
        import fcntl
    except ModuleNotFoundError:  # Windows: two runs then do the same work twice
        yield
        return
    with open(folder / PLAN, "rb") as plan:
        try:
            fcntl.flock(plan, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise ValueError(
                f"another run plays into {folder}; wait for it, or name another folder."
            ) from error
        except OSError:  # a file system without locks
            pass
        yield
