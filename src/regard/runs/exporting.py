"""A Transformer in the files of CTranslate2, an engine made for fast translation on ordinary machines."""

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.attention import MultiHeadAttention
from regard.attention.positions import Added, Learned, Relative, Rotary
from regard.errors import RunError
from regard.models import Transformer, TranslationModel
from regard.models.blocks import DecoderBlock, EncoderBlock, FeedForward
from regard.text import BEGIN, END, UNKNOWN, Tokenizer, Vocabulary
from regard.text.sentencepieces import SentencePieceVocabulary

QUANTIZATIONS = ("int8", "int16", "float16", "bfloat16")
LONGEST = 2_048
"""Places that are written out for positions which have no end of their own."""

_NEVER = -1e4
"""A logit that no token with this bias comes back from, and that half precision can hold."""


def export_ctranslate2(
    model: TranslationModel[Any],
    tokenizer: Tokenizer,
    into: Path,
    *,
    quantization: str | None = None,
    names: tuple[list[str], list[str]] | None = None,
    unwritten: Sequence[int] = (),
) -> None:
    """Write a folder that CTranslate2 loads, with the tokenizer beside.

    Tokens are called as ``tokenizer.json`` calls them, unless ``names`` of the source and the
    target say otherwise; sources are given without ``<end>``. Tokens ``unwritten`` never come out.
    """
    if quantization is not None and quantization not in QUANTIZATIONS:
        raise RunError(f"quantization must be one of {', '.join(QUANTIZATIONS)}, but got {quantization!r}.")
    if into.exists():
        raise RunError(f"{into} is there already. Remove it, or name another folder.")
    source_names, target_names = names or (names_of(tokenizer.source), names_of(tokenizer.target))
    spec = _specification(model, unwritten)
    spec.register_source_vocabulary(source_names)
    spec.register_target_vocabulary(target_names)
    spec.config.layer_norm_epsilon = nn.LayerNorm(1).eps
    spec.config.unk_token = _unknown(tokenizer.source) or source_names[UNKNOWN]
    spec.config.bos_token = spec.config.decoder_start_token = target_names[BEGIN]
    spec.config.eos_token = target_names[END]
    spec.config.add_source_eos = True
    spec.validate()
    spec.optimize(quantization=quantization)
    aside = into.with_name(f".{into.name}.{os.getpid()}.aside")
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir(parents=True)
        spec.save(str(aside))
        tokenizer.save(aside / "tokenizer.json")
        os.rename(aside, into)
    except OSError as error:
        raise RunError(f"{into} could not be written: {error.strerror or error}.") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def names_of(vocabulary: Vocabulary) -> list[str]:
    """Every token by a name of its own, in order."""
    if isinstance(vocabulary, SentencePieceVocabulary):
        return vocabulary.names
    numbers = vocabulary.library.get_vocab()
    return sorted(numbers, key=numbers.__getitem__)


def _unknown(vocabulary: Vocabulary) -> str | None:
    """What an unknown piece is read as, where a vocabulary has a piece for it."""
    return vocabulary.unknown if isinstance(vocabulary, SentencePieceVocabulary) else None


def ctranslate2() -> Any:
    """The library, or a sentence on how to get it."""
    try:
        import ctranslate2
    except ImportError as error:
        raise RunError("CTranslate2 is not installed. Install it with: pip install 'regard[fast]'") from error
    return ctranslate2


def _specification(model: TranslationModel[Any], unwritten: Sequence[int]) -> Any:
    specs = ctranslate2().specs
    if not isinstance(model, Transformer):
        raise RunError(
            f"CTranslate2 runs Transformers, but this run's model is a {type(model).__name__}. "
            'Train one with model.kind = "transformer".'
        )
    encoder, decoder = model.encoder.blocks, [one for one in model.decoder if isinstance(one, DecoderBlock)]
    first = encoder[0]
    _check(first)
    activations = {
        F.relu: specs.Activation.RELU,
        F.gelu: specs.Activation.GELU,
        F.silu: specs.Activation.SWISH,
    }
    within = _positions_within(first.self.position)
    alike = {
        "pre_norm": first.around_self.before,
        "activation": activations[first.feed_forward.activation],
        "ffn_glu": first.feed_forward.gated,
        **within,
    }
    spec = specs.TransformerSpec(
        specs.TransformerEncoderSpec(len(encoder), first.self.heads, **alike),
        specs.TransformerDecoderSpec(len(decoder), first.self.heads, **alike),
    )
    spec.encoder.embeddings[0].weight = _numbers(model.source_embedding.weight)
    spec.decoder.embeddings.weight = _numbers(model.target_embedding.weight)
    if not isinstance(first.self.position, Relative):  # an encoder wants them also where it reads none
        spec.encoder.position_encodings.encodings = _places(model.encoder.positions, model.width)
    if not within:
        spec.decoder.position_encodings.encodings = _places(model.target_positions, model.width)
    if first.around_self.before:
        _norm(spec.encoder.layer_norm, model.encoder.norm)
        _norm(spec.decoder.layer_norm, model.decoder_norm)
    for of_theirs, block in zip(spec.encoder.layer, encoder, strict=True):
        _block(of_theirs, block)
    for of_theirs, writing in zip(spec.decoder.layer, decoder, strict=True):
        _block(of_theirs, writing)
        _cross_attention(of_theirs.attention, writing)
    _output(spec.decoder.projection, model, unwritten)
    return spec


def _check(block: EncoderBlock) -> None:
    position = block.self.position
    if position is not None and not isinstance(position, Relative | Rotary):
        raise RunError(
            f"CTranslate2 has no counterpart of this model's {type(position).__name__} positions. "
            "Train with model.positions sinusoidal, relative, rotary, learned or none."
        )
    if block.self.key_heads != block.self.heads:
        raise RunError(
            f"CTranslate2 wants as many key heads as heads, but this model has {block.self.key_heads} "
            f"for {block.self.heads}. Train without model.key_heads."
        )


def _positions_within(position: nn.Module | None) -> dict[str, Any]:
    """What CTranslate2 is told of positions inside attention."""
    if isinstance(position, Relative):
        return {"relative_position": True}
    if isinstance(position, Rotary):
        return {"rotary_dim": position.head_width, "rotary_base": position.slowest, "rotary_interleave": True}
    return {}


def _output(spec: Any, model: Transformer, unwritten: Sequence[int]) -> None:
    table = model.target_embedding.weight if model.untied_output is None else model.untied_output
    spec.weight = _numbers(table)
    bias = torch.zeros(len(table)) if model.output_bias is None else model.output_bias.detach().cpu().clone()
    bias[list(unwritten)] = _NEVER
    if bool(bias.any()):
        spec.bias = _numbers(bias)


def _places(positions: Added | None, width: int) -> Any:
    if positions is None:
        return np.zeros((LONGEST, width), dtype=np.float32)
    longest = len(positions.table) if isinstance(positions, Learned) else LONGEST
    return _numbers(positions.encoding(torch.arange(longest, device=_device(positions))))


def _device(module: nn.Module) -> torch.device:
    return next((one.device for one in (*module.parameters(), *module.buffers())), torch.device("cpu"))


def _block(spec: Any, block: EncoderBlock | DecoderBlock) -> None:
    attention = block.self
    _linear(spec.self_attention.linear[0], attention.projection)
    _linear(spec.self_attention.linear[1], attention.output_projection)
    _norm(spec.self_attention.layer_norm, block.around_self.norm)
    if isinstance(attention.position, Relative):
        width = attention.head_width
        spec.self_attention.relative_position_keys = _table(attention.position.key_table, attention, width)
        spec.self_attention.relative_position_values = _table(
            attention.position.value_table, attention, width
        )
    _feed_forward(spec.ffn, block.feed_forward)
    _norm(spec.ffn.layer_norm, block.around_feed_forward.norm)


def _table(table: Tensor | None, attention: MultiHeadAttention, width: int) -> Any:
    assert isinstance(attention.position, Relative)
    if table is None:
        return np.zeros((2 * attention.position.reach + 1, width), dtype=np.float32)
    return _numbers(table)


def _cross_attention(spec: Any, block: DecoderBlock) -> None:
    weight, bias, width = block.cross.projection.weight, block.cross.projection.bias, block.cross.width
    spec.linear[0].weight, spec.linear[0].bias = _numbers(weight[:width]), _numbers(bias[:width])
    spec.linear[1].weight, spec.linear[1].bias = _numbers(weight[width:]), _numbers(bias[width:])
    _linear(spec.linear[2], block.cross.output_projection)
    _norm(spec.layer_norm, block.around_cross.norm)


def _feed_forward(spec: Any, layer: FeedForward) -> None:
    if layer.gated:
        gate, through = layer.inner.weight.chunk(2)
        gate_bias, through_bias = layer.inner.bias.chunk(2)
        spec.linear_0.weight, spec.linear_0.bias = _numbers(gate), _numbers(gate_bias)
        spec.linear_0_noact.weight, spec.linear_0_noact.bias = _numbers(through), _numbers(through_bias)
    else:
        _linear(spec.linear_0, layer.inner)
    _linear(spec.linear_1, layer.outer)


def _linear(spec: Any, linear: nn.Linear) -> None:
    spec.weight, spec.bias = _numbers(linear.weight), _numbers(linear.bias)


def _norm(spec: Any, norm: nn.Module) -> None:
    assert isinstance(norm, nn.LayerNorm)
    spec.gamma, spec.beta = _numbers(norm.weight), _numbers(norm.bias)


def _numbers(tensor: Tensor) -> Any:
    # A copy: CTranslate2 quantizes in place.
    return tensor.detach().float().cpu().numpy().copy(order="C")
