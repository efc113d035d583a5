"""Small models built elsewhere, with parameters drawn at random, and what to call them with."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
import transformers
from torch import nn

VOCABULARY, BATCH, SOURCE, TARGET = 53, 2, 7, 5
SOURCE_LENGTHS = (7, 4)


@dataclass(frozen=True)
class Family:
    """A family of Hugging Face models: how one is made, and which outputs hold which attentions."""

    name: str
    make: Callable[[str], Any]
    told: dict[str, str]
    """The output that lists the weights by layer → the name of each, with {} for the layer."""
    has_target: bool = False

    def __str__(self) -> str:
        return self.name

    def inputs(self, *, pad: str = "right") -> dict[str, torch.Tensor]:
        """Two sentences, the second padded."""
        generator = torch.Generator().manual_seed(7)
        tokens = torch.randint(3, VOCABULARY, (BATCH, SOURCE), generator=generator)
        mask = (torch.arange(SOURCE) < torch.tensor(SOURCE_LENGTHS)[:, None]).long()
        if pad == "left":
            mask = mask.flip(1)
        given = {"input_ids": tokens.masked_fill(mask == 0, 0), "attention_mask": mask}
        if self.has_target:
            target = torch.randint(3, VOCABULARY, (BATCH, TARGET), generator=generator)
            given["decoder_input_ids"] = target
        return given


def _bert(backend: str) -> Any:
    config = transformers.BertConfig(
        vocab_size=VOCABULARY,
        hidden_size=12,
        num_hidden_layers=2,
        num_attention_heads=3,
        intermediate_size=11,
        initializer_range=0.4,
        attn_implementation=backend,
    )
    return transformers.BertModel(config)


def _gpt2(backend: str) -> Any:
    config = transformers.GPT2Config(
        vocab_size=VOCABULARY,
        n_embd=12,
        n_layer=2,
        n_head=3,
        n_positions=31,
        initializer_range=0.2,
        bos_token_id=1,
        eos_token_id=2,
        attn_implementation=backend,
    )
    return transformers.GPT2LMHeadModel(config)


def _llama(backend: str) -> Any:
    config = transformers.LlamaConfig(
        vocab_size=VOCABULARY,
        hidden_size=24,
        num_hidden_layers=2,
        num_attention_heads=6,
        num_key_value_heads=2,
        intermediate_size=11,
        initializer_range=0.2,
        attention_dropout=0.3,
        attn_implementation=backend,
    )
    return transformers.LlamaForCausalLM(config)


def _t5(backend: str) -> Any:
    config = transformers.T5Config(
        vocab_size=VOCABULARY,
        d_model=12,
        d_kv=5,
        d_ff=11,
        num_layers=2,
        num_heads=3,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=6,
        initializer_factor=1.0,
        decoder_start_token_id=0,
        attn_implementation=backend,
    )
    return transformers.T5ForConditionalGeneration(config)


def _marian(backend: str) -> Any:
    config = transformers.MarianConfig(
        vocab_size=VOCABULARY,
        d_model=12,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=3,
        decoder_attention_heads=3,
        encoder_ffn_dim=11,
        decoder_ffn_dim=11,
        max_position_embeddings=31,
        init_std=0.3,
        attention_dropout=0.3,
        pad_token_id=0,
        eos_token_id=2,
        forced_eos_token_id=None,
        decoder_start_token_id=0,
        attn_implementation=backend,
    )
    return transformers.MarianMTModel(config)


BERT = Family("BERT", _bert, {"attentions": "encoder.layer.{}.attention.self"})
GPT2 = Family("GPT-2", _gpt2, {"attentions": "transformer.h.{}.attn"})
LLAMA = Family("Llama", _llama, {"attentions": "model.layers.{}.self_attn"})
T5 = Family(
    "T5",
    _t5,
    {
        "encoder_attentions": "encoder.block.{}.layer.0.SelfAttention",
        "decoder_attentions": "decoder.block.{}.layer.0.SelfAttention",
        "cross_attentions": "decoder.block.{}.layer.1.EncDecAttention",
    },
    has_target=True,
)
MARIAN = Family(
    "Marian",
    _marian,
    {
        "encoder_attentions": "model.encoder.layers.{}.self_attn",
        "decoder_attentions": "model.decoder.layers.{}.self_attn",
        "cross_attentions": "model.decoder.layers.{}.encoder_attn",
    },
    has_target=True,
)
FAMILIES = (BERT, GPT2, LLAMA, T5, MARIAN)
TRANSLATORS = tuple(family for family in FAMILIES if family.has_target)
GENERATORS = tuple(family for family in FAMILIES if family is not BERT)
BACKENDS = ("sdpa", "eager")


def made(family: Family, backend: str, dtype: torch.dtype = torch.float32) -> nn.Module:
    """The same model for every backend, in evaluation."""
    torch.manual_seed(11)
    model: nn.Module = family.make(backend)
    for parameter in model.parameters():  # biases begin at zero, where a mistake in them would not show
        if parameter.dim() == 1:
            parameter.data.add_(0.1 * torch.randn_like(parameter))
    return model.to(dtype).eval()
