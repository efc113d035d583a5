"""Masks say in words what may be seen, and join with &, | and ~.

True means: may attend. A query that may see nothing brings back exactly zero.
"""

import torch

import regard
from regard import masks
from regard.viewing import AttentionMap

every = {
    "causal": masks.causal(),
    "window": masks.window(before=2, after=2),
    "both": masks.causal() & masks.window(before=2, after=2),
    "packed": masks.segments(
        torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1]]), torch.tensor([[0, 0, 0, 1, 1, 1, 1, 1]])
    ),
}
words = torch.zeros(1, 8, 4)  # all alike: only the mask decides
weights = torch.cat([regard.weigh(words, mask=mask) for mask in every.values()])
labels = [str(place) for place in range(8)]
seen = AttentionMap(weights, query_labels=labels, name="masks", head_names=list(every))
seen.save("masks_in_words.svg", "grid", order=None)
print(regard.attend(torch.randn(1, 1, 3), mask=masks.lengths([0])))
