"""Environment methods for search code: legal actions, positions, samples, copies."""

import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lowhand.agents.table_view import TableView
from lowhand.engine.kernels_rows import mask_rows, resample_rows
from lowhand.engine.observation import ObservationSpec
from lowhand.rendering.screen import SHOWN_BY_ITSELF

# What a copy needs a copy of, in addition to the state: lists and dictionaries that play changes.
_CHANGED_BY_PLAY = ("agents", "rewards", "terminations", "truncations", "_cumulative_rewards")
# Scratch arrays, and the views into them and into the state. A copied view would be detached, so
# that copies and pickles leave them out and make new ones.
_BUFFERS = ("_scratch", "_scratch_mask", "_row", "_mask_row", "_mover", "_over", "_out", "_earned")


class SearchMethods:
    """The methods of `lowhand.apis.pettingzoo_env.GameEnv` for search, and its copies."""

    game: ClassVar[Any]
    options: Any
    observation_spec: ObservationSpec
    possible_agents: list[str]
    _seat_of: dict[str, int]
    _num_actions: int
    _rules: np.ndarray
    _states: np.ndarray
    _over: np.ndarray
    agent_selection: str
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    np_random: np.random.Generator | None
    render_mode: str | None
    _shows_moves: bool
    _has_reset: bool

    def _begin(self) -> None:
        raise NotImplementedError

    def _make_buffers(self) -> None:
        raise NotImplementedError

    def _need_reset(self, call: str) -> None:
        if not self._has_reset:
            raise AssertionError(f"reset() needs to be called before {call}.")

    def legal_actions(self) -> list[int]:
        """Legal actions of `agent_selection`; none if its game has ended.

        In Least Score a player may be out before the end: it is then selected once more, for
        PettingZoo's `step(None)`, and the others go on.

        Raises:
            AssertionError: before the first reset.
        """
        self._need_reset("legal_actions")
        agent = self.agent_selection
        if self.terminations.get(agent, True) or self.truncations.get(agent, True):
            return []
        mask = np.empty((1, self._num_actions), np.int8)
        mask_rows(self._rules, self._states, np.zeros(1, np.int64), mask)
        legal: list[int] = np.flatnonzero(mask).tolist()
        return legal

    def table(self) -> TableView:
        """The table as an agent sees it: `make_agent("greedy", game).act(env.table(), rng)[0]`.

        A view of the current position, for the player to move.

        Raises:
            AssertionError: before the first reset.
        """
        self._need_reset("table")
        return TableView(self.game, self.options, self._rules, self._states, np.zeros(1, np.int64))

    def get_state(self) -> np.record:
        """A copy of the game's record: the full information, its fields by name."""
        self._need_reset("get_state")
        record: np.record = self._states[0].copy()
        return record

    def set_state(self, state: np.record | NDArray[Any] | bytes) -> None:
        """Replace the game by `state`, and start the cycle there with rewards of 0.

        Args:
            state: the result of `get_state`, or its bytes, in an environment of the same options.

        Raises:
            ValueError: it is not a state of this game with these options.
        """
        dtype, name = self.game.state, self.game.name
        if isinstance(state, bytes):
            state = np.frombuffer(state, dtype if len(state) == dtype.itemsize else np.uint8)
        states = np.atleast_1d(np.asarray(state))
        if states.dtype != dtype or states.shape != (1,):
            raise ValueError(f"the state is no record of {name}: give what get_state() returned.")
        wrong = self.game.invalid_state_reason(self.options, self._rules, states[0])
        if wrong is not None:
            raise ValueError(f"the state is not one of {name} with these options: {wrong}.")
        self._states[:] = states
        self._begin()

    def resample_hidden(self, seat: int | str, rng: np.random.Generator) -> None:
        """Sample what a player can't know at this environment's level of recall.

        Its observation stays the same, and the game gets a new key, so that the future of a
        clone reveals nothing of the true game. After the end nothing is hidden or changed.

        Args:
            seat: the player that searches, as a seat or an agent.
            rng: the source of the sample.

        Raises:
            ValueError: there is no such player, or `rng` is no generator.
        """
        self._need_reset("resample_hidden")
        if not isinstance(rng, np.random.Generator):
            raise ValueError(f"rng must be a numpy.random.Generator, not {rng!r}.")
        if isinstance(seat, str):
            if seat not in self._seat_of:
                raise ValueError(f"there is no agent {seat!r}; there are {self.possible_agents}.")
            seat = self._seat_of[seat]
        if not 0 <= seat < len(self.possible_agents):
            raise ValueError(f"seat must be from 0 to {len(self.possible_agents) - 1}, not {seat}.")
        if not self._over.item():
            keys, recall = rng.integers(2**64, size=1, dtype=np.uint64), self.observation_spec
            resample_rows(self._rules, self._states, seat, recall.perfect_recall, keys)

    # Copies and pickles continue from the current position.

    def clone(self) -> Self:
        """An independent copy; it shares only the spaces and what never changes.

        Its hidden cards are the true ones: a search calls `resample_hidden` on it first. Render
        modes "human" and "print" become None in the copy.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._states = self._states.copy()
        twin.np_random = copy.deepcopy(self.np_random)
        if self._has_reset:
            for name in _CHANGED_BY_PLAY:
                setattr(twin, name, getattr(self, name).copy())
            twin.infos = {agent: dict(info) for agent, info in self.infos.items()}
        if self.render_mode in SHOWN_BY_ITSELF:
            twin.render_mode, twin._shows_moves = None, False
        twin._make_buffers()
        return twin

    def __copy__(self) -> Self:
        return self.clone()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _BUFFERS}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        self._make_buffers()
