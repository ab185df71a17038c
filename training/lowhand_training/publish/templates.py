"""The Jinja templates of this package: model cards in Markdown and reports in HTML."""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from lowhand_training.common.optional_deps import need


def render_template(
    name: str, extra: str, values: Mapping[str, Any], filters: Mapping[str, Any] | None = None
) -> str:
    """Returns a template with its values filled in; a missing value is an error.

    Args:
        name: of the template. In HTML values are escaped: agents' names are the user's.
        extra: the extra of lowhand that installs jinja2 for this template.
        values: by name.
        filters: by name.

    Raises:
        ValueError: jinja2 is not installed.
    """
    jinja2 = need("jinja2", extra)
    environment = jinja2.Environment(
        autoescape=name.endswith(".html.j2"), undefined=jinja2.StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    environment.filters.update(filters or {})
    source = (files("lowhand_training.publish") / name).read_text(encoding="utf-8")
    page: str = environment.from_string(source).render(values)
    return page
