from pathlib import Path

from tests.cli.test_runs import regard
from tests.cli.test_runs import run as run

TEXT = ("alpha beta", "--target", "beta alpha")


def test_every_head_is_listed_with_its_effect(run: Path) -> None:
    shown = regard("look", str(run), *TEXT, "--heads")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.split("\n")
    assert lines[0].endswith(" heads, by effect")
    assert lines[1].startswith("Attention is not explanation")
    assert lines[2].split()[0] == "head"
    assert lines[2].endswith("effect")
    effects = [float(line.split()[-1].replace("−", "-")) for line in lines[3:] if line]
    assert effects == sorted(effects)
    assert regard("look", str(run), *TEXT, "--heads", "--order", "entropy").exit_code == 0


def test_the_arithmetic_of_a_word_is_shown_and_saved(run: Path, tmp_path: Path) -> None:
    asked = ("look", str(run), *TEXT, "--arithmetic", "decoder.0.cross", "--head", "1", "--word", "alpha")
    shown = regard(*asked)
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("decoder.0.cross · head 1 · writing alpha\n")
    assert "the model’s own output" in shown.stdout
    assert shown.stdout.count("largest difference") == 2
    saved = regard(*asked, "--save", str(tmp_path / "sums.svg"))
    assert saved.stdout == f"Saved {tmp_path / 'sums.svg'}.\n"
    assert (tmp_path / "sums.svg").read_text(encoding="utf-8").startswith("<svg")
    wrong = regard("look", str(run), *TEXT, "--arithmetic", "decoder.0.cross", "--word", "nothing")
    assert wrong.exit_code == 1
    assert wrong.stderr == "Error: the words are 'beta' 'alpha' '<end>', but 'nothing' is asked for.\n"


def test_a_film_is_made_of_the_looks_of_a_run(run: Path, tmp_path: Path) -> None:
    shown = regard("look", str(run), "--film")
    assert shown.exit_code == 0, shown.output
    assert "step " in shown.stdout
    page = regard("look", str(run), "--film", "--save", str(tmp_path / "film.html"))
    assert page.exit_code == 0, page.output
    assert 'type="radio"' in (tmp_path / "film.html").read_text(encoding="utf-8")


def test_what_reaches_a_word_is_rolled_out(run: Path) -> None:
    shown = regard("look", str(run), *TEXT, "--rollout", "--value-norms")
    assert shown.exit_code == 0, shown.output
    assert shown.stdout.startswith("decoder.rollout.cross")
    assert "weighed by value norm" in shown.stdout
    assert regard("look", str(run), *TEXT, "--value-norms").exit_code == 0


def test_a_text_is_needed_for_all_but_a_film(run: Path) -> None:
    result = regard("look", str(run))
    assert result.exit_code == 2
    assert "Name the TEXT to look at." in result.stderr
