"""An agent that looks ahead: one ply, and behind it rollouts by the agent that it builds on.

The rollout algorithm of Tesauro and Galperin, "On-line policy improvement using Monte-Carlo
search", 1996, under hidden information: before each rollout, what the player can't know is dealt
anew. Against copies of the agent it builds on it approximates a best response; it is a stronger
player elsewhere too. Its name is `search:AGENT?rollouts=32`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import Agent, TableView, agent_name, ask, check_fit, make_agent
from lowhand.apis.batch import seat_codes
from lowhand.engine.game import Game, apply, pays, resample_hidden
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import FIRST_AGENT, scripted_action
from lowhand.engine.rewards import pay, reward_weights
from lowhand.engine.rng import game_key
from lowhand.engine.validation import check_integer

ROLLOUTS, SHORTLIST, MARGIN = 32, 8, 1.0
REWARD: Mapping[str, float] = MappingProxyType({"win": 1.0, "score": 0.5})
"""Wins, and relative scores beside them: wins alone are so noisy that few rollouts choose badly."""

_CLONES = 32_768  # games played at once; decisions do not depend on it
_TWO_53 = float(1 << 53)
_TIE = 1e-6  # means this close are equal: they are sums of float32


class Belief(Protocol):
    """Says how likely re-deals are, given how the others have played."""

    def log_weights(self, table: TableView) -> NDArray[np.float64]:
        """Logarithms of the likelihood of re-dealt tables, up to a constant of each position.

        Args:
            table: positions with what is hidden from the mover dealt anew.

        Returns:
            (tables,) float64.
        """
        ...


class SearchAgent:
    """Plays the action with the best mean reward in rollouts.

    At each decision what the seat can't know, with perfect recall, is dealt anew `rollouts`
    times. Each action is played in each of these deals, and all seats go on as `agent` would.
    The re-deals and the dice are the same for every action, which cancels much of the noise.
    Among equals `agent`'s own action is played. Decisions are fixed by game and move, if those
    of `agent` are.

    Re-deals are uniform. Where hands are hidden that is wrong, for others' moves tell of them:
    in Least Score hands are better than the unseen cards, and who takes them for as bad declares
    too early. A `belief` weighs the re-deals.

    Args:
        agent: plays all seats in the rollouts.
        game: what is played.
        rollouts: re-deals of each decision.
        reward: what is maximised: an objective of `lowhand.engine.rewards`, or weights of several.
        horizon: rollouts end with the "game", or with the "round". In a game of several rounds
            the latter is quicker by far; what later rounds would pay is then not seen.
        shortlist: where `agent` has a policy (a method `probabilities`, as networks have), the
            most actions tried: the likeliest, and those that it and the plans chose. Of other
            agents all actions are tried.
        plans: further agents as which the seat itself may go on in its rollouts; the others go on
            as `agent`. Of each action the best plan's mean counts (Chang, Givan and Chong,
            "Parallel rollout for online solution of POMDPs", 2004). Each costs as much again.
        belief: weighs the re-deals; by default all count the same.
        margin: standard errors by which another action must be ahead of `agent`'s, deal by deal.
            The best of many noisy means is mostly noise.
        name: for tables and messages.

    Raises:
        ValueError: a number or word is outside its bounds.
    """

    def __init__(
        self,
        agent: Agent,
        game: Game,
        rollouts: int = ROLLOUTS,
        reward: str | Mapping[str, float] = REWARD,
        horizon: str = "game",
        shortlist: int = SHORTLIST,
        plans: Sequence[Agent] = (),
        belief: Belief | None = None,
        margin: float = MARGIN,
        name: str | None = None,
    ) -> None:
        check_integer("rollouts", rollouts, 1, _CLONES)
        check_integer("shortlist", shortlist, 2, _CLONES)
        if not margin >= 0.0:
            raise ValueError(f"margin must be a number of at least 0, not {margin}.")
        if horizon not in ("game", "round"):
            raise ValueError(f'horizon must be "game" or "round", not {horizon!r}.')
        self.agent, self.game, self.rollouts, self.shortlist = agent, game, rollouts, shortlist
        self.own, self.one_round = [agent, *plans], horizon == "round"
        self.belief, self.margin = belief, margin
        self.weights = reward_weights(reward)
        self.name = name or f"search:{agent_name(agent)}?rollouts={rollouts}"

    def misfit(self, options: Any) -> str | None:
        """Why one of the agents that it asks can't play at a table with these options, or None."""
        try:
            check_fit(self.own, options)
        except ValueError as error:
            return str(error).rstrip(".")
        return None

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """The best actions found; where only one comes into question, that of the agent."""
        actions = ask(self.agent, table, rng)
        proposed = [actions, *(ask(plan, table, rng) for plan in self.own[1:])]
        tried = self._tried(table, proposed)
        for rows in _groups(tried, max(1, _CLONES // (self.rollouts * len(self.own)))):
            actions[rows] = self._best(table, rows, tried[rows], actions[rows], rng)
        return actions

    def _tried(self, table: TableView, proposed: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
        """Which actions come into question, (tables, actions)."""
        legal = table.action_mask.astype(np.bool_)
        policy: Callable[[TableView], Any] | None = getattr(self.agent, "probabilities", None)
        if policy is None or legal.sum(axis=1).max() <= self.shortlist:
            return legal
        likely = np.argsort(-np.where(legal, policy(table), -1.0), axis=1, kind="stable")
        tried = np.zeros_like(legal)
        np.put_along_axis(tried, likely[:, : self.shortlist], True, axis=1)
        for actions in proposed:
            tried[np.arange(len(actions)), actions] = True
        return tried & legal

    def _best(
        self,
        table: TableView,
        rows: NDArray[np.int64],
        tried: NDArray[np.bool_],
        own: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """The actions with the best mean rewards at the tables `rows` of the view."""
        origins, actions = tried.nonzero()
        plans = len(self.own)
        lines = np.repeat(origins, plans), np.repeat(actions, plans)  # branches × plans
        # The full information is touched here alone, to copy it and to re-deal what is hidden.
        rules, states, places = table._rules, table._states, table._rows[rows]
        seats = states["mover"][places].astype(np.int64)
        seeds = (table.dice()[rows] * _TWO_53).astype(np.uint64)
        clones = np.empty(len(lines[0]) * self.rollouts, states.dtype)
        rewards = np.zeros((len(clones), int(table.num_players.max())), np.float32)
        _branch(
            rules, states, places, *lines, seeds, self.rollouts, clones, self.weights, rewards,
            self.one_round,
        )  # fmt: skip
        searching = np.repeat(seats[lines[0]], self.rollouts)
        seating = np.zeros(rewards.shape, np.int64)
        plan = np.repeat(np.tile(np.arange(plans), len(origins)), self.rollouts)
        seating[np.arange(len(clones)), searching] = plan
        self._play_out(table, clones, seating, rewards, rng)
        earned = rewards[np.arange(len(clones)), searching].reshape(-1, plans, self.rollouts)
        weights = self._deal_weights(table, places, seeds)[origins]
        lead, error = _leads(earned, weights, np.flatnonzero(actions == own[origins])[origins])
        ahead = np.full(tried.shape, -np.inf)
        ahead[origins, actions] = np.where(lead > self.margin * error + _TIE, lead, -np.inf)
        ahead[np.arange(len(own)), own] = 0.0
        best: NDArray[np.int64] = ahead.argmax(axis=1)
        return best

    def _deal_weights(
        self, table: TableView, places: NDArray[np.int64], seeds: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """What each re-deal of the positions counts, (positions, rollouts), 1 in sum."""
        if self.belief is None:
            return np.full((len(places), self.rollouts), 1.0 / self.rollouts)
        deals = np.repeat(table._states[places], self.rollouts)
        keys = np.repeat(seeds, self.rollouts)
        numbers = np.tile(np.arange(self.rollouts, dtype=np.uint64), len(places))
        re_deal(table._rules, deals, keys, numbers)
        view = TableView(self.game, table.options, table._rules, deals, np.arange(len(deals)))
        logs = self.belief.log_weights(view).reshape(-1, self.rollouts)
        weights = np.exp(logs - logs.max(axis=1, keepdims=True))
        normal: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return normal

    def _play_out(
        self,
        table: TableView,
        clones: np.ndarray,
        seating: NDArray[np.int64],
        rewards: NDArray[np.float32],
        rng: np.random.Generator,
    ) -> None:
        """Play the clones to the horizon, by `own[seating]`, and add up what it pays."""
        rules, end = table._rules, (self.weights, rewards, self.one_round)
        codes, bots = seat_codes(self.own)
        seats, rows = codes[seating], np.arange(len(clones))
        while True:
            _advance(rules, clones, rows, seats, bots, *end)
            rows = rows[clones["over"][rows] == 0]
            if len(rows) == 0:
                return
            asked = seats[rows, clones["mover"][rows]]
            for code in np.unique(asked):
                mine = rows[asked == code]
                view = TableView(self.game, table.options, rules, clones, mine)
                actions = ask(self.own[FIRST_AGENT - int(code)], view, rng)
                _play_rows(rules, clones, mine, actions, *end)


def _leads(
    earned: NDArray[np.float32], weights: NDArray[np.float64], own: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far each branch is ahead of the own action, in the mean and deal by deal.

    Args:
        earned: (branches, plans, rollouts); of each branch its best plan counts.
        weights: (branches, rollouts) of the re-deals, 1 in sum.
        own: (branches,) the branch of the own action at the same table.

    Returns:
        The means (branches,), and their standard errors.
    """
    plan = (earned * weights[:, np.newaxis]).sum(axis=2).argmax(axis=1)
    best = earned[np.arange(len(earned)), plan].astype(np.float64)
    leads = best - best[own]
    mean = (leads * weights).sum(axis=1)
    return mean, np.sqrt((weights**2 * (leads - mean[:, np.newaxis]) ** 2).sum(axis=1))


_SETTINGS = ("rollouts", "reward", "horizon", "shortlist", "plans")


def make_search_agent(text: str, game: Game) -> SearchAgent:
    """The agent that `search:` and `text`, such as `greedy?rollouts=32&reward=win`, mean.

    After the question mark stand the settings of `SearchAgent` that are wanted: a reward of
    several objectives as `reward=win:1,score:0.5`, several plans as `plans=greedy+connector`.

    Raises:
        ValueError: an unknown agent or setting, or a value that can't be used.
    """
    name, _, settings = text.partition("?")
    given: dict[str, Any] = dict(part.partition("=")[::2] for part in settings.split("&") if part)
    unknown = sorted(set(given) - set(_SETTINGS))
    if not name or unknown:
        what = f"does not know {', '.join(unknown)}" if unknown else "names no agent"
        raise ValueError(
            f"agent 'search:{text}' {what}: write it as 'search:AGENT?rollouts=32&reward=win'; its"
            f" settings are {', '.join(_SETTINGS)}."
        )
    for key in {"rollouts", "shortlist"} & set(given):
        try:
            given[key] = int(given[key])
        except ValueError:
            raise ValueError(
                f"agent 'search:{text}': {key} must be an integer, not {given[key]!r}."
            ) from None
    if ":" in given.get("reward", ""):
        given["reward"] = _weights(given["reward"])
    if "plans" in given:
        given["plans"] = [make_agent(plan, game) for plan in given["plans"].split("+")]
    return SearchAgent(make_agent(name, game), game, **given, name=f"search:{text}")


def _weights(text: str) -> dict[str, float]:
    """The weights that `win:1,score:0.5` means."""
    try:
        pairs = (part.split(":") for part in text.split(","))
        return {name: float(weight) for name, weight in pairs}
    except ValueError:
        raise ValueError(f"reward must be written as win:1,score:0.5, not {text!r}.") from None


def _groups(tried: NDArray[np.bool_], most: int) -> Iterator[NDArray[np.int64]]:
    """The tables with something to choose, in groups of about `most` actions to try."""
    rows = np.flatnonzero(tried.sum(axis=1) > 1)
    if len(rows):
        group = (tried[rows].sum(axis=1).cumsum() - 1) // most
        yield from np.split(rows, np.flatnonzero(np.diff(group)) + 1)


@njit
def _play(rules, state, action, weights, rewards, row, one_round):  # type: ignore[no-untyped-def]
    """Play `action` and add what it earns; with `one_round` the first pay is the end."""
    apply(rules, state, action)
    if pays(rules, state):
        pay(rules, state, weights, rewards, row)
        if one_round:
            state.over = 1


@njit
def _branch(  # type: ignore[no-untyped-def]
    rules, states, places, origins, actions, seeds, rollouts, clones, weights, rewards, one_round
):
    """Play `actions[b]` in `rollouts` re-deals of the position `states[places[origins[b]]]`.

    Re-deal r of a position has the same key, and so the same cards and dice, for each action.
    """
    for b in range(origins.size):
        origin = origins[b]
        for r in range(rollouts):
            i = b * rollouts + r
            clones[i] = states[places[origin]]
            _re_deal_one(rules, clones[i], seeds[origin], r)
            _play(rules[0], clones[i], actions[b], weights, rewards, i, one_round)


@njit
def _re_deal_one(rules, state, seed, number):  # type: ignore[no-untyped-def]
    """Deal anew what the mover can't know, the same for the same seed and number."""
    key = game_key(seed, np.uint64(number), np.uint64(0))
    resample_hidden(rules[0], state, state.mover, True, key)


@njit
def re_deal(rules, states, seeds, numbers):  # type: ignore[no-untyped-def]
    """Deal anew in each of `states` what its mover can't know, re-deal `numbers[i]` of its seed."""
    for i in range(states.size):
        _re_deal_one(rules, states[i], seeds[i], numbers[i])


@njit
def _advance(rules, clones, rows, seats, bots, weights, rewards, one_round):  # type: ignore[no-untyped-def]
    """Like `kernels.advance_rows`, but to the horizon at most."""
    for k in range(rows.size):
        i = rows[k]
        clone = clones[i]
        while not clone.over:
            policy = seats[i, clone.mover]
            if policy < 0:
                break
            action = scripted_action(rules[0], clone, bots[policy])
            _play(rules[0], clone, action, weights, rewards, i, one_round)


@njit
def _play_rows(  # type: ignore[no-untyped-def]
    rules, clones, rows, actions, weights, rewards, one_round
):
    """Play `actions[k]` in `clones[rows[k]]`."""
    for k in range(rows.size):
        _play(rules[0], clones[rows[k]], actions[k], weights, rewards, rows[k], one_round)
