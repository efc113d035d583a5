from pathlib import Path

import pytest

from tests.cli.test_runs import regard
from tests.cli.test_runs import run as run


def three_pairs(folder: Path) -> Path:
    path = folder / "three.tsv"
    path.write_text("alpha beta\tbeta alpha\ngamma\tgamma\n  beta  alpha\talpha\n", encoding="utf-8")
    return path


def test_a_line_of_links_is_written_for_each_pair(run: Path, tmp_path: Path) -> None:
    pairs = three_pairs(tmp_path)
    result = regard("align", str(run), str(pairs), "--most", "1")
    assert result.exit_code == 0, result.output
    assert len(result.stdout.split("\n")) == 4
    assert "Aligned by head " in result.stderr
    assert "mutual information of linked words" in result.stderr
    saved = regard("align", str(run), str(pairs), "--most", "1", "--save", str(tmp_path / "links"))
    assert saved.stdout == ""
    assert saved.stderr.endswith(f"Saved {tmp_path / 'links'}.\n")
    assert (tmp_path / "links").read_text() == result.stdout


def test_links_are_compared_with_gold_and_joined_with_another_run(run: Path, tmp_path: Path) -> None:
    pairs, gold = three_pairs(tmp_path), tmp_path / "gold"
    links = regard("align", str(run), str(pairs), "--head", "decoder.0.cross:0").stdout
    gold.write_text(links)
    result = regard("align", str(run), str(pairs), "--head", "decoder.0.cross:0", "--gold", str(gold))
    assert result.stderr == (
        "Aligned by head 0 of decoder.0.cross, by the word produced.\nAlignment error rate 0.0% on 3 pairs.\n"
    )
    both = regard("align", str(run), str(pairs), "--reverse", str(run), "--join", "intersection")
    assert both.exit_code == 0, both.output
    assert f"of {run}, joined by intersection." in both.stderr
    assert "agreement of the two directions" in both.stderr


def test_a_line_that_cannot_be_read_is_refused_or_left_empty(run: Path, tmp_path: Path) -> None:
    pairs = tmp_path / "bad.tsv"
    pairs.write_text("alpha\tbeta\nalpha\t \nbeta\talpha\n")
    refused = regard("align", str(run), str(pairs))
    assert refused.exit_code == 1
    assert refused.stderr.endswith("(--skip-bad leaves an empty line for such lines.)\n")
    skipped = regard("align", str(run), str(pairs), "--skip-bad")
    assert skipped.exit_code == 0, skipped.output
    assert skipped.stdout.split("\n")[1] == ""
    assert len(skipped.stdout.split("\n")) == 4


def test_chinese_is_aligned_by_characters_unless_it_is_spaced(run: Path, tmp_path: Path) -> None:
    pairs, gold = tmp_path / "zh.tsv", tmp_path / "gold"
    pairs.write_text("alpha beta\t看 iPhone小猫\n", encoding="utf-8")
    gold.write_text("1-3\n")
    fits = regard("align", str(run), str(pairs), "--gold", str(gold))
    assert fits.exit_code == 0, fits.output
    assert fits.stderr.endswith("on 1 pair.\n")
    spaced = regard("align", str(run), str(pairs), "--spaced", "--gold", str(gold))
    assert spaced.stderr == (
        f"Error: {gold}, line 1: 1-3 counts from 0, but the pair has 2 source words and 2 target words.\n"
    )


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ("0-0\n", "{path} has 1 line, but there are 3 pairs to align."),
        (
            "0-0\n0-0\n1-1\n",
            "{path}, line 3: 1-1 counts from 0, but the pair has 2 source words and 1 target word.",
        ),
        (
            "0-0\n0:0\n\n",
            "{path}, line 2: a link is written i-j, or ipj where it is only possible, but got '0:0'.",
        ),
    ],
)
def test_gold_that_does_not_fit_is_refused(run: Path, tmp_path: Path, gold: str, message: str) -> None:
    path = tmp_path / "gold"
    path.write_text(gold)
    result = regard("align", str(run), str(three_pairs(tmp_path)), "--gold", str(path))
    assert result.exit_code == 1
    assert result.stderr == f"Error: {message.format(path=path)}\n"


def test_heads_are_chosen_on_other_pairs_where_asked(run: Path, tmp_path: Path) -> None:
    few, many = three_pairs(tmp_path), str(run.parent / "pairs.tsv")
    result = regard("align", str(run), str(few), "--choose-on", many)
    assert result.exit_code == 0, result.output
    assert len(result.stdout.split("\n")) == 4
    assert "mutual information of linked words" in result.stderr
    assert result.stderr.endswith(" on 60 pairs).\n")
    both = regard("align", str(run), str(few), "--choose-on", many, "--reverse", str(run), "--most", "1")
    assert "agreement of the two directions" in both.stderr
    assert " on 60 pairs) of " in both.stderr


def test_pairs_to_choose_on_that_bring_gold_are_judged_by_it(run: Path, tmp_path: Path) -> None:
    result = regard(
        "align",
        str(run),
        str(three_pairs(tmp_path)),
        "--choose-on",
        "embedded:en-fr:validation",
        "--most",
        "1",
    )
    assert result.exit_code == 0, result.output
    assert "alignment error rate" in result.stderr
    assert " gold pairs).\n" in result.stderr
