"""`lowhand card`."""

from collections.abc import Sequence
from typing import Annotated


def run(
    folder: str | None = None,
    *,
    players: Sequence[int] | None = None,
    games: int | None = None,
    seeds: Annotated[Sequence[str], "FOLDER"] = (),
    choose: Annotated[Sequence[str] | None, "FOLDER"] = None,
) -> None:
    """Write the model card of a checkpoint, or choose among training seeds.

    The agent meets all baselines, as in `lowhand evaluate`; README.md, curves.png and
    results.json in its folder get the tables, the learning curve and all rows. With --seeds the
    card compares it with the other training seeds. --choose prints which of several seeds is to
    be published, and writes nothing. Curves need matplotlib, which comes with the extra
    lowhand[train].

    Examples:
      lowhand card runs/no_thanks
      lowhand card --choose runs/no_thanks-1 runs/no_thanks-2 runs/no_thanks-3
      lowhand card checkpoints/no_thanks --seeds runs/no_thanks-1 runs/no_thanks-2

    Args:
        folder: the checkpoint.
        players: numbers of players; by default all usual ones.
        games: games of each field.
        seeds: the other training seeds.
        choose: seeds to choose from.
    """
    from lowhand_training.common.console import make_console
    from lowhand_training.publish import model_card

    model_card.run(folder, players, games, seeds, choose, make_console())
