"""Linear layers whose matrices are laid out once, the way the processor likes to read them.

A matrix that is multiplied with a few vectors at every written token is read far more slowly as it
lies than packed into blocks: 10,000 × 256 against five vectors takes torch's own product 1.7 ms, and
packed 0.2 ms. Inside :func:`laid_out` each matrix is packed at its first use; what was packed is kept
for as long as the model lives and its parameters stay as they are. Packing is oneDNN's, whose
operators in torch are private, so they are tried once; where they are missing nothing is packed.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

LEAST = 2**17
"""Numbers of a matrix that is worth packing: a packed product takes 16 µs before it begins."""
SAMPLES = 64
"""Numbers of a matrix that are compared to see that it is still the same."""
USUAL_ROWS = 64
"""Vectors that a layout is made for; others are welcome."""


class _Packed(NamedTuple):
    """A matrix as oneDNN reads it, and what tells whether it is still the same."""

    weight: Tensor
    version: int
    place: int
    sample: Tensor
    packed: Tensor


class Layouts:
    """The packed matrices of one model."""

    def __init__(self) -> None:
        self._packed: dict[tuple[int, int, int], _Packed] = {}

    def forget_the_changed(self) -> None:
        """Drop what was packed of matrices that have been learned, loaded or moved since."""
        for key, (weight, version, place, sample, _) in list(self._packed.items()):
            same = weight._version == version and weight.data_ptr() == place
            if not same or not torch.equal(_sample(weight), sample):
                del self._packed[key]

    def of(self, weight: Tensor, first: int, last: int) -> Tensor:
        """These rows of a matrix, packed."""
        found = self._packed.get((id(weight), first, last))
        if found is None:
            packed = torch.ops.mkldnn._reorder_linear_weight(
                weight.detach()[first:last].contiguous(), USUAL_ROWS
            )
            found = _Packed(weight, weight._version, weight.data_ptr(), _sample(weight), packed)
            self._packed[id(weight), first, last] = found
        return found.packed


_kept: "WeakKeyDictionary[nn.Module, Layouts]" = WeakKeyDictionary()
_now: ContextVar[Layouts | None] = ContextVar("layouts", default=None)


@contextmanager
def laid_out(model: nn.Module) -> Iterator[None]:
    """Inside, linear layers of this model may be read from packed matrices; no gradients are wanted."""
    layouts = _kept.setdefault(model, Layouts()) if available() else None
    if layouts is not None:
        layouts.forget_the_changed()
    token = _now.set(layouts)
    try:
        yield
    finally:
        _now.reset(token)


def linear(
    vectors: Float[Tensor, "*batch width"],
    weight: Float[Tensor, "out width"],
    bias: Float[Tensor, " out"] | None = None,
    rows: tuple[int, int] | None = None,
) -> Float[Tensor, "*batch rows"]:
    """``F.linear`` by these rows of a matrix, or all.

    >>> linear(torch.ones(3), torch.ones(5, 3), rows=(1, 3))
    tensor([3., 3.])
    """
    layouts = None if torch.compiler.is_compiling() else _now.get()
    first, last = (0, weight.shape[0]) if rows is None else rows
    if rows is not None and bias is not None:
        bias = bias[first:last]
    if layouts is None or (last - first) * weight.shape[1] < LEAST or not _packable(vectors, weight):
        return F.linear(vectors, weight if rows is None else weight[first:last], bias)
    packed = layouts.of(weight, first, last)
    return torch.ops.mkldnn._linear_pointwise(vectors, packed, bias, "none", [], "")


def through(layer: nn.Module, vectors: Float[Tensor, "*batch width"]) -> Float[Tensor, "*batch out"]:
    """What a layer makes of vectors: by its packed matrix, where that is allowed and nobody listens to it."""
    if torch.compiler.is_compiling() or _now.get() is None:
        return layer(vectors)
    if type(layer) is not nn.Linear or layer._forward_hooks or layer._forward_pre_hooks:
        return layer(vectors)
    return linear(vectors, layer.weight, layer.bias)


def _packable(vectors: Tensor, weight: Tensor) -> bool:
    return (
        weight.dtype is torch.float32
        and vectors.dtype is torch.float32
        and weight.device.type == "cpu"
        and vectors.numel() > 0
        and not torch.is_grad_enabled()
        and isinstance(weight, nn.Parameter)
        and not weight.is_inference()  # such a tensor does not tell when it has changed
    )


def _sample(weight: Tensor) -> Tensor:
    flat = weight.detach().flatten()
    return flat[:: max(flat.numel() // SAMPLES, 1)].clone()


@functools.cache
def available() -> bool:
    """Whether oneDNN packs, and multiplies as torch does."""
    if not torch.backends.mkldnn.is_available():
        return False
    matrix, vectors, bias = torch.arange(15.0).view(5, 3), torch.arange(6.0).view(2, 3), torch.ones(5)
    try:
        with torch.no_grad():
            packed = torch.ops.mkldnn._reorder_linear_weight(matrix, 2)
            found = torch.ops.mkldnn._linear_pointwise(vectors, packed, bias, "none", [], "")
    except (AttributeError, RuntimeError, TypeError, NotImplementedError):
        return False
    return torch.allclose(found, F.linear(vectors, matrix, bias))
