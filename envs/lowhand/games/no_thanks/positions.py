"""Whether a record is a game of No Thanks!: what `set_state` asks of records from outside."""

import numpy as np

from lowhand.games.no_thanks.rules import MAX_CHIPS, MAX_PLAYERS, NO_CARD, Options, card_points


def invalid_state_reason(options: Options, rules: np.ndarray, state: np.record) -> str | None:
    """What can't be in a game with these options, as a clause, or None.

    Compiled code trusts a record: an index outside its array would corrupt memory.
    """
    players, turned = int(state.num_players), int(state.turned)
    if players != options.num_players:
        return f"it has {players} players and not {options.num_players}"
    if not 0 <= state.mover < players or state.over not in (0, 1):
        return "the player to move is none of them"
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
        return "a seat at which nobody sits has cards or chips"
    return None if state.moves >= 0 else "the number of decisions is negative"
