"""regard: attention you can build with, train and see.

>>> import torch, regard
>>> regard.attend(torch.zeros(2, 3, 5)).shape
torch.Size([2, 3, 5])
"""

from importlib import import_module
from typing import TYPE_CHECKING

from regard import errors
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
from regard.errors import RegardError

if TYPE_CHECKING:
    from regard import viewing

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
    "attend",
    "errors",
    "explain",
    "intervene",
    "masked_softmax",
    "masks",
    "positions",
    "scores",
    "viewing",
    "watch",
    "weigh",
]

# Loaded when first named, so that `import regard` costs little more than `import torch`.
_LATER = {"viewing": "regard.viewing"}


def __getattr__(name: str) -> object:
    if name in _LATER:
        return import_module(_LATER[name])
    raise AttributeError(f"module 'regard' has no attribute {name!r}")
