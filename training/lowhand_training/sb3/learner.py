"""The learner of a run by MaskablePPO: its games, its league, and the network that plays."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from torch import nn

from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec
from lowhand_training.sb3.generators import SharedGenerators
from lowhand_training.sb3.league import LeagueGames, SeatLeague
from lowhand_training.sb3.vec_env import LowhandVecEnv
from lowhand_training.sb3.weights import acting_weights
from lowhand_training.trainer.checkpoint import flat, under
from lowhand_training.trainer.config import TrainConfig
from lowhand_training.trainer.ppo.learner import load_moments, tensors
from lowhand_training.trainer.ppo.network import PolicyValue


class MaskableLearner:
    """The counterpart of `Learner` for MaskablePPO, whose `learn` drives the updates.

    `begin_update` and `end_update` are to be called before and after each update.

    Args:
        config: the run's config, checked.
        game: its game.

    Attributes:
        update_number: updates made so far.
        model: the MaskablePPO.
        env: the games it collects in.
        generators: the random generators that the model uses within `generators.in_use()`.
        network: the policy that it had after the last update, in our own layout.
        spec: the observation that the policy takes.
    """

    def __init__(self, config: TrainConfig, game: Game) -> None:
        options, hidden = config.options(), config.network.hidden
        seats = config.game.seats or max(config.game.players)
        self.config, self.update_number = config, 0
        self.spec: ObservationSpec = game.observation(options, config.game.perfect_recall, seats)
        inputs = self.spec.size
        rng = np.random.default_rng(np.random.SeedSequence(config.seed).spawn(1)[0])
        self.generators = SharedGenerators()
        with self.generators.in_use():
            # It only plays; the value, in SB3 a network of its own, stays with the model.
            self.network = PolicyValue(
                inputs, hidden, game.num_actions(options), critic_inputs=inputs
            )
            self.league = SeatLeague(config, game, self.spec, self.network, rng)
            self.env = LowhandVecEnv.over(LeagueGames(config, game, self.spec, self.league))
            self.model = _make_model(config, self.env)
        self._take_over_policy()
        self.league.past.clear()  # of the network before it had the model's policy
        self.league.take_snapshot()
        self.league.swap()

    def begin_update(self) -> None:
        """Set what changes in the course of a run: the reward and the weight of the entropy."""
        ppo = self.config.ppo
        progress = self.update_number / self.config.updates
        self.env.games.batch.set_reward(self.config.reward.at(progress))
        self.model.ent_coef = ppo.entropy_at(progress)

    def end_update(self) -> None:
        """Count the update that was made, and take or exchange snapshots when due.

        Raises:
            ValueError: the training diverged.
        """
        if not all(bool(p.isfinite().all()) for p in self.model.policy.parameters()):
            raise ValueError(
                f"the training diverged at update {self.update_number + 1}: its weights are not"
                " finite any more; a lower ppo.learning_rate may help."
            )
        batch = self.config.ppo.batch_size
        self.update_number += 1
        self._take_over_policy()
        self.league.after_update((self.update_number - 1) * batch, self.update_number * batch)

    def _take_over_policy(self) -> None:
        weights = {k: torch.from_numpy(v) for k, v in acting_weights(self.model.policy).items()}
        self.network.load_state_dict(weights, strict=False)

    def training_state(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Everything that a run continues from: arrays, and metadata for JSON."""
        policy = self.model.policy
        parts = {
            "policy": policy.state_dict(),
            "adam": flat(policy.optimizer.state_dict()["state"]),
            "league": self.league.training_state(),
            "batch": self.env.games.batch.training_state(),
            "env": self.env.training_state(),
        }
        arrays = flat(parts)
        arrays["episode_starts"] = np.asarray(self.model._last_episode_starts)
        generators, described = self.generators.training_state()
        metadata = {
            "update": self.update_number,
            "num_timesteps": self.model.num_timesteps,
            "gradient_updates": self.model._n_updates,
            **described,
            "league_rng": self.league.rng.bit_generator.state,
        }
        return arrays | generators, metadata

    def set_training_state(self, arrays: dict[str, NDArray[Any]], metadata: dict[str, Any]) -> None:
        """Continue from what `training_state` gave."""
        model, policy = self.model, self.model.policy
        policy.load_state_dict(tensors(under(arrays, "policy")))
        load_moments(policy.optimizer, tensors(under(arrays, "adam")))
        self._take_over_policy()
        self.league.set_training_state(tensors(under(arrays, "league")))
        self.env.reset()  # so that it counts as dealt; what was dealt is overwritten
        self.env.games.batch.set_training_state(under(arrays, "batch"))
        self.env.set_training_state(under(arrays, "env"))
        model._last_obs = self.env.games.batch.observation.copy()
        model._last_episode_starts = arrays["episode_starts"]
        model.num_timesteps = metadata["num_timesteps"]
        model._n_updates = metadata["gradient_updates"]
        self.update_number = metadata["update"]
        self.league.rng.bit_generator.state = metadata["league_rng"]
        self.generators.set_training_state(arrays, metadata)


def _make_model(config: TrainConfig, env: LowhandVecEnv) -> MaskablePPO:
    """MaskablePPO as a config's `ppo` says. Policy and value have bodies of the same widths."""
    ppo, rate = config.ppo, config.ppo.learning_rate
    return MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=lambda remaining: rate * remaining,
        n_steps=ppo.num_steps,
        batch_size=ppo.minibatch_size,
        n_epochs=ppo.update_epochs,
        gamma=1.0,
        gae_lambda=ppo.gae_lambda,
        clip_range=ppo.clip,
        ent_coef=ppo.entropy_start,
        vf_coef=ppo.value_weight,
        max_grad_norm=ppo.max_gradient_norm,
        policy_kwargs={"activation_fn": nn.ReLU, "net_arch": list(config.network.hidden)},
        seed=config.seed % 2**32,  # that is all NumPy's shared generator takes
        device="cpu",
    )
