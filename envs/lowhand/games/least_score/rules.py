"""The rules of Least Score, LS-1 to LS-19, as compiled functions on records.

Hands and the floor are sorted slots, since actions name slots; other sets of cards are 64-bit
bitsets, where bit c is card c. A match is one game: `apply` deals the next hands after a deal.
The game's key and the deal's number fix the random stream of each deal, so that the deals of a
match don't depend on how it is played.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import bit
from lowhand.engine.jit import njit
from lowhand.engine.rng import random_below, substream, uniform
from lowhand.games.least_score.actions import (
    DECLARE,
    MAX_HAND,
    bit_number,
    legal_subsets,
    split_action,
)
from lowhand.games.least_score.cards import NO_CARD
from lowhand.games.least_score.deck import (
    DEALS_STREAM,
    NOBODY,
    draw_card,
    hand_out,
    insert_card,
    may_draw,
    next_in,
    shuffle_deck,
)
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT, RANDOM_PLAYER, Rules

OUT_STANDING = 1.0e9
"""More than any points: what each deal by which a knock-out is earlier adds to `ranking_score`."""

_ONE = np.uint64(1)


@game.deal.register(Rules)
@njit
def deal(rules, state, key, num_players):  # type: ignore[no-untyped-def]
    """Start a match: no points, all players in, a random first starter (LS-12, LS-14)."""
    stream = substream(key, DEALS_STREAM)
    state.key, state.num_players, state.left = key, num_players, num_players
    for seat in range(MAX_PLAYERS):
        state.points[seat] = state.deal_points[seat] = state.out_deal[seat] = 0
        state.declared[seat] = state.wrong[seat] = state.declared_total[seat] = 0
        state.deals_played[seat] = 0
        state.out[seat] = state.played[seat] = 0
    state.moves = state.deals = 0
    state.over = state.truncated = state.deal_ended = 0
    state.declarer = NOBODY
    single = rules.single_deals > 0.0 and uniform(stream, np.uint64(0)) < rules.single_deals
    state.limit = NO_LIMIT if single else rules.points_limit
    first = np.uint64(0)
    if rules.first_player == RANDOM_PLAYER:
        first, _ = random_below(stream, _ONE, np.uint64(num_players))
        state.starter = first
    else:
        state.starter = rules.first_player
    deal_hands(rules, state)


@njit
def deal_hands(rules, state):  # type: ignore[no-untyped-def]
    """Shuffle and deal to all players who are in; `starter` begins (LS-1)."""
    shuffle_deck(rules, state)
    hand_out(rules, state)


@njit
def hand_total(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points of the hand of `seat` (LS-2)."""
    total = 0
    for k in range(np.uint64(state.sizes[seat])):
        total += rules.values[np.uint64(state.hands[seat, k] >> 2)]
    return total


@njit
def may_declare(rules, state):  # type: ignore[no-untyped-def]
    """Whether the player to move may declare: not in the first round, total permitting (LS-9)."""
    if state.turn < state.left:  # each player who is in has one turn a round
        return False
    return hand_total(rules, state, state.mover) <= rules.declare_limit


@game.apply.register(Rules)
@njit
def apply(rules, state, action):  # type: ignore[no-untyped-def]
    """Declare, or discard and draw (LS-3); at the end of a deal, score and deal the next."""
    state.deal_ended = 0
    state.moves += 1
    if action == DECLARE:
        _end_deal(rules, state, np.int64(state.mover))
        return
    _play(rules, state, action)
    state.turn += 1
    if state.turn >= rules.max_turns[state.left]:  # LS-16
        _end_deal(rules, state, NOBODY)
    else:
        state.mover = next_in(state, state.mover)


@njit
def _play(rules, state, action):  # type: ignore[no-untyped-def]
    """Discard, draw one card, and bury the rest of the old floor (LS-3, LS-8)."""
    seat = np.uint64(state.mover)
    subset, source = split_action(action, rules.hand_size)
    old_floor = np.uint64(0)
    for k in range(np.uint64(state.floor_size)):
        old_floor |= bit(state.floor[k])
    if source == 0:
        card = draw_card(rules, state, seat)
    else:
        card = np.int64(state.floor[np.uint64(source - 1)])
    discarded = _discard(state, seat, subset)
    state.held &= ~discarded
    state.known[seat] &= ~discarded
    if source > 0:
        old_floor &= ~bit(card)
        state.known[seat] |= bit(card)
    state.buried |= old_floor
    size = state.sizes[seat]
    insert_card(state.hands, seat, size, card)
    state.sizes[seat] = size + 1


@njit
def _discard(state, seat, subset):  # type: ignore[no-untyped-def]
    """Replace the floor by a subset of the hand's slots.

    Every slot is written to both places and only one of the two counters moves on: the
    processor can't predict the branch that this replaces.

    Returns:
        The discarded cards as a bitset.
    """
    kept = thrown = np.uint64(0)
    cards = np.uint64(0)
    for k in range(np.uint64(state.sizes[seat])):
        card = state.hands[seat, k]
        out = (np.uint64(subset) >> k) & _ONE
        state.hands[seat, kept] = card
        state.floor[thrown] = card
        cards |= out << np.uint64(card)
        thrown += out
        kept += _ONE - out
    state.sizes[seat], state.floor_size = kept, thrown
    for k in range(np.uint64(MAX_HAND)):
        if k >= kept:
            state.hands[seat, k] = NO_CARD
        if k >= thrown:
            state.floor[k] = NO_CARD
    return cards


@njit
def _end_deal(rules, state, declarer):  # type: ignore[no-untyped-def]
    """Score the deal, knock out, and deal again unless the match is over (LS-10 to LS-16)."""
    _score_deal(rules, state, declarer)
    state.deal_ended, state.declarer = 1, declarer
    state.deals += 1
    crossed = 0
    for seat in range(state.num_players):
        state.played[seat] = 1 - state.out[seat]
        if state.played[seat]:
            state.points[seat] += state.deal_points[seat]
            state.deals_played[seat] += 1
            if _is_knocked_out(rules, state, seat):
                state.out[seat], state.out_deal[seat] = 1, state.deals
                crossed += 1
    state.left -= crossed
    if state.limit == NO_LIMIT or state.left <= 1 or (rules.first_out and crossed > 0):
        state.over = 1
    elif state.deals >= rules.max_deals:
        state.over = state.truncated = 1
    else:
        state.starter = next_in(state, state.starter)
        deal_hands(rules, state)


@njit
def _is_knocked_out(rules, state, seat):  # type: ignore[no-untyped-def]
    """Whether the points of `seat` exceed the limit, or reach it where that is enough (LS-12)."""
    if state.limit == NO_LIMIT:
        return False
    points = state.points[seat]
    return points > state.limit or (rules.reach != 0 and points == state.limit)


@njit
def _score_deal(rules, state, declarer):  # type: ignore[no-untyped-def]
    """Write the points of the deal: LS-10, LS-11, or LS-16 without a declarer."""
    lowest, lowest_other = 1 << 30, 1 << 30
    for seat in range(state.num_players):
        state.deal_points[seat] = 0
        if not state.out[seat]:
            total = hand_total(rules, state, seat)
            lowest = min(lowest, total)
            if seat != declarer:
                lowest_other = min(lowest_other, total)
    wrong = False
    if declarer == NOBODY:
        if not rules.showdown:
            return
    else:
        own = hand_total(rules, state, declarer)
        wrong = own > lowest_other or (rules.wrong_tie != 0 and own == lowest_other)
        state.declared[declarer] += 1
        state.declared_total[declarer] += own
        state.wrong[declarer] += wrong
    for seat in range(state.num_players):
        if not state.out[seat]:
            above = hand_total(rules, state, seat) - lowest
            if not wrong:
                state.deal_points[seat] = above
            elif seat == declarer:
                state.deal_points[seat] = rules.penalty + above


@game.is_legal.register(Rules)
@njit
def is_legal(rules, state, action):  # type: ignore[no-untyped-def]
    """Whether `action` is legal for the player to move."""
    hand_size = rules.hand_size
    if action <= 0 or action > ((1 << hand_size) - 1) * (hand_size + 1):
        return action == DECLARE and may_declare(rules, state)
    subset, source = split_action(action, hand_size)
    legal = legal_subsets(rules, state.hands, state.mover, state.sizes[np.uint64(state.mover)])
    if not (legal >> np.uint64(subset - 1)) & _ONE:
        return False
    if source == 0:
        return may_draw(rules, state, state.mover)
    return source <= state.floor_size


@game.write_mask.register(Rules)
@njit
def write_mask(rules, state, out, row):  # type: ignore[no-untyped-def]
    """Legal actions: every legal subset with every source.

    Few of the 187 actions are legal, so that clearing the row and then visiting the legal
    subsets takes a third of the time of deciding each action.
    """
    row, hand_size = np.uint64(row), rules.hand_size
    for action in range(np.uint64(out.shape[1])):
        out[row, action] = 0
    out[row, DECLARE] = may_declare(rules, state)
    legal = np.uint64(
        legal_subsets(rules, state.hands, state.mover, state.sizes[np.uint64(state.mover)])
    )
    deck, floor = may_draw(rules, state, state.mover), np.uint64(state.floor_size)
    while legal != 0:
        lowest = legal & (~legal + _ONE)
        legal ^= lowest
        first = _ONE + bit_number(lowest) * np.uint64(hand_size + 1)
        out[row, first] = deck
        for slot in range(floor):
            out[row, first + _ONE + slot] = 1


@game.score.register(Rules)
@njit
def score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points of the match so far (LS-12)."""
    return np.float64(state.points[seat])


@game.ranking_score.register(Rules)
@njit
def ranking_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points; players who are out rank after all who are in, and the earlier, the lower (LS-19)."""
    place = np.float64(state.points[seat])
    if state.out[seat]:
        place += OUT_STANDING * (rules.max_deals + 1 - state.out_deal[seat])
    return place


@game.emits_reward.register(Rules)
@njit
def emits_reward(rules, state):  # type: ignore[no-untyped-def]
    """Rewards are paid at the end of every deal."""
    return state.deal_ended != 0


@game.rank_is_final.register(Rules)
@njit
def rank_is_final(rules, state, seat):  # type: ignore[no-untyped-def]
    """The rank of a player is final when it goes out, and for all who are in at the end."""
    if state.out[seat]:
        return state.out_deal[seat] == state.deals
    return state.over != 0


@game.round_score.register(Rules)
@njit
def round_score(rules, state, seat):  # type: ignore[no-untyped-def]
    """Points of the deal, for the players who took part."""
    if state.played[seat]:
        return np.float64(state.deal_points[seat])
    return game.NOT_IN_ROUND
