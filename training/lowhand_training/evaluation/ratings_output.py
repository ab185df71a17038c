"""Ratings as tables and as JSON."""

import json
from collections.abc import Sequence
from typing import Any

import lowhand
from lowhand_training.common.tables import Table
from lowhand_training.evaluation.intervals import Estimate
from lowhand_training.evaluation.ratings import ANCHOR_RATING, ROLES, Ratings, Role, cross_table
from lowhand_training.evaluation.tournament.plan import SEED_RULE, Plan
from lowhand_training.evaluation.tournament.table import Games


def ratings_dict(games: Games, ratings: Ratings, found: Sequence[Role]) -> dict[str, Any]:
    """JSON-serialisable dict of everything that `lowhand rate` computes."""
    plan = games.plan
    record = {
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
        record["cross_table"] = cross_table(games).to_dict()
    return record


def ratings_report(plan: Plan, ratings: Ratings, found: Sequence[Role]) -> list[Table | str]:
    """The agents by rating and maximal lottery, and in each role."""
    return [_ratings_table(plan, ratings), _roles_table(ratings, found)]


def _ratings_table(plan: Plan, ratings: Ratings) -> Table:
    """The agents from best to worst, by rating and by maximal lottery."""
    rows = []
    for index in ratings.order:
        name, chance = ratings.agents[index], ratings.lottery.chances[index]
        interval = f"{ratings.low[index]:.0f} – {ratings.high[index]:.0f}"
        rows.append(
            (
                name,
                f"{ratings.rating[index]:.0f}",
                "anchor" if name == ratings.anchor else interval,
                f"{chance:.3f}" if chance > 5e-4 else "–",
            )
        )
    shapes = ", ".join(ratings.shapes)
    only = "" if ratings.lottery.unique else " Other lotteries are maximal too."
    return Table(
        columns=("agent", "rating", "95 % interval", "maximal lottery"),
        rows=rows,
        title=f"{plan.game}, {plan.players} players, {ratings.games:,} games ({shapes})",
        note=f"Ratings: Plackett–Luce on the Elo scale, {ratings.anchor} has {ANCHOR_RATING:.0f}."
        f" Maximal lottery: the mixture that no agent beats on average.{only}",
    )


def _roles_table(ratings: Ratings, found: Sequence[Role]) -> Table:
    """Win shares and scores in each role, in the order of the ratings."""
    played = [role for role in ROLES if any(row.role == role for row in found)]
    results = {(row.agent, row.role): row for row in found}
    rows = []
    for index in ratings.order:
        agent = ratings.agents[index]
        cells = [
            cell
            for role in played
            for cell in (
                _figure(results[agent, role].win_share, 3),
                _figure(results[agent, role].score, 1),
            )
        ]
        rows.append((agent, *cells))
    return Table(
        columns=(
            "agent",
            *(f"{role}:\n{what}" for role in played for what in ("win share", "score")),
        ),
        rows=rows,
        note="Per seat, with the half-width of the 95 % interval. Alone: one seat among copies of"
        " another agent; copies: all seats but one; mixed: one seat among different others."
        " Scores: low is good.",
    )


def _figure(found: Estimate, decimals: int) -> str:
    half = (found.high - found.low) / 2
    return f"{found.mean:.{decimals}f} ±{half:.{decimals}f}"
