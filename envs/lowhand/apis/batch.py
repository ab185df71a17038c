"""Many games at once: every game is stepped for the player to move, in compiled code."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import (
    Agent,
    TableView,
    agents_generator,
    ask_movers,
    check_fit,
    seat_codes,
)
from lowhand.engine.game import Game
from lowhand.engine.kernels_batch import (
    FIRST_AGENT,
    FORFEIT,
    MAX_GAMES_WITHOUT_A_MOVE,
    YOURS,
    Table,
    Tables,
    apply_agent_actions,
    begin_tables,
    clear_tables,
    reset_tables,
    step_tables,
    write_observations,
)
from lowhand.engine.kernels_rows import first_illegal
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.rewards import reward_weights
from lowhand.engine.validation import check_seats, check_seed, make_options
from lowhand.games import get_game


class Batch:
    """A batch of N games for at most P seats; see `make_batch`.

    Args beyond those of `make_batch`:
        rotate: each game rotates its seating by a number of places that its key fixes, so that
            the first player in a row of `seat` sits at `drawn_seat`.
        keep_final: keep the last position of games that ended, in `final_states`.
        spec: the observation, instead of `perfect_recall` and `observation_seats`.

    `step` plays one action in every game, lets agents that sit at the tables answer, deals a
    new game where one ended, and rewrites these arrays in place:

    Attributes:
        observation: (N, size) float32, what the player to move sees.
        action_mask: (N, actions) int8, 1 for each of its legal actions.
        mover: (N,) int8, its seat.
        rewards: (N, P) float32, what this step earned each seat: at the end of a game or round,
            or when a seat is out; else zero.
        done: (N,) bool, whether a game ended in this step; `observation`, `action_mask` and
            `mover` then belong to the new game.
        final_scores: (N, P) float64, scores of the last game that ended at each table.
        final_ranking_scores: (N, P) float64, what ranks them: the lowest won. In No Thanks! the
            score; in Least Score the points, and for who is out a billion more for each deal
            earlier.
        final_states: (N,) records, the end of that game; (0,) without `keep_final`.
        num_players: (N,) int64, players of each game.
        seating: (N, P) int32, the player of each seat in the running games: `YOURS`, or the seat
            code of an agent.
        states: (N,) records, the full information of every game.
        spec: the observation's fields and their layout.
    """

    def __init__(
        self,
        game: Game,
        options: Any,
        num_envs: int,
        *,
        num_players: Sequence[int],
        seed: int = 0,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: Any = "win",
        observe: bool = True,
        agents: str | Sequence[Agent | str] = (),
        num_threads: int = 1,
        rotate: bool = False,
        keep_final: bool = False,
        spec: ObservationSpec | None = None,
    ) -> None:
        for name, number in (("num_envs", num_envs), ("num_threads", num_threads)):
            if number < 1:
                raise ValueError(f"{name} must be at least 1, not {number}.")
        for players in set(num_players):
            replace(options, num_players=players)  # refuses numbers that the game doesn't allow
        most = max(num_players)
        self.game, self.options, self.num_envs, self.observing = game, options, num_envs, observe
        self.spec: ObservationSpec = spec or game.observation(
            options, perfect_recall, check_seats(observation_seats, most)
        )
        named = [agents] if isinstance(agents, str) else agents
        self.agents = [make_agent(agent, game) for agent in named]
        check_fit(self.agents, replace(options, num_players=most))
        self._codes, bots = seat_codes(self.agents)
        self.states = np.zeros(num_envs, game.state)
        self.observation = np.zeros((num_envs, self.spec.size if observe else 0), np.float32)
        self.action_mask = np.zeros((num_envs, game.num_actions(options)), np.int8)
        self.final_states = np.zeros(num_envs if keep_final else 0, game.state)
        tables = np.zeros(num_envs, Table)
        tables["num_players"] = np.resize(np.array(num_players, np.int64), num_envs)
        tables["seats"] = tables["next_seats"] = YOURS
        tables["rotates"], tables["reseats"] = rotate, True
        self.done, paid = np.zeros((2, num_envs), np.bool_)
        self._tables = Tables(
            options.rules(), self.spec.layout, bots, reward_weights(reward), self.states, tables,
            self.done, paid, tables["rewards"], tables["pending_rewards"], self.final_states,
            self.observation, self.action_mask,
        )  # fmt: skip
        self.mover, self.num_players = self.states["mover"], tables["num_players"]
        self.rewards = tables["rewards"][:, :most]
        self.final_scores = tables["final_scores"][:, :most]
        self.final_ranking_scores = tables["final_ranking_scores"][:, :most]
        self.seating = tables["seats"][:, :most]
        self._next_seating = tables["next_seats"]
        self._rows = np.arange(num_envs)
        self._asks = bool((self._codes <= FIRST_AGENT).any())
        edges = np.linspace(0, num_envs, num_threads + 1).astype(int).tolist()
        self._chunks = list(pairwise(edges))
        self._seed, self._waits = np.uint64(0), False
        self._pool = ThreadPoolExecutor(num_threads) if num_threads > 1 else None
        self.reset(seed)

    def seat(self, seating: ArrayLike, rows: ArrayLike | None = None) -> None:
        """Set the seating of games dealt from now on (`reset` deals all games again).

        Args:
            seating: (rows, P) integers: `YOURS` (−1) where `step` decides, else an index into
                the batch's `agents`.
            rows: the tables to seat; all by default.

        Raises:
            ValueError: an index has no agent, or no seat at a table is yours.
        """
        chosen = self._rows if rows is None else np.asarray(rows)
        shape, given = (len(chosen), self.rewards.shape[1]), np.asarray(seating)
        if given.dtype.kind not in "iu" or given.shape not in (shape, shape[1:], (1, *shape[1:])):
            raise ValueError(
                f"seating must be integers of shape {shape}, or one row for all, not an array of"
                f" shape {given.shape} and type {given.dtype}."
            )
        wanted = np.broadcast_to(given, shape)
        if wanted.min(initial=YOURS) < YOURS or wanted.max(initial=YOURS) >= len(self.agents):
            raise ValueError(f"a seat must be −1 (yours) or from 0 to {len(self.agents) - 1}.")
        there = np.arange(wanted.shape[1]) < self.num_players[chosen, np.newaxis]
        if not ((wanted == YOURS) & there).any(axis=1).all():
            raise ValueError("at every table at least one seat must be yours (−1).")
        self._next_seating[chosen, : wanted.shape[1]] = self._codes[wanted]
        self._tables.tables["reseats"][chosen] = True

    def reset(self, seed: int | None = None) -> None:
        """Deal a new game everywhere. Game i's j-th episode is `game_key(seed, i, j)`.

        Args:
            seed: 0 ≤ seed < 2**64; None takes the next seed after the last one.
        """
        if seed is None:
            seed = (int(self._seed) + 1) % 2**64
        self._seed = np.uint64(check_seed(seed))
        self._rng = agents_generator(int(self._seed))
        self._tables.tables["starved"] = False
        self._run(reset_tables, self._seed)
        self._let_others_play()
        begin_tables(self._tables)

    def step(self, actions: ArrayLike) -> None:
        """Play `actions[i]`, (N,) integers, in game i.

        Raises:
            ValueError: an action is illegal; no game has moved.
        """
        actions = as_actions(actions, self.num_envs)
        if self._waits:
            raise ValueError("an agent failed in the last step: reset the batch before you step.")
        bad = first_illegal(self._tables.rules, self.states, self._rows, actions)
        if bad >= 0:
            legal = np.flatnonzero(self.action_mask[bad]).tolist()
            raise ValueError(
                f"action {actions[bad]} in game {bad} is illegal; legal actions are {legal}."
            )
        self._run(step_tables, self._seed, actions)
        self._let_others_play()

    def step_or_forfeit(self, actions: NDArray[np.int64], forfeit: NDArray[np.int64]) -> None:
        """Like `step`, but the games `forfeit` end as they stand, whatever their action."""
        actions = actions.copy()
        actions[forfeit] = FORFEIT
        clear_tables(self._tables)
        apply_agent_actions(self._tables, self._seed, self._rows, actions, self.observing)
        self._let_others_play()

    def __repr__(self) -> str:
        players = "/".join(map(str, np.unique(self.num_players)))
        return f"Batch({self.game.name}, num_envs={self.num_envs}, num_players={players})"

    @property
    def ended(self) -> NDArray[np.bool_]:
        """(N, P), the seats whose game has ended, now or before: all at its end, or who is out."""
        ended = np.repeat(self.done[:, np.newaxis], self.rewards.shape[1], axis=1)
        if "out" in (self.game.state.names or ()):
            ended |= self.states["out"][:, : ended.shape[1]] != 0
        return ended

    @property
    def bytes_per_game(self) -> int:
        """Memory of one game in bytes: its state and its table, without observation and mask."""
        return self.states.itemsize + self._tables.tables.itemsize

    def set_reward(self, weights: ArrayLike) -> None:
        """Pay games that end from now on by these weights of `rewards.OBJECTIVES`."""
        self._tables.weights[:] = weights

    def training_state(self) -> dict[str, NDArray[Any]]:
        """The arrays that determine how the batch continues, for a checkpoint of a training run."""
        return {
            "states": _bytes(self.states),
            "tables": _bytes(self._tables.tables),
            "done": self.done.copy(),
            "paid": self._tables.paid.copy(),
            "seed": np.array([self._seed]),
        }

    def set_training_state(self, arrays: dict[str, NDArray[Any]]) -> None:
        """Continue from the arrays of `training_state`."""
        for name, records in (("states", self.states), ("tables", self._tables.tables)):
            records[:] = np.ascontiguousarray(arrays[name]).view(records.dtype).ravel()
        self.done[:], self._tables.paid[:] = arrays["done"], arrays["paid"]
        self._seed = np.uint64(arrays["seed"][0])
        self._run(write_observations)

    def _let_others_play(self) -> None:
        """Play the seats of agents until every game waits for you.

        Raises:
            ValueError: an agent failed, or one of your seats never has a move.
        """
        if not self.agents:
            return
        asked = self._waits = True
        episode, starved = self._tables.tables["episode"], self._tables.tables["starved"]
        first = episode.copy()
        table = TableView(self.game, self.options, self._tables.rules, self.states, self._rows)
        while self._asks and asked and not starved.any():
            asked = False
            for rows, actions in ask_movers(self.agents, table, self.seating, self._rng):
                apply_agent_actions(self._tables, self._seed, rows, actions, self.observing)
                asked = True
            starved |= episode - first > MAX_GAMES_WITHOUT_A_MOVE
        if starved.any():
            raise ValueError(
                f"your seat in game {starved.argmax()} had no move in {MAX_GAMES_WITHOUT_A_MOVE}"
                " games in a row: the others end every game before its turn."
            )
        self._waits = False

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError("a batch can't be copied or pickled; save its training_state() instead.")

    def _run(self, kernel: Any, *arguments: Any) -> None:
        """Run a compiled loop over all tables, in threads where the batch has several."""
        if self._pool is None:
            kernel(self._tables, *arguments, 0, self.num_envs, self.observing)
            return
        jobs = [
            self._pool.submit(
                partial(kernel, self._tables, *arguments, start, stop, self.observing)
            )
            for start, stop in self._chunks
        ]
        for job in jobs:
            job.result()


def as_actions(actions: ArrayLike, count: int) -> NDArray[np.int64]:
    """Actions of `count` games as the type that kernels are compiled for.

    Raises:
        ValueError: they are not that many integers.
    """
    given = np.asarray(actions)
    if given.shape != (count,) or given.dtype.kind not in "iu":
        raise ValueError(
            f"actions must be {count} integers, not an array of shape {given.shape} and type"
            f" {given.dtype}."
        )
    return np.ascontiguousarray(given, np.int64)


def _bytes(records: np.ndarray) -> NDArray[np.uint8]:
    """A copy of records as (records, bytes)."""
    return records.view(np.uint8).reshape(len(records), -1).copy()


def make_batch(
    game: str,
    num_envs: int,
    *,
    num_players: int | Sequence[int] = 4,
    seed: int = 0,
    perfect_recall: bool = False,
    observation_seats: int | None = None,
    reward: Any = "win",
    observe: bool = True,
    agents: str | Sequence[Agent | str] = (),
    num_threads: int = 1,
    **options: Any,
) -> Batch:
    """Many games at once, each stepped for the player to move.

    Args:
        game: `"no_thanks"`, `"least_score"`, or a game of your own.
        num_envs: number of games N.
        num_players: of every game, or several numbers that the games use in turn.
        seed: game i's j-th episode is the one that `game_key(seed, i, j)` fixes.
        perfect_recall: as for `lowhand.apis.pettingzoo_env.GameEnv`.
        reward: as for `lowhand.apis.pettingzoo_env.GameEnv`.
        observation_seats: seats in the observation, so that one network plays any number of
            players; by default the most players of any game.
        observe: False makes no observations (masks and movers stay).
        agents: agents or names that `Batch.seat` can put at the tables.
        num_threads: threads that step the games; more than one pays on a quiet machine only.
        **options: the game's own options, such as `chips` or `removed`.

    Raises:
        ValueError: an unknown game, or an option outside its bounds.
    """
    chosen = get_game(game)
    players = [num_players] if isinstance(num_players, (int, np.integer)) else list(num_players)
    if not players:
        raise ValueError("num_players must be a number or several, not an empty list.")
    made = make_options(chosen, num_players=max(players), **options)
    return Batch(
        chosen, made, num_envs, num_players=players, seed=seed, perfect_recall=perfect_recall,
        observation_seats=observation_seats, reward=reward, observe=observe, agents=agents,
        num_threads=num_threads,
    )  # fmt: skip
