"""SB3's policies as networks of ours, which NumPy plays."""

import numpy as np
from numpy.typing import NDArray
from stable_baselines3.common.policies import BasePolicy
from torch import nn


def acting_weights(policy: BasePolicy) -> dict[str, NDArray[np.float32]]:
    """The policy's tensors by the names that `lowhand.network` reads, copied.

    Where a policy and its value have bodies of their own, as all MlpPolicies of SB3 since 1.8,
    the policy's is taken; the value plays no part in acting.

    Args:
        policy: an MlpPolicy of PPO, A2C or MaskablePPO, made with
            `policy_kwargs={"activation_fn": torch.nn.ReLU}`.

    Raises:
        ValueError: it is no multilayer perceptron with ReLU.
    """
    body = getattr(getattr(policy, "mlp_extractor", None), "policy_net", None)
    head = getattr(policy, "action_net", None)
    extractor = getattr(policy, "features_extractor", None)
    plain = extractor is not None and not list(extractor.parameters())
    if not (plain and isinstance(body, nn.Sequential) and isinstance(head, nn.Linear)):
        raise ValueError(
            f"a {type(policy).__name__} is not a multilayer perceptron over the observation alone;"
            " train with an MlpPolicy and its own features extractor."
        )
    linear, activations = list(body)[::2], list(body)[1::2]
    if not all(isinstance(layer, nn.ReLU) for layer in activations):
        raise ValueError(
            f"the policy's activation is {type(activations[0]).__name__}, and a checkpoint is"
            ' played with ReLU; train with policy_kwargs={"activation_fn": torch.nn.ReLU}.'
        )
    layers = {f"body.{k}": layer for k, layer in enumerate(linear)} | {"policy": head}
    return {
        f"{name}.{part}": tensor.detach().cpu().numpy().copy()
        for name, layer in layers.items()
        for part, tensor in layer.named_parameters()
    }
