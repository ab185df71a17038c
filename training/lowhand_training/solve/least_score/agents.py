"""What any agent of Least Score loses to a best response on a reduced deal, exactly.

Agents see suits and slots, and choose between equal cards by them; a best response can learn
from that. So agents are looked at in the tree that keeps suits. It need not be held at once: the
information sets of the player who responds are disjoint for different hands and open cards, so the
tree is built and settled for one of these after the other.

An agent's strategy is its policy at one record of each information set, since its observation is a
function of that.

- `random` and `lookahead` are summed over all their random numbers; for other agents see
  `agent_policies`.
- A network that was trained with more cards and larger hands keeps its observation and
  its actions: it observes the missing cards as buried (see `with_all_cards`).
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.network import NetworkAgent
from lowhand.agents.table_view import Agent, ScriptedAgent, TableView, agent_name, check_fit
from lowhand.engine.bitset import bit, count, lowest
from lowhand.engine.game import act
from lowhand.engine.jit import njit
from lowhand.engine.observation import ObservationSpec
from lowhand.games.least_score import GAME
from lowhand.games.least_score.actions import DECLARE, MAX_HAND, join_action, split_action
from lowhand.games.least_score.bots.lookahead import SAMPLES, lookahead
from lowhand.games.least_score.bots.measures import TurnSummary, summarize_turn
from lowhand.games.least_score.bots.policies import LOOKAHEAD, RANDOM
from lowhand.games.least_score.cards import SUITS
from lowhand.games.least_score.options import Options
from lowhand_training.solve.agent_policies import (
    AgentValues,
    determined_actions,
    fits,
    stated_policy,
    states_policy,
)
from lowhand_training.solve.least_score.tree import Deals, deal_tree, deals

_ONE = np.uint64(1)


@dataclass(frozen=True, kw_only=True)
class AgentResult(AgentValues):
    """What an agent loses, in points of difference; trees are not part of its seconds.

    Attributes:
        embedded: whether the agent was trained with more cards.
        infosets: at which it was asked; those of different own hands and open cards of the
            responding player are counted apart.
    """

    embedded: bool
    infosets: int

    def to_dict(self) -> dict[str, Any]:
        """JSON-serialisable dict."""
        return {
            "agent": self.agent,
            "nash_conv": self.nash_conv,
            "exploitability": self.exploitability,
            "gains": list(self.gains),
            "values": list(self.values),
            "best_response": list(self.best_response),
            "embedded": self.embedded,
            "agent_infosets": self.infosets,
            "agent_seconds": round(self.seconds, 3),
        }


def agent_results(
    agents: Sequence[Agent],
    options: Options,
    progress: Callable[[int, int], None] = lambda done, of: None,
) -> list[AgentResult]:
    """Exact values and best responses for each agent, which plays at all seats.

    Args:
        agents: agents, as `make_agent` gives them.
        options: of the deal.
        progress: called with the parts done and their number.

    Raises:
        ValueError: an agent can't play here, failed, or draws and can't tell its probabilities.
    """
    for agent in agents:
        check_agent(agent, options)
    if not agents:
        return []  # no tree need be built
    players = options.num_players
    values, best = np.zeros((len(agents), players)), np.zeros((len(agents), players))
    asked, seconds = 0, np.zeros(len(agents))
    parts = [(p, part) for p in range(players) for part in _parts(options, p)]
    for done, (player, part) in enumerate(parts):
        tree = deal_tree(options, keep_suits=True, dealt=part)
        form = tree.form
        asked += form.num_infosets
        owner = np.repeat(np.arange(form.num_infosets), np.diff(form.first))
        for k, agent in enumerate(agents):
            begin = time.perf_counter()
            strategy = np.ones(form.num_sequences)
            policy = probabilities(agent, options, tree.records)
            strategy[players:] = policy[owner, form.actions[players:]]
            plan = form.plan(strategy)
            values[k, player] += form.values(plan)[player]
            best[k, player] += form.best_response(player, plan)[0]
            seconds[k] += time.perf_counter() - begin
        progress(done + 1, len(parts))
    return [
        AgentResult(
            agent=agent_name(agent),
            values=tuple(values[k].tolist()),
            best_response=tuple(best[k].tolist()),
            seconds=float(seconds[k]),
            embedded=_is_embedded(agent, options),
            infosets=asked,
        )
        for k, agent in enumerate(agents)
    ]


def can_play(agent: Agent, options: Options) -> bool:
    """Whether the agent can play with these options, embedded or not."""
    return _is_embedded(agent, options) or fits(agent, options)


def check_agent(agent: Agent, options: Options) -> None:
    """Raise a ValueError if the agent can't play with these options."""
    if not _is_embedded(agent, options):
        check_fit([agent], options)


def _is_embedded(agent: Agent, options: Options) -> bool:
    """Whether the agent is a network with room for this table that was trained with more cards."""
    if not isinstance(agent, NetworkAgent) or agent.incompatibility(options) is None:
        return False
    trained = agent.trained
    return (
        options.num_players <= agent.spec.seats
        and options.hand_size < trained.hand_size == MAX_HAND
        and options.ranks <= trained.ranks
        and options.suits <= trained.suits
    )


def _parts(options: Options, player: int) -> list[Deals]:
    """The deals with suits, apart for every own hand of `player` and open card."""
    (decks, weights), size = deals(options, keep_suits=True), options.num_cards
    last = size - player * options.hand_size  # the deck is dealt from its end
    opened = size - options.num_players * options.hand_size - options.open_card
    own = np.sort(decks[:, last - options.hand_size : last], axis=1)
    seen = np.column_stack([own, decks[:, opened : opened + options.open_card]])
    _, kind = np.unique(seen, axis=0, return_inverse=True)
    order = np.argsort(kind.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(kind.ravel()[order])) + 1
    return [Deals(decks[chosen], weights[chosen]) for chosen in np.split(order, starts)]


def probabilities(agent: Agent, options: Options, records: np.ndarray) -> NDArray[np.float64]:
    """The agent's policy at records: (records, actions) float64, exact.

    Raises:
        ValueError: it failed, or draws and can't tell its probabilities.
    """
    rules, rows = options.rules(), np.arange(len(records))
    table = TableView(GAME, options, rules, records, rows)
    policy = np.zeros((len(records), GAME.num_actions(options)))
    if isinstance(agent, ScriptedAgent) and agent.bot["kind"][0] in (RANDOM, LOOKAHEAD):
        _write_drawn(rules, records, table.action_mask, agent.bot, policy)
        return policy
    if _is_embedded(agent, options):
        return embedded(agent, options, records)
    if states_policy(agent):
        return stated_policy(agent, table)
    policy[rows, determined_actions(agent, GAME, options, records)] = 1.0
    return policy


def embedded(agent: Any, options: Options, records: np.ndarray) -> NDArray[np.float64]:
    """The policy of a network that was trained with more cards and larger hands.

    It sees the table as `with_all_cards` shows it; what is legal is that of the table itself, and
    only numbered as for larger hands.
    """
    rules = options.rules()
    rules["hand_size"] = agent.trained.hand_size
    stated = stated_policy(agent, _Embedded(agent.trained, options, rules, records))
    policy = np.zeros((len(records), GAME.num_actions(options)))
    policy[:, DECLARE] = stated[:, DECLARE]
    for action in range(1, policy.shape[1]):
        subset, source = split_action(action, options.hand_size)
        policy[:, action] = stated[:, join_action(subset, source, agent.trained.hand_size)]
    return policy


class _Embedded(TableView):
    """Tables of `options`, as a player sees them who knows those of `trained`."""

    def __init__(
        self, trained: Options, options: Options, rules: np.ndarray, records: np.ndarray
    ) -> None:
        rows = np.arange(len(records))
        super().__init__(GAME, trained, rules, records, rows)
        shown = with_all_cards(records, options, trained)
        self._seen = TableView(GAME, trained, rules, shown, rows)

    def observe(self, spec: ObservationSpec) -> NDArray[np.float32]:
        """The observation with all cards."""
        return self._seen.observe(spec)


def with_all_cards(records: np.ndarray, options: Options, trained: Options) -> np.ndarray:
    """Records of a smaller deck as those of a larger one: the cards that it lacks are buried.

    So each is a position of the game that was trained. If they were only unseen, the network would
    observe a deck too short for them, which never happens there.
    """
    lacking = [
        SUITS * rank + suit
        for rank in range(trained.ranks)
        for suit in range(trained.suits)
        if rank >= options.ranks or suit >= options.suits
    ]
    shown = records.copy()
    shown["buried"] |= np.uint64(sum(1 << card for card in lacking))
    return shown


@njit
def _write_drawn(rules, records, mask, bot, policy):  # type: ignore[no-untyped-def]
    """Write the policy of `random` or `lookahead`, over all its random numbers, into zeros."""
    for row in range(records.size):
        if bot[0].kind == RANDOM:
            policy[row] = mask[row] / mask[row].sum()
        else:
            _write_lookahead(rules[0], records[row], bot[0], policy, row)


@njit
def _write_lookahead(rules, state, bot, policy, row):  # type: ignore[no-untyped-def]
    """Write what `lookahead` does over all samples of unseen cards that it may draw.

    Each sample is passed as if no other card were unseen: then all of it is drawn.
    """
    key = np.uint64(0)
    if act(rules, state, bot, key) == DECLARE:
        policy[row, DECLARE] = 1.0
        return
    turn, samples = summarize_turn(rules, state), 0
    unseen, known = turn.unseen, turn.next_known
    size = min(SAMPLES, count(unseen))
    subset = bit(size) - _ONE  # of the unseen cards in their order
    end = _ONE << np.uint64(count(unseen))
    while subset < end:
        chosen = _chosen(unseen, subset)
        sample = TurnSummary(
            turn.seat, turn.size, turn.total, turn.hand, chosen, turn.smallest, known
        )
        policy[row, lookahead(rules, state, sample, key)] += 1.0
        samples += 1
        if subset == 0:
            break
        # The next larger number with as many ones ("Gosper's hack", HAKMEM, item 175).
        low = subset & (~subset + _ONE)
        ripple = subset + low
        subset = ripple | (((subset ^ ripple) >> np.uint64(2)) // low)
    policy[row] /= samples


@njit
def _chosen(cards, subset):  # type: ignore[no-untyped-def]
    """The cards whose places, counted from the lowest, are the ones of `subset`."""
    chosen, place = np.uint64(0), np.uint64(0)
    while cards != 0:
        card = lowest(cards)
        chosen |= (subset >> place & _ONE) << card
        place += _ONE
        cards &= cards - _ONE
    return chosen
