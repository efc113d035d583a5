"""regard: attention you can build with, train and see.

>>> import torch, regard
>>> regard.attend(torch.zeros(2, 3, 5)).shape
torch.Size([2, 3, 5])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from regard import errors
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard import models, text, viewing
    from regard.attention import (
        Attention,
        Explanation,
        Intervention,
        KnockOut,
        MaskKeys,
        Memory,
        MultiHeadAttention,
        Record,
        ReplaceWeights,
        Seen,
        Temperature,
        attend,
        explain,
        intervene,
        masked_softmax,
        masks,
        positions,
        scores,
        watch,
        weigh,
    )
    from regard.runs import Translator, train

__version__ = "0.1.0"

__all__ = [
    "Attention",
    "Explanation",
    "Intervention",
    "KnockOut",
    "MaskKeys",
    "Memory",
    "MultiHeadAttention",
    "Record",
    "RegardError",
    "ReplaceWeights",
    "Seen",
    "Temperature",
    "Translator",
    "attend",
    "errors",
    "explain",
    "intervene",
    "masked_softmax",
    "masks",
    "models",
    "positions",
    "scores",
    "text",
    "train",
    "viewing",
    "watch",
    "weigh",
]

# Loaded when first named, so that `import regard` costs little and `regard --help` does not wait for torch.
_PARTS = ("attention", "models", "text", "viewing")
_OF_RUNS = ("Translator", "train")


def __getattr__(name: str) -> object:
    if name in _PARTS:
        return import_module(f"regard.{name}")
    if name not in __all__:
        raise AttributeError(f"module 'regard' has no attribute {name!r}")
    found = getattr(import_module("regard.runs" if name in _OF_RUNS else "regard.attention"), name)
    globals()[name] = found  # found at once from now on
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
