"""`lowhand card`."""

from jsonargparse import ArgumentParser, Namespace

DESCRIPTION = """Write the model card of a checkpoint, or choose among training seeds.

The agent meets all baselines, as in `lowhand evaluate`; README.md, curves.png and results.json in
its folder get the tables, the learning curve and all rows. With --seeds the card compares it with
the other training seeds. --choose says which of several seeds is to be published, and writes
nothing. Curves need matplotlib, which comes with the extra lowhand[train].

Examples:

  lowhand card runs/no_thanks
  lowhand card --choose runs/no_thanks-1 runs/no_thanks-2 runs/no_thanks-3
  lowhand card checkpoints/no_thanks --seeds runs/no_thanks-1 runs/no_thanks-2 runs/no_thanks-3"""

USAGE = "lowhand card FOLDER [options] | lowhand card --choose FOLDER…"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument("folder", nargs="?", metavar="FOLDER", help="The checkpoint.")
    parser.add_argument(
        "--players", nargs="+", type=int, metavar="N", help="Players; by default all usual numbers."
    )
    parser.add_argument("--games", type=int, metavar="N", help="Of each field.")
    parser.add_argument(
        "--seeds", nargs="+", default=[], metavar="FOLDER", help="The other training seeds."
    )
    parser.add_argument("--choose", nargs="+", metavar="FOLDER", help="Seeds to choose from.")


def run(given: Namespace) -> None:
    """Write the card, or print which seed the rule chooses."""
    from lowhand_training.common.console import make_console
    from lowhand_training.publish import model_card as card

    card.run(given.folder, given.players, given.games, given.seeds, given.choose, make_console())
