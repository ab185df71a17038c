"""A tournament from its first job to its last, in a folder that any interruption leaves whole."""

from collections.abc import Callable
from dataclasses import fields
from pathlib import Path

from lowhand_training.checkpoint import write_atomically
from lowhand_training.extras import need
from lowhand_training.tournament.plan import Plan
from lowhand_training.tournament.table import PARTS, PLAN, part_path, read_plan
from lowhand_training.tournament.workers import play_in_processes, play_on_ray

UNFINISHED = ".part"  # how the names end under which `write_atomically` begins


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
    goes on where it was, and ends with the same files as an unbroken one.

    Args:
        plan: what to play.
        folder: of the tournament; made if there is none.
        processes: of this machine, or of a local Ray cluster.
        ray: address of a Ray cluster that plays instead of processes (see `play_on_ray`).
        progress: told (games finished, games in all) of this run after each job.

    Returns:
        The number of games that were there already.

    Raises:
        ValueError: the folder holds another tournament or other files, pyarrow or Ray is missing,
            or an agent failed or made an illegal move.
    """
    need("pyarrow", "eval")
    if ray is not None:
        need("ray", "ray")
    folder = Path(folder)
    _prepare(folder, plan)
    jobs = plan.jobs()
    todo = [job for job in jobs if not part_path(folder, job).exists()]
    games, total = sum(job.count for job in jobs), sum(job.count for job in todo)
    if not todo:
        return games
    played = (
        play_in_processes(todo, processes) if ray is None else play_on_ray(todo, ray, processes)
    )
    if progress is not None:
        progress(0, total)
    finished = 0
    for job, part in played:
        write_atomically(part_path(folder, job), part)
        finished += job.count
        if progress is not None:
            progress(finished, total)
    return games - total


def _prepare(folder: Path, plan: Plan) -> None:
    """Make the folder of a plan, or see that it is the plan's own.

    Raises:
        ValueError: it holds something else.
    """
    torn = f"*{UNFINISHED}"  # files of a process that was killed while it wrote
    if not (folder / PLAN).exists():
        foreign = not folder.is_dir() or set(folder.iterdir()) - set(folder.glob(torn))
        if folder.exists() and foreign:
            raise ValueError(
                f"{folder} exists and holds no tournament; name a new folder, or an empty one."
            )
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / PLAN, plan.to_json().encode())
    known = read_plan(folder)
    different = [
        field.name
        for field in fields(Plan)
        if getattr(plan, field.name) != getattr(known, field.name)
    ]
    if different:
        raise ValueError(
            f"{folder} holds another tournament (it differs in {' and '.join(different)}); give"
            " its command again to go on with it, or name another folder."
        )
    (folder / PARTS).mkdir(exist_ok=True)
    for path in [*folder.glob(torn), *(folder / PARTS).glob(torn)]:
        path.unlink()
