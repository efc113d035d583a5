"""The first chapters are notebooks, too: they run without a page, and draw what the page draws."""

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from building.computing import SMALL, Block, parts_of, run_page
from building.directives import NOTEBOOKS
from building.notebooks import notebook_of
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from tests.docs.pages import LANGUAGES, text


def executed(notebook: str, folder: Path) -> nbformat.NotebookNode:
    """The notebook after every cell was run by a kernel of its own."""
    opened = nbformat.reads(notebook, as_version=4)
    nbformat.validate(opened)
    NotebookClient(opened, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return opened


# A kernel loads torch anew, and the fifth chapter trains: some ten seconds each.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("number", range(1, NOTEBOOKS + 1))
def test_a_chapter_runs_as_a_notebook(number: int, tmp_path: Path) -> None:
    shutil.copy(SMALL, tmp_path)
    for language in LANGUAGES:
        page = text(number, language)
        notebook = executed(notebook_of(run_page(page, tmp_path)), tmp_path)
        drawn = [
            output
            for cell in notebook.cells
            for output in cell.get("outputs", [])
            if re.search(r"<(svg|iframe) ", output.get("data", {}).get("text/html", ""))
        ]
        figures = [part for part in parts_of(page) if isinstance(part, Block) and "caption" in part.options]
        assert len(drawn) == len(figures) > 0
        assert "{value}" not in json.dumps(notebook)


@pytest.mark.filterwarnings("default")
def test_a_notebook_that_fails_is_noticed(tmp_path: Path) -> None:
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        executed(notebook_of(["Divide:", Block("1 / 0")]), tmp_path)


def test_a_notebook_draws_in_the_view_of_the_page() -> None:
    (cell, caption) = json.loads(notebook_of([Block("seen", {"view": "flow", "caption": "Lines."})]))["cells"]
    assert cell["source"] == 'seen.layout("flow")'
    assert caption["source"] == "*Lines.*"
