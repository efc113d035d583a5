"""Linear layers read the way the processor likes to.

A large matrix that is multiplied with a few vectors at every written token is read far more slowly as
it lies than packed into blocks: 10,000 × 256 against five vectors takes torch's own product 1.0 to
1.7 ms, and packed 0.2 to 0.6 ms. Inside :func:`laid_out` it is packed at its first use; what was packed
is kept for as long as the model lives and its parameters stay as they are. Packing is oneDNN's, whose
operators in torch are private, so they are tried once; where they are missing nothing is packed.
Smaller matrices are read as they lie, and a few dozen vectors beside each other, as columns: three
quarters of the time.

With ``quantization="int8"`` a matrix is packed as whole numbers from -127 to 127, each row with a scale
of its own: a third to a half of the time, and products that are off by about one part in
a hundred. The vectors are rounded likewise, each by its own greatest number, so that what becomes
of a sentence does not depend on those it is translated with.
"""

import functools
import platform
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeGuard
from weakref import WeakKeyDictionary

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

LARGE = 2**19
"""Numbers of a matrix that is worth packing: a packed product takes 16 to 40 µs before it begins."""
LEAST = 2**17
"""Numbers of a matrix that is worth rounding."""
FEWEST_COLUMNS, MOST_COLUMNS = 12, 47
"""Vectors that are multiplied sooner as columns than as rows."""
LEAST_FOR_COLUMNS = 2**15
"""Numbers of a matrix for which that is worth turning them."""
SAMPLES = 64
"""Numbers of a matrix that are compared to see that it is still the same."""
USUAL_ROWS = 64
"""Vectors that a layout is made for; others are welcome."""
GREATEST = 127
"""The whole number that the greatest of a row becomes."""
TINY = 1e-30
"""What a vector of zeros is divided by."""


class Imprint(NamedTuple):
    """What tells whether a tensor is still as it was: its version, its place, and some of its numbers.

    >>> weight = torch.ones(5, 3)
    >>> imprint = Imprint.of(weight)
    >>> imprint.is_of(weight), imprint.is_of(weight.clone()), imprint.is_of(weight.zero_())
    (True, False, False)
    """

    tensor: Tensor
    version: int
    place: int
    sample: Tensor

    @classmethod
    def of(cls, tensor: Tensor) -> "Imprint":
        """Of a tensor as it is now."""
        return cls(tensor, tensor._version, tensor.data_ptr(), _sample(tensor))

    def is_of(self, tensor: Tensor) -> bool:
        """Whether this is the tensor, and neither learned, loaded nor moved since."""
        same = tensor is self.tensor and tensor._version == self.version and tensor.data_ptr() == self.place
        return same and torch.equal(_sample(tensor), self.sample)


class _Packed(NamedTuple):
    """A matrix as it is multiplied with, and what it was made of."""

    imprint: Imprint
    packed: Any


class Layouts(ABC):
    """The packed matrices of one model."""

    def __init__(self) -> None:
        self._packed: dict[tuple[int, int, int], _Packed] = {}

    @abstractmethod
    def pack(self, matrix: Tensor) -> Any:
        """A matrix the way it will be multiplied with."""

    @abstractmethod
    def is_worth_it(self, numbers: int) -> bool:
        """Whether a matrix of so many numbers should be packed: for few vectors as for many."""

    @abstractmethod
    def multiply(
        self, vectors: Tensor, packed: Any, bias: Tensor | None, *, rectified: bool = False
    ) -> Tensor:
        """``F.linear`` by a packed matrix; rectified, ``F.relu`` of it."""

    def forget_the_changed(self) -> None:
        """Drop what was packed of matrices that have been learned, loaded or moved since."""
        for key, (imprint, _) in list(self._packed.items()):
            if not imprint.is_of(imprint.tensor):
                del self._packed[key]

    def of(self, weight: Tensor, first: int, last: int) -> Any:
        """These rows of a matrix, packed."""
        found = self._packed.get((id(weight), first, last))
        if found is None:
            packed = self.pack(weight.detach()[first:last].contiguous())
            found = _Packed(Imprint.of(weight), packed)
            self._packed[id(weight), first, last] = found
        return found.packed


class Blocks(Layouts):
    """The same numbers in another order, as oneDNN reads them."""

    def pack(self, matrix: Tensor) -> Tensor:
        """A matrix in blocks."""
        return torch.ops.mkldnn._reorder_linear_weight(matrix, USUAL_ROWS)

    def is_worth_it(self, numbers: int) -> bool:
        """Where reading the matrix is what takes the time."""
        return numbers >= LARGE

    def multiply(
        self, vectors: Tensor, packed: Tensor, bias: Tensor | None, *, rectified: bool = False
    ) -> Tensor:
        """The product to the last few bits."""
        then = "relu" if rectified else "none"
        return torch.ops.mkldnn._linear_pointwise.default(vectors, packed, bias, then, [], "")


class EightBits(Layouts):
    """Numbers rounded to eight bits, as oneDNN multiplies them."""

    def pack(self, matrix: Tensor) -> "_Rounded":
        """A matrix of whole numbers, and a scale for each of its rows."""
        scales = (matrix.abs().amax(dim=1) / GREATEST).clamp(min=TINY)
        rounded = (matrix / scales[:, None]).round_().to(torch.int8)
        packed = torch.ops.onednn.qlinear_prepack(rounded, [USUAL_ROWS, matrix.shape[1]])
        return _Rounded(packed, scales, torch.zeros(len(matrix), dtype=torch.int64))

    def is_worth_it(self, numbers: int) -> bool:
        """Sooner, since there is less to be read of it."""
        return numbers >= LEAST

    def multiply(
        self, vectors: Tensor, packed: "_Rounded", bias: Tensor | None, *, rectified: bool = False
    ) -> Tensor:
        """The product of rounded numbers."""
        product = _rounded_product(vectors, packed, bias, _steps())
        return product.relu_() if rectified else product


class _Rounded(NamedTuple):
    """A matrix is ``scales`` times its whole numbers, row by row."""

    packed: Tensor
    scales: Tensor
    zeros: Tensor


def _rounded_product(vectors: Tensor, matrix: _Rounded, bias: Tensor | None, steps: int) -> Tensor:
    """Of vectors that are rounded to so many steps between zero and the greatest number of each."""
    scales = vectors.abs().amax(dim=-1, keepdim=True).clamp_(min=TINY) / steps
    # Numbers without a sign, as the processor wants them: zero is said to be steps + 1.
    whole = (vectors / scales).add_(steps + 1.5).to(torch.uint8)
    product = torch.ops.onednn.qlinear_pointwise(
        whole,
        1.0,
        steps + 1,
        matrix.packed,
        matrix.scales,
        matrix.zeros,
        None,
        1.0,
        0,
        torch.float32,
        "none",
        [],
        "",
    )
    return product.mul_(scales) if bias is None else torch.addcmul(bias, product, scales)


_KINDS: dict[str | None, type[Layouts]] = {None: Blocks, "int8": EightBits}
QUANTIZATIONS = ("int8",)
"""What numbers may be rounded to."""
_kept: "WeakKeyDictionary[nn.Module, dict[str | None, Layouts]]" = WeakKeyDictionary()
_now: ContextVar[Layouts | None] = ContextVar("layouts", default=None)


@contextmanager
def laid_out(model: nn.Module, quantization: str | None = None) -> Iterator[None]:
    """Inside, linear layers of this model may be read from packed matrices; no gradients are wanted.

    ``quantization="int8"`` rounds their numbers, where that can be done here.
    """
    if quantization is not None and not quantizable():
        quantization = None
    layouts = None
    if quantization is not None or available():
        kept = _kept.setdefault(model, {})
        layouts = kept.setdefault(quantization, _KINDS[quantization]())
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
    *,
    rectified: bool = False,
) -> Float[Tensor, "*batch rows"]:
    """``F.linear`` by these rows of a matrix, or all; rectified, ``F.relu`` of it.

    >>> linear(torch.ones(3), torch.ones(5, 3), rows=(1, 3))
    tensor([3., 3.])
    """
    layouts = None if torch.compiler.is_compiling() else _now.get()
    first, last = (0, weight.shape[0]) if rows is None else rows
    if rows is not None and bias is not None:
        bias = bias[first:last]
    if layouts is not None and _packable(vectors, weight):
        if layouts.is_worth_it((last - first) * weight.shape[1]):
            return layouts.multiply(vectors, layouts.of(weight, first, last), bias, rectified=rectified)
        return _as_it_lies(vectors, weight.detach()[first:last], bias, rectified=rectified)
    product = F.linear(vectors, weight if rows is None else weight[first:last], bias)
    return F.relu(product) if rectified else product


def _as_it_lies(vectors: Tensor, matrix: Tensor, bias: Tensor | None, *, rectified: bool) -> Tensor:
    """The product of a matrix that is not packed, where no gradients are wanted."""
    width = matrix.shape[1]
    few_or_many = not FEWEST_COLUMNS <= vectors.numel() // width <= MOST_COLUMNS
    if few_or_many or matrix.numel() < LEAST_FOR_COLUMNS:
        product = F.linear(vectors, matrix, bias)
        return product.relu_() if rectified else product
    product = torch.mm(matrix, vectors.reshape(-1, width).t().contiguous())
    if bias is not None:
        product.add_(bias.unsqueeze(1))
    if rectified:
        product.relu_()
    return product.t().view(*vectors.shape[:-1], len(matrix))


def multiplier(weight: Float[Tensor, "out width"]) -> Callable[[Tensor], Tensor]:
    """``F.linear`` by a matrix that is no parameter and will be used for a while: packed at once.

    >>> multiplier(torch.ones(5, 3))(torch.ones(3))
    tensor([3., 3., 3., 3., 3.])
    """
    layouts = _now.get()
    if layouts is None or not _suits(weight) or torch.is_grad_enabled():
        return lambda vectors: F.linear(vectors, weight)
    weight = weight.contiguous()
    if not layouts.is_worth_it(weight.numel()):
        return lambda vectors: _as_it_lies(vectors, weight, None, rectified=False)
    packed = layouts.pack(weight)
    return lambda vectors: layouts.multiply(vectors, packed, None)


def through(
    layer: nn.Module, vectors: Float[Tensor, "*batch width"], *, rectified: bool = False
) -> Float[Tensor, "*batch out"]:
    """What a layer makes of vectors: by its packed matrix, where that is allowed and nobody listens to it."""
    if torch.compiler.is_compiling() or _now.get() is None or not _is_plain(layer):
        product = layer(vectors)
        return F.relu(product) if rectified else product
    return linear(vectors, layer.weight, layer.bias, rectified=rectified)


def prepared(
    layer: nn.Linear, rows: tuple[int, int] | None = None, *, rectified: bool = False
) -> Callable[[Tensor], Tensor]:
    """:func:`through` a layer, or these rows of it, of which vectors will be asked again and again.

    What need not be chosen each time is chosen now: so it is for one way of laying out, for parameters
    that stay as they are, for vectors of their precision and no gradients.

    >>> prepared(nn.Linear(3, 5), (1, 3))(torch.ones(2, 3)).shape
    torch.Size([2, 2])
    """
    layouts = _now.get()
    if (
        layouts is None
        or not _is_plain(layer)
        or not _lasting(layer.weight)
        or torch.is_autocast_enabled("cpu")
    ):
        if rows is None:
            return functools.partial(through, layer, rectified=rectified)
        return functools.partial(linear, weight=layer.weight, bias=layer.bias, rows=rows, rectified=rectified)
    first, last = (0, layer.weight.shape[0]) if rows is None else rows
    matrix = layer.weight.detach()[first:last]
    bias = None if layer.bias is None else layer.bias.detach()[first:last]
    if not layouts.is_worth_it(matrix.numel()):
        return functools.partial(_as_it_lies, matrix=matrix, bias=bias, rectified=rectified)
    packed = layouts.of(layer.weight, first, last)
    return functools.partial(layouts.multiply, packed=packed, bias=bias, rectified=rectified)


def _is_plain(layer: nn.Module) -> TypeGuard[nn.Linear]:
    """Whether a layer does no more than multiply, and nobody listens to it."""
    return type(layer) is nn.Linear and not layer._forward_hooks and not layer._forward_pre_hooks


def _packable(vectors: Tensor, weight: Tensor) -> bool:
    return (
        vectors.dtype is torch.float32
        and vectors.numel() > 0
        and not torch.is_grad_enabled()
        and _lasting(weight)
    )


def _lasting(weight: Tensor) -> bool:
    """Whether what is packed of a matrix may be kept."""
    # A tensor made for inference does not tell when it has changed.
    return _suits(weight) and isinstance(weight, nn.Parameter) and not weight.is_inference()


def _suits(weight: Tensor) -> bool:
    return weight.dtype is torch.float32 and weight.device.type == "cpu"


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


def quantizable() -> bool:
    """Whether torch multiplies numbers of eight bits here."""
    return _steps() > 0


@functools.cache
def _steps() -> int:
    """How many steps there may be between zero and the greatest number of a vector; none if no product is.

    Processors without an instruction for it add two products of eight bits in sixteen, which is too few
    for the greatest: there vectors have seven bits. So the greatest are tried.
    """
    if not torch.backends.mkldnn.is_available() or platform.machine().lower() not in ("x86_64", "amd64"):
        return 0  # without an instruction made for it the product may be a hundred times slower
    ones = torch.ones(2, 8)
    for steps in (GREATEST, GREATEST // 2):
        try:
            with torch.no_grad():
                found = _rounded_product(ones, EightBits().pack(ones), None, steps)
        except (AttributeError, RuntimeError, TypeError, NotImplementedError):
            return 0
        if torch.allclose(found, F.linear(ones, ones)):
            return steps
    return 0
