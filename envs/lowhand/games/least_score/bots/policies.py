"""Scripted players of Least Score: the published ones and the families around them.

All are honest: they use public information, their own hand, and what a player knows who
remembers every move (LS-18). All but `random` choose in the same order: they declare if they
may and their total is low enough; else they choose the discard, and then a draw to go with the
cards that they keep (`lookahead` chooses both together). What is compared is whole numbers for
the published players, so that equal is equal; of equals the lowest action is chosen.
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
    togetherness,
    view,
)
from lowhand.games.least_score.bots.tuned import discard_worth, floor_liking, least_liking
from lowhand.games.least_score.deck import may_draw
from lowhand.games.least_score.options import Rules
from lowhand.games.least_score.rules import may_declare

RANDOM, GREEDY, LOOKAHEAD, AGGRESSIVE, TUNED, CALLER = range(6)

_GREEDY_LOW, _GREEDY_PAIR = 3.0, 9.0  # points up to which `greedy` takes any card, and for a pair
_FEW_CARDS = 3  # `tuned` dumps points when an opponent has so few
_LONG_TURNS = 10  # own turns after which the limit of `caller` changes no more
_LOWEST_LIMIT = 1.0  # of `caller`, which could else never end a deal
_WELCOME = 4  # points below which any card is of use to the next player, for `caller`
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
        AGGRESSIVE,
        defaults=(7.0, 3.0, 10.0),
        doc="`aggressive:7,3,10` (arXiv 2510.11736, Dhumbal)",
    ),
    "tuned": BotKind(
        TUNED,
        ("always", "safe", "jitter", "draw"),
        (2.0, 5.0, 0.0, 0.0),
        doc="declares iff S ≤ always, or S ≤ safe and all others have more than 3 cards; else by"
        " fourteen weights for points, pairs, runs and what is unseen (github.com/vemore/zapzap);"
        " each weight is changed by up to its share jitter, as the number draw says",
    ),
    "caller": BotKind(
        CALLER,
        ("limit", "slope", "margin", "take", "cards", "keep", "deny", "noise"),
        (7.0, 0.0, 0.5, 3.0, 1.0, 1.0, 0.0, 0.0),
        doc="own family: declares iff S ≤ limit + slope·(own turns, at most 10) − margin·(cards"
        " that the smallest other hand has lost), shifted at random by up to noise/2 either way and"
        " at least 1; discards the most points + cards·n + keep·K − deny·N; takes a floor card iff"
        " v − keep·K(card) ≤ take. K counts 2 for each pair of equal ranks among the cards kept and"
        " 1 for each pair of neighbours, K(card) those with the card; N, of the discarded card that"
        " is of most use to the next player, the same with the cards that it is known to hold, and"
        " the points below 4",
    ),
}

BASELINES = (
    "random",
    "greedy:4",
    "greedy:7",
    "lookahead",
    "aggressive",
    "conservative",
    "tuned",
)


@game.act.register(Rules)
@njit
def act(rules, state, bot, dice):  # type: ignore[no-untyped-def]
    """The action of `bot` for the player to move; see `BOTS` for the rules."""
    kind, params = bot.kind, bot.params
    if kind == RANDOM:
        return _random(rules, state, dice)
    turn = view(rules, state)
    if may_declare(rules, state) and turn.total <= _limit(rules, state, turn, kind, params, dice):
        return DECLARE
    if kind == LOOKAHEAD:
        return lookahead(rules, state, turn, dice)
    subset = _discard(rules, state, turn, kind, params)
    source = _source(rules, state, turn, kind, params, subset)
    return join_action(subset, source, rules.hand_size)


@njit
def _random(rules, state, dice):  # type: ignore[no-untyped-def]
    """Uniform over the legal actions, which are counted in their order."""
    size, declares = state.sizes[np.uint64(state.mover)], np.int64(may_declare(rules, state))
    legal = np.uint64(legal_subsets(rules, state.hands, state.mover, size))
    deck = np.int64(may_draw(rules, state, state.mover))
    sources = deck + np.int64(state.floor_size)
    actions = declares + count(legal) * sources
    choice, _ = random_below(dice, np.uint64(0), np.uint64(actions))
    place = np.int64(choice) - declares
    if place < 0:
        return DECLARE
    for _ in range(place // sources):
        legal &= legal - _ONE  # takes the lowest away
    subset = np.int64(lowest(legal)) + 1
    return join_action(subset, place % sources + 1 - deck, rules.hand_size)


@njit
def _limit(rules, state, turn, kind, params, dice):  # type: ignore[no-untyped-def]
    """The highest total that the player declares with."""
    if kind == TUNED:
        return max(params[0], params[1]) if turn.smallest > _FEW_CARDS else params[0]
    if kind == CALLER:
        turns = min(state.turn // state.left, _LONG_TURNS)
        limit = params[0] + params[1] * turns - params[2] * (rules.hand_size - turn.smallest)
        if params[7] > 0.0:
            limit += params[7] * (uniform(dice, np.uint64(0)) - 0.5)
        return max(_LOWEST_LIMIT, limit)
    return params[0]


@njit
def _discard(rules, state, turn, kind, params):  # type: ignore[no-untyped-def]
    """The legal subset of most worth, of equals the lowest."""
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
    """What the player thinks of a discard (float64, whole numbers for the published ones)."""
    points, cards = subset_points(rules, state.hands, turn.seat, turn.size, subset)
    if kind == GREEDY:
        return 8.0 * points + cards  # more points, then more cards
    if kind == AGGRESSIVE:
        several = 2 * cards if cards > 1 else 0
        low_after = 50 if turn.total - points <= params[2] else 0
        # times the own total, by which the rule divides
        return 1.0 * (turn.total * (points + several + low_after) + 10 * points)
    if kind == TUNED and turn.smallest <= _FEW_CARDS:
        return 1.0 * points
    thrown = subset_cards(state, turn.seat, subset)
    kept = turn.hand & ~thrown
    if kind == TUNED:
        return 1.0 * discard_worth(rules, turn, points, cards, kept, params[2], params[3])
    worth = points + params[4] * cards
    if params[5] != 0.0:
        worth += params[5] * togetherness(kept)
    if params[6] != 0.0:
        worth -= params[6] * _use_to_next(rules, turn, thrown)
    return worth


@njit
def _use_to_next(rules, turn, thrown):  # type: ignore[no-untyped-def]
    """The most use that one card of a discard is to the next player, as far as is known."""
    most = 0
    while thrown != 0:
        rank = lowest(thrown) >> np.uint64(2)
        low = max(0, _WELCOME - np.int64(rules.values[rank]))
        most = max(most, low + affinity(turn.next_known, rank))
        thrown &= thrown - _ONE
    return most


@njit
def _source(rules, state, turn, kind, params, subset):  # type: ignore[no-untyped-def]
    """The cheapest floor card within the limit, of equals the lowest slot; else the deck.

    Where the deck can't be drawn from (LS-15) and no floor card is wanted, the cheapest of all.
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
    """The cost up to which the player takes a floor card; of `greedy`, if it makes no pair."""
    if kind == AGGRESSIVE:
        points, _ = subset_points(rules, state.hands, turn.seat, turn.size, subset)
        after = turn.total - points
        return params[1] + (2.0 if after > 15 else (-1.0 if after <= 12 else 0.0))
    if kind == TUNED:  # whole numbers: more than the limit is at least 1 more
        return -1.0 * least_liking(rules, turn, kept, params[2], params[3]) - 1.0
    return _GREEDY_LOW if kind == GREEDY else params[3]


@njit
def _cost(rules, turn, kind, params, kept, rank):  # type: ignore[no-untyped-def]
    """What a floor card costs the player: its points less what it is good for."""
    if kind == TUNED:
        return -1.0 * floor_liking(rules, turn, rank, kept, params[2], params[3])
    cost = np.float64(rules.values[rank])
    if kind == CALLER and params[5] != 0.0:
        cost -= params[5] * affinity(kept, rank)
    return cost
