"""`lowhand list`."""


def run() -> None:
    """List environments with their options, agents, baselines, checkpoints and configs."""
    from lowhand_training.common.catalogue import print_listing
    from lowhand_training.common.console import make_console

    print_listing(make_console())
