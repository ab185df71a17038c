"""The facts of a report as one HTML page that needs no other file."""

import base64
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from lowhand_training.common.optional_deps import need
from lowhand_training.evaluation.results import thousandths


def render(facts: Mapping[str, Any], pictures: Mapping[str, bytes]) -> str:
    """The page.

    Args:
        facts: of `facts.gather`.
        pictures: PNG files of the learning curves, by agent.

    Raises:
        ValueError: jinja2 is not installed.
    """
    jinja2 = need("jinja2", "eval")
    # Names of agents are the user's: whatever they hold is text on the page.
    undefined = jinja2.StrictUndefined
    environment = jinja2.Environment(autoescape=True, undefined=undefined, trim_blocks=True)
    environment.globals.update(share=share, zip=zip)
    text = (files("lowhand_training.publish") / "report.html.j2").read_text(encoding="utf-8")
    encoded = {name: base64.b64encode(picture).decode() for name, picture in pictures.items()}
    page: str = environment.from_string(text).render(facts=facts, pictures=encoded)
    return page


def share(value: float | None) -> str:
    """A share with three decimals, `.345`; a dash for none."""
    return "–" if value is None else thousandths(value)


def heat(value: float, fair: float) -> tuple[str, str]:
    """The colour of a share and of the ink on it: blue above the fair share, red below it.

    White is fair; the colour is full at 0, and at all that can be won.
    """
    above = value >= fair
    part = (value - fair) / (1.0 - fair) if above else (fair - value) / fair
    full = (38, 93, 148) if above else (178, 58, 52)
    mixed = [round(255 + (end - 255) * min(1.0, max(0.0, part)) ** 0.8) for end in full]
    return "rgb({},{},{})".format(*mixed), "#fff" if part > 0.55 else "#1c2430"
