"""`lowhand card`."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

if TYPE_CHECKING:
    from rich.console import Console

    from lowhand_training.publish.seed_choice import Seed


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
    be published, and writes nothing. Cards need jinja2, and curves matplotlib, which come with
    the extra lowhand[train].

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
    from rich.text import Text

    from lowhand_training.common.console import make_console
    from lowhand_training.common.progress import games_progress
    from lowhand_training.common.tables import print_report
    from lowhand_training.evaluation.results import evaluation_report
    from lowhand_training.publish.model_card import write_card
    from lowhand_training.publish.seed_choice import choose_seed

    if (folder is None) == (choose is None):
        raise ValueError("give the folder of one checkpoint, or --choose and several folders.")
    console = make_console()
    if choose is not None:
        with games_progress() as progress:
            compared, chosen = choose_seed(choose, games, progress=progress)
        print_choice(compared, chosen, console)
    elif folder is not None:
        with games_progress() as progress:
            evaluations = write_card(folder, players, games, seeds, progress)
        for evaluation in evaluations:
            print_report(evaluation_report(evaluation), console)
        console.print(Text(f"Written to {folder}."))


def print_choice(seeds: Sequence["Seed"], chosen: int, console: "Console") -> None:
    """Print the rule, the seeds side by side, and the folder that the rule chooses."""
    from rich.text import Text

    from lowhand.games import get_game
    from lowhand_training.common.tables import Table
    from lowhand_training.publish.seed_choice import rule

    console.print(Text(rule(get_game(seeds[chosen].evaluation.game)) + "\n"))
    entries = [seed.to_dict(i == chosen) for i, seed in enumerate(seeds)]
    Table(
        columns=("seed", "folder", "smallest margin", "in the field"),
        rows=[
            (str(seed.seed), str(seed.folder), f"{entry['margin']:+.4f}", entry["field"])
            for seed, entry in zip(seeds, entries, strict=True)
        ],
        align="ttrt",
    ).print(console)
    console.print(Text(f"Chosen: {seeds[chosen].folder}"), soft_wrap=True)
