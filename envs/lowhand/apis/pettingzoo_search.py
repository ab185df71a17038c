"""PettingZoo's environment without its cycle: spaces, state, copies, and methods for search."""

import copy
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from lowhand.agents.table_view import TableView
from lowhand.apis.pettingzoo_order import from_reset_on
from lowhand.engine.game import Game
from lowhand.engine.kernels_rows import mask_rows, resample_rows
from lowhand.engine.observation import ObservationSpec
from lowhand.engine.rewards import check_illegal_action, reward_weights
from lowhand.engine.state_vector import StateVector
from lowhand.engine.validation import check_seats
from lowhand.rendering.screen import SHOWN_BY_ITSELF, Screen, check_mode

# What a copy needs a copy of, in addition to the state: lists and dictionaries that play changes.
_CHANGED_BY_PLAY = ("agents", "rewards", "terminations", "truncations", "_cumulative_rewards")
# Scratch arrays, and the views into them and into the state. A copied view would be detached, so
# that copies and pickles leave them out and make new ones.
_BUFFERS = ("_scratch", "_scratch_mask", "_row", "_mask_row", "_mover", "_over", "_out", "_earned")


class SearchableTable(AECEnv[str, Any, Any]):
    """What `lowhand.apis.pettingzoo_env.GameEnv` has besides PettingZoo's cycle, and its copies."""

    game: ClassVar[Game]

    agents: list[str] = from_reset_on()
    agent_selection: str = from_reset_on()
    rewards: dict[str, float] = from_reset_on()
    terminations: dict[str, bool] = from_reset_on()
    truncations: dict[str, bool] = from_reset_on()
    infos: dict[str, dict[str, Any]] = from_reset_on()

    def __init__(
        self,
        options: Any,
        perfect_recall: bool = False,
        observation_seats: int | None = None,
        reward: str | Mapping[str, float] = "win",
        illegal_action: str = "lose",
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        check_illegal_action(illegal_action)
        check_mode(self.game, render_mode)
        players = int(options.num_players)
        self.render_mode, self.illegal_action = render_mode, illegal_action
        self._shows_moves = render_mode not in (None, "ansi")  # not only positions
        self._screen = Screen(self.game, render_mode, self.metadata["render_fps"])
        self.options = options
        self.observation_spec: ObservationSpec = self.game.observation(
            options, perfect_recall, check_seats(observation_seats, players)
        )
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._num_actions = self.game.num_actions(options)
        self._make_spaces()
        self.np_random: np.random.Generator | None = None
        self._rules, self._layout = options.rules(), self.observation_spec.layout
        self._states = np.zeros(1, self.game.state)
        self._weights = reward_weights(reward)
        self._has_reset = self._has_updated = self._has_warned = False
        self._paid = False  # whether some of `rewards` may differ from 0
        self._offender: str | None = None  # the agent that ended the game by an illegal action
        self._make_buffers()

    def _make_spaces(self) -> None:
        low, high = self.observation_spec.bounds()
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(low, high, dtype=np.float32),
                    "action_mask": spaces.Box(0, 1, (self._num_actions,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self._num_actions) for agent in self.possible_agents
        }
        self._vector = StateVector(self.game.state)
        self.state_space, self.state_slices = self._vector.space, self._vector.slices

    def _make_buffers(self) -> None:
        self._scratch = np.zeros((1, self.observation_spec.size), np.float32)
        self._scratch_mask = np.zeros((1, self._num_actions), np.int8)
        self._row, self._mask_row = self._scratch[0], self._scratch_mask[0]
        self._earned = np.zeros((1, len(self.possible_agents)), np.float32)
        self._mover, self._over = self._states["mover"], self._states["over"]
        names = self.game.state.names or ()
        self._out = self._states["out"][0] if "out" in names else None

    def _begin(self) -> None:
        raise NotImplementedError

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `agent`'s observations, the same object at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of `agent`'s actions, the same object at every call."""
        return self.action_spaces[agent]

    def state(self) -> NDArray[np.float32]:
        """The full information of the game, hidden cards and order of the deck included.

        The fields of the game's record one after the other (see `state_slices`), float32,
        unscaled; a set of cards gives one 0 or 1 for each bit.
        """
        if not self._has_reset:
            EnvLogger.error_state_before_reset()
        return self._vector.read(self._states)

    def close(self) -> None:
        """Close the window of mode "human"; nothing else is held open."""
        self._screen.close()

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
