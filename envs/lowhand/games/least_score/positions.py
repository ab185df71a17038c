"""Positions of Least Score: set by reset options, and checks of records.

A card is given as a number or a name (`"10♠"`, `"10S"`, `"qh"`), and a list of cards also as one
string, `"7S 8D 9C"`.
"""

import math
import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lowhand.engine.bitset import bits
from lowhand.engine.validation import is_list
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import (
    NO_CARD,
    NUM_CARDS,
    SUITS,
    card_name,
    card_names,
    parse_card,
)
from lowhand.games.least_score.deck import NOBODY, divide_deck
from lowhand.games.least_score.options import MAX_PLAYERS, NO_LIMIT, Options

POSITION = ("hands", "floor", "deck", "buried", "points", "turn", "first_player")
"""The reset options that `set_position` reads."""
MOST_POINTS = 10**9 - 1  # in a position: points are 32-bit integers, below `OUT_STANDING`


def set_position(
    options: Options, rules: np.ndarray, states: np.ndarray, position: Mapping[str, Any]
) -> None:
    """Set what reset options give in `states[0]`, a freshly dealt game; ignore unknown keys.

    Cards that are not given are dealt from those not named, in the order of the deal: hands of
    the usual size, the card that starts the floor, and the deck.

    Args:
        options: the environment's options.
        rules: their Rules record.
        states: (1,) State records.
        position: any of `hands` (the cards of each seat, 1 to `hand_size`), `floor` (cards, or
            none), `deck` (cards in the order of drawing; all that are not named follow; not with
            separate piles), `buried` (cards), `points` (per seat, so few that no player is out),
            `turn` (turns made in this deal), `first_player` (the seat to move; by default the
            dealt starter, or the player to move after that many turns).

    Raises:
        ValueError: the position is impossible; the state is unchanged.
    """
    if not any(name in position for name in POSITION):
        return
    trial = states.copy()
    state = trial[0]
    if "turn" in position:
        _set_turn(rules, state, position["turn"])
    if "first_player" in position:
        _set_mover(state, position["first_player"])
    if "points" in position:
        _set_points(rules, state, position["points"])
    _set_cards(options, rules, state, position)
    states[:] = trial


def _set_turn(rules: np.ndarray, state: np.record, turn: Any) -> None:
    players = int(state.num_players)
    state.turn = _read_integer("turn", turn, 0, int(rules["max_turns"][0, players]) - 1)
    state.moves = state.turn
    state.mover = (int(state.starter) + int(state.turn)) % players


def _set_mover(state: np.record, first: Any) -> None:
    """Set the player to move, and the starter of the deal that follows from it."""
    players = int(state.num_players)
    state.mover = _read_integer("first_player", first, 0, players - 1)
    state.starter = (int(state.mover) - int(state.turn)) % players


def _set_points(rules: np.ndarray, state: np.record, points: Any) -> None:
    players, limit = int(state.num_players), float(state.limit)
    most = 0 if limit == NO_LIMIT else min(MOST_POINTS, math.floor(limit))
    if rules["reach"][0] and most == limit:
        most -= 1
    if not is_list(points) or len(points) != players:
        raise ValueError(f"points must be {players} integers from 0 to {most}, not {points!r}.")
    if limit == NO_LIMIT and any(value != 0 for value in points):
        raise ValueError("this game is a single deal, in which all points are 0.")
    state.points[:players] = [_read_integer("points", value, 0, most) for value in points]


def _set_cards(
    options: Options, rules: np.ndarray, state: np.record, position: Mapping[str, Any]
) -> None:
    """Place all cards: those that are given, and the others as dealt."""
    given = _given_cards(options, int(state.num_players), position)
    named = [card for lists in given.values() for cards in lists for card in cards]
    check_different(named)
    # `state.deck` still holds the whole deal, the first card dealt at its end.
    rest = [int(card) for card in state.deck[options.num_cards - 1 :: -1] if card not in named]
    hands, floor = given.get("hands"), given.get("floor")
    if hands is None:
        hands = [_take_first(rest, options.hand_size) for _ in range(int(state.num_players))]
    if floor is None:
        floor = [_take_first(rest, int(options.open_card))]
    (buried,), (deck,) = given.get("buried", [[]]), given.get("deck", [[]])
    _place_cards(rules, state, hands, floor[0], deck + rest, buried)


def _given_cards(
    options: Options, players: int, position: Mapping[str, Any]
) -> dict[str, list[list[int]]]:
    """The cards that the position gives, as lists of cards by place; duplicates are not checked."""
    given = {
        name: [read_cards(options, name, position[name])]
        for name in ("floor", "deck", "buried")
        if name in position
    }
    if "hands" in position:
        given["hands"] = _read_hands(options, players, position["hands"])
    if len(given.get("floor", [[]])[0]) > options.hand_size:
        raise ValueError(
            f"the floor must be at most {options.hand_size} cards, not"
            f" {card_names(given['floor'][0])}."
        )
    if "deck" in given and options.deal_mode == "stable":
        raise ValueError(
            'deck can\'t be given with deal_mode="stable", where each player has a pile.'
        )
    return given


def _read_hands(options: Options, players: int, hands: Any) -> list[list[int]]:
    most = options.hand_size
    if isinstance(hands, str) or not is_list(hands):
        raise ValueError(f"hands must be {players} lists of cards, not {hands!r}.")
    parsed = [read_cards(options, "hands", hand) for hand in hands]
    if len(parsed) != players or not all(1 <= len(hand) <= most for hand in parsed):
        raise ValueError(f"hands must be {players} lists of 1 to {most} cards, not {hands!r}.")
    return parsed


def _take_first(rest: list[int], count: int) -> list[int]:
    """Remove the first `count` cards from `rest`, and return them."""
    if len(rest) < count:
        raise ValueError("too few cards are left to deal what is not given: give fewer cards.")
    dealt = rest[:count]
    del rest[:count]
    return dealt


def _place_cards(
    rules: np.ndarray,
    state: np.record,
    hands: Sequence[Sequence[int]],
    floor: Sequence[int],
    deck: Sequence[int],
    buried: Sequence[int],
) -> None:
    """Write where all cards are; no player knows cards of another."""
    for seat, hand in enumerate(hands):
        state.hands[seat], state.sizes[seat] = _padded_slots(hand), len(hand)
    state.floor[:], state.floor_size = _padded_slots(floor), len(floor)
    state.buried = np.uint64(sum(1 << card for card in buried))
    state.known[:], state.drawn[:], state.held = 0, 0, np.uint64(0)
    order = [*buried, *(card for hand in hands for card in hand), *floor, *deck]
    state.deck[: len(order)] = order[::-1]
    divide_deck(rules[0], state, len(deck))
    pile = int(state.mover) if rules["stable"][0] else 0
    if not floor and not buried and not state.pile_size[pile]:
        raise ValueError("the player to move must have a card to draw: from floor, deck or buried.")


def _padded_slots(cards: Sequence[int]) -> list[int]:
    return sorted(cards) + [NO_CARD] * (MAX_HAND - len(cards))


def _read_integer(name: str, value: Any, low: int, high: int) -> int:
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ValueError(f"{name} must be given in integers, not as {value!r}.") from None
    if not low <= number <= high:
        raise ValueError(f"{name} must be from {low} to {high}, not {number}.")
    return number


def read_cards(options: Options, name: str, cards: Any) -> list[int]:
    """The cards of a list or a string; `name` is the option that an error names."""
    if isinstance(cards, str):
        cards = cards.split()
    if not is_list(cards):
        raise ValueError(f"{name} must be given as a list of cards, not as {cards!r}.")
    return [read_card(options, card) for card in cards]


def check_different(cards: Sequence[int]) -> None:
    """Check that no card occurs twice."""
    for k, card in enumerate(cards):
        if card in cards[:k]:
            raise ValueError(f"each card exists once, but {card_name(card)} is named twice.")


def read_card(options: Options, given: Any) -> int:
    """The card that a number or a name means."""
    if isinstance(given, str):
        card = parse_card(given)
    else:
        card = _read_integer("a card", given, 0, NUM_CARDS - 1)
    if card // SUITS >= options.ranks or card % SUITS >= options.suits:
        raise ValueError(
            f"{card_name(card)} is not in the deck: ranks={options.ranks}, suits={options.suits}."
        )
    return card


def invalid_state_reason(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Why the record is no position of a match with these options, as a clause, or None.

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
        return "its points limit is another one"
    if not 0 <= state.turn <= rules["max_turns"][0, max(2, int(state.left))]:
        return f"turn {state.turn} is past the limit of turns"
    if not 0 <= state.deals <= options.max_deals or state.moves < 0:
        return "the number of deals or decisions is past its limit"
    counts = ("points", "declared", "wrong", "declared_total", "deals_played", "out_deal", "drawn")
    if any((state[name] < 0).any() for name in counts):
        return "a count is negative"
    return None


def _wrong_places(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Whether a size would read outside a hand, the floor or the deck."""
    if any(not 0 <= size <= options.hand_size for size in (*state.sizes, state.floor_size)):
        return f"a hand or the floor does not have from 0 to {options.hand_size} cards"
    for seat in range(MAX_PLAYERS):
        dealt = seat < options.num_players and (state.over or not state.out[seat])
        if bool(state.sizes[seat]) != dealt and not (state.over and state.out[seat]):
            return f"seat {seat} has {state.sizes[seat]} cards"
    ends = state.pile_start.astype(int) + state.pile_size
    if (state.pile_size < 0).any() or (state.pile_start < 0).any() or (ends > NUM_CARDS).any():
        return "a pile reaches outside the deck"
    if options.deal_mode != "stable" and state.pile_size[1:].any():
        return "players have separate piles"
    return None


def _wrong_cards(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Whether a card of the deck is not in exactly one place, or slots are not sorted."""
    slots = [
        *zip(state.hands.tolist(), state.sizes.tolist(), strict=True),
        (state.floor.tolist(), int(state.floor_size)),
    ]
    for cards, size in slots:
        if sorted(cards) != cards or cards[size:] != [NO_CARD] * (MAX_HAND - size):
            return "slots are not sorted, or hold cards after the last one"
    hands = [cards[:size] for cards, size in slots]
    piles = [
        state.deck[start : start + size].tolist()
        for start, size in zip(state.pile_start.tolist(), state.pile_size.tolist(), strict=True)
    ]
    everywhere = [c for cards in (*hands, *piles, bits(int(state.buried))) for c in cards]
    ranks, suits = range(options.ranks), range(options.suits)
    if sorted(everywhere) != [rank * SUITS + suit for rank in ranks for suit in suits]:
        return f"its cards are not the {options.num_cards} of the deck, each in one place"
    known = [bits(int(state.known[seat])) for seat in range(MAX_PLAYERS)]
    if any(not set(seen) <= set(hand) for seen, hand in zip(known, hands, strict=False)):
        return "a player is known to hold a card that it doesn't hold"
    if not set(bits(int(state.held))) <= {card for hand in hands[:-1] for card in hand}:
        return "a card is known to be in a hand and is not"
    return None
