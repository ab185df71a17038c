"""Weights that a run starts from: those of a checkpoint that fits."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file

from lowhand.agents.names import find_checkpoint
from lowhand.agents.network import CheckpointError, NetworkAgent
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec


def initial_weights(
    name: str, game: Game, spec: ObservationSpec, hidden: list[int]
) -> dict[str, NDArray[np.float32]]:
    """The tensors of a checkpoint, by name, for a network that sees `spec`.

    Args:
        name: the checkpoint's folder.
        game: what is trained on.
        spec: what the learner observes.
        hidden: widths of the learner's hidden layers.

    Raises:
        CheckpointError: there is no such checkpoint, or it is not of this game.
        ValueError: it observes something else, or has other layers.
    """
    folder = find_checkpoint(name)
    if folder is None:
        raise CheckpointError(f"init: there is no checkpoint in {name}.")
    seen = NetworkAgent.load(folder, game).spec
    views = [(view.perfect_recall, view.seats, view.signature()) for view in (seen, spec)]
    if views[0] != views[1]:
        raise ValueError(
            f"init: {name} observes something else than this config's learner: it has"
            f" {seen.seats} seats, perfect recall {str(seen.perfect_recall).lower()}, and the"
            " fields of the options that it was trained with."
        )
    weights = load_file(folder / "model.safetensors")
    widths = hidden_widths(weights)
    if widths != hidden:
        raise ValueError(
            f"init: {name} has hidden layers of {widths}; network.hidden must be the same, not"
            f" {hidden}."
        )
    return weights


def hidden_widths(weights: Mapping[str, NDArray[np.float32]]) -> list[int]:
    """Widths of the hidden layers of a checkpoint's policy."""
    depth = sum(key.startswith("body.") and key.endswith(".bias") for key in weights)
    return [len(weights[f"body.{k}.bias"]) for k in range(depth)]
