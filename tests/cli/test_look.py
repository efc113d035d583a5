import json
from pathlib import Path

from regard.runs import Translator
from regard.translation.aligning import cross_heads
from tests.cli.test_runs import regard
from tests.cli.test_runs import run as run

TEXT = ("alpha beta", "--target", "beta alpha")


def test_every_head_is_listed_with_its_effect(run: Path) -> None:
    shown = regard("look", str(run), *TEXT, "--heads")
    assert shown.exit_code == 0, shown.output
    lines = shown.stdout.split("\n")
    assert lines[0].endswith(" heads, by effect")
    assert lines[1].startswith("Attention is not explanation")
    assert lines[2].startswith("effect: ")
    assert lines[3].split()[0] == "head"
    assert lines[3].endswith("effect")
    effects = [float(line.split()[-1].replace("−", "-")) for line in lines[4:] if line]
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
    wrong = regard("look", str(run), "--film", "--save", "film.json")
    assert wrong.stderr == (
        "Error: film.json cannot be saved: its name must end in .svg, .png, .pdf or .html.\n"
    )
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


def test_a_grid_shows_every_head_of_its_kind_and_one_head_is_said_to_be_one_of_them(run: Path) -> None:
    grid = regard("look", str(run), *TEXT, "--view", "grid")
    assert grid.exit_code == 0, grid.output
    heads = sum(cross_heads(Translator.load(run)).values())
    assert grid.stdout.count("head ") == heads
    assert grid.stderr == ""
    shown = regard("look", str(run), *TEXT)
    assert shown.stderr == (
        f"The sharpest of {heads} heads: --view grid shows all, --layer and --head others.\n"
    )
    one = regard("look", str(run), *TEXT, "--layer", "0", "--head", "1")
    assert one.stderr == ""
    assert one.stdout.startswith("decoder.0.cross · head 1\n")


def test_a_page_begins_at_the_head_that_is_shown_and_can_be_edited(run: Path, tmp_path: Path) -> None:
    saved = regard("look", str(run), *TEXT, "--head", "1", "--pieces", "--save", str(tmp_path / "page.html"))
    assert saved.exit_code == 0, saved.output
    html = (tmp_path / "page.html").read_text(encoding="utf-8")
    facts = json.loads(html.partition('id="facts">')[2].partition("</script>")[0])
    first, head = facts["first"]
    assert (facts["maps"][first]["kind"], head, facts["subwords"]) == ("cross", 1, True)
    assert all(len(each["editable"]) == len(each["heads"]) for each in facts["maps"])


def test_two_pictures_at_once_are_refused(run: Path) -> None:
    result = regard("look", str(run), *TEXT, "--heads", "--rollout")
    assert result.exit_code == 2
    assert "--heads and --rollout are two pictures: ask for one of them." in result.stderr
