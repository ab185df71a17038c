"""Ratings for the terminal and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

import lowhand
from lowhand_training.common.console import compact_table
from lowhand_training.evaluation.intervals import Estimate
from lowhand_training.evaluation.ratings import ANCHOR_RATING, ROLES, Ratings, Role, cross_table
from lowhand_training.evaluation.tournament.plan import SEED_RULE, Plan
from lowhand_training.evaluation.tournament.table import Games


def ratings_dict(games: Games, ratings: Ratings, found: Sequence[Role]) -> dict[str, Any]:
    """All that `lowhand rate` knows, as JSON takes it."""
    plan = games.plan
    told = {
        "game": plan.game,
        "game_version": plan.version,
        "options": json.loads(plan.options),
        "lowhand": lowhand.__version__,
        "agents": dict(zip(plan.agents, plan.identities, strict=True)),
        "seeds": SEED_RULE,
        **ratings.to_dict(),
        "roles": [role.to_dict() for role in found],
    }
    if not games.is_mixed.all():
        told["cross_table"] = cross_table(games).to_dict()
    return told


def print_ratings(plan: Plan, ratings: Ratings, console: Console) -> None:
    """The agents from best to worst, by both opinions."""
    shapes = ", ".join(ratings.shapes)
    console.print(Text(f"{plan.game}, {plan.players} players, {ratings.games:,} games ({shapes})"))
    table = _table("agent", "rating", "95 % interval", "maximal lottery")
    for index in ratings.order:
        chance = ratings.lottery.chances[index]
        low, high = ratings.low[index], ratings.high[index]
        interval = (
            "anchor" if ratings.agents[index] == ratings.anchor else f"{low:.0f} – {high:.0f}"
        )
        cells = f"{ratings.rating[index]:.0f}", interval, f"{chance:.3f}" if chance > 5e-4 else "–"
        table.add_row(Text(ratings.agents[index]), *map(Text, cells))
    console.print(table)
    only = "" if ratings.lottery.unique else " Other lotteries are maximal too."
    console.print(
        Text(
            f"Ratings: Plackett–Luce on the Elo scale, {ratings.anchor} has {ANCHOR_RATING:.0f}."
            f" Maximal lottery: the mixture that no agent beats on average.{only}\n"
        )
    )


def print_roles(ratings: Ratings, found: Sequence[Role], console: Console) -> None:
    """Win shares and scores in each role, in the order of the ratings."""
    played = [role for role in ROLES if any(row.role == role for row in found)]
    table = _table(
        "agent", *(f"{role}:\n{what}" for role in played for what in ("win share", "score"))
    )
    rows = {(row.agent, row.role): row for row in found}
    for index in ratings.order:
        agent, cells = ratings.agents[index], []
        for role in played:
            row = rows[agent, role]
            cells += [_figure(row.win_share, 3), _figure(row.score, 1)]
        table.add_row(Text(agent), *map(Text, cells))
    console.print(table)
    console.print(
        Text(
            "Per seat, with the half-width of the 95 % interval. Alone: one seat among copies of"
            " another agent; copies: all seats but one; mixed: one seat among different others."
            " Scores: low is good."
        )
    )


def _table(*headings: str) -> Table:
    table = compact_table()
    for k, heading in enumerate(headings):
        table.add_column(heading, no_wrap=True, justify="right" if k else "left")
    return table


def _figure(found: Estimate, decimals: int) -> str:
    half = (found.high - found.low) / 2
    return f"{found.mean:.{decimals}f} ±{half:.{decimals}f}"
