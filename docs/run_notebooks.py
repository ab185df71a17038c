"""Runs the notebooks and stores what they show.

    python docs/run_notebooks.py [NAME…]

Outputs are stored, so that the site and a repository's viewer show them without running anything:
a few pictures and lines each, some hundred kilobytes. A test runs the notebooks with small budgets
and stores nothing. Where and when a notebook ran is not kept.
"""

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent / "notebooks"


def run(name: str) -> None:
    """Run one notebook and store it with its outputs."""
    path = FOLDER / f"{name}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(FOLDER.parents[1])}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=resources).execute()
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata = {}
    nbformat.write(notebook, path)


if __name__ == "__main__":
    for name in sys.argv[1:] or [path.stem for path in sorted(FOLDER.glob("*.ipynb"))]:
        run(name)
