"""What the scripted players of Least Score measure: bitsets of cards, and a summary of the turn.

Sets of cards are 64-bit bitsets, as in the rules. The four cards of a rank are adjacent bits, so
that a shift by four moves every card to the next rank.
"""

from typing import NamedTuple

import numpy as np

from lowhand.engine.bitset import count, lowest
from lowhand.engine.jit import njit
from lowhand.engine.rng import shuffle
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NUM_CARDS, SUITS
from lowhand.games.least_score.deck import next_in
from lowhand.games.least_score.hidden import all_cards, hand_cards, seen_cards
from lowhand.games.least_score.rules import hand_total

_ONE = np.uint64(1)
_A_RANK = np.uint64(15)  # the cards of the lowest rank
_SUITS = np.uint64(SUITS)

ACE_HIGH = np.uint64(13)  # the rank above the king


class TurnSummary(NamedTuple):
    """What the player to move knows, computed once for the turn."""

    seat: np.uint64
    size: np.int64  # cards in the hand
    total: np.int64  # their points
    hand: np.uint64  # the same cards as a bitset
    unseen: np.uint64  # cards whose place is unknown with perfect recall
    smallest: np.int64  # fewest cards of an opponent
    next_known: np.uint64  # cards that the next player is known to hold


@njit
def summarize_turn(rules, state):  # type: ignore[no-untyped-def]
    """Summarise the turn for the player to move, with perfect recall."""
    seat = np.uint64(state.mover)
    size, total = np.int64(state.sizes[seat]), np.int64(hand_total(rules, state, seat))
    smallest = np.int64(MAX_HAND)
    for player in range(np.uint64(state.num_players)):
        if player != seat and not state.out[player]:
            smallest = min(smallest, np.int64(state.sizes[player]))
    unseen = all_cards(rules) & ~seen_cards(state, seat)
    known = state.known[np.uint64(next_in(state, state.mover))]
    hand = hand_cards(state, seat)
    return TurnSummary(seat, size, total, hand, unseen, smallest, known)


@njit
def of_rank(rank):  # type: ignore[no-untyped-def]
    """The cards of a rank as a bitset."""
    return _A_RANK << (_SUITS * np.uint64(rank))


@njit
def adjacent_ranks(cards, rank):  # type: ignore[no-untyped-def]
    """How many of the ranks one below and one above are among `cards`: 0 to 2.

    King and ace are not adjacent.
    """
    own = of_rank(rank)
    below, above = cards & (own >> _SUITS) != 0, cards & (own << _SUITS) != 0
    return np.int64(below) + np.int64(above)


@njit
def affinity(cards, rank):  # type: ignore[no-untyped-def]
    """How well a card of this rank fits `cards`: 2 for each of its rank, 1 for each adjacent."""
    own = of_rank(rank)
    return 2 * count(cards & own) + count(cards & ((own << _SUITS) | (own >> _SUITS)))


@njit
def togetherness(cards):  # type: ignore[no-untyped-def]
    """The affinity of all pairs among a few cards, each counted once."""
    total = 0
    while cards != 0:
        rest = cards & (cards - _ONE)
        total += affinity(rest, lowest(cards) >> np.uint64(2))
        cards = rest
    return total


@njit
def subset_cards(state, seat, subset):  # type: ignore[no-untyped-def]
    """The cards in a subset of a hand's slots, as a bitset."""
    cards = np.uint64(0)
    for k in range(np.uint64(state.sizes[seat])):
        cards |= (np.uint64(subset) >> k & _ONE) << np.uint64(state.hands[seat, k])
    return cards


@njit
def subset_points(rules, hands, row, size, subset):  # type: ignore[no-untyped-def]
    """Points and number of cards of a subset of the `size` slots of `hands[row]`.

    Without a branch, which the processor could not predict.
    """
    points, cards = np.int64(0), np.int64(0)
    for k in range(np.uint64(size)):
        chosen = np.int64(np.uint64(subset) >> k & _ONE)
        points += chosen * rules.values[np.uint64(hands[row, k] >> 2)]
        cards += chosen
    return points, cards


@njit
def rank_bits(cards):  # type: ignore[no-untyped-def]
    """The ranks among `cards`: bit r + 2 for rank r; an ace is also the rank above the king."""
    bits = np.uint64(0)
    for rank in range(ACE_HIGH):
        bits |= np.uint64(cards & (_A_RANK << (_SUITS * rank)) != 0) << (rank + np.uint64(2))
    return bits | (bits >> np.uint64(2) & _ONE) << (ACE_HIGH + np.uint64(2))


@njit
def makes_run(bits, rank):  # type: ignore[no-untyped-def]
    """Whether a card of this rank makes a run of three with two of the ranks in `bits` (LS-6)."""
    found = _completes_run(bits, np.uint64(rank))
    return found or (rank == 0 and _completes_run(bits, ACE_HIGH))


@njit
def _completes_run(bits, rank):  # type: ignore[no-untyped-def]
    around = bits >> rank & np.uint64(31)  # two ranks below, this one, two above
    below, both, above = np.uint64(0b00011), np.uint64(0b01010), np.uint64(0b11000)
    return around & below == below or around & both == both or around & above == above


@njit
def sample_cards(cards, most, key, out):  # type: ignore[no-untyped-def]
    """Draw up to `most` of `cards` without replacement, by the stream `key`.

    The sample is written to the start of `out`, which has room for a whole deck.

    Returns:
        The number of cards in the sample.
    """
    total = np.int64(0)
    for card in range(NUM_CARDS):
        out[np.uint64(total)] = card  # the next card overwrites it unless it counts
        total += np.int64(cards >> np.uint64(card) & _ONE)
    shuffle(out, 0, total, most, key, np.uint64(0))
    return min(most, total)
