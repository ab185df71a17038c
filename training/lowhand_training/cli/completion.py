"""`lowhand completion`."""

from jsonargparse import ArgumentParser, Namespace

DESCRIPTION = """Print what lets a shell complete commands, options, files and agents.

Examples, each to be done once:

  lowhand completion bash > ~/.local/share/bash-completion/completions/lowhand
  lowhand completion zsh > ~/.zfunc/_lowhand
  lowhand completion tcsh >> ~/.tcshrc

A new shell then completes. For zsh, ~/.zshrc must have `fpath+=~/.zfunc` before `compinit`."""

USAGE = "lowhand completion SHELL"

_SHELLS = ("bash", "zsh", "tcsh")

# What the scripts need to complete agents; that for tcsh can't.
_PREAMBLES = {
    "bash": """
_lowhand_agents() {{
    compgen -W "{names}" -- "$1"
    compgen -d -- "$1"
}}
""",
    "zsh": """
_lowhand_agents() {{
    _alternative 'agents:agent:({names})' 'folders:checkpoint:_files -/'
}}
""",
}


def add(parser: ArgumentParser) -> None:
    """Give the parser its arguments."""
    parser.add_argument("shell", metavar="SHELL", help=f"One of {', '.join(_SHELLS)}.")


def run(given: Namespace) -> None:
    """Print the script."""
    import shtab

    from lowhand_training.cli.main import make_parser

    if given.shell not in _SHELLS:
        raise ValueError(f"SHELL must be one of {', '.join(_SHELLS)}, not {given.shell!r}.")
    parser = make_parser("train")  # with all keys of a config
    parser.prog = "lowhand"
    _say_what_completes(parser)
    preamble = _PREAMBLES.get(given.shell, "").format(names=" ".join(_scripted_names()))
    print(shtab.complete(parser, shell=given.shell, preamble=preamble))


def _scripted_names() -> list[str]:
    """Names of scripted players; those with parameters are left out, since a colon ends a word."""
    from lowhand.games import GAMES

    names = {name for game in GAMES.values() for name in game.baselines if ":" not in name}
    return sorted(names)


def _say_what_completes(parser: ArgumentParser) -> None:
    """Mark the arguments, of all commands, that take files, folders or agents."""
    import shtab

    from lowhand.games import GAMES

    choices = {"shell": _SHELLS, "game": tuple(GAMES)}
    agents = dict.fromkeys(("bash", "zsh"), "_lowhand_agents")
    # By what stands for one in the help; an agent is a scripted player or a checkpoint's folder.
    ways = {
        "FILE": shtab.FILE,
        "FOLDER": shtab.DIRECTORY,
        "AGENT": agents,
        "OPPONENT": agents,
        "A": agents,
        "B": agents,
    }
    for action in parser._actions:
        if isinstance(action.choices, dict):  # the commands
            for command in action.choices.values():
                _say_what_completes(command)
        if action.dest in choices:
            action.choices = choices[action.dest]
        way = shtab.FILE if action.dest in ("config", "out") else ways.get(str(action.metavar))
        if way is not None:
            action.complete = way  # type: ignore[attr-defined]
