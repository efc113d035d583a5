"""Nothing learned is asked, and whoever parts the file gets the same parts."""

from hashlib import sha256
from pathlib import Path

import pytest
from benchmarks import tatoeba
from benchmarks.tatoeba import line_of, main, parted, sameness

from tests.benchmarking.made_up import a_sentence, write

SHARES = {"test": 0.2, "validation": 0.1}


def rows(count: int = 300) -> list[list[str]]:
    """Each English sentence twice, once with other marks; some translations are shared with a neighbour."""
    found = []
    for number in range(count):
        english, french = a_sentence(number).capitalize(), f"Traduction {number - (number % 5 == 1)}"
        found += [
            [f"{english}.", f"{french}\u202f!", f"by {number}"],
            [f"{english}!", f"{french} bis.", "by x"],
        ]
    return found


def test_no_sentence_asked_was_learned_on_either_side() -> None:
    found = parted(iter(rows()), SHARES).rows
    assert all(len(part) > 20 for part in found.values())
    for side in (0, 1):
        seen = {part: {sameness(row[side]) for row in found[part]} for part in found}
        assert not seen["train"] & seen["test"]
        assert not seen["train"] & seen["validation"]
    english = {part: [sameness(row[0]) for row in found[part]] for part in found}
    assert not set(english["validation"]) & set(english["test"])
    for part in ("validation", "test"):
        assert len(set(english[part])) == len(english[part])


def test_what_was_left_out_is_told() -> None:
    found = parted(iter(rows()), SHARES)
    kept = sum(map(len, found.rows.values()))
    assert found.lines == 600
    assert kept + sum(found.left_out.values()) == 600
    assert all(number > 5 for number in found.left_out.values())
    assert len(found.left_out) == 2


def test_more_lines_move_no_sentence() -> None:
    few, many = (
        {row[0]: part for part, found in parted(iter(rows(count)), SHARES).rows.items() for row in found}
        for count in (100, 300)
    )
    assert few.items() <= many.items()
    assert set(few.values()) == {"train", "validation", "test"}


def test_the_parts_are_files_and_their_hashes_are_told(tmp_path: Path) -> None:
    path = write(tmp_path / "fra.txt.gz", ["\t".join(row) for row in rows()])
    line = line_of("en-fr", path, tmp_path / "parts")
    assert line["lines"] == 600
    assert line["spaces"] == {"U+202F": 300}
    for told in line["parts"].values():
        content = (tmp_path / "parts" / told["file"]).read_bytes()
        assert sha256(content).hexdigest() == told["sha256"]
        assert content.count(b"\n") == told["pairs"]
        assert "\u202f" not in content.decode()
        assert b"\tby " in content, "whose sentence it is goes with it"
    assert line_of("en-fr", path, tmp_path / "again")["parts"] == line["parts"]
    plain = write(tmp_path / "fra.txt", ["\t".join(row) for row in rows()])
    assert line_of("en-fr", plain, tmp_path / "again")["sha256"] == line["sha256"]


def test_counts_are_printed_and_kept_only_where_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tatoeba, "RESULTS", tmp_path / "parts.jsonl")
    path = write(tmp_path / "fra.txt", ["\t".join(row) for row in rows()])
    words = ["en-fr", str(path), "--into", str(tmp_path / "parts")]
    main(words)
    printed = capsys.readouterr().out
    assert printed.startswith("train ")
    assert "of 600 lines; left out: {'another translation of a sentence asked': " in printed
    assert not (tmp_path / "parts.jsonl").exists()
    main([*words, "--record"])
    assert (tmp_path / "parts.jsonl").read_text().count("\n") == 1


def test_a_line_that_is_no_pair_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = write(tmp_path / "fra.txt", ["Go.\tVa !", "Hi."])
    with pytest.raises(SystemExit) as caught:
        main(["en-fr", str(path), "--into", str(tmp_path / "parts")])
    assert str(caught.value) == (
        f"Error: {path}, line 2, byte 9: 1 of 2 columns. Put a tab between source and target."
    )
    assert not (tmp_path / "parts").exists()
