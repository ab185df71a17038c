"""The command line, as `lowhand` and as `python -m lowhand_training`."""

import sys


def main() -> int:
    """Run the command that the words of this process name.

    Returns:
        The exit code, as `lowhand_training.cli.main.main` says.
    """
    try:
        from lowhand_training.cli.main import main

        return main()
    except KeyboardInterrupt:  # during the first imports
        print("\nlowhand: interrupted.", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
