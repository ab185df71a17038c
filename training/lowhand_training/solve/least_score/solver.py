"""Reduced deals of Least Score solved: equilibria for two, strategies for three, and NashConv.

One deal is played for the difference of points: what a player gets is the mean of the others'
points less its own. Discounted CFR gives an average strategy; how far it is from an equilibrium
is computed exactly, by best responses.

NashConv is the sum over seats of what a best response gains (Lanctot et al., "A unified
game-theoretic approach to multiagent reinforcement learning", 2017). **Exploitability is NashConv
/ players**, as in OpenSpiel: half of NashConv for two.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import Agent
from lowhand.games.least_score import GAME
from lowhand.games.least_score.options import Options
from lowhand_training.solve import dcfr
from lowhand_training.solve.least_score.agents import (
    AgentResult,
    agent_results,
    can_play,
    check_agent,
)
from lowhand_training.solve.least_score.policy import Policy
from lowhand_training.solve.least_score.tree import DealTree, deal_tree

SIZES = ("3x2-1-6", "4x2-3-4", "4x2-2-4", "4x2-2-5", "5x2-2-4")
"""Registered sizes: ranks × suits, cards of a hand, turns after which hands are shown."""

ITERATIONS = 200

_PENALTY = 5
_SIZE = re.compile(r"(\d{1,2})x(\d)-(\d)-(\d{1,2})")


def reduced_options(size: str, players: int = 2) -> Options:
    """The options of a size, written as those of `SIZES` are: seat 0 begins, pairs are sets.

    Raises:
        ValueError: the size isn't written like that, or has no place for so many players.
    """
    match = _SIZE.fullmatch(size)
    if match is None:
        raise ValueError(
            f"a size of least_score is RANKSxSUITS-HAND-TURNS, such as {SIZES[2]}, not {size!r}."
        )
    ranks, suits, hand_size, turns = map(int, match.groups())
    return Options(
        num_players=players,
        points_limit=None,
        penalty=_PENALTY,
        at_limit="showdown",
        first_player=0,
        max_turns=turns,
        ranks=ranks,
        suits=suits,
        hand_size=hand_size,
        sets=("pair",),
    )


@dataclass(frozen=True, eq=False)
class Solution:
    """The average strategy of DCFR on one size, and agents measured on it.

    Attributes:
        size: its name.
        tree: the game that was solved.
        plan: (sequences,) float64, realization plans of the average strategy.
        iterations: of DCFR.
        values: of each seat under the average strategy, in points of difference.
        gains: what each seat gains by a best response to it.
        build_seconds: of building the tree; `seconds` holds the iterations and it.
        agents: results of the agents, if any.
    """

    size: str
    tree: DealTree
    plan: NDArray[np.float64]
    iterations: int
    values: tuple[float, ...]
    gains: tuple[float, ...]
    build_seconds: float
    seconds: float
    agents: tuple[AgentResult, ...] = ()

    @property
    def nash_conv(self) -> float:
        """The sum of the gains."""
        return sum(self.gains)

    @property
    def exploitability(self) -> float:
        """NashConv / players: for two players 0 is an equilibrium."""
        return self.nash_conv / len(self.gains)

    def policy(self) -> Policy:
        """The average strategy as a player of the engine's game; see `Policy.probabilities`."""
        return Policy(self.tree, self.tree.form.strategy(self.plan))

    def to_dict(self) -> dict[str, Any]:
        """Everything but tree and plan, as JSON takes it; `value` is that of seat 0."""
        options, form = self.tree.options, self.tree.form
        return {
            "game": "least_score",
            "size": self.size,
            "players": options.num_players,
            "ranks": options.ranks,
            "suits": options.suits,
            "hand_size": options.hand_size,
            "max_turns": options.max_turns,
            "keeps_suits": self.tree.keep_suits,
            "infosets": form.num_infosets,
            "nodes": form.nodes,
            "seconds": round(self.seconds, 3),
            "build_seconds": round(self.build_seconds, 3),
            "iterations": self.iterations,
            "value": self.values[0],
            "values": list(self.values),
            "exploitability": self.exploitability,
            "nash_conv": self.nash_conv,
            "gains": list(self.gains),
            "agents": [agent.to_dict() for agent in self.agents],
        }


def solve_least_score(
    size: str,
    iterations: int = ITERATIONS,
    agents: Sequence[str | Agent] = (),
    players: int = 2,
    progress: Callable[[str, int, int], None] = lambda what, done, of: None,
) -> Solution:
    """Solve one size, and measure agents on it.

    For two players suits are forgotten, which keeps the value; for more they are kept, and the
    average strategy is no more than that: its NashConv is exact, but nothing says it is small.

    Args:
        size: one of `SIZES`, or another written like them.
        iterations: of DCFR, at least 1.
        agents: agents or names of them.
        players: two or more.
        progress: called with what is done ("iterations" or "agents"), how far, and of how much.

    Raises:
        ValueError: there is no such size or agent, or the tree is too large.
    """
    if iterations < 1:
        raise ValueError(f"iterations must be at least 1, not {iterations}.")
    options = reduced_options(size, players)
    named = [make_agent(agent, GAME) for agent in agents]
    for agent in named:
        check_agent(agent, options)
    begin = time.perf_counter()
    tree = deal_tree(options, keep_suits=players > 2)
    built = time.perf_counter()
    form = tree.form
    plan = dcfr.solve(form, iterations, lambda done: progress("iterations", done, iterations))
    end = time.perf_counter()
    results = agent_results(named, options, lambda done, of: progress("agents", done, of))
    return Solution(
        size=size,
        tree=tree,
        plan=plan,
        iterations=iterations,
        values=tuple(form.values(plan).tolist()),
        gains=tuple(form.gains(plan).tolist()),
        build_seconds=built - begin,
        seconds=end - begin,
        agents=tuple(results),
    )


def nash_convs(size: str, agents: Sequence[Agent]) -> list[float | None]:
    """NashConv of agents on a size for two, in points; None for those that can't play it.

    Raises:
        ValueError: there is no such size, or an agent can't tell its probabilities.
    """
    options = reduced_options(size)
    players = [agent for agent in agents if can_play(agent, options)]
    results = iter(agent_results(players, options))
    return [next(results).nash_conv if agent in players else None for agent in agents]


def warm_up(agents: bool = False) -> None:
    """Compile all loops on a small size, so that times are of solving alone."""
    solve_least_score("3x2-1-3", iterations=1, agents=["random", "greedy"] if agents else [])
