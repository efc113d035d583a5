import gzip
import lzma
import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError
from regard.text.lines import LONGEST_LINE, Line, lines_of

PACKERS = {"": bytes, ".gz": gzip.compress, ".xz": lzma.compress}


@pytest.mark.parametrize("suffix", PACKERS)
def test_a_line_ends_at_a_line_feed_and_nowhere_else(suffix: str, tmp_path: Path) -> None:
    data = "a\u2028b\u0085c\u00a0d\re\x0bf\x0cg\x1ch\nlast".encode()
    path = tmp_path / f"text{suffix}"
    path.write_bytes(PACKERS[suffix](data))
    first = data.index(b"\n")
    assert [*lines_of(path)] == [Line(1, 0, data[:first], b"\n"), Line(2, first + 1, b"last", b"")]


@given(st.lists(st.binary().map(lambda data: data.replace(b"\n", b"").rstrip(b"\r")), min_size=1))
def test_lines_and_their_ends_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, texts: list[bytes]
) -> None:
    data = b"\r\n".join(texts)
    path = tmp_path_factory.mktemp("lines") / "text"
    path.write_bytes(data)
    for line in lines_of(path):
        assert data[line.byte : line.byte + len(line.data) + len(line.end)] == line.data + line.end


def test_one_carriage_return_belongs_to_the_end_of_the_line(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"a\r\r\nb\r")
    assert [*lines_of(tmp_path / "text")] == [Line(1, 0, b"a\r", b"\r\n"), Line(2, 4, b"b\r", b"")]


def test_a_byte_order_mark_is_text_everywhere_but_at_the_start(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    (tmp_path / "text").write_bytes(mark + b"a\n" + mark + b"b\n")
    assert [*lines_of(tmp_path / "text")] == [Line(1, 3, b"a", b"\n"), Line(2, 5, mark + b"b", b"\n")]


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    (tmp_path / "text").touch()
    assert [*lines_of(tmp_path / "text")] == []


def test_of_an_endless_line_only_the_start_is_held(tmp_path: Path) -> None:
    path = tmp_path / "bomb.gz"
    endless = 24 * LONGEST_LINE + 7
    path.write_bytes(gzip.compress(b"\0" * endless + b"\nafter\n"))
    tracemalloc.start()
    lines = [(line.number, line.byte, len(line.data), line.is_cut) for line in lines_of(path)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == [(1, 0, LONGEST_LINE, True), (2, endless + 1, 5, False)]
    assert peak < 6 * LONGEST_LINE


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_an_archive_cut_short_is_refused(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"text{suffix}"
    packed = PACKERS[suffix](b"a line\n" * 9)
    path.write_bytes(packed[:-5])
    with pytest.raises(DataError) as caught:
        [*lines_of(path)]
    assert str(caught.value) == (
        f"{path} is cut short: the archive stops after line 0, byte 0, before its own end. "
        "Fetch or pack the file again."
    )


def test_a_long_archive_cut_short_says_how_far_it_was_read(tmp_path: Path) -> None:
    path = tmp_path / "text.gz"
    path.write_bytes(gzip.compress(os.urandom(300_000).hex(" ", 30).replace(" ", "\n").encode())[:200_000])
    with pytest.raises(DataError) as caught:
        [*lines_of(path)]
    message = str(caught.value)
    assert message.startswith(f"{path} is cut short: the archive stops after line ")
    assert int(message.split("after line ")[1].split(",")[0]) > 1_000


def flip(place: int) -> Callable[[bytes], bytes]:
    return lambda data: data[:place] + bytes([data[place] ^ 0xFF]) + data[place + 1 :]


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [
        (".gz", flip(0)),
        (".gz", flip(14)),
        (".gz", flip(-6)),
        (".gz", lambda _: b"a plain text\n"),
        (".xz", flip(1)),
        (".xz", flip(40)),
        (".xz", lambda _: b"a plain text that is long enough\n"),
    ],
)
def test_a_damaged_archive_is_refused(suffix: str, damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(damage(PACKERS[suffix](b"a line\n" * 9)))
    with pytest.raises(DataError) as caught:
        [*lines_of(path)]
    assert str(caught.value) == (
        f"{path} is damaged, or is not the archive its name says: unpacking fails after line 0, byte 0. "
        "Fetch or pack the file again."
    )


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        [*lines_of(tmp_path / "none.gz")]
    assert str(caught.value) == f"{tmp_path / 'none.gz'} cannot be read: No such file or directory."


def test_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        [*lines_of(tmp_path)]
    assert str(caught.value) == f"{tmp_path} cannot be read: Is a directory."
