"""A game that is on trial: what its functions say of arrays of positions."""

from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from lowhand.engine import kernels_rows as kernels
from lowhand.engine.game import (
    Game,
    emits_reward,
    is_legal,
    rank_is_final,
    ranking_score,
    round_score,
    score,
)
from lowhand.engine.jit import njit
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.scripted import parse_bot

MAX_DECISIONS = 100_000
"""A game of random moves is over by then."""
UNWRITTEN = 77


@njit
def probe(rules, states, legal, emits, final, ranking, scores, rounds):  # type: ignore[no-untyped-def]
    """What the rule functions say of each state; `legal` from action −1 on."""
    for i in range(states.size):
        state = states[i]
        for k in range(legal.shape[1]):
            legal[i, k] = is_legal(rules[0], state, k - 1)
        emits[i] = emits_reward(rules[0], state)
        for seat in range(state.num_players):
            final[i, seat] = rank_is_final(rules[0], state, seat)
            ranking[i, seat] = ranking_score(rules[0], state, seat)
            scores[i, seat] = score(rules[0], state, seat)
            rounds[i, seat] = round_score(rules[0], state, seat)


class Trial:
    """A game under given options, and what its functions say of positions."""

    def __init__(self, game: Game, options: Any, games: int, seed: int, hidden: bool) -> None:
        self.game, self.options, self.rules = game, options, options.rules()
        self.players, self.actions = int(options.num_players), int(game.num_actions(options))
        self.rng = np.random.default_rng(seed)
        self.keys = self.new_keys(games)
        self.specs = {
            recall: game.observation(options, recall, self.players) for recall in (False, True)
        }
        names = (*game.bots, *game.baselines)
        self.bots = {name: cast(np.ndarray, parse_bot(name, game.bots)) for name in names}
        for name, draw in game.bot_distributions.items():
            self.bots[f"a draw of {name}"] = draw(self.rng)
        self.hidden = hidden
        self.changed = not hidden  # whether a sample of hidden information differed in what follows

    def fail(self, function: str, fault: str) -> NoReturn:
        """Say what is wrong with a function."""
        raise AssertionError(f"{self.game.name} for {self.players} players: `{function}` {fault}.")

    def require(self, holds: Any, function: str, fault: str) -> None:
        """Fail unless everything in `holds` is true."""
        if not np.all(holds):
            self.fail(function, fault)

    def new_keys(self, count: int) -> NDArray[np.uint64]:
        """Keys of further games."""
        return self.rng.integers(2**64, size=count, dtype=np.uint64)

    def deal(self, keys: NDArray[np.uint64], states: np.ndarray | None = None) -> np.ndarray:
        """Deal the games of `keys`, into copies of `states` where they are given."""
        states = np.zeros(len(keys), self.game.state) if states is None else states.copy()
        kernels.deal_rows(self.rules, states, keys, np.full(len(keys), self.players))
        return states

    def after(self, states: np.ndarray, actions: NDArray[np.int64]) -> np.ndarray:
        """Copies of the states after one legal action in each."""
        states = states.copy()
        kernels.apply_rows(self.rules, states, np.arange(len(states)), actions)
        return states

    def masks(self, states: np.ndarray) -> NDArray[np.int8]:
        """Legal actions of the movers, (N, actions)."""
        masks = np.full((len(states), self.actions), UNWRITTEN, np.int8)
        kernels.mask_rows(self.rules, states, np.arange(len(states)), masks)
        self.require(
            (masks == 0) | (masks == 1), "write_mask", "leaves an entry that is not 0 or 1"
        )
        self.require(masks.any(axis=1), "write_mask", "allows nothing before the end of a game")
        return masks

    def probed(self, states: np.ndarray) -> tuple[np.ndarray, ...]:
        """Legality (N, actions + 2) from −1 on, whether rewards are emitted, then (N, P) each."""
        n = len(states)
        legal, emits = np.zeros((n, self.actions + 2), np.bool_), np.zeros(n, np.bool_)
        final = np.zeros((n, self.players), np.bool_)
        ranking, scores, rounds = np.zeros((3, n, self.players))
        probe(self.rules, states, legal, emits, final, ranking, scores, rounds)
        return legal, emits, final, ranking, scores, rounds

    def seen(self, states: np.ndarray, seat: int, spec: ObservationSpec) -> NDArray[np.float32]:
        """What `seat` observes, (N, size); NaN where nothing was written."""
        seen = np.full((len(states), spec.size), np.nan, np.float32)
        rows, seats = np.arange(len(states)), np.full(len(states), seat)
        kernels.observe_seats(self.rules, spec.layout, states, rows, seats, seen)
        return seen

    def seen_by_all(self, states: np.ndarray) -> list[NDArray[np.float32]]:
        """What each seat observes with perfect recall."""
        return [self.seen(states, seat, self.specs[True]) for seat in range(self.players)]

    def resampled(
        self, states: np.ndarray, seat: int, recall: bool, keys: NDArray[np.uint64]
    ) -> np.ndarray:
        """Copies of the states with samples of what `seat` can't know."""
        states = states.copy()
        kernels.resample_rows(self.rules, states, seat, recall, keys)
        return states

    def decided(self, states: np.ndarray, bot: np.ndarray) -> NDArray[np.int64]:
        """The actions of a scripted player for the movers."""
        actions = np.full(len(states), -1)
        kernels.act_rows(self.rules, states, np.arange(len(states)), bot, actions)
        return actions

    def played_out(self, states: np.ndarray, seed: int) -> NDArray[np.float64]:
        """Final scores (N, P) after random moves that `seed` and the legal actions fix."""
        states, rng = states.copy(), np.random.default_rng(seed)
        for _ in range(MAX_DECISIONS):
            rows = np.flatnonzero(states["over"] == 0)
            if not rows.size:
                return self.probed(states)[4]
            actions = choice(self.masks(states[rows]), rng)
            kernels.apply_rows(self.rules, states, rows, actions)
        self.fail("apply", f"has not ended a game after {MAX_DECISIONS:,} random moves")


def choice(masks: NDArray[np.int8], rng: np.random.Generator) -> NDArray[np.int64]:
    """A random legal action of each row."""
    chosen: NDArray[np.int64] = (masks * rng.random(masks.shape)).argmax(axis=1)
    return chosen


def same_arrays(one: list[NDArray[Any]], other: list[NDArray[Any]]) -> bool:
    """Whether two lists of arrays have the same entries."""
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(one, other, strict=True))


def same_records(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether all fields agree; what lies between them does not count."""
    names = one.dtype.names or ()
    return same_arrays([one[name] for name in names], [other[name] for name in names])
