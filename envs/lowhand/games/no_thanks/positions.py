"""Positions of No Thanks!: set by reset options, and checks of records."""

import operator
from collections.abc import Mapping
from typing import Any

import numpy as np

from lowhand.engine.bitset import bits
from lowhand.engine.validation import is_list
from lowhand.games.no_thanks.options import MAX_CHIPS, MAX_PLAYERS, Options
from lowhand.games.no_thanks.rules import NO_CARD, card_points


def invalid_state_reason(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """Why the record is no position of a game with these options, as a clause, or None.

    Compiled code trusts a record: an index outside its array would corrupt memory.
    """
    players, turned = int(state.num_players), int(state.turned)
    if players != options.num_players:
        return f"it has {players} players and not {options.num_players}"
    if not 0 <= state.mover < players or state.over not in (0, 1):
        return "the player to move is none of the players"
    if not 1 <= turned <= rules["num_turned"][0]:
        return f"{turned} cards are turned"
    deck = [int(card) for card in state.deck[: options.num_cards]]
    if sorted(deck) != list(range(options.low, options.high + 1)):
        return f"the deck is not the cards from {options.low} to {options.high}"
    taken = deck[: turned if state.over else turned - 1]
    if state.offered != (NO_CARD if state.over else deck[turned - 1]):
        return "the card on offer is not the last one turned"
    hands = [int(cards) for cards in state.cards]
    if sum(hands) != sum(1 << card for card in taken):  # a card held twice would carry over
        return "the cards held are not those that were taken"
    points = [card_points(np.uint64(cards)) for cards in hands]
    if points != state.points.tolist():
        return "the points are not those of the cards held"
    if not all(0 <= chips <= MAX_CHIPS * MAX_PLAYERS for chips in (state.pot, *state.chips)):
        return "chips are negative or too many"
    if any(state.chips[players:]) or any(hands[players:]):
        return "an empty seat has cards or chips"
    return None if state.moves >= 0 else "the number of decisions is negative"


def held_cards(state: np.record, seat: int) -> list[int]:
    """Cards in front of `seat`, in ascending order."""
    return bits(int(state.cards[seat]))


def set_position(
    options: Options, rules: np.ndarray, states: np.ndarray, position: Mapping[str, Any]
) -> None:
    """Set what reset options give in `states[0]`, a freshly dealt game; ignore unknown keys.

    Args:
        options: the environment's options.
        rules: their Rules record.
        states: (1,) State records.
        position: any of `deck` (cards in the order of turning; the rest is removed),
            `first_player` (a seat), `chips` (per seat), `cards` (per seat, those held already;
            they leave the deck), `pot` (chips on the offered card).

    Raises:
        ValueError: the position is impossible.
    """
    state, players = states[0], int(states["num_players"][0])
    if "cards" in position:
        _set_cards(options, state, players, position["cards"])
    if "deck" in position or "cards" in position:
        _set_deck(options, rules, state, players, position.get("deck"))
    if "first_player" in position:
        (first,) = _integers("first_player", [position["first_player"]])
        if first not in range(players):
            raise ValueError(f"first_player must be a seat from 0 to {players - 1}, not {first!r}.")
        state.mover = first
    if "chips" in position or "pot" in position:
        _set_chips(rules, state, players, position)


def _integers(name: str, values: Any) -> list[int]:
    """The values as integers; nothing is rounded."""
    try:
        if any(isinstance(value, (bool, np.bool_)) for value in values):
            raise TypeError
        return [operator.index(value) for value in values]
    except TypeError:
        raise ValueError(f"{name} must be given in integers, not as {values!r}.") from None


def _set_cards(options: Options, state: np.record, players: int, cards: Any) -> None:
    if not is_list(cards):
        raise ValueError(f"cards must be {players} lists of different cards, not {cards!r}.")
    hands = [_integers("cards", hand) for hand in cards]
    held = [card for hand in hands for card in hand]
    if len(hands) != players or len(set(held)) != len(held):
        raise ValueError(f"cards must be {players} lists of different cards, not {cards!r}.")
    if any(not options.low <= card <= options.high for card in held):
        raise ValueError(f"cards must be from {options.low} to {options.high}, not {cards!r}.")
    for seat, hand in enumerate(hands):
        state.cards[seat] = np.uint64(sum(1 << card for card in hand))
        state.points[seat] = card_points(state.cards[seat])


def _set_deck(
    options: Options, rules: np.ndarray, state: np.record, players: int, deck: Any
) -> None:
    held = [card for seat in range(players) for card in held_cards(state, seat)]
    every = range(options.low, options.high + 1)
    to_turn = int(rules["num_turned"][0]) - len(held)
    if to_turn < 1:
        raise ValueError(f"{len(held)} cards are held, so that no card is left to offer.")
    if deck is None:
        order = [int(c) for c in state.deck[: options.num_cards] if c not in held]
    else:
        given = _integers("deck", deck)
        if len(set(given)) != len(given) or any(c not in every or c in held for c in given):
            raise ValueError(
                f"deck must be different cards from {options.low} to {options.high} that no player"
                f" holds, not {deck!r}."
            )
        order = given + [int(c) for c in state.deck[: options.num_cards]
                         if c not in held and c not in given]  # fmt: skip
    full = held + order
    state.deck[: len(full)] = full
    state.turned = len(held) + 1
    state.offered = order[0] if order else NO_CARD


def _set_chips(
    rules: np.ndarray, state: np.record, players: int, position: Mapping[str, Any]
) -> None:
    total = int(rules["chips"][0, players]) * players
    (pot,) = _integers("pot", [position.get("pot", 0)])
    chips = _integers("chips", position.get("chips", state.chips[:players]))
    if "chips" not in position:
        raise ValueError("a pot needs chips: give both, so that the sum is right.")
    if len(chips) != players or min(chips) < 0 or pot < 0 or sum(chips) + pot != total:
        raise ValueError(
            f"chips must be {players} numbers ≥ 0 that make {total} with the pot, not"
            f" {chips} and a pot of {pot}."
        )
    state.chips[:MAX_PLAYERS] = chips + [0] * (MAX_PLAYERS - players)
    state.pot = pot
