"""The compiled engine against the slow referee, play by play, over random games.

    python -m tests.crosscheck.no_thanks --games 100000

Batches with random options are stepped with random legal actions, and a referee is led through
the same games. After each step everything that the rules speak of is compared; a difference
raises an AssertionError that names the game.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from lowhand import make_batch
from lowhand.engine.kernels_rows import apply_rows, pay_rows, score_rows
from lowhand.engine.rewards import OBJECTIVES, SCORE_SCALE, reward_weights
from lowhand.games.no_thanks.options import MAX_PLAYERS
from tests.crosscheck.core import REWARDS, BaseTwins, Counts, Progress, command_line, mixed, run
from tests.referee.no_thanks import TAKE, Table

TABLES = 64  # games of one batch; also the games that share their options


def random_options(rng: random.Random) -> dict[str, Any]:
    """Options of a batch: a third of them the usual game, the others of any size."""
    players = [rng.randint(2, 7) for _ in range(rng.randint(1, 6))]
    options: dict[str, Any] = {"num_players": players}
    if rng.random() < 0.65:
        low, high = sorted((rng.randint(1, 35), rng.randint(1, 35)))
        options |= {"low": low, "high": high, "removed": rng.randint(0, high - low)}
    if rng.random() < 0.6:
        options["chips"] = rng.choice([0, 0, 1, 2, 3, 5, 11, 20])
    if rng.random() < 0.3:
        options["first_player"] = rng.randrange(min(players))
    return options


class Twins(BaseTwins):
    """A batch of the engine, and a referee's table for each of its games.

    Args:
        rng: of options and actions.
        tables: size of the batch.
        options: those of `make_batch`; random by default.
    """

    def __init__(
        self, rng: random.Random, tables: int = TABLES, options: dict[str, Any] | None = None
    ) -> None:
        self.rng = rng
        self.options = random_options(rng) if options is None else options
        self.seed, self.reward = rng.getrandbits(64), rng.choice(REWARDS)
        self.batch = make_batch(
            "no_thanks",
            tables,
            seed=self.seed,
            reward=self.reward,
            perfect_recall=rng.random() < 0.5,
            **self.options,
        )
        self.games_of = [0] * tables
        self._total = [0] * tables  # chips in each game
        self.tables = [self._referee(i) for i in range(tables)]
        # How readily the players of each table take: rarely makes long auctions and empty pockets.
        self.readiness = [rng.choice([0.05, 0.3, 0.5, 0.5]) for _ in range(tables)]
        self._actions = [0] * tables
        self._spec = self.batch.spec.slices["score_change"]
        self.compare()

    def step(self) -> None:
        """One random legal action at every table, on both sides, and everything compared."""
        batch, rng = self.batch, self.rng
        self._actions = [
            TAKE if rng.random() < ready else table.legal_actions()[0]
            for table, ready in zip(self.tables, self.readiness, strict=True)
        ]
        actions = np.array(self._actions)
        before = batch.states.copy()
        batch.step(actions)
        self.decisions += len(self.tables)
        for table, action in zip(self.tables, self._actions, strict=True):
            table.step(action)
        over = [i for i, table in enumerate(self.tables) if table.over]
        self._equal(np.flatnonzero(batch.done).tolist(), over, "tables whose game has ended")
        assert not batch.rewards[~batch.done].any(), self._where("rewards before the end")
        if over:
            self._compare_ends(before[over], actions[over], np.array(over))
        for i in over:
            self.games_of[i] += 1
            self.tables[i] = self._referee(i)
        self.compare()

    def compare(self) -> None:
        """Every table as it stands, field by field."""
        batch, states = self.batch, self.batch.states
        chips, points = states["chips"].tolist(), states["points"].tolist()
        cards = states["cards"].tolist()
        mask, mover = batch.action_mask.tolist(), batch.mover.tolist()
        # Back from the observation's unit of 35 points to whole points.
        changes = np.rint(batch.observation[:, self._spec] * 35.0).astype(int).tolist()
        numbers = zip(
            *(states[name].tolist() for name in ("offered", "pot", "mover", "moves", "turned")),
            states["over"].tolist(),
            strict=True,
        )
        for i, (table, found) in enumerate(zip(self.tables, numbers, strict=True)):
            n = table.num_players
            wanted = (table.offered, table.pot, table.mover, table.decisions, table.turned, 0)
            self._equal(found, wanted, "offered, pot, mover, moves, turned, over", i)
            self._equal(chips[i][:n], table.chips, "chips", i)
            self._equal(sum(chips[i]) + table.pot, self._total[i], "all chips", i)
            words = [sum(1 << card for card in held) for held in table.cards]
            self._equal(cards[i][:n], words, "cards", i)
            self._equal(
                [a - b for a, b in zip(points[i][:n], table.chips, strict=True)],
                table.scores(),
                "scores",
                i,
            )
            self._equal(mover[i], table.mover, "mover", i)
            legal = table.legal_actions()
            self._equal(mask[i], [int(action in legal) for action in (0, 1)], "mask", i)
            offered = table.deck[table.turned - 1]
            wanted_changes = [
                table.score_change((table.mover + k) % n, offered) if k < n else 0
                for k in range(len(changes[i]))
            ]
            self._equal(changes[i], wanted_changes, "score changes from the mover on", i)

    def _referee(self, i: int) -> Table:
        """The referee's table for the game just dealt at table i; it checks the deck itself."""
        state = self.batch.states[i]
        low, high = self.options.get("low", 3), self.options.get("high", 35)
        turned = high - low + 1 - self.options.get("removed", 9)
        deck = state["deck"][: high - low + 1].tolist()
        assert [min(deck), max(deck)] == [low, high], self._where("range of cards", i)
        players, mover = int(state["num_players"]), int(state["mover"])
        wanted_players = self.options["num_players"]
        self._equal(players, wanted_players[i % len(wanted_players)], "number of players", i)
        self._equal(mover, self.options.get("first_player", mover), "first player", i)
        table = Table(players, deck[:turned], deck[turned:], self.options.get("chips"), mover)
        self._total[i] = sum(table.chips)
        return table

    def _compare_ends(self, states: np.ndarray, actions: np.ndarray, rows: np.ndarray) -> None:
        """Ended games: final scores and rewards reported, and the last position itself.

        The batch has dealt the next game at those tables, so the last action is played in copies.
        """
        batch, rules = self.batch, self.batch.options.rules()
        apply_rows(rules, states, np.arange(len(rows)), actions)
        scores = np.zeros((len(rows), MAX_PLAYERS))
        score_rows(rules, states, scores)
        for k, i in enumerate(rows.tolist()):
            table, n = self.tables[i], self.tables[i].num_players
            state = states[k]
            found = [int(state[name]) for name in ("over", "offered", "pot", "turned", "mover")]
            self._equal(found, [1, 0, 0, len(table.deck), table.mover], "end", i)
            self._equal(state["chips"][:n].tolist(), table.chips, "chips at the end", i)
            self._equal(int(state["chips"].sum()), self._total[i], "all chips at the end", i)
            held = [int(word).bit_count() for word in state["cards"]]
            self._equal(sum(held), len(table.deck), "cards taken", i)
            taken = sum(1 << card for card in table.deck)
            self._equal(int(np.bitwise_or.reduce(state["cards"])), taken, "which cards", i)
            self._equal(scores[k, :n].tolist(), table.scores(), "scores at the end", i)
            wanted_scores = [float(score) for score in table.scores()] + [0.0] * (
                batch.rewards.shape[1] - n
            )
            self._equal(batch.final_scores[i].tolist(), wanted_scores, "final scores", i)
            kinds = {kind: table.rewards(kind, SCORE_SCALE) for kind in OBJECTIVES}
            for kind, wanted in kinds.items():
                rewards = np.zeros((1, MAX_PLAYERS), np.float32)
                pay_rows(rules, states[k : k + 1], reward_weights(kind), rewards)
                self._close(rewards[0], wanted, f"reward {kind!r}", i)
            self._close(batch.rewards[i], mixed(kinds, self.reward), "rewards", i)


def crosscheck(games: int, seed: int = 0, progress: Progress | None = None) -> Counts:
    """Compare at least `games` whole games; every table plays two.

    Raises:
        AssertionError: engine and referee differ.
    """
    return run(Twins, games, 2, seed, progress)


if __name__ == "__main__":
    command_line(__doc__, crosscheck)
