"""The lines of a file as bytes, with their places: plain, gzip or xz, never all at once."""

import gzip
import io
import lzma
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from regard.errors import DataError

LONGEST_LINE = 1 << 20
"""Bytes. A longer line is no sentence; only this much of it is ever held."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line without its end. ``byte`` is where it starts in the unpacked file, from 0."""

    number: int
    byte: int
    data: bytes
    end: bytes
    """``b"\\n"``, ``b"\\r\\n"``, or nothing if the file stops here."""
    is_cut: bool = False
    """Whether the line is longer than :data:`LONGEST_LINE` and its rest was passed over."""


def lines_of(path: str | Path) -> Iterator[Line]:
    """Read a file line by line; ``.gz`` and ``.xz`` are unpacked on the way.

    A line ends at a line feed and nowhere else. One carriage return right before it
    belongs to the end. A byte order mark at the start of the file is not text.
    """
    number, byte = 0, 0
    try:
        with _opened(Path(path)) as file:
            start = file.peek(len(_BYTE_ORDER_MARK))[: len(_BYTE_ORDER_MARK)]
            if start == _BYTE_ORDER_MARK:
                byte = len(file.read(len(_BYTE_ORDER_MARK)))
            while data := file.readline(LONGEST_LINE):
                number += 1
                if data.endswith(b"\r\n"):
                    yield Line(number, byte, data[:-2], b"\r\n")
                elif data.endswith(b"\n"):
                    yield Line(number, byte, data[:-1], b"\n")
                elif len(data) < LONGEST_LINE:
                    yield Line(number, byte, data, b"")
                else:
                    yield Line(number, byte, data, b"", is_cut=True)
                    while not data.endswith(b"\n") and (rest := file.readline(LONGEST_LINE)):
                        byte += len(data)
                        data = rest
                byte += len(data)
    except EOFError:
        raise DataError(
            f"{path} is cut short: the archive stops after line {number}, byte {byte}, before its own end. "
            f"Fetch or pack the file again."
        ) from None
    except (gzip.BadGzipFile, zlib.error, lzma.LZMAError):
        raise DataError(
            f"{path} is damaged, or is not the archive its name says: unpacking fails after line {number}, "
            f"byte {byte}. Fetch or pack the file again."
        ) from None
    except MemoryError:
        raise DataError(
            f"{path} asks for more memory to unpack than there is. Pack the file again with xz -6."
        ) from None
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror or error}.") from None


def format_of(path: str | Path) -> str:
    """The last suffix of a file's name, ``.gz`` and ``.xz`` set aside.

    >>> format_of("pairs.tsv"), format_of("pairs.JSONL.gz"), format_of("pairs")
    ('.tsv', '.jsonl', '')
    """
    path = Path(path)
    return (path.with_suffix("") if path.suffix in (".gz", ".xz") else path).suffix.lower()


def _opened(path: Path) -> io.BufferedReader:
    if path.suffix == ".gz":
        return io.BufferedReader(gzip.GzipFile(path, "rb"), 1 << 16)
    if path.suffix == ".xz":
        return io.BufferedReader(lzma.LZMAFile(path, "rb"), 1 << 16)
    return path.open("rb")
