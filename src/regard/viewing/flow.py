"""Flow: the words of both sides and curved links between them, width and opacity by weight.

Of each row only the strongest links are drawn, as many as hold a chosen share of its mass:
what is left out is known, and nothing drowns in faint lines.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from regard.errors import RegardError
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Facets, Layout
from regard.viewing.heatmap import Label, notes_of, title_of
from regard.viewing.typography import shorten, visible, width

if TYPE_CHECKING:
    from regard.viewing.maps import AttentionMap

Side = Literal["above", "left"]

SIZE = 14.0
GAP = 20.0
LINE = 25.0
WIDEST = 920.0
LONGEST_LABEL = 240.0
THINNEST, THICKEST = 0.6, 7.0
FAINTEST, STRONGEST = 0.16, 0.86


@dataclass(frozen=True)
class Link:
    """A kept link from a query to a key."""

    query: int
    key: int
    weight: float

    @property
    def width(self) -> float:
        """How thick it is drawn."""
        return round(THINNEST + (THICKEST - THINNEST) * min(self.weight, 1.0), 2)

    @property
    def opacity(self) -> float:
        """How strongly it is drawn."""
        return round(FAINTEST + (STRONGEST - FAINTEST) * min(self.weight, 1.0), 3)


@dataclass(frozen=True, kw_only=True)
class Flow(Layout):
    """Keys on one side, queries on the other, and the links that were kept, weakest first."""

    side: Side
    """Where the keys stand: above the queries or left of them."""
    keys: tuple[Label, ...]
    queries: tuple[Label, ...]
    axes: tuple[str, str]
    key_places: tuple[float, ...]
    query_places: tuple[float, ...]
    links: tuple[Link, ...]
    extent: float
    """How much room the words take along their side."""


def flow(
    seen: "AttentionMap",
    *,
    share: float = 0.9,
    side: Side | None = None,
    theme: str = "light",
    title: str | None = None,
    columns: int = 1,
) -> Layout:
    """Decide a flow; ``side`` puts the keys "above" if they fit in a line, else "left"."""
    if not 0.0 < share <= 1.0:
        raise RegardError(f"share must lie above 0 and at most at 1, but got {share}.")
    if side not in (None, "above", "left"):
        raise RegardError(f'side must be "above" or "left", but got {side!r}.')
    if seen.heads > 1:
        panels = tuple(
            flow(seen.head(head), share=share, side=side, theme=theme, title=seen.head_names[head])
            for head in range(seen.heads)
        )
        return Facets(
            title=title_of(seen, title), notes=(), theme=theme_called(theme), panels=panels, columns=columns
        )
    keys, queries = _labels(seen.key_labels), _labels(seen.query_labels)
    side = side or ("above" if max(_row_width(keys), _row_width(queries)) <= WIDEST else "left")
    place = _places_in_a_row if side == "above" else _places_in_a_column
    extent = max(place(keys)[-1], place(queries)[-1])
    key_places, query_places = (_centred(place(words), extent) for words in (keys, queries))
    return Flow(
        title=title_of(seen, title),
        notes=(*notes_of(seen), "all links" if share == 1.0 else f"links that hold {share:.0%} of each row"),
        theme=theme_called(theme),
        side=side,
        keys=keys,
        queries=queries,
        axes=seen.axes,
        key_places=key_places,
        query_places=query_places,
        links=kept_links(seen.per_head[0].tolist(), share),
        extent=extent,
    )


def kept_links(rows: list[list[float]], share: float) -> tuple[Link, ...]:
    """The strongest links of each row that together hold the share of its mass, weakest first.

    >>> kept_links([[0.6, 0.1, 0.3]], share=0.9)
    (Link(query=0, key=2, weight=0.3), Link(query=0, key=0, weight=0.6))
    """
    kept = []
    for query, row in enumerate(rows):
        wanted = share * sum(row) - 1e-6
        for key in sorted(range(len(row)), key=lambda key: (-row[key], key)):
            if wanted <= 0 or row[key] == 0:
                break
            kept.append(Link(query, key, row[key]))
            wanted -= row[key]
    return tuple(sorted(kept, key=lambda link: (link.weight, link.query, link.key)))


def _labels(texts: tuple[str, ...]) -> tuple[Label, ...]:
    return tuple(Label(shorten(text, SIZE, LONGEST_LABEL), text) for text in map(visible, texts))


def _row_width(words: tuple[Label, ...]) -> float:
    return _places_in_a_row(words)[-1]


def _places_in_a_row(words: tuple[Label, ...]) -> list[float]:
    """The middle of each word, and last where the row ends."""
    places, at = [], 0.0
    for word in words:
        room = max(width(word.shown, SIZE), 10.0)
        places.append(at + room / 2)
        at += room + GAP
    return [*places, at - GAP]


def _places_in_a_column(words: tuple[Label, ...]) -> list[float]:
    return [*(LINE * (line + 0.5) for line in range(len(words))), LINE * len(words)]


def _centred(places: list[float], extent: float) -> tuple[float, ...]:
    *middles, end = places
    return tuple(round(middle + (extent - end) / 2, 2) for middle in middles)
