"""Knock out a head and see what changes: to ask why, one must intervene."""

import torch

import regard
from regard.viewing import AttentionMap

torch.manual_seed(3)
attention = regard.MultiHeadAttention(16, heads=4)
x = torch.randn(1, 6, 16)

with torch.no_grad():
    whole = attention(x)
    changes = []
    for head in range(4):
        with regard.intervene(attention, {"attention": regard.KnockOut(heads=[head])}):
            changes.append((attention(x) - whole).norm(dim=-1)[0])
        print(f"without head {head} the output moves by {changes[-1].mean():.2f} on average")

moved = torch.stack(changes)
AttentionMap(
    moved / moved.sum(dim=0),
    query_labels=[f"head {head}" for head in range(4)],
    key_labels=[f"word {place}" for place in range(6)],
    name="each head's share in what a word becomes",
    notes=["columns sum to one"],
    axes=("heads", "words"),
).save("knock_out.svg", "heatmap")
