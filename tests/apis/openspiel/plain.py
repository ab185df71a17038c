"""No Thanks! as a tree in plain Python, written from the rules: what OpenSpiel's is held to."""

from fractions import Fraction


def score(cards, chips):
    """Each run counts its lowest card; a chip counts minus one (NT-9)."""
    return sum(card for card in cards if card - 1 not in cards) - chips


def uniform(seat, cards, chips, pot, card):
    """All legal actions alike: 0 passes, 1 takes."""
    return {0: Fraction(1, 2), 1: Fraction(1, 2)} if chips[seat] else {1: Fraction(1)}


def threshold(limit):
    """Takes iff the card costs at most `limit` points more than the pot brings."""

    def policy(seat, cards, chips, pot, card):
        change = score(cards[seat] | {card}, 0) - score(cards[seat], 0)
        return {int(chips[seat] == 0 or change - pot <= limit): Fraction(1)}

    return policy


class Tree:
    """All of a game, player 0 first, where seats play `policy` and `best` (or no seat) its best.

    Chips are counted by all, so that the only thing hidden is what chance will do.

    Attributes:
        values: the expected score of each seat (low is good), exact.
        nodes: numbers of chance nodes, decisions and ends.
    """

    def __init__(self, players, cards, removed, chips, policy, best=None):
        self.players, self.policy, self.best = players, policy, best
        self.nodes = [0, 0, 0]
        unseen, hands = frozenset(range(3, 3 + cards)), (frozenset(),) * players
        self.values = self._turn(unseen, cards - removed, hands, (chips,) * players, 0)

    def _turn(self, unseen, left, hands, chips, mover):
        self.nodes[0] += 1
        values = [
            self._decide(unseen - {card}, left - 1, hands, chips, 0, mover, card) for card in unseen
        ]
        return [sum(each) / len(unseen) for each in zip(*values, strict=True)]

    def _decide(self, unseen, left, hands, chips, pot, mover, card):
        self.nodes[1] += 1
        place = (unseen, left, hands, chips, pot, mover, card)
        chances = self.policy(mover, hands, chips, pot, card)
        legal = uniform(mover, hands, chips, pot, card)
        considered = legal if mover == self.best else chances
        after = {action: self._play(action, *place) for action in considered}
        if mover == self.best:
            return min(after.values(), key=lambda values: values[mover])
        return [
            sum(chances[action] * values[seat] for action, values in after.items())
            for seat in range(self.players)
        ]

    def _play(self, action, unseen, left, hands, chips, pot, mover, card):
        def changed(values, value):
            return (*values[:mover], value, *values[mover + 1 :])

        if action == 0:
            chips = changed(chips, chips[mover] - 1)
            following = (mover + 1) % self.players
            return self._decide(unseen, left, hands, chips, pot + 1, following, card)
        hands = changed(hands, hands[mover] | {card})
        chips = changed(chips, chips[mover] + pot)
        if left == 0:
            self.nodes[2] += 1
            return [Fraction(score(*each)) for each in zip(hands, chips, strict=True)]
        return self._turn(unseen, left, hands, chips, mover)


def nash_conv(players, cards, removed, chips, policy):
    """NashConv in points of the player's score, and each seat's part, exact."""
    size = players, cards, removed, chips
    played = Tree(*size, policy).values
    gains = [played[seat] - Tree(*size, policy, seat).values[seat] for seat in range(players)]
    return sum(gains), gains
