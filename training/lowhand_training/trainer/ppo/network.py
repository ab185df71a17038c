"""The network in torch: the policy that is published, and a value that training needs."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from lowhand.agents.table_view import TableView
from lowhand.engine.observation import ObservationSpec
from lowhand_training.trainer.config import NetworkConfig
from lowhand_training.trainer.ppo.masked_policy import draw_actions


class PolicyValue(nn.Module):
    """A multilayer perceptron with ReLU for a policy, and a value, which may have its own.

    Args:
        num_inputs: length of the observation.
        hidden: widths of the hidden layers.
        num_actions: actions of the game.
        bfloat16: multiply the hidden layers' matrices in bfloat16, and in it send gradients
            back through the policy's. Weights, what the heads give and losses stay float32,
            and so does the published network; `torch_settings` lets the heads' products be
            rounded too, while their sums are float32.
        critic_inputs: length of the critic's observation, which begins with the policy's. The
            value then has a body of its own; by default it shares that of the policy.
        critic_hidden: widths of the hidden layers of that body.

    Its tensors' names are those that `lowhand.agents.network` reads.
    """

    def __init__(
        self,
        num_inputs: int,
        hidden: list[int],
        num_actions: int,
        bfloat16: bool = False,
        critic_inputs: int | None = None,
        critic_hidden: list[int] | None = None,
    ) -> None:
        super().__init__()
        self.in_bfloat16, self.num_inputs = bfloat16, num_inputs
        self.body = _layers(num_inputs, hidden)
        self.policy = nn.Linear(hidden[-1], num_actions)
        widths = critic_hidden or hidden
        self.critic = None if critic_inputs is None else _layers(critic_inputs, widths)
        self.value = nn.Linear(hidden[-1] if self.critic is None else widths[-1], 1)
        _orthogonal(self.policy, 0.01)  # the first policy is nearly uniform
        _orthogonal(self.value, 1.0)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Unmasked logits (rows, actions) and values (rows,), of observations (rows, inputs)."""
        x = self._through(self.body, observation[:, : self.num_inputs])
        seen = x if self.critic is None else self._through(self.critic, observation)
        return self._head(x), self.value(seen.float()).squeeze(-1)

    def logits(self, observation: Tensor) -> Tensor:
        """The logits alone."""
        return self._head(self._through(self.body, observation))

    def _through(self, layers: nn.ModuleList, x: Tensor) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            for layer in layers:
                x = torch.relu(layer(x))
        return x

    def _head(self, x: Tensor) -> Tensor:
        """The logits of what the last hidden layer gives."""
        if self.in_bfloat16:
            logits: Tensor = _MixedLinear.apply(x, self.policy.weight, self.policy.bias)
            return logits
        logits = self.policy(x)
        return logits

    @property
    def input_dtype(self) -> torch.dtype:
        """What the first layer rounds observations to: kept so, they are half the size."""
        return torch.bfloat16 if self.in_bfloat16 else torch.float32

    def make_snapshot(self, spec: ObservationSpec) -> "Snapshot":
        """An agent with a network of this shape, without its weights yet."""
        hidden = [int(layer.out_features) for layer in self.body]  # type: ignore[arg-type]
        return Snapshot(PolicyValue(spec.size, hidden, self.policy.out_features), spec)

    def acting_weights(self) -> dict[str, Tensor]:
        """The tensors without those of a critic of its own: what a player needs."""
        left_out = () if self.critic is None else ("critic.", "value.")
        return {k: v for k, v in self.state_dict().items() if not k.startswith(left_out)}


class Snapshot:
    """A past version of the learner, as an agent that sits at tables of the batch."""

    def __init__(self, network: PolicyValue, spec: ObservationSpec) -> None:
        self.name, self.network, self.spec = "snapshot", network, spec

    @torch.inference_mode()
    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """Actions drawn from its policy."""
        logits = self.network.logits(torch.from_numpy(table.observe(self.spec))).numpy()
        actions, _ = draw_actions(logits, table.action_mask, table.uniforms())
        return actions

    def acting_weights(self) -> dict[str, Tensor]:
        """The tensors that it acts by."""
        return self.network.acting_weights()

    def load(self, weights: dict[str, Tensor]) -> None:
        """Take the policy of these weights; without those of a value it plays as well."""
        self.network.load_state_dict(weights, strict=False)


def load_policy(network: PolicyValue, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Give `network` the policy of a checkpoint, and its value where both share a body."""
    own = network.state_dict()
    taken = ("body.", "policy.") if network.critic is not None else ("body.", "policy.", "value.")
    chosen = {k: torch.from_numpy(v) for k, v in weights.items() if k.startswith(taken)}
    network.load_state_dict(own | chosen)


class _MixedLinear(torch.autograd.Function):
    """A linear layer of bfloat16 inputs: forward in float32, its gradients in bfloat16.

    Those in float32, through a head of 187 actions, would take a fourth of an update.
    """

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        ctx.save_for_backward(x, weight)
        return nn.functional.linear(x.float(), weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        x, weight = ctx.saved_tensors
        rounded = gradients[0].to(x.dtype)
        return rounded @ weight.to(x.dtype), (rounded.T @ x).float(), gradients[0].sum(0)


def _layers(inputs: int, hidden: list[int]) -> nn.ModuleList:
    layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip([inputs, *hidden], hidden, strict=False))
    for layer in layers:
        _orthogonal(layer, math.sqrt(2.0))
    return layers


def wants_bfloat16(network: NetworkConfig) -> bool:
    """Whether a config's network multiplies in bfloat16 on this machine."""
    return has_fast_bfloat16() if network.precision == "auto" else network.precision == "bfloat16"


def has_fast_bfloat16() -> bool:
    """Whether this processor multiplies bfloat16 natively, about twice as fast as float32.

    Asks torch by names that are not public; where they are missing the answer is no.
    """
    asks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, bool)() for name in asks)


def _orthogonal(layer: nn.Module, gain: float) -> None:
    assert isinstance(layer, nn.Linear)
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
