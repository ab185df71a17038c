"""Scripted players of Least Score: the published ones and the families around them.

All are honest: they use public information, their own hand, and what a player who remembers every
move knows (LS-18). All but `random` decide in the same order: they declare if they may and their
total S is low enough; else they choose the discard, and then a draw that suits the cards kept
(`lookahead` chooses both together). The published players compare integers, so that comparisons
are exact; ties are broken by the lowest action.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import count, lowest
from lowhand.engine.jit import njit
from lowhand.engine.rng import random_below, uniform
from lowhand.engine.scripted import BotKind
from lowhand.games.least_score.actions import DECLARE, join_action, legal_subsets
from lowhand.games.least_score.bots.lookahead import lookahead
from lowhand.games.least_score.bots.measures import (
    affinity,
    of_rank,
    subset_cards,
    subset_points,
    summarize_turn,
    togetherness,
)
from lowhand.games.least_score.bots.tuned import discard_worth, floor_worth, least_floor_worth
from lowhand.games.least_score.deck import may_draw
from lowhand.games.least_score.options import Rules
from lowhand.games.least_score.rules import may_declare

RANDOM, GREEDY, LOOKAHEAD, AGGRESSIVE, TUNED, CALLER = range(6)

_GREEDY_LOW, _GREEDY_PAIR = 3.0, 9.0  # points up to which `greedy` takes any card, and for a pair
_FEW_CARDS = 3  # `tuned` dumps points when an opponent has at most this many
_LONG_TURNS = 10  # turns of a player after which the limit of `caller` changes no more
_LOWEST_LIMIT = 1.0  # of `caller`, which otherwise might never end a deal
_USEFUL_POINTS = 4  # points below which any card is of use to the next player, for `caller`
_ONE = np.uint64(1)

BOTS = {
    "random": BotKind(RANDOM, doc="uniform over the legal actions"),
    "greedy": BotKind(
        GREEDY,
        ("T",),
        (7.0,),
        doc="declares iff S ≤ T; discards the most points; takes a floor card of up to 3 points, or"
        " of up to 9 that pairs a kept one (github.com/fuzzymango/yaniv2 and others)",
    ),
    "lookahead": BotKind(
        LOOKAHEAD,
        ("T",),
        (6.0,),
        doc="declares iff S ≤ T; else takes the discard and draw that leave the fewest points after"
        " the best discard to follow, the deck averaged over 5 sampled unseen cards"
        " (github.com/Ashraf-IITP/LeastScore)",
    ),
    "aggressive": BotKind(
        AGGRESSIVE,
        ("declare", "take", "low"),
        (10.0, 4.0, 10.0),
        doc="declares iff S ≤ declare; discards the most points + 2n (n > 1 cards) + 50 if S after"
        " it ≤ low + 10·points/S; takes a floor card of up to take points, 2 more if S after the"
        " discard > 15, 1 less if ≤ 12 (arXiv 2510.11736, Dhumbal)",
    ),
    "conservative": BotKind(
        AGGRESSIVE, defaults=(7.0, 3.0, 10.0), doc="`aggressive:7,3,10` (arXiv 2510.11736, Dhumbal)"
    ),
    "tuned": BotKind(
        TUNED,
        ("always", "safe", "jitter", "draw"),
        (2.0, 5.0, 0.0, 0.0),
        doc="declares iff S ≤ always, or S ≤ safe and all others have more than 3 cards; else by"
        " fourteen weights for points, pairs, runs and what is unseen (github.com/vemore/zapzap);"
        " each weight is changed at random by up to the share jitter of it, with the seed draw",
    ),
    "caller": BotKind(
        CALLER,
        ("limit", "slope", "margin", "take", "cards", "keep", "deny", "noise"),
        (7.0, 0.0, 0.5, 3.0, 1.0, 1.0, 0.0, 0.0),
        doc="our own family: declares iff S ≤ limit + slope·(its turns, at most 10) − margin·(cards"
        " that the smallest other hand has lost), shifted at random by up to noise/2 either way and"
        " at least 1; discards the most points + cards·n + keep·K − deny·N; takes a floor card iff"
        " v − keep·K(card) ≤ take. K counts 2 for each pair of equal ranks among the cards kept and"
        " 1 for each pair of neighbours, K(card) those with the card; N, of the discarded card that"
        " is of most use to the next player, the same with the cards that it is known to hold, and"
        " the points below 4",
    ),
}

BASELINES = ("random", "greedy:4", "greedy:7", "lookahead", "aggressive", "conservative", "tuned")


@game.act.register(Rules)
@njit
def act(rules, state, bot, key):  # type: ignore[no-untyped-def]
    """The action of `bot` for the player to move; see `BOTS` for the rules."""
    kind, params = bot.kind, bot.params
    if kind == RANDOM:
        return _random(rules, state, key)
    turn = summarize_turn(rules, state)
    if may_declare(rules, state):
        if turn.total <= _declare_limit(rules, state, turn, kind, params, key):
            return DECLARE
    if kind == LOOKAHEAD:
        return lookahead(rules, state, turn, key)
    subset = _choose_discard(rules, state, turn, kind, params)
    source = _choose_source(rules, state, turn, kind, params, subset)
    return join_action(subset, source, rules.hand_size)


@njit
def _random(rules, state, key):  # type: ignore[no-untyped-def]
    """A legal action, uniformly at random."""
    size, declares = state.sizes[np.uint64(state.mover)], np.int64(may_declare(rules, state))
    legal = np.uint64(legal_subsets(rules, state.hands, state.mover, size))
    deck = np.int64(may_draw(rules, state, state.mover))
    sources = deck + np.int64(state.floor_size)
    actions = declares + count(legal) * sources
    choice, _ = random_below(key, np.uint64(0), np.uint64(actions))
    place = np.int64(choice) - declares
    if place < 0:
        return DECLARE
    for _ in range(place // sources):
        legal &= legal - _ONE  # clears the lowest bit
    subset = np.int64(lowest(legal)) + 1
    return join_action(subset, place % sources + 1 - deck, rules.hand_size)


@njit
def _declare_limit(rules, state, turn, kind, params, key):  # type: ignore[no-untyped-def]
    """The highest total with which the player declares."""
    if kind == TUNED:
        always, safe = params[0], params[1]
        return max(always, safe) if turn.smallest > _FEW_CARDS else always
    if kind == CALLER:
        base, slope, margin, noise = params[0], params[1], params[2], params[7]
        turns = min(state.turn // state.left, _LONG_TURNS)
        limit = base + slope * turns - margin * (rules.hand_size - turn.smallest)
        if noise > 0.0:
            limit += noise * (uniform(key, np.uint64(0)) - 0.5)
        return max(_LOWEST_LIMIT, limit)
    return params[0]  # T of `greedy` and `lookahead`, `declare` of `aggressive`


@njit
def _choose_discard(rules, state, turn, kind, params):  # type: ignore[no-untyped-def]
    """The legal subset of the highest worth; ties are broken by the lowest subset."""
    legal = np.uint64(legal_subsets(rules, state.hands, turn.seat, turn.size))
    best, most = np.int64(0), -np.inf
    while legal != 0:
        subset = np.int64(lowest(legal)) + 1
        worth = _worth(rules, state, turn, kind, params, subset)
        if worth > most:
            best, most = subset, worth
        legal &= legal - _ONE
    return best


@njit
def _worth(rules, state, turn, kind, params, subset):  # type: ignore[no-untyped-def]
    """The worth of a discard to the player (float64, integers for the published players)."""
    points, cards = subset_points(rules, state.hands, turn.seat, turn.size, subset)
    if kind == GREEDY:
        return 8.0 * points + cards  # more points, then more cards
    if kind == AGGRESSIVE:
        low = params[2]
        several = 2 * cards if cards > 1 else 0
        low_after = 50 if turn.total - points <= low else 0
        # times the player's total, by which the rule divides
        return 1.0 * (turn.total * (points + several + low_after) + 10 * points)
    if kind == TUNED and turn.smallest <= _FEW_CARDS:
        return 1.0 * points
    thrown = subset_cards(state, turn.seat, subset)
    kept = turn.hand & ~thrown
    if kind == TUNED:
        jitter, draw = params[2], params[3]
        return 1.0 * discard_worth(rules, turn, points, cards, kept, jitter, draw)
    per_card, keep, deny = params[4], params[5], params[6]
    worth = points + per_card * cards
    if keep != 0.0:
        worth += keep * togetherness(kept)
    if deny != 0.0:
        worth -= deny * _use_to_next(rules, turn, thrown)
    return worth


@njit
def _use_to_next(rules, turn, thrown):  # type: ignore[no-untyped-def]
    """The most use that a card of a discard is to the next player, by the cards known."""
    most = 0
    while thrown != 0:
        rank = lowest(thrown) >> np.uint64(2)
        low = max(0, _USEFUL_POINTS - np.int64(rules.values[rank]))
        most = max(most, low + affinity(turn.next_known, rank))
        thrown &= thrown - _ONE
    return most


@njit
def _choose_source(rules, state, turn, kind, params, subset):  # type: ignore[no-untyped-def]
    """The cheapest floor card within the limit, else the deck; ties go to the lowest slot.

    Where no floor card is wanted and the deck can't be drawn from (LS-15), the cheapest of all.
    """
    kept = turn.hand & ~subset_cards(state, turn.seat, subset)
    limit = _taking_limit(rules, state, turn, kind, params, subset, kept)
    wanted, cheapest, least_wanted, least = 0, 0, np.inf, np.inf
    for slot in range(np.int64(state.floor_size)):
        rank = np.uint64(state.floor[np.uint64(slot)] >> 2)
        cost = _cost(rules, turn, kind, params, kept, rank)
        pairs = kind == GREEDY and kept & of_rank(rank) != 0
        if cost <= (_GREEDY_PAIR if pairs else limit) and cost < least_wanted:
            wanted, least_wanted = slot + 1, cost
        if cost < least:
            cheapest, least = slot + 1, cost
    if wanted == 0 and not may_draw(rules, state, turn.seat):
        return cheapest
    return wanted


@njit
def _taking_limit(rules, state, turn, kind, params, subset, kept):  # type: ignore[no-untyped-def]
    """The highest cost of a floor card that the player takes; for `greedy`, without a pair."""
    if kind == AGGRESSIVE:
        points, _ = subset_points(rules, state.hands, turn.seat, turn.size, subset)
        take, after = params[1], turn.total - points
        return take + (2.0 if after > 15 else (-1.0 if after <= 12 else 0.0))
    if kind == TUNED:  # integers: more than the limit is at least 1 more
        jitter, draw = params[2], params[3]
        return -1.0 * least_floor_worth(rules, turn, kept, jitter, draw) - 1.0
    take = params[3]
    return _GREEDY_LOW if kind == GREEDY else take


@njit
def _cost(rules, turn, kind, params, kept, rank):  # type: ignore[no-untyped-def]
    """The cost of a floor card to the player: its points minus its use."""
    if kind == TUNED:
        jitter, draw = params[2], params[3]
        return -1.0 * floor_worth(rules, turn, rank, kept, jitter, draw)
    cost, keep = np.float64(rules.values[rank]), params[5]
    if kind == CALLER and keep != 0.0:
        cost -= keep * affinity(kept, rank)
    return cost
