"""Whether a record is a match of Least Score: what `set_state` asks of records from outside."""

import numpy as np

from lowhand.engine.bitset import bits
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import NO_CARD, NUM_CARDS, SUITS
from lowhand.games.least_score.deck import NOBODY
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT, Options


def invalid_state_reason(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """What can't be in a match with these options, as a clause, or None.

    Compiled code trusts a record: an index outside its array would corrupt memory.
    """
    if state.num_players != options.num_players:
        return f"it has {state.num_players} players and not {options.num_players}"
    for check in (_wrong_players, _wrong_numbers, _wrong_places, _wrong_cards):
        wrong = check(options, rules, state)
        if wrong is not None:
            return wrong
    return None


def _wrong_players(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    players = options.num_players
    for name in ("out", "played"):
        if not set(state[name].tolist()) <= {0, 1} or state[name][players:].any():
            return f"{name} is not 0 or 1 for each player"
    if not all(0 <= seat < players for seat in (state.mover, state.starter)):
        return "the player to move or the starter is none of the players"
    if not NOBODY <= state.declarer < players:
        return "the declarer is none of the players"
    if state.left != players - int(state.out.sum()):
        return "the number of players left is not that of those not out"
    if state.over not in (0, 1) or state.truncated not in (0, 1) or state.deal_ended not in (0, 1):
        return "over, truncated or deal_ended is neither 0 nor 1"
    if not state.over and (state.out[state.mover] or state.left < 2):
        return "the player to move is out"
    return None


def _wrong_numbers(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    limits = {float(rules["points_limit"][0])}
    if options.single_deals > 0.0:
        limits.add(NO_LIMIT)
    if float(state.limit) not in limits:
        return "its limit of points is another one"
    if not 0 <= state.turn <= rules["max_turns"][0, max(2, int(state.left))]:
        return f"turn {state.turn} is past the limit of turns"
    if not 0 <= state.deals <= options.max_deals or state.moves < 0:
        return "the number of deals or decisions is past its limit"
    counts = ("points", "declared", "wrong", "declared_total", "deals_played", "out_deal", "drawn")
    if any((state[name] < 0).any() for name in counts):
        return "a count is negative"
    return None


def _wrong_places(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Sizes that would read outside a hand, the floor or the deck."""
    if any(not 0 <= size <= options.hand_size for size in (*state.sizes, state.floor_size)):
        return f"a hand or the floor has not between 0 and {options.hand_size} cards"
    for seat in range(MAX_PLAYERS):
        dealt = seat < options.num_players and (state.over or not state.out[seat])
        if bool(state.sizes[seat]) != dealt and not (state.over and state.out[seat]):
            return f"seat {seat} has {state.sizes[seat]} cards"
    ends = state.pile_start.astype(int) + state.pile_size
    if (state.pile_size < 0).any() or (state.pile_start < 0).any() or (ends > NUM_CARDS).any():
        return "a pile reaches outside the deck"
    if options.deal_mode != "stable" and state.pile_size[1:].any():
        return "players have piles of their own"
    return None


def _wrong_cards(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Every card of the deck is in one place, and slots are sorted."""
    slots = [
        *zip(state.hands.tolist(), state.sizes.tolist(), strict=True),
        (state.floor.tolist(), int(state.floor_size)),
    ]
    for cards, size in slots:
        if sorted(cards) != cards or cards[size:] != [NO_CARD] * (MAX_HAND - size):
            return "slots are not sorted, or hold cards behind the last one"
    hands = [cards[:size] for cards, size in slots]
    piles = [
        state.deck[start : start + size].tolist()
        for start, size in zip(state.pile_start.tolist(), state.pile_size.tolist(), strict=True)
    ]
    everywhere = [c for cards in (*hands, *piles, bits(int(state.buried))) for c in cards]
    if sorted(everywhere) != _whole_deck(options):
        return f"its cards are not the {options.num_cards} of the deck, each in one place"
    known = [bits(int(state.known[seat])) for seat in range(MAX_PLAYERS)]
    if any(not set(seen) <= set(hand) for seen, hand in zip(known, hands, strict=False)):
        return "a player is known to hold a card that it doesn't hold"
    if not set(bits(int(state.held))) <= {card for hand in hands[:-1] for card in hand}:
        return "a card is known to be in a hand and isn't"
    return None


def _whole_deck(options: Options) -> list[int]:
    return [rank * SUITS + suit for rank in range(options.ranks) for suit in range(options.suits)]
