"""SEE: any attention of any model, per layer, head and word, drawn wherever you are."""

from regard.viewing.explanation import Walkthrough
from regard.viewing.film import film, read_looks
from regard.viewing.heads import head_table
from regard.viewing.maps import AttentionMap
from regard.viewing.measures import NOT_EXPLANATION, HeadMeasures, RankedHead, measure, rank
from regard.viewing.positions import positions
from regard.viewing.reckoning import arithmetic
from regard.viewing.rollout import rollout
from regard.viewing.seen import AttentionMaps
from regard.viewing.words import Words

__all__ = [
    "NOT_EXPLANATION",
    "AttentionMap",
    "AttentionMaps",
    "HeadMeasures",
    "RankedHead",
    "Walkthrough",
    "Words",
    "arithmetic",
    "film",
    "head_table",
    "measure",
    "positions",
    "rank",
    "read_looks",
    "rollout",
]
