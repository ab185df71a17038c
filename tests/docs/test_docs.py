"""What README and docs say is true: generated parts are fresh, programs run, commands parse."""

import importlib.util
import inspect
import re
import shlex
from pathlib import Path

import numpy as np
import pytest

from lowhand.agents.names import make_agent
from lowhand.agents.play_games import game_keys, play_games
from lowhand.engine.scripted import BotKind
from lowhand.games import get_game
from lowhand_training.cli import main as cli
from tests.docs.test_tutorials import PAGES as TUTORIALS

ROOT = Path(__file__).parents[2]
PAGES = [
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "checkpoints/*/README.md")
    for path in sorted(ROOT.glob(pattern))
]
FENCED = re.compile(r"^ *```(\w*)[^\n]*\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)

spec = importlib.util.spec_from_file_location("docs_generate", ROOT / "docs" / "generate.py")
generate = importlib.util.module_from_spec(spec)
spec.loader.exec_module(generate)


def place(path, text, start):
    """Where a part of a page stands, as `README.md:12`."""
    return f"{path.relative_to(ROOT).as_posix()}:{text.count(chr(10), 0, start) + 1}"


def programs():
    """Every block of Python, as a test of its own; tutorials are run as wholes elsewhere."""
    for path in PAGES:
        if path in TUTORIALS:
            continue
        text = path.read_text(encoding="utf-8")
        for block in FENCED.finditer(text):
            if block[1] == "python":
                line = text.count("\n", 0, block.start(2))
                yield pytest.param(path, line, block[2], id=place(path, text, block.start(2)))


def commands():
    """Every command line of lowhand: lines of code blocks, and code within sentences.

    Blocks of tutorials are left out, since they are run elsewhere.
    """
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        prose = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
        shown = [(m[1], m.start(1), text) for m in re.finditer(r"^ {4}(lowhand .*)$", prose, re.M)]
        shown = [(line, start, prose) for line, start, _ in shown]
        for block in FENCED.finditer(text):
            if block[1] != "python" and path not in TUTORIALS:
                lines = re.finditer(r"^(?:\$ )?(lowhand .*)$", block[2], re.M)
                shown += [(m[1], block.start(2) + m.start(1), text) for m in lines]
        sentences = re.sub(r"^ {4}.*$", "", prose, flags=re.M)
        shown += [
            (m[1], m.start(1), sentences) for m in re.finditer(r"`(lowhand\s[^`]*)`", sentences)
        ]
        for line, start, where in shown:
            yield pytest.param(line, id=f"{place(path, where, start)} {line}")


@pytest.mark.parametrize("page", generate.PAGES)
def test_generated_parts_are_fresh(page):
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    fresh = generate.renewed(text, generate.PAGES[page])
    assert text == fresh, f"docs/{page} is stale: run `python docs/generate.py`."


def test_stale_parts_and_unknown_ones_are_noticed():
    text = "a\n<!-- generated: x -->\nold\n<!-- end -->\nb\n"
    fresh = "a\n<!-- generated: x -->\n\nnew\n\n<!-- end -->\nb\n"
    assert generate.renewed(text, {"x": lambda: "new"}) == fresh
    assert generate.renewed(fresh, {"x": lambda: "new"}) == fresh
    for makers in ({}, {"y": lambda: ""}, {"x": lambda: "", "y": lambda: ""}):
        with pytest.raises(ValueError, match="do not match"):
            generate.renewed(text, makers)


def test_every_argument_field_and_player_is_on_the_page():
    from lowhand import make_batch, no_thanks_v0
    from lowhand.apis.gymnasium_env import SeatEnv
    from lowhand.apis.gymnasium_vector import SeatVectorEnv

    text, game = (ROOT / "docs" / "no_thanks.md").read_text(encoding="utf-8"), get_game("no_thanks")
    for function in (no_thanks_v0.raw_env, SeatEnv, SeatVectorEnv, make_batch):
        for name, parameter in inspect.signature(function).parameters.items():
            assert f"| `{'**' * (parameter.kind is parameter.VAR_KEYWORD)}{name}` |" in text
    for field in game.observation(game.options(), True, 4).fields:
        assert text.count(f"| `{field.name}` |") >= 2
    for name, kind in game.bots.items():
        assert isinstance(kind, BotKind)
        assert f"| `{kind.usage(name)}` |" in text
    for number in range(1, 12):
        assert f"| NT-{number} |" in text


@pytest.mark.parametrize(("path", "line", "program"), list(programs()))
def test_programs_run(path, line, program, tmp_path, monkeypatch):
    if "import pyspiel" in program:
        pytest.importorskip("pyspiel")
    if "sb3" in program:
        pytest.importorskip("sb3_contrib")
    monkeypatch.chdir(tmp_path)  # names of published checkpoints work from any folder
    namespace = {"__name__": "docs_program"}
    exec(compile("\n" * line + program, str(path), "exec"), namespace)
    for thing in list(namespace.values()):
        if inspect.isclass(thing) and thing.__module__ == "docs_program" and hasattr(thing, "act"):
            play(thing())


def play(agent):
    """Play the agent a few games, in which it makes decisions and nothing illegal."""
    game = get_game("no_thanks")
    options = game.options(num_players=3)
    seating = np.tile([0, 1, 1], (20, 1))
    greedy = make_agent("greedy", game)
    results = play_games(game, options, [agent, greedy], seating, game_keys(1, 0, 20))
    assert np.isfinite(results.scores).all()


@pytest.mark.parametrize("command", list(commands()))
def test_commands_parse(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = shlex.split(command.replace("…", ""))[1:]
    if len(words) == 1 and not words[0].startswith("-"):  # a command named in a sentence
        assert words[0] in cli.COMMANDS
        return
    if {"--help", "-h", "--version"} & set(words):
        with pytest.raises(SystemExit) as end:
            cli.parse(words)
        assert end.value.code == 0
    else:
        assert cli.parse(words).command == words[0]


def test_there_are_programs_and_commands_to_test():
    assert len(list(programs())) >= 12
    assert len(list(commands())) >= 12


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    text = FENCED.sub("", path.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        file = (path.parent / name).resolve() if name else path
        assert file.exists(), f"{path.name} links to {target}, which does not exist."
        shown = file.read_text(encoding="utf-8") if anchor else ""
        # Where the build of the site fills a page, the build, which is strict, looks for anchors.
        if anchor and not re.search(r"^(<!-- built: |::: )", shown, re.M):
            headings = re.findall(r"^#+ (.*)$", shown, re.M)
            slugs = {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}
            assert anchor in slugs, f"{path.name} links to {target}, which has no such heading."
