"""A game with chance made explicit: a record of the engine, and the event that it waits for.

Where the engine has a key decide what comes, a position stops: a player's action that needs a
card waits until the event has happened, and takes effect then. Meanwhile the record shows the
table as it was before. Everything but the record is replaced and never changed, so that copies,
of which OpenSpiel makes one for each node, share it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Self

import numpy as np

from lowhand.apis.openspiel.terms import UNIT, Range, Terms
from lowhand.engine.kernels_rows import PAID, deal_rows, mask_rows, resample_rows, step_one

_ROW = np.zeros(1, np.int64)


def copied(states: np.ndarray) -> np.ndarray:
    """A copy of (1,) records; by way of bytes, since NumPy copies records field by field."""
    return np.frombuffer(bytearray(states.tobytes()), states.dtype)


class Position(ABC):
    """One position, which `play` and `happen` move on.

    Attributes:
        terms: rules, options and reward.
        states: (1,) State record of the engine. Where an event is waited for, it stands as it
            was before the action that waits; while cards are dealt, nobody holds any.
        event: what is waited for, or None where a player is to move or the game is over.
        cards: what this event has brought so far, where it brings several cards.
        returns: what each seat has earned so far.
        rewards: what the last action earned each seat.
    """

    event: StrEnum | None

    # About the options of a game, for OpenSpiel's GameInfo.

    @staticmethod
    @abstractmethod
    def most_decisions(options: Any) -> int:
        """No game has more decisions."""

    @staticmethod
    @abstractmethod
    def most_events(options: Any) -> int:
        """No game has more chance nodes."""

    @staticmethod
    @abstractmethod
    def most_outcomes(options: Any) -> int:
        """Outcomes of events are numbers below this."""

    @staticmethod
    @abstractmethod
    def score_range(options: Any) -> Range:
        """Bounds of a player's final score."""

    @staticmethod
    @abstractmethod
    def pays_early(options: Any) -> bool:
        """Whether rewards can come before the end."""

    # What a game does with chance.

    @abstractmethod
    def _begin(self) -> None:
        """Clear the record of what the engine has dealt, and wait for the first event."""

    @abstractmethod
    def _needs(self, action: int) -> StrEnum | None:
        """The event that `action` waits for."""

    @abstractmethod
    def _tell_action(self, action: int) -> None:
        """Tell all seats what they see of `action`."""

    @abstractmethod
    def outcomes(self) -> list[int]:
        """What the event may bring, in ascending order."""

    @abstractmethod
    def describe_outcome(self, outcome: int) -> str:
        """An outcome of the event in words."""

    @abstractmethod
    def _happen(self, outcome: int) -> None:
        """Let the event bring `outcome`: see `happen`."""

    @abstractmethod
    def _forget(self, seat: int) -> None:
        """Let the others than `seat` have seen what fits their hands, which were dealt anew."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self.states = np.zeros(1, terms.game.state)
        deal_rows(terms.rules, self.states, np.zeros(1, np.uint64), np.array([terms.players]))
        self.event = None
        self.cards: tuple[int, ...] = ()
        self._action = 0
        self.returns = self.rewards = (0.0,) * terms.players
        # What each seat has seen and, behind them, what is public.
        self._heard = (*(f"p{seat}" for seat in range(terms.players)), "")
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
        """The outcomes of the event with their probabilities: most are equally likely."""
        outcomes = self.outcomes()
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def play(self, action: int) -> None:
        """Play `action` for the player to move; it may have to wait for an event.

        Raises:
            ValueError: it is illegal.
        """
        legal = self.legal_actions()
        if action not in legal:
            raise ValueError(f"action {action} is illegal; legal are {legal}.")
        self._tell_action(action)
        self.event, self._action = self._needs(action), action
        if self.event is None:
            self._take_effect()

    def happen(self, outcome: int) -> None:
        """Let the event bring `outcome`.

        Raises:
            ValueError: it can't.
        """
        if outcome not in self.outcomes():
            raise ValueError(f"chance has no outcome {outcome} here; it has {self.outcomes()}.")
        self._happen(outcome)

    def _take_effect(self) -> None:
        """Let the engine play the action, and pay what it earns."""
        self.event, self.cards = None, ()
        terms = self.terms
        earned = np.zeros((1, terms.players), np.float32)
        self.rewards = (0.0,) * terms.players
        if step_one(terms.rules, self.states, self._action, terms.weights, earned) == PAID:
            paid = (np.rint(earned[0].astype(np.float64)) / UNIT).tolist()
            self.returns = tuple(a + b for a, b in zip(self.returns, paid, strict=True))
            self.rewards = tuple(paid)

    # What seats know.

    def heard(self, seat: int) -> str:
        """All that `seat` has seen and done: its information state, with perfect recall."""
        return self._heard[seat]

    def seen(self, seat: int | None) -> str:
        """The table as `seat` sees it now, or as it is for None; and what is waited for."""
        table = self._table(seat)
        return table if self.event is None else f"{table}\nChance: {self.event}."

    def _table(self, seat: int | None) -> str:
        return self.terms.game.render(self.terms.rules, self.state, seat)

    def _tell(self, text: str) -> None:
        """Let all seats see something."""
        self._heard = tuple(heard + text for heard in self._heard)

    def _tell_seat(self, seat: int, text: str) -> None:
        """Let one seat see something."""
        heard = self._heard
        self._heard = (*heard[:seat], heard[seat] + text, *heard[seat + 1 :])

    def resample(self, seat: int, key: int) -> None:
        """Re-deal what `seat` can't know; it has seen the same as before.

        What the others have seen is then what was public and what they hold now.

        Raises:
            ValueError: an event is waited for.
        """
        if self.event is not None:
            raise ValueError("what is hidden can be re-dealt only where a player is to move.")
        if not self.is_over:
            keys = np.array([key], np.uint64)
            resample_rows(self.terms.rules, self.states, seat, True, keys)
            self._forget(seat)


def without(cards: Sequence[int], taken: Sequence[int]) -> list[int]:
    """The cards that are not among `taken`, in their order."""
    return [card for card in cards if card not in taken]
