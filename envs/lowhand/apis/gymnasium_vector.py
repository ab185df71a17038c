"""Gymnasium's vector environment on the batch engine: one seat in each of many games."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from lowhand.agents.table_view import Agent
from lowhand.apis.batch import Batch, as_actions
from lowhand.apis.gymnasium_env import RANDOM_SEAT, SeatEnv
from lowhand.engine.game import Game, View
from lowhand.engine.kernels_batch import YOURS
from lowhand.engine.kernels_rows import is_truncated, observe_seats
from lowhand.engine.rewards import ILLEGAL_REWARD, win_shares
from lowhand.engine.validation import check_seed
from lowhand.rendering.screen import Frame, check_mode, frame

Step = tuple[
    NDArray[np.float32],
    NDArray[np.float64],
    NDArray[np.bool_],
    NDArray[np.bool_],
    dict[str, Any],
]


_RENDER_MODES = ("ansi", "rgb_array")


class SeatVectorEnv(VectorEnv[NDArray[np.float32], ArrayLike, NDArray[Any]]):
    """One seat in each of N games against opponents; see `lowhand.apis.gymnasium_env.SeatEnv`.

    Game i's j-th episode is the game of `game_key(seed, i, j)`, with the same seat as in the
    single environment. Python agents see all their tables at once and get the random generator of
    the batch, so that those that randomise play as in the single environment only if they use
    `TableView.uniforms`.

    A game that ended is followed by a new one in the same step (`AutoresetMode.SAME_STEP`): the
    observation is the new game's first, and as in Gymnasium's own vector environments
    `infos["final_obs"]` (N, objects) and `infos["final_info"]` hold the last observation and
    info of the old one, where `infos["_final_obs"]` is True. All arrays are fresh.

    Args:
        num_envs: number of games N.
        num_threads: threads that step the games.
        render_mode: "ansi" or "rgb_array": `render` gives a text or a picture for each game.
        game, seat, reward, **options: as for the single environment, with `opponents`,
            `num_players` and all its other arguments. An illegal action ends the offender's game
            only; with `illegal_action="raise"` no game moves.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012
        "render_modes": list(_RENDER_MODES),
        "render_fps": 4,
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int,
        game: str | Game,
        *,
        seat: int | str = RANDOM_SEAT,
        reward: str | Mapping[str, float] = "win",
        render_mode: str | None = None,
        num_threads: int = 1,
        **options: Any,
    ) -> None:
        self._single = single = SeatEnv(game, seat=seat, reward=reward, **options)
        check_mode(single.game, render_mode, _RENDER_MODES)
        single.reset(seed=0)  # refuses opponents that end every game before your move
        self.num_envs, self.render_mode, self.game = num_envs, render_mode, single.game
        self.single_observation_space = single.observation_space
        self.single_action_space = single.action_space
        self.observation_space = batch_space(single.observation_space, num_envs)
        self.action_space = batch_space(single.action_space, num_envs)
        self.fields = single.fields
        self.batch = _seated_batch(single, num_envs, seat, reward, num_threads)
        self._rules = single.options.rules()
        self._rows, self._dealt = np.arange(num_envs), False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal a game everywhere and let the opponents play until it is your turn.

        Args:
            seed: of the batch; without one it is drawn from `np_random`.
            options: none; only the single environment can set positions.

        Raises:
            ValueError: options are given.
        """
        if options:
            raise ValueError(
                "the vector environment has no reset options, but got"
                f" {', '.join(map(repr, options))}; only a single environment has."
            )
        super().reset(seed=seed)
        if seed is None:
            seed = int(self.np_random.integers(2**64, dtype=np.uint64))
        self.batch.reset(check_seed(seed))
        self._dealt = True
        return self.batch.observation.copy(), self._infos()

    def step(self, actions: ArrayLike) -> Step:
        """Play `actions[i]`, (N,) integers, in game i, and then the opponents.

        Raises:
            ResetNeeded: `reset` was never called.
            ValueError: not N integers, or an illegal action under `illegal_action="raise"`.
        """
        if not self._dealt:
            raise ResetNeeded("call reset() before step().")
        batch, chosen = self.batch, as_actions(actions, self.num_envs)
        seats = batch.mover.astype(np.int64)
        inside = (chosen >= 0) & (chosen < batch.action_mask.shape[1])
        legal = inside & (batch.action_mask[self._rows, chosen * inside] == 1)
        if legal.all():
            batch.step(chosen)
        else:
            illegal = np.flatnonzero(~legal)
            row = illegal[0]
            self._single._refuse(f"action {chosen[row]} in game {row}", batch.action_mask[row])
            batch.step_or_forfeit(chosen, illegal)
        rewards = batch.rewards[self._rows, seats].astype(np.float64)
        rewards[~legal] = ILLEGAL_REWARD
        infos = self._infos()
        ended = np.flatnonzero(batch.done)
        if ended.size:
            self._add_final(infos, ended, seats[ended], ~legal[ended])
        truncated = batch.done & legal & is_truncated(batch.final_states)
        terminated = batch.done & ~truncated
        return batch.observation.copy(), rewards, terminated, truncated, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, (N, actions) bool."""
        return self.batch.action_mask.astype(np.bool_)

    def render(self) -> tuple[str, ...] | tuple[Frame, ...] | None:
        """Each table as your seat sees it: texts, or pictures (720, 1280, 3) uint8."""
        if self.render_mode is None:
            return None
        seats = zip(self.batch.states, self.batch.mover, strict=True)
        if self.render_mode == "rgb_array":
            return tuple(
                frame(self.game, self._rules, state, View(int(seat))) for state, seat in seats
            )
        return tuple(self.game.render(self._rules, state, int(seat)) for state, seat in seats)

    def _infos(self) -> dict[str, Any]:
        """The infos of the running games, as Gymnasium batches them: a mask for each key."""
        infos: dict[str, NDArray[Any]] = {
            "action_mask": self.batch.action_mask.copy(),
            "seat": self.batch.mover.astype(np.int64),
        }
        return _masked(infos, np.ones(self.num_envs, np.bool_))

    def _add_final(
        self,
        infos: dict[str, Any],
        rows: NDArray[np.int64],
        seats: NDArray[np.int64],
        illegal: NDArray[np.bool_],
    ) -> None:
        """Add what the single environment shows at the end of the games at `rows`."""
        batch, size = self.batch, self.num_envs
        there = np.zeros(size, np.bool_)
        there[rows] = True

        def placed(values: NDArray[Any]) -> NDArray[Any]:
            """An array for all games, of values at `rows` and zeros elsewhere."""
            full = np.zeros((size, *values.shape[1:]), values.dtype)
            full[rows] = values
            return full

        observation = np.empty((len(rows), batch.spec.size), np.float32)
        observe_seats(self._rules, batch.spec.layout, batch.final_states, rows, seats, observation)
        final_obs = np.full(size, None, dtype=object)
        for row, values in zip(rows, observation, strict=True):
            final_obs[row] = values
        shares = win_shares(batch.final_ranking_scores[rows])[np.arange(len(rows)), seats]
        final = {
            "action_mask": np.zeros_like(batch.action_mask),
            "seat": placed(seats),
            "final_scores": placed(batch.final_scores[rows]),
            "win_share": placed(shares * ~illegal),
            "illegal_action": placed(illegal),
        }
        infos |= _masked({"final_obs": final_obs, "final_info": _masked(final, there)}, there)


def _seated_batch(
    single: SeatEnv,
    num_envs: int,
    seat: int | str,
    reward: str | Mapping[str, float],
    num_threads: int,
) -> Batch:
    """A batch of the games of `single`, with you and its opponents in their seats."""
    agents: list[Agent] = []
    for agent in single.opponents:  # each once: an agent is asked once for all its tables
        if not any(agent is other for other in agents):
            agents.append(agent)
    batch = Batch(
        single.game,
        single.options,
        num_envs,
        num_players=[single.num_players],
        perfect_recall=single.fields.perfect_recall,
        observation_seats=single.fields.seats,
        reward=reward,
        agents=agents,
        num_threads=num_threads,
        rotate=seat == RANDOM_SEAT,
        keep_final=True,
    )
    others = [next(k for k, a in enumerate(agents) if a is o) for o in single.opponents]
    first = 0 if seat == RANDOM_SEAT else int(seat)
    batch.seat(np.roll([YOURS, *others], first)[np.newaxis])
    return batch


def _masked(infos: Mapping[str, Any], there: NDArray[np.bool_]) -> dict[str, Any]:
    """`infos` with a mask `_key` for each key, which is True for the games that have it."""
    return {**infos, **{f"_{key}": there.copy() for key in infos}}
