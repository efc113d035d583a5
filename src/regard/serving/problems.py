"""What a caller is told when something is wrong: a status, a code, a sentence, the field."""

from typing import Any

VERSION = 1

RETRY = {"overloaded", "deadline", "stopping", "rate"}
"""Codes that come with the advice to try again."""


class Problem(Exception):
    """An answer that is not what was asked for.

    >>> Problem(400, "invalid", "beam must be at most 16, but got 99.", field="beam").told
    {'version': 1, 'code': 'invalid', 'message': 'beam must be at most 16, but got 99.', 'field': 'beam'}
    """

    def __init__(
        self, status: int, code: str, message: str, *, field: str | None = None, retry_after: int = 1
    ) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.field = status, code, message, field
        self.retry_after = retry_after

    @property
    def told(self) -> dict[str, Any]:
        """The problem as JSON."""
        return {"version": VERSION, "code": self.code, "message": self.message, "field": self.field}

    @property
    def headers(self) -> dict[str, str]:
        """What the caller's program should know."""
        return {"retry-after": str(self.retry_after)} if self.code in RETRY else {}


def refuse(field: str, message: str) -> Problem:
    """A field that cannot be used as it is."""
    return Problem(400, "invalid", message, field=field)
