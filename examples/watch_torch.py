"""Watch a model built elsewhere: torch's own attention, unchanged.

What it computes is the same bit for bit, watched or not.
"""

import torch
from torch import nn

import regard
from regard.viewing import AttentionMaps

torch.manual_seed(7)
model = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 2, 32, batch_first=True), 2).eval()
words = ["the", "cat", "sat", "on", "the", "mat"]
vectors = torch.randn(1, len(words), 16)

with torch.no_grad():
    unwatched = model(vectors)
    with regard.watch(model) as seen:
        watched = model(vectors)
print(torch.equal(unwatched, watched), *seen)
AttentionMaps.of(seen, source=words).save("watch_torch.svg")
