"""The one table of games: a row for each game and seat, in Parquet files.

`COLUMNS` is the schema. The table is long ("tidy"), so that any tool reads it and the number of
players needs no columns of its own: the mean of `win_share` by `agent` is a win share. The rows
of a game stand together, seat 0 first, so that `load_games` gets its arrays by reshaping.

A tournament's folder holds a part for each job, in `games/`, each written at once. A part's
metadata has the job under the key `lowhand.job`, as JSON. Needs pyarrow.
"""

import io
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.play_games import Results
from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.tournament.plan import MIXED, Job, Plan

PLAN, PARTS = "tournament.json", "games"
_JOB = b"lowhand.job"


class Column(NamedTuple):
    """A column: its Arrow type (`name` is text, encoded by a dictionary) and its meaning."""

    name: str
    kind: str
    meaning: str


COLUMNS = (
    Column("game", "name", "name of the game"),
    Column("version", "int16", "of its rules"),
    Column("players", "int8", "at the table"),
    Column("options", "name", "the game's options, `num_players` included, as JSON"),
    Column("shape", "name", "field shape: one_v_rest, rest_v_one or mixed"),
    Column("focus", "name", "the agent whose games of this shape these are"),
    Column("seed", "uint64", "of the shape and focus"),
    Column(
        "number",
        "int64",
        "of the game: it is the one of game_key(seed, number, 0); the lone player, or in mixed"
        " fields the focus, sits at seat number mod players",
    ),
    Column("decisions", "int32", "made in the game by all seats"),
    Column("seat", "int8", "from 0"),
    Column("agent", "name", "who sat there"),
    Column("score", "float64", "of the seat, in points; low is good"),
    Column("win_share", "float64", "of the seat: 1, or 1/k for each of k tied winners, else 0"),
    Column("rank", "int8", "of the seat by the game's own ranking score: 1 is best; ties share it"),
)


def schema() -> Any:
    """`COLUMNS` as a `pyarrow.Schema`."""
    pa = need("pyarrow", "eval")
    text = pa.dictionary(pa.int32(), pa.string())
    columns = []
    for column in COLUMNS:
        kind = text if column.kind == "name" else getattr(pa, column.kind)()
        meaning = {"meaning": column.meaning}
        columns.append(pa.field(column.name, kind, nullable=False, metadata=meaning))
    return pa.schema(columns)


def encode_part(
    job: Job, seating: NDArray[np.int64], played: Results, ranks: NDArray[np.int8]
) -> bytes:
    """Returns the part of a job as a Parquet file; the same results give the same bytes.

    Args:
        job: what was played.
        seating: (games, seats) who sat where, as in `Job.seating`.
        played: its results.
        ranks: (games, seats), 1 is best.
    """
    pa = need("pyarrow", "eval")
    games, players = seating.shape
    fixed: dict[str, Any] = {
        "game": job.game,
        "version": job.version,
        "players": players,
        "options": job.options,
        "shape": job.shape,
        "focus": job.agents[job.focus],
        "seed": job.seed,
    }
    varied: dict[str, NDArray[Any]] = {
        "number": np.repeat(job.first + np.arange(games), players),
        "decisions": np.repeat(played.decisions, players),
        "seat": np.tile(np.arange(players), games),
        "score": played.scores.ravel(),
        "win_share": played.win_shares.ravel(),
        "rank": ranks.ravel(),
    }
    whole, columns = schema(), []
    for field in whole:
        if pa.types.is_dictionary(field.type):
            is_agent = field.name == "agent"
            names = job.agents if is_agent else [fixed[field.name]]
            codes = pa.array(seating.ravel() if is_agent else seating.ravel() * 0, pa.int32())
            columns.append(pa.DictionaryArray.from_arrays(codes, pa.array(names)))
        elif field.name in varied:
            columns.append(pa.array(varied[field.name].astype(field.type.to_pandas_dtype())))
        else:
            columns.append(pa.repeat(pa.scalar(fixed[field.name], field.type), seating.size))
    table = pa.table(columns, whole.with_metadata({_JOB: _as_metadata(job)}))
    sink = io.BytesIO()
    need("pyarrow.parquet", "eval").write_table(table, sink, compression="zstd")
    return sink.getvalue()


@dataclass(frozen=True)
class Games:
    """The games of a tournament as arrays, in the order of the table.

    Attributes:
        plan: what was played; `agent` and `focus` index its `agents`.
        shape: (games,) names.
        focus: (games,) int16.
        number: (games,) int64.
        decisions: (games,) int32.
        agent: (games, seats) int16, who sat where.
        score, win_share: (games, seats) float64.
        rank: (games, seats) int8.
    """

    plan: Plan
    shape: NDArray[np.str_]
    focus: NDArray[np.int16]
    number: NDArray[np.int64]
    decisions: NDArray[np.int32]
    agent: NDArray[np.int16]
    score: NDArray[np.float64]
    win_share: NDArray[np.float64]
    rank: NDArray[np.int8]

    def __len__(self) -> int:
        """Number of games."""
        return len(self.number)

    @property
    def special_seat(self) -> NDArray[np.int64]:
        """Where the lone player sat, or in mixed fields the focus: (games,)."""
        return self.number % self.plan.players

    @property
    def lone(self) -> NDArray[np.int16]:
        """Who sat at `special_seat`, (games,)."""
        return self.agent[np.arange(len(self)), self.special_seat]

    @property
    def rest(self) -> NDArray[np.int16]:
        """Who sat next to it: in fields of copies, whose copies filled the table, (games,)."""
        seat = (self.special_seat + 1) % self.plan.players
        return self.agent[np.arange(len(self)), seat]

    def select(self, rows: NDArray[Any]) -> "Games":
        """Some of the games: a mask, or indices in which a game may occur more than once."""
        arrays = {
            name: array[rows] for name, array in vars(self).items() if isinstance(array, np.ndarray)
        }
        return Games(self.plan, **arrays)

    @property
    def is_mixed(self) -> NDArray[np.bool_]:
        """(games,), whether the field was mixed; else it was of copies."""
        return np.asarray(self.shape == MIXED)


def read_plan(folder: Path) -> Plan:
    """The plan of a tournament's folder.

    Raises:
        ValueError: the folder holds no tournament, or one that can't be read.
    """
    path = folder / PLAN
    try:
        return Plan.from_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError(f"{folder} holds no tournament (it has no {PLAN}).") from None
    except (LookupError, TypeError, ValueError, RecursionError) as error:
        reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
        raise ValueError(f"{path} can't be read ({reason}).") from error


def _as_metadata(job: Job) -> bytes:
    return json.dumps(asdict(job), sort_keys=True, ensure_ascii=False).encode()


def has_part(folder: Path, job: Job) -> bool:
    """Whether the part of a job is there, and of this job: whole as far as the file's end shows."""
    pa, parquet = need("pyarrow", "eval"), need("pyarrow.parquet", "eval")
    try:
        found = parquet.read_metadata(part_path(folder, job))
    except (OSError, pa.ArrowException):
        return False
    whole: bool = found.num_rows == job.count * job.players
    return whole and (found.metadata or {}).get(_JOB) == _as_metadata(job)


def part_path(folder: Path, job: Job) -> Path:
    """Where the part of a job is, or will be."""
    return folder / PARTS / f"{job.name}.parquet"


def load_games(folder: str | Path) -> Games:
    """The games of a finished tournament.

    Raises:
        ValueError: the folder holds no tournament, parts are missing or broken, or pyarrow is.
    """
    folder = Path(folder)
    plan = read_plan(folder)
    jobs = plan.jobs()
    paths = [part_path(folder, job) for job in jobs]
    missing = sum(not has_part(folder, job) for job in jobs)
    if missing:
        raise ValueError(
            f"{folder}: {missing} of {len(paths)} parts are still to be played, or broken; give the"
            " command of the tournament again."
        )
    arrays = [field.name for field in fields(Games) if field.name != "plan"]
    return _arrays(plan, _read(paths, arrays))


def read_table(folder: str | Path, columns: Sequence[str] | None = None) -> Any:
    """The finished parts of a tournament as one `pyarrow.Table`, for queries of one's own.

    Args:
        folder: of the tournament, finished or not.
        columns: names of those that are wanted; by default all of `COLUMNS`.

    Raises:
        ValueError: pyarrow is missing, there is no part yet, or one can't be read.
    """
    paths = sorted((Path(folder) / PARTS).glob("*.parquet"))
    if not paths:
        raise ValueError(f"{folder} holds no finished part of a tournament.")
    return _read(paths, columns)


def _read(paths: Sequence[Path], columns: Sequence[str] | None) -> Any:
    """Parts as one table, in their order, with one dictionary for each column of names."""
    pa, parquet = need("pyarrow", "eval"), need("pyarrow.parquet", "eval")
    try:
        parts = [parquet.read_table(path, columns=columns, schema=schema()) for path in paths]
        return pa.concat_tables(parts).unify_dictionaries().combine_chunks()
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise ValueError(f"the table of games can't be read ({reason}).") from error


def _arrays(plan: Plan, table: Any) -> Games:
    """The table's columns as arrays of games."""

    def array(name: str) -> NDArray[Any]:
        """A column, (games, seats); agents as indices into the plan's."""
        column = table.column(name).combine_chunks()
        if name in ("shape", "focus", "agent"):
            names = column.dictionary.to_pylist()
            if name != "shape":
                names = np.array([plan.agents.index(agent) for agent in names], np.int16)
            column = np.array(names)[column.indices.to_numpy()]
        values: NDArray[Any] = np.asarray(column)
        return values.reshape(-1, plan.players)

    of_game = {name: array(name)[:, 0] for name in ("shape", "focus", "number", "decisions")}
    of_seat = {name: array(name) for name in ("agent", "score", "win_share", "rank")}
    return Games(plan, **of_game, **of_seat)
