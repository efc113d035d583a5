"""A new mechanism is one class: a score that compares by cosine.

Masks, positions, heads, watching and drawing work with it at once.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from regard import masks, scores
from regard.viewing import AttentionMap


class Cosine(scores.Score):
    """Ten times the cosine of the angle between query and key."""

    formula = "10 cos(q, k)"

    def forward(self, queries: Tensor, keys: Tensor) -> Tensor:
        """Score every query against every key."""
        return 10 * F.normalize(queries, dim=-1) @ F.normalize(keys, dim=-1).mT


X = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]])
print(regard.explain(X, score=Cosine(), mask=masks.causal()).path)
weights = regard.weigh(X, score=Cosine())
AttentionMap(weights, query_labels=["I", "am", "good"], name="by angle, not length").save(
    "your_own_score.svg"
)
