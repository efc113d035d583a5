"""The same translator, built by others: torch's nn.Transformer and Hugging Face's Marian.

Dropout stands at the same sites in all: on the embeddings and on what each part adds; none inside the
attention or the feed-forward. Embeddings and output are one table everywhere, positions sinusoidal,
norms after the sum.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.models import Transformer
from regard.text import END, PADDING, Batch


@dataclass(frozen=True)
class Size:
    """How large the translator is."""

    layers: int
    width: int
    hidden_width: int
    heads: int
    vocabulary: int = 10_000
    dropout: float = 0.3

    def __str__(self) -> str:
        return f"{self.layers}+{self.layers} layers of {self.width}"


SMALL = Size(layers=4, width=128, hidden_width=256, heads=4)
MIDDLING = Size(layers=3, width=256, hidden_width=1024, heads=4)


def some_batch(size: Size, *, tokens: int = 4096, longest: int = 24) -> Batch:
    """About so many target tokens, in sentences of nearly equal length."""
    generator = torch.Generator().manual_seed(0)
    count = tokens // (longest - 1)
    lengths = torch.randint(longest - 2, longest + 1, (count,), generator=generator)
    lengths[0] = longest
    words = torch.randint(4, size.vocabulary, (count, longest + 1), generator=generator)
    words[torch.arange(longest + 1) >= lengths[:, None] + 1] = PADDING
    return Batch(
        source=words[:, :longest].clone(),
        source_lengths=lengths,
        target_in=words[:, :-1].clone(),
        target_out=words[:, 1:].clone(),
        target_lengths=lengths,
        source_tokens=int(lengths.sum()),
        target_tokens=int((words[:, 1:] != PADDING).sum()),
    )


def ours(size: Size) -> Transformer:
    """regard's own."""
    return Transformer(
        vocabulary=size.vocabulary,
        width=size.width,
        heads=size.heads,
        layers=size.layers,
        hidden_width=size.hidden_width,
        dropout=size.dropout,
    )


class TorchTranslator(nn.Module):
    """nn.Transformer between an embedding and an output of the same table."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.width, self.dropout = size.width, nn.Dropout(size.dropout)
        self.embedding = nn.Embedding(size.vocabulary, size.width)
        angles = torch.arange(512)[:, None] / 10_000 ** (torch.arange(0, size.width, 2) / size.width)
        self.register_buffer("table", torch.stack([angles.sin(), angles.cos()], -1).flatten(1))
        self.network = nn.Transformer(
            size.width,
            size.heads,
            size.layers,
            size.layers,
            size.hidden_width,
            size.dropout,
            batch_first=True,
        )
        for part in self.network.modules():
            if isinstance(part, nn.MultiheadAttention):
                part.dropout = 0.0
            elif isinstance(part, nn.TransformerEncoderLayer | nn.TransformerDecoderLayer):
                part.dropout.p = 0.0

    def forward(self, batch: Batch) -> Tensor:
        """Logits of every place, padding included."""
        hidden = self.network(
            self._embedded(batch.source),
            self._embedded(batch.target_in),
            tgt_mask=nn.Transformer.generate_square_subsequent_mask(batch.target_in.shape[1]).isinf(),
            src_key_padding_mask=batch.source == PADDING,
            memory_key_padding_mask=batch.source == PADDING,
            tgt_is_causal=True,
        )
        return hidden @ self.embedding.weight.T

    def _embedded(self, tokens: Tensor) -> Tensor:
        table = self.get_buffer("table")[: tokens.shape[1]]
        return self.dropout(self.embedding(tokens) * math.sqrt(self.width) + table)


def marian(size: Size) -> Any:
    """Hugging Face's Marian."""
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=size.vocabulary,
        d_model=size.width,
        encoder_layers=size.layers,
        decoder_layers=size.layers,
        encoder_attention_heads=size.heads,
        decoder_attention_heads=size.heads,
        encoder_ffn_dim=size.hidden_width,
        decoder_ffn_dim=size.hidden_width,
        activation_function="relu",
        dropout=size.dropout,
        attention_dropout=0.0,
        activation_dropout=0.0,
        max_position_embeddings=512,
        scale_embedding=True,
        pad_token_id=PADDING,
        eos_token_id=END,
        decoder_start_token_id=1,
        bos_token_id=1,
        forced_eos_token_id=None,
    )
    return MarianMTModel(config)


class MarianTranslator(nn.Module):
    """Marian called with a batch."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.network = marian(size)

    def forward(self, batch: Batch) -> Tensor:
        """Logits of every place, padding included."""
        return self.network(
            input_ids=batch.source,
            attention_mask=(batch.source != PADDING).long(),
            decoder_input_ids=batch.target_in,
            use_cache=False,
        ).logits


def silence_the_end(table: nn.Embedding) -> None:
    """Make ``<end>`` unlikely in a model with random parameters, so that it writes on."""
    with torch.no_grad():
        table.weight[END] = 0.0
