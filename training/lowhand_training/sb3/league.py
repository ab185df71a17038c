"""The league of a learner that has one seat at each table, and its games."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lowhand.agents.network import Network, NetworkAgent
from lowhand.apis.batch import Batch
from lowhand.apis.gymnasium_vector import SeatVectorEnv, Step
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.league import League, Snapshot, Weights
from lowhand_training.trainer.ppo.network import PolicyValue


class SeatLeague(League):
    """A league whose past selves come and go as in ML-Agents; see `SelfPlayConfig`.

    Args:
        config: of the run.
        game: what is played.
        spec: the learner's observation.
        learner: a network with the learner's policy, which the trainer keeps up to date.
        rng: draws the pool, the seatings and the snapshots.
    """

    def __init__(
        self,
        config: TrainConfig,
        game: Game,
        spec: ObservationSpec,
        learner: PolicyValue,
        rng: np.random.Generator,
    ) -> None:
        self.self_play = config.self_play
        self._players: list[NetworkAgent] = []
        past = 1.0 - config.league.scripted - config.league.fixed
        one_seat = replace(config.league, self_play=0.0, snapshots=past, alone=1.0)
        super().__init__(one_seat, game, spec, learner, rng)
        # Snapshots are asked for a few tables at a time: NumPy answers sooner there than torch.
        self._players = [
            NetworkAgent("snapshot", game, config.options(), _played(snapshot), spec)
            for snapshot in self.active
        ]
        self.agents[len(self.agents) - len(self.active) :] = self._players

    def take_snapshot(self) -> None:
        """Keep the learner as it is now; beyond the window, the oldest goes."""
        self.past.append({k: v.clone() for k, v in self.learner.acting_weights().items()})
        del self.past[: -self.self_play.window]

    def swap(self) -> None:
        """Make the latest policy active, or one of the window."""
        for snapshot in self.active:
            latest = self.rng.random() < self.self_play.play_against_latest_model_ratio
            past = self.past[self.rng.integers(len(self.past))]
            snapshot.load(self.learner.acting_weights() if latest else past)
        self._change_players()

    def set_training_state(self, state: Weights) -> None:
        """Continue from what `training_state` gave."""
        super().set_training_state(state)
        self._change_players()

    def _change_players(self) -> None:
        for player, snapshot in zip(self._players, self.active):
            player.network = _played(snapshot)

    def after_update(self, before: int, decisions: int) -> None:
        """Take snapshots and swap as is due.

        Args:
            before: decisions of the learner before the update.
            decisions: the same after it.
        """
        self.set_priorities()
        if decisions // self.self_play.save_steps > before // self.self_play.save_steps:
            self.take_snapshot()
        if decisions // self.self_play.swap_steps > before // self.self_play.swap_steps:
            self.swap()


def _played(snapshot: Snapshot) -> Network:
    """A snapshot's policy for NumPy."""
    weights = snapshot.acting_weights().items()
    return Network({name: tensor.numpy().copy() for name, tensor in weights})


class LeagueGames(SeatVectorEnv):
    """The games of a run: one seat in each, the others drawn by the league for each game.

    Args:
        config: of the run.
        game: what is played.
        spec: the learner's observation.
        league: draws the other players, and learns how the games end.
    """

    def __init__(
        self, config: TrainConfig, game: Game, spec: ObservationSpec, league: SeatLeague
    ) -> None:
        most = max(config.game.players)
        super().__init__(
            config.ppo.num_envs,
            game,
            opponents=game.baselines[0],  # never seated: the league draws the other players
            num_players=most,
            perfect_recall=spec.perfect_recall,
            observation_seats=spec.seats,
            illegal_action="raise",
            **config.game.options,
        )
        self.batch = Batch(
            game,
            config.options(),
            self.num_envs,
            num_players=config.game.players,
            seed=config.seed,
            spec=spec,
            agents=league.agents,
            keep_final=True,
        )
        self.batch.final_ranking_scores[:] = np.inf  # it stays where a table has fewer players
        self.league = league

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Seat others and deal a game everywhere; see `SeatVectorEnv`."""
        self._seat_next(self._rows)
        shown = super().reset(seed=seed, options=options)
        self._seat_next(self._rows)
        return shown

    def step(self, actions: ArrayLike) -> Step:
        """Play; where a game ended, the league learns how and seats others for the next but one."""
        batch, seats = self.batch, self.batch.seating.copy()
        shown = super().step(actions)
        done = np.flatnonzero(batch.done)
        if done.size:
            self.league.record(
                seats[done], batch.num_players[done], batch.final_ranking_scores[done]
            )
            self._seat_next(done)
        return shown

    def _seat_next(self, tables: NDArray[np.int64]) -> None:
        """Draw who sits at these tables in the games dealt after the running ones."""
        players, seats = self.batch.num_players[tables], self.batch.rewards.shape[1]
        self.batch.seat(self.league.seating(players, seats), tables)
