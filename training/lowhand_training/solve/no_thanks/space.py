"""All reachable nodes of a reduced game of No Thanks!, auction by auction.

Every take brings the next card, so that the nodes fall into layers by the number of cards taken,
and a layer's takes lead to the next layer alone.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lowhand.games.no_thanks.options import Options
from lowhand.games.no_thanks.rules import State
from lowhand_training.solve.no_thanks.nodes import (
    Walk,
    count_states,
    make_walk,
    start_key,
    write_children,
    write_states,
)

MAX_LAYER = 50_000_000
"""Decision states in one layer, which take about 40 bytes each while they are sorted."""

_CHUNK = 65_536  # states that an agent is asked at once


@dataclass(frozen=True)
class Layer:
    """The nodes after a number of takes.

    Attributes:
        keys: (nodes,) uint64, ascending.
        starts: (nodes + 1,) int64, the first decision state of each node, and their number.
        children: (states,) int32, the index in the next layer of the node that taking leads to;
            empty in the last layer, where a take ends the game.
    """

    keys: NDArray[np.uint64]
    starts: NDArray[np.int64]
    children: NDArray[np.int32]

    @property
    def states(self) -> int:
        """Number of decision states, those where the mover must take included."""
        return int(self.starts[-1])


@dataclass(frozen=True)
class Space:
    """A reduced game laid out for backward induction.

    Attributes:
        options: of the game.
        walk: what compiled loops take.
        layers: by the number of cards taken.
    """

    options: Options
    walk: Walk
    layers: tuple[Layer, ...]

    @property
    def states(self) -> int:
        """Number of decision states, those where the mover must take included."""
        return sum(layer.states for layer in self.layers)

    def orders(self, taken: int) -> int:
        """In how many orders the cards after the first `taken` may come."""
        cards, turned = self.options.num_cards, self.options.num_cards - self.options.removed
        return math.perm(cards - taken, turned - taken)


def enumerate_space(options: Options, forgets: bool) -> Space:
    """All nodes that legal play reaches.

    Args:
        options: of the game; `first_player` must be a seat.
        forgets: whether owned cards without an unseen neighbour are forgotten.

    Raises:
        ValueError: the game is too large.
    """
    if options.first_player == "random":
        raise ValueError("a game is solved for a given first_player, a seat's number.")
    walk = make_walk(options, forgets)
    keys, layers = np.array([start_key(walk)], np.uint64), []
    turned = options.num_cards - options.removed
    for taken in range(turned):
        counts = np.empty(keys.size, np.int64)
        count_states(walk, keys, counts)
        starts = np.concatenate(([0], counts.cumsum()))
        if starts[-1] > MAX_LAYER:
            raise ValueError(
                f"the game is too large to solve: {starts[-1]:,} states with {taken} cards taken,"
                f" and at most {MAX_LAYER:,} can be held; give fewer cards or chips."
            )
        children = np.empty(0, np.int32)
        following = np.empty(0, np.uint64)
        if taken + 1 < turned:
            reached = np.empty(starts[-1], np.uint64)
            write_children(walk, keys, reached)
            following, inverse = np.unique(reached, return_inverse=True)
            children = inverse.astype(np.int32)
        layers.append(Layer(keys, starts, children))
        keys = following
    return Space(options, walk, tuple(layers))


def state_chunks(space: Space, layer: Layer) -> Iterator[tuple[slice, np.ndarray]]:
    """The layer's nodes in slices, each with its decision states as records, (states,) State."""
    first = 0
    while first < layer.keys.size:
        limit = layer.starts[first] + _CHUNK
        last = max(first + 1, int(np.searchsorted(layer.starts, limit, "right")) - 1)
        states = np.zeros(layer.starts[last] - layer.starts[first], State)
        write_states(space.walk, layer.keys[first:last], states)
        yield slice(first, last), states
        first = last
