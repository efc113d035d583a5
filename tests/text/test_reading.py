import gzip
import json
import lzma
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError, RecipeError
from regard.text import Corpus, Fault, Pair, Reading, ReadingSettings, read, read_parts, stream

SOURCES = ["the cat sleeps", "i'm home .", "look at the kitten"]
TARGETS = ["le chat dort", "je suis chez moi .", "看小猫"]
PAIRS = tuple(Pair(*pair) for pair in zip(SOURCES, TARGETS, strict=True))

PACKERS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}


def lines(texts: list[str]) -> bytes:
    return "".join(f"{text}\n" for text in texts).encode()


TAB_SEPARATED = lines([f"{source}\t{target}" for source, target in PAIRS])
JSON_LINES = lines([json.dumps({"source": source, "target": target, "id": 7}) for source, target in PAIRS])


@pytest.mark.parametrize("suffix", PACKERS)
def test_the_same_pairs_are_read_from_every_kind_of_file(suffix: str, tmp_path: Path) -> None:
    pack = PACKERS[suffix]
    contents = {"a.tsv": TAB_SEPARATED, "a.jsonl": JSON_LINES, "a.en": lines(SOURCES), "a.fr": lines(TARGETS)}
    for name, data in contents.items():
        (tmp_path / f"{name}{suffix}").write_bytes(pack(data))
    tsv, jsonl, english, french = (tmp_path / f"{name}{suffix}" for name in contents)

    corpora = [read(tsv), read(str(jsonl)), read((english, french)), read([str(english), str(french)])]

    assert [corpus.pairs for corpus in corpora] == [PAIRS] * 4
    assert {corpus.sha256 for corpus in corpora} == {corpora[0].sha256}
    assert corpora[0].reading == Reading(kept=3, dropped={})


sentence = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\t\0"), min_size=1).filter(
    lambda text: not text.isspace() and not text.endswith("\r") and not text.startswith("\ufeff")
)


@given(st.lists(st.tuples(sentence, sentence), min_size=1))
def test_any_text_is_kept_as_it_stands(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "a.tsv").write_bytes(lines([f"{source}\t{target}" for source, target in pairs]))
    (folder / "a.jsonl").write_bytes(
        lines([json.dumps({"en": source, "fr": target}) for source, target in pairs])
    )
    (folder / "a.en").write_bytes(lines([source for source, _ in pairs]))
    (folder / "a.fr").write_bytes(lines([target for _, target in pairs]))
    everything = ReadingSettings(longest=None, ratio=None, keys=("en", "fr"))

    for source in (folder / "a.tsv", folder / "a.jsonl", (folder / "a.en", folder / "a.fr")):
        assert [*read(source, everything).pairs] == pairs


def test_a_third_column_is_left_alone_when_every_line_has_it(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a\tb\tby Ann\nc\td\tby Bob\n")
    assert read(tmp_path / "a.txt").pairs == (("a", "b"), ("c", "d"))


def test_columns_may_be_chosen_and_turned_round(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"17\ta\t18\tb\n")
    assert read(tmp_path / "a.tsv", ReadingSettings(columns=(4, 2))).pairs == (("b", "a"),)


def test_json_may_hold_its_sentences_under_other_keys(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"en": "a", "fr": "b"}\n{"translation": {"fr": "d", "en": "c"}}\n')
    assert read(tmp_path / "a.jsonl", ReadingSettings(keys=("en", "fr"))).pairs == (("a", "b"), ("c", "d"))


def test_files_of_windows_are_read_without_their_carriage_returns(tmp_path: Path) -> None:
    (tmp_path / "a.tsv").write_bytes(b"\xef\xbb\xbfa\tb\r\nc\td\r\ne\tf")
    assert read(tmp_path / "a.tsv").pairs == (("a", "b"), ("c", "d"), ("e", "f"))


TWELVE_CORRUPTIONS: dict[str, tuple[bytes, bytes, str]] = {
    "a line too few": (
        b"one\ntwo\nthree\n",
        b"un\ndeux\n",
        "{en}, line 3, byte 8: {en} has 3 lines but {fr} has 2, so this line has no partner. "
        "Find where a line was lost or added.",
    ),
    "lines too many": (
        b"one\ntwo\n",
        b"un\ndeux\ntrois\nquatre\n",
        "{fr}, line 3, byte 8: {fr} has 4 lines but {en} has 2, so this line has no partner. "
        "Find where a line was lost or added.",
    ),
    "shifted by an empty line": (
        b"one\ntwo\nthree\n",
        b"un\n\ndeux\ntrois\n",
        "{fr}, line 2, byte 3: an empty sentence. Write it, or take the pair out.",
    ),
    "a blank line": (
        b"one\n \xc2\xa0\t\nthree\n",
        b"un\ndeux\ntrois\n",
        "{en}, line 2, byte 4: an empty sentence. Write it, or take the pair out.",
    ),
    "carriage returns on one side": (
        b"one\ntwo\n",
        b"un\r\ndeux\r\n",
        "{fr}, line 1, byte 2: the line ends in \\r\\n where those before end in \\n. "
        "End all lines in one way.",
    ),
    "carriage returns from some line on": (
        b"one\r\ntwo\nthree\n",
        b"un\r\ndeux\r\ntrois\r\n",
        "{en}, line 2, byte 8: the line ends in \\n where those before end in \\r\\n. "
        "End all lines in one way.",
    ),
    "a NUL": (
        b"one\ntwo\n",
        b"un\nde\0ux\n",
        "{fr}, line 2, byte 5: a NUL, which no sentence holds. Take it out.",
    ),
    "Latin-1": (
        b"summer\nhe is\n",
        b"\xc3\xa9t\xc3\xa9\nil \xe9tait\n",
        "{fr}, line 2, byte 9: 0xE9 is not UTF-8 here. Save the file as UTF-8, or mend the line.",
    ),
    "UTF-16": (
        b"one\n",
        "\ufeffun\n".encode("utf-16-le"),
        "{fr}, line 1, byte 0: 0xFF is not UTF-8 here. It looks like UTF-16: save the file as UTF-8.",
    ),
    "a lone surrogate in bytes": (
        b"one\ntwo \xed\xa0\x80\n",
        b"un\ndeux\n",
        "{en}, line 2, byte 8: 0xED is not UTF-8 here. Save the file as UTF-8, or mend the line.",
    ),
    "cut within a character": (
        b"summer\nwinter in summer\n",
        "été\nhiver en été".encode()[:-1],
        "{fr}, line 2, byte 18: 0xC3 is not UTF-8 here. Save the file as UTF-8, or mend the line.",
    ),
    "an endless line": (
        b"one\ntwo\n",
        b"un\n" + b"x" * (1 << 20) + b"\n",
        "{fr}, line 2, byte 3: a line of more than 1048576 bytes. Break it into sentences.",
    ),
}


@pytest.mark.parametrize("suffix", PACKERS)
@pytest.mark.parametrize("corruption", TWELVE_CORRUPTIONS)
def test_a_corrupt_parallel_file_is_refused_with_file_line_and_byte(
    corruption: str, suffix: str, tmp_path: Path
) -> None:
    english, french, message = TWELVE_CORRUPTIONS[corruption]
    en, fr = tmp_path / f"a.en{suffix}", tmp_path / f"a.fr{suffix}"
    en.write_bytes(PACKERS[suffix](english))
    fr.write_bytes(PACKERS[suffix](french))
    with pytest.raises(DataError) as caught:
        read((en, fr))
    assert (
        str(caught.value)
        == message.format(en=en, fr=fr) + " (--skip-bad, or skip_bad=True, drops such lines.)"
    )


@pytest.mark.parametrize(
    ("corruption", "kept", "dropped"),
    [
        ("a line too few", 2, {"no partner": 1}),
        ("lines too many", 2, {"no partner": 2}),
        ("shifted by an empty line", 2, {"empty side": 1, "no partner": 1}),
        ("a blank line", 2, {"empty side": 1}),
        ("carriage returns from some line on", 1, {"mixed line ends": 2}),
        ("a NUL", 1, {"NUL": 1}),
        ("Latin-1", 1, {"invalid UTF-8": 1}),
        ("a lone surrogate in bytes", 1, {"invalid UTF-8": 1}),
        ("cut within a character", 1, {"invalid UTF-8": 1}),
        ("an endless line", 1, {"endless line": 1}),
    ],
)
def test_bad_lines_are_dropped_and_counted_when_asked(
    corruption: str, kept: int, dropped: dict[str, int], tmp_path: Path
) -> None:
    english, french, _ = TWELVE_CORRUPTIONS[corruption]
    (tmp_path / "a.en").write_bytes(english)
    (tmp_path / "a.fr").write_bytes(french)
    corpus = read((tmp_path / "a.en", tmp_path / "a.fr"), skip_bad=True)
    assert corpus.reading == Reading(kept=kept, dropped=dropped)
    assert len(corpus.pairs) == kept


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a\tb\nc\n", "line 2, byte 4: 1 of 2 columns. Put a tab between source and target."),
        (b"a\tb\n\nc\td\n", "line 2, byte 4: an empty sentence. Write it, or take the pair out."),
        (b"a,b\n", "line 1, byte 0: 1 of 2 columns. Put a tab between source and target."),
        (b"a\tb\nc\td\te\n", "line 2, byte 4: 3 columns where lines before have 2. Take out the stray tab."),
        (b"a\tb\tc\nd\te\n", "line 2, byte 6: 2 columns where lines before have 3. Take out the stray tab."),
        (b"a\tb\nc\t\n", "line 2, byte 6: an empty sentence. Write it, or take the pair out."),
        (b"a\tb\n\t \n", "line 2, byte 4: an empty sentence. Write it, or take the pair out."),
        (b"a\tb\nc\td\0\n", "line 2, byte 7: a NUL, which no sentence holds. Take it out."),
        (
            b"a\tb\nc\xff\td\n",
            "line 2, byte 5: 0xFF is not UTF-8 here. Save the file as UTF-8, or mend the line.",
        ),
        (
            b"a\tb\nno tab \xff\n",
            "line 2, byte 11: 0xFF is not UTF-8 here. Save the file as UTF-8, or mend the line.",
        ),
        (
            gzip.compress(b"a\tb\n", mtime=0),
            "line 1, byte 1: 0x8B is not UTF-8 here. It looks like gzip: let the file's name end in .gz.",
        ),
        (
            lzma.compress(b"a\tb\n"),
            "line 1, byte 0: 0xFD is not UTF-8 here. It looks like xz: let the file's name end in .xz.",
        ),
        (
            b"a\tb\r\nc\td\n",
            "line 2, byte 8: the line ends in \\n where those before end in \\r\\n. "
            "End all lines in one way.",
        ),
    ],
)
def test_a_bad_line_of_columns_is_refused(data: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}, {message} (--skip-bad, or skip_bad=True, drops such lines.)"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "byte 33: an empty sentence. Write it, or take the pair out."),
        (b"{", "byte 34: the line is not JSON here. Write one object a line."),
        ('{"é": x}'.encode(), "byte 40: the line is not JSON here. Write one object a line."),
        (b"[" * 99_999, "byte 33: the line is not JSON that can be read. Write one object a line."),
        (b"9" * 9_999, "byte 33: the line is not JSON that can be read. Write one object a line."),
        (
            b'["a", "b"]',
            'byte 33: no object with a string under each of "source" and "target". '
            "Name the keys, or add them.",
        ),
        (
            b'{"source": "a", "target": 7}',
            'byte 33: no object with a string under each of "source" and "target". '
            "Name the keys, or add them.",
        ),
        (b'{"source": "a", "target": ""}', "byte 33: an empty sentence. Write it, or take the pair out."),
        (
            rb'{"source": "a\u0000", "target": "b"}',
            "byte 34: a NUL, which no sentence holds. Take it out.",
        ),
        (
            rb'{"source": "a\nb", "target": "b"}',
            "byte 33: a sentence holds a line feed. Write a space instead.",
        ),
        (
            rb'{"source": "a", "target": "\ud800"}',
            "byte 33: a sentence holds a lone surrogate, which is not valid Unicode. Take it out.",
        ),
    ],
)
def test_a_bad_line_of_json_is_refused(line: bytes, message: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"source": "on", "target": "un"}\n' + line + b"\n")
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}, line 2, {message} (--skip-bad, or skip_bad=True, drops such lines.)"


def test_long_and_unequal_pairs_are_dropped_and_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(lines(["a\tb", f"{'a' * 2_001}\t{'b' * 2_000}", f"a\t{'b' * 46}", f"a\t{'b' * 45}"]))
    corpus = read(path)
    assert corpus.reading == Reading(kept=2, dropped={"over-long": 1, "unequal": 1})
    assert str(corpus.reading) == "kept 2 of 4 pairs; dropped 1 over-long, 1 unequal"
    assert read(path, ReadingSettings(longest=None, ratio=None)).reading == Reading(kept=4)


def test_a_stream_tells_of_every_line_in_order(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(lines(["a\tb", "c", f"a\t{'b' * 99}", "d\te"]))
    first, second, third, fourth = stream(path)
    assert (first, fourth) == (Pair("a", "b"), Pair("d", "e"))
    assert isinstance(second, Fault)
    assert isinstance(third, Fault)
    assert (second.reason, second.is_bad) == ("missing tab", True)
    assert (third.reason, third.is_bad) == ("unequal", False)
    assert str(third) == f"{path}, line 3, byte 6: unequal, with 1 byte of source and 99 of target."


def test_a_file_without_pairs_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.en").write_bytes(b"one\n")
    (tmp_path / "a.fr").write_bytes(b"un\r\n")
    (tmp_path / "empty.tsv").touch()
    with pytest.raises(DataError) as caught:
        read((tmp_path / "a.en", tmp_path / "a.fr"), skip_bad=True)
    assert str(caught.value) == (
        f"there is no sentence pair in {tmp_path / 'a.en'} and {tmp_path / 'a.fr'}: "
        "kept 0 of 1 pair; dropped 1 mixed line ends."
    )
    with pytest.raises(DataError) as caught:
        read(tmp_path / "empty.tsv")
    assert str(caught.value) == f"there is no sentence pair in {tmp_path / 'empty.tsv'}: kept 0 of 0 pairs."


def test_a_broken_archive_is_refused_even_when_bad_lines_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(TAB_SEPARATED)[:-9])
    with pytest.raises(DataError) as caught:
        read(path, skip_bad=True)
    assert str(caught.value) == (
        f"{path} is cut short: the archive stops after line 0, byte 0, before its own end. "
        "Fetch or pack the file again."
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"longest": 0}, "longest must be at least 1, but got 0."),
        ({"ratio": 0.5}, "ratio must be at least 1, but got 0.5."),
        ({"columns": (0, 1)}, "columns count from 1, but got 0 and 1."),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        ReadingSettings(**settings)  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_three_files_are_no_source(tmp_path: Path) -> None:
    with pytest.raises(RecipeError) as caught:
        read([tmp_path / "a.en", tmp_path / "a.fr", tmp_path / "a.zh"])
    assert str(caught.value) == "a source is one file or two parallel files, but got 3 files."


def test_pairs_are_read_and_divided(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(lines([f"sentence {number}\tphrase {number}" for number in range(200)] + ["no tab"]))
    train, validation = read_parts(path, skip_bad=True, share=0.25)
    assert len(train.pairs) + len(validation.pairs) == 200
    assert (train, validation) == read(path, skip_bad=True).split(share=0.25)


@pytest.mark.parametrize("pair", ["en-fr", "en-zh"])
def test_the_embedded_corpora_are_sources_too(pair: str) -> None:
    train, validation = read_parts(f"embedded:{pair}")
    test = read(f"embedded:{pair}:test")
    assert read(f"embedded:{pair}") == train
    assert len(train.pairs) > 10 * len(validation.pairs) > 1_000
    assert {pair.source for pair in train.pairs}.isdisjoint(pair.source for pair in test.pairs)
    assert isinstance(train, Corpus)


def test_an_unknown_part_of_an_embedded_corpus_is_refused() -> None:
    with pytest.raises(DataError) as caught:
        read("embedded:en-fr:dev")
    assert (
        str(caught.value)
        == "embedded:en-fr:dev must end in :train, :validation or :test, or in none of them."
    )


def test_streaming_holds_no_more_than_a_line(tmp_path: Path) -> None:
    path = tmp_path / "a.tsv"
    path.write_bytes(b"the cat sleeps on the sofa\tle chat dort sur le canap\xc3\xa9\n" * 200_000)
    program = (
        "import resource, sys; from regard.text import stream\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "count = sum(1 for _ in stream(sys.argv[1]))\n"
        "print(count, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True, env=os.environ
    )
    count, kibibytes = map(int, ran.stdout.split())
    assert count == 200_000
    assert kibibytes < 4_096
