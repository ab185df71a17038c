"""Least Score as a picture: floor and decks on the left, the hands on the right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from lowhand.engine.game import View
from lowhand.games.least_score.actions import MAX_HAND
from lowhand.games.least_score.cards import RANK_NAMES, SUIT_NAMES, SUITS
from lowhand.games.least_score.options import NO_LIMIT
from lowhand.games.least_score.text import (
    floor_of,
    hand_of,
    head,
    outcome,
    shows_result,
    total_of,
)
from lowhand.rendering import sees_hidden
from lowhand.rendering.canvas import (
    FAINT,
    FELT,
    GOLD,
    HEIGHT,
    INK,
    MARGIN,
    RAISED,
    RED_SUIT,
    SLATE,
    TEXT,
    WIDTH,
    Box,
    Canvas,
    tags_of,
)

if TYPE_CHECKING:
    from PIL.Image import Image

_TOP, _BOTTOM, _LEFT, _GAP = 64, HEIGHT - 44, 300, 10  # of the players' places
_SHAPE, _BETWEEN = 1.4, 8  # height of a card over its width; pixels between cards
_PLATE, _POINTS = 54, 110  # height of the name above a hand; width of the points next to it
_TOTAL_WIDTH, _TOTAL_HEIGHT = 70, 40  # room for a hand's total: right of the cards, or below
_WIDEST = 128  # the largest width of a card in a hand


def picture(rules: np.ndarray, state: np.record, view: View) -> Image:
    """The table as `view.viewer` may see it; after the end everything is open."""
    canvas = Canvas()
    canvas.header("Least Score", head(rules, state))
    _draw_floor_and_decks(canvas, rules, state)
    players = int(state.num_players)
    columns = 1 if players <= 3 else 2
    rows = -(-players // columns)
    wide = (WIDTH - MARGIN - _LEFT + _GAP) / columns - _GAP
    high = (_BOTTOM - _TOP + _GAP) / rows - _GAP
    for seat in range(players):
        row, column = divmod(seat, columns)
        place = Box(_LEFT + column * (wide + _GAP), _TOP + row * (high + _GAP), wide, high)
        _draw_player(canvas, place, rules, state, seat, view)
    canvas.caption(view.notes)
    return canvas.finish()


def _draw_floor_and_decks(canvas: Canvas, rules: np.ndarray, state: np.record) -> None:
    """Draw the floor, how the last deal ended, the closed deck and the buried cards."""
    area = Box(MARGIN, _TOP, _LEFT - 2 * MARGIN, 320)
    canvas.text((area.x, area.y + 14), "Floor", 20, bold=True)
    floor = floor_of(state)
    wide = 108 if len(floor) <= 2 else 80
    for k, card in enumerate(floor):
        row, place = divmod(k, 2 if len(floor) <= 2 else 3)
        x, y = area.x + place * (wide + 10), area.y + 38 + row * (wide * _SHAPE + 10)
        _draw_face(canvas, Box(x, y, wide, wide * _SHAPE), card)
    if not floor:
        canvas.rectangle(Box(area.x, area.y + 38, 108, 108 * _SHAPE), None, 11, RAISED, 2)
    if shows_result(state):
        result = outcome(rules, state) + "."
        canvas.paragraph((area.x, area.y + area.h - 36), result, 19, GOLD, area.w)
    deck = int(state.pile_size.sum())  # without separate piles all but one are empty
    buried = int(state.buried).bit_count()
    top = _BOTTOM - 40 - 100 * _SHAPE
    canvas.card_pile(Box(area.x + 6, top, 100, 100 * _SHAPE), deck, f"{deck} in the deck")
    canvas.card_pile(Box(area.x + 142, top, 100, 100 * _SHAPE), buried, f"{buried} buried")


def _draw_player(
    canvas: Canvas, box: Box, rules: np.ndarray, state: np.record, seat: int, view: View
) -> None:
    """Draw a player's name, points and hand."""
    out, hand = bool(state.out[seat]), hand_of(state, seat)
    canvas.panel(box, seat == state.mover and not state.over)
    tags = tags_of(rules, state, seat, view)
    if out:
        tags.append(f"out in deal {int(state.out_deal[seat])}")
    if rules["stable"][0] and not out:
        tags.append(f"{int(state.pile_size[seat])} to draw")
    room = box.w - 32 - _POINTS
    canvas.name_plate((box.x + 16, box.y + 25), seat, tags, dim=out, width=room)
    _draw_points(canvas, box, state, seat)
    total = total_of(rules, hand) if sees_hidden(state, seat, view.viewer) else None
    place = Box(box.x + 16, box.y + _PLATE, box.w - 32, box.h - _PLATE - 12)
    _draw_hand(canvas, place, hand, total)


def _draw_hand(canvas: Canvas, room: Box, hand: Sequence[int], total: int | None) -> None:
    """Draw the cards with their total, or face down where `total` is None."""
    on_the_right = _card_width(room.w - _TOTAL_WIDTH, room.h)
    below = _card_width(room.w, room.h - _TOTAL_HEIGHT)
    wide = max(on_the_right, below)
    high = wide * _SHAPE
    y = room.y + (room.h - high - (_TOTAL_HEIGHT if below > on_the_right else 0)) / 2
    for k, card in enumerate(hand):
        place = Box(room.x + k * (wide + _BETWEEN), y, wide, high)
        if total is None:
            canvas.card_back(place)
        else:
            _draw_face(canvas, place, card)
    if not hand or total is None:
        return
    right = room.x + room.w
    if below > on_the_right:
        used = canvas.text((room.x, y + high + 26), str(total), 30, TEXT, bold=True)
        canvas.text((room.x + used + 8, y + high + 28), "total", 16, FAINT)
    else:
        canvas.text((right, y + high / 2 - 8), str(total), 34, TEXT, "right", bold=True)
        canvas.text((right, y + high / 2 + 20), "total", 16, FAINT, "right")


def _card_width(room: float, high: float) -> float:
    """The largest card width with which a full hand fits into the room."""
    return min(high / _SHAPE, (room + _BETWEEN) / MAX_HAND - _BETWEEN, _WIDEST)


def _draw_points(canvas: Canvas, box: Box, state: np.record, seat: int) -> None:
    """Draw the points of the match, those of the last deal, and a bar up to the limit."""
    right, y = box.x + box.w - 16, box.y + 25
    used = canvas.text((right, y), "points", 15, FAINT, "right")
    points, colour = int(state.points[seat]), FAINT if state.out[seat] else TEXT
    used += 6 + canvas.text((right - used - 6, y), str(points), 22, colour, "right", bold=True)
    if shows_result(state) and state.played[seat]:
        gained = f"+{int(state.deal_points[seat])}"
        canvas.text((right - used - 10, y), gained, 16, GOLD, "right")
    if state.limit != NO_LIMIT:
        bar = Box(box.x + 16, box.y + 40, box.w - 32, 4)
        share = min(1.0, max(0.0, points / float(state.limit)))
        canvas.rectangle(bar, FELT, 2)
        if share:
            reached = Box(bar.x, bar.y, max(4, bar.w * share), bar.h)
            canvas.rectangle(reached, SLATE if state.out[seat] else GOLD, 2)


def _draw_face(canvas: Canvas, box: Box, card: int) -> None:
    """Draw a playing card, face up."""
    rank, suit = RANK_NAMES[card // SUITS], SUIT_NAMES[card % SUITS]
    colour = RED_SUIT if suit in "♦♥" else INK
    canvas.blank_card(box)
    corner = box.x + box.w * 0.19, box.y + box.w * 0.2
    canvas.text(corner, rank, box.w * 0.29, colour, "centre", bold=True, width=box.w * 0.26)
    canvas.suit((corner[0], corner[1] + box.w * 0.26), box.w * 0.19, suit, colour)
    canvas.half_turn(box.inset(box.w * 0.05), (box.w * 0.28, box.w * 0.53))
    canvas.suit(box.middle, box.w * 0.44, suit, colour)
