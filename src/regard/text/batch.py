"""A batch of sentence pairs as tensors."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from regard.text.special import BEGIN, END, PADDING


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Sentence pairs ready for a model, padded at the end with 0.

    The source ends in ``end``. The decoder reads ``target_in``, which starts with ``begin``, and
    is to produce ``target_out``, which ends in ``end``. Lengths count these too, padding never.

    >>> batch = Batch.of([[7, 8], [9]], [[11], [12, 13]])
    >>> batch.source
    tensor([[7, 8, 2],
            [9, 2, 0]])
    >>> batch.target_in
    tensor([[ 1, 11,  0],
            [ 1, 12, 13]])
    >>> batch.target_out
    tensor([[11,  2,  0],
            [12, 13,  2]])
    >>> batch.source_lengths, batch.source_tokens, batch.target_tokens
    (tensor([3, 2]), 5, 5)
    """

    source: Int64[Tensor, "batch source"]
    source_lengths: Int64[Tensor, " batch"]
    target_in: Int64[Tensor, "batch target"]
    target_out: Int64[Tensor, "batch target"]
    target_lengths: Int64[Tensor, " batch"]
    source_tokens: int
    target_tokens: int

    @classmethod
    def of(cls, sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]]) -> "Batch":
        """Make a batch of the tokens of each sentence, none of them special."""
        source, source_lengths = pad([[*tokens, END] for tokens in sources])
        target_in, target_lengths = pad([[BEGIN, *tokens] for tokens in targets])
        target_out, _ = pad([[*tokens, END] for tokens in targets])
        return cls(
            source=source,
            source_lengths=source_lengths,
            target_in=target_in,
            target_out=target_out,
            target_lengths=target_lengths,
            source_tokens=sum(len(tokens) + 1 for tokens in sources),
            target_tokens=sum(len(tokens) + 1 for tokens in targets),
        )

    def __len__(self) -> int:
        return len(self.source)

    def parts(self, tokens: int) -> list["Batch"]:
        """The same pairs in batches as equal as can be, whose longer sides have at most so many tokens.

        A pair that is longer by itself stands alone.

        >>> [part.source.tolist() for part in Batch.of([[7, 8], [9], [10]], [[11], [12], [13]]).parts(6)]
        [[[7, 8, 2]], [[9, 2], [10, 2]]]
        """
        longest = max(self.source.shape[1], self.target_in.shape[1])
        if len(self) * longest <= tokens:
            return [self]
        count = -(-len(self) // max(tokens // longest, 1))
        bounds = pairwise(len(self) * number // count for number in range(count + 1))
        return [self._rows(slice(first, last)) for first, last in bounds]

    def _rows(self, chosen: slice) -> "Batch":
        """Some of the pairs, padded no further than they need."""
        sources, targets = self.source_lengths[chosen], self.target_lengths[chosen]
        source, target = int(sources.max()), int(targets.max())
        return Batch(
            source=self.source[chosen, :source],
            source_lengths=sources,
            target_in=self.target_in[chosen, :target],
            target_out=self.target_out[chosen, :target],
            target_lengths=targets,
            source_tokens=int(sources.sum()),
            target_tokens=int(targets.sum()),
        )

    def to(self, device: torch.device | str) -> "Batch":
        """The same batch on another device."""
        return Batch(
            source=self.source.to(device),
            source_lengths=self.source_lengths.to(device),
            target_in=self.target_in.to(device),
            target_out=self.target_out.to(device),
            target_lengths=self.target_lengths.to(device),
            source_tokens=self.source_tokens,
            target_tokens=self.target_tokens,
        )


def pad(
    sentences: Sequence[Sequence[int]],
) -> tuple[Int64[Tensor, "batch longest"], Int64[Tensor, " batch"]]:
    """Lay sentences of tokens side by side, padded at the end, and say how long each is.

    >>> pad([[7, 8, 2], [9, 2]])
    (tensor([[7, 8, 2], [9, 2, 0]]), tensor([3, 2]))
    """
    lengths = [len(tokens) for tokens in sentences]
    padded = np.full((len(sentences), max(lengths, default=0)), PADDING, dtype=np.int64)
    for row, tokens in zip(padded, sentences, strict=True):
        row[: len(tokens)] = tokens
    return torch.from_numpy(padded), torch.tensor(lengths, dtype=torch.int64)
