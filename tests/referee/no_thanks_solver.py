"""A slow solver of tiny games of No Thanks!, from the rules alone: recursion and fractions.

It goes from state to state, keeps whole histories of cards, and never forgets anything. Rule
numbers are those of the rules of No Thanks!.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import NamedTuple

PASS, TAKE = 0, 1

Values = tuple[Fraction, ...]


class Position(NamedTuple):
    """A decision: who is to move, and all that players remember."""

    mover: int
    offered: int
    pot: int
    chips: tuple[int, ...]
    cards: tuple[frozenset[int], ...]


Policy = Callable[[Position], Fraction]
"""The probability of taking where a pass is legal."""


def points(cards: frozenset[int]) -> int:
    """Of each run of consecutive numbers only the lowest counts (NT-9)."""
    return sum(card for card in cards if card - 1 not in cards)


@dataclass(frozen=True)
class SlowSolver:
    """A game with cards from 3 up, in which seat 0 begins, and what players maximise in it."""

    players: int
    cards: int
    removed: int
    chips: int
    utility: str = "score"

    def equilibrium(self, tie: str) -> Values:
        """The value of each seat by backward induction with a tie rule."""

        def choose(position: Position, take: Values, passed: Values) -> Values:
            mover = position.mover
            if take[mover] != passed[mover]:
                return take if take[mover] > passed[mover] else passed
            kinder, crueller = sum(take) > sum(passed), sum(take) < sum(passed)
            prefers_pass = {
                "take": False,
                "pass": True,
                "kind": crueller,
                "spite": kinder,
            }[tie]
            return passed if prefers_pass else take

        return self._values(choose)

    def on_policy(self, policy: Policy) -> Values:
        """The value of each seat if all play `policy`."""

        def mix(position: Position, take: Values, passed: Values) -> Values:
            p = policy(position)
            return tuple(p * t + (1 - p) * s for t, s in zip(take, passed, strict=True))

        return self._values(mix)

    def best_response(self, policy: Policy, seat: int) -> Fraction:
        """What `seat` gets at most if all others play `policy`."""

        def choose(position: Position, take: Values, passed: Values) -> Values:
            if position.mover == seat:
                return max(take, passed, key=lambda values: values[seat])
            p = policy(position)
            return tuple(p * t + (1 - p) * s for t, s in zip(take, passed, strict=True))

        return self._values(choose)[seat]

    def nash_conv(self, policy: Policy) -> Fraction:
        """Sum over the seats of what the best response gains."""
        on_policy = self.on_policy(policy)
        gains = (self.best_response(policy, s) - on_policy[s] for s in range(self.players))
        return sum(gains, Fraction(0))

    def _values(self, choose: Callable[[Position, Values, Values], Values]) -> Values:
        @cache
        def value(position: Position) -> Values:
            take = after_take(position)
            if position.chips[position.mover] == 0:  # NT-7
                return take
            chips = list(position.chips)
            chips[position.mover] -= 1
            following = (position.mover + 1) % self.players  # NT-5
            passed = position._replace(mover=following, pot=position.pot + 1, chips=tuple(chips))
            return choose(position, take, value(passed))

        def after_take(position: Position) -> Values:
            chips, cards = list(position.chips), list(position.cards)
            chips[position.mover] += position.pot
            cards[position.mover] |= {position.offered}
            if sum(map(len, cards)) == self.cards - self.removed:  # NT-8
                return self._payoff(chips, cards)
            return turn(position.mover, tuple(chips), tuple(cards))  # NT-6

        def turn(mover: int, chips: tuple[int, ...], cards: tuple[frozenset[int], ...]) -> Values:
            unseen = set(range(3, 3 + self.cards)).difference(*cards)
            outcomes = [value(Position(mover, card, 0, chips, cards)) for card in unseen]
            return tuple(sum(column, Fraction(0)) / len(unseen) for column in zip(*outcomes))

        nothing = (frozenset[int](),) * self.players
        return turn(0, (self.chips,) * self.players, nothing)

    def _payoff(self, chips: list[int], cards: list[frozenset[int]]) -> Values:
        scores = [points(c) - k for c, k in zip(cards, chips, strict=True)]
        if self.utility == "score":
            return tuple(Fraction(-score) for score in scores)
        if self.utility == "relative":
            total, others = sum(scores), self.players - 1
            return tuple(Fraction(total - score, others) - score for score in scores)
        best = min(scores)  # NT-10
        return tuple(Fraction(score == best, scores.count(best)) for score in scores)
