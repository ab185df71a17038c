"""Checks of deals, moves and results, over random games."""

import numpy as np
from numpy.typing import NDArray

from lowhand.engine import kernels_rows as kernels
from lowhand.engine.game import NOT_IN_ROUND
from lowhand.engine.rewards import reward_weights
from lowhand.testing import trial as trials
from lowhand.testing.knowledge import check_hidden, check_views
from lowhand.testing.trial import Trial, choice, same_arrays, same_records

ZERO_SUM = {"win": "rank_is_final", "placement": "rank_is_final", "score": "round_score"}
"""Objectives whose rewards sum to zero over the seats, and the rule function that decides it."""


def check_deals(trial: Trial) -> None:
    """A key fixes a deal, and another key gives another."""
    states = trial.deal(trial.keys)
    again = np.concatenate([trial.deal(trial.keys[i : i + 1]) for i in range(len(states))])
    trial.require(same_records(states, again), "deal", "deals one key in different ways")
    given = {"key": trial.keys, "num_players": trial.players, "over": 0, "moves": 0}
    for name, value in given.items():
        trial.require(states[name] == value, "deal", f"does not set the field {name!r} rightly")
    again["key"] = 0
    different = not trial.hidden or len(states) == 1 or not same_records(again[1:], again[:-1])
    trial.require(different, "deal", "deals the same whatever the key")


def check_games(trial: Trial) -> np.ndarray:
    """Play random games to the end, and return the ends."""
    states = trial.deal(trial.keys)
    result = Result(trial, len(states))
    rows = np.arange(len(states))
    for step in range(trials.MAX_DECISIONS):
        before = states[rows]
        check_movers(trial, before)
        masks = trial.masks(before)
        legal = trial.probed(before)[0]
        trial.require(
            legal == np.pad(masks, ((0, 0), (1, 1))), "is_legal", "disagrees with `write_mask`"
        )
        if step & (step - 1) == 0:  # 0, 1, 2, 4, 8, …
            check_views(trial, before[:4])
            check_hidden(trial, before[:4])
        actions = choice(masks, trial.rng)
        after = trial.after(before, actions)
        check_move(trial, before, actions, after)
        result.add(rows, after)
        states[rows] = after
        rows = np.flatnonzero(states["over"] == 0)
        if not rows.size:
            break
    else:
        trial.fail("apply", f"has not ended a game after {trials.MAX_DECISIONS:,} random moves")
    trial.require(
        trial.changed,
        "resample_hidden",
        "never changes anything that matters: is nothing hidden? Then say hidden=False",
    )
    check_views(trial, states)
    result.check(states)
    return states


def check_movers(trial: Trial, states: np.ndarray) -> None:
    """The move is given to a seat that can have it."""
    function, movers = "deal" if states["moves"][0] == 0 else "apply", states["mover"]
    there = (movers >= 0) & (movers < trial.players)
    trial.require(there, function, "gives the move to a seat that there is not")
    if "out" in (states.dtype.names or ()):
        out = states["out"][np.arange(len(states)), movers]
        trial.require(out == 0, function, "gives the move to a seat that is out")


def check_move(
    trial: Trial, before: np.ndarray, actions: NDArray[np.int64], after: np.ndarray
) -> None:
    """A move depends on the state alone, and keeps the fields of every game."""
    again = trial.after(before, actions)
    trial.require(same_records(again, after), "apply", "depends on something outside the state")
    trial.require(after["moves"] == before["moves"] + 1, "apply", "does not count in 'moves'")
    trial.require(
        (after["over"] == 0) | (after["over"] == 1), "apply", "sets 'over' to neither 0 nor 1"
    )
    for name in ("key", "num_players"):
        trial.require(after[name] == before[name], "apply", f"changes the field {name!r}")


class Result:
    """What games have earned each seat so far, and when ranks became final."""

    def __init__(self, trial: Trial, games: int) -> None:
        self.trial, shape = trial, (games, trial.players)
        self.rewards = {name: np.zeros(shape, np.float32) for name in ZERO_SUM}
        self.finals, self.rounds = np.zeros(shape, int), np.zeros(shape)
        self.took_part = np.zeros(shape, np.bool_)
        self.places = np.zeros((*shape, trial.players))  # against each other seat, once final

    def add(self, rows: NDArray[np.int64], states: np.ndarray) -> None:
        """Add what the last moves, which led to `states`, have earned in games `rows`."""
        _, emits, final, ranking, _, rounds = self.trial.probed(states)
        self.trial.require(
            emits | (states["over"] == 0), "emits_reward", "is false at the end of a game"
        )
        final &= emits[:, np.newaxis]
        self.finals[rows] += final
        there = emits[:, np.newaxis] & (rounds != NOT_IN_ROUND)
        self.took_part[rows] |= there
        alone = there.sum(axis=1) == 1
        self.trial.require(~alone, "round_score", "has a round in which one seat alone took part")
        self.rounds[rows] += np.where(there, rounds, 0.0)
        against = np.sign(ranking[:, :, np.newaxis] - ranking[:, np.newaxis, :])
        self.places[rows] = np.where(final[:, :, np.newaxis], against, self.places[rows])
        for name, total in self.rewards.items():
            earned = np.zeros((len(rows), self.trial.players), np.float32)
            kernels.pay_rows(self.trial.rules, states, reward_weights(name), earned)
            total[rows] += earned

    def check(self, states: np.ndarray) -> None:
        """Compare with the ends of the games."""
        require = self.trial.require
        _, _, _, ranking, scores, _ = self.trial.probed(states)
        require(np.isfinite(scores), "score", "is not finite")
        require(np.isfinite(ranking), "ranking_score", "is not finite")
        require(self.finals == 1, "rank_is_final", "is not true exactly once a game for each seat")
        against = np.sign(ranking[:, :, np.newaxis] - ranking[:, np.newaxis, :])
        require(self.places == against, "rank_is_final", "is true before the rank is final")
        if "out" not in (states.dtype.names or ()):
            better = scores[:, :, np.newaxis] < scores[:, np.newaxis, :]
            require(
                against[better] <= 0, "ranking_score", "ranks a lower score behind a higher one"
            )
        fits = np.isclose(self.rounds, scores) | ~self.took_part
        require(fits, "round_score", "does not add up to the score over a game")
        for name, total in self.rewards.items():
            zero = np.abs(total.sum(axis=1)) < 1e-3
            require(zero, ZERO_SUM[name], f"makes rewards {name!r} that do not sum to zero")


def check_deal_over_an_old_game(trial: Trial, ends: np.ndarray) -> None:
    """A record is used again for the next game, and nothing of the last may remain."""
    keys = trial.new_keys(len(ends))
    fresh, over_old = trial.deal(keys), trial.deal(keys, ends)
    same = same_arrays(trial.seen_by_all(fresh), trial.seen_by_all(over_old))
    same = same and np.array_equal(trial.played_out(fresh, 2), trial.played_out(over_old, 2))
    trial.require(same, "deal", "leaves something of the last game in the record")
