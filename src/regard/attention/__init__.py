"""BUILD: every attention mechanism from a score, a mask, a position and an average."""

from regard.attention import masks, positions, scores
from regard.attention.attending import attend, weigh
from regard.attention.definition import masked_softmax
from regard.attention.explaining import Explanation, explain
from regard.attention.memory import Memory
from regard.attention.multihead import Attention, MultiHeadAttention
from regard.attention.watching import (
    Intervention,
    KnockOut,
    MaskKeys,
    Record,
    ReplaceWeights,
    Seen,
    Temperature,
    intervene,
    watch,
)

__all__ = [
    "Attention",
    "Explanation",
    "Intervention",
    "KnockOut",
    "MaskKeys",
    "Memory",
    "MultiHeadAttention",
    "Record",
    "ReplaceWeights",
    "Seen",
    "Temperature",
    "attend",
    "explain",
    "intervene",
    "masked_softmax",
    "masks",
    "positions",
    "scores",
    "watch",
    "weigh",
]
