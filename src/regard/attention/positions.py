"""Positions: how attention comes to know the order of words, which by itself it cannot see.

Three kinds, by where they act. *Added* positions (:class:`Sinusoidal`, :class:`Learned`)
are summed with the embeddings before any attention. *Turning* positions (:class:`Rotary`)
rotate queries and keys. *Biases* (:class:`Alibi`, :class:`T5Bias`) are added to the scores
and go with any score. :class:`Relative` is Shaw's: vectors added to keys and to values.
"""

import math
from abc import ABC, abstractmethod

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from regard.attention.places import relative_positions
from regard.attention.scores import check_positive, narrowed, widened
from regard.errors import MechanismError, ShapeError
from regard.wording import counted

__all__ = [
    "Added",
    "Alibi",
    "Bias",
    "Learned",
    "Position",
    "Relative",
    "Rotary",
    "Sinusoidal",
    "T5Bias",
    "Turning",
]


class Position(nn.Module):
    """Anything that tells attention about order."""

    def check_queries(self, shape: tuple[int, ...]) -> None:
        """Refuse queries of another number or width of heads than this was made for."""


class Added(Position, ABC):
    """Positions that are summed with embeddings: ``position(embeddings, past=0)``."""

    @abstractmethod
    def encoding(
        self, places: Int[Tensor, "*places"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "*places width"]:
        """The vector of each place."""

    def forward(
        self, embeddings: Float[Tensor, "*batch new width"], past: int | Int[Tensor, " batch"] = 0
    ) -> Float[Tensor, "*batch new width"]:
        """Add the vectors of places past, past + 1, …; ``past`` may differ from row to row."""
        new = embeddings.shape[-2]
        if not isinstance(past, Tensor) and not torch.compiler.is_compiling():
            table = self.table_for(embeddings.dtype)
            if table is not None and past + new <= len(table):
                return embeddings + table[past : past + new]
        places = torch.arange(new, device=embeddings.device)
        places = places + (past[:, None] if isinstance(past, Tensor) else past)
        return embeddings + self.encoding(places, embeddings.dtype)

    @abstractmethod
    def table_for(self, dtype: torch.dtype) -> Float[Tensor, "places width"] | None:
        """The vectors of the first places, where they are kept with this precision."""


class Sinusoidal(Added):
    """sin and cos of place / 10000^(2j/width): each pair of features is a clock hand.

    Vaswani et al. (2017), section 3.5. Moving by a fixed distance turns every hand by a
    fixed angle, whatever the place, so that distances can be read off by a linear map.

    >>> Sinusoidal(4)(torch.zeros(2, 4))
    tensor([[0.0000, 1.0000, 0.0000, 1.0000],
            [0.8415, 0.5403, 0.0100, 0.9999]])
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        check_positive("Sinusoidal", width=width)
        self.width = width
        # A table for the places of ordinary sentences; further places are computed when met.
        self.table: Tensor
        self.register_buffer("table", self._computed(torch.arange(256)).float(), persistent=False)

    def encoding(
        self, places: Int[Tensor, "*places"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "*places width"]:
        """The vector of each place."""
        computed = dtype == torch.float64 or torch.compiler.is_compiling()
        if computed or (places.numel() and int(places.max()) >= len(self.table)):
            return self._computed(places).to(dtype)
        return self.table[places].to(dtype)

    def table_for(self, dtype: torch.dtype) -> Float[Tensor, "places width"] | None:
        """The vectors of the first places, but for numbers of 64 bits, which are computed."""
        return self.table if dtype == self.table.dtype != torch.float64 else None

    def _computed(self, places: Tensor) -> Tensor:
        rates = torch.arange(0, self.width, 2, device=places.device, dtype=torch.float64)
        angles = places[..., None] * torch.pow(10_000.0, -rates / self.width)
        waves = torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2)
        return waves[..., : self.width]


class Learned(Added):
    """One learned vector per place, up to ``longest`` places.

    Gehring et al. (2017). Knows nothing of places it was not trained on.

    >>> Learned(3, longest=7)(torch.zeros(2, 5, 3)).shape
    torch.Size([2, 5, 3])
    """

    def __init__(self, width: int, *, longest: int) -> None:
        super().__init__()
        check_positive("Learned", width=width, longest=longest)
        self.table = nn.Parameter(torch.empty(longest, width))
        nn.init.normal_(self.table, std=width**-0.5)

    def encoding(
        self, places: Int[Tensor, "*places"], dtype: torch.dtype = torch.float32
    ) -> Float[Tensor, "*places width"]:
        """The vector of each place."""
        if not torch.compiler.is_compiling() and places.numel() and int(places.max()) >= len(self.table):
            raise ShapeError(
                f"Learned positions reach {counted(len(self.table), 'place')}, "
                f"but place {int(places.max())} was asked for. "
                f"Make them with longest={int(places.max()) + 1} or more, or use Sinusoidal."
            )
        return self.table[places].to(dtype)

    def table_for(self, dtype: torch.dtype) -> Float[Tensor, "places width"] | None:
        """The vectors of all places."""
        return self.table if dtype == self.table.dtype else None


class Turning(Position, ABC):
    """Positions that turn queries and keys before their dot product."""

    @abstractmethod
    def turn(
        self, vectors: Float[Tensor, "*batch count head_width"], past: int = 0
    ) -> Float[Tensor, "*batch count head_width"]:
        """The vectors turned to places past, past + 1, …"""


class Rotary(Turning):
    """Each pair of features is turned by an angle proportional to the place.

    Su et al. (2021). The dot product of a turned query and a turned key depends on
    their distance alone.

    >>> Rotary(2).turn(torch.tensor([[1.0, 0.0], [1.0, 0.0]]))
    tensor([[1.0000, 0.0000],
            [0.5403, 0.8415]])
    """

    def __init__(self, head_width: int, *, slowest: float = 10_000.0) -> None:
        super().__init__()
        check_positive("Rotary", head_width=head_width)
        if head_width % 2:
            raise MechanismError(
                f"Rotary turns pairs of features, but head_width={head_width} is odd. "
                f"Take an even width such as {head_width + 1}."
            )
        self.head_width = head_width
        self.slowest = slowest

    def check_queries(self, shape: tuple[int, ...]) -> None:
        """Refuse heads of another width."""
        if shape[-1] != self.head_width:
            raise ShapeError(
                f"This Rotary was made for heads of width {self.head_width}, but they are {shape[-1]} wide."
            )

    def turn(
        self, vectors: Float[Tensor, "*batch count head_width"], past: int = 0
    ) -> Float[Tensor, "*batch count head_width"]:
        """The vectors turned to places past, past + 1, …"""
        places = torch.arange(past, past + vectors.shape[-2], device=vectors.device, dtype=torch.float64)
        rates = torch.arange(0, self.head_width, 2, device=vectors.device, dtype=torch.float64)
        angles = places[:, None] * torch.pow(self.slowest, -rates / self.head_width)
        wide = widened(vectors)
        sines, cosines = angles.sin().to(wide.dtype), angles.cos().to(wide.dtype)
        first, second = wide[..., 0::2], wide[..., 1::2]
        turned = torch.stack([first * cosines - second * sines, first * sines + second * cosines], dim=-1)
        return narrowed(turned.flatten(-2), vectors.dtype)


class Bias(Position, ABC):
    """Positions that add to each head's scores a number for the distance."""

    heads: int
    learned: bool

    @abstractmethod
    def by_distance(self, distances: Int[Tensor, "*shape"]) -> Float[Tensor, "heads ..."]:
        """The numbers for keys that stand ``distances`` after their query (negative: before)."""

    def forward(self, queries: int, keys: int, past: int = 0) -> Float[Tensor, "heads queries keys"]:
        """The numbers for every query and key."""
        device = next(iter([*self.parameters(), *self.buffers()])).device
        return self.by_distance(relative_positions(queries, keys, past, device))

    def check_queries(self, shape: tuple[int, ...]) -> None:
        """Refuse another number of heads."""
        if self.heads != 1:
            _check_heads(type(self).__name__, self.heads, shape)


class Alibi(Bias):
    """-slope · distance: each head fades with distance at its own rate. Nothing is learned.

    Press, Smith and Lewis (2022).

    >>> Alibi(2)(1, 3)[:, 0]
    tensor([[ 0.0000, -0.0625, -0.1250],
            [ 0.0000, -0.0039, -0.0078]])
    """

    learned = False

    def __init__(self, heads: int) -> None:
        super().__init__()
        check_positive("Alibi", heads=heads)
        self.heads = heads
        self.slopes: Tensor
        self.register_buffer("slopes", torch.tensor(_alibi_slopes(heads)), persistent=False)

    def by_distance(self, distances: Int[Tensor, "*shape"]) -> Float[Tensor, "heads ..."]:
        """Minus slope times distance."""
        return widened(self.slopes).reshape(-1, *(1,) * distances.dim()) * -distances.abs()


def _alibi_slopes(heads: int) -> list[float]:
    """Powers of two evenly spaced; between powers of two of heads, every second of the next."""
    whole = 2 ** math.floor(math.log2(heads))
    slopes = [2 ** (-8 * (head + 1) / whole) for head in range(whole)]
    between = [2 ** (-4 * (head + 1) / whole) for head in range(0, 2 * whole, 2)]
    return slopes + between[: heads - whole]


class T5Bias(Bias):
    """A learned number per head and distance, distances shared ever more coarsely as they grow.

    Raffel et al. (2020), section 2.1. Half the buckets (of each direction, where there are
    two) hold one distance each; the others grow geometrically up to ``furthest``.

    >>> T5Bias(3, buckets=8, furthest=16)(5, 7).shape
    torch.Size([3, 5, 7])
    """

    learned = True

    def __init__(self, heads: int, *, buckets: int = 32, furthest: int = 128, both_ways: bool = True) -> None:
        super().__init__()
        check_positive("T5Bias", heads=heads)
        smallest = 4 if both_ways else 2
        if buckets < smallest or buckets % (2 if both_ways else 1):
            raise MechanismError(
                f"T5Bias needs at least {smallest} buckets{', an even number' if both_ways else ''}, "
                f"but got {buckets}."
            )
        if furthest <= buckets // (4 if both_ways else 2):
            raise MechanismError(
                f"T5Bias's furthest={furthest} must lie beyond its exact distances, "
                f"{buckets // (4 if both_ways else 2)} for {buckets} buckets."
            )
        self.heads, self.buckets, self.furthest, self.both_ways = heads, buckets, furthest, both_ways
        self.table = nn.Parameter(torch.empty(buckets, heads))
        nn.init.normal_(self.table, std=0.02)

    def by_distance(self, distances: Int[Tensor, "*shape"]) -> Float[Tensor, "heads ..."]:
        """The learned number of each distance's bucket."""
        return widened(self.table)[self.bucket(distances)].movedim(-1, 0)

    def bucket(self, distances: Int[Tensor, "*shape"]) -> Int[Tensor, "*shape"]:
        """Which number stands for which distance."""
        count = self.buckets // 2 if self.both_ways else self.buckets
        offset = (distances > 0) * count if self.both_ways else torch.zeros_like(distances)
        steps = distances.abs() if self.both_ways else (-distances).clamp(min=0)
        exact = count // 2
        growth = (steps.clamp(min=1) / exact).log() / math.log(self.furthest / exact)
        coarse = (exact + (growth * (count - exact)).long()).clamp(max=count - 1)
        return offset + torch.where(steps < exact, steps, coarse)


class Relative(Position):
    """A learned vector for each distance, added to the key and another added to the value.

    Shaw, Uszkoreit and Vaswani (2018):

        z_i = Σ_j softmax_j(q_i · (k_j + a^K_r) / √d) (v_j + a^V_r),   r = clip(j - i, -k, k)

    The tables hold 2k+1 rows, row k + r for distance r. The n×n×d tensor of the formula is
    never formed: q_i · a^K_r is a matrix product with 2k+1 columns, gathered by distance, and
    the weights are summed per distance before they meet a^V.

    >>> position = Relative(reach=2, head_width=3)
    >>> position.key_table.shape
    torch.Size([5, 3])
    """

    key_table: nn.Parameter | None
    value_table: nn.Parameter | None

    def __init__(
        self, *, reach: int, head_width: int, heads: int | None = None, keys: bool = True, values: bool = True
    ) -> None:
        super().__init__()
        check_positive("Relative", reach=reach, head_width=head_width, heads=1 if heads is None else heads)
        self.reach, self.head_width, self.heads = reach, head_width, heads
        shape = (2 * reach + 1, head_width) if heads is None else (heads, 2 * reach + 1, head_width)
        for name, wanted in (("key_table", keys), ("value_table", values)):
            table = nn.Parameter(torch.empty(shape)) if wanted else None
            if table is not None:
                nn.init.xavier_uniform_(table)
            self.register_parameter(name, table)

    def rows(self, queries: int, keys: int, past: int, device: torch.device) -> Int[Tensor, "queries keys"]:
        """Which row of the tables stands between each query and each key."""
        return relative_positions(queries, keys, past, device).clamp(-self.reach, self.reach) + self.reach

    def key_scores(
        self, queries: Float[Tensor, "*batch queries head_width"], rows: Int[Tensor, "queries keys"]
    ) -> Float[Tensor, "*batch queries keys"] | None:
        """q_i · a^K_r for every pair."""
        if self.key_table is None:
            return None
        by_row = widened(queries) @ widened(self.key_table).mT
        return by_row.gather(-1, rows.expand(*by_row.shape[:-1], rows.shape[-1]))

    def value_sums(
        self, weights: Float[Tensor, "*batch queries keys"], rows: Int[Tensor, "queries keys"]
    ) -> Float[Tensor, "*batch queries head_width"] | None:
        """Σ_j w_ij a^V_r: the weights summed by row, then one matrix product."""
        if self.value_table is None:
            return None
        sums = weights.new_zeros(*weights.shape[:-1], 2 * self.reach + 1)
        sums = sums.scatter_add(-1, rows.expand_as(weights), weights)
        return sums @ widened(self.value_table).to(weights.dtype)

    def check_queries(self, shape: tuple[int, ...]) -> None:
        """Refuse heads of another number or width than the tables'."""
        if self.key_table is not None:
            self._check_width("queries", shape[-1])
        if self.heads is not None:
            _check_heads("Relative", self.heads, shape)

    def check_values(self, width: int) -> None:
        """Refuse values of another width than the table's."""
        if self.value_table is not None:
            self._check_width("values", width)

    def _check_width(self, what: str, width: int) -> None:
        if width != self.head_width:
            raise ShapeError(
                f"This Relative was made with head_width={self.head_width}, but the {what} are {width} wide."
            )


def _check_heads(name: str, heads: int, shape: tuple[int, ...]) -> None:
    if len(shape) < 3 or shape[-3] != heads:
        held = f"there are {shape[-3]}" if len(shape) >= 3 else "these tensors have no axis of heads"
        raise ShapeError(
            f"This {name} was made for {counted(heads, 'head')}, but {held}. "
            "Tensors with heads are (batch, heads, queries, head_width)."
        )
