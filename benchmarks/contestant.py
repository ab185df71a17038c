"""What every contestant of the throughput benchmark is, and how its play is timed.

A contestant plays random legal games in a loop, as its own users would write it, and the same
function that chooses the actions there is timed alone, on menus (masks or lists of legal
actions) recorded from that very loop. What counts is

    seconds per decision = seconds of the loop / decisions - seconds of one choice alone

so the environment's own work is left: dealing, stepping, observations, legal actions, chance.
"""

import copy
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any

Menu = Any
"""What a contestant offers to choose from: a mask, or a collection of legal actions."""

RECORDED_MENUS = 2000


@dataclass(frozen=True)
class Cost:
    """Decisions made (or choices taken) and the wall-clock seconds they took."""

    decisions: int
    seconds: float

    @property
    def per_decision(self) -> float:
        return self.seconds / self.decisions


class Contestant(ABC):
    """One row of the benchmark.

    Attributes:
        name: the row's name; peers are `library/game`.
        library: the distribution whose version is noted.
        players: players at the table.
        observes: whether every decision comes with an observation.
        method: one sentence on what one decision consists of.
        threads: cores it is given.
        facts: further figures for the JSON file, known after `prepare`.
    """

    name: str
    library: str
    players: int
    observes: bool = True
    method: str = ""
    threads: int = 1

    def __init__(self) -> None:
        self.facts: dict[str, Any] = {}

    @property
    def ours(self) -> bool:
        return self.library == "lowhand"

    @abstractmethod
    def prepare(self) -> None:
        """Import, compile, record menus. Raises ImportError when the library is missing."""

    @abstractmethod
    def play(self, seconds: float) -> Cost:
        """Play for about `seconds`, the choice of actions included."""

    @abstractmethod
    def choose(self, seconds: float) -> Cost:
        """Only choose, among recorded menus, for about `seconds`."""


def pick(menu: Sequence[int]) -> int:
    """One of a sequence of legal actions, uniformly."""
    return menu[int(random.random() * len(menu))]


def pick_from_mask(mask: Any) -> int:
    """One of the actions whose entry in a NumPy mask is not zero, uniformly."""
    return pick([action for action, legal in enumerate(mask.tolist()) if legal])


def pick_from_keys(menu: Any) -> int:
    """One of a dictionary's keys, uniformly."""
    return pick(list(menu))


class OneGame(Contestant):
    """A contestant that plays one game at a time through Python calls.

    `play` looks at the clock between games, so that the loop holds nothing else.
    """

    pick: Callable[[Menu], int] = staticmethod(pick)

    def __init__(self) -> None:
        super().__init__()
        self._menus: list[Menu] = []

    @abstractmethod
    def open(self) -> None:
        """Import the library and make the game."""

    @abstractmethod
    def play_game(self, pick: Callable[[Menu], int]) -> int:
        """Play one whole game, choosing with `pick`; return the number of decisions."""

    def prepare(self) -> None:
        self.open()
        choice = self.pick

        def pick_and_record(menu: Menu) -> int:
            # Copied, since a library may rewrite its mask in place.
            self._menus.append(copy.copy(menu))
            return choice(menu)

        while len(self._menus) < RECORDED_MENUS:
            self.play_game(pick_and_record)

    def play(self, seconds: float) -> Cost:
        choice = self.pick
        decisions, start = 0, perf_counter()
        while (elapsed := perf_counter() - start) < seconds:
            decisions += self.play_game(choice)
        return Cost(decisions, elapsed)

    def choose(self, seconds: float) -> Cost:
        choice, menus = self.pick, self._menus
        choices, start = 0, perf_counter()
        while (elapsed := perf_counter() - start) < seconds:
            for menu in menus:
                choice(menu)
            choices += len(menus)
        return Cost(choices, elapsed)


class PettingZooGame(OneGame):
    """An AEC environment: `last()` and `step(action)`, and `reset()` once a game is over.

    PettingZoo's `agent_iter` would also step each terminated agent with None. Both games
    measured here end for all their players at once, so that a user may reset right away;
    that is the cheaper loop, above all for the shorter game, which is the peer's.
    """

    pick = staticmethod(pick_from_mask)
    env: Any

    def play_game(self, pick: Callable[[Menu], int]) -> int:
        env = self.env
        env.reset()
        decisions = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return decisions
            env.step(pick(observation["action_mask"]))
            decisions += 1


class ManyGames(Contestant):
    """A contestant that steps a batch of games with every call, auto-reset included.

    The actions are chosen by one compiled function, the same for all batches, that reads the
    masks (NumPy, one row a game) and writes into one array of actions. Subclasses call
    `set_up_choice` at the end of `prepare`.
    """

    action_dtype: str = "int64"

    @abstractmethod
    def masks(self) -> Any:
        """Masks of the games as they stand: (games, actions), one byte each, no copy."""

    @abstractmethod
    def step(self, actions: Any) -> None:
        """Step all games and wait until it is done."""

    def set_up_choice(self) -> None:
        import numpy as np

        from random_choice import choose_legal

        self._choose = choose_legal
        self._games = len(self.masks())
        self._actions = np.zeros(self._games, self.action_dtype)
        self._counter = 0
        self._menus = []
        # Past the first deals, so that the masks are those of games at every stage. Eight are
        # kept, which fit into the second-level cache as the masks of a running batch do.
        for _ in range(64):
            self._choose_actions(self.masks())
            self.step(self._actions)
        for _ in range(8):
            self._menus.append(self.masks().copy())
            self._choose_actions(self.masks())
            self.step(self._actions)

    def _choose_actions(self, masks: Any) -> None:
        self._choose(masks, self._counter, self._actions)
        self._counter += self._games

    def play(self, seconds: float) -> Cost:
        decisions, start = 0, perf_counter()
        while (elapsed := perf_counter() - start) < seconds:
            self._choose_actions(self.masks())
            self.step(self._actions)
            decisions += self._games
        return Cost(decisions, elapsed)

    def choose(self, seconds: float) -> Cost:
        choices, start = 0, perf_counter()
        while (elapsed := perf_counter() - start) < seconds:
            for menu in self._menus:
                self._choose_actions(menu)
            choices += self._games * len(self._menus)
        return Cost(choices, elapsed)
