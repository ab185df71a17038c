"""Least Score as text: the table, and actions as cards.

Cards are numbers from 0 to 51, 4 · rank + suit (`lowhand.games.least_score.cards`), and have names
such as `10♠`; see `lowhand.games.least_score.positions` for how cards may be written.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from lowhand.engine.game import Notation
from lowhand.games.least_score.actions import (
    DECLARE,
    MAX_HAND,
    join_action,
    legal_subsets,
    num_actions,
    split_action,
)
from lowhand.games.least_score.cards import SUITS, card_name, card_names
from lowhand.games.least_score.deck import NOBODY
from lowhand.games.least_score.options import NO_LIMIT, Options
from lowhand.games.least_score.positions import check_different, read_card, read_cards
from lowhand.rendering import quantity, sees_hidden

Card = int | np.integer[Any] | str
Cards = str | Sequence[Card] | np.ndarray

# Cards of a state


def hand_of(state: np.record, seat: int) -> list[int]:
    """The hand of `seat`, slot by slot."""
    return [int(card) for card in state.hands[seat, : state.sizes[seat]]]


def floor_of(state: np.record) -> list[int]:
    """The floor, slot by slot."""
    return [int(card) for card in state.floor[: state.floor_size]]


def total_of(rules: np.ndarray, cards: Sequence[int]) -> int:
    """The total points of these cards."""
    return sum(int(rules["values"][0, card // SUITS]) for card in cards)


# Actions


@dataclass(frozen=True)
class Move:
    """An action in cards, such as `discard 7♠ 8♦ 9♣, take Q♥ from the floor` as a string.

    Attributes:
        declare: whether it declares; then it neither discards nor draws.
        discard: the cards discarded, in the order of slots.
        draw: the card taken from the floor; None is the top of the closed deck.
    """

    declare: bool = False
    discard: tuple[int, ...] = ()
    draw: int | None = None

    def __str__(self) -> str:
        if self.declare:
            return "declare"
        source = "draw from the deck"
        if self.draw is not None:
            source = f"take {card_name(self.draw)} from the floor"
        return f"discard {card_names(self.discard)}, {source}"


def action_to_cards(state: np.record, action: int, options: Options | None = None) -> Move:
    """What `action` discards and draws for the player to move.

    Args:
        state: the game's record, as an environment's `get_state` gives it.
        action: 0 to declare; else `1 + (subset − 1) · (hand_size + 1) + source`. Bit k of
            `subset` is slot k of the hand, `source` 0 the closed deck and k ≥ 1 slot k − 1 of the
            floor; slots are sorted by rank, then suit.
        options: those of the environment (`env.options`); None is the usual game.

    Raises:
        ValueError: there is no such action, or it means a slot without a card. Whether the
            cards are a legal set is not checked.
    """
    return _move(state, action, MAX_HAND if options is None else options.hand_size)


def _move(state: np.record, action: int, hand_size: int) -> Move:
    if isinstance(action, float) or not 0 <= action < num_actions(hand_size):
        raise ValueError(f"an action must be from 0 to {num_actions(hand_size) - 1}, not {action}.")
    if action == DECLARE:
        return Move(declare=True)
    hand, floor = hand_of(state, int(state.mover)), floor_of(state)
    subset, source = split_action(int(action), hand_size)
    if subset >> len(hand) or source > len(floor):
        raise ValueError(
            f"action {action} means a slot without a card: the hand is {card_names(hand)}, the"
            f" floor {card_names(floor)}."
        )
    discard = tuple(card for slot, card in enumerate(hand) if subset >> slot & 1)
    return Move(discard=discard, draw=floor[source - 1] if source else None)


def cards_to_action(
    state: np.record,
    discard: Cards = (),
    draw: Card | None = None,
    *,
    declare: bool = False,
    options: Options | None = None,
) -> int:
    """The action of the player to move with these cards: the inverse of `action_to_cards`.

    Args:
        state: the game's record, as an environment's `get_state` gives it.
        discard: the cards to discard, in any order.
        draw: a card of the floor; None draws from the closed deck.
        declare: True to declare, without any cards.
        options: those of the environment (`env.options`); None is the usual game.

    Raises:
        ValueError: the action is not legal; the message says why.
    """
    chosen = Options() if options is None else options
    if state.over:
        raise ValueError("the game is over: no player is to move.")
    if declare:
        if len(discard) or draw is not None:
            raise ValueError("a declaration neither discards nor draws: give no cards with it.")
        return _checked_declaration(chosen, state)
    subset = _checked_discard(chosen, state, read_cards(chosen, "discard", discard))
    return int(join_action(subset, _checked_source(chosen, state, draw), chosen.hand_size))


@cache
def _rules_of(options: Options) -> np.ndarray:
    return options.rules()


def _checked_declaration(options: Options, state: np.record) -> int:
    total = total_of(_rules_of(options), hand_of(state, int(state.mover)))
    if state.turn < state.left:
        raise ValueError("no player may declare in the first round of a deal.")
    if options.declare_limit is not None and total > options.declare_limit:
        raise ValueError(
            f"a hand of {total} points may not declare: the limit is {options.declare_limit}."
        )
    return DECLARE


def _checked_discard(options: Options, state: np.record, cards: Sequence[int]) -> int:
    """The subset of the mover's slots that hold these cards."""
    seat, subset = int(state.mover), 0
    hand = hand_of(state, seat)
    if not cards:
        raise ValueError("a turn discards at least one card: name it, or declare.")
    check_different(cards)
    for card in cards:
        if card not in hand:
            raise ValueError(
                f"player_{seat} does not hold {card_name(card)}; its hand is {card_names(hand)}."
            )
        subset |= 1 << hand.index(card)
    legal = int(legal_subsets(_rules_of(options)[0], state.hands, seat, len(hand)))
    if not legal >> (subset - 1) & 1:
        sets = "; ".join(
            card_names(card for slot, card in enumerate(hand) if (bit + 1) >> slot & 1)
            for bit in range(2 ** len(hand) - 1)
            if legal >> bit & 1
        )
        raise ValueError(
            f"{card_names(cards)} may not be discarded together; legal from this hand are {sets}."
        )
    return subset


def _checked_source(options: Options, state: np.record, draw: Card | None) -> int:
    """The source that `draw` means: 0 for the closed deck, else the floor's slot + 1."""
    floor = floor_of(state)
    if draw is None:
        pile = int(state.mover) if options.deal_mode == "stable" else 0
        if not state.pile_size[pile] and not state.buried:
            raise ValueError(
                f"the closed deck has no card to draw: take one of the floor's {card_names(floor)}."
            )
        return 0
    card = read_card(options, draw)
    if card not in floor:
        raise ValueError(f"{card_name(card)} is not on the floor, which has {card_names(floor)}.")
    return floor.index(card) + 1


def describe_action(rules: np.ndarray, state: np.record, action: int) -> str:
    """The action in words, such as `discard 7♠ 8♦ 9♣, take Q♥ from the floor`."""
    move = _move(state, action, int(rules["hand_size"][0]))
    if move.declare:
        total = total_of(rules, hand_of(state, int(state.mover)))
        return f"declare with {quantity(total, 'point')}"
    return str(move)


_FILLERS = ("discard", "draw", "from", "the", "deck", "floor")


def read_action(options: Options, state: np.record, text: str) -> int:
    """The action written as `7s 8d`, `7s 8d take qh` or `declare`.

    Raises:
        ValueError: the text means no action, or an illegal one; the message says why.
    """
    words = text.replace(",", " ").replace("+", " take ").lower().split()
    words = [word for word in words if word not in _FILLERS]
    if words and "declare".startswith(words[0]):
        return cards_to_action(state, words[1:], declare=True, options=options)
    if "take" not in words:
        return cards_to_action(state, words, options=options)
    at = words.index("take")
    taken = words[at + 1 :]
    if len(taken) != 1:
        raise ValueError("a turn takes one card: name one after `take`.")
    return cards_to_action(state, words[:at], taken[0], options=options)


NOTATION = Notation(
    help="the cards to discard, as in 7s 8d (the deck gives a new one), or 7s 8d take qh to take"
    " an open one; or declare",
    read=read_action,
)


# The table


def render(rules: np.ndarray, state: np.record, viewer: int | None) -> str:
    """The table as `viewer` (a seat, or None for one that sees all hands) sees it.

    Cards of the floor and of open hands have numbers: those of the floor are the sources of an
    action, those of a hand its slots. After the end of a game all hands are open. The result
    of a deal is shown until each player has had a turn in the next one.
    """
    lines = [head(rules, state), _floor_and_deck(state)]
    lines += [_player_line(rules, state, seat, viewer) for seat in range(int(state.num_players))]
    if shows_result(state):
        lines.append(_result_line(rules, state))
    return "\n".join(lines)


def shows_result(state: np.record) -> bool:
    """Whether the result of the last deal is shown: until each player has had a turn."""
    return bool(state.deals and (state.deal_ended or state.turn < state.left))


def head(rules: np.ndarray, state: np.record) -> str:
    """The deal, its turn and what ends the match, or that the game is over."""
    deals = quantity(int(state.deals), "deal")
    if state.truncated:
        return f"Game stopped after {deals}, the most that are played."
    if state.over:
        return f"Game over after {deals} and {quantity(int(state.moves), 'decision')}."
    most = int(rules["max_turns"][0, int(state.left)])
    turn = f"turn {int(state.turn) + 1} of at most {most}"
    if state.limit == NO_LIMIT:
        return f"Single deal, {turn}."
    word = "at" if rules["reach"][0] else "above"
    return f"Deal {int(state.deals) + 1}, {turn}; out {word} {float(state.limit):g} points."


def _floor_and_deck(state: np.record) -> str:
    """The floor, and how many cards are in the deck and buried."""
    floor = " ".join(f"{k}:{card_name(c)}" for k, c in enumerate(floor_of(state), start=1))
    deck = int(state.pile_size.sum())  # without separate piles all but one are empty
    buried = int(state.buried).bit_count()
    return f"Floor {floor or '–'}; {deck} in the deck, {buried} buried."


def _player_line(rules: np.ndarray, state: np.record, seat: int, viewer: int | None) -> str:
    over, hand = bool(state.over), hand_of(state, seat)
    cards = quantity(len(hand), "card")
    if hand and sees_hidden(state, seat, viewer):
        slots = " ".join(f"{k}:{card_name(card)}" for k, card in enumerate(hand))
        cards = f"{slots} = {total_of(rules, hand)}"
    if state.out[seat]:
        gone = f"out in deal {int(state.out_deal[seat])}"
        cards = f"{cards}, {gone}" if hand else gone
    elif rules["stable"][0]:
        cards += f", {int(state.pile_size[seat])} to draw"
    mark = ">" if seat == state.mover and not over else " "
    return f"{mark} player_{seat}  {int(state.points[seat]):>3} points  {cards}"


def outcome(rules: np.ndarray, state: np.record) -> str:
    """How the last deal ended."""
    if state.declarer == NOBODY:
        how = "reached the limit of turns"
    else:
        # A wrong declaration costs points, unless a tie is wrong and the penalty is 0.
        tie = bool(rules["wrong_tie"][0]) and not state.deal_points[state.played == 1].any()
        wrong = int(state.deal_points[state.declarer]) > 0 or tie
        how = f"player_{int(state.declarer)} declared and was {'wrong' if wrong else 'right'}"
    return f"Deal {int(state.deals)}: {how}"


def _result_line(rules: np.ndarray, state: np.record) -> str:
    seats = [seat for seat in range(int(state.num_players)) if state.played[seat]]
    points = ", ".join(f"player_{seat} {int(state.deal_points[seat])}" for seat in seats)
    return f"{outcome(rules, state)}; points: {points}."
