"""Two agents that are nearly alike, compared until it is clear whether one is better.

At a table of n players a **block** is two games: A alone among n − 1 copies of B, and B alone
among n − 1 copies of A, the lone player at the same seat (all seats in turn). Its value is A's
win share in the first less B's in the second, from −1 to 1; 0 on average if the two are equally
good. For two players that is both seatings. With `among`, both are alone among copies of a third
agent instead. The blocks are tested one after the other by `Gsprt`, which stops by itself.

Both games of a block may have the same deal, which spares games if the two results are then
correlated. A pilot estimates the **design effect**, the variance of a block's value on one deal
over that on two; only where it is clearly below 1 are deals shared. The pilot's games don't count
in the test, so that the choice can't bias it. Measured on 4,000 to 20,000 blocks, neither choice
is always right: 0.10 for blocker:2 v blocker:3 among connectors at 4 players, and for greedy:6 v
greedy:7 in Least Score 0.61 at 3 players and 0.17 at 2 with points_limit=null, but 1.04 for
threshold:2 v threshold:3 and 1.08 for connector v greedy at 3 players.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.agents.table_view import Agent, check_fit
from lowhand.engine.game import Game
from lowhand.games import get_game
from lowhand_training.evaluation.evaluation import table_options, usual_players
from lowhand_training.evaluation.gsprt import Gsprt
from lowhand_training.evaluation.intervals import Estimate, by_seat, estimate
from lowhand_training.evaluation.seeds import hashed_seed, identity

UNDECIDED = "undecided"

SEED_RULE = (
    "the first 8 bytes, big-endian, of the sha256 of the JSON list [game, version, options, a, b,"
    " among, use], with the use of the deals: pilot, first or second (game of a block on its own"
    " deal); an agent is its name, or for a checkpoint the sha256 of its model.safetensors"
)

PILOT = 2000
"""Blocks of the pilot."""

_PAIRS_BELOW = 0.9
"""Deals are shared where the design effect is below this: the pilot knows it to a few per cent,
and fresh deals are simpler to trust."""

_FIRST_BLOCKS, _GROWTH = 500, 0.1
"""Blocks before the ratio is first tested; then each time this share of those so far."""


@dataclass(frozen=True)
class Comparison:
    """What a comparison found.

    Attributes:
        a, b: the agents' names.
        among: the third agent whose copies fill the tables, or None for each other's.
        game, version, options: what was played, the number of players among the options.
        test: the hypotheses on the mean of a block's value, and the chances of error.
        decision: `"H1"` (at least h1), `"H0"` (at most h0) or `"undecided"`.
        llr: the log-likelihood ratio in the end.
        blocks: of the test, of two games each.
        games: in all, those of the pilot included.
        design_effect: variance of a block's value on shared over fresh deals, by the pilot.
        paired: whether deals were shared.
        difference: mean of the blocks' values, seats weighing the same, with its 95 % bootstrap
            interval. A test that stops when it is sure tends to stop at an extreme, so both
            exaggerate a little.
        share_a, share_b: win shares of A alone and of B alone.
    """

    a: str
    b: str
    among: str | None
    game: str
    version: int
    options: dict[str, Any]
    test: Gsprt
    decision: str
    llr: float
    blocks: int
    games: int
    design_effect: float
    paired: bool
    difference: Estimate
    share_a: float
    share_b: float

    def to_dict(self) -> dict[str, Any]:
        """Returns a JSON-serialisable dict."""
        return {**asdict(self), "bounds": self.test.bounds, "seeds": SEED_RULE}

    def sentences(self) -> list[str]:
        """What was found, for people."""
        players, found = self.options["num_players"], self.difference
        rest = "each other" if self.among is None else self.among
        least, most = f"at least {self.test.h1:g}", f"at most {self.test.h0:g}"
        verdict = {
            "H1": f"{self.a} is better: the difference is {least}, not {most}.",
            "H0": f"{self.a} is not better: the difference is {most}, not {least}.",
            UNDECIDED: f"Undecided after {self.blocks:,} blocks, the most that were allowed.",
        }
        low, high = self.test.bounds
        use = "blocks share a deal" if self.paired else "sharing does not help: fresh deals"
        return [
            f"{self.a} v {self.b}: {self.game}, {players} players, each alone among copies of"
            f" {rest}",
            verdict[self.decision],
            f"Log-likelihood ratio {self.llr:.2f} (bounds {low:.3f} and {high:.3f}), {self.games:,}"
            " games with the pilot.",
            f"Win share alone: {self.share_a:.4f} v {self.share_b:.4f}; difference"
            f" {found.mean:+.4f} [{found.low:+.4f}, {found.high:+.4f}], a little exaggerated by"
            " stopping early.",
            f"Variance on shared deals over that on fresh ones: {self.design_effect:.2f}; {use}.",
        ]


@dataclass(frozen=True)
class _Table:
    """What is played by A, B, and with `among` a third agent."""

    game: Game
    options: Any
    agents: list[Agent]
    seeds: Mapping[str, int]

    def play(self, first: int, count: int, one: str, other: str) -> NDArray[np.float64]:
        """Win shares of A alone and of B alone in blocks first …, (count, 2).

        Args:
            first: number of the first block; the lone player of block i sits at i mod n.
            count: of blocks.
            one: use of the deals of A's games.
            other: use of the deals of B's games.
        """
        players, rows = self.options.num_players, np.arange(count)
        seats = (first + rows) % players
        seating = np.full((2, count, players), 2)
        if len(self.agents) == 2:
            seating[0], seating[1] = 1, 0
        seating[:, rows, seats] = [[0], [1]]
        seeds = self.seeds[one], self.seeds[other]
        played = play_games(
            self.game,
            self.options,
            self.agents,
            seating.reshape(2 * count, players),
            np.concatenate([game_keys(seed, first, count) for seed in seeds]),
            seed=(seeds[0] + first) % 2**64,
        )
        shares = played.win_shares.reshape(2, count, players)
        lone_shares: NDArray[np.float64] = shares[:, rows, seats].T
        return lone_shares


def compare(
    a: str,
    b: str,
    game: str = "no_thanks",
    players: int | None = None,
    *,
    among: str | None = None,
    test: Gsprt | None = None,
    max_games: int = 400_000,
    options: Mapping[str, Any] | None = None,
    pilot: int = PILOT,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Test whether A is better than B.

    Args:
        a: name of the agent that may be better.
        b: name of the agent that it is compared with.
        game: name of the game.
        players: at the table; by default 3, or the least number for which all agents are made.
        among: a third agent, among copies of which both are alone.
        test: the hypotheses; by default difference ≤ 0 v ≥ 0.02.
        max_games: after which the test ends undecided; the pilot's are not counted.
        options: options of the game other than `num_players`.
        pilot: blocks of the pilot.
        progress: called with (games finished, `max_games`) after each test of the ratio.

    Raises:
        ValueError: an unknown name, an option outside its bounds, or an illegal move.
    """
    test, table = test or Gsprt(), _table(a, b, among, game, players, dict(options or {}))
    players = table.options.num_players
    if pilot < 2 * players or max_games < 4 * players:
        raise ValueError(
            f"the pilot needs at least {2 * players} blocks and the test {4 * players} games."
        )
    effect = design_effect(table.play(0, pilot, "pilot", "pilot"))
    paired = effect < _PAIRS_BELOW
    shares, llr, decision = np.empty((0, 2)), 0.0, None
    while decision is None and 2 * len(shares) < max_games:
        done = len(shares)
        more = min(max(_FIRST_BLOCKS, int(_GROWTH * done)), max_games // 2 - done)
        # Whole rounds of the seats, so that each has the same number of blocks.
        count = players * max(1, math.ceil(more / players))
        played = table.play(done, count, "first", "first" if paired else "second")
        shares = np.concatenate([shares, played])
        llr = test.llr(shares[:, 0] - shares[:, 1])
        decision = test.decide(llr)
        if progress is not None:
            progress(2 * len(shares), max_games)
    seats = np.arange(len(shares)) % players
    values = by_seat(shares[:, 0] - shares[:, 1], seats, players)
    return Comparison(
        a=a,
        b=b,
        among=among,
        game=table.game.name,
        version=table.game.version,
        options=asdict(table.options),
        test=test,
        decision=decision or UNDECIDED,
        llr=llr,
        blocks=len(shares),
        games=2 * (len(shares) + pilot),
        design_effect=effect,
        paired=paired,
        difference=estimate(values, np.random.default_rng(table.seeds["first"])),
        share_a=float(shares[:, 0].mean()),
        share_b=float(shares[:, 1].mean()),
    )


def design_effect(shares: NDArray[np.float64]) -> float:
    """Variance of the difference on shared deals over that on fresh ones.

    Args:
        shares: (blocks, 2) results of two games on one deal.
    """
    fresh = float(shares.var(axis=0, ddof=1).sum())
    shared = float((shares[:, 0] - shares[:, 1]).var(ddof=1))
    return shared / fresh if fresh > 0.0 else 1.0


def _table(
    a: str, b: str, among: str | None, name: str, players: int | None, options: dict[str, Any]
) -> _Table:
    """The agents and what they play, checked."""
    if a == b:
        raise ValueError(f"to compare {a!r} with itself is of no use: it is no better.")
    if among in (a, b):
        raise ValueError(f"the third agent must be another than {among!r}, which is compared.")
    game = get_game(name)
    names = [a, b] if among is None else [a, b, among]
    agents = [make_agent(agent, game) for agent in names]
    if players is None:
        players = usual_players(game, names, agents, options)
    made = table_options(game, players, options)
    check_fit(agents, made)
    one, other, *third = (identity(game, agent) for agent in names)
    if one == other:
        raise ValueError(f"{a!r} and {b!r} are one agent by two names: it is no better.")
    what = [game.name, game.version, asdict(made), one, other, third[0] if third else None]
    uses = ("pilot", "first", "second")
    return _Table(game, made, agents, {use: hashed_seed([*what, use]) for use in uses})
