"""No Thanks! as a picture: the card on offer on the left, the players in rows on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lowhand.engine.game import View
from lowhand.games.no_thanks.positions import held_cards
from lowhand.games.no_thanks.text import count_chips, head, runs_of
from lowhand.rendering import sees_hidden
from lowhand.rendering.canvas import (
    FAINT,
    HEIGHT,
    INK,
    MARGIN,
    RAISED,
    TEXT,
    WHITE,
    WIDTH,
    Box,
    Canvas,
    Colour,
    Point,
    tags_of,
)

if TYPE_CHECKING:
    from PIL.Image import Image

# Colours of the cards from the lowest to the highest, as on the box: from cool to hot.
_SCALE: tuple[Colour, ...] = (
    (22, 138, 143), (64, 160, 88), (150, 172, 48), (226, 162, 34), (226, 112, 38), (196, 42, 48),
)  # fmt: skip
_CHIP, _CHIP_EDGE = (196, 40, 52), (255, 226, 214)

_TOP, _BOTTOM, _LEFT = 64, HEIGHT - 44, 280  # edges of the players' rows
_PLATE = 296  # width of the name, chips and score in a row
_SHAPE = 1.4  # height of a card over its width
_PEEK = 0.5  # visible share of a card's width, for all but the lowest card of a run


def picture(rules: np.ndarray, state: np.record, view: View) -> Image:
    """The table as `view.viewer` may see it; after the end everything is open."""
    canvas = Canvas()
    canvas.header("No Thanks!", head(rules, state))
    _draw_offer(canvas, rules, state)
    players = int(state.num_players)
    gap = 8
    high = (_BOTTOM - _TOP + gap) / players - gap
    for seat in range(players):
        box = Box(_LEFT, _TOP + seat * (high + gap), WIDTH - MARGIN - _LEFT, high)
        _draw_player(canvas, box, rules, state, seat, view)
    canvas.caption(view.notes)
    return canvas.finish()


def _draw_offer(canvas: Canvas, rules: np.ndarray, state: np.record) -> None:
    """Draw the card on offer with its chips, and the closed deck below."""
    wide = 168
    card = Box((_LEFT - wide) / 2, _TOP + 14, wide, wide * _SHAPE)
    middle = card.x + wide / 2
    if state.over:
        canvas.rectangle(card, None, wide * 0.1, RAISED, 2)
        canvas.text(card.middle, "game over", 22, FAINT, "centre")
    else:
        _draw_card(canvas, card, int(state.offered), rules)
        pot, top = int(state.pot), card.y + card.h
        _draw_chips(canvas, Box(MARGIN, top + 14, _LEFT - 2 * MARGIN, 66), pot)
        canvas.text((middle, top + 96), count_chips(pot), 22, TEXT, "centre", bold=True)
    left = int(rules["num_turned"][0]) - int(state.turned)
    deck = Box(middle - 45, _BOTTOM - 176, 90, 90 * _SHAPE)
    canvas.card_pile(deck, left, f"{left} left in the deck")


def _draw_player(
    canvas: Canvas, box: Box, rules: np.ndarray, state: np.record, seat: int, view: View
) -> None:
    """Draw a player's name, chips, score and cards."""
    canvas.panel(box, seat == state.mover and not state.over)
    tags = tags_of(rules, state, seat, view)
    low = box.h < 110
    x, top = box.x + 16, box.y + (24 if low else 30)
    canvas.name_plate((x, top), seat, tags, dim=False, width=_PLATE - 16)
    chips, points = int(state.chips[seat]), int(state.points[seat])
    sees = sees_hidden(state, seat, view.viewer)
    y = box.y + box.h - (25 if low else box.h / 2 - 24)
    _draw_chip(canvas, (x + 17, y), 17, str(chips) if sees else "?")
    score = f"score {points - chips}".replace("-", "−") if sees else f"{points} points"
    canvas.text((x + 46, y), score, 20, TEXT if sees else FAINT, bold=sees)
    if sees:
        used = canvas.text_width(score, 20)
        canvas.text((x + 58 + used, y), f"{points} – {chips}", 16, FAINT)
    _draw_runs(canvas, Box(box.x + _PLATE, box.y, box.w - _PLATE, box.h).inset(9),
               runs_of(held_cards(state, seat)), rules)  # fmt: skip


def _draw_runs(canvas: Canvas, box: Box, runs: Sequence[Sequence[int]], rules: np.ndarray) -> None:
    """Draw a player's runs as large as they fit; the lowest card of each, which counts, on top."""
    high = min(box.h, 132.0)
    while len(lines := _lines_of_runs(runs, high / _SHAPE, box.w)) * (high + 6) > box.h + 6:
        high -= 1
    wide = high / _SHAPE
    y = box.y + (box.h - len(lines) * (high + 6) + 6) / 2
    for line in lines:
        x = box.x
        for run in line:
            for place in reversed(range(len(run))):
                card = Box(x + place * _PEEK * wide, y, wide, high)
                _draw_card(canvas, card, run[place], rules, covered=place > 0)
            x += _run_width(run, wide) + wide * 0.18
        y += high + 6


def _run_width(run: Sequence[int], wide: float) -> float:
    return wide * (1 + _PEEK * (len(run) - 1))


def _lines_of_runs(
    runs: Sequence[Sequence[int]], wide: float, room: float
) -> list[list[Sequence[int]]]:
    """The runs in lines no longer than `room`, with cards of width `wide`."""
    lines: list[list[Sequence[int]]] = []
    used = room
    for run in runs:
        long = _run_width(run, wide)
        if not lines or used + wide * 0.18 + long > room:
            lines.append([])
            used = -wide * 0.18
        lines[-1].append(run)
        used += wide * 0.18 + long
    return lines


def _draw_card(
    canvas: Canvas, box: Box, card: int, rules: np.ndarray, covered: bool = False
) -> None:
    """Draw a card; of a covered one only the right edge is visible."""
    colour = _colour(card, rules)
    canvas.blank_card(box)
    inner = box.inset(box.w * 0.07)
    canvas.rectangle(inner, _mix(colour, WHITE, 0.45) if covered else colour, box.w * 0.07)
    if covered:
        at = box.x + box.w * (1 - _PEEK / 2 - 0.025), box.y + box.h / 2
        canvas.text(at, str(card), box.w * 0.32, _mix(colour, INK, 0.6), "centre", bold=True)
        return
    canvas.text(box.middle, str(card), box.w * 0.6, WHITE, "centre", bold=True)
    if box.w > 60:
        corner = inner.x + box.w * 0.13, inner.y + box.w * 0.13
        canvas.text(corner, str(card), box.w * 0.15, WHITE, "centre", bold=True)
        canvas.half_turn(inner.inset(box.w * 0.03), (box.w * 0.2, box.w * 0.18))


def _colour(card: int, rules: np.ndarray) -> Colour:
    """The colour of a card, by its place between the lowest and the highest of the game."""
    low, span = int(rules["low"][0]), max(1, int(rules["num_cards"][0]) - 1)
    place = (card - low) / span * (len(_SCALE) - 1)
    step = min(int(place), len(_SCALE) - 2)
    return _mix(_SCALE[step], _SCALE[step + 1], place - step)


def _mix(one: Colour, other: Colour, share: float) -> Colour:
    red, green, blue = (round(a + (b - a) * share) for a, b in zip(one, other, strict=True))
    return red, green, blue


def _draw_chips(canvas: Canvas, box: Box, count: int) -> None:
    """Draw up to 60 chips in two rows, closer together the more there are."""
    drawn = min(count, 60)
    rows = [drawn] if drawn <= 7 else [(drawn + 1) // 2, drawn // 2]
    radius = 15.0
    for row, chips in enumerate(rows):
        step = min(2 * radius + 2, (box.w - 2 * radius) / max(1, chips - 1))
        x = box.x + (box.w - step * (chips - 1)) / 2
        y = box.y + box.h / 2 + (row - (len(rows) - 1) / 2) * (2 * radius + 3)
        for place in range(chips):
            _draw_chip(canvas, (x + place * step, y), radius)


def _draw_chip(canvas: Canvas, centre: Point, radius: float, words: str = "") -> None:
    """Draw a chip with text on it."""
    canvas.disc(centre, radius, _CHIP, _mix(_CHIP, INK, 0.5), 1)
    canvas.disc(centre, radius * 0.8, _CHIP, _CHIP_EDGE, max(1, radius * 0.09))
    canvas.text(centre, words, radius * 1.02, WHITE, "centre", bold=True, width=radius * 1.4)
