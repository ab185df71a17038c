"""What MkDocs does here beside rendering pages: see `hooks` in mkdocs.yml.

- `<!-- built: NAME -->` is replaced by something that exists elsewhere already: a file of the
  repository, or what `BUILT` makes from the code. In the repository such a page is one sentence.
- Links that lead out of docs/, which work in the repository, lead to the page that shows the same.
- A page that would load anything from the network is a warning, and so stops a strict build.
"""

import contextlib
import io
import logging
import os
import posixpath
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

sys.path.append(str(Path(__file__).parent))

import generate

from lowhand_training.cli import main as cli
from lowhand_training.trainer.config import TrainConfig

ROOT = Path(__file__).resolve().parents[1]
AGENTS = ("no_thanks", "least_score")

SHOWN = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    **{f"checkpoints/{name}/README.md": f"cards/{name}.md" for name in AGENTS},
    **{f"checkpoints/{name}/curves.png": f"cards/{name}_curves.png" for name in AGENTS},
    **{
        path.relative_to(ROOT).as_posix(): f"reference/configs.md#{path.stem}"
        for path in sorted(ROOT.glob("configs/*.yaml"))
    },
}
"""Where on the site a file is that stands outside docs/."""

_BUILT = re.compile(r"^<!-- built: (\S+) -->$", re.MULTILINE)
# A link, or a block of code, in which `net["body"](observation)` is none.
_LINK = re.compile(r"^ *```.*?^ *```$|(!?\[[^]]*\])\(([^)\s]+)\)", re.DOTALL | re.MULTILINE)
_LOADED = re.compile(
    r"<(?:script|img|iframe|source)\b[^>]*\ssrc=[\"']?(?:https?:)?//[^\s\"'>]+"
    r"|<link\b(?=[^>]*\srel=[\"']?(?:stylesheet|preconnect|preload|icon))[^>]*"
    r"\shref=[\"']?(?:https?:)?//[^\s\"'>]+"
)
_log = logging.getLogger("mkdocs.plugins.lowhand")


def configuration() -> str:
    """A table of each part of the config."""
    return "\n\n".join(
        f"## {heading}\n\n{lead}\n\n{rows}" for heading, lead, rows in _parts(TrainConfig, "")
    )


def _parts(kind: type, key: str) -> Iterator[tuple[str, str, str]]:
    """Heading, first sentence and table of a dataclass, then those of the ones within it."""
    document = kind.__doc__ or ""
    meanings, rows, within = generate.documented(document, "Attributes"), [], []
    for field in fields(kind):
        factory = field.default_factory
        default = field.default if factory is MISSING else factory()
        if is_dataclass(default):
            within.append((type(default), f"{key}.{field.name}".lstrip(".")))
            continue
        kind_name = getattr(field.type, "__name__", None) if isinstance(field.type, type) else None
        named = kind_name or str(field.type).replace("typing.", "")
        named = re.sub(r"Annotated\[(\w+), ([^]]*)\]", r"\1 \2", named)  # bounded numbers
        number = isinstance(default, int) and not isinstance(default, bool)
        shown = f"{default:_}" if number else str(default) or '""'
        rows.append((f"`{field.name}`", f"`{named}`", f"`{shown}`", meanings[field.name]))
    yield (
        f"`{key}`" if key else "The run",
        document.strip().partition("\n")[0],
        generate.table(("key", "type", "default", "meaning"), rows),
    )
    for inner, name in within:
        yield from _parts(inner, name)


def commands() -> str:
    """The help of every command, as the terminal shows it."""
    parts = [("lowhand", ["--help"], None)]
    parts += [(f"lowhand {name}", [name, "--help"], name) for name in sorted(cli._COMMANDS)]
    return "\n\n".join(
        f"## {title}\n\n```text\n{_help(words, command)}\n```" for title, words, command in parts
    )


def _help(words: list[str], command: str | None) -> str:
    printed = io.StringIO()
    os.environ.update(COLUMNS="84", NO_COLOR="1")
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        cli._parse(words, command)
    return printed.getvalue().strip()


def configs() -> str:
    """The config files that come along."""
    return "\n\n".join(
        f"## {path.stem}\n\n```yaml\n{path.read_text(encoding='utf-8')}```"
        for path in sorted(ROOT.glob("configs/*.yaml"))
    )


BUILT: dict[str, Callable[[], str]] = {
    "configuration": configuration,
    "commands": commands,
    "configs": configs,
}


def relinked(text: str, source: str, page: str) -> str:
    """`text` of the repository's file `source`, with its links as they must be on `page`.

    What the site does not show is no link there.
    """

    def renew(link: re.Match[str]) -> str:
        if link[1] is None:
            return link[0]
        target, hash_sign, anchor = link[2].partition("#")
        if "://" in target or not target or target.startswith("mailto:"):
            return link[0]
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        shown = SHOWN.get(path, path.removeprefix("docs/") if path.startswith("docs/") else None)
        if shown is None:
            return link[1].removeprefix("!")[1:-1]
        place, own_hash, own_anchor = shown.partition("#")
        relative = posixpath.relpath(place, posixpath.dirname(page) or ".")
        return f"{link[1]}({relative}{own_hash or hash_sign}{own_anchor or anchor})"

    return _LINK.sub(renew, text)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pictures that stand beside what is shown."""
    for name, place in SHOWN.items():
        if place.endswith(".png"):
            files.append(File.generated(config, place, abs_src_path=str(ROOT / name)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Put in what is built, and lead links to where they are on the site."""
    place = page.file.src_uri
    if place.endswith(".ipynb"):
        return markdown
    built: list[str] = []

    def make(mark: re.Match[str]) -> str:
        name = mark[1]
        text = BUILT[name]() if name in BUILT else (ROOT / name).read_text(encoding="utf-8")
        built.append(text if name in BUILT else relinked(text, name, place))
        return f"<!-- built {len(built) - 1} -->"

    markdown = relinked(_BUILT.sub(make, markdown), f"docs/{place}", place)
    if built:  # the sentence for readers of the repository goes
        markdown = re.sub(r"<!-- in the repository -->.*?<!-- end -->\n", "", markdown, flags=re.S)
    for i, text in enumerate(built):
        markdown = markdown.replace(f"<!-- built {i} -->", text)
    return markdown


def on_post_page(output: str, page: Page, **_: Any) -> str:
    """See that the page reads without a network, from a folder too: that needs our own shim."""
    own = posixpath.relpath("assets/worker.js", posixpath.dirname(page.url) or ".")
    return _offline(output, own, page.file.src_uri)


def on_post_template(output: str, template_name: str, **_: Any) -> str:
    """The same for pages without a source, such as that for addresses that lead nowhere."""
    return _offline(output, "assets/worker.js", template_name)


def _offline(output: str, own: str, name: str) -> str:
    """A page with our own shim, and a warning for everything else that the network must bring."""
    output = output.replace("https://unpkg.com/iframe-worker/shim", own)
    for loaded in _LOADED.findall(output):
        _log.warning("%s loads from the network: %s", name, loaded[-120:])
    return output
