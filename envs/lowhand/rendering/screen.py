"""The render modes of all environments, and the window that shows pictures.

- "ansi": `render` returns the position as text.
- "rgb_array": it returns the position as a picture, (720, 1280, 3) uint8.
- "human": every position is shown in a window; without a display it is printed as text.
- "print": every position is printed as text.

Pictures need Pillow and the window pygame too, which come with the extra `lowhand[render]`.

A position is shown as the seat to move sees it, so that a picture or a video shows no more than
the player knows; at the end everything is open. `frame` with `View()` draws everything.
"""

import os
import sys
import time
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np
from gymnasium.error import DependencyNotInstalled
from numpy.typing import NDArray

from lowhand.engine.game import Game, View
from lowhand.rendering.canvas import to_array

RENDER_MODES = ("ansi", "human", "print", "rgb_array")
SHOWN_BY_ITSELF = ("human", "print")
"""Modes in which `reset` and `step` call `render` themselves."""

Frame = NDArray[np.uint8]

# What the modes need: the module to import, and the name of its library.
_NEEDED = {"rgb_array": {"PIL": "Pillow"}, "human": {"PIL": "Pillow", "pygame": "pygame-ce"}}

# Environment variables that name a display, or the driver that SDL uses instead.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def check_mode(game: Game, mode: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> None:
    """Check that a render mode exists, and that this installation can draw it.

    Raises:
        ValueError: the game has no such mode.
        DependencyNotInstalled: it needs a library that is not installed.
    """
    if mode not in (None, *allowed):
        choices = ", ".join(map(repr, (None, *allowed)))
        raise ValueError(f"render_mode must be one of {choices}, not {mode!r}.")
    if game.picture is None:  # then "human" prints
        if mode == "rgb_array":
            raise ValueError(f"{game.name} has no pictures: render_mode can't be 'rgb_array'.")
        return
    for module, library in _NEEDED.get(mode or "", {}).items():
        if find_spec(module) is None:
            raise DependencyNotInstalled(
                f"render_mode={mode!r} needs {library}, which the plain install leaves out: install"
                " the extra with `pip install 'lowhand[render]'`, or choose 'print' or 'ansi'."
            )


def frame(game: Game, rules: np.ndarray, state: np.record, view: View) -> Frame:
    """A position as a picture, of a game that has pictures.

    Args:
        game: which game.
        rules: the Rules record of its options, `options.rules()`.
        state: a record of the game: an environment's `get_state()`, a row of a batch's `states`.
        view: the viewer; `View()` shows everything, hidden cards and chips included.

    Returns:
        (720, 1280, 3) uint8.
    """
    assert game.picture is not None
    return to_array(game.picture(rules, state, view))


class Screen:
    """The output of one environment's positions.

    Args:
        game: the game whose positions are shown; it is not kept.
        mode: one of `RENDER_MODES`, or None.
        fps: frames per second of the window.
    """

    def __init__(self, game: Game, mode: str | None, fps: float) -> None:
        self._mode = mode
        self._window: Window | None = None
        if mode == "human" and game.picture is not None and _can_open():
            self._window = Window(fps)

    def show(
        self, game: Game, rules: np.ndarray, state: np.record, view: View
    ) -> str | Frame | None:
        """Show a position, or return it in the modes "ansi" and "rgb_array"."""
        if self._mode == "rgb_array":
            return frame(game, rules, state, view)
        if self._window is not None and self._window.show(frame(game, rules, state, view)):
            return None
        text = "\n".join([*view.notes, game.render(rules, state, view.viewer)])
        if self._mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()


class Window:
    """Pygame's window. A process has one, which all its environments share.

    After a user closes it by hand it stays closed, and the game goes on without it.

    Args:
        fps: the most frames per second.
    """

    def __init__(self, fps: float) -> None:
        self._seconds = 1 / fps
        self._until = 0.0  # until when the current picture is shown
        self._last: bytes | None = None
        self._closed_by_hand = False

    def show(self, pixels: Frame) -> bool:
        """Show a picture until its time is over; showing the same one again takes no time.

        Args:
            pixels: (height, width, 3).

        Returns:
            False if no window can be opened.
        """
        import pygame

        data = pixels.tobytes()
        if self._closed_by_hand or data == self._last:
            return True
        size = pixels.shape[1], pixels.shape[0]
        try:
            surface = _surface(size)
            surface.blit(pygame.image.frombuffer(data, size, "RGB"), (0, 0))
            pygame.display.flip()
            self._last = data
            self._wait()
        except pygame.error:  # there is no display, or another thread has closed it
            return False
        return True

    def __getstate__(self) -> dict[str, Any]:
        """The state for a pickle, without the picture and the time of this machine's clock."""
        return self.__dict__ | {"_last": None, "_until": 0.0}

    def _wait(self) -> None:
        import pygame

        self._until = max(self._until, time.monotonic()) + self._seconds
        while not self._closed_by_hand:
            if any(event.type == pygame.QUIT for event in pygame.event.get()):
                self._closed_by_hand = True
                self.close()
            left = self._until - time.monotonic()
            if left <= 0:
                return
            time.sleep(min(left, 0.05))

    def close(self) -> None:
        """Close the window."""
        import pygame

        self._last = None
        pygame.display.quit()


def _surface(size: tuple[int, int]) -> Any:
    """The window's surface; opens the window if there is none.

    Raises:
        pygame.error: it can't be opened.
    """
    import pygame

    surface = pygame.display.get_surface() if pygame.display.get_init() else None
    if surface is None or surface.get_size() != size:
        pygame.display.init()
        surface = pygame.display.set_mode(size)
        pygame.display.set_caption("lowhand")
    return surface


def _can_open(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a window can be expected to open.

    Without a display and without a chosen driver, SDL draws into memory.
    """
    if sys.platform.startswith("linux") and not any(map(environment.get, _DISPLAYS)):
        return False
    import pygame

    try:
        pygame.display.init()
    except pygame.error:
        return False
    unseen = pygame.display.get_driver() == "offscreen" and "SDL_VIDEODRIVER" not in environment
    if unseen:
        pygame.display.quit()
    return not unseen
