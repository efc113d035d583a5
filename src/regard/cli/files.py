"""Files that cannot be read or written, told in one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from regard.errors import DataError, RegardError


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Say in one sentence why a file or folder cannot be written."""
    try:
        yield
    except OSError as error:
        raise RegardError(f"{path} cannot be written: {error.strerror}.") from error


def read(path: Path) -> str:
    """The text of a file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise DataError(f"{path} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{path} is not UTF-8 text: byte {error.start} is not.") from error
