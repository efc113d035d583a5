"""Sentences of like length, to be computed together."""

from collections.abc import Iterator, Sequence


def groups_of(
    lengths: Sequence[int], *, tokens: int, sentences: int | None = None, parts: int = 1
) -> Iterator[list[int]]:
    """The places of sentences in groups, none larger than ``tokens`` with its padding; the longest first.

    A sentence longer than that is a group of its own. No group has more than so many ``sentences``, where
    they are told. To be dealt to several, there are as many groups as gives each of ``parts`` the same
    number of them, about equally large, as far as there are sentences.

    >>> [*groups_of([3, 7, 2, 3, 1], tokens=8)]
    [[1], [0, 3], [2, 4]]
    >>> [*groups_of([3, 7, 2, 3, 1], tokens=21, sentences=2)]
    [[1, 0], [3, 2], [4]]
    >>> [*groups_of([3, 3, 3, 3], tokens=100, parts=2)]
    [[0, 1], [2, 3]]
    """
    order = sorted(range(len(lengths)), key=lambda place: (-lengths[place], place))
    most_sentences = len(lengths) if sentences is None else sentences
    groups = [*_cut(order, lengths, tokens, most_sentences)]
    if parts > 1:
        wanted = -(-len(groups) // parts) * parts
        fewest, most = 0, tokens  # fewest is too few, or makes too many groups
        while most - fewest > 1:
            middle = (fewest + most) // 2
            tried = [*_cut(order, lengths, middle, most_sentences)]
            if len(tried) <= wanted:
                groups, most = tried, middle
            else:
                fewest = middle
    yield from groups


def _cut(order: Sequence[int], lengths: Sequence[int], tokens: int, sentences: int) -> Iterator[list[int]]:
    """Groups of places in falling order of length: the first of each tells how many fit beside it."""
    first = 0
    while first < len(order):
        longest = lengths[order[first]]
        last = first + min(max(tokens // longest, 1) if longest else sentences, sentences)
        yield [*order[first:last]]
        first = last
