"""sb3-contrib's MaskablePPO with less overhead: the same numbers, fewer calls.

With small networks and hundreds of games, much of the time goes where nothing is learned:
`MaskableCategorical` normalises each row of logits three times and checks them as often, every
step looks into the info of every game and stacks its mask, and every update fills fresh memory
and turns it round. These are replaced here; collecting and learning themselves are sb3-contrib's.
"""

from collections.abc import Callable
from typing import Any, ClassVar, Self, cast

import numpy as np
import torch
from gymnasium import spaces
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.buffers import MaskableRolloutBuffer
from sb3_contrib.common.maskable.distributions import MaskableDistribution
from sb3_contrib.ppo_mask.policies import MlpPolicy
from stable_baselines3.common.buffers import RolloutBuffer
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from lowhand_training.sb3.vec_env import LowhandVecEnv

_ILLEGAL = -1e8  # the logit of an illegal action, as in `MaskableCategorical`


class MaskedActions(MaskableDistribution):
    """Categorical distributions over legal actions, as `MaskableCategoricalDistribution`.

    Logits are normalised once, when they are first needed, and nothing is checked on the way.
    """

    def __init__(self, num_actions: int) -> None:
        super().__init__()
        self.num_actions = num_actions
        self._logits = self._legal = self._log_policy = None  # type: Tensor | None

    def proba_distribution_net(self, latent_dim: int) -> nn.Module:
        """The layer that gives the logits."""
        return nn.Linear(latent_dim, self.num_actions)

    def proba_distribution(self, action_logits: Tensor) -> Self:
        """Set the logits, (rows, actions), of which all count as legal as yet."""
        self._logits = action_logits.view(-1, self.num_actions)
        self._legal = self._log_policy = None
        return self

    def apply_masking(self, masks: Any) -> None:
        """Say which actions are legal, (rows, actions); None for all."""
        assert self._logits is not None
        self._legal = self._log_policy = None
        if masks is not None:
            legal = torch.as_tensor(masks, dtype=torch.bool, device=self._logits.device)
            self._legal = legal.reshape(self._logits.shape)

    @property
    def log_policy(self) -> Tensor:
        """Log-probabilities, (rows, actions); of illegal actions about −1e8."""
        if self._log_policy is None:
            assert self._logits is not None
            logits = self._logits
            if self._legal is not None:
                logits = logits.masked_fill(~self._legal, _ILLEGAL)
            self._log_policy = torch.log_softmax(logits, dim=1)
        return self._log_policy

    def log_prob(self, actions: Tensor) -> Tensor:
        """Log-probabilities of one action a row, (rows,)."""
        return self.log_policy.gather(1, actions.long().view(-1, 1)).squeeze(1)

    def entropy(self) -> Tensor:
        """Entropies, (rows,): an illegal action's term is 0 · −1e8, which is 0."""
        return -(self.log_policy.exp() * self.log_policy).sum(1)

    def sample(self) -> Tensor:
        """One action a row: the first to come of exponential waiting times at these rates."""
        policy = self.log_policy.exp()
        return (policy / torch.empty_like(policy).exponential_()).argmax(1)

    def mode(self) -> Tensor:
        """The likeliest action of each row."""
        return self.log_policy.argmax(1)

    def actions_from_params(self, action_logits: Tensor, deterministic: bool = False) -> Tensor:
        """One action a row, by these logits."""
        return self.proba_distribution(action_logits).get_actions(deterministic)

    def log_prob_from_params(self, action_logits: Tensor) -> tuple[Tensor, Tensor]:
        """One action a row and its log-probability, by these logits."""
        actions = self.actions_from_params(action_logits)
        return actions, self.log_prob(actions)


class MaskedPolicy(MlpPolicy):
    """sb3-contrib's MlpPolicy, for discrete actions, over `MaskedActions`."""

    def _build(self, lr_schedule: Schedule) -> None:
        assert isinstance(self.action_space, spaces.Discrete)
        self.action_dist = MaskedActions(int(self.action_space.n))
        super()._build(lr_schedule)


class KeptBuffer(MaskableRolloutBuffer):
    """sb3-contrib's rollout buffer, in memory that it keeps.

    What it hands out has the games first and their steps second, so it lies in memory like that;
    the arrays that are filled step by step are views of it.
    """

    _kept: dict[str, NDArray[Any]] | None = None

    def reset(self) -> None:
        """Forget everything; what was handed out before is overwritten by what comes."""
        if self._kept is None:
            super().reset()
            arrays = {k: v for k, v in vars(self).items() if isinstance(v, np.ndarray)}
            self._kept = {
                name: np.ascontiguousarray(array.swapaxes(0, 1)).swapaxes(0, 1)
                for name, array in arrays.items()
            }
        vars(self).update(self._kept)
        self.action_masks[:] = 1.0  # where none are given, all actions are legal
        self.pos, self.full, self.generator_ready = 0, False, False

    def to_torch(self, array: NDArray[Any], copy: bool = True) -> Tensor:
        """The array as a tensor; a minibatch, drawn by its indices, is a copy already."""
        return super().to_torch(array, copy=False)


class _MasksAtOnce:
    """Games as sb3-contrib takes a single environment: it asks that for all masks at once.

    Of a `VecEnv` it stacks the masks game by game, which takes as long as playing the step.
    """

    def __init__(self, env: LowhandVecEnv) -> None:
        self.num_envs, self.step, self._masks = env.num_envs, env.step, env.action_masks

    def get_wrapper_attr(self, name: str) -> Callable[[], NDArray[np.bool_]]:
        """What gives the masks."""
        assert name == "action_masks"
        return self._masks


class QuickMaskablePPO(MaskablePPO):
    """MaskablePPO whose "MlpPolicy" is `MaskedPolicy`; all else is as sb3-contrib documents it."""

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"MlpPolicy": MaskedPolicy}

    def _setup_model(self) -> None:
        # Outside it goes by the names of sb3-contrib's own, so that whoever loads a saved zip needs
        # nothing of ours: the tensors are the same.
        if self.policy_class is MlpPolicy:
            self.policy_class = MaskedPolicy
        flat = not isinstance(self.observation_space, spaces.Dict)
        if flat and self.rollout_buffer_class in (None, MaskableRolloutBuffer):
            self.rollout_buffer_class = KeptBuffer
        super()._setup_model()
        if self.policy_class is MaskedPolicy:
            self.policy_class = MlpPolicy
        if self.rollout_buffer_class is KeptBuffer:
            self.rollout_buffer_class = MaskableRolloutBuffer

    def collect_rollouts(
        self,
        env: VecEnv,
        callback: BaseCallback,
        rollout_buffer: RolloutBuffer,
        n_rollout_steps: int,
        use_masking: bool = True,
    ) -> bool:
        """Play and fill the buffer; False where a callback has ended the training."""
        games = cast(VecEnv, _MasksAtOnce(env)) if isinstance(env, LowhandVecEnv) else env
        return super().collect_rollouts(
            games, callback, rollout_buffer, n_rollout_steps, use_masking
        )

    def _update_info_buffer(
        self, infos: list[dict[str, Any]], dones: NDArray[np.bool_] | None = None
    ) -> None:
        """Take what ended games tell; those of `LowhandVecEnv` that go on tell nothing."""
        if dones is None:
            dones = np.ones(len(infos), np.bool_)
        rows = np.flatnonzero(dones)
        super()._update_info_buffer([infos[row] for row in rows], dones[rows])
