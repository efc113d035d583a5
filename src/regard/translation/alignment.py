"""Which word stands for which: links between the words of two sentences, and their error rate."""

import re
from collections.abc import Iterable, Sequence
from itertools import product

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import DataError, RegardError
from regard.viewing import AttentionMap

Links = frozenset[tuple[int, int]]
"""Links (i, j) from source word i to target word j, counted from 0."""

METHODS = ("intersection", "union", "grow-diag", "grow-diag-final-and")

ROUNDS, LEAST_HELD, LEAST_LOOK = 2, 0.3, 0.01
"""How often rows and columns are brought to sum to one, what of each other two words must have then, and how
faint a look is none. Chosen by how well two translators of debates, one for each direction, agreed."""

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
    if seen.heads != 1:
        raise RegardError(
            f"links are drawn by one head, but {seen.name!r} has {seen.heads}. "
            "Choose one with .head(number), or .mean()."
        )
    if not 0 < share <= 1:
        raise RegardError(f"share must be above 0 and at most 1, but got {share}.")
    weights = seen.per_head[0]
    first = int(seen.query_labels[0] == "<begin>")
    weights = weights[first : len(weights) - (seen.query_labels[-1] == "<end>")]
    weights = weights[:, : weights.shape[1] - (seen.key_labels[-1] == "<end>")]
    return to_links(strongest(weights, share=share))


def strongest(
    weights: Float[Tensor, "*batch target source"], *, share: float = 1.0
) -> Bool[Tensor, "*batch target source"]:
    """Where a row has its largest weight, or at least ``share`` of it; nowhere in a row of zeros.

    >>> strongest(torch.tensor([[0.2, 0.8], [0.0, 0.0]]))
    tensor([[False,  True],
            [False, False]])
    """
    if 0 in weights.shape:
        return torch.zeros_like(weights, dtype=torch.bool)
    most, sources = weights.max(dim=-1, keepdim=True)
    kept = torch.zeros_like(weights, dtype=torch.bool).scatter_(-1, sources, True)  # one of several equals
    if share < 1:
        kept |= weights >= share * most
    return kept & (weights > 0)


def contest(
    weights: Float[Tensor, "*batch target source"], *, share: float = 1.0
) -> Bool[Tensor, "*batch target source"]:
    """Where a target word and a source word win each other, when every word wants its share of the others.

    Plain attention lets many target words look at one source word, often a full stop, while
    others stay unseen. So rows and columns are brought to sum to one in turn (Sinkhorn and Knopp
    1967), and words are linked where the geometric mean of what each has of the other is at least
    0.3, or ``share`` of that, unless both have more of another word. What a row lacks of one
    has gone to no word, and stays there.

    >>> weights = torch.tensor([[0.4, 0.6], [0.0, 1.0]])
    >>> strongest(weights), contest(weights)
    (tensor([[False,  True],
            [False,  True]]), tensor([[ True, False],
            [False,  True]]))
    """
    if 0 in weights.shape:
        return torch.zeros_like(weights, dtype=torch.bool)
    elsewhere = (1 - weights.sum(-1, keepdim=True)).clamp_min(0)
    least = torch.finfo(weights.dtype).tiny
    of_source = weights
    for _ in range(ROUNDS):
        of_target = of_source / (of_source.sum(-1, keepdim=True) + elsewhere).clamp_min(least)
        of_source = of_target / of_target.sum(-2, keepdim=True).clamp_min(least)
    of_target = of_source / (of_source.sum(-1, keepdim=True) + elsewhere).clamp_min(least)
    held = (of_source * of_target).sqrt()
    best = (held == held.amax(-1, keepdim=True)) | (held == held.amax(-2, keepdim=True))
    return best & (held >= share * LEAST_HELD) & (weights >= LEAST_LOOK)


def to_links(linked: Bool[Tensor, "target source"]) -> Links:
    """A table with a row for each target word as a set of links (source, target)."""
    return frozenset((source, target) for target, source in linked.nonzero().tolist())


def symmetrise(forward: Links, backward: Links, how: str = "grow-diag-final-and") -> Links:
    """One set of links of two: a model's from source to target, and another's that reads the other way.

    Both are (source, target) here: turn the backward model's links round with :func:`reverse`.
    ``grow-diag`` (Koehn, Och and Marcu 2003) begins with the intersection and takes in those
    links of the union that touch one it has, straight or diagonally, and bring in a new word;
    ``final-and`` then takes in those, of forward first, that bring in two.

    >>> forward, backward = frozenset({(0, 0), (1, 1), (1, 2)}), frozenset({(0, 0), (1, 1), (3, 0), (4, 4)})
    >>> for how in METHODS:
    ...     print(f"{how:<20}", pharaoh(symmetrise(forward, backward, how)))
    intersection         0-0 1-1
    union                0-0 1-1 1-2 3-0 4-4
    grow-diag            0-0 1-1 1-2
    grow-diag-final-and  0-0 1-1 1-2 4-4
    """
    if how not in METHODS:
        raise RegardError(f"links are joined by one of {', '.join(METHODS)}, but got {how!r}.")
    if how == "union":
        return forward | backward
    if how == "intersection":
        return forward & backward
    grown = _grown(forward, backward)
    if how == "grow-diag-final-and":
        for link in (*sorted(forward), *sorted(backward)):
            if all(link[0] != source and link[1] != target for source, target in grown):
                grown.add(link)
    return frozenset(grown)


def _grown(forward: Links, backward: Links) -> set[tuple[int, int]]:
    links = {*(forward & backward)}
    growing = True
    while growing:
        growing = False
        sources, targets = ({link[side] for link in links} for side in (0, 1))
        for link in sorted((forward | backward) - links):
            brings_a_word = link[0] not in sources or link[1] not in targets
            if brings_a_word and _touches(link, links):
                links.add(link)
                sources.add(link[0])
                targets.add(link[1])
                growing = True
    return links


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
        place = int(found[1]), int(found[3])
        possible.add(place)
        if found[2] == "-":
            sure.add(place)
    return frozenset(sure), frozenset(possible)


def _touches(link: tuple[int, int], links: set[tuple[int, int]]) -> bool:
    return any((link[0] + down, link[1] + right) in links for down, right in product((-1, 0, 1), repeat=2))
