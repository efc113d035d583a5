"""Products of two matrices, by whichever of torch's libraries is the sooner.

Numbers of 32 bits torch multiplies on a CPU by MKL. On processors that Intel did not make that is half as
fast as they can: a core of AMD's Zen 5 comes to 120 billion operations a second by it, and to 270 by
oneDNN. So there products of any size are oneDNN's: with gradients, which are products themselves, and
without. Elsewhere, for other numbers, and wherever something of torch's stands between (autocast, a
compiler, a transform), they stay torch's own. oneDNN's operator in torch is private, so it is tried once.
"""

import functools
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor
from torch.autograd import forward_ad

from regard.attention.processor import slows_mkl

FEWEST = 2**19
"""Multiplications of a product that is worth handing over: it takes 10 µs before it begins."""
FEWEST_LEARNING = 2**21
"""The same, where gradients are wanted, which go through Python."""


def times(
    vectors: Float[Tensor, "*batch width"],
    matrix: Float[Tensor, "out width"],
    bias: Float[Tensor, " out"] | None = None,
) -> Float[Tensor, "*batch out"]:
    """``F.linear``, with gradients where they are wanted.

    >>> times(torch.ones(2, 3), torch.ones(5, 3)).shape
    torch.Size([2, 5])
    """
    if not _is_sooner(vectors, matrix, len(matrix), bias):
        return F.linear(vectors, matrix, bias)
    if torch.is_grad_enabled() and any(
        one is not None and one.requires_grad for one in (vectors, matrix, bias)
    ):
        product: Tensor = _Product.apply(vectors, matrix, bias)
        return product
    return _by_onednn(vectors, matrix, bias)


def product(
    left: Float[Tensor, "rows width"],
    right: Float[Tensor, "width columns"],
    place: Float[Tensor, "rows columns"],
    *,
    added: bool = False,
    elsewhere: bool = False,
) -> Float[Tensor, "rows columns"]:
    """``torch.mm`` into a place, which may be of higher precision, or added to what is there; no gradients.

    ``elsewhere`` says that the answer need not stand in the place, if it is sooner had by itself.

    >>> product(torch.ones(2, 3), torch.ones(3, 5), torch.ones(2, 5), added=True)[0]
    tensor([4., 4., 4., 4., 4.])
    """
    if left.dtype != place.dtype:
        found = left @ right
    elif _is_sooner(left, right, right.shape[1], None):
        found = _copying_the_smaller(left, right)
        if elsewhere and not added:
            return found
    else:
        return place.addmm_(left, right) if added else torch.mm(left, right, out=place)
    return place.add_(found) if added else place.copy_(found)


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, vectors: Tensor, matrix: Tensor, bias: Tensor | None) -> Tensor:
        context.save_for_backward(vectors, matrix)
        return _by_onednn(vectors, matrix, bias)

    @staticmethod
    def backward(context: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        vectors, matrix = context.saved_tensors
        (gradient,) = gradients
        rows = gradient.flatten(0, -2)
        of_vectors = times(gradient, matrix.mT) if context.needs_input_grad[0] else None
        heard = vectors.flatten(0, -2)
        of_matrix = _copying_the_smaller(rows.mT, heard) if context.needs_input_grad[1] else None
        of_bias = rows.sum(0) if context.needs_input_grad[2] else None
        return of_vectors, of_matrix, of_bias


def _by_onednn(vectors: Tensor, matrix: Tensor, bias: Tensor | None) -> Tensor:
    found: Tensor = torch.ops.mkldnn._linear_pointwise.default(vectors, matrix, bias, "none", [], "")
    return found


def _copying_the_smaller(left: Tensor, right: Tensor) -> Tensor:
    """``left @ right``. oneDNN takes its matrix as it lies, but copies vectors that do not lie row by row."""
    if left.is_contiguous() or left.numel() <= right.numel():
        return times(left, right.mT)
    return times(right.mT, left).mT


def _is_sooner(left: Tensor, right: Tensor, columns: int, bias: Tensor | None) -> bool:
    """Whether oneDNN is to multiply these."""
    if torch.compiler.is_compiling() or not hands_over():
        return False
    learning = torch.is_grad_enabled() and (left.requires_grad or right.requires_grad)
    return (
        left.numel() * columns >= (FEWEST_LEARNING if learning else FEWEST)
        and all(one is None or _is_plain(one) for one in (left, right, bias))
        and left.dim() > 1
        and not torch.is_autocast_enabled("cpu")
        and not torch._C._are_functorch_transforms_active()
        and forward_ad._current_level < 0
    )


def _is_plain(tensor: Tensor) -> bool:
    return (
        type(tensor) in (Tensor, torch.nn.Parameter)
        and tensor.dtype is torch.float32
        and tensor.device.type == "cpu"
    )


@functools.cache
def hands_over() -> bool:
    """Whether products are oneDNN's here: it is the sooner, and multiplies as torch does."""
    if not slows_mkl() or not torch.backends.mkldnn.is_available():
        return False
    left, right, bias = torch.arange(6.0).view(2, 3), torch.arange(15.0).view(3, 5), torch.ones(5)
    try:
        with torch.no_grad():
            found = _by_onednn(left, right.mT, bias)
            # Attributes that are asked for at every product, and are private, too.
            torch._C._are_functorch_transforms_active(), forward_ad._current_level
    except (AttributeError, RuntimeError, TypeError, NotImplementedError):
        return False
    return torch.allclose(found, left @ right + bias)
