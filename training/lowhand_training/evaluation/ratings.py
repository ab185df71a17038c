"""What a tournament found: agents by role, the cross-table, ratings, and the maximal lottery.

`load_games` (in `lowhand_training.evaluation.tournament.table`) gives the games; from them come

- `roles`: each agent's win share, mean score and lead, alone, as copies, and in mixed fields;
- `cross_table`: win shares of each agent alone among copies of each other;
- `rate`: Plackett–Luce ratings and the maximal lottery.

All intervals are 95 % and come from seeded bootstraps, so that the same games give the same
figures.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from math import isnan, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lowhand
from lowhand.games import get_game
from lowhand_training.common.tables import Table
from lowhand_training.evaluation.intervals import (
    RESAMPLES,
    Estimate,
    by_seat,
    estimate,
    estimate_share,
    resampled_counts,
)
from lowhand_training.evaluation.lottery import Lottery, margins, maximal_lottery
from lowhand_training.evaluation.plackett_luce import break_ties, fit, refit
from lowhand_training.evaluation.tournament.plan import MIXED, SEED_RULE, Plan
from lowhand_training.evaluation.tournament.table import Games

ALONE, COPIES = "alone", "copies"
ROLES = (ALONE, COPIES, MIXED)
"""An agent sits alone among copies of another, as copies round another, or in mixed fields."""

ELO = 400.0 / log(10.0)
"""Elo points of one unit of log strength: 400 points are odds of ten to one."""

ANCHOR_RATING = 1000.0
RATING_RESAMPLES = 200


@dataclass(frozen=True)
class Role:
    """How an agent did in one role, per seat that it held.

    Attributes:
        agent: its name.
        role: one of `ROLES`.
        games: counted.
        win_share: 1/players is fair.
        score: mean, in points; low is good.
        lead: mean score of the other agents' seats less that of its own; high is good.
    """

    agent: str
    role: str
    games: int
    win_share: Estimate
    score: Estimate
    lead: Estimate


def roles(games: Games, *, resamples: int = RESAMPLES, seed: int = 0) -> list[Role]:
    """Each agent in each role that was played, agent by agent."""
    found = []
    of_copies, mixed = games.select(~games.is_mixed), games.select(games.is_mixed)
    for index in range(len(games.plan.agents)):
        if len(of_copies):
            found.append(_role(of_copies, of_copies.lone == index, index, ALONE, resamples, seed))
            found.append(_role(of_copies, of_copies.rest == index, index, COPIES, resamples, seed))
        if len(mixed):
            present = (mixed.agent == index).any(axis=1)
            found.append(_role(mixed, present, index, MIXED, resamples, seed))
    return found


def _role(
    games: Games, rows: NDArray[np.bool_], index: int, role: str, resamples: int, seed: int
) -> Role:
    """The agent `index` in the games `rows`; strata are its seats, or those of its opponents."""
    part = games.select(rows)
    own = part.agent == index
    held, players = own.sum(axis=1), part.plan.players
    share = (part.win_share * own).sum(axis=1) / held
    mine, theirs = (part.score * own).sum(axis=1), (part.score * ~own).sum(axis=1)
    score = mine / held
    # One fraction, so that equal leads are equal numbers: the bootstrap counts distinct ones.
    lead = (theirs * held - mine * (players - held)) / (held * (players - held))
    seat = part.special_seat if role == COPIES else own.argmax(axis=1)
    rng = np.random.default_rng([seed, index, ROLES.index(role)])
    return Role(
        agent=part.plan.agents[index],
        role=role,
        games=len(part),
        win_share=estimate_share(by_seat(share, seat, players), rng, resamples),
        score=estimate(by_seat(score, seat, players), rng, resamples),
        lead=estimate(by_seat(lead, seat, players), rng, resamples),
    )


@dataclass(frozen=True)
class CrossTable:
    """Win shares of each agent alone among copies of each other.

    Attributes:
        agents: names, of the rows (alone) and columns (copies).
        win_share, low, high: (agents, agents) float64, the share of the lone player and its
            interval; nan on the diagonal. 1/players is fair.
        lead: (agents, agents), mean score of the copies less that of the lone player.
        games: (agents, agents) int64.
    """

    agents: tuple[str, ...]
    win_share: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    lead: NDArray[np.float64]
    games: NDArray[np.int64]

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON-serialisable dict; None on the diagonal."""
        record: dict[str, Any] = {"agents": list(self.agents)}
        for name in ("win_share", "low", "high", "lead", "games"):
            rows = getattr(self, name).tolist()
            record[name] = [[None if isnan(cell) else cell for cell in row] for row in rows]
        return record


def cross_table(games: Games, *, resamples: int = RESAMPLES, seed: int = 0) -> CrossTable:
    """The cross-table of the fields of copies.

    Raises:
        ValueError: the tournament has none.
    """
    games = games.select(~games.is_mixed)
    if not len(games):
        raise ValueError("a cross-table needs fields of copies, and there are only mixed ones.")
    agents, players, rows = games.plan.agents, games.plan.players, np.arange(len(games))
    share = games.win_share[rows, games.special_seat]
    score = games.score[rows, games.special_seat]
    lead = (games.score.sum(axis=1) - score) / (players - 1) - score
    size, seats = len(agents), games.special_seat
    cell = games.lone.astype(np.int64) * size + games.rest
    counts = np.bincount(cell, minlength=size * size).reshape(size, size)
    figures = np.full((size * size, 4), np.nan)
    for which in np.unique(cell):
        part, rng = cell == which, np.random.default_rng([seed, int(which)])
        strata = by_seat(share[part], seats[part], players)
        figures[which] = *estimate_share(strata, rng, resamples), lead[part].mean()
    win_share, low, high, lead = figures.T.reshape(4, size, size)
    return CrossTable(agents, win_share, low, high, lead, counts)


@dataclass(frozen=True)
class Ratings:
    """Plackett–Luce ratings of one game, number of players and set of rules, and the lottery.

    Attributes:
        agents: names, in the order of the plan.
        anchor: the agent whose rating is `ANCHOR_RATING` by definition.
        shapes: of the games that were counted.
        games: how many.
        rating: (agents,) on the Elo scale, 400 points for odds of ten to one.
        low, high: (agents,) 95 % intervals; a point for the anchor.
        lottery: the maximal lottery over the same games.
        margins: (agents, agents) what it rests on, see `lottery.margins`.
    """

    agents: tuple[str, ...]
    anchor: str
    shapes: tuple[str, ...]
    games: int
    rating: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    lottery: Lottery
    margins: NDArray[np.float64]

    @property
    def order(self) -> list[int]:
        """Indices of the agents, the best first."""
        return [int(index) for index in np.argsort(-self.rating, kind="stable")]

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON-serialisable dict, the best agent first."""
        return {
            "model": "Plackett–Luce, maximum likelihood; copies of an agent are entrants of its"
            " strength; ties are broken at random",
            "anchor": {"agent": self.anchor, "rating": ANCHOR_RATING},
            "scale": "Elo: 400 points are odds of ten to one",
            "intervals": "95 %, bootstrap within matchup and seat",
            "shapes": list(self.shapes),
            "games": self.games,
            "ratings": [
                {
                    "agent": self.agents[index],
                    "rating": float(self.rating[index]),
                    "ci95": [float(self.low[index]), float(self.high[index])],
                    "maximal_lottery": float(self.lottery.chances[index]),
                }
                for index in self.order
            ],
            "maximal_lottery_is_unique": self.lottery.unique,
            "margins": {"agents": list(self.agents), "matrix": self.margins.tolist()},
        }


def rate(
    games: Games,
    *,
    anchor: str | None = None,
    shapes: Sequence[str] | None = None,
    resamples: int = RATING_RESAMPLES,
    seed: int = 0,
) -> Ratings:
    """Rate the agents of a tournament.

    Args:
        games: of one tournament.
        anchor: whose rating is `ANCHOR_RATING`; by default the first of the game's baselines
            that takes part, else the first agent.
        shapes: of the games that count; by default the mixed ones, in which every game ranks
            different agents, or all if there are none.
        resamples: of the bootstrap.
        seed: of ties and resamples.

    Raises:
        ValueError: the anchor takes no part, a shape was not played, or too few games connect
            the agents.
    """
    plan = games.plan
    if shapes is None:
        shapes = (MIXED,) if MIXED in plan.shapes else plan.shapes
    shapes = tuple(dict.fromkeys(shapes))
    for shape in shapes:
        if shape not in plan.shapes:
            raise ValueError(
                f"the tournament has no games of shape {shape!r}; it has {', '.join(plan.shapes)}."
            )
    games = games.select(np.isin(games.shape, shapes))
    if anchor is None:
        baselines = get_game(plan.game).baselines
        anchor = next((name for name in baselines if name in plan.agents), plan.agents[0])
    if anchor not in plan.agents:
        raise ValueError(f"the anchor {anchor!r} takes no part in the tournament.")
    rng, size = np.random.default_rng(seed), len(plan.agents)
    orders = np.take_along_axis(games.agent, break_ties(games.rank, rng), axis=1)
    theta, hessian = fit(orders, size)
    inverse = np.linalg.inv(hessian).astype(np.float64)
    samples = resampled_counts(_matchups(games), resamples, rng)
    replicas = np.array([refit(orders, weights, theta, inverse) for weights in samples])
    fixed = plan.agents.index(anchor)
    replicas -= replicas[:, [fixed]]
    low, high = np.quantile(replicas, [0.025, 0.975], axis=0)
    pairwise = margins(games.agent, games.rank, size)
    return Ratings(
        agents=plan.agents,
        anchor=anchor,
        shapes=shapes,
        games=len(games),
        rating=ANCHOR_RATING + ELO * (theta - theta[fixed]),
        low=ANCHOR_RATING + ELO * low,
        high=ANCHOR_RATING + ELO * high,
        lottery=maximal_lottery(pairwise),
        margins=pairwise,
    )


def _matchups(games: Games) -> NDArray[np.int64]:
    """The stratum of each game, (games,): its agents, and the seat of the lone player.

    Mixed fields are drawn at random; what is fixed there is the focus and its seat.
    """
    size = len(games.plan.agents)
    rest = np.where(games.is_mixed, size, games.rest)
    pairs = games.lone.astype(np.int64) * (size + 1) + rest
    return pairs * games.plan.players + games.special_seat


def ratings_dict(games: Games, ratings: Ratings, found: Sequence[Role]) -> dict[str, Any]:
    """Returns a JSON-serialisable dict of everything that `lowhand rate` computes."""
    plan = games.plan
    record = {
        "game": plan.game,
        "game_version": plan.version,
        "options": json.loads(plan.options),
        "lowhand": lowhand.__version__,
        "agents": dict(zip(plan.agents, plan.identities, strict=True)),
        "seeds": SEED_RULE,
        **ratings.to_dict(),
        "roles": [asdict(role) for role in found],
    }
    if not games.is_mixed.all():
        record["cross_table"] = cross_table(games).to_dict()
    return record


def ratings_report(plan: Plan, ratings: Ratings, found: Sequence[Role]) -> list[Table | str]:
    """Returns the agents by rating and maximal lottery, and in each role, the best first."""
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
    by_rating = Table(
        columns=("agent", "rating", "95 % interval", "maximal lottery"),
        rows=rows,
        title=f"{plan.game}, {plan.players} players, {ratings.games:,} games ({shapes})",
        note=f"Ratings: Plackett–Luce on the Elo scale, {ratings.anchor} has {ANCHOR_RATING:.0f}."
        f" Maximal lottery: the mixture that no agent beats on average.{only}",
    )
    return [by_rating, _roles_table([ratings.agents[index] for index in ratings.order], found)]


def _roles_table(agents: Sequence[str], found: Sequence[Role]) -> Table:
    """Win shares and scores of these agents in each role."""
    played = [role for role in ROLES if any(row.role == role for row in found)]
    results = {(row.agent, row.role): row for row in found}

    def cells(agent: str, role: str) -> Iterator[str]:
        row = results[agent, role]
        for figure, decimals in ((row.win_share, 3), (row.score, 1)):
            half = (figure.high - figure.low) / 2
            yield f"{figure.mean:.{decimals}f} ±{half:.{decimals}f}"

    headings = [f"{role}:\n{what}" for role in played for what in ("win share", "score")]
    return Table(
        columns=("agent", *headings),
        rows=[(agent, *(c for role in played for c in cells(agent, role))) for agent in agents],
        note="Per seat, with the half-width of the 95 % interval. Alone: one seat among copies of"
        " another agent; copies: all seats but one; mixed: one seat among different others."
        " Scores: low is good.",
    )
