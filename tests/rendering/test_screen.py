"""Render modes: pictures, the window, and text where there is none."""

from __future__ import annotations

import copy
import importlib.util
import pickle
import runpy
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import DependencyNotInstalled, ResetNeeded
from gymnasium.wrappers import RecordVideo, RenderCollection
from gymnasium.wrappers.vector import RecordVideo as VectorRecordVideo

from lowhand import least_score_v0, no_thanks_v0
from lowhand.rendering.screen import Window

IDS = ("lowhand/NoThanks-v0", "lowhand/LeastScore-v0")
DOCS = Path(__file__).parents[2] / "docs"
ENVIRONMENTS = [no_thanks_v0.env, least_score_v0.env]


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Pygame with an invisible display, and environments that do not wait."""
    pytest.importorskip("PIL")
    pygame = pytest.importorskip("pygame")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    for made in ENVIRONMENTS:
        monkeypatch.setitem(made.metadata, "render_fps", 1000)
    yield pygame
    pygame.display.quit()


def without(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "lowhand.rendering.screen.find_spec", lambda name: None if name == missing else find(name)
    )


def shown(pygame: Any) -> np.ndarray:
    """What the window shows, (720, 1280, 3)."""
    data = pygame.image.tobytes(pygame.display.get_surface(), "RGB")
    return np.frombuffer(data, np.uint8).reshape(720, 1280, 3)


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_the_window_shows_the_picture_of_every_position(
    make: Any, window: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env, drawn = make(render_mode="human"), make(render_mode="rgb_array")
    for one in (env, drawn):
        one.reset(seed=1)
    for _ in range(3):
        assert np.array_equal(shown(window), drawn.render())
        action = drawn.legal_actions()[-1]
        for one in (env, drawn):
            one.step(action)
    assert env.render() is None
    env.close()
    assert not window.display.get_init()
    assert "player_" not in capsys.readouterr().out


def test_two_environments_share_the_window(window: Any) -> None:
    one, other = (no_thanks_v0.env(render_mode="human") for _ in range(2))
    one.reset(seed=1)
    other.reset(seed=2)
    one.close()
    other.step(1)  # opens it again
    picture = shown(window)
    drawn = no_thanks_v0.env(render_mode="rgb_array")
    drawn.reset(seed=2)
    drawn.step(1)
    assert np.array_equal(picture, drawn.render())


def test_a_window_that_another_thread_closes_is_no_error(
    window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen, pixels = Window(4), np.zeros((720, 1280, 3), np.uint8)
    monkeypatch.setattr(time, "sleep", lambda seconds: window.display.quit())  # meanwhile
    assert not screen.show(pixels)


def test_a_window_closed_by_hand_stays_closed(
    window: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = no_thanks_v0.env(render_mode="human")
    env.reset(seed=1)
    window.event.post(window.event.Event(window.QUIT))
    env.step(1)
    assert not window.display.get_init()
    env.step(1)
    assert not window.display.get_init()
    assert "player_" not in capsys.readouterr().out


def test_the_window_keeps_the_pace_and_does_not_wait_for_the_same_picture(
    window: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr("lowhand.rendering.screen.time.monotonic", lambda: now[0])
    monkeypatch.setattr("lowhand.rendering.screen.time.sleep", sleep)
    screen, pixels = Window(4), np.zeros((720, 1280, 3), np.uint8)
    assert screen.show(pixels)
    assert sum(slept) == pytest.approx(0.25)
    assert screen.show(pixels)
    assert sum(slept) == pytest.approx(0.25)
    assert screen.show(pixels + 1)
    assert sum(slept) == pytest.approx(0.5)


@pytest.mark.parametrize("make", ENVIRONMENTS)
def test_an_environment_with_a_window_can_be_copied_and_pickled(make: Any, window: Any) -> None:
    env = make(render_mode="human")
    env.reset(seed=1)
    before, data = shown(window), pickle.dumps(env)
    assert len(data) < 1_000_000  # the picture shown is not in it
    for twin in (copy.deepcopy(env), pickle.loads(data)):
        twin.step(twin.legal_actions()[-1])
        assert twin.get_state() != env.get_state()
        assert not np.array_equal(shown(window), before)
        env.render()


@pytest.mark.parametrize("mode", ["human", "print"])
def test_a_clone_plays_unseen(mode: str, window: Any, capsys: pytest.CaptureFixture[str]) -> None:
    env = no_thanks_v0.env(render_mode=mode)
    env.reset(seed=1)
    opened = window.display.get_init()
    before, printed = shown(window) if opened else None, capsys.readouterr().out
    twin = env.clone()
    for _ in range(3):
        twin.step(0)
    assert capsys.readouterr().out == ""
    if opened:
        assert np.array_equal(shown(window), before)
    env.step(1)
    assert (capsys.readouterr().out == "") == (mode == "human")
    assert opened == (mode == "human") == (printed == "")


def test_a_pickled_window_does_not_wait_for_the_clock_of_its_origin() -> None:
    window = Window(4)
    window._until = time.monotonic() + 1e6
    assert pickle.loads(pickle.dumps(window))._until == 0


def test_the_last_move_is_told_beside_the_position(capsys: pytest.CaptureFixture[str]) -> None:
    env = no_thanks_v0.env(render_mode="print")
    env.reset(seed=0)
    mover = env.agent_selection
    assert "pass (1 chip)" not in capsys.readouterr().out
    env.step(0)
    assert capsys.readouterr().out.startswith(f"{mover}: pass (1 chip)\n")
    drawn = no_thanks_v0.env(render_mode="rgb_array")
    drawn.reset(seed=0)
    drawn.step(0)
    told = drawn.render()
    drawn.set_state(drawn.get_state())
    rows = np.flatnonzero((told != drawn.render()).any(axis=(1, 2)))
    assert len(rows)
    assert rows.min() > 680  # the line at the bottom


@pytest.mark.parametrize("mode", ["human", "print"])
@pytest.mark.parametrize("lacks", ["a driver", "a display", "a live display"])
def test_text_is_printed_where_there_is_no_window(
    mode: str, lacks: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if lacks == "a driver":
        monkeypatch.setenv("SDL_VIDEODRIVER", "no such driver")
    else:
        if not sys.platform.startswith("linux"):
            pytest.skip("only on Linux a display may be missing")
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
            monkeypatch.delenv(name, raising=False)
        if lacks == "a live display":
            monkeypatch.setenv("DISPLAY", ":987")
    env = no_thanks_v0.env(render_mode=mode)
    env.reset(seed=0)
    env.step(1)
    assert capsys.readouterr().out.count("On offer: ") == 2
    env.close()


def test_print_prints_where_a_window_could_be(
    window: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    env = gymnasium.make(IDS[0], render_mode="print")
    env.reset(seed=0)
    assert "On offer: " in capsys.readouterr().out
    assert not window.display.get_init()


@pytest.mark.parametrize("make", [*ENVIRONMENTS, *[lambda id=i, **a: gymnasium.make(id, **a)
                                                   for i in IDS]])  # fmt: skip
@pytest.mark.parametrize(
    ("mode", "missing", "library"),
    [("rgb_array", "PIL", "Pillow"), ("human", "PIL", "Pillow"), ("human", "pygame", "pygame-ce")],
)
def test_a_mode_whose_library_is_missing_is_refused_in_one_sentence(
    make: Any, mode: str, missing: str, library: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    without(monkeypatch, missing)
    with pytest.raises(DependencyNotInstalled, match=rf"needs {library}, .*lowhand\[render\]"):
        make(render_mode=mode)
    make(render_mode="print").close()


def test_a_plain_install_imports_neither_pillow_nor_pygame() -> None:
    code = (
        "import lowhand, lowhand.apis.gymnasium_vector, sys;"
        "print({'PIL', 'pygame'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "set()"


# Gymnasium


@pytest.mark.parametrize("id", IDS)
def test_frames_are_the_view_of_your_seat(id: str) -> None:
    env = RenderCollection(gymnasium.make(id, render_mode="rgb_array", seat=1))
    env.reset(seed=4)
    for _ in range(3):
        mask = env.unwrapped.action_masks()
        env.step(int(np.flatnonzero(mask)[-1]))
    frames = env.render()
    assert len(frames) == 4
    assert {(f.shape, f.dtype.str) for f in frames} == {((720, 1280, 3), "|u1")}
    assert len({f.tobytes() for f in frames}) == 4
    env.close()


@pytest.mark.parametrize("id", IDS)
def test_a_vector_gives_a_frame_for_each_game(id: str) -> None:
    envs = gymnasium.make_vec(id, num_envs=2, render_mode="rgb_array", seat=0)
    envs.reset(seed=4)
    frames = envs.render()
    assert [frame.shape for frame in frames] == [(720, 1280, 3)] * 2
    assert not np.array_equal(*frames)


GAMES_TO_FILM = [(IDS[0], {"num_players": 3}), (IDS[1], {"num_players": 2, "points_limit": None})]


@pytest.mark.parametrize(("id", "options"), GAMES_TO_FILM, ids=IDS)
def test_record_video_films_a_whole_game(id: str, options: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="Gymnasium's RecordVideo needs moviepy")
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    env = gymnasium.make(id, render_mode="rgb_array", opponents="greedy", seat=1, **options)
    env = RecordVideo(env, str(tmp_path / "videos"), disable_logger=True)
    _, info = env.reset(seed=2)
    steps, over = 0, False
    while not over:
        _, _, over, truncated, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        steps, over = steps + 1, over or truncated
    last = env.unwrapped.render()
    env.close()
    (file,) = (tmp_path / "videos").iterdir()
    reader = ffmpeg.read_frames(str(file))
    facts = next(reader)
    films = [np.frombuffer(pixels, np.uint8).reshape(720, 1280, 3) for pixels in reader]
    assert facts["size"] == (1280, 720)
    assert facts["fps"] == env.metadata["render_fps"]
    assert len(films) == steps + 1  # the deal and the position after each step
    assert np.abs(films[-1].astype(int) - last).mean() < 4  # but for what compression loses


def test_games_side_by_side_are_filmed_too(tmp_path: Path) -> None:
    pytest.importorskip("moviepy", reason="Gymnasium's RecordVideo needs moviepy")
    envs = gymnasium.make_vec(IDS[0], num_envs=2, render_mode="rgb_array", seat=0)
    envs = VectorRecordVideo(envs, str(tmp_path / "videos"), video_length=2, disable_logger=True)
    envs.reset(seed=4)
    for _ in range(2):
        envs.step(np.ones(2, np.int64))
    envs.close()
    assert [path.suffix for path in (tmp_path / "videos").iterdir()] == [".mp4"]


# The pictures of README and docs


def test_the_pictures_of_the_pages_are_what_is_drawn() -> None:
    image = pytest.importorskip("PIL.Image")
    pictures = runpy.run_path(str(DOCS / "pictures.py"))["pictures"]()
    there = {path.name for path in (DOCS / "images").glob("*.png")}
    assert set(pictures) == there - {"quickstart.png"}  # a learning curve
    for name, picture in pictures.items():
        file = DOCS / "images" / name
        assert file.stat().st_size < 100_000
        saved = np.asarray(image.open(file).convert("RGB"), int)
        # Another release of Pillow may smooth an edge in another way.
        assert np.abs(saved - np.asarray(picture, int)).mean() < 0.5, "run docs/pictures.py"


@pytest.mark.parametrize("id", ["lowhand/NoThanks-v0", "lowhand/LeastScore-v0"])
@pytest.mark.parametrize("mode", ["ansi", "rgb_array"])
def test_nothing_is_shown_before_the_first_deal(id: str, mode: str) -> None:
    env = gymnasium.make(id, render_mode=mode).unwrapped
    with pytest.raises(ResetNeeded, match=r"call reset\(\) before render"):
        env.render()
    env.reset(seed=1)
    assert env.render() is not None
