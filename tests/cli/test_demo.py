import shutil
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from regard.cli import main
from regard.cli.demo import called


def test_a_demo_writes_every_example_and_says_where_to_look(tmp_path: Path) -> None:
    folder = tmp_path / "worked"
    result = CliRunner().invoke(main, ["demo", "--worked", "--into", str(folder)])
    assert result.exit_code == 0
    assert f"Open {folder / 'index.html'} in a browser" in result.stdout
    assert "  good       I am good: softmax(XXᵀ)X\n" in result.stdout
    assert len(list(folder.glob("*.svg"))) == 10


def test_a_folder_that_cannot_be_made_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = CliRunner().invoke(main, ["demo", "--worked", "--into", str(tmp_path / "file" / "worked")])
    assert result.exit_code == 1
    assert result.stderr == f"Error: {tmp_path / 'file' / 'worked'} cannot be written: Not a directory.\n"


@pytest.mark.parametrize(
    ("on_the_path", "begun_as", "said"),
    [
        ("/usr/bin/regard", "/usr/bin/regard", "regard"),
        (None, ".venv/bin/regard", ".venv/bin/regard"),
        (None, "src/regard/__main__.py", "python -m regard"),
    ],
)
def test_what_to_type_next_can_be_typed_here(
    on_the_path: str | None, begun_as: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: on_the_path)
    monkeypatch.setattr(sys, "argv", [begun_as, "demo"])
    assert called() == said
