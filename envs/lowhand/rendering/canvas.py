"""The canvas of a game's picture, and the parts that the pictures of all games share.

A game's `picture` draws a position with these. All pictures are `WIDTH` × `HEIGHT` pixels, so that
the frames of a video fit together. Pillow draws them; it comes with the extra `lowhand[render]`
and is imported when the first picture is drawn. The font is the one inside Pillow, which lacks
suits and dashes: they are drawn as shapes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lowhand.engine.game import View, ranking_score

if TYPE_CHECKING:
    from PIL.Image import Image
    from PIL.ImageFont import FreeTypeFont

Colour = tuple[int, int, int]
Point = tuple[float, float]

WIDTH, HEIGHT = 1280, 720
MARGIN = 20
_TAG_SIZE = 14
_SCALE = 2  # pictures are drawn this much larger and then reduced, which smooths the edges

FELT, PANEL, RAISED = (20, 74, 62), (15, 58, 49), (26, 92, 76)
TEXT, FAINT, GOLD = (243, 240, 228), (158, 190, 178), (246, 200, 78)
WHITE, SHADOW, INK, SLATE = (255, 255, 255), (11, 44, 37), (34, 38, 44), (70, 100, 92)
RED_SUIT, LIGHT_RED = (200, 34, 46), (255, 138, 128)
BACK, BACK_LINES = (44, 82, 150), (96, 134, 198)
SEATS: tuple[Colour, ...] = (
    (86, 180, 233), (230, 159, 0), (0, 190, 140), (240, 228, 66),
    (213, 110, 40), (222, 140, 190), (150, 150, 235), (190, 190, 190),
)  # fmt: skip


class Box(NamedTuple):
    """A rectangle in pixels: its upper left corner and its size."""

    x: float
    y: float
    w: float
    h: float

    @property
    def middle(self) -> Point:
        """Its centre."""
        return self.x + self.w / 2, self.y + self.h / 2

    def inset(self, by: float) -> Box:
        """The rectangle that is smaller by `by` pixels on each side."""
        return Box(self.x + by, self.y + by, self.w - 2 * by, self.h - 2 * by)


@cache
def _font(size: int) -> FreeTypeFont:
    from PIL import ImageFont

    return ImageFont.load_default(size)  # type: ignore[return-value]  # FreeType is in all wheels


_DRAWN = re.compile("([♣♦♥♠–−])")  # signs that the font lacks
_SIGN_WIDTH = 0.88  # of the size of the text around


class Canvas:
    """A drawing surface. Coordinates and sizes are in pixels of the finished picture."""

    def __init__(self) -> None:
        from PIL import Image, ImageDraw

        self._image = Image.new("RGB", (WIDTH * _SCALE, HEIGHT * _SCALE), FELT)
        self._draw = ImageDraw.Draw(self._image)

    def finish(self) -> Image:
        """The finished picture, RGB, `WIDTH` × `HEIGHT`."""
        return self._image.reduce(_SCALE)

    def rectangle(
        self,
        box: Box,
        fill: Colour | None = None,
        radius: float = 0,
        outline: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw a rectangle with round corners; its outline lies inside."""
        corners = _scaled((box.x, box.y), (box.x + box.w, box.y + box.h))
        self._draw.rounded_rectangle(
            corners, radius * _SCALE, fill, outline, round(width * _SCALE) if outline else 0
        )

    def disc(
        self,
        centre: Point,
        radius: float,
        fill: Colour,
        outline: Colour | None = None,
        width: float = 1,
    ) -> None:
        """Draw a disc; its outline lies inside."""
        (x, y) = centre
        corners = _scaled((x - radius, y - radius), (x + radius, y + radius))
        self._draw.ellipse(corners, fill, outline, round(width * _SCALE) if outline else 0)

    def shape(self, points: Sequence[Point], fill: Colour) -> None:
        """Draw a filled polygon."""
        self._draw.polygon(_scaled(*points), fill)

    def line(self, start: Point, end: Point, fill: Colour, width: float) -> None:
        """Draw a straight line."""
        self._draw.line(_scaled(start, end), fill, round(width * _SCALE))

    def suit(self, centre: Point, size: float, suit: str, fill: Colour) -> None:
        """Draw one of ♣♦♥♠ with the height `size`."""
        x, y = centre
        for polygon in _suit_shapes()[suit]:
            self.shape([(x + size * a, y + size * b) for a, b in polygon], fill)

    def half_turn(self, box: Box, corner: Point) -> None:
        """Copy the upper left `corner` (width, height) of `box`, rotated, to the lower right."""
        (w, h), pixels = corner, self._image
        (left, top), (right, bottom) = _scaled((box.x, box.y), (box.x + w, box.y + h))
        edges = round(left), round(top), round(right), round(bottom)
        rotated = pixels.crop(edges).rotate(180)
        ((x, y),) = _scaled((box.x + box.w - w, box.y + box.h - h))
        pixels.paste(rotated, (round(x), round(y)))

    def text_width(self, words: str, size: float) -> float:
        """The width of `words` in pixels."""
        font = _font(round(size * _SCALE))
        parts = _DRAWN.split(words)
        drawn = size * _SIGN_WIDTH * (len(parts) // 2)
        return drawn + sum(font.getlength(part) for part in parts[::2]) / _SCALE

    def text(
        self,
        at: Point,
        words: str,
        size: float,
        fill: Colour = TEXT,
        align: str = "left",
        bold: bool = False,
        width: float | None = None,
    ) -> float:
        """Draw a line of text, with its height centred on `at`; too wide text is made smaller.

        Args:
            at: its start, centre or end, as `align` says.
            words: the text.
            size: of the font, in pixels.
            fill: its colour.
            align: "left", "centre" or "right".
            bold: whether its lines are thicker.
            width: its largest width.

        Returns:
            Its width.
        """
        long = self.text_width(words, size)
        if width is not None and long > width:
            size, long = size * width / long, width
        x, y = at[0] - long * {"left": 0, "centre": 0.5, "right": 1}[align], at[1]
        font, stroke = _font(round(size * _SCALE)), size * _SCALE / 44 if bold else 0
        for part in _DRAWN.split(words):
            if _DRAWN.fullmatch(part):
                self._sign((x + size * _SIGN_WIDTH / 2, y), part, size, fill)
                x += size * _SIGN_WIDTH
            else:
                place = (x * _SCALE, y * _SCALE)
                self._draw.text(place, part, fill, font, "lm", stroke_width=stroke)
                x += font.getlength(part) / _SCALE
        return long

    def paragraph(self, at: Point, words: str, size: float, fill: Colour, width: float) -> None:
        """Draw text in lines no wider than `width`, from the upper left corner `at`."""
        lines: list[str] = []
        for word in words.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.text_width(longer, size) <= width:
                lines[-1] = longer
            else:
                lines.append(word)
        for row, line in enumerate(lines):
            self.text((at[0], at[1] + (row + 0.5) * size * 1.35), line, size, fill, width=width)

    # Parts of a picture

    def header(self, title: str, words: str) -> None:
        """Draw the name of the game, and `words` about its progress."""
        used = self.text((MARGIN, 32), title, 30, bold=True)
        left = WIDTH - 3 * MARGIN - used
        self.text((WIDTH - MARGIN, 33), words, 21, FAINT, "right", width=left)

    def caption(self, notes: Sequence[str]) -> None:
        """Draw the last notes that fit into a line, at the bottom."""
        size, room = 18, WIDTH - 2 * MARGIN
        kept: list[str] = list(notes)
        line = "   ·   ".join(kept)
        while len(kept) > 1 and self.text_width(line, size) > room:
            del kept[0]
            line = "   ·   ".join(["…", *kept])
        self.text((MARGIN, HEIGHT - 22), line, size, FAINT, width=room)

    def card_back(self, box: Box) -> None:
        """Draw a card face down."""
        self.blank_card(box)
        inner = box.inset(box.w * 0.08)
        self.rectangle(inner, BACK, box.w * 0.1 * 0.6)
        across = 4
        step = inner.w / across
        down = max(1, round(inner.h / step))
        high = inner.h / down
        for column in range(across):
            for row in range(down):
                x, y = inner.x + (column + 0.5) * step, inner.y + (row + 0.5) * high
                a, b = step * 0.3, high * 0.3
                self.shape([(x, y - b), (x + a, y), (x, y + b), (x - a, y)], BACK_LINES)

    def blank_card(self, box: Box) -> None:
        """Draw a card without a face, with a shadow."""
        radius, lift = box.w * 0.1, max(1.0, box.w * 0.025)
        self.rectangle(Box(box.x + lift, box.y + lift, box.w, box.h), SHADOW, radius)
        self.rectangle(box, WHITE, radius, (176, 180, 178), 1)

    def card_pile(self, box: Box, count: int, label: str) -> None:
        """Draw a pile of `count` cards face down with a label below; an empty place without any."""
        if count == 0:
            self.rectangle(box, None, box.w * 0.1, RAISED, 2)
        layers = min(count, 4)
        for layer in range(layers):
            lift = 3 * (layers - 1 - layer)
            self.card_back(Box(box.x + lift, box.y + lift, box.w, box.h))
        at = box.x + box.w / 2, box.y + box.h + 26
        self.text(at, label, 18, FAINT, "centre", width=box.w + 40)

    def panel(self, box: Box, to_move: bool) -> None:
        """Draw the place of a player, with a golden frame for the player to move."""
        self.rectangle(box, RAISED if to_move else PANEL, 12, GOLD if to_move else None, 3)

    def name_plate(
        self, at: Point, seat: int, tags: Sequence[str], dim: bool, width: float
    ) -> None:
        """Draw the colour and name of a player, and as many tags such as "to move" as fit."""
        x, y = at
        end = x + width
        self.disc((x + 9, y), 9, SLATE if dim else SEATS[seat % len(SEATS)], SHADOW)
        x += 27 + self.text((x + 27, y), f"player_{seat}", 20, FAINT if dim else TEXT, bold=True)
        for tag in tags:
            wide = self.text_width(tag, _TAG_SIZE) + 16
            if x + 10 + wide > end:
                return
            self._tag(Box(x + 10, y - 11, wide, 22), tag)
            x += 10 + wide

    def _tag(self, box: Box, words: str) -> None:
        """Draw words on a coloured background."""
        strong = words in ("to move", "wins", "illegal action")
        self.rectangle(box, GOLD if strong else FELT, 11)
        self.text(box.middle, words, _TAG_SIZE, INK if strong else FAINT, "centre", bold=strong)

    def _sign(self, centre: Point, sign: str, size: float, fill: Colour) -> None:
        x, y = centre
        if sign in "♣♦♥♠":
            self.suit(centre, size * 0.74, sign, LIGHT_RED if sign in "♦♥" else fill)
        else:
            half = size * _SIGN_WIDTH * 0.36
            self.line((x - half, y + size * 0.05), (x + half, y + size * 0.05), fill, size / 12)


def _scaled(*points: Point) -> list[Point]:
    return [(x * _SCALE, y * _SCALE) for x, y in points]


@cache
def _suit_shapes() -> dict[str, tuple[tuple[Point, ...], ...]]:
    """Polygons of the suits around (0, 0), one unit high."""
    turns = [2 * math.pi * k / 60 for k in range(60)]
    # The heart curve: https://mathworld.wolfram.com/HeartCurve.html
    rows = [(16 * math.sin(t) ** 3, 13 * math.cos(t) - 5 * math.cos(2 * t) - 2 * math.cos(3 * t)
             - math.cos(4 * t)) for t in turns]  # fmt: skip
    heart = tuple((x / 31, -(y + 2.5) / 29) for x, y in rows)
    spade = tuple((x * 0.94, -y * 0.82 - 0.09) for x, y in heart)
    stem = ((-0.03, 0.0), (0.03, 0.0), (0.06, 0.3), (0.2, 0.5), (-0.2, 0.5), (-0.06, 0.3))
    leaves = tuple(
        tuple((x + 0.25 * math.cos(t), y + 0.25 * math.sin(t)) for t in turns)
        for x, y in ((0, -0.25), (-0.25, 0.1), (0.25, 0.1))
    )
    hub = ((-0.12, -0.15), (0.12, -0.15), (0.12, 0.2), (-0.12, 0.2))
    diamond = ((0, -0.5), (0.38, 0), (0, 0.5), (-0.38, 0))
    return {"♥": (heart,), "♠": (spade, stem), "♣": (*leaves, hub, stem), "♦": (diamond,)}


def tags_of(rules: np.ndarray, state: np.record, seat: int, view: View) -> list[str]:
    """The tags of a player in every game: whether it is the viewer, is to move, or has won."""
    tags = ["you"] if view.viewer == seat else []
    if view.offender == seat:
        tags.append("illegal action")
    if view.offender is not None:
        return tags
    if not state.over:
        return [*tags, "to move"] if seat == state.mover else tags
    ranking_scores = [
        float(ranking_score(rules[0], state, k)) for k in range(int(state.num_players))
    ]
    return [*tags, "wins"] if ranking_scores[seat] == min(ranking_scores) else tags


def to_array(picture: Image) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """A picture as a new array (`HEIGHT`, `WIDTH`, 3) uint8."""
    return np.array(picture, np.uint8)
