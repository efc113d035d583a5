from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from regard.cli import main
from regard.cli.display import follow
from regard.runs import Progress, Validation
from regard.training import Report
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


def test_bytes_that_are_no_text_are_told_of_once(run: Path) -> None:
    result = regard("translate", str(run), "--beam", "1", given=b"alpha\n\xff one\ntwo \xfe\n")
    assert len(result.stdout.splitlines()) == 3
    assert result.stderr.startswith("regard: 2 of 3 lines held bytes that are not UTF-8, read as U+FFFD.\n")


def test_a_translation_cut_in_a_file_is_told_of(run: Path) -> None:
    result = regard("translate", str(run), "--beam", "1", given=b"alpha beta\n\n")
    assert result.stderr == "regard: 1 of 2 translations were cut at their greatest length.\n"


@pytest.mark.parametrize("words", [("--beam", "0"), ("--alternatives", "-1")])
def test_a_search_keeps_something(run: Path, words: tuple[str, ...]) -> None:
    result = regard("translate", str(run), "alpha", *words)
    assert result.exit_code == 2
    assert f"Invalid value for '{words[0]}': {words[1]} is not in the range" in result.stderr


def test_going_on_changes_nothing_and_says_so(run: Path) -> None:
    result = regard("train", "pairs.tsv", "--into", str(run), "--resume", "--steps", "9", "--dry-run")
    assert result.exit_code == 2
    assert result.stderr.endswith(
        "Error: --resume goes on with everything as the run began: leave out DATA and --steps and --dry-run. "
        "To change something, begin another run with --from.\n"
    )


def test_lines_dropped_are_counted_before_training_and_after_scoring(run: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "some.tsv"
    pairs.write_bytes((run.parent / "pairs.tsv").read_bytes() + b"no tab\n\xff\tx\n")
    result = regard("train", str(pairs), "--into", str(tmp_path / "new"), "--dry-run", "--skip-bad")
    assert "dropped 1 invalid UTF-8, 1 missing tab" in " ".join(result.output.split())
    result = regard("evaluate", str(run), str(pairs), "--skip-bad", "--beam", "1", "--worst", "0")
    assert "kept 60 of 62 pairs; dropped 1 invalid UTF-8, 1 missing tab\n" in result.output


def test_a_result_that_cannot_be_kept_is_refused_before_the_work(run: Path, tmp_path: Path) -> None:
    result = regard(
        "evaluate", str(run), str(run.parent / "pairs.tsv"), "--save", str(tmp_path / "no" / "x.json")
    )
    assert result.exit_code == 1
    assert (
        result.output
        == f"Error: {tmp_path / 'no' / 'x.json'} cannot be written: No such file or directory.\n"
    )


@pytest.mark.parametrize("is_terminal", [False, True])
def test_words_that_look_like_markup_are_shown_as_they_are(is_terminal: bool) -> None:
    console = Console(record=True, force_terminal=is_terminal, width=200, file=StringIO())
    validation = Validation(
        step=1,
        loss=2.0,
        bleu=3.0,
        chrf=4.0,
        source="[/b] asked",
        target="x",
        translation="[/red] \x1b[31m found",
        seconds=0.1,
        is_best=True,
    )
    report = Report(
        step=1, epoch=0, loss=2.0, gradient_norm=1.0, learning_rate=0.1, tokens=5, seconds=0.1, skipped=False
    )
    follow(console, [Progress(report=report, validation=validation, steps=1)], total=1)
    told = console.export_text()
    assert "[/red] ‹U+001B›[31m found" in told
    assert not is_terminal or "[/b] asked" in told


def test_a_run_to_begin_with_brings_its_own_model(run: Path, tmp_path: Path) -> None:
    pairs = str(run.parent / "pairs.tsv")
    result = regard("train", pairs, "--from", str(run), "--model", "recurrent", "--into", str(tmp_path / "x"))
    assert result.exit_code == 2
    assert result.stderr.endswith("Error: --from brings its own model: leave out --model.\n")
