"""Stable-Baselines3's `VecEnv` on the batch engine: one seat in each of many games."""

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Concatenate, ParamSpec, Self, cast

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecEnv
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices

from lowhand.apis.gymnasium_vector import SeatVectorEnv

Step = tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]

_P = ParamSpec("_P")


def _with_signature_of(
    other: Callable[_P, Any],
) -> Callable[[Callable[..., None]], Callable[Concatenate[Any, _P], None]]:
    """For a method that passes its arguments to the class `other`: its signature is shown."""

    def mark(method: Callable[..., None]) -> Callable[Concatenate[Any, _P], None]:
        shown, own = inspect.signature(other), inspect.signature(method).parameters["self"]
        parameters = [own, *shown.parameters.values()]
        vars(method)["__signature__"] = shown.replace(parameters=parameters)
        return method

    return mark


class LowhandVecEnv(VecEnv):
    """One seat in each of N games against opponents, for any algorithm of Stable-Baselines3.

    It plays the games of `SeatVectorEnv`, and no step runs Python for each game, but only for
    those that ended. What an algorithm that masks asks for, `env_method("action_masks")`, is
    there; to others an illegal action is a lost game.

    The info of a game that ended with a step has what `SeatEnv` gives at an end, and

    - `terminal_observation`: (size,) float32, the last observation of that game,
    - `TimeLimit.truncated`: whether a limit has ended it and not its rules,
    - `episode`: return `r`, length `l` and seconds since the start `t`, as of `VecMonitor`,
    - `is_success`: the win share, so that SB3's success rates are shares of wins.

    The infos of all other games are empty.

    Args:
        num_envs: number of games N.
        game, opponents, num_players, seat, perfect_recall, observation_seats, reward,
            illegal_action, render_mode, num_threads, **options: as for `SeatVectorEnv`.

    Attributes:
        games: the `SeatVectorEnv` that plays.
    """

    games: SeatVectorEnv

    @_with_signature_of(SeatVectorEnv)
    def __init__(self, *arguments: Any, **settings: Any) -> None:
        self._set_up(SeatVectorEnv(*arguments, **settings))

    @classmethod
    def over(cls, games: SeatVectorEnv) -> Self:
        """The `VecEnv` of games that are made already."""
        made = cls.__new__(cls)
        made._set_up(games)
        return made

    def _set_up(self, games: SeatVectorEnv) -> None:
        self.games, self.render_mode = games, games.render_mode
        # Before the constructor of `VecEnv`, which asks for attributes.
        self.observation_space = games.single_observation_space
        self.action_space = games.single_action_space
        super().__init__(games.num_envs, self.observation_space, self.action_space)
        self._start = time.time()
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._empty: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        self._actions: Any = None

    def reset(self) -> NDArray[np.float32]:
        """Deal a game everywhere; (N, size) float32. Seeds count once, as in all of SB3."""
        options = next(filter(None, self._options), None)
        observation, infos = self.games.reset(seed=self._seeds[0], options=options)
        self._reset_seeds()
        self._reset_options()
        self._returns[:], self._lengths[:] = 0.0, 0
        self.reset_infos = _by_game(_columns(infos, np.arange(self.num_envs)))
        return observation

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """Set the seed of the next `reset`: game i's j-th episode is `game_key(seed, i, j)`."""
        if seed is None:
            seed = int(np.random.default_rng().integers(2**32))
        self._seeds = [seed] * self.num_envs
        return self._seeds

    def step_async(self, actions: NDArray[Any]) -> None:
        """Take the actions, (N,) integers, that `step_wait` plays."""
        self._actions = actions

    def step_wait(self) -> Step:
        """Play them, and then the opponents; where a game ended the next one is dealt."""
        observation, rewards, terminated, truncated, infos = self.games.step(self._actions)
        dones = terminated | truncated
        self._returns += rewards
        self._lengths += 1
        if any(self._empty):  # a wrapper wrote into them
            self._empty = [{} for _ in range(self.num_envs)]
        shown = self._empty.copy()
        ended = np.flatnonzero(dones)
        if ended.size:
            ends = self._ends(ended, infos, truncated)
            for row, info in zip(ended.tolist(), ends, strict=True):
                shown[row] = info
        return observation, rewards.astype(np.float32), dones, shown

    def _ends(
        self, rows: NDArray[np.int64], infos: dict[str, Any], truncated: NDArray[np.bool_]
    ) -> list[dict[str, Any]]:
        """The infos of the games at `rows`, which ended; their statistics are reset."""
        columns = _columns(infos["final_info"], rows)
        columns["terminal_observation"] = list(infos["final_obs"][rows])
        columns["TimeLimit.truncated"] = truncated[rows].tolist()
        columns["is_success"] = columns["win_share"]
        seconds = round(time.time() - self._start, 6)
        lengths, returns = self._lengths[rows].tolist(), self._returns[rows].tolist()
        columns["episode"] = [
            {"r": earned, "l": length, "t": seconds}
            for earned, length in zip(returns, lengths, strict=True)
        ]
        self._returns[rows], self._lengths[rows] = 0.0, 0
        return _by_game(columns)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, (N, actions) bool."""
        return self.games.action_masks()

    def training_state(self) -> dict[str, NDArray[Any]]:
        """The statistics of the running games, apart from the state of `games.batch`."""
        return {"returns": self._returns.copy(), "lengths": self._lengths.copy()}

    def set_training_state(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from what `training_state` gave."""
        self._returns[:], self._lengths[:] = arrays["returns"], arrays["lengths"]

    def render(self, mode: str | None = None) -> Any:
        """Each table as your seat there sees it.

        With `render_mode="ansi"` a tuple of texts; with "rgb_array" one picture of all tables side
        by side, which `VecVideoRecorder` films.
        """
        if self.render_mode == "ansi" and mode in (None, "ansi"):
            return self.games.render()
        return super().render(mode)  # which puts `get_images` together, or warns

    def get_images(self) -> Sequence[NDArray[Any] | None]:
        """With `render_mode="rgb_array"` a picture of each table; else None for each."""
        shown = self.games.render() if self.render_mode == "rgb_array" else None
        return [None] * self.num_envs if shown is None else cast("list[NDArray[Any]]", list(shown))

    def close(self) -> None:
        """Nothing is to be closed: there are neither processes nor windows."""
        self.games.close()

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **rest: Any
    ) -> list[Any]:
        """`action_masks` or `render` of these games.

        Raises:
            AttributeError: games have no other method.
        """
        methods = {"action_masks": self.action_masks, "render": self.games.render}
        if method_name not in methods:
            raise AttributeError(
                f"the games have no method {method_name!r}; they have {', '.join(methods)}."
            )
        answers = methods[method_name](*method_args, **rest)
        if indices is None:
            return [None] * self.num_envs if answers is None else list(answers)
        rows = self._get_indices(indices)
        return [None if answers is None else answers[row] for row in rows]

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """What `SeatEnv` calls so, in each of these games; `seat` alone may differ among them.

        Raises:
            AttributeError: games have no such attribute.
        """
        rows = list(self._get_indices(indices))
        if attr_name in ("action_masks", "render"):
            return [partial(self._call_one, attr_name, row) for row in rows]
        if attr_name == "seat":
            return [int(self.games.batch.mover[row]) for row in rows]
        if attr_name in ("observation_space", "action_space", "render_mode"):
            return [getattr(self, attr_name) for _ in rows]
        if attr_name in ("game", "fields"):
            return [getattr(self.games, attr_name) for _ in rows]
        raise AttributeError(f"the games have no attribute {attr_name!r}.")

    def _call_one(self, method: str, row: int) -> Any:
        return self.env_method(method, indices=row)[0]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Refused: games of one batch have no attributes of their own.

        Raises:
            AttributeError: always.
        """
        raise AttributeError(f"{attr_name!r} can't be set: the games of a batch share all.")

    def env_is_wrapped(self, wrapper_class: type, indices: VecEnvIndices = None) -> list[bool]:
        """True for `Monitor`, whose statistics are there, and False for all other wrappers."""
        return [issubclass(Monitor, wrapper_class) for _ in self._get_indices(indices)]


def _columns(infos: Mapping[str, Any], rows: NDArray[np.int64]) -> dict[str, list[Any]]:
    """Of infos as Gymnasium batches them, each key's values in the games at `rows`."""
    return {
        key: list(values[rows]) if values.ndim > 1 else values[rows].tolist()
        for key, values in infos.items()
        if not key.startswith("_")
    }


def _by_game(columns: Mapping[str, list[Any]]) -> list[dict[str, Any]]:
    """The same as a dict for each game."""
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]
