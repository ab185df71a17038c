"""Runs a page of the documentation as its reader would: from the top, in one folder.

A block of code with a title is saved under that name. Python without one is run, all blocks of a
page in one namespace; commands in ```bash blocks are run where they stand. What would take too
long is changed by a comment in the line before the block:

    <!-- in tests: --games 300 -->          further arguments of the block's command
    <!-- in tests: 5_000 -> 50 -->          another number in the program
    <!-- in tests: parsed only, … -->       the command line is checked and not run
    <!-- in tests: not run, … -->           set-up of the reader's own environment
"""

import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lowhand_training.cli import main as cli

ROOT = Path(__file__).parents[2]

_BLOCK = re.compile(
    r"(?:^[ ]*<!-- in tests: (?P<mark>[^\n]*?) -->\n+)?"
    r"^(?P<indent>[ ]*)```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n"
    r"(?P<code>.*?)^[ ]*```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Block:
    """A block of code, the line where it begins, and how it is to be taken in tests."""

    language: str
    title: str | None
    code: str
    line: int
    mark: str


def blocks(text: str) -> Iterator[Block]:
    """The fenced blocks of a page, in order."""
    for found in _BLOCK.finditer(text):
        code = re.sub(rf"^{found['indent']}", "", found["code"], flags=re.MULTILINE)
        line = text.count("\n", 0, found.start("code"))
        yield Block(found["language"], found["title"], code, line, found["mark"] or "")


def run_page(path: Path) -> dict[str, Any]:
    """Run a page in the working directory; the namespace of its programs."""
    namespace: dict[str, Any] = {"__name__": "tutorial"}
    for block in blocks(path.read_text(encoding="utf-8")):
        code = _changed(block)
        if block.title is not None:
            file = Path(block.title)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(code, encoding="utf-8")
        elif block.language == "python":
            exec(compile("\n" * block.line + code, str(path), "exec"), namespace)
        elif block.language == "bash":
            for command in code.splitlines():
                run_command(command, block.mark)
    return namespace


def _changed(block: Block) -> str:
    """The block's code with the number that tests put in another's place."""
    old, arrow, new = block.mark.partition(" -> ")
    if not arrow:
        return block.code
    assert block.code.count(old) == 1, f"{old!r} must stand once in the block."
    return block.code.replace(old, new)


def run_command(command: str, mark: str) -> None:
    """Run a line of a ```bash block, or do what `mark` says."""
    words = shlex.split(command, comments=True)
    if mark.startswith("not run,"):
        assert words[0] in ("python3", "source", "pip"), f"{command!r} is to be run."
        return
    if mark.startswith("parsed only,"):
        if words[0] == "lowhand":
            assert cli.parse(words[1:]).command == words[1]
        else:
            assert words[0] == "pip" or (ROOT / words[1]).is_file()
        return
    if words[0] == "lowhand":
        further = shlex.split(mark) if mark.startswith("--") else []
        try:
            status = cli.main([*words[1:], *further])
        except SystemExit as end:  # --print_config ends so
            status = end.code
        assert not status, f"{command!r} failed."
    elif words[:2] == ["pip", "install"] and words[-2:] == ["-e", "."]:
        name_entry_points()
    else:
        assert words[0] == "python", f"{command!r}: tests do not know how to run that."
        runpy.run_path(words[1], run_name="__main__")


def name_entry_points() -> None:
    """What `pip install -e .` does for the package here, as far as names of games go."""
    project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
    name, version = project["name"].replace("-", "_"), project["version"]
    folder = Path(f"{name}-{version}.dist-info")
    folder.mkdir()
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8"
    )
    groups = project["entry-points"].items()
    lines = [f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in e.items()) for group, e in groups]
    (folder / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")
