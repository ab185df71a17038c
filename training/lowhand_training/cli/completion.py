"""`lowhand completion`."""

from typing import Annotated, Literal


def run(shell: Annotated[Literal["bash", "zsh", "tcsh"], "SHELL"]) -> None:
    """Print the script that lets a shell complete commands, options and files.

    A new shell completes once the script is in place. For zsh, ~/.zshrc must have
    `fpath+=~/.zfunc` before `compinit`.

    Examples:
      lowhand completion bash > ~/.local/share/bash-completion/completions/lowhand
      lowhand completion zsh > ~/.zfunc/_lowhand
      lowhand completion tcsh >> ~/.tcshrc

    Args:
        shell: the shell, bash, zsh or tcsh.
    """
    from lowhand_training.cli.main import make_parser

    print(make_parser().get_completion_script(f"shtab-{shell}"))
