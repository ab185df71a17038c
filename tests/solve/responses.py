"""Best responses to an agent in plain Python: every node is visited, and the agent asked there.

The engine's rules are used; trees, information sets and sequences of `lowhand_training.solve` are
not.
"""

from collections import defaultdict
from itertools import permutations

import numpy as np

from lowhand.agents.table_view import TableView, ask
from lowhand.engine.game import apply
from lowhand.engine.kernels_rows import deal_rows, mask_rows
from lowhand.games.least_score import GAME
from lowhand.games.least_score.actions import DECLARE, split_action
from lowhand.games.least_score.deck import hand_out
from lowhand.games.least_score.hidden import drawable, hand_cards, put_on_top


def cards_of(word):
    return [card for card in range(52) if int(word) >> card & 1]


class SlowResponses:
    def __init__(self, options, policy):
        self.options, self.rules, self.policy = options, options.rules(), policy

    def deals(self):
        cards = [4 * r + s for r in range(self.options.ranks) for s in range(self.options.suits)]
        hands = self.options.num_players * self.options.hand_size
        orders = {}
        for order in permutations(cards, hands + 1):  # the same hands in any order are one deal
            size = self.options.hand_size
            kind = tuple(frozenset(order[k : k + size]) for k in range(0, hands, size))
            orders.setdefault((kind, order[-1]), order)
        for order in orders.values():
            states = np.zeros(1, GAME.state)
            deal_rows(
                self.rules, states, np.zeros(1, np.uint64), np.array([self.options.num_players])
            )
            rest = [card for card in cards if card not in order]
            states[0].deck[: len(cards)] = rest + list(order[::-1])
            hand_out(self.rules[0], states[0])
            yield 1.0 / len(orders), states

    def legal(self, states):
        mask = np.empty((1, GAME.num_actions(self.options)), np.int8)
        mask_rows(self.rules, states, np.zeros(1, np.int64), mask)
        return np.flatnonzero(mask[0])

    def children(self, states, action):
        """What may follow: probability, what its player alone sees, records."""
        _, source = split_action(action, self.options.hand_size)
        drawn = [None]
        if action != DECLARE and source == 0:
            drawn = cards_of(drawable(self.rules[0], states[0]))
        for card in drawn:
            after = states.copy()
            if card is not None:
                put_on_top(self.rules[0], after[0], card)
            apply(self.rules[0], after[0], action)
            yield 1.0 / len(drawn), card, after

    def payoffs(self, states):
        points = states["points"][0, : self.options.num_players].astype(float)
        return (points.sum() - points) / (len(points) - 1) - points

    def values(self):
        """What each seat gets where all play the policy."""

        def value(states):
            if states["over"][0]:
                return self.payoffs(states)
            policy = self.policy(states)
            return sum(
                policy[action] * share * value(after)
                for action in self.legal(states)
                if policy[action] > 0.0
                for share, _, after in self.children(states, action)
            )

        return sum(weight * value(states) for weight, states in self.deals())

    def best_response(self, player):
        def move(states, action):
            """What all see of a move: cards, not slots."""
            if action == DECLARE:
                return "declare"
            seat = int(states["mover"][0])
            subset, source = split_action(action, self.options.hand_size)
            hand = states["hands"][0, seat].tolist()
            taken = int(states["floor"][0, source - 1]) if source else None
            return frozenset(c for k, c in enumerate(hand) if subset >> k & 1), taken

        def arrive(nodes):
            """The value of nodes that the player can't distinguish, but for what comes next."""
            ended, groups = 0.0, defaultdict(list)

            def run(weight, states, seen):
                nonlocal ended
                if states["over"][0]:
                    ended += weight * self.payoffs(states)[player]
                elif states["mover"][0] == player:
                    groups[seen].append((weight, states))
                else:
                    policy = self.policy(states)
                    for action in self.legal(states):
                        if policy[action] > 0.0:
                            told = (*seen, move(states, action))
                            for share, _, after in self.children(states, action):
                                run(weight * share * policy[action], after, told)

            for weight, states, seen in nodes:
                run(weight, states, seen)
            return ended + sum(decide(group) for group in groups.values())

        def decide(group):
            return max(
                arrive(
                    [
                        (weight * share, after, (card,))
                        for weight, states in group
                        for share, card, after in self.children(states, action)
                    ]
                )
                for action in self.legal(group[0][1])
            )

        return arrive(
            [
                (weight, s, (int(hand_cards(s[0], player)), int(s["floor"][0, 0])))
                for weight, s in self.deals()
            ]
        )


def asked(agent, options):
    """The policy of an agent that draws nothing: asked at every node by itself."""

    def policy(states):
        table = TableView(GAME, options, options.rules(), states, np.zeros(1, np.int64))
        probabilities = np.zeros(GAME.num_actions(options))
        probabilities[ask(agent, table, np.random.default_rng(0))[0]] = 1.0
        return probabilities

    return policy
