"""Observations in OpenSpiel's form: tensors, their fields by name, and strings."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from lowhand.apis.openspiel.terms import Terms
from lowhand.engine.kernels_rows import observe_one


class Observer:
    """OpenSpiel's observer interface, as its `observation.py` defines it.

    Args:
        terms: rules, options and reward of the game.
        perfect_recall: whether it sees what a player who remembers every public move knows.

    Attributes:
        tensor: (size,) float32, the observation vector of lowhand's other interfaces.
        dict: its fields by name, as views.
    """

    def __init__(self, terms: Terms, perfect_recall: bool) -> None:
        spec = terms.game.observation(terms.options, perfect_recall, terms.players)
        self._terms, self._layout, self._perfect_recall = terms, spec.layout, perfect_recall
        self._rows = np.zeros((1, spec.size), np.float32)
        self._mask = np.zeros((1, terms.game.num_actions(terms.options)), np.int8)
        self.tensor = self._rows[0]
        self.dict: Mapping[str, np.ndarray] = spec.views(self.tensor)

    def set_from(self, state: Any, player: int) -> None:
        """Write what `player` sees at `state` into `tensor`."""
        states = state.position.states
        observe_one(self._terms.rules, self._layout, states, player, self._rows, self._mask)

    def string_from(self, state: Any, player: int) -> str:
        """All that `player` has seen, with perfect recall; else the table as it sees it now."""
        position = state.position
        seen = position.information_state if self._perfect_recall else position.observation
        text: str = seen(player)
        return text
