"""Maps to draw: small, of prime sizes, and made by hand where a number is looked at."""

import torch

from regard.viewing import AttentionMap

ENGLISH = ("the", "cat", "does", "not", "sleep", ".", "<end>")
FRENCH = ("le", "chat", "ne", "dort", "<end>")


def by_hand() -> AttentionMap:
    """Two rows whose numbers are easily read."""
    return AttentionMap(
        [[0.7, 0.25, 0.05], [0.0, 0.5, 0.5]],
        query_labels=["le", "chat"],
        key_labels=["the", "cat", "<end>"],
        name="decoder.0.cross",
    )


def several_heads(heads: int = 3) -> AttentionMap:
    scores = torch.randn(heads, len(FRENCH), len(ENGLISH), generator=torch.Generator().manual_seed(13))
    return AttentionMap(
        (2 * scores).softmax(dim=-1), query_labels=FRENCH, key_labels=ENGLISH, name="decoder.1.cross"
    )


def triangle() -> AttentionMap:
    """Decoder self-attention, even over what may be seen."""
    weights = torch.ones(3, 3).tril() / torch.arange(1.0, 4.0).unsqueeze(1)
    return AttentionMap(
        weights,
        query_labels=["le", "chat", "dort"],
        key_labels=["<begin>", "le", "chat"],
        name="decoder.0.self",
        kind="decoder self",
    )
