"""SEE: any attention of any model, per layer, head and word, drawn wherever you are."""

from regard.viewing.maps import AttentionMap
from regard.viewing.seen import AttentionMaps
from regard.viewing.words import Words

__all__ = ["AttentionMap", "AttentionMaps", "Words"]
