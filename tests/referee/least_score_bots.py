"""The scripted Least Score players of BASELINES.md as plain functions (table, seat, ...) -> action.

Each is written from its rule alone. The names of the rules: `S` is the mover's total, `v` the
value of a card (LS-2, by the table's `face_values`), `U` the cards unseen. All measures are whole
numbers: where a rule divides, what is compared is multiplied by the divisor, so that equal is
equal.

No player looks at the deck or at other hands; all may use LS-18. Decided here, for all players:

- U are the cards whose place the seat doesn't know with perfect recall. After a reshuffle these are
  the cards "in some hand" too, and those "in the deck or drawn blind since".
- The discard is chosen first, then the draw to go with the cards kept (`lookahead` alone chooses
  both together). Of equal discards the lowest subset counts, of equal floor cards the lowest slot.
- Where the closed deck can't be drawn from (LS-15), the floor card that the rule likes best is
  taken, wanted or not. Where the floor is empty, the deck is drawn from.
- "Makes a pair", "completes a run" mean the cards alone, whatever the option `sets` allows. The
  discards that are compared are always the legal ones.
- "Declare" means: if it is legal (LS-9, `declare_limit` included).
"""

from __future__ import annotations

import random as random_module
from collections.abc import Callable, Sequence
from itertools import combinations

from tests.referee.least_score import Table
from tests.referee.least_score_sets import (
    DECK,
    DECLARE,
    encode,
    is_run,
    legal_subsets,
    rank,
    subset_cards,
)

Bot = Callable[..., int]
Worth = Callable[[list[int]], tuple[int, ...]]


def choose_discard(table: Table, worth: Worth) -> tuple[int, list[int]]:
    """The mover's legal discard of most worth, as a subset, and the cards kept."""
    hand = table.hands[table.mover]
    # max keeps the first, so the lowest subset, of equals
    best = max(table.legal_discards(), key=lambda subset: worth(subset_cards(hand, subset)))
    return best, kept_cards(hand, best)


def kept_cards(hand: Sequence[int], subset: int) -> list[int]:
    discard = subset_cards(hand, subset)
    return [card for card in hand if card not in discard]


def choose_source(table: Table, wanted: Callable[[int], bool], liking: Callable[[int], int]) -> int:
    """The wanted floor card that is liked best; the deck if none is wanted."""
    slots = range(1, len(table.floor) + 1)
    candidates = [slot for slot in slots if wanted(table.floor[slot - 1])]
    if not candidates and table.may_draw_deck(table.mover):
        return DECK
    # max keeps the first, so the lowest slot, of equals
    return max(candidates or slots, key=lambda slot: liking(table.floor[slot - 1]))


def opponents(table: Table, seat: int) -> list[int]:
    """The others who play this deal."""
    return [other for other in table.participants if other != seat]


def random(table: Table, seat: int, rng: random_module.Random) -> int:
    """`random`: uniform over the legal actions."""
    return rng.choice(table.legal_actions())


def greedy(table: Table, seat: int, limit: int = 7) -> int:
    """`greedy:T`: dumps the most points and picks up what is low or pairs.

    Source: github fuzzymango/yaniv2 and others. "Of several the lowest": of several floor cards
    that meet either condition, the one of the lowest value.
    """
    if table.may_declare(seat) and table.total(seat) <= limit:
        return DECLARE
    subset, kept = choose_discard(table, lambda cards: (table.value(cards), len(cards)))

    def wanted(card: int) -> bool:
        v = table.value([card])
        return v <= 3 or (v <= 9 and rank(card) in [rank(own) for own in kept])

    source = choose_source(table, wanted, lambda card: -table.value([card]))
    return encode(subset, source, table.options.hand_size)


def best_next_discard(table: Table, hand: list[int]) -> int:
    """The most points that one discard from the hand could dump; 0 without cards."""
    return max((table.value(cards) for cards in legal_sets(table, hand)), default=0)


def legal_sets(table: Table, hand: list[int]) -> list[list[int]]:
    options = table.options
    subsets = legal_subsets(hand, options.sets, options.two_pairs)
    return [subset_cards(hand, subset) for subset in subsets]


def total_after_next(table: Table, hand: list[int]) -> int:
    """What is left of the hand's total after the best discard of the next turn."""
    return table.value(hand) - best_next_discard(table, hand)


def completes_a_set(table: Table, kept: list[int], card: int) -> bool:
    """Whether a best discard of the next turn is a set of several cards with this one in it."""
    hand = sorted([*kept, card])
    most = best_next_discard(table, hand)
    return any(
        len(cards) > 1 and card in cards and table.value(cards) == most
        for cards in legal_sets(table, hand)
    )


def lookahead(table: Table, seat: int, samples: Sequence[int]) -> int:
    """`lookahead`: the (discard, draw) with the lowest total after the best discard to follow.

    Source: github Ashraf-IITP/LeastScore ("Easy"). `samples` are the 5 of U, the same for all
    discards, or all of U if it has fewer.

    Decided here. "Keeping still" and "no gain" are measured, as in the source, against S. The new
    total is at most the total of the cards kept, which is below S. So every draw improves on S, and
    neither the condition on floor cards nor the exception for aces and twos ever changes a choice:
    both are left out. "Prefer": of floor choices that are equally low, one that completes a set;
    and if the best floor choice completes one, it is taken even if the deck promises less (as in
    the source). Otherwise the lower of floor and deck counts, and of equals the lowest action.
    Without any card unseen, drawing from the deck counts as if nothing were drawn.
    """
    if table.may_declare(seat) and table.total(seat) < 7:
        return DECLARE
    scale = max(1, len(samples))
    from_deck: list[tuple[int, int]] = []
    from_floor: list[tuple[int, bool, int]] = []
    for subset in table.legal_discards():
        kept = kept_cards(table.hands[seat], subset)
        draws = [[*kept, card] for card in samples] or [kept]
        if table.may_draw_deck(seat):
            left = sum(total_after_next(table, hand) for hand in draws)
            from_deck.append((left, encode(subset, DECK, table.options.hand_size)))
        for slot, card in enumerate(table.floor, start=1):
            left = total_after_next(table, [*kept, card]) * scale
            action = encode(subset, slot, table.options.hand_size)
            from_floor.append((left, not completes_a_set(table, kept, card), action))
    if not from_floor:
        return min(from_deck)[1]
    left, completes_nothing, action = min(from_floor)
    if completes_nothing:
        return min([*from_deck, (left, action)])[1]
    return action


def caller(table: Table, seat: int, declare_at: int, take_at: int) -> int:
    """What `aggressive` and `conservative` share. Source: arXiv 2510.11736 (Dhumbal).

    Decided here: 2n counts for sets of two cards or more and is 0 for a single card; "+2" and "-1"
    shift the limit of taking, so that floor cards of up to 6, 4 or 3 points are taken by the first.
    The worth of a discard is compared times S. Of several floor cards the lowest is taken.
    """
    own = table.total(seat)
    if table.may_declare(seat) and own <= declare_at:
        return DECLARE

    def worth(cards: list[int]) -> tuple[int]:
        dumped = table.value(cards)
        several = 2 * len(cards) if len(cards) > 1 else 0
        low_after = 50 if own - dumped <= 10 else 0
        return (own * (dumped + several + low_after) + 10 * dumped,)

    subset, kept = choose_discard(table, worth)
    after = table.value(kept)
    limit = take_at + (2 if after > 15 else -1 if after <= 12 else 0)
    source = choose_source(
        table, lambda card: table.value([card]) <= limit, lambda card: -table.value([card])
    )
    return encode(subset, source, table.options.hand_size)


def aggressive(table: Table, seat: int) -> int:
    """`aggressive`: declares at 10 or less and takes floor cards of about 4."""
    return caller(table, seat, declare_at=10, take_at=4)


def conservative(table: Table, seat: int) -> int:
    """`conservative`: declares at 7 or less and takes floor cards of about 3."""
    return caller(table, seat, declare_at=7, take_at=3)


def count_rank(cards: Sequence[int], r: int) -> int:
    """How many of the cards have the rank."""
    return [rank(card) for card in cards].count(r)


def potential(table: Table, card: int, kept: Sequence[int], unseen: Sequence[int]) -> int:
    """What `tuned` thinks a kept card is worth keeping for.

    Decided here, the first as in the source: "in hand" and "held" mean the cards kept, this one
    among them. Neighbour ranks are one below and one above; king and ace aren't neighbours.
    """
    r = rank(card)
    worth = -table.value([card])
    if count_rank(kept, r) >= 2:
        worth += 68
    else:
        worth += (-26, 12, 30)[min(2, count_rank(unseen, r))]
    neighbours = sum(count_rank(kept, other) > 0 for other in (r - 1, r + 1))
    return worth + (0, 27, 33)[neighbours]


def liking(table: Table, card: int, kept: Sequence[int], unseen: Sequence[int]) -> int:
    """What `tuned` thinks a card is worth drawing for.

    Decided here: "held twice" is two or more of the rank among the cards kept; runs of three are
    those of LS-6, so Q-K-A is one; "no further card" doesn't count the card itself.
    """
    held = count_rank(kept, rank(card))
    run = any(is_run([card, *two]) for two in combinations(kept, 2))
    further = count_rank([other for other in unseen if other != card], rank(card))
    worth = 10 - table.value([card])
    if held >= 1:
        worth += 56
    if held >= 2:
        worth += 24
    if run:
        worth += 73
    if further == 0 and held == 0 and not run:
        worth -= 46
    return worth


def tuned_worth(
    table: Table, discard: Sequence[int], hand: Sequence[int], unseen: Sequence[int]
) -> int:
    """What `tuned` thinks of a discard while all opponents have many cards.

    Decided here: the potentials of all kept cards are added up before the division, and the floor
    of a negative number is the lower one.
    """
    kept = [card for card in hand if card not in discard]
    hopes = sum(potential(table, card, kept, unseen) for card in kept)
    low_after = 79 if table.value(kept) <= 5 else 0
    return 15 * table.value(discard) + 7 * len(discard) + hopes // 20 + low_after


def tuned(table: Table, seat: int) -> int:
    """`tuned`: weights found by genetic search. Source: github vemore/zapzap.

    Decided here: of several floor cards the one of the highest score is the one that counts. Over
    no unseen cards the mean is 0.
    """
    own, smallest = table.total(seat), min(len(table.hands[o]) for o in opponents(table, seat))
    if table.may_declare(seat) and (own <= 2 or (own <= 5 and smallest >= 4)):
        return DECLARE
    hand, unseen = table.hands[seat], table.unseen(seat)

    def worth(cards: list[int]) -> tuple[int]:
        if smallest <= 3:
            return (table.value(cards),)
        return (tuned_worth(table, cards, hand, unseen),)

    subset, kept = choose_discard(table, worth)
    mean_times_n = sum(liking(table, card, kept, unseen) for card in unseen)
    n = max(1, len(unseen))
    source = choose_source(
        table,
        lambda card: (liking(table, card, kept, unseen) - 8) * n > mean_times_n,
        lambda card: liking(table, card, kept, unseen),
    )
    return encode(subset, source, table.options.hand_size)
