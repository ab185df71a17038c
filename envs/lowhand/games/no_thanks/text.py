"""No Thanks! as a person reads it: the table as text, actions as words, positions given."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from lowhand.engine.bitset import bits
from lowhand.engine.validation import is_list
from lowhand.games.no_thanks.rules import MAX_PLAYERS, NO_CARD, PASS, Options, card_points


def held_cards(state: np.record, seat: int) -> list[int]:
    """Cards in front of `seat`, in ascending order."""
    return bits(int(state.cards[seat]))


def runs_of(cards: Sequence[int]) -> list[list[int]]:
    """Cards in ascending order, parted into runs of consecutive numbers."""
    parts: list[list[int]] = []
    for card in cards:
        if parts and parts[-1][-1] == card - 1:
            parts[-1].append(card)
        else:
            parts.append([card])
    return parts


def runs(cards: Sequence[int]) -> str:
    """Cards in runs, such as `7-9 15 20-21`; a dash for none."""
    parts = runs_of(cards)
    return " ".join(f"{p[0]}" if len(p) == 1 else f"{p[0]}-{p[-1]}" for p in parts) or "–"


def describe_action(rules: np.ndarray, state: np.record, action: int) -> str:
    """The action in words, such as `take 17 and 3 chips`."""
    if action == PASS:
        return "pass (1 chip)"
    pot = int(state.pot)
    return f"take {int(state.offered)}" + (f" and {count_chips(pot)}" if pot else "")


def count_chips(count: int) -> str:
    """A number of chips in words, such as `1 chip`."""
    return _count(count, "chip")


def _count(count: int, thing: str) -> str:
    return f"{count} {thing}" + ("" if count == 1 else "s")


def sees_chips(state: np.record, seat: int, viewer: int | None) -> bool:
    """Whether `viewer` (a seat, or None for one who sees all) may see the chips of `seat`."""
    return viewer is None or viewer == seat or bool(state.over)


def head(rules: np.ndarray, state: np.record) -> str:
    """What is on offer and how many cards are left, or that the game is over."""
    if state.over:
        return f"Game over after {int(state.moves)} decisions."
    left = int(rules["num_turned"][0]) - int(state.turned)
    offer = f"{int(state.offered)} with {count_chips(int(state.pot))}"
    return f"On offer: {offer}; {_count(left, 'card')} left."


def render(rules: np.ndarray, state: np.record, viewer: int | None) -> str:
    """The table as `viewer` (a seat, or None for one who sees all chips) sees it."""
    lines = [head(rules, state)]
    for seat in range(int(state.num_players)):
        sees = sees_chips(state, seat, viewer)
        chips = f"{int(state.chips[seat]):>3} chips" if sees else "  ? chips"
        points = int(state.points[seat])
        total = f", score {points - int(state.chips[seat])}" if sees else ""
        mark = ">" if seat == state.mover and not state.over else " "
        lines.append(
            f"{mark} player_{seat}  {chips}  {runs(held_cards(state, seat))}"
            f"  ({points} points{total})"
        )
    return "\n".join(lines)


def set_position(
    options: Options, rules: np.ndarray, states: np.ndarray, position: Mapping[str, Any]
) -> None:
    """Put what reset options give into `states[0]`, a freshly dealt game; unknown keys pass.

    Args:
        options: the environment's options.
        rules: their record.
        states: array of one state.
        position: any of `deck` (cards in the order of turning; the rest is removed),
            `first_player` (a seat), `chips` (per seat), `cards` (per seat, those held already;
            they leave the deck), `pot` (chips on the offered card).

    Raises:
        ValueError: the position is not one that can stand on a table.
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
    flat = [card for hand in hands for card in hand]
    if len(hands) != players or len(set(flat)) != len(flat):
        raise ValueError(f"cards must be {players} lists of different cards, not {cards!r}.")
    if any(not options.low <= card <= options.high for card in flat):
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
        raise ValueError(f"{len(held)} cards are held, so that none is left to offer.")
    if deck is None:
        order = [int(c) for c in state.deck[: options.num_cards] if c not in held]
    else:
        given = _integers("deck", deck)
        if len(set(given)) != len(given) or any(c not in every or c in held for c in given):
            raise ValueError(
                f"deck must be different cards from {options.low} to {options.high} that nobody"
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
        raise ValueError("a pot needs chips: give both, so that their sum is right.")
    if len(chips) != players or min(chips) < 0 or pot < 0 or sum(chips) + pot != total:
        raise ValueError(
            f"chips must be {players} numbers ≥ 0 that make {total} with the pot, not"
            f" {chips} and a pot of {pot}."
        )
    state.chips[:MAX_PLAYERS] = chips + [0] * (MAX_PLAYERS - players)
    state.pot = pot
