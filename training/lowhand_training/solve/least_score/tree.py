"""The game tree of one reduced deal of Least Score, walked by the engine's own rules.

The tree is kept as a `SequenceForm`: for each player the information sets of one who remembers
everything (own cards, own draws, all public moves), and for each end of a deal the sequences
that lead to it. Chance is explicit: the deal, and every draw from the closed deck.

**Suits forgotten.** Without flushes a suit is a name: only ranks count. With `keep_suits=False`
deals, draws and moves that differ by suits alone are one, weighed by their number, and players
see ranks. For two players the value of the game stays what it is. Let G be the game with suits
and F the one without. A strategy for F plays in G as follows (*lifting*): of its equal cards it
discards those first that the other player knows it to hold, and among those unknown (or equal on
the floor) it chooses uniformly. Against a lifted strategy, suits tell nothing: given all ranks,
the suits of the cards whose place the other doesn't know are uniform, whatever has happened, and
no choice depended on them. So the other player can imagine the suits as it goes, in F, and do
there as well as in G; and by lifting it can do in G what it does in F. A best response to a
lifted strategy is therefore worth as much in G as in F, for either player; so a pair of
strategies has the same exploitability in F and, lifted, in G, and the values of both games agree.
(To discard the unknown one of two equal cards tells more than to discard the known one. That
this is of no use is what the argument shows; it needs a zero-sum game of two.)

With three players it fails: a reshuffle tells which cards are in the hands of the others, and a
suit then tells who holds what. So for three, suits are kept.

Merging what differs by names alone: Gilpin and Sandholm, "Lossless abstraction of imperfect
information games", Journal of the ACM 54, 2007.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lowhand.engine.kernels_rows import deal_rows
from lowhand.games.least_score.cards import SUITS
from lowhand.games.least_score.deck import State
from lowhand.games.least_score.options import Options
from lowhand_training.solve.least_score.walk import FULL, Tree, new_tree, walk
from lowhand_training.solve.sequence_form import SequenceForm, merged

_ROOM = 1 << 16  # information sets at first; four times as many whenever they don't suffice
_MOST_ROOM = 1 << 22
_AT_ONCE = 64  # deals


class Deals(NamedTuple):
    """What may be dealt."""

    decks: NDArray[np.int8]  # (deals, cards), as `hand_out` takes them
    weights: NDArray[np.float64]  # (deals,), probabilities


def deals(options: Options, keep_suits: bool) -> Deals:
    """All deals, or one of each kind where suits don't count, with their probabilities.

    A kind is who holds which ranks and which lies open.
    """
    cards = [SUITS * rank + suit for rank in range(options.ranks) for suit in range(options.suits)]
    kinds: dict[tuple[tuple[int, ...], ...], list[int]] = {}
    number: Counter[tuple[tuple[int, ...], ...]] = Counter()
    for dealt in _dealt(cards, options.num_players, options.hand_size, int(options.open_card)):
        kind = dealt if keep_suits else tuple(tuple(c // SUITS for c in part) for part in dealt)
        if kind not in kinds:
            named = [card for part in dealt for card in part]
            rest = [card for card in cards if card not in named]
            kinds[kind] = rest + named[::-1]  # dealt from the end: the hands, the open card
        number[kind] += 1
    weights = np.array([number[kind] / number.total() for kind in kinds])
    return Deals(np.array(list(kinds.values()), np.int8), weights)


def _dealt(
    cards: list[int], hands: int, hand_size: int, open_cards: int
) -> Iterable[tuple[tuple[int, ...], ...]]:
    """Every deal: the hands one after the other, then the open card (or none), as tuples."""
    size = hand_size if hands > 0 else open_cards
    for part in combinations(cards, size):
        if hands == 0:
            yield (part,)
            continue
        rest = [card for card in cards if card not in part]
        for others in _dealt(rest, hands - 1, hand_size, open_cards):
            yield (part, *others)


@dataclass(frozen=True, eq=False)
class DealTree:
    """The game of one deal, and how its information sets are found.

    Attributes:
        options: the game's options.
        keep_suits: whether players see suits.
        form: the game.
        keys: (infosets, players + 1) uint64: the sequence before, and what was seen since.
        records: (infosets,) State: a position of each.
    """

    options: Options
    keep_suits: bool
    form: SequenceForm
    keys: NDArray[np.uint64]
    records: np.ndarray


def deal_tree(options: Options, keep_suits: bool, dealt: Deals | None = None) -> DealTree:
    """Build the tree of one deal, or of the deals given.

    A player's payoff is the mean of the others' points less its own: of two, the difference.

    Raises:
        ValueError: the tree is too large.
    """
    decks, weights = deals(options, keep_suits) if dealt is None else dealt
    rules, start = options.rules(), np.zeros(1, State)
    deal_rows(rules, start, np.zeros(1, np.uint64), np.array([options.num_players]))
    room = _ROOM
    while room <= _MOST_ROOM:
        tree = new_tree(options, room)
        for first in range(0, len(weights), _AT_ONCE):  # Ctrl-C is heard in between
            some = slice(first, first + _AT_ONCE)
            walk(rules[0], tree, start, decks[some], weights[some], keep_suits)
        if tree.counts[FULL] == 0:
            return _finished(options, keep_suits, tree)
        room *= 4
    raise ValueError(f"the tree of this size has more than {_MOST_ROOM:,} information sets.")


def _finished(options: Options, keep_suits: bool, tree: Tree) -> DealTree:
    infosets, sequences, number, nodes, _ = map(int, tree.counts)
    actions = tree.actions[:sequences].copy()
    actions[: options.num_players] = -1
    ends, payoffs = merged(tree.ends[:number], tree.payoffs[:number], sequences)
    form = SequenceForm(
        num_players=options.num_players,
        player=tree.player[:infosets].copy(),
        parent=tree.parent[:infosets].copy(),
        first=tree.first[: infosets + 1].copy(),
        ends=ends,
        payoffs=payoffs,
        nodes=nodes,
        actions=actions,
    )
    keys, records = tree.keys[:infosets].copy(), tree.records[:infosets].copy()
    return DealTree(options, keep_suits, form, keys, records)
