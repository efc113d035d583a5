"""Sentences of like length, to be computed together."""

from collections.abc import Iterator, Sequence


def groups_of(lengths: Sequence[int], *, tokens: int) -> Iterator[list[int]]:
    """The places of sentences in groups, none larger than ``tokens`` with its padding; the longest first.

    A sentence longer than that is a group of its own.

    >>> [*groups_of([3, 7, 2, 3, 1], tokens=8)]
    [[1], [0, 3], [2, 4]]
    """
    group: list[int] = []
    for place in sorted(range(len(lengths)), key=lambda place: (-lengths[place], place)):
        if group and (len(group) + 1) * lengths[group[0]] > tokens:
            yield group
            group = []
        group.append(place)
    if group:
        yield group
