"""What search code asks of an environment: legal actions, positions, re-deals."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pettingzoo.utils.env_logger import EnvLogger

from lowhand.kernels import mask_rows, resample_rows
from lowhand.observation import ObservationSpec


class SearchMethods:
    """The methods of `lowhand.aec.GameEnv` for search; `clone` stands there."""

    game: ClassVar[Any]
    observation_spec: ObservationSpec
    possible_agents: list[str]
    _seat_of: dict[str, int]
    _num_actions: int
    _rules: np.ndarray
    _states: np.ndarray
    _over: np.ndarray
    _offender: str | None
    _has_reset: bool

    def _begin(self) -> None:
        raise NotImplementedError

    def legal_actions(self) -> list[int]:
        """Legal actions of the player to move; none after the end."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        if self._over.item() or self._offender is not None:
            return []
        mask = np.empty((1, self._num_actions), np.int8)
        mask_rows(self._rules, self._states, np.zeros(1, np.int64), mask)
        legal: list[int] = np.flatnonzero(mask).tolist()
        return legal

    def get_state(self) -> np.record:
        """A copy of the game's record: the full information, its fields by name."""
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        record: np.record = self._states[0].copy()
        return record

    def set_state(self, state: np.record | NDArray[Any] | bytes) -> None:
        """Put the game where `state` stands, and start the cycle there with rewards of 0.

        Args:
            state: what `get_state` gave, or its bytes, in an environment of the same options.

        Raises:
            ValueError: it is no state of this game for this number of players.
        """
        dtype, players = self.game.state, len(self.possible_agents)
        wrong = ValueError(f"the state is no record of {self.game.name} for {players} players.")
        if isinstance(state, bytes):
            if len(state) != dtype.itemsize:
                raise wrong
            states = np.frombuffer(state, dtype)
        else:
            states = np.atleast_1d(np.asarray(state))
        if states.dtype != dtype or states.shape != (1,) or states["num_players"][0] != players:
            raise wrong
        if not 0 <= states["mover"][0] < players:
            raise wrong
        self._states[:] = states
        self._begin()

    def resample_hidden(self, seat: int | str, rng: np.random.Generator) -> None:
        """Re-deal what a player can't know at this environment's level of recall.

        What it observes stays the same, and the game gets a new key, so that a clone on which
        this was called foresees nothing. After the end nothing is hidden, and nothing changes.

        Args:
            seat: the player who is searching, as a seat or an agent.
            rng: where the new deal comes from.
        """
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        if isinstance(seat, str):
            seat = self._seat_of[seat]
        if not 0 <= seat < len(self.possible_agents):
            raise ValueError(f"seat must be from 0 to {len(self.possible_agents) - 1}, not {seat}.")
        if not self._over.item():
            keys, recall = rng.integers(2**64, size=1, dtype=np.uint64), self.observation_spec
            resample_rows(self._rules, self._states, seat, recall.perfect_recall, keys)
