"""Every mechanism and every mask that the laws run over, and an oracle that shares no code with them.

Adding a score to EVERY_MECHANISM, or a mask to EVERY_MASK, is all the testing it needs to begin with.
"""

import copy
import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from regard.attention import blocked, masks, merging, multiplied, positions, scores, streaming
from regard.attention.attending import ask
from regard.attention.definition import Call
from regard.attention.masks import Mask
from regard.attention.paths import PATHS, Path
from regard.attention.positions import Position
from regard.attention.scores import Score

BATCH, HEADS, QUERIES, KEYS = 2, 3, 5, 7
PAST = KEYS - QUERIES  # so that causal masks fit
HEAD_WIDTH, KEY_WIDTH, VALUE_WIDTH, HIDDEN_WIDTH = 4, 13, 11, 17  # Rotary wants an even width
DTYPES = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
if os.environ.get("REGARD_SHAPES"):  # checking shapes takes its time, and precision does not change them
    DTYPES = DTYPES[:1]


@dataclass(frozen=True)
class Mechanism:
    """A score and a position that go together, and the widths they are tried on."""

    name: str
    score: Callable[[int, int], Score]
    position: Callable[[int], Position | None] = lambda heads: None
    key_width: int = HEAD_WIDTH
    value_width: int = VALUE_WIDTH

    def __str__(self) -> str:
        return self.name

    @property
    def knows_heads(self) -> bool:
        """Whether it treats each head in its own way, and so needs an axis of heads."""
        return getattr(self.position(HEADS), "heads", None) is not None

    @property
    def has_an_edge(self) -> bool:
        """Whether a key may be just inside or just outside, where a rounding is a jump."""
        return self.name.endswith(("Boxcar", "Triangular", "Epanechnikov"))

    def make(
        self, dtype: torch.dtype = torch.float64, *, key_width: int | None = None, heads: int = HEADS
    ) -> tuple[Score, Position | None]:
        """The two, with parameters large enough to be heard."""
        score, position = self.score(HEAD_WIDTH, key_width or self.key_width), self.position(heads)
        if isinstance(position, positions.T5Bias):  # its own beginning, 0.02, is too faint to test
            nn.init.normal_(position.table)
        return score.to(dtype), None if position is None else position.to(dtype)


def _relative(per_head: bool = False, **tables: bool) -> Callable[[int], Position]:
    return lambda heads: positions.Relative(
        reach=2, head_width=HEAD_WIDTH, heads=heads if per_head else None, **tables
    )


def _rotary(heads: int) -> Position:
    return positions.Rotary(HEAD_WIDTH)


def _t5(both_ways: bool) -> Callable[[int], Position]:
    return lambda heads: positions.T5Bias(heads, buckets=8, furthest=6, both_ways=both_ways)


def _dot(*_: int) -> Score:
    return scores.Dot()


def _scaled(*_: int) -> Score:
    return scores.ScaledDot()


def _bilinear(query_width: int, key_width: int) -> Score:
    return scores.Bilinear(query_width=query_width, key_width=key_width)


def _additive(query_width: int, key_width: int) -> Score:
    return scores.Additive(query_width=query_width, key_width=key_width, hidden_width=HIDDEN_WIDTH)


EVERY_SCORE = [
    Mechanism("Dot", _dot),
    Mechanism("ScaledDot", _scaled),
    Mechanism("Bilinear", _bilinear, key_width=KEY_WIDTH),
    Mechanism("Additive", _additive, key_width=KEY_WIDTH),
    Mechanism("Gaussian", lambda *_: scores.Gaussian(1.5)),
    Mechanism("Gaussian learned", lambda *_: scores.Gaussian(1.5, learned=True)),
    Mechanism("Boxcar", lambda *_: scores.Boxcar(3.0)),
    Mechanism("Triangular", lambda *_: scores.Triangular(4.0, learned=True)),
    Mechanism("Epanechnikov", lambda *_: scores.Epanechnikov(4.0, learned=True)),
    Mechanism("Uniform", lambda *_: scores.Uniform(), key_width=KEY_WIDTH),
]
EVERY_POSITION = [
    Mechanism("Rotary Dot", _dot, _rotary),
    Mechanism("Rotary ScaledDot", _scaled, _rotary),
    Mechanism("Relative Dot", _dot, _relative(), value_width=HEAD_WIDTH),
    Mechanism("Relative ScaledDot", _scaled, _relative(), value_width=HEAD_WIDTH),
    Mechanism("Relative per head", _scaled, _relative(per_head=True), value_width=HEAD_WIDTH),
    Mechanism("Relative keys", _scaled, _relative(values=False)),
    Mechanism("Relative values", _scaled, _relative(keys=False), value_width=HEAD_WIDTH),
    Mechanism("Alibi ScaledDot", _scaled, positions.Alibi),
    Mechanism("Alibi Additive", _additive, positions.Alibi, key_width=KEY_WIDTH),
    Mechanism("Alibi Epanechnikov", lambda *_: scores.Epanechnikov(4.0), positions.Alibi),
    Mechanism("T5Bias ScaledDot", _scaled, _t5(both_ways=True)),
    Mechanism("T5Bias Gaussian", lambda *_: scores.Gaussian(1.5, learned=True), _t5(both_ways=True)),
    Mechanism("T5Bias one way", _bilinear, _t5(both_ways=False), key_width=KEY_WIDTH),
]
EVERY_MECHANISM = EVERY_SCORE + EVERY_POSITION


@dataclass(frozen=True)
class Hiding:
    """A mask, and in plain words for each sample, head, query and key what it allows."""

    name: str
    mask: Mask | None
    allows: Callable[[int, int, int, int], bool]
    queries: int = QUERIES
    past: int = PAST

    def __str__(self) -> str:
        return self.name

    @cached_property
    def allowed(self) -> Tensor:
        """(batch, heads, queries, keys)."""
        shape = (BATCH, HEADS, self.queries, KEYS)
        return torch.tensor([self.allows(*place) for place in itertools.product(*map(range, shape))]).reshape(
            shape
        )


_COUNTS, _COUNTS_WITH_NONE = (1, 6), (4, 0)
_COUNTS_PER_QUERY = ((0, 7, 1, 3, 2), (5, 5, 0, 0, 6))
_QUERY_IDS, _KEY_IDS = ((1, 1, 2, 2, 9), (3, 3, 3, 4, 5)), ((1, 2, 2, 1, 1, 7, 7), (3, 4, 4, 3, 6, 6, 3))
_TOKENS = ((8, 0, 9, 9, 0, 0, 0), (0, 0, 0, 0, 0, 0, 5))
_PATTERN = ("x.x..x.", ".......", "x.xx.x.", "..x..x.", "x.....x")  # a silent query, two unheard keys
_generator = torch.Generator().manual_seed(1729)
_ANY = torch.rand(BATCH, HEADS, QUERIES, KEYS, generator=_generator) < 0.4
_ANY[1, 2], _ANY[:, 0, 3], _ANY[0, :, :, 4] = False, False, False


def _before(query: int, key: int, past: int = PAST) -> bool:
    return key <= past + query


def _near(query: int, key: int) -> bool:
    return -2 <= key - (PAST + query) <= 1


_pattern = masks.where(keep=torch.tensor([[sign == "x" for sign in row] for row in _PATTERN]))
EVERY_MASK = [
    Hiding("nothing", None, lambda b, h, i, j: True),
    Hiding("causal", masks.causal(), lambda b, h, i, j: _before(i, j)),
    Hiding("lengths", masks.lengths(_COUNTS), lambda b, h, i, j: j < _COUNTS[b]),
    Hiding(
        "lengths with none", masks.lengths(_COUNTS_WITH_NONE), lambda b, h, i, j: j < _COUNTS_WITH_NONE[b]
    ),
    Hiding(
        "lengths per query", masks.lengths(_COUNTS_PER_QUERY), lambda b, h, i, j: j < _COUNTS_PER_QUERY[b][i]
    ),
    Hiding("window", masks.window(before=2, after=1), lambda b, h, i, j: _near(i, j)),
    Hiding(
        "segments",
        masks.segments(torch.tensor(_QUERY_IDS), torch.tensor(_KEY_IDS)),
        lambda b, h, i, j: _QUERY_IDS[b][i] == _KEY_IDS[b][j],
    ),
    Hiding("padding", masks.padding(torch.tensor(_TOKENS)), lambda b, h, i, j: _TOKENS[b][j] != 0),
    Hiding("where", _pattern, lambda b, h, i, j: _PATTERN[i][j] == "x"),
    Hiding("where of full rank", masks.where(keep=_ANY), lambda b, h, i, j: bool(_ANY[b, h, i, j])),
    Hiding(
        "causal & lengths",
        masks.causal() & masks.lengths(_COUNTS),
        lambda b, h, i, j: _before(i, j) and j < _COUNTS[b],
    ),
    Hiding(
        "causal & padding & where",
        masks.causal() & masks.padding(torch.tensor(_TOKENS)) & _pattern,
        lambda b, h, i, j: _before(i, j) and _TOKENS[b][j] != 0 and _PATTERN[i][j] == "x",
    ),
    Hiding("~window", ~masks.window(before=2, after=1), lambda b, h, i, j: not _near(i, j)),
    Hiding(
        "where | lengths with none",
        _pattern | masks.lengths(_COUNTS_WITH_NONE),
        lambda b, h, i, j: _PATTERN[i][j] == "x" or j < _COUNTS_WITH_NONE[b],
    ),
    Hiding(
        "~(causal | lengths per query)",
        ~(masks.causal() | masks.lengths(_COUNTS_PER_QUERY)),
        lambda b, h, i, j: not (_before(i, j) or j < _COUNTS_PER_QUERY[b][i]),
    ),
    Hiding("nothing from the start", None, lambda b, h, i, j: True, KEYS, 0),
    Hiding(
        "lengths from the start",
        masks.lengths(_COUNTS_WITH_NONE),
        lambda b, h, i, j: j < _COUNTS_WITH_NONE[b],
        KEYS,
        0,
    ),
    Hiding("causal from the start", masks.causal(), lambda b, h, i, j: _before(i, j, 0), KEYS, 0),
    Hiding(
        "causal & lengths from the start",
        masks.causal() & masks.lengths(_COUNTS_WITH_NONE),
        lambda b, h, i, j: _before(i, j, 0) and j < _COUNTS_WITH_NONE[b],
        KEYS,
        0,
    ),
    Hiding(
        "causal & padding from the start",
        masks.causal() & masks.padding(torch.tensor(_TOKENS)),
        lambda b, h, i, j: _before(i, j, 0) and _TOKENS[b][j] != 0,
        KEYS,
        0,
    ),
]


every_mechanism = pytest.mark.parametrize("mechanism", EVERY_MECHANISM, ids=str)
every_mask = pytest.mark.parametrize("hiding", EVERY_MASK, ids=str)


@dataclass(frozen=True)
class Inputs:
    """What goes into one attention, mask aside."""

    queries: Tensor
    keys: Tensor
    values: Tensor
    score: Score
    position: Position | None
    past: int = PAST

    @property
    def arguments(self) -> dict[str, Any]:
        """As attend() takes them."""
        return vars(self)

    @property
    def learned(self) -> list[Tensor]:
        """Everything that gets a gradient."""
        modules = [self.score] if self.position is None else [self.score, self.position]
        return [self.queries, self.keys, self.values, *(p for module in modules for p in module.parameters())]

    def to(self, dtype: torch.dtype) -> "Inputs":
        """The same numbers in another precision, with gradients of their own."""
        score, position = copy.deepcopy((self.score, self.position))
        moved = replace(
            self, score=score.to(dtype), position=None if position is None else position.to(dtype)
        )
        return moved.with_(**{name: getattr(self, name).to(dtype) for name in ("queries", "keys", "values")})

    def with_(self, **changed: Tensor) -> "Inputs":
        """A copy with other tensors, and gradients of its own."""
        tensors = {"queries": self.queries, "keys": self.keys, "values": self.values, **changed}
        return replace(self, **{name: tensor.detach().requires_grad_() for name, tensor in tensors.items()})

    def at(self, *place: int) -> "Inputs":
        """One place of the leading axes."""
        return self.with_(queries=self.queries[place], keys=self.keys[place], values=self.values[place])

    def call(self, mask: Mask | None, **settings: Any) -> Call:
        """The question that attend() would put."""
        return ask(**self.arguments, mask=mask, **settings)


def some_inputs(
    mechanism: Mechanism,
    dtype: torch.dtype = torch.float64,
    hiding: Hiding = EVERY_MASK[0],
    *,
    batch: tuple[int, ...] = (BATCH, HEADS),
) -> Inputs:
    """Ordinary random vectors, as many as the mask expects."""
    score, position = mechanism.make(dtype)
    queries = torch.randn(*batch, hiding.queries, HEAD_WIDTH)
    keys, values = (
        torch.randn(*batch, KEYS, width) for width in (mechanism.key_width, mechanism.value_width)
    )
    tensors = (tensor.to(dtype).requires_grad_() for tensor in (queries, keys, values))
    return Inputs(*tensors, score, position, hiding.past)


def every_path(call: Call) -> Iterator[Path]:
    """The paths that would take this question, the definition among them."""
    return (path for path in PATHS if path.why_not(call) is None)


@contextmanager
def short_paths() -> Iterator[None]:
    """Let the paths for long inputs take short ones too, in blocks of a query or two."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merging, "SHORTEST", 1)
        patch.setattr(multiplied, "FEWEST", 1)
        patch.setattr(blocked, "BLOCK", 8)
        patch.setattr(streaming, "BLOCK", 2 * BATCH * HEADS * KEYS)
        yield


def gradients(output: Tensor, inputs: Inputs, upstream: Tensor | None = None) -> list[Tensor]:
    """The gradient of each learned thing, zeros where it takes no part."""
    return list(
        torch.autograd.grad(output, inputs.learned, upstream, allow_unused=True, materialize_grads=True)
    )


def assert_nearly(found: Tensor, expected: Tensor) -> None:
    """As close as the same sum in another order comes, asserted in less time than ``assert_close`` takes."""
    assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    if expected.numel():
        roundings = 256 if expected.dtype in (torch.float64, torch.float32) else 4
        size = max(expected.detach().abs().max().item(), 1.0)
        distance = (found.detach() - expected.detach()).abs().max().item()
        assert distance <= roundings * torch.finfo(expected.dtype).eps * size


ALIBI_SLOPES = {1: [1 / 256], 3: [1 / 16, 1 / 256, 1 / 4], 4: [1 / 4, 1 / 16, 1 / 64, 1 / 256]}
"""By hand from Press, Smith and Lewis: 2^(-8 n / heads); three heads are those of two and one between."""


def oracle(inputs: Inputs, allowed: Tensor) -> tuple[Tensor, Tensor]:
    """The output and the weights as the formulas have them, for every pair of query and key at once."""
    queries, keys = inputs.queries, inputs.keys
    distance = torch.arange(keys.shape[-2]) - torch.arange(queries.shape[-2])[:, None] - inputs.past
    position, score = inputs.position, inputs.score
    if isinstance(position, positions.Rotary):
        queries, keys = _turned(queries, inputs.past), _turned(keys, 0)
    queries, keys, values = queries.unsqueeze(-2), keys.unsqueeze(-3), inputs.values.unsqueeze(-3)
    if isinstance(position, positions.Relative):
        row = distance.clamp(-position.reach, position.reach) + position.reach
        keys = keys if position.key_table is None else keys + position.key_table[..., row, :]
        values = values if position.value_table is None else values + position.value_table[..., row, :]
    logarithm, kernel = _compared(score, queries, keys)
    if isinstance(position, positions.Alibi):
        slopes = queries.new_tensor(ALIBI_SLOPES[position.heads])
        logarithm = logarithm - distance.abs() * slopes[:, None, None]
    if isinstance(position, positions.T5Bias):
        bucket = torch.tensor(
            [[_t5_bucket(int(j), position) for j in row] for row in distance], dtype=torch.long
        ).reshape(distance.shape)
        logarithm = logarithm + position.table[bucket].movedim(-1, 0)
    highest = logarithm.masked_fill(~allowed, -torch.inf).logsumexp(-1, keepdim=True).detach()
    kernel = kernel * (logarithm - highest.nan_to_num(neginf=0.0)).masked_fill(~allowed, -torch.inf).exp()
    total = kernel.sum(-1, keepdim=True)
    weights = kernel / torch.where(total == 0, 1, total)
    return (weights.unsqueeze(-1) * values).sum(-2), weights


def _compared(score: Score, queries: Tensor, keys: Tensor) -> tuple[Tensor, Tensor]:
    """A kernel as e^first · second."""
    zero = (queries[..., :1] + keys[..., :1]).sum(-1) * 0
    match score:
        case scores.Dot():
            return (queries * keys).sum(-1), zero + 1
        case scores.ScaledDot():
            return (queries * keys).sum(-1) / queries.shape[-1] ** 0.5, zero + 1
        case scores.Bilinear():
            return ((queries @ score.matrix) * keys).sum(-1), zero + 1
        case scores.Additive():
            hidden = queries @ score.query_projection.weight.T + keys @ score.key_projection.weight.T
            return hidden.tanh() @ score.to_score, zero + 1
        case scores.Uniform():
            return zero, zero + 1
    distance = ((queries - keys) ** 2).sum(-1).sqrt()
    distance = distance / (score.log_bandwidth.exp() if score.fixed is None else score.fixed)
    match score:
        case scores.Gaussian():
            return -(distance**2) / 2, zero + 1
        case scores.Boxcar():
            return zero, zero + (distance <= 1)
        case scores.Triangular():
            return zero, (1 - distance).clamp(min=0)
        case scores.Epanechnikov():
            return zero, (1 - distance**2).clamp(min=0)
    raise AssertionError(f"the oracle does not know {score}")


def _turned(vectors: Tensor, past: int) -> Tensor:
    """Pairs as complex numbers, times e^(i · place · rate)."""
    count, width = vectors.shape[-2:]
    places = torch.arange(past, past + count).double()
    angles = places[:, None] * 10_000 ** -(torch.arange(0, width, 2) / width).double()
    wide = (
        vectors if vectors.dtype == torch.float64 else vectors.float()
    )  # no complex numbers in half precision
    turned = torch.view_as_complex(wide.unflatten(-1, (-1, 2)).contiguous()) * torch.polar(
        torch.ones_like(angles), angles
    ).to(wide.dtype.to_complex())
    return torch.view_as_real(turned).flatten(-2).to(vectors.dtype)


def _t5_bucket(distance: int, position: positions.T5Bias) -> int:
    buckets, first = position.buckets, 0
    if position.both_ways:
        buckets //= 2
        first = buckets if distance > 0 else 0
    steps = abs(distance) if position.both_ways else max(-distance, 0)
    exact = buckets // 2
    if steps < exact:
        return first + steps
    edge = exact
    while edge < buckets - 1 and steps >= exact * (position.furthest / exact) ** (
        (edge + 1 - exact) / (buckets - exact)
    ):
        edge += 1
    return first + edge
