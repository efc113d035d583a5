"""The Transformer is Marian's, too: Hugging Face's, given the same parameters, answers the same."""

from typing import Any

import pytest
import torch
from torch import Tensor, nn
from transformers import MarianConfig, MarianMTModel

from regard.attention import MultiHeadAttention
from regard.models import Transformer
from tests.models.translators import LENGTHS, SOURCE, assert_same, in_steps, some_sources, some_targets

VOCABULARY, WIDTH, HEADS, HIDDEN, LAYERS, DECODER_LAYERS = 13, 12, 2, 17, 3, 2
# Marian keeps all sines before all cosines, regard each sine beside its cosine: the same features in
# another order, if every parameter is put in that order.
ORDER = torch.arange(WIDTH).unflatten(0, (2, -1)).T.flatten()


def marian(activation: str) -> Any:
    config = MarianConfig(
        vocab_size=VOCABULARY,
        d_model=WIDTH,
        encoder_layers=LAYERS,
        decoder_layers=DECODER_LAYERS,
        encoder_attention_heads=HEADS,
        decoder_attention_heads=HEADS,
        encoder_ffn_dim=HIDDEN,
        decoder_ffn_dim=HIDDEN,
        activation_function=activation,
        max_position_embeddings=32,
        scale_embedding=True,
        pad_token_id=0,
        eos_token_id=2,
        decoder_start_token_id=1,
    )
    theirs: Any = MarianMTModel(config)
    theirs.eval()
    with torch.no_grad():
        for parameter in theirs.parameters():
            if parameter.requires_grad:
                parameter.add_(torch.randn_like(parameter), alpha=0.2)
    return theirs


@torch.no_grad()
def with_parameters_of(theirs: Any, activation: str) -> Transformer:
    ours: Any = Transformer(
        vocabulary=VOCABULARY,
        width=WIDTH,
        heads=HEADS,
        layers=LAYERS,
        decoder_layers=DECODER_LAYERS,
        hidden_width=HIDDEN,
        activation=activation,
    )
    ours.source_embedding.weight.copy_(theirs.model.shared.weight[:, ORDER])
    for mine, other in zip(ours.encoder.blocks, theirs.model.encoder.layers, strict=True):
        copy_block(mine, other)
    for mine, other in zip(ours.decoder, theirs.model.decoder.layers, strict=True):
        copy_block(mine, other)
        copy_attention(mine.cross, other.encoder_attn)
        copy_norm(mine.around_cross.norm, other.encoder_attn_layer_norm)
    return ours


def copy_block(mine: Any, other: Any) -> None:
    copy_attention(mine.self, other.self_attn)
    copy_norm(mine.around_self.norm, other.self_attn_layer_norm)
    copy_linear(mine.feed_forward.inner, other.fc1.weight[:, ORDER], other.fc1.bias)
    copy_linear(mine.feed_forward.outer, other.fc2.weight[ORDER], other.fc2.bias[ORDER])
    copy_norm(mine.around_feed_forward.norm, other.final_layer_norm)


def copy_attention(mine: MultiHeadAttention, other: Any) -> None:
    parts = [other.q_proj, other.k_proj, other.v_proj]
    copy_linear(
        mine.projection,
        torch.cat([part.weight[:, ORDER] for part in parts]),
        torch.cat([part.bias for part in parts]),
    )
    copy_linear(mine.output_projection, other.out_proj.weight[ORDER], other.out_proj.bias[ORDER])


def copy_norm(mine: nn.LayerNorm, other: nn.LayerNorm) -> None:
    mine.weight.copy_(other.weight[ORDER])
    mine.bias.copy_(other.bias[ORDER])


def copy_linear(mine: nn.Linear, weight: Tensor, bias: Tensor) -> None:
    mine.weight.copy_(weight)
    mine.bias.copy_(bias)


@torch.no_grad()
@pytest.mark.parametrize("activation", ["swish", "relu"])
def test_marian_with_the_same_parameters_answers_the_same(activation: str) -> None:
    theirs = marian(activation)
    ours = with_parameters_of(theirs, activation)
    source, target = some_sources(), some_targets()
    there = torch.arange(SOURCE) < LENGTHS[:, None]
    expected = theirs(
        input_ids=source, attention_mask=there.long(), decoder_input_ids=target, use_cache=False
    ).logits
    assert_same(ours(source, target, LENGTHS), expected)
    assert_same(in_steps(ours, target, ours.start(source, LENGTHS))[0], expected)
