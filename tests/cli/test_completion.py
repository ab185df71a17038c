"""Scripts that let shells complete the command line."""

import shutil
import subprocess

import pytest

from lowhand_training.cli.main import main

# Calls the function as bash does after the words of a line and a tab.
TAB = """
set -- {line}
COMP_WORDS=("$@" "{word}"); COMP_CWORD=$#; COMPREPLY=()
_shtab_lowhand lowhand "{word}" "${{@: -1}}"
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture(scope="module")
def script():
    """The script for bash."""
    with pytest.MonkeyPatch.context() as patch:
        printed = []
        patch.setattr("builtins.print", lambda *words, **_: printed.append(words[0]))
        assert main(["completion", "bash"]) == 0
    return printed[0]


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
@pytest.mark.parametrize(
    ("line", "word", "expected"),
    [
        ("lowhand", "tou", {"tournament"}),
        ("lowhand train", "--conf", {"--config"}),
        ("lowhand train", "--ppo.num_", {"--ppo.num_envs", "--ppo.num_steps"}),
        ("lowhand train --config", "qui", {"quick.yaml"}),
        ("lowhand evaluate", "con", {"connector", "conservative", "contest"}),
        ("lowhand evaluate connector", "--js", {"--json"}),
        ("lowhand evaluate connector --against", "gre", {"greedy"}),
        ("lowhand card", "con", {"contest"}),
        ("lowhand compare", "sal", {"sally"}),
        ("lowhand solve", "no", {"no_thanks"}),
        ("lowhand evaluate sally --game", "le", {"least_score"}),
        ("lowhand completion", "z", {"zsh"}),
    ],
)
def test_bash_completes(line, word, expected, script, tmp_path):
    (tmp_path / "quick.yaml").touch()
    (tmp_path / "contest").mkdir()
    code = script + TAB.format(line=line, word=word)
    done = subprocess.run(
        ["bash", "--norc", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert set(done.stdout.split()) == expected


@pytest.mark.parametrize("shell", ["zsh", "tcsh"])
def test_scripts_for_other_shells_name_all_commands(shell, capsys):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    for command in ("train", "evaluate", "tournament", "solve", "completion"):
        assert command in script


def test_an_unknown_shell_is_one_sentence(capsys):
    assert main(["completion", "fish"]) == 2
    message = "lowhand completion: SHELL must be one of bash, zsh, tcsh, not 'fish'.\n"
    assert capsys.readouterr().err == message
