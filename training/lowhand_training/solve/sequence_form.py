"""Games of perfect recall in sequence form: flat arrays, values and exact best responses.

A *sequence* of a player is the list of its own choices on the way to a node. With perfect recall
an information set has one sequence before it, so a strategy is a *realization plan*: for each
sequence the product of its player's probabilities. An expected payoff is then a sum over ends
of payoff × chance × plans, and the tree itself is no longer needed (von Stengel, "Efficient
computation of behavior strategies", 1996; Koller, Megiddo and von Stengel, "Efficient computation
of equilibria for extensive two-person games", 1996).
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.jit import njit


@dataclass(frozen=True, eq=False)
class SequenceForm:
    """A game of n players. Sequences of all players are numbered together.

    Sequence p, 0 ≤ p < n, is the empty one of player p. Information sets come after those on
    whose choices they follow; the choices of set i are the sequences `first[i]` … `first[i+1]`−1.

    Attributes:
        num_players: n.
        player: (infosets,) int8, who chooses.
        parent: (infosets,) int32, the chooser's sequence before.
        first: (infosets + 1,) int32.
        ends: (ends, n) int32, each player's sequence at an end of the game.
        payoffs: (ends, n) float64, what each gets there, times the probability of chance.
        nodes: of the tree: decisions, chance and ends.
        actions: (sequences,) int16, the game's number of each choice; −1 for empty sequences.
    """

    num_players: int
    player: NDArray[np.int8]
    parent: NDArray[np.int32]
    first: NDArray[np.int32]
    ends: NDArray[np.int32]
    payoffs: NDArray[np.float64]
    nodes: int
    actions: NDArray[np.int16]
    infosets_of: tuple[NDArray[np.int32], ...] = field(init=False)

    def __post_init__(self) -> None:
        of = tuple(
            np.flatnonzero(self.player == p).astype(np.int32) for p in range(self.num_players)
        )
        object.__setattr__(self, "infosets_of", of)

    @property
    def num_infosets(self) -> int:
        """Information sets of all players."""
        return len(self.player)

    @property
    def num_sequences(self) -> int:
        """Sequences of all players, the empty ones included."""
        return int(self.first[-1])

    def uniform(self) -> NDArray[np.float64]:
        """The strategy of all players that chooses uniformly: (sequences,) float64."""
        choices = np.diff(self.first)
        strategy = np.ones(self.num_sequences)
        strategy[self.num_players :] = np.repeat(1.0 / choices, choices)
        return strategy

    def plan(self, strategy: NDArray[np.float64]) -> NDArray[np.float64]:
        """The realization plans of behaviour strategies, both (sequences,) float64."""
        plan = np.ones(self.num_sequences)
        for infosets in self.infosets_of:
            write_plan(infosets, self.parent, self.first, strategy, plan)
        return plan

    def strategy(self, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """The behaviour strategies of plans (of any scale); uniform where a set isn't reached."""
        choices, start = np.diff(self.first), self.num_players
        total = np.repeat(np.add.reduceat(plan[start:], self.first[:-1] - start), choices)
        strategy = self.uniform()
        np.divide(plan[start:], total, out=strategy[start:], where=total > 0.0)
        return strategy

    def values(self, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """Each player's expected payoff under `plan`, (players,) float64."""
        product = np.prod(plan[self.ends], axis=1)
        values: NDArray[np.float64] = product @ self.payoffs
        return values

    def best_response(
        self, player: int, plan: NDArray[np.float64]
    ) -> tuple[float, NDArray[np.float64]]:
        """What `player` gets at best against the others' `plan`, and a strategy that gets it.

        Exact: information sets are settled from the last to the first, those of a level after
        all that follow on them.

        Returns:
            The value, and (sequences,) float64 with 1 for the choice in each of its sets.
        """
        gain = np.empty(self.num_sequences)
        choice = np.zeros(self.num_sequences)
        choice[: self.num_players] = 1.0
        write_gradient(player, self.ends, self.payoffs, plan, gain)
        best_choices(self.infosets_of[player], self.parent, self.first, gain, choice)
        return float(gain[player]), choice

    def gains(self, plan: NDArray[np.float64]) -> NDArray[np.float64]:
        """What each player would gain by a best response, (players,): their sum is NashConv."""
        best = [self.best_response(p, plan)[0] for p in range(self.num_players)]
        return np.array(best) - self.values(plan)


def merged(
    ends: NDArray[np.int32], payoffs: NDArray[np.float64], sequences: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Ends of the same sequences as one, their payoffs added."""
    key = np.zeros(len(ends), np.int64)
    for column in ends.T[:2]:
        key = key * sequences + column
    order = np.lexsort((*ends.T[2:], key)) if ends.shape[1] > 2 else np.argsort(key)
    ends, payoffs = ends[order], payoffs[order]
    new = np.ones(len(ends), np.bool_)
    new[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    start = np.flatnonzero(new)
    return ends[start], np.add.reduceat(payoffs, start)


@njit
def write_plan(infosets, parent, first, strategy, plan):  # type: ignore[no-untyped-def]
    """Write the realization plan of one player's strategy over its sequences."""
    for infoset in infosets:
        before = plan[parent[infoset]]
        for sequence in range(first[infoset], first[infoset + 1]):
            plan[sequence] = before * strategy[sequence]


@njit
def write_gradient(player, ends, payoffs, plan, gain):  # type: ignore[no-untyped-def]
    """Write what each sequence of `player` brings at ends, weighed by chance and the others."""
    gain[:] = 0.0
    players = ends.shape[1]
    for end in range(ends.shape[0]):
        reach = payoffs[end, player]
        for other in range(players):
            if other != player:
                reach *= plan[ends[end, other]]
        gain[ends[end, player]] += reach


@njit
def best_choices(infosets, parent, first, gain, choice):  # type: ignore[no-untyped-def]
    """Mark the best choice of each set, and add what it brings to the sequence before it."""
    for k in range(infosets.size - 1, -1, -1):
        infoset = infosets[k]
        best = first[infoset]
        for sequence in range(first[infoset], first[infoset + 1]):
            choice[sequence] = 0.0
            if gain[sequence] > gain[best]:
                best = sequence
        choice[best] = 1.0
        gain[parent[infoset]] += gain[best]
