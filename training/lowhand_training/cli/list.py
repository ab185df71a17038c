"""`lowhand list`."""

from jsonargparse import ArgumentParser, Namespace

from lowhand_training.common.tables import print_report

DESCRIPTION = "List environments with their options, agents, baselines, checkpoints and configs."

USAGE = "lowhand list"


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments; there are none."""


def run(given: Namespace) -> None:
    """Print the list."""
    from lowhand_training.common.catalogue import listing
    from lowhand_training.common.console import make_console

    print_report(listing(), make_console())
