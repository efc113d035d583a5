"""Linear layers read the way the processor likes to.

A matrix that is multiplied with vectors at every written token is read more slowly as it lies than laid
out for that: 10,000 × 256 against five vectors takes torch's own product 1.0 to 1.7 ms. Inside
:func:`laid_out` it is laid out at its first use; what was laid out is kept for as long as the model lives
and its parameters stay as they are. Where torch multiplies by MKL, a matrix is turned: what it takes in
lies in rows, so that a product walks through it from beginning to end, for one vector as for hundreds.
Where MKL is slow, or absent, oneDNN packs it into blocks. Its operators in torch are private, so they are
tried once; where they are missing matrices are read as they lie.

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

from regard.attention.processor import slows_mkl
from regard.attention.products import hands_over, times

LARGE = 2**19
"""Numbers of a matrix that is worth packing for one vector: a packed product has 16 to 40 µs of its own."""
STRIP = 400
"""Columns of a large matrix that are multiplied together: twice as many stay in the cache no longer."""
LARGE_FOR_SEVERAL = 2**15
"""Numbers of a matrix that is worth packing for several, where MKL is slow."""
LEAST = 2**17
"""Numbers of a matrix that is worth rounding."""
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
    some: Tensor
    """Numbers of the tensor where they lie."""
    sample: Tensor
    """The same as they were."""

    @classmethod
    def of(cls, tensor: Tensor) -> "Imprint":
        """Of a tensor as it is now."""
        some = tensor.detach()
        if some.is_contiguous():
            some = some.view(-1)[:: max(some.numel() // SAMPLES, 1)]
        return cls(tensor, tensor._version, tensor.data_ptr(), some, some.clone())

    def is_of(self, tensor: Tensor) -> bool:
        """Whether this is the tensor, and neither learned, loaded nor moved since."""
        same = tensor is self.tensor and tensor._version == self.version and tensor.data_ptr() == self.place
        return same and torch.equal(self.some, self.sample)


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
    def is_worth_it(self, numbers: int, vectors: int) -> bool:
        """Whether a matrix of so many numbers should be packed, to be multiplied with so many vectors."""

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


class Turned(Layouts):
    """A matrix whose columns lie where its rows were; a large one in strips of some hundred columns."""

    def pack(self, matrix: Tensor) -> "_Strips | Tensor":
        """A copy that is turned."""
        turned = matrix.t()
        if matrix.numel() < LARGE or len(matrix) < 2 * STRIP:
            return turned.contiguous()
        inside = len(matrix) // STRIP * STRIP
        strips = turned[:, :inside].unflatten(1, (-1, STRIP)).movedim(1, 0).contiguous()
        return _Strips(strips, turned[:, inside:].contiguous())

    def is_worth_it(self, numbers: int, vectors: int) -> bool:
        """Always: turned, even a small matrix is multiplied sooner."""
        return True

    def multiply(
        self, vectors: Tensor, packed: "_Strips | Tensor", bias: Tensor | None, *, rectified: bool = False
    ) -> Tensor:
        """The product to the last few bits."""
        rows = vectors if vectors.dim() == 2 else vectors.reshape(-1, packed.shape[-2])
        if isinstance(packed, _Strips):
            product = packed.product(rows)
            if bias is not None:
                product.add_(bias)
        else:
            product = torch.mm(rows, packed) if bias is None else torch.addmm(bias, rows, packed)
        if rectified:
            product.relu_()
        return product if vectors.dim() == 2 else product.view(*vectors.shape[:-1], product.shape[1])


class _Strips(NamedTuple):
    """A large matrix, turned, a strip of columns after the other, and the columns that are left."""

    strips: Float[Tensor, "count width strip"]
    rest: Float[Tensor, "width left"]

    @property
    def shape(self) -> torch.Size:
        """As of what is left."""
        return self.rest.shape

    def product(self, rows: Float[Tensor, "rows width"]) -> Float[Tensor, "rows out"]:
        """Each strip's product stands where its columns stood."""
        count, _, strip = self.strips.shape
        inside = count * strip
        product = rows.new_empty(len(rows), inside + self.rest.shape[1])
        of_strips = product[:, :inside].unflatten(1, (count, strip)).transpose(0, 1)
        torch.bmm(rows.expand(count, -1, -1), self.strips, out=of_strips)
        if self.rest.shape[1]:
            torch.mm(rows, self.rest, out=product[:, inside:])
        return product


class Blocks(Layouts):
    """The same numbers in another order, as oneDNN reads them."""

    def pack(self, matrix: Tensor) -> Tensor:
        """A matrix in blocks."""
        return torch.ops.mkldnn._reorder_linear_weight(matrix, USUAL_ROWS)

    def is_worth_it(self, numbers: int, vectors: int) -> bool:
        """Where reading the matrix is what takes the time, or MKL does."""
        return numbers >= (LARGE_FOR_SEVERAL if vectors > 1 and slows_mkl() else LARGE)

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

    def is_worth_it(self, numbers: int, vectors: int) -> bool:
        """Sooner, since there is less to be read of it; for one vector as for many, which agree."""
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
    kind = whole() if quantization is None else EightBits
    layouts = None
    if kind is not None:
        kept = _kept.setdefault(model, {})
        layouts = kept.setdefault(quantization, kind())
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
    if layouts is not None and _may_be_laid_out(vectors, weight):
        if layouts.is_worth_it((last - first) * weight.shape[1], vectors.numel() // weight.shape[1]):
            return layouts.multiply(vectors, layouts.of(weight, first, last), bias, rectified=rectified)
        return _as_it_lies(vectors, weight.detach()[first:last], bias, rectified=rectified)
    product = times(vectors, weight if rows is None else weight[first:last], bias)
    return F.relu(product) if rectified else product


def _as_it_lies(vectors: Tensor, matrix: Tensor, bias: Tensor | None, *, rectified: bool) -> Tensor:
    """The product of a matrix that is not packed, where no gradients are wanted."""
    product = F.linear(vectors, matrix, bias)
    return product.relu_() if rectified else product


def multiplier(weight: Float[Tensor, "out width"]) -> Callable[[Tensor], Tensor]:
    """``F.linear`` by a matrix that is no parameter and will be used for a while: packed at once.

    >>> multiplier(torch.ones(5, 3))(torch.ones(3))
    tensor([3., 3., 3., 3., 3.])
    """
    layouts = _now.get()
    if layouts is None or not _suits(weight) or torch.is_grad_enabled():
        return lambda vectors: F.linear(vectors, weight)
    weight = weight.contiguous()
    if not layouts.is_worth_it(weight.numel(), USUAL_ROWS):
        return lambda vectors: _as_it_lies(vectors, weight, None, rectified=False)
    packed = layouts.pack(weight)
    return lambda vectors: layouts.multiply(vectors, packed, None)


def through(
    layer: nn.Module, vectors: Float[Tensor, "*batch width"], *, rectified: bool = False
) -> Float[Tensor, "*batch out"]:
    """What a layer makes of vectors: by its packed matrix, where that is allowed and nobody listens to it."""
    if torch.compiler.is_compiling() or not _is_plain(layer) or (_now.get() is None and not hands_over()):
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
    as_it_lies = functools.partial(_as_it_lies, matrix=matrix, bias=bias, rectified=rectified)
    if not layouts.is_worth_it(matrix.numel(), USUAL_ROWS):
        return as_it_lies
    if layouts.is_worth_it(matrix.numel(), 1):
        packed = layouts.of(layer.weight, first, last)
        return functools.partial(layouts.multiply, packed=packed, bias=bias, rectified=rectified)

    def multiplied(vectors: Tensor) -> Tensor:
        if vectors.numel() == matrix.shape[1]:
            return as_it_lies(vectors)
        packed = layouts.of(layer.weight, first, last)
        return layouts.multiply(vectors, packed, bias, rectified=rectified)

    return multiplied


def _is_plain(layer: nn.Module) -> TypeGuard[nn.Linear]:
    """Whether a layer does no more than multiply, and nobody listens to it."""
    return type(layer) is nn.Linear and not layer._forward_hooks and not layer._forward_pre_hooks


def _may_be_laid_out(vectors: Tensor, weight: Tensor) -> bool:
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


def whole() -> type[Layouts] | None:
    """How matrices are laid out whose numbers are not rounded."""
    if torch.backends.mkl.is_available() and not slows_mkl():
        return Turned
    return Blocks if packable() else None


@functools.cache
def packable() -> bool:
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
