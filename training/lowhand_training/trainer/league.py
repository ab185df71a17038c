"""The league: who sits at the learner's tables.

Plain self-play is not robust with three or more players: an agent that beats any lone other
player among its copies may still do badly alone among others. So the learner meets copies of
itself, its past versions, scripted players with random parameters and agents that a config names,
mixed per game and seat.
"""

from typing import Any, Protocol

import numpy as np
import torch
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent, ScriptedAgent
from lowhand.engine.game import Game
from lowhand.engine.kernels_batch import YOURS
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.rewards import win_shares
from lowhand_training.trainer.checkpoint import under
from lowhand_training.trainer.config import LeagueConfig

Weights = dict[str, torch.Tensor]

_MARGIN_RATE = 0.05  # of the running means: some twenty games count


class Snapshot(Agent, Protocol):
    """A past version of the learner, as an agent."""

    def acting_weights(self) -> Weights:
        """The tensors that it acts by."""

    def load(self, weights: Weights) -> None:
        """Take the policy of these weights; those of a value are not needed."""


class Learner(Protocol):
    """The network that is trained, as the league needs it."""

    def acting_weights(self) -> Weights:
        """The tensors that it acts by."""

    def make_snapshot(self, spec: ObservationSpec) -> Snapshot:
        """An agent with a network of the same shape, without its weights yet."""


class League:
    """The opponents of a run, and the seating of its games.

    Args:
        config: shares and sizes.
        game: what is played.
        spec: the learner's observation.
        learner: the network that is trained; snapshots are copies of it.
        rng: draws the pool and the seatings.

    Attributes:
        agents: all that can be seated, for the batch: the pool, the opponents that the config
            names, then the active snapshots.
        margins: (players + 1, pool) float64, running means of the learner's win share over the
            fair share, less 1, in games with each of the pool, by number of players.
    """

    def __init__(
        self,
        config: LeagueConfig,
        game: Game,
        spec: ObservationSpec,
        learner: Learner,
        rng: np.random.Generator,
    ) -> None:
        self.config, self.learner, self.rng = config, learner, rng
        pool = [ScriptedAgent(f"{f}", bot) for f, bot in draw_pool(config, game, rng)]
        actives = config.active if config.snapshots > 0 else 0
        self.active = [learner.make_snapshot(spec) for _ in range(actives)]
        fixed = [make_agent(name, game) for name in config.opponents]
        self.agents: list[Agent] = [*pool, *fixed, *self.active]
        self.past: list[Weights] = []
        self.num_scripted, self.num_fixed = len(pool), len(fixed)
        self.margins = np.zeros((game.max_players + 1, len(pool)))
        self.set_priorities()
        self.take_snapshot()
        self.swap()

    def take_snapshot(self) -> None:
        """Keep the learner as it is now; beyond `keep`, the oldest but the first goes."""
        self.past.append({k: v.detach().clone() for k, v in self.learner.acting_weights().items()})
        if len(self.past) > self.config.keep:
            del self.past[1]

    def swap(self) -> None:
        """Make a random choice of the past active."""
        for snapshot in self.active:
            snapshot.load(self.past[self.rng.integers(len(self.past))])

    def record(
        self,
        seats: NDArray[np.int32],
        num_players: NDArray[np.int64],
        ranking_scores: NDArray[np.float64],
    ) -> None:
        """Learn from finished games how well the learner does against each of the pool.

        Args:
            seats: (games, P) who sat where: `YOURS`, an index into the pool, or another code.
            num_players: (games,).
            ranking_scores: (games, P), final: the lowest won.
        """
        there = np.arange(seats.shape[1]) < num_players[:, np.newaxis]
        shares = win_shares(np.where(there, ranking_scores, np.inf))
        mine = there & (seats == YOURS)
        margins = (shares * mine).sum(axis=1) / mine.sum(axis=1) * num_players - 1.0
        pooled = there & (seats >= 0) & (seats < self.num_scripted)
        for n, row, theirs, margin in zip(num_players, seats, pooled, margins, strict=True):
            met = np.unique(row[theirs])
            self.margins[n, met] += _MARGIN_RATE * (margin - self.margins[n, met])

    def set_priorities(self) -> None:
        """Draw the scripted players against which the learner does badly more often."""
        lowest = self.margins.min(axis=1, keepdims=True)
        weights = np.exp(-self.config.priority * (self.margins - lowest))
        self._cumulative = weights.cumsum(axis=1) / weights.sum(axis=1, keepdims=True)

    def seating(self, num_players: NDArray[np.int64], seats: int) -> NDArray[np.int64]:
        """Who sits where in a new game for each entry of `num_players`: (games, seats) int64.

        `YOURS` is the learner, and also the entry of seats that have no player.
        """
        config, rng, games = self.config, self.rng, len(num_players)
        seating = np.full((games, seats), YOURS)
        kind = rng.random(games)
        scripted = kind < config.scripted
        pooled_or_past = config.scripted + config.snapshots
        league = kind < pooled_or_past + config.fixed
        others = self._draw(num_players, rng.random((games, seats)))
        if self.active:
            past = rng.integers(len(self.active), size=(games, seats))
            past += self.num_scripted + self.num_fixed
            others = np.where(scripted[:, np.newaxis], others, past)
        if self.num_fixed:
            fixed = self.num_scripted + rng.integers(self.num_fixed, size=(games, seats))
            others = np.where((kind < pooled_or_past)[:, np.newaxis], others, fixed)
        same = rng.random(games) < config.uniform
        others[same] = others[same, :1]
        mine = np.where(
            rng.random(games) < config.alone, 1, 1 + rng.integers(num_players - 1)
        )  # 1 … n−1 seats
        order = rng.random((games, seats))
        order[np.arange(seats) >= num_players[:, np.newaxis]] = 2.0
        rank = order.argsort(axis=1).argsort(axis=1)
        taken = (rank >= mine[:, np.newaxis]) & (rank < num_players[:, np.newaxis])
        other = league[:, np.newaxis] & taken
        seating[other] = others[other]
        return seating

    def _draw(
        self, num_players: NDArray[np.int64], draws: NDArray[np.float64]
    ) -> NDArray[np.int64]:
        """Of the pool, by the priorities at tables of these sizes, for `draws` in [0, 1)."""
        drawn = np.empty(draws.shape, np.int64)
        for n in np.unique(num_players):
            rows = num_players == n
            drawn[rows] = self._cumulative[n].searchsorted(draws[rows])
        return np.minimum(drawn, self.num_scripted - 1)

    def training_state(self) -> dict[str, Any]:
        """Snapshots and margins, for a training state; the pool follows from the seed."""
        state: Weights = {"margins": torch.from_numpy(self.margins.copy())}
        state |= {f"past.{i}.{k}": v for i, past in enumerate(self.past) for k, v in past.items()}
        for i, snapshot in enumerate(self.active):
            state |= {f"active.{i}.{k}": v for k, v in snapshot.acting_weights().items()}
        return state

    def set_training_state(self, state: Weights) -> None:
        """Continue from what `training_state` gave."""
        count = 1 + max(int(name.split(".")[1]) for name in state if name.startswith("past."))
        self.past = [under(state, f"past.{i}") for i in range(count)]
        self.margins = state["margins"].numpy().copy()
        self.set_priorities()
        for i, snapshot in enumerate(self.active):
            snapshot.load(under(state, f"active.{i}"))


def draw_pool(
    config: LeagueConfig, game: Game, rng: np.random.Generator
) -> list[tuple[str, np.ndarray]]:
    """Scripted players with random parameters: the names of their distributions and Bot records."""
    weights = config.bot_distributions or dict.fromkeys(game.bot_distributions, 1.0)
    names = list(weights)
    shares = np.array([weights[name] for name in names])
    drawn = rng.choice(len(names), size=config.pool, p=shares / shares.sum())
    return [(names[i], game.bot_distributions[names[i]](rng)) for i in drawn]
