"""SEE: any attention of any model, per layer, head and word, drawn wherever you are."""

from regard.viewing.film import film
from regard.viewing.maps import AttentionMap
from regard.viewing.measures import NOT_EXPLANATION, HeadMeasures, RankedHead, measure, rank
from regard.viewing.positions import positions
from regard.viewing.rollout import rollout
from regard.viewing.seen import AttentionMaps
from regard.viewing.words import Words

__all__ = [
    "NOT_EXPLANATION",
    "AttentionMap",
    "AttentionMaps",
    "HeadMeasures",
    "RankedHead",
    "Words",
    "film",
    "measure",
    "positions",
    "rank",
    "rollout",
]
