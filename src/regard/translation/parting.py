"""A text in the parts that are translated one by one."""

import re
from bisect import bisect_right

from regard.text import Layout, Vocabulary, cut_sentences
from regard.text.cutting import SPACE, UNSPACED

_PAUSE = re.compile(rf"[,;:–—](?=[{SPACE}])|[，；：、](?=.)")
_BETWEEN = re.compile(rf"[{SPACE}]|(?<=[{UNSPACED}])")


def whole(text: str) -> Layout:
    """The text as one sentence, without the white space around it; of a blank text none.

    >>> whole(" The cat sleeps. It snores. ")
    Layout(sentences=('The cat sleeps. It snores.',), separators=(' ', ' '))
    """
    sentence = text.strip()
    if not sentence:
        return Layout(sentences=(), separators=(text,))
    start = text.index(sentence)
    return Layout(sentences=(sentence,), separators=(text[:start], text[start + len(sentence) :]))


def parted(text: str, vocabulary: Vocabulary, longest: int) -> Layout:
    """The sentences of a text, and those of more than ``longest`` tokens cut further.

    Such a sentence is cut after a comma or another pause in the second half of what fits, or
    else between two words there, or else where it must be.

    >>> characters = Vocabulary("characters")
    >>> parted("Yes. The cat, the dog and the bird sleep.", characters, longest=20).sentences
    ('Yes.', 'The cat, the dog and', 'the bird sleep.')
    """
    layout = cut_sentences(text)
    sentences: list[str] = []
    separators = [layout.separators[0]]
    for sentence, separator in zip(layout.sentences, layout.separators[1:], strict=True):
        inner = _cut_further(sentence, vocabulary, longest)
        sentences += inner.sentences
        separators += [*inner.separators[1:-1], separator]
    return Layout(sentences=tuple(sentences), separators=tuple(separators))


def _cut_further(sentence: str, vocabulary: Vocabulary, longest: int) -> Layout:
    """One sentence, cut as rarely as possible."""
    spans = vocabulary.spans(vocabulary.encode(sentence))
    ends = [end for _, end in spans]
    parts, separators = [], [""]
    first, begun = 0, 0
    while len(spans) - first > longest:
        stop = _stop(sentence, begun, spans[first + longest][0])
        part = sentence[begun:stop].rstrip()
        after = len(sentence[stop:]) - len(sentence[stop:].lstrip())
        parts.append(part)
        separators.append(sentence[begun + len(part) : stop + after])
        begun = stop + after
        first = bisect_right(ends, begun)
    return Layout(sentences=(*parts, sentence[begun:]), separators=(*separators, ""))


def _stop(sentence: str, begun: int, fits: int) -> int:
    """Where to cut between the first character and the first that does not fit."""
    middle = (begun + fits) // 2
    for mark in (_PAUSE, _BETWEEN):
        ends = [match.end() for match in mark.finditer(sentence, middle, fits + 1) if match.start() <= fits]
        if ends and ends[-1] > begun:
            return ends[-1]
    return max(fits, begun + 1)
