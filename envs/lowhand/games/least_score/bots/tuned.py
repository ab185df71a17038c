"""The measures of the player `tuned`, whose weights come from a genetic algorithm.

Source: github.com/vemore/zapzap. All are integers, so that comparisons are exact. Ranks are
compared among the cards kept; king and ace are not adjacent but may be in one run.
"""

import numpy as np

from lowhand.engine.bitset import count, lowest
from lowhand.engine.jit import njit
from lowhand.engine.rng import uniform
from lowhand.games.least_score.bots.measures import adjacent_ranks, makes_run, of_rank, rank_bits

_ONE = np.uint64(1)

WEIGHTS = np.array([15, 7, 79, 68, 30, 12, -26, 33, 27, 56, 24, 73, -46, 8])
# A discard: its points, its cards, and a total of at most 5 after it.
_POINTS, _CARDS, _LOW_AFTER = range(3)
# A card kept: its rank paired, else two, one or none of its rank unseen; adjacent ranks.
_PAIRED, _TWO_UNSEEN, _ONE_UNSEEN, _NONE_UNSEEN, _TWO_ADJACENT, _ONE_ADJACENT = range(3, 9)
# A card drawn: it makes a pair, is of a rank held twice, makes a run, or can make neither; and by
# how much a floor card must be better than the mean of the deck.
_MAKES_PAIR, _HELD_TWICE, _MAKES_RUN, _LONELY, _MARGIN = range(9, 14)

_LOW_TOTAL = 5
_POTENTIAL_SCALE = 20  # potential that weighs as much as one point of a discard's worth
_BASE = 10  # the worth of a drawn card before its points are subtracted


@njit
def weight(k, jitter, draw):  # type: ignore[no-untyped-def]
    """Published weight k, changed at random by up to the share `jitter` of it and rounded."""
    if jitter == 0.0:
        return WEIGHTS[k]
    shift = 2.0 * uniform(np.uint64(draw), np.uint64(k)) - 1.0
    return np.int64(np.rint(WEIGHTS[k] * (1.0 + jitter * shift)))


@njit
def discard_worth(rules, turn, points, cards, kept, jitter, draw):  # type: ignore[no-untyped-def]
    """The worth of a discard with these points and number of cards that keeps `kept`."""
    potential, rest = 0, kept
    while rest != 0:
        rank = lowest(rest) >> np.uint64(2)
        potential += _potential(rules, rank, kept, turn.unseen, jitter, draw)
        rest &= rest - _ONE
    worth = weight(_POINTS, jitter, draw) * points + weight(_CARDS, jitter, draw) * cards
    if turn.total - points <= _LOW_TOTAL:
        worth += weight(_LOW_AFTER, jitter, draw)
    return worth + potential // _POTENTIAL_SCALE


@njit
def _potential(rules, rank, kept, unseen, jitter, draw):  # type: ignore[no-untyped-def]
    """The worth of keeping a card of this rank, one of `kept`."""
    worth = -np.int64(rules.values[rank])
    left = count(unseen & of_rank(rank))
    if count(kept & of_rank(rank)) >= 2:
        worth += weight(_PAIRED, jitter, draw)
    elif left >= 2:
        worth += weight(_TWO_UNSEEN, jitter, draw)
    else:
        worth += weight(_ONE_UNSEEN if left == 1 else _NONE_UNSEEN, jitter, draw)
    adjacent = adjacent_ranks(kept, rank)
    if adjacent > 0:
        worth += weight(_TWO_ADJACENT if adjacent == 2 else _ONE_ADJACENT, jitter, draw)
    return worth


@njit
def draw_worth(rules, rank, further, kept, runs, jitter, draw):  # type: ignore[no-untyped-def]
    """The worth of drawing a card of this rank.

    `further` other cards of the rank are unseen; `runs` are the `rank_bits` of `kept`.
    """
    held = count(kept & of_rank(rank))
    worth = _BASE - np.int64(rules.values[rank])
    if held >= 1:
        worth += weight(_MAKES_PAIR, jitter, draw)
    if held >= 2:
        worth += weight(_HELD_TWICE, jitter, draw)
    if makes_run(runs, rank):
        worth += weight(_MAKES_RUN, jitter, draw)
    elif held == 0 and further == 0:
        worth += weight(_LONELY, jitter, draw)
    return worth


@njit
def floor_worth(rules, turn, rank, kept, jitter, draw):  # type: ignore[no-untyped-def]
    """The worth of taking a floor card of this rank, times the number of unseen cards."""
    further = count(turn.unseen & of_rank(rank))
    worth = draw_worth(rules, rank, further, kept, rank_bits(kept), jitter, draw)
    return worth * max(1, count(turn.unseen))


@njit
def least_floor_worth(rules, turn, kept, jitter, draw):  # type: ignore[no-untyped-def]
    """The worth above which a floor card is taken, times the number of unseen cards.

    That is the mean worth of the unseen cards, 0 without any, plus a margin.
    """
    total, runs = 0, rank_bits(kept)
    for rank in range(np.uint64(rules.ranks)):
        unseen = count(turn.unseen & of_rank(rank))
        if unseen > 0:
            total += unseen * draw_worth(rules, rank, unseen - 1, kept, runs, jitter, draw)
    return total + weight(_MARGIN, jitter, draw) * max(1, count(turn.unseen))
