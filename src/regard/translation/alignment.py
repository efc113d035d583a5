"""Which word stands for which: links between the words of two sentences, and their error rate."""

import re
from collections.abc import Iterable, Sequence
from itertools import product

from regard.errors import DataError, RegardError
from regard.viewing import AttentionMap

Links = frozenset[tuple[int, int]]
"""Links (i, j) from source word i to target word j, counted from 0."""

METHODS = ("intersection", "union", "grow-diag")

_LINK = re.compile(r"(\d+)([-p])(\d+)")


def links_of(seen: AttentionMap, *, share: float = 1.0) -> Links:
    """The links a head draws: each target word to the source word it looks at most.

    And to every other that gets at least ``share`` of that one's weight: at 1 there is one
    link for each target word, at 0.5 those half as strong count too. ``<begin>`` and
    ``<end>`` have no links.

    >>> weights = [[0.6, 0.3, 0.1], [0.1, 0.7, 0.2], [0.0, 0.1, 0.9]]
    >>> seen = AttentionMap(
    ...     weights, query_labels=["du", "chat", "<end>"], key_labels=["of", "the", "<end>"], kind="cross"
    ... )
    >>> print(pharaoh(links_of(seen)), "|", pharaoh(links_of(seen, share=0.5)))
    0-0 1-1 | 0-0 1-0 1-1
    """
    if not 0 < share <= 1:
        raise RegardError(f"share must be above 0 and at most 1, but got {share}.")
    if seen.heads != 1:
        raise RegardError(
            f"links are drawn by one head, but {seen.name!r} has {seen.heads}. "
            "Choose one with .head(number), or .mean()."
        )
    weights = seen.per_head[0]
    first = int(seen.query_labels[0] == "<begin>")
    weights = weights[first : len(weights) - (seen.query_labels[-1] == "<end>")]
    weights = weights[:, : weights.shape[1] - (seen.key_labels[-1] == "<end>")]
    if 0 in weights.shape:
        return frozenset()
    strongest, sources = weights.max(dim=1)
    others = (weights >= share * strongest[:, None]) & (weights > 0) if share < 1 else weights < 0
    links = {(source, target) for target, source in others.nonzero().tolist()}
    best = {(source, target) for target, source in enumerate(sources.tolist()) if strongest[target] > 0}
    return frozenset(links | best)


def symmetrise(forward: Links, backward: Links, how: str = "grow-diag") -> Links:
    """One set of links of two: a model's from source to target, and another's that reads the other way.

    Both are (source, target) here: turn the backward model's links round with :func:`reverse`.
    ``grow-diag`` (Koehn, Och and Marcu 2003) begins with the intersection and takes in those
    links of the union that touch one it has, straight or diagonally, and bring in a new word.

    >>> forward, backward = frozenset({(0, 0), (1, 1), (1, 2)}), frozenset({(0, 0), (1, 1), (3, 0)})
    >>> print(pharaoh(symmetrise(forward, backward)))
    0-0 1-1 1-2
    """
    if how not in METHODS:
        raise RegardError(f"links are joined by one of {', '.join(METHODS)}, but got {how!r}.")
    if how == "union":
        return forward | backward
    links = {*(forward & backward)}
    if how == "intersection":
        return frozenset(links)
    union = sorted(forward | backward)
    grown = True
    while grown:
        grown = False
        for link in union:
            if link in links or not _touches(link, links):
                continue
            if any(source == link[0] for source, _ in links) and any(t == link[1] for _, t in links):
                continue
            links.add(link)
            grown = True
    return frozenset(links)


def reverse(links: Links) -> Links:
    """The same links seen from the other side."""
    return frozenset((target, source) for source, target in links)


def alignment_error_rate(
    found: Sequence[Links], sure: Sequence[Links], possible: Sequence[Links] | None = None
) -> float:
    """1 − (|A∩S| + |A∩P|) / (|A| + |S|) over a corpus (Och and Ney 2003); sure links are possible too.

    >>> sure, possible = frozenset({(0, 0)}), frozenset({(1, 0)})
    >>> alignment_error_rate([frozenset({(0, 0), (1, 0)})], [sure], [possible])
    0.0
    >>> alignment_error_rate([frozenset({(0, 1)})], [sure], [possible])
    1.0
    """
    possible = sure if possible is None else possible
    if not len(found) == len(sure) == len(possible):
        raise DataError(
            f"alignments must be as many as the gold ones, but there are {len(found)} with {len(sure)} sure "
            f"and {len(possible)} possible."
        )
    right = counted = 0
    for links, certain, allowed in zip(found, sure, possible, strict=True):
        right += len(links & certain) + len(links & (allowed | certain))
        counted += len(links) + len(certain)
    return 1 - right / counted if counted else 0.0


def pharaoh(links: Iterable[tuple[int, int]]) -> str:
    """Links as ``i-j`` in the order of the source.

    >>> pharaoh({(2, 1), (0, 0)})
    '0-0 2-1'
    """
    return " ".join(f"{source}-{target}" for source, target in sorted(links))


def read_pharaoh(line: str) -> tuple[Links, Links]:
    """The sure links ``i-j`` of a line, and with them the possible ones, ``ipj``.

    >>> sure, possible = read_pharaoh("0-0 1p2")
    >>> sorted(sure), sorted(possible)
    ([(0, 0)], [(0, 0), (1, 2)])
    """
    sure, possible = set(), set()
    for link in line.split():
        found = _LINK.fullmatch(link)
        if found is None:
            raise DataError(f"a link is written i-j, or ipj where it is only possible, but got {link!r}.")
        possible.add((int(found[1]), int(found[3])))
        if found[2] == "-":
            sure.add((int(found[1]), int(found[3])))
    return frozenset(sure), frozenset(possible)


def _touches(link: tuple[int, int], links: set[tuple[int, int]]) -> bool:
    return any((link[0] + down, link[1] + right) in links for down, right in product((-1, 0, 1), repeat=2))
