"""Scores: how much a query cares about a key, before the softmax.

A score is the logarithm of a kernel: softmax over scores divides each kernel value by
their sum, which is Nadaraya and Watson's estimator (1964). So one softmax serves the
dot products of the Transformer, Bahdanau's small network and the kernels of regression
alike; a key outside a kernel's reach scores minus infinity.

A new mechanism is one subclass of :class:`Score`.
"""

import math
from abc import ABC, abstractmethod

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.errors import MechanismError, ShapeError

__all__ = [
    "Additive",
    "Bilinear",
    "Boxcar",
    "Dot",
    "DotProduct",
    "Epanechnikov",
    "Gaussian",
    "Kernel",
    "ScaledDot",
    "Score",
    "Triangular",
    "Uniform",
]


class Score(nn.Module, ABC):
    """What every score can do: compare each query with each key.

    Half-precision vectors are compared in float32, so that long or large vectors
    neither overflow nor lose the digits that softmax needs.
    """

    formula: str
    """The comparison of one query q with one key k, as a person would write it."""

    @abstractmethod
    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""

    def check_widths(self, query_width: int, key_width: int) -> None:
        """Refuse widths that this score cannot compare."""
        if query_width != key_width:
            raise ShapeError(
                f"{type(self).__name__} compares queries and keys of one width, but queries are "
                f"{query_width} wide and keys {key_width}. Use Bilinear or Additive, which take two widths."
            )


class DotProduct(Score):
    """The scores that are a dot product times a constant, which fused kernels understand."""

    @abstractmethod
    def scale(self, width: int) -> float:
        """The constant for vectors of this width."""

    def forward(
        self,
        queries: Float[Tensor, "*batch queries width"],
        keys: Float[Tensor, "*batch keys width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""
        products = widened(queries) @ widened(keys).mT
        scale = self.scale(queries.shape[-1])
        return products if scale == 1.0 else products * scale


class Dot(DotProduct):
    """q · k: similarity as it stands.

    >>> x = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0]])
    >>> Dot()(x, x)
    tensor([[14., 10.],
            [10., 11.]])
    """

    formula = "q·k"

    def scale(self, width: int) -> float:
        """One."""
        return 1.0


class ScaledDot(DotProduct):
    """q · k / √width: similarity that does not grow with the width.

    Vaswani et al. (2017), section 3.2.1. Where the parts of q and k are independent with
    variance one, q · k has variance ``width``; large scores push the softmax to where its
    gradient s(1 - s) vanishes, and the division undoes that.

    >>> ScaledDot()(torch.ones(1, 4), torch.ones(3, 4))
    tensor([[2., 2., 2.]])
    """

    formula = "q·k / √d"

    def scale(self, width: int) -> float:
        """One over the square root of the width."""
        return 1.0 / math.sqrt(max(width, 1))


class Bilinear(Score):
    """q · W k: a learned matrix stands between two widths.

    Luong, Pham and Manning (2015), "general". Cheaper than :class:`Additive`, and it
    runs on the fused dot-product path: W joins the queries first.

    >>> Bilinear(query_width=3, key_width=5)(torch.zeros(2, 11, 3), torch.zeros(2, 13, 5)).shape
    torch.Size([2, 11, 13])
    """

    formula = "q·W k"

    def __init__(self, *, query_width: int, key_width: int) -> None:
        super().__init__()
        check_positive("Bilinear", query_width=query_width, key_width=key_width)
        self.matrix = nn.Parameter(torch.empty(query_width, key_width))
        nn.init.xavier_uniform_(self.matrix)

    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""
        return widened(queries) @ widened(self.matrix) @ widened(keys).mT

    def towards_keys(
        self, queries: Float[Tensor, "*batch queries query_width"]
    ) -> Float[Tensor, "*batch queries key_width"]:
        """The queries in the keys' space, where the score is a plain dot product."""
        return queries @ self.matrix

    def check_widths(self, query_width: int, key_width: int) -> None:
        """Refuse widths other than those of the matrix."""
        _check_both("Bilinear", (query_width, key_width), tuple(self.matrix.shape))


class Additive(Score):
    """v · tanh(W q + U k): a small network compares a query with a key.

    Bahdanau, Cho and Bengio (2015), appendix A.1.2. Queries and keys may differ
    in width, which is why the recurrent translator uses it: its decoder and its
    encoder need not agree. Without a ``key_width`` the keys come as U k already, computed
    once by whoever asks many questions of the same keys.

    >>> score = Additive(query_width=3, key_width=5, hidden_width=7)
    >>> score(torch.zeros(2, 11, 3), torch.zeros(2, 13, 5)).shape
    torch.Size([2, 11, 13])
    """

    formula = "v·tanh(W q + U k)"

    def __init__(self, *, query_width: int, key_width: int | None = None, hidden_width: int) -> None:
        super().__init__()
        self.widths = (query_width, hidden_width if key_width is None else key_width)
        check_positive(
            "Additive", query_width=query_width, key_width=self.widths[1], hidden_width=hidden_width
        )
        self.query_projection = nn.Linear(query_width, hidden_width, bias=False)
        self.key_projection: nn.Module = nn.Identity()
        if key_width is not None:
            self.key_projection = nn.Linear(key_width, hidden_width, bias=False)
        self.to_score = nn.Parameter(torch.empty(hidden_width))
        nn.init.uniform_(self.to_score, -(hidden_width**-0.5), hidden_width**-0.5)

    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""
        projected_queries = widened(self.query_projection(queries)).unsqueeze(-2)
        projected_keys = widened(self.key_projection(keys)).unsqueeze(-3)
        return torch.tanh(projected_queries + projected_keys) @ widened(self.to_score)

    def check_widths(self, query_width: int, key_width: int) -> None:
        """Refuse widths other than those of the projections."""
        _check_both("Additive", (query_width, key_width), self.widths)


class Kernel(Score):
    """The logarithm of a kernel of the distance between query and key, in bandwidths.

    With a kernel score, attention is Nadaraya–Watson regression: the keys are the
    training inputs, the values their outputs. A learned bandwidth is kept as its
    logarithm, so that it stays positive.
    """

    def __init__(self, bandwidth: float = 1.0, *, learned: bool = False) -> None:
        super().__init__()
        if not (bandwidth > 0 and math.isfinite(bandwidth)):
            raise MechanismError(
                f"{type(self).__name__}'s bandwidth must be positive, but got {bandwidth}. "
                "It is the distance at which a key begins to fade."
            )
        self.fixed = None if learned else bandwidth  # not a buffer, which half precision would round
        if learned:
            self.log_bandwidth = nn.Parameter(torch.tensor(math.log(bandwidth)))

    @property
    def bandwidth(self) -> Float[Tensor, ""]:
        """How far the kernel reaches, in the units of the vectors."""
        if self.fixed is not None:
            return torch.tensor(self.fixed, dtype=torch.float64)
        return widened(self.log_bandwidth).exp()

    def forward(
        self,
        queries: Float[Tensor, "*batch queries width"],
        keys: Float[Tensor, "*batch keys width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score every query against every key."""
        # Distances from differences, not from products: |q|² - 2 q·k + |k|² cancels badly.
        distances = torch.cdist(widened(queries), widened(keys), compute_mode="donot_use_mm_for_euclid_dist")
        # Nor ever infinite: a masked key however far would give the gradient zero times infinity.
        distances = distances.clamp(max=math.sqrt(torch.finfo(distances.dtype).max))
        return self.log_kernel(distances / self.bandwidth.to(distances.dtype))

    @abstractmethod
    def log_kernel(self, distances: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """The kernel's logarithm at distances given in bandwidths."""


class Gaussian(Kernel):
    """-‖q - k‖² / (2 bandwidth²): the logarithm of the normal density, up to a constant.

    >>> Gaussian(bandwidth=2.0)(torch.tensor([[0.0]]), torch.tensor([[0.0], [2.0], [4.0]]))
    tensor([[-0.0000, -0.5000, -2.0000]])
    """

    formula = "-‖q - k‖² / 2b²"

    def log_kernel(self, distances: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Minus half the squared distance."""
        return -0.5 * distances.square()


class Boxcar(Kernel):
    """0 within one bandwidth, minus infinity beyond: the average of the near.

    >>> Boxcar(bandwidth=2.0)(torch.tensor([[0.0]]), torch.tensor([[1.0], [2.0], [3.0]]))
    tensor([[0., 0., -inf]])
    """

    formula = "log 1[‖q - k‖ ≤ b]"

    def log_kernel(self, distances: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """Zero or minus infinity."""
        return torch.zeros_like(distances).masked_fill(distances > 1, -torch.inf)


class Triangular(Kernel):
    """log(1 - ‖q - k‖ / bandwidth): a tent. Some texts print it as "Epanechnikov".

    >>> Triangular(bandwidth=2.0)(torch.tensor([[0.0]]), torch.tensor([[0.0], [1.0], [2.0]])).exp()
    tensor([[1.0000, 0.5000, 0.0000]])
    """

    formula = "log(1 - ‖q - k‖ / b)"

    def log_kernel(self, distances: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """The logarithm of one minus the distance."""
        return _log_where_positive(1 - distances)


class Epanechnikov(Kernel):
    """log(1 - ‖q - k‖² / bandwidth²): the parabola, best in mean squared error.

    >>> Epanechnikov(bandwidth=2.0)(torch.tensor([[0.0]]), torch.tensor([[0.0], [1.0], [2.0]])).exp()
    tensor([[1.0000, 0.7500, 0.0000]])
    """

    formula = "log(1 - ‖q - k‖² / b²)"

    def log_kernel(self, distances: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
        """The logarithm of one minus the squared distance."""
        return _log_where_positive(1 - distances.square())


class Uniform(Score):
    """0 for every pair: attention becomes average pooling.

    >>> Uniform()(torch.zeros(2, 3), torch.zeros(5, 7)).shape
    torch.Size([2, 5])
    """

    formula = "0"

    def forward(
        self,
        queries: Float[Tensor, "*batch queries query_width"],
        keys: Float[Tensor, "*batch keys key_width"],
    ) -> Float[Tensor, "*batch queries keys"]:
        """Score nothing."""
        return widened(queries.new_zeros(*queries.shape[:-1], keys.shape[-2]))

    def check_widths(self, query_width: int, key_width: int) -> None:
        """Any widths: they are not looked at."""


def widened(tensor: Tensor) -> Tensor:
    """Half precision as float32, anything else as it is."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def narrowed(tensor: Tensor, dtype: torch.dtype) -> Tensor:
    """In this precision again; what float16 cannot hold becomes the largest it can, not infinity."""
    if dtype == torch.float16:
        tensor = tensor.clamp(torch.finfo(dtype).min, torch.finfo(dtype).max)
    return tensor.to(dtype)


def _log_where_positive(kernel: Tensor) -> Tensor:
    # The inner where keeps the logarithm's gradient finite where the outer one discards it.
    inside = kernel > 0
    return torch.where(inside, torch.where(inside, kernel, 1.0).log(), -torch.inf)


def check_positive(name: str, **sizes: int) -> None:
    """Refuse a size of nothing."""
    for what, size in sizes.items():
        if size < 1:
            raise MechanismError(f"{name}'s {what} must be at least 1, but got {size}.")


def _check_both(name: str, given: tuple[int, int], wanted: tuple[int, ...]) -> None:
    for which, got, made in zip(("queries", "keys"), given, wanted, strict=True):
        if got != made:
            raise ShapeError(f"This {name} was made for {which} of width {made}, but they are {got} wide.")
