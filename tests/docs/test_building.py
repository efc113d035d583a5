"""How the pages are built: code that runs, notebooks, search."""

import json
from pathlib import Path

import pytest
from building.computing import Block, Session, parts_of, run_page
from building.notebooks import notebook_of, plain
from building.searching import split

from tests.docs.pages import text


def test_blocks_of_a_page_share_their_names(tmp_path: Path) -> None:
    session = Session(tmp_path)
    assert session.run("print('hello')\nx = 3").printed == "hello\n"
    assert session.run("y = 4\nx + y").value == 7
    assert session.value("x / 7:.3f") == "0.429"
    assert session.value("', '.join(['a', 'b'])") == "a, b"


def test_a_page_is_texts_and_blocks_with_their_options() -> None:
    page = "Look.\n\n```{run}\n:caption: a picture\n:check:\nx = 1\n\nx\n```\n\nDone.\n"
    assert parts_of(page) == [
        "Look.\n\n",
        Block("x = 1\n\nx", {"caption": "a picture", "check": ""}),
        "\n\nDone.\n",
    ]


def test_a_page_finds_the_small_pairs_beside_it(tmp_path: Path) -> None:
    Session(tmp_path).run("pass")
    assert (tmp_path / "small.tsv").read_text(encoding="utf-8").startswith("i'm home .\tje suis chez moi .\n")


def test_a_notebook_holds_values_formulas_and_code_but_no_check(tmp_path: Path) -> None:
    page = (
        "Two and two are {value}`2 + 2`; see [there](there.md).\n\n```{math}\n:label: en-x\nx = y\n```\n\n"
        ":::{admonition} Mind\n:class: warning\nthe gap\n:::\n\n```{run}\nx = 1\n```\n\n"
        "```{run}\n:check:\nassert x\n```\n"
    )
    cells = json.loads(notebook_of(run_page(page, tmp_path)))["cells"]
    assert [cell["cell_type"] for cell in cells] == ["markdown", "code"]
    assert cells[0]["source"] == (
        "Two and two are 4; see there.\n\n$$\nx = y\n$$\n\n> **Mind**\n>\n> the gap"
    )
    assert cells[1]["source"] == "x = 1"


def test_chapter_heads_are_left_out_of_notebooks() -> None:
    assert plain("# Title\n\n```{chapter}\n```\n\nText.") == "# Title\n\n\n\nText."


def test_chinese_is_found_by_its_characters_and_english_by_its_words() -> None:
    assert split("multi-head 多头 attention") == ["multi", "head", "多", "头", "多头", "attention"]


# One kernel for all six: it takes seconds to start, and chapter 5 trains for some more.
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_first_six_chapters_run_as_notebooks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # for the kernel: other tests run beside it
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    cells = []
    for number in range(1, 7):
        notebook = nbformat.reads(notebook_of(parts_of(text(number, "en"))), as_version=4)
        nbformat.validate(notebook)
        cells += notebook.cells
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    Session(tmp_path).run("pass")  # puts the small pairs there
    whole = nbformat.v4.new_notebook(cells=cells)
    done = nbclient.NotebookClient(
        whole, timeout=1_200, resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    outputs = [output for cell in done.cells if cell.cell_type == "code" for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error"]
    assert any("text/html" in output.get("data", {}) for output in outputs)
