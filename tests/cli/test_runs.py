import re
import shlex
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from rich.console import Console

from regard.cli import main
from regard.cli.display import follow
from regard.runs import Progress, RunFolder, Validation
from regard.training import Report
from tests.runs.test_training import pairs_file


def regard(*words: str, given: bytes | None = None) -> Result:
    return CliRunner().invoke(main, words, input=given)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has learned to write, and not yet to end."""
    folder = tmp_path_factory.mktemp("cli")
    little = ["--steps", "3", "--set", "model.width=128", "--set", "training.peak_learning_rate=0.005"]
    result = regard("train", str(pairs_file(folder)), "--into", str(folder / "run"), *little)
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


def test_what_to_type_next_can_be_typed(run: Path, tmp_path: Path) -> None:
    into = tmp_path / "my runs, of which there are so many that their names take more than a line" / "one"
    result = regard("train", str(run.parent / "pairs.tsv"), "--into", str(into), "--steps", "1")
    *_, translate, look, evaluate = result.stdout.splitlines()
    assert shlex.split(translate) == ["regard", "translate", str(into), "…"]
    assert shlex.split(look) == ["regard", "look", str(into), "…"]
    typed = shlex.split(evaluate)
    assert typed == ["regard", "evaluate", str(into), str(into / "validation.tsv")]
    scored = regard(*typed[1:], "--beam", "1", "--worst", "0")
    assert scored.exit_code == 0, scored.output
    assert f"{len((into / 'validation.tsv').read_text().splitlines())} pairs in" in scored.output


@pytest.mark.parametrize("option", [("--alternatives", "2"), ("--confidence",)])
def test_what_would_add_lines_is_refused_where_lines_are_counted(run: Path, option: tuple[str, ...]) -> None:
    result = regard("translate", str(run), *option, given=b"alpha\n")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert (
        f"Error: {option[0]} is for texts given as arguments: of lines from standard input each gives one "
        "line.\n"
    ) in result.stderr


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


def test_a_figure_of_no_known_kind_is_refused_with_those_there_are(run: Path, tmp_path: Path) -> None:
    result = regard("look", str(run), "alpha", "--save", str(tmp_path / "x.txt"))
    assert result.exit_code == 1
    assert result.stderr == (
        f"Error: {tmp_path / 'x.txt'} cannot be saved: its name must end in "
        ".svg, .png, .pdf, .html, .json or .npz.\n"
    )


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
    assert result.stderr == "regard: 1 of 2 translations had to be cut at the greatest length.\n"


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


def test_a_beam_wider_than_memory_is_refused_in_a_sentence(run: Path) -> None:
    for result in (
        regard("translate", str(run), "alpha", "--beam", "100000"),
        regard("translate", str(run), "--beam", "100000", given=b"alpha\n"),
        regard("evaluate", str(run), str(run.parent / "pairs.tsv"), "--beam", "100000"),
    ):
        assert result.exit_code == 1
        assert result.stdout == ""
        assert result.stderr.startswith("Error: beam must be at most 4096, or memory would not suffice, but ")
        assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["nonsense", "meta", "privateuseone"])
def test_a_device_that_is_not_here_is_told_with_those_that_are(
    run: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: 0)
    monkeypatch.setattr("torch.backends.mps.is_available", lambda: False)
    result = regard("translate", str(run), "alpha", "--device", name)
    assert result.exit_code == 1
    assert result.stderr == f"Error: The device '{name}' is not here. There is only cpu.\n"
    monkeypatch.setattr("torch.cuda.device_count", lambda: 2)
    result = regard("translate", str(run), "alpha", "--device", name)
    assert result.stderr.endswith("is not here. There are cpu, cuda:0 and cuda:1.\n")


def test_one_of_anything_is_told_in_the_singular(run: Path, tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("alpha beta\tbeta alpha\n")
    pairs, one, into = str(run.parent / "pairs.tsv"), str(tmp_path / "one.tsv"), str(tmp_path / "run")
    recipe = tmp_path / "one.toml"
    recipe.write_text(
        f"[data]\ntrain = '{pairs}'\nvalidation = '{one}'\n[model]\nwidth = 8\nlayers = 1\nheads = 1\n"
        "[training]\nsteps = 1\n"
    )
    told = [
        regard("train", str(recipe), "--into", into, "--dry-run"),
        regard("train", str(recipe), "--into", into),
        regard("train", str(recipe), "--into", into),
        regard("train", one, "--into", str(tmp_path / "other")),
        regard("evaluate", into, one, "--beam", "1"),
        regard("translate", into, "--beam", "1", given=b"\xff alpha\n"),
        regard("align", into, one),
        regard("prepare", one, "--into", str(tmp_path / "prepared")),
    ]
    said = " ".join(" ".join(result.output.split()) for result in told)
    assert "Everything is in order. 1 step will take about 1 second here" in said
    assert "1 layer of width 8, 1 head, " in said
    assert "1 pair of one.tsv" in said
    assert "holds a run of 1 step already" in said
    assert "the 1 pair holds fewer than two different source sentences" in said
    assert "1 of 1 line held bytes" in said
    assert re.findall(r"(?<![\d.,-])1 (?!s\b|is\b|loss\b)\w+s\b", said) == []


def test_a_run_that_stops_early_says_why_and_which_step_was_best(run: Path, tmp_path: Path) -> None:
    recipe, into = tmp_path / "early.toml", str(tmp_path / "run")
    recipe.write_text(
        f"[data]\ntrain = '{run.parent / 'pairs.tsv'}'\n[model]\nwidth = 8\nlayers = 1\n"
        "[training]\nsteps = 9\nvalidate_every = 1\npatience = 2\npeak_learning_rate = 1e-9\n"
        "moving_average = 0.0\n"
    )
    for line in (regard("train", str(recipe), "--into", into), regard("train", "--into", into, "--resume")):
        assert line.exit_code == 0, line.output
        ended = line.stdout[: line.stdout.index("Next:\n")].splitlines()[-2:]
        assert ended[0] == "Stopped after step 3 of 9: nothing better in 2 validations."
        best = RunFolder(Path(into)).checkpoint("best").step
        assert re.fullmatch(rf"Best at step {best}: validation loss \d\.\d{{3}}, BLEU \d+\.\d\.", ended[1])
    assert line.stdout.startswith(f"{into} is finished.\n")


def test_a_byte_order_mark_before_the_first_line_is_not_translated(run: Path) -> None:
    plain = regard("translate", str(run), "--beam", "1", given=b"alpha beta\ngamma\n")
    marked = regard("translate", str(run), "--beam", "1", given=b"\xef\xbb\xbfalpha beta\ngamma\n")
    assert marked.stdout_bytes == plain.stdout_bytes


def test_only_translations_that_differ_are_shown_as_the_worst(run: Path, tmp_path: Path) -> None:
    pairs = run.parent / "pairs.tsv"
    assert (
        "\nThe worst, by chrF:\n\n  source " in regard("evaluate", str(run), str(pairs), "--beam", "1").stdout
    )
    found = regard("translate", str(run), "alpha", "--beam", "1").stdout.splitlines()[0]
    (tmp_path / "own.tsv").write_text(f"alpha\t{found}\n", encoding="utf-8")
    told = regard("evaluate", str(run), str(tmp_path / "own.tsv"), "--beam", "1")
    assert told.exit_code == 0, told.output
    assert "The worst" not in told.stdout


def test_a_setting_of_a_recipe_is_changed_for_one_run(run: Path, tmp_path: Path) -> None:
    recipe = tmp_path / "mine.toml"
    recipe.write_text(f'[data]\ntrain = "{run.parent / "pairs.tsv"}"\n[model]\nwidth = 8\nlayers = 1\n')
    words = ("train", str(recipe), "--into", str(tmp_path / "new"), "--dry-run")
    changes = ("--set", "model.positions=none", "--set", "model.heads=1", "--seed", "7")
    told = " ".join(regard(*words, *changes).output.split())
    assert "1 layer of width 8, 1 head, none positions" in told
    assert "seed 7" in told
    assert "4 heads, sinusoidal positions" in " ".join(regard(*words).output.split())


def test_a_setting_said_in_two_ways_is_refused(run: Path, tmp_path: Path) -> None:
    words = (
        "--into",
        str(tmp_path / "new"),
        "--seed",
        "7",
        "--set",
        "training.seed=8",
        "--set",
        "model.widht=3",
    )
    result = regard("train", str(run.parent / "pairs.tsv"), *words)
    assert result.exit_code == 1
    assert result.output == (
        "Error: training.seed is set twice, to '7' and '8'. Leave one out. "
        "model has no setting 'widht'. Did you mean width?\n"
    )


def test_settings_that_would_be_passed_over_are_refused(run: Path, tmp_path: Path) -> None:
    resumed = regard("train", "--into", str(run), "--resume", "--set", "training.steps=9")
    assert resumed.exit_code == 2
    assert "leave out --set. " in resumed.stderr
    tuned = regard(
        "train", str(run.parent / "pairs.tsv"), "--from", str(run), "--into", str(tmp_path / "x"),
        "--dry-run", "--set", "model.layers=3", "--set", "model.kind=transformer",
    )  # fmt: skip
    assert tuned.exit_code == 1
    assert tuned.stderr == (
        "Error: A run begins with the model and the tokenizer of the run it starts from: model.layers is 3, "
        f"but that of {run} is 2. Leave such settings out of the recipe.\n"
    )


def test_a_file_is_translated_the_same_by_several_processes(
    run: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.translation.workers.cores", lambda: 2)
    given = b"".join(b"alpha beta gamma %d\n" % number for number in range(80))
    one = regard("translate", str(run), "--beam", "2", "--processes", "1", given=given)
    two = regard("translate", str(run), "--beam", "2", "--processes", "2", given=given)
    assert one.exit_code == two.exit_code == 0, two.output
    assert two.stdout_bytes == one.stdout_bytes
    assert two.stdout_bytes.count(b"\n") == 80


def test_a_file_is_translated_in_likely_tokens(run: Path) -> None:
    result = regard("translate", str(run), "--beam", "1", "--shortlist", given=b"alpha beta\ngamma\n")
    assert result.exit_code == 0, result.output
    assert result.stdout_bytes.count(b"\n") == 2
    assert (run / "shortlist.safetensors").is_file()
