"""Which of many heads to show somebody who asked for one picture."""

from regard.viewing import AttentionMap, AttentionMaps
from regard.viewing.maps import Kind
from regard.viewing.measures import rank


def of_interest(
    maps: AttentionMaps, kind: Kind, layer: int | None = None, head: int | None = None
) -> AttentionMaps:
    """All heads of a kind; only those of one layer, or of one number, if asked for."""
    kept = maps.kind(kind)
    kept = kept if layer is None else kept.layer(layer)
    return kept if head is None else kept.head(head)


def chosen(
    maps: AttentionMaps, kind: Kind, layer: int | None = None, head: int | None = None
) -> AttentionMap:
    """The head asked for, or the one of its kind that looks most sharply at words, not at the end."""
    kept = of_interest(maps, kind, layer, head)
    if head is not None:
        return kept[list(kept)[-1]]
    heads = rank(kept)
    best = max(heads, key=lambda one: one.measures.sharpness - (one.measures.end or 0.0))
    return maps[best.map_name].head(best.head)
