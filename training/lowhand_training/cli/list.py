"""`lowhand list`."""


def run() -> None:
    """List environments with their options, agents, baselines, checkpoints and configs."""
    from lowhand_training.common.catalogue import listing
    from lowhand_training.common.console import make_console
    from lowhand_training.common.tables import print_report

    print_report(listing(), make_console())
