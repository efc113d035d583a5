"""Mechanisms that are special cases of one another, forward and backward."""

import math

import pytest
import torch
from torch import Tensor, nn

from regard import attend, masks, positions, scores, weigh
from regard.attention.scores import Kernel, Score
from tests.attention.mechanisms import (
    DTYPES,
    HEAD_WIDTH,
    HEADS,
    KEYS,
    QUERIES,
    Hiding,
    Mechanism,
    assert_nearly,
    every_mask,
    some_inputs,
)

PLAIN = Mechanism("ScaledDot", lambda *_: scores.ScaledDot(), value_width=HEAD_WIDTH)
KERNELS = {
    scores.Gaussian: lambda distance: math.exp(-(distance**2) / 2),
    scores.Boxcar: lambda distance: float(distance <= 1),
    scores.Triangular: lambda distance: max(0.0, 1 - distance),
    scores.Epanechnikov: lambda distance: max(0.0, 1 - distance**2),
}


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel.__name__)
@pytest.mark.parametrize("bandwidth", [0.5, 1.7])
def test_attention_with_a_kernel_is_nadaraya_watson_regression(
    kernel: type[Kernel], bandwidth: float
) -> None:
    """ŷ(x) = Σ K((x - xᵢ)/b) yᵢ / Σ K((x - xᵢ)/b), summed by hand."""
    inputs = torch.linspace(0, 5, 31, dtype=torch.float64)
    outputs = 2 * inputs.sin() + inputs**0.8
    asked = torch.linspace(-0.9, 5.3, 17, dtype=torch.float64)
    expected = []
    for x in asked.tolist():
        heights = [KERNELS[kernel](abs(x - point) / bandwidth) for point in inputs.tolist()]
        area = sum(heights)
        products = [height * y for height, y in zip(heights, outputs.tolist(), strict=True)]
        expected.append(sum(products) / area if area else 0.0)

    found = attend(asked[:, None], inputs[:, None], outputs[:, None], score=kernel(bandwidth))

    assert_nearly(found, torch.tensor(expected, dtype=torch.float64)[:, None])


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_uniform_attention_is_the_average(dtype: torch.dtype) -> None:
    values = torch.randn(2, 7, 3, dtype=dtype)
    found = attend(
        torch.randn(2, 5, 11, dtype=dtype), torch.randn(2, 7, 13, dtype=dtype), values, score=scores.Uniform()
    )
    assert_nearly(found, values.double().mean(dim=1, keepdim=True).expand(2, 5, 3).to(dtype))


def test_scaling_and_identity_lead_from_one_dot_product_to_another() -> None:
    inputs = some_inputs(PLAIN)
    queries, keys, values = inputs.queries, inputs.keys, inputs.values
    bilinear = scores.Bilinear(query_width=HEAD_WIDTH, key_width=HEAD_WIDTH).double()
    nn.init.eye_(bilinear.matrix)
    expected = attend(queries, keys, values)
    assert_nearly(attend(queries / HEAD_WIDTH**0.5, keys, values, score=scores.Dot()), expected)
    assert_nearly(attend(queries / HEAD_WIDTH**0.5, keys, values, score=bilinear), expected)


def test_a_gaussian_of_vectors_of_one_length_is_a_dot_product() -> None:
    """-‖q - k‖²/2 = q·k - 1 where both are of length one."""
    inputs = some_inputs(PLAIN)
    queries, keys = (nn.functional.normalize(tensor, dim=-1) for tensor in (inputs.queries, inputs.keys))
    expected = attend(queries, keys, inputs.values, score=scores.Dot())
    assert_nearly(attend(queries, keys, inputs.values, score=scores.Gaussian()), expected)


@every_mask
def test_relative_positions_of_zeros_are_no_positions(hiding: Hiding) -> None:
    for dtype in DTYPES:
        inputs = some_inputs(PLAIN, dtype, hiding)
        position = positions.Relative(reach=2, head_width=HEAD_WIDTH).to(dtype)
        nn.init.zeros_(position.key_table)
        nn.init.zeros_(position.value_table)
        tensors = [inputs.queries, inputs.keys, inputs.values]
        plain = attend(*tensors, mask=hiding.mask, past=hiding.past)
        found = attend(*tensors, mask=hiding.mask, past=hiding.past, position=position)
        assert_nearly(found, plain)
        for one, other in zip(
            torch.autograd.grad(found.sum(), tensors), torch.autograd.grad(plain.sum(), tensors), strict=True
        ):
            assert_nearly(one, other)


@pytest.mark.parametrize("past", [0, 2])
def test_a_reach_beyond_the_sentence_clips_nothing(past: int) -> None:
    """A table of every distance, and a longer one whose far rows are never read."""
    keys = past + QUERIES
    exact = positions.Relative(reach=keys - 1, head_width=HEAD_WIDTH).double()
    longer = positions.Relative(reach=keys + 3, head_width=HEAD_WIDTH).double()
    with torch.no_grad():
        for short, long in ((exact.key_table, longer.key_table), (exact.value_table, longer.value_table)):
            long.fill_(torch.nan)  # never read
            long[4:-4] = short
    queries = torch.randn(QUERIES, HEAD_WIDTH).double()
    others = torch.randn(2, keys, HEAD_WIDTH).double()

    found = attend(queries, *others, position=exact, past=past)

    distance = torch.arange(keys) - past - torch.arange(QUERIES)[:, None] + keys - 1
    seen = others[0] + exact.key_table[distance]  # the n×n×d tensor of the paper
    weights = (torch.einsum("id,ijd->ij", queries, seen) / HEAD_WIDTH**0.5).softmax(dim=-1)
    expected = torch.einsum("ij,ijd->id", weights, others[1] + exact.value_table[distance])
    assert_nearly(found, expected)
    assert_nearly(weigh(queries, others[0], position=longer, past=past), weights)


@pytest.mark.parametrize("score", [scores.ScaledDot(), scores.Gaussian(2.0)], ids=["ScaledDot", "Gaussian"])
def test_a_bias_that_is_the_same_everywhere_is_no_position(score: Score) -> None:
    inputs = some_inputs(PLAIN)
    bias = positions.T5Bias(HEADS, buckets=8, furthest=6).double()
    nn.init.constant_(bias.table, 3.0)
    tensors = (inputs.queries, inputs.keys, inputs.values)
    assert_nearly(attend(*tensors, score=score, position=bias), attend(*tensors, score=score))


def everywhere_moved(position: positions.Position, score: Score, by: int) -> tuple[Tensor, Tensor]:
    """One query and its keys, and the same behind ``by`` keys that are masked."""
    queries, keys = (
        torch.randn(HEADS, QUERIES, HEAD_WIDTH).double(),
        torch.randn(HEADS, KEYS, HEAD_WIDTH).double(),
    )
    here = weigh(queries, keys, score=score, position=position, past=2)
    behind = torch.cat([torch.randn(HEADS, by, HEAD_WIDTH).double(), keys], dim=-2)
    visible = masks.where(keep=(torch.arange(by + KEYS) >= by).expand(QUERIES, -1))
    there = weigh(queries, behind, score=score, position=position, past=2 + by, mask=visible)
    return here, there[..., by:]


@pytest.mark.parametrize(
    "position",
    [
        positions.Rotary(HEAD_WIDTH),
        positions.Relative(reach=2, head_width=HEAD_WIDTH),
        positions.Alibi(HEADS),
        positions.T5Bias(HEADS, buckets=8, furthest=6),
    ],
    ids=lambda position: type(position).__name__,
)
def test_positions_inside_attention_know_distances_alone(position: positions.Position) -> None:
    here, there = everywhere_moved(position.double(), scores.ScaledDot(), by=11)
    assert_nearly(there, here)


def test_self_attention_is_blind_to_order_until_positions_are_added() -> None:
    x, order = torch.randn(KEYS, HEAD_WIDTH).double(), torch.randperm(KEYS)
    assert_nearly(attend(x[order]), attend(x)[order])
    for position in (positions.Sinusoidal(HEAD_WIDTH), positions.Learned(HEAD_WIDTH, longest=KEYS)):
        position = position.double()
        assert (attend(position(x[order])) - attend(position(x))[order]).abs().max() > 0.01
