"""A report's figures of a checkpoint in its model card."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lowhand.agents.names import find_checkpoint
from lowhand_training.common.files import write_atomically
from lowhand_training.publish.model_card import CARD, read_results
from lowhand_training.publish.model_card_text import report_section
from lowhand_training.trainer.checkpoint import write_results

_SECTION = re.compile(r"## In the report\n.*?(?=^## )", re.DOTALL | re.MULTILINE)
_LAST = "## Limitations\n"


def figures(facts: Mapping[str, Any], agent: str) -> dict[str, Any]:
    """What a report (`lowhand_training.publish.report_data.gather`) says of one agent.

    The place and the rating among the agents of the tournament, the share of the maximal lottery,
    NashConv on reduced games, and lower bounds of what it can be exploited.
    """
    rows, truth = facts["ratings"]["rows"], facts["exploitability"]
    place, row = next((i, row) for i, row in enumerate(rows, 1) if row["agent"] == agent)
    solved: list[float] = next((r["values"] for r in truth["reduced"] if r["agent"] == agent), [])
    return {
        "command": facts["command"],
        "players": facts["tournament"]["options"]["num_players"],
        "agents": len(rows),
        "place": place,
        "rating": row["rating"],
        "ci95": [row["low"], row["high"]],
        "anchor": facts["rating_details"]["anchor"],
        "maximal_lottery": row["lottery"],
        "nash_conv": dict(zip(truth["sizes"], solved, strict=False)),
        "bounds": [bound for bound in truth["full"] if bound["agent"] == agent],
    }


def write_cards(facts: Mapping[str, Any]) -> list[Path]:
    """Put a report's figures into the cards of the checkpoints among its agents.

    Returns:
        The cards.

    Raises:
        ValueError: a checkpoint has no card yet.
    """
    learned = [row["agent"] for row in facts["ratings"]["rows"] if row["published"]]
    folders = {name: find_checkpoint(name) for name in learned}
    for name, folder in folders.items():
        if folder is not None:
            write_to_card(folder, figures(facts, name))
    return [folder / CARD for folder in folders.values() if folder is not None]


def write_to_card(folder: Path, found: Mapping[str, Any]) -> None:
    """Put figures into the card of a checkpoint and its results.json; `lowhand card` keeps them.

    Raises:
        ValueError: the folder has no card that `lowhand card` wrote.
    """
    card = folder / CARD
    text = card.read_text(encoding="utf-8") if card.is_file() else ""
    if _LAST not in text:
        raise ValueError(f"{folder} has no model card yet: write it with `lowhand card` first.")
    before, last, after = _SECTION.sub("", text).partition(_LAST)
    write_results(folder, {**read_results(folder), "report": dict(found)})
    write_atomically(card, (before + report_section(found) + "\n" + last + after).encode())
