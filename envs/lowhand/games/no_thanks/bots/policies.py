"""Scripted players of No Thanks!: the published ones and the families around them.

All are honest: they use public information, their own chips, and what a player who remembers
every move knows (all chip counts). Without chips all take. Notation: d is the change of the
player's card points by taking the offered card c, pot the chips on it, left the cards not yet
turned.
"""

import numpy as np

from lowhand.engine import game
from lowhand.engine.bitset import holds
from lowhand.engine.jit import njit
from lowhand.engine.rng import uniform
from lowhand.engine.scripted import BotKind
from lowhand.games.no_thanks.options import MAX_CARDS, Rules
from lowhand.games.no_thanks.rules import PASS, TAKE, score_change

RANDOM, THRESHOLD, CHIP_VALUE, BLOCKER, CONNECTOR, RATIO, SALLY, LINEAR, VALUER = range(9)

_RANDOM_LEGAL = -1.0  # default of `random`: uniform over the legal moves
_DECK = 24.0  # cards of the usual game; the published formulas are written for it
_HUGE = 10**9

LINEAR_WEIGHTS = np.array(
    [0.007316, -2.586556, 1.271264, 0.731221, 0.068293, -0.206154,
     -0.070235, -0.750375, -0.000341, 0.775220, 0.666950, -0.015187]
)  # fmt: skip

BOTS = {
    "random": BotKind(
        RANDOM,
        ("p",),
        (_RANDOM_LEGAL,),
        doc="uniform over the legal moves; `random:p` takes with probability p",
    ),
    "threshold": BotKind(
        THRESHOLD, ("T",), (0.0,), ("extort",), doc="takes iff d − pot ≤ T (folklore)"
    ),
    "greedy": BotKind(THRESHOLD, doc="`threshold:0`"),
    "sequence": BotKind(THRESHOLD, defaults=(10.0,), doc="`threshold:10` (github.com/raaperrotta)"),
    "chip_value": BotKind(
        CHIP_VALUE,
        ("a", "b"),
        (0.5, 2.0),
        ("extort",),
        doc="takes iff d ≤ pot·(1 + a·left/23) + b; with `extort` it passes nevertheless"
        " while no other player would take by the same rule (our own family)",
    ),
    "blocker": BotKind(
        BLOCKER,
        ("M",),
        (2.0,),
        doc="takes to hurt the leader, milks a card that only it wants up to M chips, else weighs"
        " chips and time (github.com/nishio/nothanks, MIT)",
    ),
    "connector": BotKind(
        CONNECTOR,
        ("limit", "factor"),
        (3.0, 3.0),
        doc="takes neighbours of its cards when others want them too or pot > limit, else by"
        " pot·(factor − t/23) > c (github.com/coolpapabell2282/NoThanksGA, MIT)",
    ),
    "ratio": BotKind(
        RATIO, ("q",), (0.4,), doc="takes iff pot/c > q (github.com/DanielStoyell/nothanksgame)"
    ),
    "sally": BotKind(
        SALLY,
        ("scale",),
        (1.0,),
        doc="takes by pot/c with limits by neighbours and time, all times scale"
        " (github.com/DanielStoyell/nothanksgame)",
    ),
    "linear": BotKind(
        LINEAR,
        ("bias", "jitter", "draw"),
        (0.58845, 0.0, 0.0),
        doc="takes iff w·f < bias over twelve features (github.com/RaggedR/no-thanks); each weight"
        " is changed at random by up to the share jitter of it, with the seed draw",
    ),
    "valuer": BotKind(
        VALUER,
        ("chip", "late", "poor", "near", "bias", "noise"),
        (1.0, 0.5, 2.0, 1.0, 0.0, 0.0),
        ("extort",),
        doc="our own family: takes iff d − near·(unseen neighbours) ≤ pot·w + bias, where a chip is"
        " worth w = chip + late·left/23 + poor/(1 + its chips) points; `noise` is the width in"
        " points of a random shift of the limit",
    ),
}

BASELINES = (
    "random", "random:0.1", "greedy", "sequence", "chip_value", "chip_value:0.5,2,extort",
    "blocker:2", "blocker:9", "connector", "ratio:0.4", "sally", "linear",
)  # fmt: skip


@game.act.register(Rules)
@njit
def act(rules, state, bot, key):  # type: ignore[no-untyped-def]
    """The action of `bot` for the player to move; see `BOTS` for the rules."""
    if state.chips[state.mover] == 0:
        return TAKE
    kind, params = bot.kind, bot.params
    if kind == RANDOM:
        take = uniform(key, np.uint64(0)) < _random_probability(params)
    elif kind == BLOCKER:
        take = _blocker(rules, state, params[0])
    elif kind == CONNECTOR:
        take = _connector(state, params[0], params[1])
    elif kind == RATIO:
        q = params[0]
        take = state.pot / state.offered > q
    elif kind == SALLY:
        take = _sally(rules, state, params[0])
    elif kind == LINEAR:
        bias, jitter, draw = params[0], params[1], params[2]
        take = _linear(rules, state, jitter, draw) < bias
    else:
        noise, shift = _noise(kind, params), 0.0
        if noise > 0.0:
            shift = noise * (uniform(key, np.uint64(0)) - 0.5)
        take = _wants(rules, state, kind, params, state.mover, state.pot, shift)
        if take and _extorts(kind, params):
            take = not _others_pass(rules, state, kind, params)
    return TAKE if take else PASS


@njit
def take_probability(rules, state, bot):  # type: ignore[no-untyped-def]
    """The probability that `act` takes, over all keys: 0 or 1 for deterministic players."""
    kind, params = bot.kind, bot.params
    is_random = kind == RANDOM or _noise(kind, params) > 0.0
    if not is_random or state.chips[state.mover] == 0:
        return np.float64(act(rules, state, bot, np.uint64(0)))
    if kind == RANDOM:
        return min(1.0, max(0.0, _random_probability(params)))
    if _extorts(kind, params) and _others_pass(rules, state, kind, params):
        return 0.0
    return _noisy_probability(rules, state, kind, params)


@njit
def _random_probability(params):  # type: ignore[no-untyped-def]
    """The probability that `random` takes where it may pass."""
    p = params[0]
    return 0.5 if p == _RANDOM_LEGAL else p


@njit
def _noise(kind, params):  # type: ignore[no-untyped-def]
    """The width of the random shift of a player's limit; 0 for players without one."""
    return params[5] if kind == VALUER else 0.0


@njit
def _noisy_probability(rules, state, kind, params):  # type: ignore[no-untyped-def]
    """The probability that the mover wants the card by its noisy limit, by bisection.

    A uniform u in [0, 1) raises the limit by noise·(u − 0.5), and a higher limit wants more.
    """
    noise = _noise(kind, params)
    never, always = 0.0, 1.0
    if not _wants(rules, state, kind, params, state.mover, state.pot, 0.5 * noise):
        return 0.0
    if _wants(rules, state, kind, params, state.mover, state.pot, -0.5 * noise):
        return 1.0
    for _ in range(53):  # u has 53 bits
        u = 0.5 * (never + always)
        if _wants(rules, state, kind, params, state.mover, state.pot, noise * (u - 0.5)):
            always = u
        else:
            never = u
    return 1.0 - always


@njit
def _left(rules, state):  # type: ignore[no-untyped-def]
    """Cards not yet turned."""
    return rules.num_turned - state.turned


@njit
def _wants(rules, state, kind, params, seat, pot, shift):  # type: ignore[no-untyped-def]
    """Whether `seat` would take the offered card with `pot` chips on it, by its limit alone."""
    change = score_change(state.cards[seat], state.offered)
    left = _left(rules, state) / (_DECK - 1.0)
    if kind == THRESHOLD:
        most = params[0]
        return change - pot <= most
    if kind == CHIP_VALUE:
        a, b = params[0], params[1]
        return change <= pot * (1.0 + a * left) + b
    chip, late, poor, near, bias = params[0], params[1], params[2], params[3], params[4]
    worth = chip + late * left + poor / (1.0 + state.chips[seat])
    return change - near * _unseen_neighbours(rules, state) <= pot * worth + bias + shift


@njit
def _extorts(kind, params):  # type: ignore[no-untyped-def]
    """Whether the player has the flag `extort`, which follows the parameters of its kind."""
    flag = 1 if kind == THRESHOLD else (2 if kind == CHIP_VALUE else 6)
    return params[flag] > 0.0


@njit
def _others_pass(rules, state, kind, params):  # type: ignore[no-untyped-def]
    """Whether all others have chips and would pass by the same rule.

    The k-th player after the mover would see k more chips in the pot.
    """
    for place in range(1, state.num_players):
        seat = (state.mover + place) % state.num_players
        if state.chips[seat] == 0:
            return False
        if _wants(rules, state, kind, params, seat, state.pot + place, 0.0):
            return False
    return True


@njit
def _unseen_neighbours(rules, state):  # type: ignore[no-untyped-def]
    """The number of cards next to the offered one that may still come: 0 to 2."""
    seen = np.uint64(0)
    for seat in range(state.num_players):
        seen |= state.cards[seat]
    count = 0
    for card in (state.offered - 1, state.offered + 1):
        if rules.low <= card < rules.low + rules.num_cards:
            count += 1 - holds(seen, card)
    return count


@njit
def _others_cards(state):  # type: ignore[no-untyped-def]
    """All cards in front of the mover's opponents."""
    cards = np.uint64(0)
    for seat in range(state.num_players):
        if seat != state.mover:
            cards |= state.cards[seat]
    return cards


@njit
def _score(state, seat):  # type: ignore[no-untyped-def]
    """The current score, with the chips (perfect recall)."""
    return state.points[seat] - state.chips[seat]


@njit
def _blocker(rules, state, most):  # type: ignore[no-untyped-def]
    """Block the leader, milk a card that only the mover wants, else weigh chips and time."""
    me, pot = state.mover, state.pot
    cost = score_change(state.cards[me], state.offered) - pot
    leader, milk = -1, cost <= 0 and pot < most
    for place in range(1, state.num_players):
        seat = (me + place) % state.num_players
        if leader < 0 or _score(state, seat) < _score(state, leader):
            leader = seat
        if state.chips[seat] < 1 or score_change(state.cards[seat], state.offered) - pot <= 0:
            milk = False
    leader_cost = score_change(state.cards[leader], state.offered) - pot
    if _score(state, me) - _score(state, leader) <= 12 and cost + leader_cost < 0:
        return True
    if milk:
        return False
    early = 1.0 - _left(rules, state) / (_DECK - 1.0)
    return cost <= 3.0 / (state.chips[me] + 1) + 0.5 * early


@njit
def _connector(state, limit, factor):  # type: ignore[no-untyped-def]
    """Take neighbours of held cards that others want too; else if pot·(factor − t/23) > c."""
    card = state.offered
    mine, theirs = state.cards[state.mover], _others_cards(state)
    other_broke = False
    for seat in range(state.num_players):
        other_broke = other_broke or (seat != state.mover and state.chips[seat] == 0)
    contested = holds(theirs, card - 1) or holds(theirs, card + 1)
    if holds(mine, card - 1) or holds(mine, card + 1):
        if contested or state.pot > limit or other_broke:
            return True
    taken = state.turned - 1
    return state.pot * (factor - taken / (_DECK - 1.0)) > card


@njit
def _sally(rules, state, scale):  # type: ignore[no-untyped-def]
    """Compare pot/(c·scale) with a limit that depends on neighbours held or gone, and on time."""
    card = state.offered
    mine, theirs = state.cards[state.mover], _others_cards(state)
    elapsed = _DECK - _left(rules, state)
    quotient = state.pot / card / scale
    if holds(mine, card - 1) or holds(mine, card + 1):
        if holds(theirs, card - 1) or holds(theirs, card + 1):
            return True
        if holds(_spread(theirs, 2), card) and quotient > 0.1:
            return True
        return quotient > 0.2
    gap_above = holds(mine, card + 2) and not holds(theirs, card + 1)
    gap_below = holds(mine << np.uint64(2), card) and not holds(theirs, card - 1)
    if gap_above or gap_below:
        return quotient > 0.3 + 0.004 * elapsed
    if 5 < card < 28 and quotient > 0.35 + 0.002 * elapsed:
        return True
    return quotient > 0.4 + 0.002 * elapsed


@njit
def _spread(cards, distance):  # type: ignore[no-untyped-def]
    """The cards that are `distance` above or below one of `cards`."""
    return (cards << np.uint64(distance)) | (cards >> np.uint64(distance))


@njit
def _nearest(cards, card):  # type: ignore[no-untyped-def]
    """Distance from `card` to the nearest card held, or 32 if none is held."""
    for distance in range(1, MAX_CARDS):
        if holds(_spread(cards, distance), card):
            return distance
    return 32


@njit
def _clamp(x):  # type: ignore[no-untyped-def]
    return min(1.0, max(-1.0, x))


@njit
def _weight(k, jitter, draw):  # type: ignore[no-untyped-def]
    """Published weight k, changed at random by up to the share `jitter` of it."""
    return LINEAR_WEIGHTS[k] * (1.0 + jitter * (2.0 * uniform(np.uint64(draw), np.uint64(k)) - 1.0))


@njit
def _linear(rules, state, jitter, draw):  # type: ignore[no-untyped-def]
    """w·f with the published weights, changed by `jitter`; a low value is a reason to take."""
    me, card, pot = state.mover, state.offered, state.pot
    mine = state.cards[me]
    best_other = _HUGE
    for seat in range(state.num_players):
        if seat != me:
            best_other = min(best_other, _score(state, seat))
    below, above = holds(mine, card - 1), holds(mine, card + 1)
    change = score_change(mine, card)
    chips = state.chips[me] / 11.0
    total = _weight(0, jitter, draw) * (card - 3) / 32.0
    total += _weight(1, jitter, draw) * pot / 33.0
    total += _weight(2, jitter, draw) * (card - pot) / 35.0
    total += _weight(3, jitter, draw) * chips
    total += _weight(4, jitter, draw) * (below | above)
    total += _weight(5, jitter, draw) * (below & above)
    total += _weight(6, jitter, draw) * _nearest(mine, card) / 32.0
    total += _weight(7, jitter, draw) * _left(rules, state) / _DECK
    total += _weight(8, jitter, draw) * _clamp((_score(state, me) - best_other) / 35.0)
    total += _weight(9, jitter, draw) * _clamp((change - pot) / 35.0)
    total += _weight(10, jitter, draw) * (1.0 - np.sqrt(chips))
    total += _weight(11, jitter, draw) * (below | above) * max(0, card - change) / 32.0
    return total
