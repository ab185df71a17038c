"""The rules that keep the layout: layers, sizes of folders and modules, what every game has."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from lowhand.games import GAMES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = (ROOT / "envs" / "lowhand", ROOT / "training" / "lowhand_training")
TREES = (*PACKAGES, ROOT / "tests")

MAX_ENTRIES, MAX_TEST_ENTRIES = 14, 20
MAX_MODULE_LINES, MAX_BODY_LINES = 400, 50

GAME_MODULES = {
    "__init__", "options", "rules", "hidden", "observation", "positions", "bots", "text", "picture",
}  # fmt: skip
GAME_EXTRAS = {"least_score": {"actions", "cards", "deck"}}
"""Modules that only one game has: Least Score has playing cards, sets of them, and piles."""


def modules(*trees: Path) -> list[Path]:
    return sorted(path for tree in trees for path in tree.rglob("*.py"))


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def folders(*trees: Path) -> Iterator[Path]:
    for tree in trees:
        yield from (p for p in [tree, *sorted(tree.rglob("*"))] if any(p.glob("*.py")))


def entries(folder: Path) -> list[str]:
    """The modules and packages in a folder, `__init__` and `__main__` apart."""
    return [
        path.name
        for path in sorted(folder.iterdir())
        if (path.suffix == ".py" and path.stem not in ("__init__", "__main__"))
        or (path.is_dir() and any(path.rglob("*.py")))
    ]


def test_no_folder_has_more_entries_than_a_reader_can_scan() -> None:
    crowded = {
        name(folder): len(entries(folder))
        for folder in folders(*TREES)
        if len(entries(folder)) > (MAX_TEST_ENTRIES if "tests" in folder.parts else MAX_ENTRIES)
        and folder.name != "cli"  # one module for each command
    }
    assert not crowded


def test_no_module_is_longer_than_400_lines() -> None:
    lengths = {name(path): len(path.read_text().splitlines()) for path in modules(*TREES)}
    assert not {path: lines for path, lines in lengths.items() if lines > MAX_MODULE_LINES}


def body_lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function's body, its docstring apart."""
    body = function.body
    if ast.get_docstring(function) is not None:
        body = body[1:]
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0  # type: ignore[operator]


def test_no_function_body_is_longer_than_50_lines() -> None:
    long = {
        f"{name(path)}:{node.name}": body_lines(node)
        for path in modules(*TREES)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert not {function: lines for function, lines in long.items() if lines > MAX_BODY_LINES}


def private_imports(path: Path) -> Iterator[str]:
    """Private names that a module imports from another folder of the two packages."""
    package = ".".join(path.relative_to(ROOT).parts[1:-1])
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lowhand"):
            parent = (node.module or "").rpartition(".")[0]
            for alias in node.names:
                if alias.name.startswith("_") and not alias.name.startswith("__"):
                    if parent != package:
                        yield f"{name(path)}: {node.module}.{alias.name}"


def test_no_private_name_is_imported_from_another_folder() -> None:
    assert not [found for path in modules(*PACKAGES) for found in private_imports(path)]


def private_attributes(path: Path) -> Iterator[str]:
    """Accesses such as `other._name`, where the class is none of this module's folder."""
    tree = ast.parse(path.read_text())
    own = {
        node.attr
        for folder_module in path.parent.glob("*.py")
        for node in ast.walk(ast.parse(folder_module.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id in ("self", "cls", "twin")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and re.match(r"_[a-z]", node.attr):
            if node.attr not in own:
                yield f"{name(path)}:{node.lineno}: {ast.unparse(node)}"


FOREIGN = {
    "tournament/workers.py",  # os._exit is public
    "engine/jit.py",  # Numba's cache has no public interface: see pyproject.toml
    "cli/main.py",  # argparse's formatters are extended by overriding private methods
    "sb3/learner.py",  # SB3 has no public names for what a resumed run continues from
}
"""Modules that use private names of another library, which they say why."""


def test_no_private_attribute_of_another_folder_is_used() -> None:
    found = [
        access
        for path in modules(*PACKAGES)
        if not any(str(path).endswith(end) for end in FOREIGN)
        for access in private_attributes(path)
    ]
    assert not found


def test_only_the_command_line_common_and_rendering_print() -> None:
    printing = [
        f"{name(path)}:{node.lineno}"
        for path in modules(*PACKAGES)
        if not {"cli", "common", "rendering", "__main__.py"} & set(path.parts)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not printing


# Words

IDIOMS = re.compile(
    r"\b(anew|whoever|whom|nobody|beside|told|stands? (?:in|at|for|behind)|tells? of|the own|"
    r"hands? over|handed|dice|re-deals?|re-dealt|misfits?)\b",
    re.IGNORECASE,
)
"""Words that CONTRIBUTING's glossary replaces, or that make a reader stop."""


def prose() -> Iterator[tuple[str, str]]:
    """Every docstring of the packages, and the pages without their blocks of code."""
    documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
    for path in modules(*PACKAGES):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, documented) and (text := ast.get_docstring(node)):
                yield f"{name(path)}:{getattr(node, 'name', '')}", text
    for page in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")):
        yield name(page), re.sub(r"^ *```.*?^ *```", "", page.read_text(), flags=re.S | re.M)


def test_prose_has_no_private_idioms() -> None:
    found = {place: words for place, text in prose() if (words := set(IDIOMS.findall(text)))}
    assert not found


# What every game has


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_the_same_modules(game: str) -> None:
    folder = PACKAGES[0] / "games" / game
    found = {Path(entry).stem for entry in entries(folder)} | {"__init__"}
    assert found == GAME_MODULES | GAME_EXTRAS.get(game, set())


@pytest.mark.parametrize("game", GAMES)
def test_every_game_has_a_page_goldens_a_referee_mutants_a_config_and_a_checkpoint(
    game: str,
) -> None:
    assert (PACKAGES[0] / f"{game}_v{GAMES[game].version}.py").is_file()
    assert (ROOT / "docs" / f"{game}.md").is_file()
    assert (ROOT / "configs" / f"{game}.yaml").is_file()
    assert (ROOT / "checkpoints" / game / "model.safetensors").is_file()
    assert list((ROOT / "tests" / "games" / "goldens").glob(f"{game}_v*.txt"))
    for folder in ("games", "referee", "planted", "crosscheck"):
        assert list((ROOT / "tests" / folder).glob(f"{game}*")), folder


RULE = re.compile(r"\b(?:NT|LS)-\d+\b")


def rules_named(text: str) -> set[str]:
    """The rule numbers in a text; a range such as `LS-10 to LS-16` names all of it."""
    found = set(RULE.findall(text))
    for kind, first, last in re.findall(r"\b(NT|LS)-(\d+) to \1-(\d+)\b", text):
        found |= {f"{kind}-{number}" for number in range(int(first), int(last) + 1)}
    return found


def rules_of(game: str) -> set[str]:
    """The rules that the game's page numbers."""
    return rules_named((ROOT / "docs" / f"{game}.md").read_text())


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_is_tested_by_name(game: str) -> None:
    named: set[str] = set()
    for path in modules(ROOT / "tests" / "games" / game):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                named |= rules_named(ast.get_docstring(node) or "")
    assert rules_of(game) - named == set()


@pytest.mark.parametrize("game", GAMES)
def test_every_rule_is_named_where_it_is_decided(game: str) -> None:
    text = "".join(path.read_text() for path in modules(PACKAGES[0] / "games" / game))
    assert rules_of(game) - rules_named(text) == set()


def test_no_folder_imports_against_the_layers_or_in_a_circle() -> None:
    """The contracts of import-linter in pyproject.toml, lazy imports included."""
    lint = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    done = subprocess.run(lint, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_every_module_is_in_a_layer() -> None:
    """The import-linter contracts name every folder, so that a new one can't slip by."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = [
        {part.strip() for layer in contract["layers"] for part in layer.split("|")}
        for contract in contracts["contracts"]
        if contract["type"] == "layers"
    ]
    for package, named in zip(PACKAGES, layers, strict=True):
        assert {Path(entry).stem for entry in entries(package)} <= named
