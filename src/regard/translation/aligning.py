"""Which head aligns, and the alignments it draws."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import get_args

from regard.errors import DataError
from regard.text import AlignedPair
from regard.translation.alignment import Links, alignment_error_rate, links_of
from regard.translation.looking import Rows
from regard.translation.translator import Translator


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

    def __str__(self) -> str:
        known = "" if self.error_rate is None else f" (alignment error rate {self.error_rate:.1%})"
        return f"head {self.head} of {self.name}, by the word {self.rows}{known}"


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
    """The links a head draws between the words of a sentence and its translation."""
    maps = translator.look(
        source, target, rows=head.rows, source_words=source_words, target_words=target_words
    )
    return links_of(maps[head.name].head(head.head), share=share)


def rank_heads(
    translator: Translator, pairs: Iterable[AlignedPair], *, share: float = 1.0
) -> list[AligningHead]:
    """Every head of every cross-attention by its alignment error rate on these pairs, the best first."""
    gold = [*pairs]
    if not gold:
        raise DataError("no head can be chosen: no aligned pair is given.")
    drawn: dict[tuple[str, int, Rows], list[Links]] = {}
    for pair in gold:
        for rows in get_args(Rows):
            maps = translator.look(
                pair.source,
                pair.target,
                rows=rows,
                source_words=pair.source_words,
                target_words=pair.target_words,
            )
            for name, seen in maps.kind("cross").items():
                for head in range(seen.heads):
                    drawn.setdefault((name, head, rows), []).append(links_of(seen.head(head), share=share))
    sure, possible = [pair.sure for pair in gold], [pair.possible for pair in gold]
    heads = [
        AligningHead(name=name, head=head, rows=rows, error_rate=alignment_error_rate(links, sure, possible))
        for (name, head, rows), links in drawn.items()
    ]
    return sorted(heads, key=lambda head: head.error_rate or 0.0)


def best_head(translator: Translator, pairs: Iterable[AlignedPair], *, share: float = 1.0) -> AligningHead:
    """The head whose links are nearest to the gold ones of a development set."""
    return rank_heads(translator, pairs, share=share)[0]
