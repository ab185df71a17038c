"""SB3's policies as networks of ours, which NumPy plays, and the other way round."""

from collections.abc import Mapping

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.policies import BasePolicy
from torch import nn

from lowhand.agents.network import Network, NetworkAgent
from lowhand_training.sb3.vec_env import LowhandVecEnv


def acting_weights(policy: BasePolicy) -> dict[str, NDArray[np.float32]]:
    """The policy's tensors by the names that `lowhand.agents.network` reads, copied.

    Where a policy and its value have bodies of their own, as all MlpPolicies of SB3 since 1.8,
    the policy's is taken; the value plays no part in acting.

    Args:
        policy: an MlpPolicy of PPO, A2C or MaskablePPO, made with
            `policy_kwargs={"activation_fn": torch.nn.ReLU}`.

    Raises:
        ValueError: it is no multilayer perceptron with ReLU.
    """
    return {
        f"{name}.{part}": tensor.detach().cpu().numpy().copy()
        for name, layer in _layers(policy).items()
        for part, tensor in layer.named_parameters()
    }


def as_agent(model: BaseAlgorithm, games: LowhandVecEnv, name: str = "sb3") -> NetworkAgent:
    """The policy of a model as an agent, which plays as it is now, by NumPy.

    Args:
        model: with a policy as for `acting_weights`.
        games: what it was trained on, or others with the same observation.
        name: of the agent.

    Raises:
        ValueError: it is no multilayer perceptron with ReLU, or sees something else.
    """
    batch, network = games.games.batch, Network(acting_weights(model.policy))
    if network.num_inputs != batch.spec.size:
        raise ValueError(
            f"the policy sees {network.num_inputs} values, and these games show"
            f" {batch.spec.size}; give games like those that it was trained on."
        )
    return NetworkAgent(name, batch.game, batch.options, network, batch.spec)


def load_acting_weights(policy: BasePolicy, weights: Mapping[str, NDArray[np.float32]]) -> None:
    """Give a policy the weights of a checkpoint, so that it acts as that agent does.

    The value is left as it is: in SB3 it has a body of its own, which a checkpoint doesn't hold.

    Args:
        policy: as for `acting_weights`, with hidden layers of the checkpoint's widths.
        weights: what `safetensors.numpy.load_file` gives of its `model.safetensors`.

    Raises:
        ValueError: it is no multilayer perceptron with ReLU, or has other layers.
    """
    layers = _layers(policy)
    own = {f"{k}.{part}": p for k, layer in layers.items() for part, p in layer.named_parameters()}
    taken = {k: v for k, v in weights.items() if k.startswith(("body.", "policy."))}
    ours, theirs = ({k: tuple(v.shape) for k, v in given.items()} for given in (own, taken))
    if ours != theirs:
        raise ValueError(
            f"the policy's layers are {_widths(ours)}, and the checkpoint's are {_widths(theirs)};"
            " they must be the same."
        )
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(torch.from_numpy(np.array(taken[name])))


def _layers(policy: BasePolicy) -> dict[str, nn.Linear]:
    """The linear layers of the policy, by the names of ours."""
    body = getattr(getattr(policy, "mlp_extractor", None), "policy_net", None)
    head = getattr(policy, "action_net", None)
    extractor = getattr(policy, "features_extractor", None)
    plain = extractor is not None and not list(extractor.parameters())
    if not (plain and isinstance(body, nn.Sequential) and isinstance(head, nn.Linear)):
        raise ValueError(
            f"a {type(policy).__name__} is not a multilayer perceptron over the observation alone;"
            " train with an MlpPolicy and its own features extractor."
        )
    linear = [layer for layer in body if isinstance(layer, nn.Linear)]
    activations = list(body)[1::2]
    if not all(isinstance(layer, nn.ReLU) for layer in activations):
        raise ValueError(
            f"the policy's activation is {type(activations[0]).__name__}, and a checkpoint is"
            ' played with ReLU; train with policy_kwargs={"activation_fn": torch.nn.ReLU}.'
        )
    return {f"body.{k}": layer for k, layer in enumerate(linear)} | {"policy": head}


def _widths(shapes: Mapping[str, tuple[int, ...]]) -> str:
    """Widths of a network's layers from the observation to the actions, as 144-64-64-2."""
    matrices = [shape for name, shape in sorted(shapes.items()) if name.endswith(".weight")]
    return "-".join(map(str, [*(matrices[0][1:] if matrices else ()), *(m[0] for m in matrices)]))
