"""A Marian or OPUS-MT model, in the folder Hugging Face keeps it in, becomes a run.

    config.json, model.safetensors, source.spm, target.spm, vocab.json

Marian is the Transformer after Vaswani et al. (2017), with three habits: all sines of a position
come before all cosines; a target begins with the padding token; every token has a bias. The
first is undone by putting the features of every parameter in regard's order, the second by
calling that token ``<begin>``, the third is ``output_bias``.
"""

import dataclasses
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from regard.errors import RunError
from regard.models import Transformer
from regard.recipe import MOST_LAYERS, WIDEST, DataSettings, ModelSettings, Recipe
from regard.runs.folder import CARD, MARIAN, RECIPE, TOKENIZER, RunFolder, write_whole
from regard.text import BEGIN, END, UNKNOWN, Tokenizer
from regard.text.sentencepieces import SentencePieceVocabulary
from regard.training import load_parameters, save_checkpoint

CONFIG, PARAMETERS, PIECES, VOCABULARY = (
    "config.json",
    "model.safetensors",
    ("source.spm", "target.spm"),
    "vocab.json",
)
LARGEST_FILE = 64 << 20
DROPOUT = 0.1
"""Where a recipe that begins with an imported model does not choose another."""

_ACTIVATIONS = {"swish": "swish", "silu": "swish", "relu": "relu", "gelu": "gelu"}
_NEVER = -1e4
"""The bias of tokens that Marian does not have: no probability is left for them."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Marian:
    """What decides the shape of a Marian model; where ``config.json`` is silent, this is meant."""

    vocab_size: int = 58101
    d_model: int = 1024
    encoder_layers: int = 12
    decoder_layers: int = 12
    encoder_attention_heads: int = 16
    decoder_attention_heads: int = 16
    encoder_ffn_dim: int = 4096
    decoder_ffn_dim: int = 4096
    activation_function: str = "gelu"
    scale_embedding: bool = False
    pad_token_id: int = 58100
    eos_token_id: int = 0
    decoder_start_token_id: int = 58100
    normalize_before: bool = False
    normalize_embedding: bool = False
    add_final_layer_norm: bool = False
    share_encoder_decoder_embeddings: bool = True
    tie_word_embeddings: bool = True

    @classmethod
    def load(cls, path: Path) -> Self:
        """The settings in a ``config.json``, refused where regard has no counterpart of them."""
        content = _json(path)
        if content.get("model_type") != "marian":
            raise RunError(
                f"{path} is of a {content.get('model_type')!r} model; Marian models can be imported."
            )
        given: dict[str, Any] = {}
        for field in dataclasses.fields(cls):
            value = content.get(field.name, field.default)
            if type(value) is not type(field.default):
                kind = type(field.default).__name__
                raise RunError(f"{path}: {field.name} must be of type {kind}, but got {value!r}.")
            given[field.name] = value
        made = cls(**given)
        made._check(path)
        return made

    def _check_size(self, path: Path, name: str, most: int) -> None:
        if not 1 <= getattr(self, name) <= most:
            raise RunError(f"{path}: {name} must lie between 1 and {most:,}, but got {getattr(self, name)}.")

    def _check(self, path: Path) -> None:
        usual = Marian()
        for name in (
            "normalize_before",
            "normalize_embedding",
            "add_final_layer_norm",
            "share_encoder_decoder_embeddings",
            "tie_word_embeddings",
        ):
            if getattr(self, name) != getattr(usual, name):
                raise RunError(
                    f"{path}: {name} is {getattr(self, name)}, which regard cannot import. Nearly all of "
                    f"OPUS-MT say {getattr(usual, name)}."
                )
        self._check_size(path, "d_model", WIDEST)
        for size, most in (("layers", MOST_LAYERS), ("attention_heads", WIDEST), ("ffn_dim", WIDEST)):
            self._check_size(path, f"encoder_{size}", most)
            self._check_size(path, f"decoder_{size}", most)
        for one, other in (
            ("encoder_attention_heads", "decoder_attention_heads"),
            ("encoder_ffn_dim", "decoder_ffn_dim"),
            ("decoder_start_token_id", "pad_token_id"),
        ):
            if getattr(self, one) != getattr(self, other):
                raise RunError(
                    f"{path}: {one} is {getattr(self, one)}, but {other} is {getattr(self, other)}; regard "
                    "can import models where the two are equal."
                )
        if self.activation_function not in _ACTIVATIONS:
            raise RunError(
                f"{path}: activation_function is {self.activation_function!r}, but regard has "
                f"{', '.join(_ACTIVATIONS)}."
            )

    def settings(self) -> ModelSettings:
        """The same as far as a recipe can say it."""
        return ModelSettings(
            width=self.d_model,
            layers=self.encoder_layers,
            dropout=DROPOUT,
            heads=self.encoder_attention_heads,
            hidden_width=self.encoder_ffn_dim,
            norm="post",
            activation=_ACTIVATIONS[self.activation_function],
            tie_output=self.scale_embedding,
        )

    def build(self, tokenizer: Tokenizer, *, dropout: float = DROPOUT) -> Transformer:
        """The model, with fresh parameters."""
        return Transformer(
            vocabulary=len(tokenizer.source),
            share_embeddings=True,
            width=self.d_model,
            heads=self.encoder_attention_heads,
            layers=self.encoder_layers,
            decoder_layers=self.decoder_layers,
            hidden_width=self.encoder_ffn_dim,
            activation=_ACTIVATIONS[self.activation_function],
            dropout=dropout,
            tie_output=self.scale_embedding,
            output_bias=True,
        )


def import_marian(folder: Path, into: Path) -> RunFolder:
    """Make a run folder of a folder that holds a Marian model; nothing is loaded from a pickle."""
    run = RunFolder(into)
    run.check_free()
    _check_files(folder)
    marian = Marian.load(folder / CONFIG)
    tokenizer, rows = _tokenizer(folder, marian)
    model = marian.build(tokenizer)
    parameters = _parameters(_tensors(folder / PARAMETERS), marian, rows)
    load_parameters(model, parameters, str(folder / PARAMETERS))
    into.mkdir(parents=True, exist_ok=True)
    tokenizer.save(into / TOKENIZER)
    recipe = Recipe(data=_languages(folder), model=marian.settings())
    write_whole(into / RECIPE, _told(recipe).encode())
    kept = json.dumps({"model_type": "marian", **dataclasses.asdict(marian)}, indent=1)
    write_whole(into / MARIAN, kept.encode())
    write_whole(into / CARD, _card(folder, marian, model).encode())
    save_checkpoint(
        run.checkpoints,
        step=0,
        score=None,
        progress={"stands_on": run.seals()},
        parameters=dict(model.named_parameters()),
        optimizer={},
    )
    return run


def imported_model(
    run: RunFolder, tokenizer: Tokenizer, *, dropout: float | None = DROPOUT
) -> Transformer | None:
    """The model of an imported run, with fresh parameters; None where a run was trained here."""
    path = run.path / MARIAN
    if not path.exists():
        return None
    return Marian.load(path).build(tokenizer, dropout=DROPOUT if dropout is None else dropout)


def _told(recipe: Recipe) -> str:
    """The recipe as TOML, without the tokens and the training, of which nothing is known."""
    return (
        recipe.dumps().partition("[tokenizer]")[0]
        + "[model]"
        + _between(recipe.dumps(), "[model]", "[training]")
    )


def _between(text: str, start: str, stop: str) -> str:
    return text.partition(start)[2].partition(stop)[0]


def _check_files(folder: Path) -> None:
    if not folder.is_dir():
        raise RunError(f"There is no folder {folder}.")
    pickles = sorted(one.name for one in folder.glob("pytorch_model*.bin"))
    if pickles and not (folder / PARAMETERS).exists():
        raise RunError(
            f"{folder} keeps its parameters in a pickle, {pickles[0]}, which can run any program when it is "
            'loaded. If you trust it, convert it once with: python -c "from transformers import '
            f"MarianMTModel; MarianMTModel.from_pretrained('{folder}').save_pretrained('{folder}')\""
        )
    for name in (CONFIG, PARAMETERS, *PIECES, VOCABULARY):
        if not (folder / name).exists():
            raise RunError(
                f"{folder} is no folder of a Marian model: {name} is missing. It needs "
                f"{', '.join((CONFIG, PARAMETERS, *PIECES, VOCABULARY))}."
            )


def _tokenizer(folder: Path, marian: Marian) -> tuple[Tokenizer, Tensor]:
    """The tokenizer, and which of Marian's rows each token has; -1 for those Marian does not have."""
    numbers = _json(folder / VOCABULARY)
    names = {number: name for name, number in numbers.items()}
    if sorted(names) != list(range(marian.vocab_size)):
        raise RunError(
            f"{folder / VOCABULARY} must number its {len(numbers)} pieces from 0 to {marian.vocab_size - 1}, "
            f"as {CONFIG} says, but does not."
        )
    special = {BEGIN: marian.decoder_start_token_id, END: marian.eos_token_id}
    if not set(special.values()) <= set(names):
        raise RunError(f"{folder / CONFIG} names tokens that are not among the {marian.vocab_size}.")
    others = [number for number in range(marian.vocab_size) if number not in special.values()]
    listed = [names[number] for number in others]
    if "<unk>" not in listed:
        raise RunError(f"{folder / VOCABULARY} has no piece <unk>.")
    vocabularies = (
        SentencePieceVocabulary((folder / name).read_bytes(), listed, unknown="<unk>") for name in PIECES
    )
    first = [special.get(number, -1) for number in range(UNKNOWN + 1)]
    return Tokenizer(*vocabularies), torch.tensor(first + others)


def _tensors(path: Path) -> dict[str, Tensor]:
    try:
        tensors = load_file(path)
    except (SafetensorError, OSError) as error:
        raise RunError(f"{path} is not a whole safetensors file: {error}.") from error
    return {name: tensor.float() for name, tensor in tensors.items()}


def _parameters(tensors: Mapping[str, Tensor], marian: Marian, rows: Tensor) -> dict[str, Tensor]:
    """Marian's parameters under regard's names, their features and tokens in regard's order."""
    theirs = _Theirs(tensors, torch.arange(marian.d_model).unflatten(0, (2, -1)).T.flatten())
    known = (rows >= 0)[:, None]
    table = theirs.table()[rows.clamp(min=0)] * known
    scale = 1.0 if marian.scale_embedding else 1 / math.sqrt(marian.d_model)
    bias = theirs.of("final_logits_bias").flatten()[rows.clamp(min=0)].where(rows >= 0, torch.tensor(_NEVER))
    made = {"source_embedding.weight": table * scale, "output_bias": bias}
    if not marian.scale_embedding:
        made["untied_output"] = table
    for side, layers in (("encoder", marian.encoder_layers), ("decoder", marian.decoder_layers)):
        for layer in range(layers):
            ours, block = f"{side}.{layer}", f"model.{side}.layers.{layer}"
            made |= theirs.attention(f"{ours}.self", f"{block}.self_attn")
            made |= theirs.norm(f"{ours}.around_self", f"{block}.self_attn_layer_norm")
            if side == "decoder":
                made |= theirs.attention(f"{ours}.cross", f"{block}.encoder_attn")
                made |= theirs.norm(f"{ours}.around_cross", f"{block}.encoder_attn_layer_norm")
            made |= theirs.inner(f"{ours}.feed_forward.inner", [f"{block}.fc1"])
            made |= theirs.outer(f"{ours}.feed_forward.outer", f"{block}.fc2")
            made |= theirs.norm(f"{ours}.around_feed_forward", f"{block}.final_layer_norm")
    return made


@dataclasses.dataclass(frozen=True)
class _Theirs:
    """Marian's tensors; ``order`` says which of their features each of ours is."""

    tensors: Mapping[str, Tensor]
    order: Tensor

    def of(self, name: str) -> Tensor:
        if name not in self.tensors:
            raise RunError(f"{PARAMETERS} lacks the tensor {name}.")
        return self.tensors[name]

    def table(self) -> Tensor:
        """The embeddings, which may be kept under any of the names they are shared by."""
        names = ("model.shared.weight", "model.encoder.embed_tokens.weight", "lm_head.weight")
        return self.of(next((name for name in names if name in self.tensors), names[0]))[:, self.order]

    def attention(self, ours: str, name: str) -> dict[str, Tensor]:
        return {
            **self.inner(f"{ours}.projection", [f"{name}.{part}_proj" for part in "qkv"]),
            **self.outer(f"{ours}.output_projection", f"{name}.out_proj"),
        }

    def inner(self, ours: str, names: list[str]) -> dict[str, Tensor]:
        """Maps away from the features, one after the other."""
        return {
            f"{ours}.weight": torch.cat([self.of(f"{name}.weight") for name in names])[:, self.order],
            f"{ours}.bias": torch.cat([self.of(f"{name}.bias") for name in names]),
        }

    def outer(self, ours: str, name: str) -> dict[str, Tensor]:
        """A map back to the features."""
        return {f"{ours}.{part}": self.of(f"{name}.{part}")[self.order] for part in ("weight", "bias")}

    def norm(self, ours: str, name: str) -> dict[str, Tensor]:
        return self.outer(f"{ours}.norm", name)


def _languages(folder: Path) -> DataSettings:
    path = folder / "tokenizer_config.json"
    told = _json(path) if path.exists() else {}
    source, target = (str(told.get(name) or "") for name in ("source_lang", "target_lang"))
    return DataSettings(source_language=source, target_language=target)


def _card(folder: Path, marian: Marian, model: Transformer) -> str:
    count = sum(parameter.numel() for parameter in model.parameters())
    return "\n".join(
        (
            f"# {folder.name}: a Marian model, imported by regard",
            "",
            "| | |",
            "| --- | --- |",
            f"| model | transformer, {count:,} parameters, width {marian.d_model}, "
            f"{marian.encoder_layers} and {marian.decoder_layers} layers |",
            f"| tokens | sentencepiece, {marian.vocab_size:,} |",
            "",
            "It was not trained here: what it learned from, and its licence, are told where it comes from.",
            "",
        )
    )


def _json(path: Path) -> dict[str, Any]:
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise RunError(f"{path} is larger than {LARGEST_FILE >> 20} MiB.")
        content = json.loads(path.read_bytes().decode("utf-8"))
    except OSError as error:
        raise RunError(f"{path} cannot be read: {error.strerror}.") from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{path} is not JSON in UTF-8.") from None
    if not isinstance(content, dict):
        raise RunError(f"{path} must hold a JSON object.")
    return content
