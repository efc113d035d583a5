"""The Transformer is the one of the paper: torch's own, given the same parameters, answers the same."""

import math
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.attention import MultiHeadAttention
from regard.models import Transformer
from regard.models.blocks import FeedForward
from tests.models.translators import (
    HEADS,
    HIDDEN,
    LAYERS,
    LENGTHS,
    SOURCE,
    TARGET,
    VOCABULARY,
    WIDTH,
    Kind,
    assert_same,
    either_precision,
    some_sources,
    some_targets,
)


def torchs_own(ours: Any, norm: str, activation: str) -> Any:
    """torch.nn.Transformer with the parameters of ours."""
    theirs: Any = nn.Transformer(
        WIDTH,
        HEADS,
        LAYERS,
        LAYERS,
        HIDDEN,
        dropout=0.0,
        activation=activation,
        batch_first=True,
        norm_first=norm == "pre",
        custom_encoder=nn.TransformerEncoder(  # only because the default one warns when norm comes first
            nn.TransformerEncoderLayer(
                WIDTH, HEADS, HIDDEN, 0.0, activation, batch_first=True, norm_first=norm == "pre"
            ),
            LAYERS,
            nn.LayerNorm(WIDTH),
            enable_nested_tensor=False,
        ),
    ).to(ours.output_table.dtype)
    for mine, other in zip(ours.encoder.blocks, theirs.encoder.layers, strict=True):
        copy_attention(mine.self, other.self_attn)
        copy_feed_forward(mine.feed_forward, other)
        copy(mine.around_self.norm, other.norm1)
        copy(mine.around_feed_forward.norm, other.norm2)
    for mine, other in zip(ours.decoder, theirs.decoder.layers, strict=True):
        copy_attention(mine.self, other.self_attn)
        copy_attention(mine.cross, other.multihead_attn)
        copy_feed_forward(mine.feed_forward, other)
        copy(mine.around_self.norm, other.norm1)
        copy(mine.around_cross.norm, other.norm2)
        copy(mine.around_feed_forward.norm, other.norm3)
    if norm == "pre":
        copy(ours.encoder.norm, theirs.encoder.norm)
        copy(ours.decoder_norm, theirs.decoder.norm)
    else:  # torch norms once more what the last layer has normed
        theirs.encoder.norm = theirs.decoder.norm = None
    return theirs


def copy(mine: nn.Module, other: nn.Module) -> None:
    other.load_state_dict(mine.state_dict())


def copy_attention(mine: MultiHeadAttention, other: nn.MultiheadAttention) -> None:
    copy(mine.output_projection, other.out_proj)
    with torch.no_grad():
        other.in_proj_weight.copy_(mine.projection.weight)
        other.in_proj_bias.copy_(mine.projection.bias)


def copy_feed_forward(mine: FeedForward, other: nn.Module) -> None:
    copy(mine.inner, other.get_submodule("linear1"))
    copy(mine.outer, other.get_submodule("linear2"))


def placed(embedded: Tensor) -> Tensor:
    """Embeddings scaled by √width, and the sines and cosines of the paper, one by one."""
    waves = torch.tensor(
        [
            [
                (math.cos if feature % 2 else math.sin)(place / 10_000 ** ((feature - feature % 2) / WIDTH))
                for feature in range(WIDTH)
            ]
            for place in range(embedded.shape[1])
        ],
        dtype=embedded.dtype,
    )
    return embedded * math.sqrt(WIDTH) + waves


@either_precision
@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_torchs_transformer_with_the_same_parameters_answers_the_same(
    dtype: torch.dtype, norm: str, activation: str
) -> None:
    settings = {"heads": HEADS, "layers": LAYERS, "hidden_width": HIDDEN, "norm": norm}
    ours: Any = Kind("", Transformer, {**settings, "activation": activation}).make(dtype)
    theirs = torchs_own(ours, norm, activation)
    source, target = some_sources(), some_targets()
    beyond = torch.arange(SOURCE) >= LENGTHS[:, None]

    hidden = theirs(
        placed(ours.source_embedding(source)),
        placed(ours.target_embedding(target)),
        tgt_mask=torch.ones(TARGET, TARGET).triu(1).bool(),
        src_key_padding_mask=beyond,
        memory_key_padding_mask=beyond,
    )
    expected = hidden @ ours.source_embedding.weight.T
    found = ours(source, target, LENGTHS)

    assert_same(found, expected)
    if dtype == torch.float64:
        upstream, table = torch.randn_like(expected), ours.source_embedding.weight
        (mine,) = torch.autograd.grad(found, table, upstream)
        (other,) = torch.autograd.grad(expected, table, upstream)
        assert_same(mine, other)


def test_one_vocabulary_is_embedded_once_unless_asked_otherwise() -> None:
    sizes: dict[str, Any] = {
        "vocabulary": VOCABULARY,
        "width": 12,
        "heads": 2,
        "layers": 1,
        "hidden_width": 5,
    }
    shared: Any = Transformer(**sizes)
    assert shared.source_embedding is shared.target_embedding
    assert shared.output_table is shared.source_embedding.weight
    apart = Transformer(**sizes, share_embeddings=False)
    assert apart.source_embedding is not apart.target_embedding
    assert apart.output_table is apart.target_embedding.weight
    untied = Transformer(**sizes, tie_output=False)
    assert untied.output_table is not untied.target_embedding.weight
    assert Transformer(**sizes, target_vocabulary=17).output_table.shape == (17, 12)


def test_the_settings_of_a_stack_reach_its_blocks() -> None:
    model: Any = Transformer(
        vocabulary=VOCABULARY, width=12, heads=2, layers=2, decoder_layers=3, hidden_width=5, positions="t5",
        attention_dropout=0.25, hidden_dropout=0.5, dropout=0.125,
    )  # fmt: skip
    assert (len(model.encoder.blocks), len(model.decoder)) == (2, 3)
    for block in [*model.encoder.blocks, *model.decoder]:
        assert block.self.dropout == 0.25
        assert block.feed_forward.dropout == 0.5
        assert block.around_self.dropout == 0.125
    assert model.encoder.blocks[0].self.position is model.encoder.blocks[1].self.position
    assert model.encoder.blocks[0].self.position.both_ways
    assert not model.decoder[0].self.position.both_ways
    assert model.decoder[0].cross.position is None


def test_each_layer_learns_distances_of_its_own() -> None:
    model: Any = Transformer(
        vocabulary=VOCABULARY, width=12, heads=2, layers=2, hidden_width=5, positions="relative", reach=3
    )
    tables = [name for name, _ in model.named_parameters() if name.endswith("key_table")]
    assert tables == [
        f"{side}.{layer}.self.position.key_table" for side in ("encoder", "decoder") for layer in (0, 1)
    ]
    assert model.decoder[1].self.position.key_table.shape == (7, 6)
