"""The network in torch: the policy that is published, and a value that training needs."""

import math

import torch
from torch import Tensor, nn


class PolicyValue(nn.Module):
    """A multilayer perceptron with ReLU, and two heads: policy logits and a value.

    Args:
        num_inputs: length of the observation.
        hidden: widths of the hidden layers.
        num_actions: actions of the game.
        bfloat16: multiply the hidden layers' matrices in bfloat16. Weights, gradients, heads
            and losses stay float32, and so does the published network.

    Its tensors' names are those that `lowhand.network` reads.
    """

    def __init__(
        self, num_inputs: int, hidden: list[int], num_actions: int, bfloat16: bool = False
    ) -> None:
        super().__init__()
        self.in_bfloat16 = bfloat16
        widths = [num_inputs, *hidden]
        self.body = nn.ModuleList(nn.Linear(a, b) for a, b in zip(widths, hidden, strict=False))
        self.policy = nn.Linear(widths[-1], num_actions)
        self.value = nn.Linear(widths[-1], 1)
        for layer in self.body:
            _orthogonal(layer, math.sqrt(2.0))
        _orthogonal(self.policy, 0.01)  # the first policy is nearly uniform
        _orthogonal(self.value, 1.0)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        """Unmasked logits (rows, actions) and values (rows,), of observations (rows, inputs)."""
        x = observation
        with torch.autocast("cpu", torch.bfloat16, enabled=self.in_bfloat16):
            for layer in self.body:
                x = torch.relu(layer(x))
        x = x.float()
        return self.policy(x), self.value(x).squeeze(-1)


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


def masked_log_policy(logits: Tensor, mask: Tensor) -> Tensor:
    """Log-probabilities (rows, actions) over the legal actions; illegal ones get about −1e9.

    A large finite number stands for −∞, so that entropy and gradients stay finite.
    """
    return torch.log_softmax(logits.masked_fill(~mask, -1e9), dim=-1)
