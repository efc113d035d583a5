"""What a translator gives back."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from itertools import groupby
from typing import Any, NamedTuple, TypeVar, cast

OFTEN = 3
"""What is written so many times in succession counts as repeated."""

_MOST_NAMED = 10


class SureWord(NamedTuple):
    """A word, and how sure the model was: the geometric mean of its tokens' probabilities."""

    text: str
    confidence: float


class Alternative(NamedTuple):
    """Another translation, and the log-probability of its tokens."""

    text: str
    log_probability: float


class Repetition(NamedTuple):
    """Something written several times in succession."""

    text: str
    times: int


class _Deferred:
    """A field that may be worked out when somebody first reads it.

    What an object has of its own comes before this; a dataclass takes what the class gives for
    the default.
    """

    def __init__(self, default: object) -> None:
        self.default = default

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, translation: "Translation | None", owner: type) -> object:
        if translation is None:
            return self.default
        own = vars(translation)
        if work_out := own.get(_WORK_OUT):
            own.update(vars(work_out()))
            # Last, so that another thread finds either this or what came of it.
            own.pop(_WORK_OUT, None)
        return own[self.name]


_WORK_OUT = "_work_out"
_Value = TypeVar("_Value")


def _deferred(default: _Value) -> _Value:
    return cast(_Value, _Deferred(default))


@dataclass(frozen=True, kw_only=True)
class Translation:
    """A text, how likely the model holds it, and what may be wrong with it.

    ``log_probability`` is the sum over the tokens; ``pieces`` are the tokens as people read
    them. Where a text was translated in parts, ``parts`` has each, and the rest is put together
    from them: the second alternative of the whole is the second of every part.

    A translator works out no more than the text until somebody asks: who translates a file
    does not wait for what is never read.

    >>> nothing = Translation(source="", text="")
    >>> nothing.confidence, nothing.warnings
    (1.0, ())
    """

    source: str
    text: str
    log_probability: float = _deferred(0.0)
    pieces: tuple[str, ...] = _deferred(())
    words: tuple[SureWord, ...] = _deferred(())
    alternatives: tuple[Alternative, ...] = _deferred(())
    cut: bool = False
    """Whether it was cut at its greatest length before it came to an end."""
    repeated: Repetition | None = _deferred(None)  # noqa: RUF009  what it gives is not a value to share
    unknown: tuple[str, ...] = _deferred(())
    """Characters of the source that no token of the vocabulary holds."""
    parts: tuple["Translation", ...] = _deferred(())

    @classmethod
    def deferred(
        cls, *, source: str, text: str, cut: bool, work_out: "Callable[[], Translation]"
    ) -> "Translation":
        """A translation of which only this much is known before somebody asks for the rest.

        >>> in_full = Translation(source="a", text="b c", pieces=("b", " c"))
        >>> brief = Translation.deferred(source="a", text="b c", cut=False, work_out=lambda: in_full)
        >>> brief.pieces, brief == in_full
        (('b', ' c'), True)
        """
        translation = object.__new__(cls)
        vars(translation).update({"source": source, "text": text, "cut": cut, _WORK_OUT: work_out})
        return translation

    def __getstate__(self) -> dict[str, Any]:
        """All of it: how to work something out cannot be sent to another process."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def confidence(self) -> float:
        """The geometric mean of the tokens' probabilities, ``<end>`` included."""
        whole = [part for part in self.parts or (self,) if part.log_probability or part.pieces]
        tokens = sum(len(part.pieces) + (not part.cut) for part in whole)
        return math.exp(self.log_probability / tokens) if tokens else 1.0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader should know, a sentence each."""
        said = []
        if self.cut:
            where = " in one of its parts" if len(self.parts) > 1 else ""
            said.append(f"The translation was cut at its greatest length{where}.")
        if self.repeated:
            said.append(f"{self.repeated.text!r} is written {self.repeated.times} times in a row.")
        if self.unknown:
            named = ", ".join(map(_shown, self.unknown[:_MOST_NAMED]))
            more = len(self.unknown) - _MOST_NAMED
            others = f" and {more} more" if more > 0 else ""
            said.append(f"The vocabulary does not hold {named}{others}.")
        return tuple(said)

    def __str__(self) -> str:
        return self.text


def joined(source: str, text: str, parts: Sequence[Translation], alternatives: Sequence[str]) -> Translation:
    """One translation of several parts; texts are given, since they keep the layout."""
    repeated = [part.repeated for part in parts if part.repeated]
    return Translation(
        source=source,
        text=text,
        log_probability=math.fsum(part.log_probability for part in parts),
        pieces=tuple(piece for part in parts for piece in part.pieces),
        words=tuple(word for part in parts for word in part.words),
        alternatives=tuple(
            Alternative(other, math.fsum(nth(part, number).log_probability for part in parts))
            for number, other in enumerate(alternatives)
        ),
        cut=any(part.cut for part in parts),
        repeated=max(repeated, key=lambda repetition: repetition.times, default=None),
        unknown=tuple(dict.fromkeys(character for part in parts for character in part.unknown)),
        parts=tuple(parts),
    )


def nth(part: Translation, number: int) -> Alternative:
    """An alternative of a part, or its last where there are fewer, or itself where there is none."""
    if not part.alternatives:
        return Alternative(part.text, part.log_probability)
    return part.alternatives[min(number, len(part.alternatives) - 1)]


def most_repeated(tokens: Sequence[int]) -> tuple[range, int]:
    """Where the run of tokens stands that is written most often in succession, and how often.

    >>> most_repeated([5, 7, 8, 7, 8, 7, 8, 9])
    (range(1, 3), 3)
    >>> most_repeated([5, 7])
    (range(0, 1), 1)
    """
    best, most = range(min(1, len(tokens))), min(1, len(tokens))
    for size in range(1, len(tokens) // 2 + 1):
        same = [tokens[place] == tokens[place + size] for place in range(len(tokens) - size)]
        start = 0
        for is_same, run in groupby(same):
            length = len([*run])
            if is_same and length // size + 1 > most:
                best, most = range(start, start + size), length // size + 1
            start += length
    return best, most


def _shown(character: str) -> str:
    return character if character.isprintable() and not character.isspace() else f"U+{ord(character):04X}"
