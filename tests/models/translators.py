"""Every translator that the laws run over, and sentences for them.

Adding a translator to EVERY_TRANSLATOR is all the testing it needs to begin with.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer, TranslationModel
from regard.models.positioning import POSITIONS

BATCH, SOURCE, TARGET, VOCABULARY = 3, 5, 7, 13
WIDTH, HEADS, LAYERS, HIDDEN = 12, 2, 2, 17
LENGTHS = torch.tensor([4, 5, 2])
PRECISE = {torch.float32: 1e-5, torch.float64: 1e-10}


@dataclass(frozen=True)
class Kind:
    """A translator and the settings that make it this one."""

    name: str
    model: Callable[..., TranslationModel[Any]]
    settings: dict[str, Any]

    def __str__(self) -> str:
        return self.name

    def make(self, dtype: torch.dtype = torch.float64, **more: Any) -> TranslationModel[Any]:
        """The translator, with no parameter at zero or one where its part would go unheard."""
        made = self.model(vocabulary=VOCABULARY, width=WIDTH, **{**self.settings, **more})
        with torch.no_grad():
            for parameter in made.parameters():
                parameter.add_(torch.randn_like(parameter), alpha=0.2)
        return made.to(dtype)


TRANSFORMERS = [
    Kind(
        f"Transformer {positions} {norm}{' shared keys' if key_heads == 1 else ''}",
        Transformer,
        {
            "heads": HEADS,
            "layers": LAYERS,
            "hidden_width": HIDDEN,
            "positions": positions,
            "norm": norm,
            "key_heads": key_heads,
            "reach": 2,
        },
    )
    for positions, norm, key_heads in itertools.product(POSITIONS, ("post", "pre"), (HEADS, 1))
]
RECURRENT = [
    Kind(
        f"Recurrent {score}{' both ways' if both_ways else ''}{f' {layers} layers' if layers > 1 else ''}",
        RecurrentTranslator,
        {"score": score, "both_ways": both_ways, "layers": layers},
    )
    for score, both_ways, layers in [
        *itertools.product(("additive", "dot", "bilinear"), (False, True), (1,)),
        ("additive", True, 2),
    ]
]
RECURRENT.append(Kind("Recurrent normalised", RecurrentTranslator, {"normalised": True, "layers": LAYERS}))
CONVOLUTIONAL = [
    Kind(
        f"Convolutional {positions} kernel {kernel}",
        ConvolutionalTranslator,
        {"layers": LAYERS, "positions": positions, "kernel": kernel},
    )
    for positions, kernel in [("sinusoidal", 3), ("learned", 5), ("none", 1)]
]
CONVOLUTIONAL.append(
    Kind("Convolutional normalised", ConvolutionalTranslator, {"normalised": True, "layers": LAYERS})
)
UNUSUAL = [
    Kind(
        f"Transformer {', '.join(f'{name} {value}' for name, value in settings.items())}",
        Transformer,
        {"heads": HEADS, "layers": LAYERS, "hidden_width": HIDDEN, **settings},
    )
    for settings in (
        {"activation": "gelu", "decoder_layers": 1},
        {"activation": "swish", "tie_output": False},
        {"activation": "gated", "share_embeddings": False},
        {"target_vocabulary": 17},
    )
]
EVERY_TRANSLATOR = TRANSFORMERS + RECURRENT + CONVOLUTIONAL + UNUSUAL

every_translator = pytest.mark.parametrize("kind", EVERY_TRANSLATOR, ids=str)
either_precision = pytest.mark.parametrize("dtype", PRECISE, ids=("float32", "float64"))


def some_sources(count: int = SOURCE) -> Tensor:
    """Source tokens, whatever they mean; also where a sentence has ended."""
    return torch.randint(VOCABULARY, (BATCH, count))


def some_targets(count: int = TARGET) -> Tensor:
    """Target tokens."""
    return torch.randint(VOCABULARY, (BATCH, count))


def in_steps(
    model: TranslationModel[Any], target: Tensor, state: Any, sizes: tuple[int, ...] | None = None
) -> tuple[Tensor, Any]:
    """The logits of steps of these sizes (one token each, unless given), and the state after them."""
    logits = []
    for tokens in target.split(list(sizes or (1,) * target.shape[1]), dim=1):
        some, state = model.step(tokens, state)
        logits.append(some)
    return torch.cat(logits, dim=1), state


def normed(norm: nn.Module, vectors: Tensor) -> Tensor:
    """Vectors brought to one size, where there is something that does."""
    if not isinstance(norm, nn.LayerNorm):
        return vectors
    return F.layer_norm(vectors, vectors.shape[-1:], norm.weight, norm.bias)


def assert_same(found: Tensor, expected: Tensor) -> None:
    """Equal to what its precision allows."""
    precise = PRECISE[found.dtype]
    torch.testing.assert_close(found, expected, rtol=precise, atol=precise)


def attentions(model: nn.Module) -> list[str]:
    """What the attentions of a translator are called."""
    if isinstance(model, RecurrentTranslator):
        return ["decoder.cross"]
    layers = range(len(model.decoder))  # type: ignore[arg-type]
    cross = [f"decoder.{layer}.cross" for layer in layers]
    if isinstance(model, ConvolutionalTranslator):
        return cross
    return [
        *(f"encoder.{layer}.self" for layer in range(LAYERS)),
        *(name for layer in layers for name in (f"decoder.{layer}.self", f"decoder.{layer}.cross")),
    ]
