"""How an environment shows its positions: the render modes that all of them have.

- "ansi": `render` returns the position as text.
- "rgb_array": it returns the position as a picture, (720, 1280, 3) uint8.
- "human": every position is shown in a window; without a display it is printed as text.
- "print": every position is printed as text.

Pictures need Pillow and the window pygame too, which come with the extra `lowhand[render]`.

A position is shown as the seat sees it that is to decide, so that a picture or a video tells no
more than the player knows; at the end all is open. `frame` with `View()` draws everything.
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
"""Modes in which `reset` and `step` show the position without being asked."""

Frame = NDArray[np.uint8]

# What the modes draw and open windows with: the module to import, and the library's name.
_NEEDED = {"rgb_array": {"PIL": "Pillow"}, "human": {"PIL": "Pillow", "pygame": "pygame-ce"}}

# Variables that name a display, or the driver that SDL shall use instead.
_DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER")


def check_mode(game: Game, mode: str | None, allowed: tuple[str, ...] = RENDER_MODES) -> None:
    """Refuse a render mode that there is not, or that this installation can't draw.

    Raises:
        ValueError: there is no such mode, for this game.
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
        rules: its options as `options.rules()` gives them.
        state: a record of the game: an environment's `get_state()`, a row of a batch's `states`.
        view: who looks; `View()` shows everything, hidden cards and chips included.

    Returns:
        (720, 1280, 3) uint8.
    """
    assert game.picture is not None
    return to_array(game.picture(rules, state, view))


class Screen:
    """Where one environment shows its positions.

    Args:
        game: whose `picture` and `render` are used; it is not kept.
        mode: one of `RENDER_MODES`, or None.
        fps: pictures a second of the window.
    """

    def __init__(self, game: Game, mode: str | None, fps: float) -> None:
        self._mode = mode
        self._window: Window | None = None
        if mode == "human" and game.picture is not None and _can_open():
            self._window = Window(fps)

    def show(
        self, game: Game, rules: np.ndarray, state: np.record, view: View
    ) -> str | Frame | None:
        """Show a position in the mode, or return it where the mode says so."""
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
    """Pygame's window. A process has one, so that environments side by side share it.

    Who closes it by hand has seen enough: it stays closed, and the game goes on without it.

    Args:
        fps: how many pictures are shown in a second, at most.
    """

    def __init__(self, fps: float) -> None:
        self._seconds = 1 / fps
        self._until = 0.0  # when the picture now shown has been shown long enough
        self._last: bytes | None = None
        self._closed_by_hand = False

    def show(self, pixels: Frame) -> bool:
        """Show a picture until its time is over; the same one again takes no time.

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
        except pygame.error:  # there is no display after all, or another thread has closed it
            return False
        return True

    def __getstate__(self) -> dict[str, Any]:
        """For pickles, which may be read elsewhere: neither the picture nor this clock's time."""
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
    """The window's surface; the window is opened if it is not there.

    Raises:
        pygame.error: it can't be.
    """
    import pygame

    surface = pygame.display.get_surface() if pygame.display.get_init() else None
    if surface is None or surface.get_size() != size:
        pygame.display.init()
        surface = pygame.display.set_mode(size)
        pygame.display.set_caption("lowhand")
    return surface


def _can_open(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a window can be expected to open here.

    SDL draws into memory, unseen, where it finds no display and nobody told it what to do.
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
