"""Self-play PPO on the batch engine: every seat of the learner learns, with one network."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from lowhand.apis.batch import Batch
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec
from lowhand_training.trainer.checkpoint import flat, under
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.league import League
from lowhand_training.trainer.ppo.gae import seat_advantages
from lowhand_training.trainer.ppo.masked_policy import draw_actions, log_probability_and_entropy
from lowhand_training.trainer.ppo.network import PolicyValue, load_policy, wants_bfloat16
from lowhand_training.trainer.warm_start import initial_weights

_EPSILON = 1e-8


class Rollout:
    """T decisions of the learner in each of N games, P seats, for one update.

    `dtype` is that of the observation: the precision that the network multiplies in.
    """

    def __init__(
        self, steps: int, games: int, inputs: int, actions: int, seats: int, dtype: torch.dtype
    ) -> None:
        shape = (steps, games)
        self.observation = torch.zeros((*shape, inputs), dtype=dtype)
        self.mask = np.zeros((*shape, actions), np.bool_)
        self.action = np.zeros(shape, np.int64)
        self.log_probability = np.zeros(shape, np.float32)  # of the action when it was chosen
        self.value = np.zeros(shape, np.float32)
        self.mover = np.zeros(shape, np.int8)
        self.ended = np.zeros((*shape, seats), np.bool_)  # the game is over or the seat is out
        self.rewards = np.zeros((*shape, seats), np.float32)
        self.advantage = np.zeros(shape, np.float32)
        self.known = np.zeros(shape, np.bool_)  # False where the advantage is not known yet


class Learner:
    """Network, optimiser, league and games of a run, and one `update` of them at a time.

    Args:
        config: the run's config, checked.
        game: its game.

    Attributes:
        update_number: updates made so far.
        network: what is trained.
        spec: the observation of the policy; a separate critic also sees the fields that follow.
    """

    def __init__(self, config: TrainConfig, game: Game) -> None:
        ppo, options = config.ppo, config.options()
        most = max(config.game.players)
        self.config, self.game, self.update_number = config, game, 0
        streams = np.random.SeedSequence(config.seed).spawn(2)
        self.rng = np.random.default_rng(streams[0])
        view = options, config.game.perfect_recall, config.game.seats or most
        self.spec: ObservationSpec = game.observation(*view)
        seen, actions = self.spec, game.num_actions(options)
        if config.network.critic and game.critic_observation is not None:
            seen = game.critic_observation(*view)
        with torch.random.fork_rng(devices=[]):  # the process's generator stays as it is
            torch.manual_seed(config.seed)
            self.network = PolicyValue(
                self.spec.size,
                config.network.hidden,
                actions,
                bfloat16=wants_bfloat16(config.network),
                critic_inputs=seen.size if config.network.critic else None,
                critic_hidden=config.network.critic,
            )
            if config.init is not None and not config.resume:
                weights = initial_weights(config.init, game, self.spec, config.network.hidden)
                load_policy(self.network, weights)
            self.league = League(
                config.league, game, self.spec, self.network, np.random.default_rng(streams[1])
            )
        self.optimizer = torch.optim.Adam(self.network.parameters(), ppo.learning_rate, fused=True)
        self.batch = Batch(
            game,
            options,
            ppo.num_envs,
            num_players=config.game.players,
            seed=config.seed,
            spec=seen,
            agents=self.league.agents,
        )
        self.batch.seat(self.league.seating(self.batch.num_players, most))
        self.batch.reset(config.seed)
        self._seat_next(np.arange(ppo.num_envs))
        self.rollout = Rollout(
            ppo.num_steps, ppo.num_envs, seen.size, actions, most, self.network.input_dtype
        )

    def update(self) -> dict[str, float]:
        """Collect decisions and learn from them.

        Returns:
            Figures of the update, by TensorBoard tag.

        Raises:
            ValueError: the training diverged.
        """
        progress = self.update_number / self.config.updates
        self._set_reward(progress)
        log = self._collect()
        self._estimate_advantages()
        log |= self._learn(progress)
        if not all(map(math.isfinite, log.values())):
            raise ValueError(
                f"the training diverged at update {self.update_number + 1}: its losses are not"
                " finite any more; a lower ppo.learning_rate may help."
            )
        self.update_number += 1
        self.league.set_priorities()
        league = self.config.league
        if self.update_number % league.snapshot_every == 0:
            self.league.take_snapshot()
        if self.update_number % league.swap_every == 0:
            self.league.swap()
        return log

    def _set_reward(self, progress: float) -> None:
        self.batch.set_reward(self.config.reward.at(progress))

    @torch.inference_mode()
    def _collect(self) -> dict[str, float]:
        """Play, and keep every decision of the learner in the rollout."""
        batch, rollout, games = self.batch, self.rollout, 0
        for t in range(self.config.ppo.num_steps):
            rollout.observation[t] = torch.from_numpy(batch.observation)
            rollout.mask[t], rollout.mover[t] = batch.action_mask, batch.mover
            logits, value = self.network(rollout.observation[t])
            action, rollout.log_probability[t] = draw_actions(
                logits.numpy(), rollout.mask[t], self.rng.random(batch.num_envs)
            )
            rollout.action[t], rollout.value[t] = action, value.numpy()
            seats = batch.seating.copy()
            batch.step(action)
            rollout.ended[t], rollout.rewards[t] = batch.ended, batch.rewards
            done = np.flatnonzero(batch.done)
            games += len(done)
            self.league.record(
                seats[done], batch.num_players[done], batch.final_ranking_scores[done]
            )
            self._seat_next(done)
        return {"rollout/episodes": float(games)}

    def _seat_next(self, tables: NDArray[np.int64]) -> None:
        """Draw who sits at these tables in the games dealt after the running ones."""
        if len(tables):
            players, seats = self.batch.num_players[tables], self.batch.rewards.shape[1]
            self.batch.seat(self.league.seating(players, seats), tables)

    @torch.inference_mode()
    def _estimate_advantages(self) -> None:
        r, batch = self.rollout, self.batch
        _, last = self.network(torch.from_numpy(batch.observation))
        gae_lambda = self.config.ppo.gae_lambda
        seat_advantages(
            r.value, r.mover, r.ended, r.rewards, last.numpy(), batch.mover, gae_lambda,
            r.advantage, r.known,
        )  # fmt: skip

    def _learn(self, progress: float) -> dict[str, float]:
        """A few passes of minibatches over the rollout."""
        ppo, r = self.config.ppo, self.rollout
        rate = ppo.learning_rate * (1.0 - progress)
        entropy_weight = ppo.entropy_at(progress)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        rows = np.flatnonzero(r.known.ravel())
        if len(rows) == 0:  # so few decisions that of none the outcome is known yet
            return {}
        advantage = r.advantage.ravel()
        returns = torch.from_numpy(advantage + r.value.ravel())
        mean, sd = advantage[rows].mean(), advantage[rows].std()
        normal = torch.from_numpy((advantage - mean) / (sd + _EPSILON))
        arrays = (r.mask, r.action, r.log_probability)
        data = [r.observation, *map(torch.from_numpy, arrays)]
        data = [tensor.flatten(0, 1) for tensor in data]  # time and games in one dimension
        parts = max(1, round(len(rows) / ppo.minibatch_size))
        logs: list[dict[str, float]] = []
        for _ in range(ppo.update_epochs):
            for part in np.array_split(self.rng.permutation(rows), parts):
                index = torch.from_numpy(part)
                # Some ten times as fast as indexing, for rows in bfloat16.
                chosen = [tensor.index_select(0, index) for tensor in (*data, normal, returns)]
                loss, log = self._loss(chosen, entropy_weight)
                self.optimizer.zero_grad()
                loss.backward()
                norm = torch.nn.utils.clip_grad_norm_(
                    self.network.parameters(), ppo.max_gradient_norm
                )
                self.optimizer.step()
                logs.append(log | {"train/gradient_norm": float(norm)})
        explained = 1.0 - float((advantage[rows].var()) / (returns.numpy()[rows].var() + _EPSILON))
        return {name: float(np.mean([log[name] for log in logs])) for name in logs[0]} | {
            "train/learning_rate": rate,
            "train/entropy_coefficient": entropy_weight,
            "train/explained_variance": explained,
        }

    def _loss(
        self, minibatch: list[Tensor], entropy_weight: float
    ) -> tuple[Tensor, dict[str, float]]:
        """PPO's clipped loss. Forced moves teach the value only: there was nothing to choose.

        Args:
            minibatch: observation, mask, action, its log-probability when it was chosen,
                normalised advantage and return, each with one row a decision.
            entropy_weight: weight of the entropy bonus.
        """
        ppo = self.config.ppo
        observation, mask, action, old_log_probability, advantage, returns = minibatch
        logits, value = self.network(observation)
        log_probability, entropies = log_probability_and_entropy(logits, mask, action)
        free = (mask.sum(1) > 1).float()
        count = free.sum().clamp(min=1.0)
        log_ratio = log_probability - old_log_probability
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1.0 - ppo.clip, 1.0 + ppo.clip)
        gain = torch.minimum(ratio * advantage, clipped * advantage)
        policy_loss = -(gain * free).sum() / count
        entropy = (entropies * free).sum() / count
        value_loss = (value - returns).square().mean()
        loss = policy_loss + ppo.value_weight * value_loss - entropy_weight * entropy
        with torch.no_grad():
            log = {
                "train/policy_gradient_loss": policy_loss.item(),
                "train/value_loss": value_loss.item(),
                "train/entropy_loss": -entropy.item(),
                "train/approx_kl": (((ratio - 1.0) - log_ratio) * free).sum().item() / count.item(),
                "train/clip_fraction": (((ratio - clipped).abs() > 0).float() * free).sum().item()
                / count.item(),
            }
        return loss, log

    def training_state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that a run continues from: arrays, and metadata for JSON."""
        parts = {
            "network": self.network.state_dict(),
            "adam": flat(self.optimizer.state_dict()["state"]),
            "league": self.league.training_state(),
            "batch": self.batch.training_state(),
        }
        metadata = {
            "update": self.update_number,
            "rng": self.rng.bit_generator.state,
            "league_rng": self.league.rng.bit_generator.state,
        }
        return flat(parts), metadata

    def set_training_state(self, arrays: dict[str, NDArray[Any]], metadata: dict[str, Any]) -> None:
        """Continue from what `training_state` gave."""
        self.network.load_state_dict(tensors(under(arrays, "network")))
        load_moments(self.optimizer, tensors(under(arrays, "adam")))
        self.league.set_training_state(tensors(under(arrays, "league")))
        self.batch.set_training_state(under(arrays, "batch"))
        self.update_number = metadata["update"]
        self.rng.bit_generator.state = metadata["rng"]
        self.league.rng.bit_generator.state = metadata["league_rng"]


def tensors(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Tensor]:
    """Copies as tensors."""
    return {name: torch.from_numpy(np.array(array)) for name, array in arrays.items()}


def load_moments(optimizer: torch.optim.Optimizer, moments: Mapping[str, Tensor]) -> None:
    """Give Adam what it keeps of each parameter, by `{parameter}.{moment}`."""
    numbers = dict.fromkeys(name.partition(".")[0] for name in moments)
    state = {int(number): under(moments, number) for number in numbers}
    optimizer.load_state_dict({**optimizer.state_dict(), "state": state})
