"""The same translator, built by others: torch, Hugging Face's Marian, x-transformers and JoeyNMT.

Dropout stands at the same sites in all: on the embeddings and on what each part adds; none inside the
attention or the feed-forward. Embeddings and output are one table everywhere, positions sinusoidal,
norms after the sum. The attention of x-transformers has no biases. `make bench-peers` installs them
all beside the pinned torch.
"""

import logging
import math
from dataclasses import dataclass
from types import SimpleNamespace
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


class XTransformersTranslator(nn.Module):
    """The encoder and the decoder of x-transformers, with torch's fused attention."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        from x_transformers import Decoder, Encoder, TransformerWrapper

        layers: dict[str, Any] = {
            "dim": size.width,
            "depth": size.layers,
            "heads": size.heads,
            "pre_norm": False,
            "attn_dim_head": size.width // size.heads,
            "attn_flash": True,
            "attn_sublayer_dropout": size.dropout,
            "ff_mult": size.hidden_width / size.width,
            "ff_custom_activation": nn.ReLU(),
            "ff_sublayer_dropout": size.dropout,
        }
        around: dict[str, Any] = {
            "num_tokens": size.vocabulary,
            "max_seq_len": 512,
            "emb_dropout": size.dropout,
            "scaled_sinu_pos_emb": True,
        }
        self.encoder = TransformerWrapper(attn_layers=Encoder(**layers), return_only_embed=True, **around)
        self.decoder = TransformerWrapper(
            attn_layers=Decoder(cross_attend=True, **layers),
            token_emb=self.encoder.token_emb,
            tie_embedding=True,
            **around,
        )

    def forward(self, batch: Batch) -> Tensor:
        """Logits of every place, padding included."""
        kept = batch.source != PADDING
        context = self.encoder(batch.source, mask=kept, return_embeddings=True)
        return self.decoder(batch.target_in, context=context, context_mask=kept)


_JOEY = torch.tensor([1, 2, 3, 0])
"""What JoeyNMT calls our padding, begin, end and unknown."""


def _as_joey(tokens: Tensor) -> Tensor:
    return torch.where(tokens < len(_JOEY), _JOEY[tokens.clamp(max=len(_JOEY) - 1)], tokens)


class JoeyTranslator(nn.Module):
    """JoeyNMT's Transformer; its loss is its own, since that is how it trains."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        from joeynmt.model import build_model
        from joeynmt.transformer_layers import MultiHeadedAttention, PositionwiseFeedForward
        from joeynmt.vocabulary import Vocabulary

        logging.getLogger("joeynmt.model").setLevel(logging.WARNING)
        names = ("unk", "pad", "bos", "eos")
        special = {f"{name}_token": f"<{name}>" for name in names}
        numbers = {f"{name}_id": number for number, name in enumerate(names)}
        known = SimpleNamespace(**special, **numbers, sep_token=None, lang_tags=[])
        vocabulary = Vocabulary([str(token) for token in range(size.vocabulary - len(names))], known)
        half = {
            "type": "transformer",
            "num_layers": size.layers,
            "num_heads": size.heads,
            "hidden_size": size.width,
            "ff_size": size.hidden_width,
            "dropout": size.dropout,
            "layer_norm": "post",
            "embeddings": {"embedding_dim": size.width, "scale": True, "dropout": size.dropout},
        }
        asked = {"encoder": half, "decoder": half, "tied_embeddings": True, "tied_softmax": True}
        self.network = build_model(asked, src_vocab=vocabulary, trg_vocab=vocabulary)
        self.network.loss_function = ("crossentropy", 0.1)
        for part in self.network.modules():
            if isinstance(part, MultiHeadedAttention):
                part.dropout.p = 0.0
            elif isinstance(part, PositionwiseFeedForward):
                part.pwff_layer[2].p = 0.0

    def forward(self, batch: Batch) -> Tensor:
        """The smoothed loss, the mean over the tokens."""
        loss, *_ = self.network(
            return_type="loss",
            src=_as_joey(batch.source),
            src_length=batch.source_lengths,
            src_mask=(batch.source != PADDING).unsqueeze(1),
            trg_input=_as_joey(batch.target_in),
            trg=_as_joey(batch.target_out),
            trg_mask=(batch.target_in != PADDING).unsqueeze(1),
        )
        return loss / batch.target_tokens

    def write(self, sources: Tensor, *, tokens: int, beam: int) -> Any:
        """So many tokens for each source, none of them padded."""
        from joeynmt.search import search

        asked = SimpleNamespace(
            src=_as_joey(sources),
            src_length=torch.full((len(sources),), sources.shape[1]),
            src_mask=torch.ones(len(sources), 1, sources.shape[1], dtype=torch.bool),
            has_trg=False,
        )
        limits = {"max_output_length": tokens, "min_output_length": tokens, "generate_unk": False}
        return search(self.network, asked, beam_size=beam, beam_alpha=1.0, **limits)


def silence_the_end(table: nn.Embedding) -> None:
    """Make ``<end>`` unlikely in a model with random parameters, so that it writes on."""
    with torch.no_grad():
        table.weight[END] = 0.0
