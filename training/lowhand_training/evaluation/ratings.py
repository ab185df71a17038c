"""What a tournament found: agents by role, the cross-table, ratings, and the maximal lottery.

`load_games` (in `lowhand_training.evaluation.tournament.table`) gives the games; from them come

- `roles`: each agent's win share, mean score and lead, alone, as copies, and in mixed fields;
- `cross_table`: win shares of each agent alone among copies of each other;
- `rate`: Plackett–Luce ratings and the maximal lottery.

All intervals are 95 % and come from seeded bootstraps, so that the same games give the same
figures.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan, log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.games import get_game
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
from lowhand_training.evaluation.tournament.plan import MIXED
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

    def to_dict(self) -> dict[str, Any]:
        """As JSON takes it; estimates as [mean, low, high]."""
        return {
            name: value.to_list() if isinstance(value, Estimate) else value
            for name, value in vars(self).items()
        }


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
        """As JSON takes it; null on the diagonal."""
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
    size = len(agents)
    cell = games.lone.astype(np.int64) * size + games.rest
    order = np.argsort(cell, kind="stable")
    counts = np.bincount(cell, minlength=size * size)
    shares, lows, highs, leads = np.full((4, size * size), np.nan)
    seats = games.special_seat
    for which, part in zip(np.unique(cell), np.split(order, counts[counts > 0].cumsum()[:-1])):
        rng = np.random.default_rng([seed, int(which)])
        found = estimate_share(by_seat(share[part], seats[part], players), rng, resamples)
        shares[which], lows[which], highs[which] = found.mean, found.low, found.high
        leads[which] = lead[part].mean()
    square = (size, size)
    return CrossTable(
        agents=agents,
        win_share=shares.reshape(square),
        low=lows.reshape(square),
        high=highs.reshape(square),
        lead=leads.reshape(square),
        games=counts.reshape(square),
    )


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
        """As JSON takes it, the best agent first."""
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
    anchor = _anchor(plan.game, plan.agents) if anchor is None else anchor
    if anchor not in plan.agents:
        raise ValueError(f"the anchor {anchor!r} takes no part in the tournament.")
    rng, size, rows = np.random.default_rng(seed), len(plan.agents), np.arange(len(games))
    seats = break_ties(games.rank, rng)
    orders = games.agent[rows[:, np.newaxis], seats]
    theta, hessian = fit(orders, size)
    inverse = np.linalg.inv(hessian).astype(np.float64)
    replicas = np.array(
        [
            refit(orders, weights, theta, inverse)
            for weights in resampled_counts(_matchups(games), resamples, rng)
        ]
    )
    fixed = plan.agents.index(anchor)
    replicas -= replicas[:, [fixed]]
    low, high = np.quantile(replicas, [0.025, 0.975], axis=0)
    pairwise = margins(games.agent, games.rank, size)
    return Ratings(
        agents=plan.agents,
        anchor=anchor,
        shapes=tuple(shapes),
        games=len(games),
        rating=ANCHOR_RATING + ELO * (theta - theta[fixed]),
        low=ANCHOR_RATING + ELO * low,
        high=ANCHOR_RATING + ELO * high,
        lottery=maximal_lottery(pairwise),
        margins=pairwise,
    )


def _anchor(game: str, agents: Sequence[str]) -> str:
    return next((name for name in get_game(game).baselines if name in agents), agents[0])


def _matchups(games: Games) -> NDArray[np.int64]:
    """The stratum of each game, (games,): its agents, and the seat of the lone player.

    Mixed fields are drawn at random; what is fixed there is the focus and its seat.
    """
    size = len(games.plan.agents)
    rest = np.where(games.is_mixed, size, games.rest)
    return (games.lone.astype(np.int64) * (size + 1) + rest) * games.plan.players + (
        games.special_seat
    )
