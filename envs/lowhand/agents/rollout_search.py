"""One-ply search: an agent that evaluates each action by rollouts of a base policy.

The rollout algorithm of Tesauro and Galperin, "On-line policy improvement using Monte-Carlo
search", 1996, under hidden information: each rollout starts from a determinization, a sample of
the hidden state from the player's information set. Against copies of the base policy the agent
approximates a best response. Its name is `search:AGENT?rollouts=32`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.names import make_agent
from lowhand.agents.table_view import (
    Agent,
    TableView,
    agent_name,
    ask,
    ask_movers,
    check_fit,
    seat_codes,
)
from lowhand.engine.game import Game, resample_hidden
from lowhand.engine.jit import njit
from lowhand.engine.kernels_rows import advance_rows, play, play_rows
from lowhand.engine.rewards import reward_weights
from lowhand.engine.rng import game_key
from lowhand.engine.validation import check_integer

ROLLOUTS, SHORTLIST, MARGIN = 32, 8, 1.0
REWARD: Mapping[str, float] = MappingProxyType({"win": 1.0, "score": 0.5})
"""Wins and relative scores: wins alone are too noisy for few rollouts."""

_CLONES = 32_768  # games played at once; decisions do not depend on this number
_TWO_53 = float(1 << 53)
_TIE = 1e-6  # means this close are equal: they are sums of float32


class Belief(Protocol):
    """The likelihood of determinizations, given how the others have played."""

    def log_weights(self, table: TableView) -> NDArray[np.float64]:
        """Log-likelihoods of determinizations, up to a constant of each position.

        Args:
            table: positions whose hidden part is sampled.

        Returns:
            (tables,) float64.
        """
        ...


class SearchAgent:
    """Plays the action with the best mean reward in rollouts.

    At each decision the hidden state is sampled `rollouts` times from the information set of
    the seat, with perfect recall. Each candidate action is played in each of these
    determinizations, and all seats continue by the base policy. The determinizations and the
    random numbers are the same for every action, which cancels much of the noise. Ties go to
    the action of the base policy. Game and move fix the decisions if they fix those of the
    base policy.

    Samples are uniform. Where hands are hidden this is biased, because the others' moves are
    evidence: in Least Score hands are better than the unseen cards, and an agent that samples
    uniformly declares too early. A `belief` weighs the determinizations.

    Args:
        agent: the base policy; it plays all seats in the rollouts.
        game: the game.
        rollouts: determinizations of each decision.
        reward: the reward to maximise: an objective of `lowhand.engine.rewards`, or weights of
            several.
        horizon: rollouts end with the "game" or with the "round". In a game of several rounds
            the latter is much faster, but does not see what later rounds pay.
        shortlist: the most candidate actions, if `agent` has a policy (a method
            `probabilities`, as networks have): the likeliest, and those that it and the rollout
            policies choose. Of other agents all actions are candidates.
        rollout_policies: further agents by which the seat itself may continue in its rollouts;
            the others continue by `agent`. Each action counts by its best policy (Chang, Givan
            and Chong, "Parallel rollout for online solution of POMDPs", 2004). Each policy costs
            as much time as the first.
        belief: weighs the determinizations; by default all count the same.
        margin: standard errors of the paired difference by which a candidate must beat the action
            of `agent`. The best of many noisy means is mostly noise.
        name: for tables and messages.

    Raises:
        ValueError: an argument is outside its bounds.
    """

    def __init__(
        self,
        agent: Agent,
        game: Game,
        rollouts: int = ROLLOUTS,
        reward: str | Mapping[str, float] = REWARD,
        horizon: str = "game",
        shortlist: int = SHORTLIST,
        rollout_policies: Sequence[Agent] = (),
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
        self.policies, self.one_round = [agent, *rollout_policies], horizon == "round"
        self.belief, self.margin = belief, margin
        self.weights = reward_weights(reward)
        self.name = name or f"search:{agent_name(agent)}?rollouts={rollouts}"

    def incompatibility(self, options: Any) -> str | None:
        """Why one of its policies can't play at a table with these options, or None."""
        try:
            check_fit(self.policies, options)
        except ValueError as error:
            return str(error).rstrip(".")
        return None

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """The best actions found; the base policy's where there is only one candidate."""
        actions = ask(self.agent, table, rng)
        proposed = [actions, *(ask(policy, table, rng) for policy in self.policies[1:])]
        candidates = self._candidates(table, proposed)
        for rows in _groups(candidates, max(1, _CLONES // (self.rollouts * len(self.policies)))):
            actions[rows] = self._best(table, rows, candidates[rows], actions[rows], rng)
        return actions

    def _candidates(
        self, table: TableView, proposed: Sequence[NDArray[np.int64]]
    ) -> NDArray[np.bool_]:
        """The candidate actions that rollouts compare, (tables, actions)."""
        legal = table.action_mask.astype(np.bool_)
        policy: Callable[[TableView], Any] | None = getattr(self.agent, "probabilities", None)
        if policy is None or legal.sum(axis=1).max() <= self.shortlist:
            return legal
        likely = np.argsort(-np.where(legal, policy(table), -1.0), axis=1, kind="stable")
        candidates = np.zeros_like(legal)
        np.put_along_axis(candidates, likely[:, : self.shortlist], True, axis=1)
        for actions in proposed:
            candidates[np.arange(len(actions)), actions] = True
        return candidates & legal

    def _best(
        self,
        table: TableView,
        rows: NDArray[np.int64],
        candidates: NDArray[np.bool_],
        base: NDArray[np.int64],
        rng: np.random.Generator,
    ) -> NDArray[np.int64]:
        """The actions with the best mean rewards at the tables `rows` of the view."""
        origins, actions = candidates.nonzero()
        policies = len(self.policies)
        branches = np.repeat(origins, policies), np.repeat(actions, policies)
        # The full information is used here alone, to copy positions whose hidden part is sampled.
        rules, states, places = table.privileged
        places = places[rows]
        seats = states["mover"][places].astype(np.int64)
        seeds = (table.uniforms()[rows] * _TWO_53).astype(np.uint64)
        clones = np.empty(len(branches[0]) * self.rollouts, states.dtype)
        rewards = np.zeros((len(clones), int(table.num_players.max())), np.float32)
        _branch(
            rules, states, places, *branches, seeds, self.rollouts, clones, self.weights, rewards,
            self.one_round,
        )  # fmt: skip
        searching = np.repeat(seats[branches[0]], self.rollouts)
        seating = np.zeros(rewards.shape, np.int64)
        policy = np.repeat(np.tile(np.arange(policies), len(origins)), self.rollouts)
        seating[np.arange(len(clones)), searching] = policy
        self._play_out(table, clones, seating, rewards, rng)
        earned = rewards[np.arange(len(clones)), searching].reshape(-1, policies, self.rollouts)
        weights = self._deal_weights(table, places, seeds)[origins]
        of_base = np.flatnonzero(actions == base[origins])[origins]
        mean, error = _advantages(earned, weights, of_base)
        advantage = np.full(candidates.shape, -np.inf)
        advantage[origins, actions] = np.where(mean > self.margin * error + _TIE, mean, -np.inf)
        advantage[np.arange(len(base)), base] = 0.0
        best: NDArray[np.int64] = advantage.argmax(axis=1)
        return best

    def _deal_weights(
        self, table: TableView, places: NDArray[np.int64], seeds: NDArray[np.uint64]
    ) -> NDArray[np.float64]:
        """The weight of each determinization, (positions, rollouts); each row sums to 1."""
        if self.belief is None:
            return np.full((len(places), self.rollouts), 1.0 / self.rollouts)
        deals = np.repeat(table.privileged.states[places], self.rollouts)
        keys = np.repeat(seeds, self.rollouts)
        numbers = np.tile(np.arange(self.rollouts, dtype=np.uint64), len(places))
        rules = table.privileged.rules
        determinize_rows(rules, deals, keys, numbers)
        view = TableView(self.game, table.options, rules, deals, np.arange(len(deals)))
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
        """Play the clones to the horizon by `policies[seating]`, and add their rewards."""
        rules, end = table.privileged.rules, (self.weights, rewards, self.one_round)
        codes, bots = seat_codes(self.policies)
        seats, rows = codes[seating], np.arange(len(clones))
        while True:
            advance_rows(rules, clones, rows, seats, bots, *end)
            rows = rows[clones["over"][rows] == 0]
            if len(rows) == 0:
                return
            view = TableView(self.game, table.options, rules, clones, rows)
            for mine, actions in ask_movers(self.policies, view, seats, rng):
                play_rows(rules, clones, mine, actions, *end)


def _advantages(
    earned: NDArray[np.float32], weights: NDArray[np.float64], base: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The advantage of each branch over the base action, paired by determinization.

    Args:
        earned: (branches, policies, rollouts) rewards; each branch counts by its best policy.
        weights: (branches, rollouts) of the determinizations; each row sums to 1.
        base: (branches,) index of the branch with the base action at the same table.

    Returns:
        The means (branches,), and their standard errors.
    """
    policy = (earned * weights[:, np.newaxis]).sum(axis=2).argmax(axis=1)
    best = earned[np.arange(len(earned)), policy].astype(np.float64)
    advantages = best - best[base]
    mean = (advantages * weights).sum(axis=1)
    return mean, np.sqrt((weights**2 * (advantages - mean[:, np.newaxis]) ** 2).sum(axis=1))


_SETTINGS = ("rollouts", "reward", "horizon", "shortlist", "rollout_policies")


def make_search_agent(text: str, game: Game) -> SearchAgent:
    """The agent of the name `search:` + `text`, such as `greedy?rollouts=32&reward=win`.

    Settings of `SearchAgent` follow the question mark. A reward of several objectives is written
    `reward=win:1,score:0.5`, several policies `rollout_policies=greedy+connector`.

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
        try:
            pairs = (part.split(":") for part in given["reward"].split(","))
            given["reward"] = {name: float(weight) for name, weight in pairs}
        except ValueError:
            raise ValueError(
                f"reward must be written as win:1,score:0.5, not {given['reward']!r}."
            ) from None
    if policies := given.get("rollout_policies"):
        given["rollout_policies"] = [make_agent(policy, game) for policy in policies.split("+")]
    return SearchAgent(make_agent(name, game), game, **given, name=f"search:{text}")


def _groups(candidates: NDArray[np.bool_], most: int) -> Iterator[NDArray[np.int64]]:
    """The tables with several candidates, in groups of about `most` candidates."""
    rows = np.flatnonzero(candidates.sum(axis=1) > 1)
    if len(rows):
        group = (candidates[rows].sum(axis=1).cumsum() - 1) // most
        yield from np.split(rows, np.flatnonzero(np.diff(group)) + 1)


@njit
def _branch(  # type: ignore[no-untyped-def]
    rules, states, places, origins, actions, seeds, rollouts, clones, weights, rewards, one_round
):
    """Play `actions[b]` in `rollouts` determinizations of `states[places[origins[b]]]`.

    Determinization r of a position has the same key for each action, and so the same cards and
    random numbers.
    """
    for b in range(origins.size):
        origin = origins[b]
        for r in range(rollouts):
            i = b * rollouts + r
            clones[i] = states[places[origin]]
            _determinize(rules, clones[i], seeds[origin], r)
            play(rules[0], clones[i], actions[b], weights, rewards, i, one_round)


@njit
def _determinize(rules, state, seed, number):  # type: ignore[no-untyped-def]
    """Sample what the mover can't know, fixed by seed and number."""
    key = game_key(seed, np.uint64(number), np.uint64(0))
    resample_hidden(rules[0], state, state.mover, True, key)


@njit
def determinize_rows(rules, states, seeds, numbers):  # type: ignore[no-untyped-def]
    """Sample in `states[i]` what its mover can't know: number `numbers[i]` of `seeds[i]`."""
    for i in range(states.size):
        _determinize(rules, states[i], seeds[i], numbers[i])
