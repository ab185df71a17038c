"""Results of an evaluation: rows, the worst field, JSON and tables."""

import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from operator import attrgetter
from typing import Any

import numba
import numpy as np

import lowhand
from lowhand_training.common.files import as_json
from lowhand_training.common.tables import Table


@dataclass(frozen=True)
class Row:
    """One field. All results are the **lone** player's.

    In `one_v_rest` the lone player is `agent`, against players − 1 copies of `opponent`. In
    `rest_v_one` it is `opponent`, against players − 1 copies of `agent`: a small share is good
    for the agent.

    Attributes:
        agent: the evaluated agent.
        opponent: its opponent.
        players: at the table.
        games: played, the same number with the lone player at each seat.
        win_share: of the lone player; tied winners share the win, 1/players is fair.
        ci95: its 95 % interval.
        mean_score: of the lone player, in points; low is good.
        mean_score_ci95: its 95 % interval.
        rest_mean_score: of the copies, in points.
        decisions: made in all games together.
        seed: game i was the one of `lowhand.game_key(seed, i, 0)`, its lone seat i mod players.
        lead: mean score of the copies less that of the lone player; high is good.
        lead_ci95: its 95 % interval.
        statistics: means of the game's own statistics for the lone player, by name; None where
            there was no occasion.
        rest_statistics: the same for the copies.
    """

    agent: str
    opponent: str
    players: int
    games: int
    win_share: float
    ci95: tuple[float, float]
    mean_score: float
    mean_score_ci95: tuple[float, float]
    rest_mean_score: float
    decisions: int
    seed: int
    lead: float
    lead_ci95: tuple[float, float]
    statistics: dict[str, float | None]
    rest_statistics: dict[str, float | None]

    @property
    def margin(self) -> float:
        """The lone player's win share less the fair share, 1/players."""
        return self.win_share - 1.0 / self.players


@dataclass(frozen=True)
class WorstField:
    """The fields in which an agent does worst: what a robust agent is judged by.

    Attributes:
        agent: the evaluated agent.
        alone: its row in `one_v_rest` with the smallest margin over the fair share.
        beaten: its row in `rest_v_one` with the largest margin.
    """

    agent: str
    alone: Row
    beaten: Row


@dataclass(frozen=True)
class Evaluation:
    """Rows of an evaluation and what they rest on; see `evaluation.evaluate`.

    Attributes:
        game, game_version: what was played.
        options: the game's options for each number of players.
        games: asked for in each row (rows round up, so that all seats get the same number).
        seeds: how the seeds of the rows came about.
        one_v_rest: each agent alone against copies of each opponent.
        rest_v_one: each opponent alone against copies of each agent, in the same order.
    """

    game: str
    game_version: int
    options: dict[int, dict[str, Any]]
    games: int
    seeds: str
    one_v_rest: list[Row]
    rest_v_one: list[Row]

    @property
    def agents(self) -> list[str]:
        """The evaluated agents, in order."""
        return list(dict.fromkeys(row.agent for row in self.one_v_rest))

    @property
    def summary(self) -> list[WorstField]:
        """The worst field of each agent; rows against itself, fair by symmetry, do not count."""
        found = []
        for agent in self.agents:
            alone, beaten = (
                [row for row in rows if row.agent == agent != row.opponent]
                for rows in (self.one_v_rest, self.rest_v_one)
            )
            if alone:
                margin = attrgetter("margin")
                found.append(WorstField(agent, min(alone, key=margin), max(beaten, key=margin)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON-serialisable dict."""

        def margin(row: Row) -> dict[str, Any]:
            return {"opponent": row.opponent, "players": row.players, "margin": row.margin}

        return {
            "game": self.game,
            "game_version": self.game_version,
            "options": {str(players): options for players, options in self.options.items()},
            "versions": {
                "lowhand": lowhand.__version__,
                "python": platform.python_version(),
                "numpy": np.__version__,
                "numba": numba.__version__,
            },
            "games": self.games,
            "seeds": self.seeds,
            "intervals": "95 %, normal, from the variance within seats",
            "summary": [
                {
                    "agent": worst.agent,
                    "one_v_rest_min": margin(worst.alone),
                    "rest_v_one_max": margin(worst.beaten),
                }
                for worst in self.summary
            ],
            "one_v_rest": [asdict(row) for row in self.one_v_rest],
            "rest_v_one": [asdict(row) for row in self.rest_v_one],
        }

    def to_json(self) -> str:
        """`to_dict` as text."""
        return as_json(self.to_dict())


def evaluation_report(evaluation: Evaluation) -> list[Table | str]:
    """Tables for each agent and number of players, then each agent's worst field in a sentence."""
    tables: list[Table | str] = []
    for agent in evaluation.agents:
        for players in evaluation.options:
            rows = [
                (alone, beaten)
                for alone, beaten in zip(evaluation.one_v_rest, evaluation.rest_v_one, strict=True)
                if alone.agent == agent and alone.players == players
            ]
            tables.append(_field_table(evaluation.game, rows))
            if rows[0][0].statistics:
                tables.append(_statistics_table(rows))
    return [*tables, *map(_sentence, evaluation.summary)]


def _field_table(game: str, rows: Sequence[tuple[Row, Row]]) -> Table:
    """Win shares and scores; half-widths instead of intervals fit into 80 columns."""
    first = rows[0][0]

    def cells(row: Row) -> tuple[str, str]:
        low, high = row.ci95
        fair = 1.0 / row.players
        sign = "+" if low > fair else "−" if high < fair else " "
        half = thousandths((high - low) / 2)
        scores = f"{row.mean_score:.1f} v {row.rest_mean_score:.1f}"
        return f"{thousandths(row.win_share)} ±{half} {sign}", scores

    return Table(
        columns=(
            "opponent",
            "agent alone:\nwin share", "\nscore",
            "other alone:\nwin share", "\nscore",
        ),
        rows=[(alone.opponent, *cells(alone), *cells(beaten)) for alone, beaten in rows],
        align="llrlr",
        title=f"{first.agent}: {game}, {first.players} players, {first.games:,} games a field",
        note=f"Alone: against {copies(first.players)} of the other, where"
        f" {1 / first.players:.3f} is fair. With +/− the whole 95 % interval is above/below it: the"
        " agent wants + on the left and − on the right. Scores: the lone player's v the copies',"
        " low is good.",
    )  # fmt: skip


def _statistics_table(rows: Sequence[tuple[Row, Row]]) -> Table:
    """The game's statistics: the lone player's mean v the copies', a dash without an occasion."""
    names = list(rows[0][0].statistics)

    def cell(row: Row, name: str) -> str:
        means = row.statistics[name], row.rest_statistics[name]
        return " v ".join("–" if mean is None else f"{mean:.2f}" for mean in means)

    return Table(
        columns=("agent alone against", *(name.replace("_", " ") for name in names)),
        rows=[(alone.opponent, *(cell(alone, name) for name in names)) for alone, _ in rows],
    )


def copies(players: int) -> str:
    """The other seats in words, such as `2 copies`."""
    return f"{players - 1} {'copy' if players == 2 else 'copies'}"


def thousandths(share: float) -> str:
    """A share as `.345`, and 1 as `1.000`."""
    return f"{share:.3f}".removeprefix("0")


def _sentence(worst: WorstField) -> str:
    alone, beaten = worst.alone, worst.beaten
    return (
        f"Worst field of {worst.agent}: alone it wins {alone.win_share:.3f} against"
        f" {copies(alone.players)} of {alone.opponent} ({alone.margin:+.3f} to the fair share);"
        f" alone against {copies(beaten.players)} of it, {beaten.opponent} wins"
        f" {beaten.win_share:.3f} ({beaten.margin:+.3f})."
    )
