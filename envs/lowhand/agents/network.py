"""Published networks as agents, with NumPy alone: without torch or unpickling.

A checkpoint is a folder: `model.safetensors` (weights), `config.yaml` (what it was trained on
and how, resolved), `results.json` and `README.md` (the model card). This module reads the first
two; `lowhand_training.trainer.checkpoint` writes them all.
"""

from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file

from lowhand.agents.table_view import TableView
from lowhand.engine.game import Game
from lowhand.engine.observation import ObservationSpec

FORMAT = 1
"""The version of the checkpoint format."""

_TEMPERATURES = 1e-3, 1e3  # beyond these float64 would overflow

_ROWS = 4096  # tables of a forward pass: its activations fit into the cache


class CheckpointError(ValueError):
    """A checkpoint can't be used; the message is one sentence that says why."""


class Network:
    """A multilayer perceptron with ReLU: a policy over actions and a value of the position.

    Args:
        weights: `body.{k}.weight` (out, in) and `body.{k}.bias` for each hidden layer, then
            `policy.weight`, `policy.bias`, as float32 arrays. Further tensors are not used.

    Raises:
        KeyError: a tensor is missing.
        ValueError: the shapes do not match, or a number is not finite.
    """

    def __init__(self, weights: dict[str, NDArray[np.float32]]) -> None:
        depth = sum(name.startswith("body.") and name.endswith(".weight") for name in weights)
        names = [f"body.{k}" for k in range(depth)] + ["policy"]
        self._layers = [
            (np.ascontiguousarray(weights[f"{name}.weight"].T), weights[f"{name}.bias"])
            for name in names
        ]
        width = self.num_inputs
        for name, (weight, bias) in zip(names, self._layers, strict=True):
            if weight.ndim != 2 or bias.ndim != 1 or weight.shape != (width, len(bias)):
                raise ValueError(f"the shapes of {name} do not match")
            if not (np.isfinite(weight).all() and np.isfinite(bias).all()):
                raise ValueError(f"{name} has numbers that are not finite")
            width = len(bias)

    @property
    def num_inputs(self) -> int:
        """Length of the observation."""
        return int(self._layers[0][0].shape[0])

    @property
    def num_actions(self) -> int:
        """Number of actions."""
        return int(self._layers[-1][0].shape[1])

    def logits(self, observation: NDArray[np.float32]) -> NDArray[np.float32]:
        """Unmasked policy logits, (tables, actions) float32, of (tables, inputs)."""
        *hidden, (weight, bias) = self._layers
        x = observation
        for w, b in hidden:
            x = x @ w
            x += b
            np.maximum(x, 0.0, out=x)
        logits: NDArray[np.float32] = x @ weight + bias
        return logits


class NetworkAgent:
    """A network as an agent, with the recall and the seats that it was trained with.

    Args:
        name: for tables and messages.
        game: the game that it plays.
        trained: the game's options in training.
        network: its policy.
        spec: its observation.
        temperature: 1 plays the policy as trained, 0 the likeliest action.
    """

    def __init__(
        self,
        name: str,
        game: Game,
        trained: Any,
        network: Network,
        spec: ObservationSpec,
        temperature: float = 1.0,
    ) -> None:
        self.name, self.game, self.trained, self.network = name, game, trained, network
        self.spec, self.temperature = spec, temperature

    @classmethod
    def load(cls, folder: Path, game: Game, name: str | None = None) -> "NetworkAgent":
        """The agent of a checkpoint folder.

        Raises:
            CheckpointError: the folder is not a checkpoint of this game, version and observation.
        """
        config = read_config(folder)
        spec = trained_spec(config, game, folder)
        try:
            weights = load_file(folder / "model.safetensors")
            network = Network(weights)
        except KeyError as error:
            raise CheckpointError(f"{folder}: the weights lack {error}.") from error
        except (OSError, SafetensorError, TypeError, ValueError) as error:
            raise CheckpointError(f"{folder}: the weights can't be read ({error}).") from error
        trained = game.options(**config["game"]["options"])
        actions = game.num_actions(trained)
        if (network.num_inputs, network.num_actions) != (spec.size, actions):
            raise CheckpointError(
                f"{folder}: the network makes {network.num_actions} actions of"
                f" {network.num_inputs} inputs, and the game has {actions} and {spec.size};"
                " the weights and config.yaml do not belong together."
            )
        temperature = config.get("temperature", 1.0)
        number = isinstance(temperature, (int, float)) and not isinstance(temperature, bool)
        low, high = _TEMPERATURES
        if not number or not (temperature == 0 or low <= temperature <= high):
            raise CheckpointError(
                f"{folder}: temperature in config.yaml must be 0 or a number from {low:g} to"
                f" {high:g}."
            )
        return cls(name or str(folder), game, trained, network, spec, float(temperature))

    def incompatibility(self, options: Any) -> str | None:
        """Why it can't play at a table with these options, as a clause, or None."""
        if options.num_players > self.spec.seats:
            return (
                f"it observes at most {self.spec.seats} players, and the table has"
                f" {options.num_players}"
            )
        if not self.game.observation_supports(self.trained, options):
            return f"it was trained with other cards, by {self.trained}"
        return None

    def probabilities(self, table: TableView) -> NDArray[np.float64]:
        """The policy at each table, (tables, actions) float64; illegal actions have 0."""
        logits = np.concatenate(
            [
                self.network.logits(rows)
                for rows in np.array_split(
                    table.observe(self.spec), max(1, -(-len(table) // _ROWS))
                )
            ]
        ).astype(np.float64)
        logits[table.action_mask == 0] = -np.inf
        if self.temperature > 0.0:
            logits /= self.temperature
        weights = np.exp(logits - logits.max(axis=1, keepdims=True))
        if self.temperature == 0.0:
            weights = (weights == 1.0).astype(np.float64)
        probabilities: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
        return probabilities

    def act(self, table: TableView, rng: np.random.Generator) -> NDArray[np.int64]:
        """Actions sampled by random numbers that game and move fix (`rng` is not used)."""
        cumulative = self.probabilities(table).cumsum(axis=1)
        draws = table.uniforms() * cumulative[:, -1]
        actions: NDArray[np.int64] = (draws[:, np.newaxis] >= cumulative).sum(axis=1)
        return actions


def read_config(folder: Path) -> dict[str, Any]:
    """The `config.yaml` of a checkpoint.

    Raises:
        CheckpointError: it is missing, broken, or of another format.
    """
    try:
        config = yaml.safe_load((folder / "config.yaml").read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(f"{folder}: config.yaml can't be read ({reason}).") from error
    if not isinstance(config, dict) or config.get("format") != FORMAT:
        raise CheckpointError(
            f"{folder}: config.yaml is not of format {FORMAT}, the one that this version reads."
        )
    return config


def trained_spec(config: dict[str, Any], game: Game, folder: Path) -> ObservationSpec:
    """The observation that a checkpoint was trained on, if this version has it.

    Raises:
        CheckpointError: another game or version, or fields that differ.
    """
    try:
        name, version = config["game"]["name"], config["game"]["version"]
    except (KeyError, TypeError) as error:
        raise _incomplete(folder, error) from error
    if name != game.name:
        raise CheckpointError(f"{folder} was trained on {name}, and can't play {game.name}.")
    if version != game.version:
        raise CheckpointError(
            f"{folder} was trained on version {version} of {name}; this is version {game.version}."
        )
    try:
        observation = config["observation"]
        recall, seats = bool(observation["perfect_recall"]), int(observation["seats"])
        fields, options = observation["fields"], game.options(**config["game"]["options"])
        spec = game.observation(options, recall, seats)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise _incomplete(folder, error) from error
    if fields != spec.signature():
        raise CheckpointError(f"{folder} was trained on observation fields that differ from ours.")
    return spec


def _incomplete(folder: Path, error: Exception) -> CheckpointError:
    reason = f"{error} is missing" if isinstance(error, KeyError) else str(error).rstrip(".")
    return CheckpointError(f"{folder}: config.yaml can't be used ({reason}).")
