from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from regard.cli import main
from tests.runs.test_training import pairs_file


def regard(*words: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(main, words, input=given)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cli")
    result = regard("train", str(pairs_file(folder)), "--into", str(folder / "run"), "--steps", "3")
    assert result.exit_code == 0, result.output
    assert "Best at step" in result.output
    return folder / "run"


def test_a_line_comes_out_for_each_that_goes_in(run: Path) -> None:
    given = "alpha beta\n\ngamma\r\n\u2028 \u0085 x\n".encode() + b"\xff\xfe broken\nlast"
    result = regard("translate", str(run), "--beam", "1", given=given)
    assert result.exit_code == 0, result.output
    lines = result.stdout_bytes.split(b"\n")
    assert len(lines) == 7
    assert lines[1] == lines[6] == b""


def test_texts_are_translated_in_order(run: Path) -> None:
    result = regard("translate", str(run), "alpha", "beta", "--beam", "1")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 2


def test_a_score_has_its_signature(run: Path) -> None:
    result = regard("evaluate", str(run), str(run.parent / "pairs.tsv"), "--beam", "1", "--worst", "1")
    assert result.exit_code == 0, result.output
    assert "nrefs:1|case:mixed" in result.output
    assert "60 pairs in" in result.output


def test_looking_shows_and_saves(run: Path, tmp_path: Path) -> None:
    shown = regard("look", str(run), "alpha beta", "--target", "beta alpha")
    assert shown.exit_code == 0, shown.output
    assert "beta" in shown.output
    saved = regard(
        "look", str(run), "alpha", "--target", "beta", "--save", str(tmp_path / "x.svg"), "--view", "flow"
    )
    assert saved.exit_code == 0, saved.output
    assert (tmp_path / "x.svg").read_text().startswith("<svg")


def test_a_dry_run_writes_nothing(run: Path, tmp_path: Path) -> None:
    result = regard("train", str(run.parent / "pairs.tsv"), "--into", str(tmp_path / "new"), "--dry-run")
    assert result.exit_code == 0, result.output
    assert "Everything is in order." in result.output
    assert list(tmp_path.iterdir()) == []


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    result = regard("translate", str(tmp_path / "none"), "x")
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: There is no run folder {tmp_path / 'none'}. Train one with: regard train DATA --into "
        f"{tmp_path / 'none'}\n"
    )
