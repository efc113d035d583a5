"""Heads that align, and the alignments they draw."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import watch
from regard.errors import RegardError
from regard.text import Batch
from regard.translation.alignment import Links, contest, links_of, to_links
from regard.translation.crossing import Crossing, InWords, cross
from regard.translation.inference import inferring
from regard.translation.looking import Rows, whole
from regard.translation.translator import Translator
from regard.viewing.recorded import kind_of

_NAMED = re.compile(r"(.+):(\d+)(?::(produced|read))?")


@dataclass(frozen=True, kw_only=True)
class AligningHead:
    """A head of a cross-attention, and which of its rows speaks for a word.

    A Transformer's heads often look at a word's source not when they produce the word but when
    they have just read it, so that both are tried.

    >>> print(AligningHead(name="decoder.1.cross", head=3, rows="read", error_rate=0.125))
    head 3 of decoder.1.cross, by the word read (alignment error rate 12.5%)
    """

    name: str
    head: int
    rows: Rows
    error_rate: float | None = None

    @classmethod
    def called(cls, text: str, translator: Translator) -> "AligningHead":
        """The head somebody named as ``decoder.1.cross:3``, or ``decoder.1.cross:3:read``."""
        heads = cross_heads(translator)
        found = _NAMED.fullmatch(text)
        if found is None or int(found[2]) >= heads.get(found[1], 0):
            there = ", ".join(f"{name}:0…{count - 1}" for name, count in heads.items())
            raise RegardError(f"a head is named as one of {there}, but got {text!r}.")
        return cls(name=found[1], head=int(found[2]), rows="read" if found[3] == "read" else "produced")

    @property
    def short(self) -> str:
        """Its name as :meth:`called` reads it."""
        return f"{self.name}:{self.head}" + (":read" if self.rows == "read" else "")

    def __str__(self) -> str:
        known = "" if self.error_rate is None else f" (alignment error rate {self.error_rate:.1%})"
        return f"head {self.head} of {self.name}, by the word {self.rows}{known}"


@dataclass(frozen=True, kw_only=True)
class Aligner:
    """One head, or the mean of several, that draws links by :func:`contest`.

    >>> one = AligningHead(name="decoder.1.cross", head=3, rows="produced")
    >>> print(Aligner(heads=(one,)))
    head 3 of decoder.1.cross, by the word produced
    >>> other = AligningHead(name="decoder.0.cross", head=1, rows="read")
    >>> print(Aligner(heads=(one, other), reason="error rate 6.1% on 500 pairs"))
    the mean of decoder.1.cross:3 and decoder.0.cross:1:read (error rate 6.1% on 500 pairs)
    """

    heads: tuple[AligningHead, ...]
    share: float = 1.0
    """Words are linked that have so much of what they would need of each other: less draws more links."""
    reason: str = ""
    """Why these heads."""

    def __post_init__(self) -> None:
        if not 0 < self.share <= 1:
            raise RegardError(f"share must be above 0 and at most 1, but got {self.share}.")

    def weights(self, crossing: Crossing) -> Float[Tensor, "target source"]:
        """The mean of the heads."""
        return torch.stack([crossing.of(one.name, one.head, one.rows) for one in self.heads]).mean(dim=0)

    def links(self, crossing: Crossing) -> Links:
        """The links between the words of one pair."""
        return to_links(contest(self.weights(crossing), share=self.share))

    def __str__(self) -> str:
        why = f" ({self.reason})" if self.reason else ""
        if len(self.heads) == 1:
            return f"{self.heads[0]}{why}"
        *most, last = (one.short for one in self.heads)
        return f"the mean of {', '.join(most)} and {last}{why}"


def align(
    translator: Translator,
    source: str,
    target: str,
    *,
    head: AligningHead,
    share: float = 1.0,
    source_words: Sequence[str] | None = None,
    target_words: Sequence[str] | None = None,
) -> Links:
    """The plain links a head draws between the words of a sentence and its translation."""
    maps = translator.look(
        source, target, rows=head.rows, source_words=source_words, target_words=target_words
    )
    return links_of(maps[head.name].head(head.head), share=share)


def align_pairs(translator: Translator, pairs: Iterable[InWords], aligner: Aligner) -> Iterator[Links]:
    """The links of many pairs, in order, as they are found."""
    return (aligner.links(crossing) for crossing in cross(translator, pairs))


def cross_heads(translator: Translator) -> dict[str, int]:
    """How many heads each cross-attention of a translator has, by its name."""
    with inferring(translator.model) as device, watch(translator.model) as seen:
        batch = Batch.of([[]], [[]]).to(device)
        translator.model(batch.source, batch.target_in, batch.source_lengths)
        return {
            name: record.weights.shape[1] for name, record in whole(seen).items() if kind_of(name) == "cross"
        }
