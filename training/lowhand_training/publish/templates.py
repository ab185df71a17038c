"""The Jinja templates of this package: model cards in Markdown and reports in HTML."""

from importlib.resources import files
from typing import Any

from lowhand_training.common.optional_deps import need


def environment(extra: str, *, html: bool) -> Any:
    """Returns a Jinja environment in which a missing value is an error.

    Args:
        extra: the extra of lowhand that installs jinja2 for this template.
        html: whether values are escaped: agents' names are the user's, and plain text on a page.

    Raises:
        ValueError: jinja2 is not installed.
    """
    jinja2 = need("jinja2", extra)
    return jinja2.Environment(
        autoescape=html,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def source(name: str) -> str:
    """Returns the text of a template."""
    return (files("lowhand_training.publish") / name).read_text(encoding="utf-8")
