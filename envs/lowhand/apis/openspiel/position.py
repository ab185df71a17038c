"""A game with explicit chance: a record of the engine, and the chance event that it waits for.

In the engine a key decides every chance event. Here an action that needs a card waits until the
event is resolved, and takes effect then; until then the record shows the table before the action.
Everything except the record is replaced and never mutated, so that copies share it: OpenSpiel
makes one for each node.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple, Self

import numpy as np

from lowhand.apis.openspiel.terms import UNIT, Range, Terms
from lowhand.engine.kernels_rows import PAID, deal_rows, mask_rows, resample_rows, step_one

_ROW = np.zeros(1, np.int64)


def copied(states: np.ndarray) -> np.ndarray:
    """A copy of (1,) records, made from bytes since NumPy copies records field by field."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


class Bounds(NamedTuple):
    """Bounds of a game, for OpenSpiel's GameInfo."""

    decisions: int  # of a game, at the most
    events: int  # chance nodes of a game, at the most
    outcomes: int  # those of events are numbers from 0 to this one, excluded
    scores: Range  # of a player's final score
    pays_early: bool  # whether rewards can come before the end


class Position(ABC):
    """One position, which `play` and `resolve_chance` change.

    Attributes:
        terms: rules, options and reward.
        states: (1,) State record of the engine. While an event is pending, it is the position
            before the action that waits; while cards are dealt, no player holds any.
        event: the pending chance event, or None where a player is to move or the game is over.
        cards: the outcomes so far of an event that brings several cards.
        returns: the sum of each seat's rewards so far.
        rewards: each seat's reward for the last action.
    """

    event: StrEnum | None

    @staticmethod
    @abstractmethod
    def bounds(options: Any) -> Bounds:
        """Bounds of a game with these options."""

    # The chance events of a game.

    @abstractmethod
    def _begin(self) -> None:
        """Remove from the record what the engine has dealt, and wait for the first event."""

    @abstractmethod
    def _event_before(self, action: int) -> StrEnum | None:
        """The event that `action` waits for."""

    @abstractmethod
    def _reveal_action(self, action: int) -> None:
        """Add what players see of `action` to their histories."""

    @abstractmethod
    def outcomes(self) -> list[int]:
        """The outcomes of the event, in ascending order."""

    @abstractmethod
    def describe_outcome(self, outcome: int) -> str:
        """An outcome of the event in words."""

    @abstractmethod
    def _resolve(self, outcome: int) -> None:
        """Resolve the event with a legal `outcome`: see `resolve_chance`."""

    @abstractmethod
    def _resample_histories(self, seat: int) -> None:
        """Replace the histories of the others than `seat` by ones that fit their sampled hands."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.states = np.zeros(1, terms.game.state)
        deal_rows(terms.rules, self.states, np.zeros(1, np.uint64), np.array([terms.players]))
        self.event = None
        self.cards: tuple[int, ...] = ()
        self._action = 0
        self.returns = self.rewards = (0.0,) * terms.players
        # The history that each seat has seen, and then the public one.
        self._histories = (*(f"p{seat}" for seat in range(terms.players)), "")
        self._begin()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.states = copied(self.states)
        return twin

    @property
    def mover(self) -> int:
        """The seat to move, or whose action waits."""
        return int(self.states["mover"].item())

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self.states["over"].item())

    @property
    def rules(self) -> Any:
        """The Rules record."""
        return self.terms.rules[0]

    @property
    def state(self) -> Any:
        """The State record: a view, through which it is changed."""
        return self.states[0]

    def legal_actions(self) -> list[int]:
        """Legal actions of the player to move, in ascending order."""
        mask = np.empty((1, self.terms.game.num_actions(self.terms.options)), np.int8)
        mask_rows(self.terms.rules, self.states, _ROW, mask)
        legal: list[int] = mask[0].nonzero()[0].tolist()
        return legal

    def probabilities(self) -> list[tuple[int, float]]:
        """The outcomes of the event with their probabilities, equal by default."""
        outcomes = self.outcomes()
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def play(self, action: int) -> None:
        """Play `action` for the player to move; it may have to wait for a chance event.

        Raises:
            ValueError: it is illegal.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action {action} is illegal; legal actions are {legal}.")
        self._reveal_action(action)
        self.event, self._action = self._event_before(action), action
        if self.event is None:
            self._take_effect()

    def resolve_chance(self, outcome: int) -> None:
        """Resolve the pending event with `outcome`.

        Raises:
            ValueError: the event has no such outcome.
        """
        if outcome not in self.outcomes():
            raise ValueError(f"chance has no outcome {outcome} here; it has {self.outcomes()}.")
        self._resolve(outcome)

    def _take_effect(self) -> None:
        """Play the action in the engine, and pay its rewards."""
        self.event, self.cards = None, ()
        terms = self.terms
        earned = np.zeros((1, terms.players), np.float32)
        self.rewards = (0.0,) * terms.players
        if step_one(terms.rules, self.states, self._action, terms.weights, earned) == PAID:
            paid = (np.rint(earned[0].astype(np.float64)) / UNIT).tolist()
            self.returns = tuple(a + b for a, b in zip(self.returns, paid, strict=True))
            self.rewards = tuple(paid)

    # What players know.

    def information_state(self, seat: int) -> str:
        """All that `seat` has seen and done, with perfect recall."""
        return self._histories[seat]

    def observation(self, seat: int | None) -> str:
        """The table as `seat` sees it, or with all hidden cards for None; and the pending event."""
        table = self._render(seat)
        return table if self.event is None else f"{table}\nChance: {self.event}."

    def _render(self, seat: int | None) -> str:
        return self.terms.game.render(self.terms.rules, self.state, seat)

    def _reveal(self, text: str) -> None:
        """Add a public event to all histories."""
        self._histories = tuple(history + text for history in self._histories)

    def _reveal_to(self, seat: int, text: str) -> None:
        """Add a private event to the history of one seat."""
        before, after = self._histories[:seat], self._histories[seat + 1 :]
        self._histories = (*before, self._histories[seat] + text, *after)

    def resample(self, seat: int, key: int) -> None:
        """Sample what `seat` can't know; its own history stays the same.

        The histories of the others become the public one and their sampled hands.

        Raises:
            ValueError: a chance event is pending.
        """
        if self.event is not None:
            raise ValueError("hidden cards can be sampled only where a player is to move.")
        if not self.is_over:
            keys = np.array([key], np.uint64)
            resample_rows(self.terms.rules, self.states, seat, True, keys)
            self._resample_histories(seat)


def without(cards: Sequence[int], taken: Sequence[int]) -> list[int]:
    """The cards that are not among `taken`, in their order."""
    return [card for card in cards if card not in taken]
