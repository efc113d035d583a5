"""Every example is short, says what it shows, runs, and draws its picture."""

import ast
import runpy
from pathlib import Path

import pytest
import torch

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
LONGEST = 40


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_short_and_says_what_it_shows(example: Path) -> None:
    code = example.read_text(encoding="utf-8")
    said = ast.get_docstring(ast.parse(code))
    assert said
    assert len(code.splitlines()) < LONGEST


# Those of a few seconds train something, or build a model of another library.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_draws_its_picture(
    example: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", [str(example)])
    threads = torch.get_num_threads()
    runpy.run_path(str(example), run_name="__main__")
    torch.set_num_threads(threads)
    assert capsys.readouterr().out.strip()
    assert [picture.stem for picture in tmp_path.glob("*.svg")] == [example.stem]
