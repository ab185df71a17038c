"""Strategies of a solved deal as players of the engine's game: probabilities of its actions.

A strategy made with suits forgotten is *lifted* as `least_score_tree` says: of equal cards it
discards those first that all know it to hold, and chooses uniformly among the rest, so that
suits tell nothing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.kernels_rows import mask_rows
from lowhand.games.least_score import GAME
from lowhand.games.least_score.actions import DECLARE, split_action
from lowhand.games.least_score.bots.measures import subset_cards
from lowhand.games.least_score.hidden import hand_cards
from lowhand_training.solve.least_score.seen import deal_seen, draw_seen, move_seen
from lowhand_training.solve.least_score.tree import DealTree


class Policy:
    """The strategy of all players in one tree, asked by histories of engine records.

    Args:
        tree: the game.
        strategy: (sequences,) float64, behaviour strategies.
    """

    def __init__(self, tree: DealTree, strategy: NDArray[np.float64]) -> None:
        self.tree, self.strategy = tree, strategy
        self._rules = tree.options.rules()
        self._number = {key.tobytes(): infoset for infoset, key in enumerate(tree.keys)}

    def probabilities(self, records: Sequence[Any], actions: Sequence[int]) -> dict[int, float]:
        """What the player to move does: every legal action of the engine with its probability.

        Args:
            records: `State` records of one deal: as dealt, and after each of the actions. The
                player to move at the last one is asked.
            actions: that were played, one fewer than records.

        Raises:
            ValueError: this is no history of the tree.
        """
        if len(records) != len(actions) + 1:
            raise ValueError(
                f"a history of {len(actions)} actions has {len(actions) + 1} records, not"
                f" {len(records)}."
            )
        infoset = self._follow(records, actions)
        return self.lifted(infoset, records[-1])

    def lifted(self, infoset: int, record: Any) -> dict[int, float]:
        """Probabilities of the engine's actions at a record of an information set."""
        shares: dict[int, float] = {}
        for sequence, actions in self.choices(infoset, record).items():
            known = [_known(record, action, self._rules) for action in actions]
            first = [a for a, k in zip(actions, known, strict=True) if k == max(known)]
            for action in actions:
                shares[action] = self.strategy[sequence] / len(first) if action in first else 0.0
        return shares

    def choices(self, infoset: int, record: Any) -> dict[int, list[int]]:
        """The engine's actions at a record that belong to each choice of an information set."""
        mask = np.empty((1, GAME.num_actions(self.tree.options)), np.int8)
        mask_rows(self._rules, np.array([record]), np.zeros(1, np.int64), mask)
        form, seen = self.tree.form, {}
        for sequence in range(form.first[infoset], form.first[infoset + 1]):
            seen[self._seen(record, int(form.actions[sequence]))] = sequence
        choices: dict[int, list[int]] = {sequence: [] for sequence in seen.values()}
        for action in np.flatnonzero(mask[0]).tolist():
            choices[seen[self._seen(record, action)]].append(action)
        return choices

    def find(self, sequence: int, seen: Sequence[int]) -> int:
        """The information set behind a sequence and what was seen since; see `DealTree.keys`.

        Raises:
            ValueError: there is none.
        """
        key = np.array([sequence, *seen], np.uint64).tobytes()
        if key not in self._number:
            raise ValueError("no deal of this size comes to this information set.")
        return self._number[key]

    def _seen(self, record: Any, action: int) -> int:
        if action == DECLARE:
            return 0
        return int(move_seen(self._rules[0], record, action, self.tree.keep_suits))

    def _follow(self, records: Sequence[Any], actions: Sequence[int]) -> int:
        """The information set of the player to move at the last record."""
        player, players = int(records[-1].mover), self.tree.form.num_players
        suits, sequence = self.tree.keep_suits, player
        seen = [int(deal_seen(records[0], player, suits))] + [0] * (players - 1)
        for k, action in enumerate(actions):
            before, seat = records[k], int(records[k].mover)
            move = self._seen(before, action)
            if seat != player:
                seen[(seat - player) % players] = move
                continue
            infoset = self.find(sequence, seen)
            choices = self.choices(infoset, before)
            sequence = next(s for s, of_it in choices.items() if action in of_it)
            drawn = hand_cards(records[k + 1], seat) & ~hand_cards(before, seat)
            _, source = split_action(action, self.tree.options.hand_size)
            card = int(drawn).bit_length() - 1
            seen = [0 if source else int(draw_seen(card, suits))] + [0] * (players - 1)
        return self.find(sequence, seen)


def _known(record: Any, action: int, rules: np.ndarray) -> int:
    """How many cards of a discard all know to be in the hand of the player to move."""
    if action == DECLARE:
        return 0
    seat = int(record.mover)
    subset, _ = split_action(action, int(rules["hand_size"][0]))
    public = int(record.known[seat]) | int(record.held)
    return (int(subset_cards(record, seat, subset)) & public).bit_count()
