"""No Thanks! solved exactly: equilibria by backward induction, best responses, NashConv.

With the chips counted, No Thanks! hides nothing but chance: it is a stochastic game of perfect
information, and the next card is uniform over the unseen ones. Backward induction (Kuhn,
"Extensive games and the problem of information", 1953) gives a subgame-perfect equilibrium.
With three or more players another one may have other values: where both actions are worth the
same to the mover, the **tie rule** chooses, and a value is stated with its tie rule.

All values of the induction are whole numbers, exact in float64: each is multiplied by the number
of orders in which the rest of the deck may come. So a tie is a tie, and no rounding makes one.

For NashConv (Lanctot et al., "A unified game-theoretic approach to multiagent reinforcement
learning", 2017) every seat plays the agent, and each in turn is replaced by a best response.
Agents see owned cards that no later score depends on. So on-policy values and best responses are
computed on **all** owned cards, and an agent is asked at every reachable position; only the
equilibrium of a score forgets (see `no_thanks_nodes`).
"""

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import Agent, agent_name
from lowhand.engine.bitset import holds
from lowhand.engine.jit import njit
from lowhand.engine.validation import check_integer
from lowhand.games.no_thanks.options import Options
from lowhand_training.solve.agent_policies import AgentValues, fits
from lowhand_training.solve.no_thanks.agents import take_probabilities
from lowhand_training.solve.no_thanks.nodes import Utility, load_node, start_key, write_takes
from lowhand_training.solve.no_thanks.space import Layer, Space, enumerate_space, state_chunks

UTILITIES = ("score", "relative", "win")
"""Minus the score; the mean of the others' scores minus it; the share of the win."""

TIES = ("take", "pass", "kind", "spite")
"""What a mover does when both actions are worth the same: take; pass; what gives the others
more in sum; what gives them less. Where the others get the same, the last two take: so they are
`take` for "relative" and "win", whose sum over all seats is fixed."""

SIZES = {
    "XS": (3, 5, 1, 2),
    "S": (3, 6, 1, 3),
    "M": (3, 7, 2, 3),
    "L": (3, 8, 2, 3),
    "4P": (4, 6, 2, 3),
    "2P": (2, 8, 2, 4),
}
"""Reduced games: players, cards (from 3 up), removed ones among them, chips each."""

Ask = Callable[[np.ndarray], NDArray[np.float64]]
"""The probabilities of taking, (states,), at states (records)."""

_EXACT = 2**53  # whole numbers up to here are exact in float64


def reduced_options(players: int, cards: int, removed: int, chips: int) -> Options:
    """The options of a reduced game: cards from 3 up, and seat 0 begins.

    Raises:
        ValueError: there is no such game.
    """
    check_integer("cards", cards, 1, 33)
    return Options(
        num_players=players,
        chips=chips,
        low=3,
        high=3 + cards - 1,
        removed=removed,
        first_player=0,
    )


def registered_options(size: str) -> Options:
    """The options of a registered size.

    Raises:
        ValueError: there is no such size.
    """
    if size not in SIZES:
        raise ValueError(f"there is no size {size!r} of no_thanks: it has {', '.join(SIZES)}.")
    return reduced_options(*SIZES[size])


@dataclass(frozen=True)
class Solution:
    """An equilibrium.

    Attributes:
        utility, tie: what is maximised, and how ties are broken.
        values: of each seat at the start, in points or shares of the win.
        states: decision states of the space that it was computed on.
        seconds: of enumeration and induction, without compilation.
    """

    utility: str
    tie: str
    values: tuple[float, ...]
    states: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Exploitability(AgentValues):
    """What an agent loses, in points or shares of the win.

    Attributes:
        utility: what is maximised.
        states: decision states at which the agent was asked.
    """

    utility: str
    states: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-serialisable dict."""
        return {
            "agent": self.agent,
            "nash_conv": self.nash_conv,
            "gains": list(self.gains),
            "on_policy": list(self.values),
            "best_response": list(self.best_response),
            "agent_states": self.states,
            "agent_seconds": round(self.seconds, 3),
        }


def solve(options: Options, utility: str = "score", tie: str = "take") -> Solution:
    """The equilibrium that backward induction finds.

    Args:
        options: of the reduced game; `first_player` must be a seat.
        utility: one of `UTILITIES`. "win" needs more memory, since all owned cards count.
        tie: one of `TIES`.

    Raises:
        ValueError: an unknown utility or tie rule, or the game is too large.
    """
    check_utility(utility)
    check_tie(tie)
    begin = time.perf_counter()
    space = enumerate_space(options, forgets=utility != "win")
    values = equilibrium_values(space, utility, tie)
    return Solution(utility, tie, values, space.states, time.perf_counter() - begin)


def equilibrium_values(space: Space, utility: str, tie: str) -> tuple[float, ...]:
    """The equilibrium's value for each seat on a space that keeps what the utility needs."""
    players, rule = space.options.num_players, TIES.index(tie)

    def induce(layer: Layer, units: Utility, below: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.zeros((layer.keys.size, players))
        _induce(space.walk, layer.keys, layer.starts, layer.children, units, below, rule, values)
        return values

    return tuple(_backwards(space, utility, players, induce).tolist())


def nash_conv(space: Space, agent: Agent, utility: str = "score") -> Exploitability:
    """Exact on-policy values and best responses of an agent.

    Args:
        space: of `enumerate_space(options, forgets=False)`, shared by agents and utilities.
        agent: an agent; see `no_thanks_agents` about those that draw.
        utility: one of `UTILITIES`.

    Raises:
        ValueError: the space forgets cards that the agent may look at; an unknown utility; or
            the agent failed, or can't tell its probabilities.
    """
    check_utility(utility)
    if space.walk.form.forgets:
        raise ValueError("agents look at all cards: give a space that forgets none.")
    begin = time.perf_counter()
    ask = take_probabilities(agent, space.options)
    values, best = response_values(space, ask, utility)
    return Exploitability(
        agent=agent_name(agent),
        values=values,
        best_response=best,
        seconds=time.perf_counter() - begin,
        utility=utility,
        states=space.states,
    )


def nash_convs(size: str, agents: Sequence[Agent]) -> list[float | None]:
    """NashConv of agents on a registered size, in points; None for those that can't play it.

    Raises:
        ValueError: there is no such size, or an agent can't tell its probabilities.
    """
    options = registered_options(size)
    if not agents:
        return []  # no space need be built
    space = enumerate_space(options, forgets=False)
    return [nash_conv(space, agent).nash_conv if fits(agent, options) else None for agent in agents]


def response_values(
    space: Space, ask: Ask, utility: str
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Values of each seat if all play the policy of `ask`, and if it alone responds best."""
    players = space.options.num_players

    def induce(layer: Layer, units: Utility, below: NDArray[np.float64]) -> NDArray[np.float64]:
        values = np.zeros((layer.keys.size, 2 * players))
        for part, states in state_chunks(space, layer):
            starts = layer.starts[part.start : part.stop + 1]
            children = layer.children[starts[0] : starts[-1]]
            keys, policy = layer.keys[part], ask(states)
            _respond(space.walk, keys, starts, children, units, below, policy, values[part])
        return values

    values = _backwards(space, utility, 2 * players, induce).tolist()
    return tuple(values[:players]), tuple(values[players:])


def warm_up() -> None:
    """Compile all loops on a game of two cards, so that times are of solving alone."""
    from lowhand.agents.names import make_agent
    from lowhand.games import get_game

    tiny = reduced_options(players=2, cards=2, removed=0, chips=1)
    solve(tiny)
    nash_conv(enumerate_space(tiny, forgets=False), make_agent("greedy", get_game("no_thanks")))


def check_utility(utility: str) -> None:
    """Raise a ValueError if this is none of `UTILITIES`."""
    if utility not in UTILITIES:
        raise ValueError(f"utility must be one of {', '.join(UTILITIES)}, not {utility!r}.")


def check_tie(tie: str) -> None:
    """Raise a ValueError if this is none of `TIES`."""
    if tie not in TIES:
        raise ValueError(f"tie must be one of {', '.join(TIES)}, not {tie!r}.")


def _backwards(
    space: Space,
    utility: str,
    columns: int,
    induce: Callable[[Layer, Utility, NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """Values at the start, (columns,), from the last layer up; column c is of seat c mod n."""
    players = space.options.num_players
    weights, win, unit = _units(utility, players)
    largest = unit * space.orders(0) * (sum(range(3, 36)) + 255 * players)
    if largest >= _EXACT:
        raise ValueError("the game has too many cards to be solved in exact arithmetic.")
    values = np.empty((0, columns))
    for taken in reversed(range(len(space.layers))):
        units = Utility(weights, win, unit, float(space.orders(taken + 1)))
        values = induce(space.layers[taken], units, values)
    start_key(space.walk)  # puts the start into record 0
    state = space.walk.records[0]
    scores = state["points"][:players].astype(float) - state["chips"][:players]
    held, orders = np.tile(weights @ scores, columns // players), space.orders(0)
    result: NDArray[np.float64] = (held * orders + values[0]) / (orders * unit)
    return result


def _units(utility: str, players: int) -> tuple[NDArray[np.float64], float, float]:
    """Weights of the scores, what a win counts, and the unit that makes them whole numbers."""
    own = np.eye(players)
    if utility == "score":
        return -own, 0.0, 1.0
    if utility == "relative":
        return 1.0 - own * players, 0.0, players - 1.0
    whole = float(math.lcm(*range(1, players + 1)))
    return np.zeros((players, players)), whole, whole


@njit
def _induce(walk, keys, starts, children, utility, below, tie, values):  # type: ignore[no-untyped-def]
    """Write into `values` (nodes, n) what each node is worth to each seat in equilibrium."""
    form, players = walk.form, walk.form.num_players
    most = np.diff(starts).max()  # no auction is longer
    takes, movers = np.empty((most, players)), np.empty(most, np.int64)
    for i in range(keys.size):
        unseen, at = load_node(walk, keys[i]), starts[i]
        for card in range(form.low, form.low + form.num_cards):
            if not holds(unseen, card):
                continue
            length = write_takes(walk, card, utility, at, children, below, takes, movers)
            at += length
            chosen = length - 1
            for k in range(length - 2, -1, -1):
                if _takes(takes, k, chosen, movers[k], tie):
                    chosen = k
            for seat in range(players):
                values[i, seat] += takes[chosen, seat]


@njit
def _takes(takes, k, chosen, mover, tie):  # type: ignore[no-untyped-def]
    """Whether `mover` takes at pot k rather than pass, after which the card goes at `chosen`."""
    own = takes[k, mover] - takes[chosen, mover]
    if own != 0.0:
        return own > 0.0
    if tie < 2:
        return tie == 0
    others = 0.0
    for seat in range(takes.shape[1]):
        others += takes[k, seat] - takes[chosen, seat]
    return others >= 0.0 if tie == 2 else others <= 0.0


@njit
def _respond(walk, keys, starts, children, utility, below, policy, values):  # type: ignore[no-untyped-def]
    """Write into `values` (nodes, 2n) what nodes are worth on policy and with best responses.

    Column n + s is of the game in which seat s alone maximises. `children` and `policy`, the
    probabilities of taking, are those of these nodes' states.
    """
    form, players = walk.form, walk.form.num_players
    most = np.diff(starts).max()  # no auction is longer
    takes, movers = np.empty((most, 2 * players)), np.empty(most, np.int64)
    value = np.empty(2 * players)
    for i in range(keys.size):
        unseen, at = load_node(walk, keys[i]), starts[i] - starts[0]
        for card in range(form.low, form.low + form.num_cards):
            if not holds(unseen, card):
                continue
            length = write_takes(walk, card, utility, at, children, below, takes, movers)
            value[:] = takes[length - 1]
            for k in range(length - 2, -1, -1):
                share = policy[at + k]
                for column in range(2 * players):
                    take, pass_ = takes[k, column], value[column]
                    if column == players + movers[k]:
                        value[column] = max(take, pass_)
                    else:
                        value[column] = share * take + (1.0 - share) * pass_
            at += length
            values[i] += value
