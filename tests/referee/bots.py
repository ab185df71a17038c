"""The scripted No Thanks! players of BASELINES.md as plain functions (table, seat, ...) -> action.

Each is written from its formula alone, in double precision and in the order in which the formula
is printed (`a*L/23` is `(a*L)/23`). The names of the formulas: `d` is the score change of taking
the offered card (its runs only, no chips), `pot` the chips on it, `L` the cards not yet turned,
`c` the card. Chips of other players are known by perfect recall (NT-11), and a player's "score" is
always card points minus chips (NT-9). The constants 23, 24, 33, 35, 11 stay what they are in
reduced games, in which they break nothing: no divisor depends on the game.

Everybody takes without chips (NT-7). Nobody looks at the deck's order or at the removed cards.
"""

from __future__ import annotations

import math
import random as random_module
from collections.abc import Callable
from functools import wraps

from tests.referee.no_thanks import PASS, TAKE, Table

Bot = Callable[..., int]


def takes_without_chips(bot: Bot) -> Bot:
    """NT-7 before any formula: a seat without chips takes."""

    @wraps(bot)
    def decide(table: Table, seat: int, *args: object, **kwargs: object) -> int:
        return TAKE if table.chips[seat] == 0 else bot(table, seat, *args, **kwargs)

    return decide


def offer(table: Table) -> int:
    """The card on offer; there is one whenever a bot is asked."""
    assert table.offered is not None
    return table.offered


def take_if(condition: bool) -> int:
    return TAKE if condition else PASS


def opponents(table: Table, seat: int) -> list[int]:
    """The other seats in order of play: the one that decides after `seat` comes first."""
    return [(seat + k) % table.num_players for k in range(1, table.num_players)]


def neighbour_in(cards: set[int], card: int, distance: int = 1) -> bool:
    """Whether card - distance or card + distance is among the cards."""
    return card - distance in cards or card + distance in cards


def cards_of_opponents(table: Table, seat: int) -> set[int]:
    """All cards in front of other players."""
    return set().union(*(table.cards[other] for other in opponents(table, seat)))


@takes_without_chips
def random(table: Table, seat: int, rng: random_module.Random, p: float = 0.5) -> int:
    """`random`, `random:p`: takes with probability p where it could pass.

    Uniform over the legal actions is p = 0.5.
    """
    return take_if(rng.random() < p)


@takes_without_chips
def threshold(table: Table, seat: int, limit: float = 0) -> int:
    """`threshold:T`: takes iff d - pot <= T. Source: folklore."""
    return take_if(table.score_change(seat, offer(table)) - table.pot <= limit)


def greedy(table: Table, seat: int) -> int:
    """`greedy` = `threshold:0`: takes what doesn't cost points now. Source: folklore."""
    return threshold(table, seat, 0)


def sequence(table: Table, seat: int) -> int:
    """`sequence` = `threshold:10`. Source: github raaperrotta."""
    return threshold(table, seat, 10)


@takes_without_chips
def chip_value(table: Table, seat: int, a: float, b: float, extort: bool = False) -> int:
    """`chip_value:a,b`: takes iff d <= pot * (1 + a*L/23) + b. Source: this project's own family.

    `extort` turns a take into a pass if all opponents have a chip and none of them would take: the
    k-th player after the mover is asked the same plain rule (without `extort`) with its own d, at
    the pot it would see when everybody before it passes, pot + k, and the same L.
    """

    def would_take(player: int, pot: int) -> bool:
        worth = pot * (1 + a * table.cards_left / 23) + b
        return table.score_change(player, offer(table)) <= worth

    if not would_take(seat, table.pot):
        return PASS
    behind = list(enumerate(opponents(table, seat), start=1))
    safe = all(table.chips[who] > 0 and not would_take(who, table.pot + k) for k, who in behind)
    return PASS if extort and safe else TAKE


@takes_without_chips
def blocker(table: Table, seat: int, milk_limit: int = 2) -> int:
    """`blocker:M`: blocks the leader, else milks a good card, else takes what is nearly free.

    Source: github nishio/nothanks (MIT). "The leader" is the opponent with the lowest score; of
    several the one that decides first after this seat (the formula is silent, the source takes the
    lowest seat number, which would make play depend on who sits where). All costs are at the
    present pot, the opponents' too.
    """
    c, pot = offer(table), table.pot
    cost = table.score_change(seat, c) - pot
    others = opponents(table, seat)
    leader = min(others, key=table.score)  # min keeps the first of equals
    leader_cost = table.score_change(leader, c) - pot
    if table.score(seat) - table.score(leader) <= 12 and cost + leader_cost < 0:
        return TAKE
    unwanted = all(table.chips[o] >= 1 and table.score_change(o, c) - pot > 0 for o in others)
    if cost <= 0 and pot < milk_limit and unwanted:
        return PASS
    return take_if(cost <= 3 / (table.chips[seat] + 1) + 0.5 * (1 - table.cards_left / 23))


@takes_without_chips
def connector(table: Table, seat: int) -> int:
    """`connector`: takes what connects, if somebody else wants it or it pays; else by the pot.

    Source: github coolpapabell2282/NoThanksGA (MIT), a two-player program. With more players B is
    "c-1 or c+1 lies before any opponent" and "an opponent has 0 chips" means at least one has.
    t counts the cards taken before this one. A connecting card that meets none of the three
    conditions is still judged by the pot.
    """
    c, pot = offer(table), table.pot
    mine = neighbour_in(table.cards[seat], c)
    theirs = neighbour_in(cards_of_opponents(table, seat), c)
    somebody_out = any(table.chips[other] == 0 for other in opponents(table, seat))
    if mine and (theirs or pot > 3 or somebody_out):
        return TAKE
    return take_if(pot * (3 - table.taken / 23) > c)


@takes_without_chips
def ratio(table: Table, seat: int, q: float = 0.4) -> int:
    """`ratio:q`: takes iff pot/c > q. Source: github DanielStoyell/nothanksgame."""
    return take_if(table.pot / offer(table) > q)


@takes_without_chips
def sally(table: Table, seat: int) -> int:
    """`sally`: pot per point of the card, with lower limits the better the card connects.

    Source: github DanielStoyell/nothanksgame. "c+-1 is in others' cards" means one of the two
    lies before an opponent; "c+-2 is and q > .1" asks the same of c-2 and c+2. e = 24 - L is 1 for
    the first of 24 cards. The branches exclude each other: a card next to mine is judged by the
    first alone, one that leaves a gap of one open card by the second alone. A middle card
    (5 < c < 28) that fails its own limit meets the higher last one in vain.
    """
    c = offer(table)
    mine, others = table.cards[seat], cards_of_opponents(table, seat)
    e = 24 - table.cards_left
    q = table.pot / c
    if neighbour_in(mine, c):
        if neighbour_in(others, c):
            return TAKE
        if neighbour_in(others, c, distance=2) and q > 0.1:
            return TAKE
        return take_if(q > 0.2)
    gap_above = c + 2 in mine and c + 1 not in others
    gap_below = c - 2 in mine and c - 1 not in others
    if gap_above or gap_below:
        return take_if(q > 0.3 + 0.004 * e)
    if 5 < c < 28 and q > 0.35 + 0.002 * e:
        return TAKE
    return take_if(q > 0.4 + 0.002 * e)


#: The published weights of `linear`, in the order of `linear_features`, and its threshold.
LINEAR_WEIGHTS = (
    0.007316, -2.586556, 1.271264, 0.731221, 0.068293, -0.206154,
    -0.070235, -0.750375, -0.000341, 0.775220, 0.666950, -0.015187,
)  # fmt: skip
LINEAR_THRESHOLD = 0.58845


def clamp(x: float) -> float:
    """x, but at least -1 and at most 1."""
    return max(-1.0, min(1.0, x))


def linear_features(table: Table, seat: int) -> list[float]:
    """The twelve features of `linear`, see there."""
    c, pot = offer(table), table.pot
    mine, chips = table.cards[seat], table.chips[seat]
    d = table.score_change(seat, c)
    best_other = min(table.score(other) for other in opponents(table, seat))
    extends = neighbour_in(mine, c)
    return [
        (c - 3) / 32,
        pot / 33,
        (c - pot) / 35,
        chips / 11,
        float(extends),
        float(c - 1 in mine and c + 1 in mine),
        min(abs(c - own) for own in mine) / 32 if mine else 1.0,
        table.cards_left / 24,
        clamp((table.score(seat) - best_other) / 35),
        clamp((d - pot) / 35),
        1 - math.sqrt(chips / 11),
        max(0, c - d) / 32 if extends else 0.0,
    ]


@takes_without_chips
def linear(table: Table, seat: int) -> int:
    """`linear`: takes iff the weighted sum of twelve features is below a threshold.

    Source: github RaggedR/no-thanks. "Best other" is the lowest score of an opponent; the distance
    is |c - own card| to the nearest own card, 1 (undivided) without any. "Clamp to +-1" is read as
    what the word clamp means in features 9 and 10; feature 12, the last, is not clamped (as in the
    source; it exceeds 1 only when a card above 15 bridges two runs). L/24 is L over 24, so at most
    23/24. The sum runs from the first feature to the last.
    """
    total = 0.0
    for weight, feature in zip(LINEAR_WEIGHTS, linear_features(table, seat), strict=True):
        total += weight * feature
    return take_if(total < LINEAR_THRESHOLD)
