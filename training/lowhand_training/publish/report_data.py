"""What a report shows, gathered as plain data."""

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import lowhand
from lowhand.agents.names import find_checkpoint, make_agent
from lowhand.agents.network import read_config
from lowhand.engine.validation import make_options
from lowhand.games import get_game
from lowhand_training.common.files import as_json
from lowhand_training.evaluation.ratings import (
    ALONE,
    CrossTable,
    Ratings,
    Role,
    cross_table,
    rate,
    roles,
)
from lowhand_training.evaluation.tournament.plan import MIXED, Plan
from lowhand_training.evaluation.tournament.table import Games
from lowhand_training.publish.checkpoint_folder import (
    BOUNDS,
    read_bounds,
    read_results,
    training_config,
)
from lowhand_training.publish.curves import draw_curves
from lowhand_training.publish.model_card import CARD, write_results_and_card
from lowhand_training.publish.report import heat
from lowhand_training.publish.timing import TABLES, decision_times
from lowhand_training.solve.registry import reduced_nash_conv

Facts = dict[str, Any]


def gather(games: Games, sizes: Sequence[str], bounds: Sequence[Path], command: str) -> Facts:
    """All facts of a finished tournament and its agents.

    Args:
        games: of the tournament.
        sizes: of reduced games on which agents are solved for NashConv; may be empty.
        bounds: files of `lowhand exploit --json`, in addition to those of the checkpoints.
        command: that makes this report.

    Raises:
        ValueError: a size or a file that can't be used.
    """
    plan, game = games.plan, get_game(games.plan.game)
    options = make_options(game, **json.loads(plan.options))
    table, ratings, found = cross_table(games), rate(games), roles(games)
    curves = [_curve(name) for name in plan.agents if find_checkpoint(name) is not None]
    times = decision_times(game, options, {name: make_agent(name, game) for name in plan.agents})
    return {
        "title": f"{plan.game}, {plan.players} players: ratings and exploitability",
        "subtitle": _subtitle(games),
        "ratings": _ratings(ratings, table, found, times),
        "matrix": _matrix(table, ratings, plan.players),
        "exploitability": _exploitability(plan, ratings, sizes, bounds),
        "curves": [curve for curve in curves if curve["points"]],
        "command": command,
        "made": f"lowhand {lowhand.__version__}, Python {platform.python_version()}, NumPy"
        f" {np.__version__}. The same command plays the same games; times differ.",
        "tournament": json.loads(plan.to_json()),
        "cross_table": table.to_dict(),
        "roles": [asdict(role) for role in found],
        "rating_details": ratings.to_dict(),
    }


def pictures(facts: Facts) -> dict[str, bytes]:
    """The learning curves of the agents that have one, as PNG files.

    Raises:
        ValueError: matplotlib is not installed.
    """
    return {
        curve["agent"]: draw_curves(curve["points"], curve["players"], curve["games"])
        for curve in facts["curves"]
    }


def _subtitle(games: Games) -> str:
    plan = games.plan
    usual = json.loads(as_json(asdict(get_game(plan.game).options())))
    changed = {
        name: value
        for name, value in json.loads(plan.options).items()
        if name != "num_players" and value != usual[name]
    }
    rules = ", ".join(f"{name}={value}" for name, value in changed.items()) or "the usual rules"
    shapes = ", ".join(plan.shapes)
    return (
        f"{len(plan.agents)} agents, {len(games):,} games in the field shapes {shapes}; {rules}."
        " Intervals are 95 %, from bootstraps within seats."
    )


def _ratings(
    ratings: Ratings, table: CrossTable, found: Sequence[Role], times: dict[str, float]
) -> Facts:
    """The rows of the first table, the best agent first."""
    lowest, highest = float(ratings.low.min()), float(ratings.high.max())
    scale = 100.0 / max(1.0, highest - lowest)
    mixed = {role.agent: role for role in found if role.role == MIXED}
    alone = {role.agent: role for role in found if role.role == ALONE}
    rows = []
    for index in ratings.order:
        name = ratings.agents[index]
        low, at, high = (float(x[index]) for x in (ratings.low, ratings.rating, ratings.high))
        role = mixed.get(name) or alone[name]
        rows.append(
            {
                "agent": name,
                "published": find_checkpoint(name) is not None,
                "rating": at,
                "low": low,
                "high": high,
                "bar": {
                    "low": (low - lowest) * scale,
                    "width": (high - low) * scale,
                    "at": (at - lowest) * scale,
                },
                "lottery": float(ratings.lottery.chances[index]),
                "mixed_share": role.win_share.mean,
                "mixed_score": role.score.mean,
                "worst": _worst(table, index),
                "microseconds": times[name],
            }
        )
    unique = "It is the only one." if ratings.lottery.unique else "It is one of several."
    return {
        "about": "Plackett–Luce strengths by maximum likelihood from all rankings, on the Elo scale"
        f" (400 points are odds of ten to one); {ratings.anchor} has 1000 by definition. A maximal"
        " lottery is the mixture of agents that no agent beats on average: the second opinion where"
        f" results go round in circles. Times: of one processor, {TABLES:,} tables at once.",
        "lottery": f"The maximal lottery rests on pairwise ranks in the same games. {unique}",
        "rows": rows,
    }


def _worst(table: CrossTable, index: int) -> Facts:
    """The field of copies in which the agent, alone, wins least."""
    other = int(np.nanargmin(table.win_share[index]))
    return {
        "opponent": table.agents[other],
        "share": float(table.win_share[index, other]),
        "low": float(table.low[index, other]),
        "high": float(table.high[index, other]),
    }


def _matrix(table: CrossTable, ratings: Ratings, players: int) -> Facts:
    """The heat map, rows and columns from the best agent to the worst."""
    order, fair = ratings.order, 1.0 / players

    def cell(row: int, column: int) -> Facts | None:
        share = float(table.win_share[row, column])
        if np.isnan(share):
            return None
        colour, ink = heat(share, fair)
        return {
            "other": table.agents[column],
            "share": share,
            "low": float(table.low[row, column]),
            "high": float(table.high[row, column]),
            "games": int(table.games[row, column]),
            "colour": colour,
            "ink": ink,
        }

    copies = f"{players - 1} {'copy' if players == 2 else 'copies'}"
    return {
        "about": f"The share of the games that the agent of the row wins alone among {copies} of"
        f" the agent of the column; {fair:.3f} is fair, blue is more and red is less. Ties share"
        " a win."
        " Point at a cell for its interval.",
        "agents": [table.agents[index] for index in order],
        "cells": [[cell(row, column) for column in order] for row in order],
    }


def _exploitability(
    plan: Plan, ratings: Ratings, sizes: Sequence[str], bounds: Sequence[Path]
) -> Facts:
    names = [ratings.agents[index] for index in ratings.order]
    reduced = reduced_nash_conv(plan.game, sizes, names) if sizes else {}
    beside = [folder / BOUNDS for folder in map(find_checkpoint, plan.agents) if folder]
    paths = [*(path for path in beside if path.is_file()), *bounds]
    full = [row for path in paths for row in read_bounds(path, plan.game)]
    return {
        "about": "What deviating from an agent brings, where it plays at all seats. On reduced"
        " games NashConv, in points, exact: the sum over seats of what a best response gains; 0"
        " is an equilibrium, and a network trained on the full game is far from home there. On the"
        " full game the gain of the best attacker found, a lower bound of what a best response"
        " would gain.",
        "sizes": list(sizes),
        "reduced": [
            {
                "agent": name,
                "published": find_checkpoint(name) is not None,
                "values": [reduced.get((size, name)) for size in sizes],
            }
            for name in names
            if any((size, name) in reduced for size in sizes)
        ],
        "full": full,
    }


def _curve(name: str) -> Facts:
    """The learning curve that a checkpoint's results tell."""
    folder = find_checkpoint(name)
    assert folder is not None
    watched = training_config(read_config(folder), folder).evaluation
    return {
        "agent": name,
        "about": "Win shares of the fields watched in training. The model card of the checkpoint"
        " has more.",
        "players": watched.players,
        "games": watched.games,
        "points": read_results(folder).get("curve", []),
    }


def figures(facts: Mapping[str, Any], agent: str) -> Facts:
    """Returns the facts of one agent, as they are stored in results.json and shown on its card.

    The place and the rating among the agents of the tournament, the share of the maximal lottery,
    NashConv on reduced games, and lower bounds of exploitability.
    """
    rows, found = facts["ratings"]["rows"], facts["exploitability"]
    place, row = next((i, row) for i, row in enumerate(rows, 1) if row["agent"] == agent)
    solved: list[float] = next((r["values"] for r in found["reduced"] if r["agent"] == agent), [])
    return {
        "command": facts["command"],
        "players": facts["tournament"]["options"]["num_players"],
        "agents": len(rows),
        "place": place,
        "rating": row["rating"],
        "ci95": [row["low"], row["high"]],
        "anchor": facts["rating_details"]["anchor"],
        "maximal_lottery": row["lottery"],
        "nash_conv": dict(zip(found["sizes"], solved, strict=False)),
        "bounds": [bound for bound in found["full"] if bound["agent"] == agent],
    }


def write_cards(facts: Mapping[str, Any]) -> list[Path]:
    """Store a report's figures in results.json of its checkpoints, and render their cards again.

    Returns:
        The cards.

    Raises:
        CheckpointError: a checkpoint has no card yet.
    """
    cards = []
    for row in facts["ratings"]["rows"]:
        folder = find_checkpoint(row["agent"])
        if folder is not None:
            results = {**read_results(folder), "report": figures(facts, row["agent"])}
            write_results_and_card(folder, results)
            cards.append(folder / CARD)
    return cards
