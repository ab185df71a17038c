"""The notebooks run from top to bottom, and what is stored of them is whole and small."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "notebooks"
BUDGET = {"LOWHAND_NOTEBOOK_DECISIONS": "20000", "LOWHAND_NOTEBOOK_GAMES": "60"}
LARGEST = 600_000  # bytes of a file

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
for library in ("matplotlib", "torch", "PIL"):
    pytest.importorskip(library)

BOOKS = sorted(FOLDER.glob("*.ipynb"))


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path, tmp_path, monkeypatch):
    for name, value in BUDGET.items():
        monkeypatch.setenv(name, value)
    book = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(
        book, timeout=240, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()  # raises what a cell raises
    pictures = [out for cell in book.cells for out in cell.get("outputs", ()) if "data" in out]
    assert sum("image/png" in out["data"] for out in pictures) >= 2


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_what_is_stored_of_a_notebook_was_run_in_order(path):
    cells = [c for c in nbformat.read(path, as_version=4).cells if c.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == list(range(1, len(cells) + 1))
    assert not any(out.output_type == "error" for cell in cells for out in cell.outputs)
    root = path.parents[2].as_posix()
    assert root not in path.read_text(encoding="utf-8"), "it names a folder of this machine"
    assert path.stat().st_size < LARGEST


def test_there_are_notebooks():
    assert [path.stem for path in BOOKS] == ["first_look", "train_and_evaluate"]
