"""No Thanks! as text: the table and the actions."""

from collections.abc import Sequence

import numpy as np

from lowhand.games.no_thanks.positions import held_cards
from lowhand.games.no_thanks.rules import PASS
from lowhand.rendering import quantity, sees_hidden


def runs_of(cards: Sequence[int]) -> list[list[int]]:
    """Ascending cards, split into runs of consecutive numbers."""
    split: list[list[int]] = []
    for card in cards:
        if split and split[-1][-1] == card - 1:
            split[-1].append(card)
        else:
            split.append([card])
    return split


def runs(cards: Sequence[int]) -> str:
    """Cards in runs, such as `7-9 15 20-21`; a dash for none."""
    names = (f"{run[0]}" if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs_of(cards))
    return " ".join(names) or "–"


def describe_action(rules: np.ndarray, state: np.record, action: int) -> str:
    """The action in words, such as `take 17 and 3 chips`."""
    if action == PASS:
        return "pass (1 chip)"
    pot = int(state.pot)
    return f"take {int(state.offered)}" + (f" and {count_chips(pot)}" if pot else "")


def count_chips(count: int) -> str:
    """A number of chips in words, such as `1 chip`."""
    return quantity(count, "chip")


def head(rules: np.ndarray, state: np.record) -> str:
    """The card on offer and how many cards are left, or that the game is over."""
    if state.over:
        return f"Game over after {int(state.moves)} decisions."
    left = int(rules["num_turned"][0]) - int(state.turned)
    offer = f"{int(state.offered)} with {count_chips(int(state.pot))}"
    return f"On offer: {offer}; {quantity(left, 'card')} left."


def render(rules: np.ndarray, state: np.record, viewer: int | None) -> str:
    """The table as `viewer` (a seat, or None for one that sees all chips) sees it."""
    lines = [head(rules, state)]
    for seat in range(int(state.num_players)):
        sees = sees_hidden(state, seat, viewer)
        chips = f"{int(state.chips[seat]):>3} chips" if sees else "  ? chips"
        points = int(state.points[seat])
        total = f", score {points - int(state.chips[seat])}" if sees else ""
        mark = ">" if seat == state.mover and not state.over else " "
        lines.append(
            f"{mark} player_{seat}  {chips}  {runs(held_cards(state, seat))}"
            f"  ({points} points{total})"
        )
    return "\n".join(lines)
