"""Which of many heads to show somebody who asked for one picture."""

from regard.viewing import AttentionMap, AttentionMaps
from regard.viewing.maps import Kind
from regard.viewing.measures import rank


def chosen(
    maps: AttentionMaps, kind: Kind, layer: int | None = None, head: int | None = None
) -> AttentionMap:
    """The head asked for, or the one of its kind that looks most sharply at words, not at the end."""
    kept = maps.kind(kind)
    if layer is not None:
        kept = kept.layer(layer)
    if head is not None:
        return kept.head(head)[list(kept)[-1]]
    heads = rank(kept)
    best = max(heads, key=lambda one: one.measures.sharpness - (one.measures.end or 0.0))
    return maps[best.map_name].head(best.head)
