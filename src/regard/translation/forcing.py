"""Teacher forcing: what a model thinks of a target that is given."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.errors import DataError
from regard.models import TranslationModel
from regard.text import END, PADDING, UNKNOWN, Batch
from regard.translation.inference import inferring


class Rival(NamedTuple):
    """A token that might stand in a place, and its probability there."""

    token: int
    probability: float


def force(
    model: TranslationModel[Any], sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]
) -> list[list[float]]:
    """The log-probability of each token of each target given those before it, ``<end>`` last.

    Tokens are given without ``<begin>`` and ``<end>``; all pairs are one batch.

    >>> from regard.models import Transformer
    >>> model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    >>> [len(of_tokens) for of_tokens in force(model, [[5, 6], [7]], [[8], [9, 10, 4]])]
    [2, 4]
    """
    if len(sources) != len(targets):
        raise DataError(f"sources and targets must be pairs, but got {len(sources)} and {len(targets)}.")
    if not sources:
        return []
    with inferring(model) as device:
        batch = Batch.of(sources, targets).to(device)
        logits = model(batch.source, batch.target_in, batch.source_lengths)
        losses = F.cross_entropy(
            logits.flatten(0, 1).float() if logits.dtype.itemsize < 4 else logits.flatten(0, 1),
            batch.target_out.flatten(),
            ignore_index=PADDING,
            reduction="none",
        ).view_as(batch.target_out)
        lengths = batch.target_lengths.tolist()
        return [row[:length] for row, length in zip((-losses).tolist(), lengths, strict=True)]


def rivals(
    model: TranslationModel[Any], source: Sequence[int], target: Sequence[int], count: int = 5
) -> list[list[Rival]]:
    """The likeliest tokens at each place of a target, ``<end>``'s place last, the likeliest first.

    Each place is judged after the target's own tokens before it. Of the special tokens only
    ``<end>`` is named, as in a search.

    >>> from regard.models import Transformer
    >>> model = Transformer(vocabulary=11, width=6, heads=2, layers=1, hidden_width=7)
    >>> [len(place) for place in rivals(model, [5, 6], [8], count=3)]
    [3, 3]
    """
    if type(count) is not int or count < 1:
        raise DataError(f"count must be a whole number of at least 1, but got {count!r}.")
    with inferring(model) as device:
        batch = Batch.of([source], [target]).to(device)
        probabilities: Float[Tensor, "target vocabulary"] = (
            model(batch.source, batch.target_in).squeeze(0).float().softmax(dim=-1)
        )
        probabilities[:, PADDING:END] = -1.0
        probabilities[:, UNKNOWN] = -1.0
        best = probabilities.topk(min(count, probabilities.shape[1] - 3))
        return [
            [Rival(token, probability) for token, probability in zip(tokens, row, strict=True)]
            for tokens, row in zip(best.indices.tolist(), best.values.tolist(), strict=True)
        ]
