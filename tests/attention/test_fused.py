"""The fused path where torch's kernel has its corners."""

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel

from regard import masks, positions, scores
from regard.attention.attending import ask
from regard.attention.definition import attend_by_definition
from regard.attention.fused import attend_fused, read_mask, why_not_fused
from regard.attention.masks import Mask
from regard.attention.positions import Position
from tests.attention.mechanisms import assert_nearly

BOTH = masks.causal() & masks.lengths([3, 7])
tensors = torch.randn(3, 2, 3, 7, 4)


@pytest.mark.parametrize("position", [None, positions.Alibi(3)], ids=["none", "Alibi"])
@pytest.mark.parametrize("mask", [masks.causal(), BOTH], ids=str)
def test_the_causal_flag_and_a_mask_are_one_whatever_kernel_torch_takes(
    mask: Mask, position: Position | None
) -> None:
    scattered = tensors.transpose(-1, -2).contiguous().transpose(-1, -2)
    expected = attend_by_definition(ask(*tensors, mask=mask, position=position))
    assert_nearly(attend_fused(ask(*tensors, mask=mask, position=position)), expected)
    assert_nearly(attend_fused(ask(*scattered, mask=mask, position=position)), expected)
    with sdpa_kernel(SDPBackend.MATH):
        assert_nearly(attend_fused(ask(*tensors, mask=mask, position=position)), expected)
    assert attend_fused(ask(*tensors, mask=mask, position=position, dropout=0.5)).isfinite().all()


def test_what_the_kernel_does_by_itself_is_taken_out_of_the_mask() -> None:
    assert read_mask(ask(*tensors, mask=masks.causal())).causal
    assert read_mask(ask(*tensors, mask=masks.causal())).keep is None
    whole = read_mask(ask(*tensors, mask=masks.lengths([7, 7])))
    assert (whole.causal, whole.keep) == (False, None)
    last = read_mask(ask(tensors[0][..., -1:, :], *tensors[1:], mask=masks.causal(), past=6))
    assert (last.causal, last.keep) == (False, None)
    some = read_mask(ask(tensors[0][..., -2:, :], *tensors[1:], mask=masks.causal(), past=5))
    assert not some.causal
    assert some.keep is not None


@pytest.mark.parametrize("value_width", [1, 4, 9])
@pytest.mark.parametrize("axes", [0, 1, 2, 3])
def test_values_of_any_width_behind_any_axes_stay_fused(value_width: int, axes: int) -> None:
    batch = (2, 3, 5)[:axes]
    queries, keys = torch.randn(2, *batch, 7, 4)
    values = torch.randn(*batch, 7, value_width)
    call = ask(queries, keys, values, mask=masks.window(before=2, after=1))
    assert why_not_fused(call) is None
    assert_nearly(attend_fused(call), attend_by_definition(call))


@pytest.mark.parametrize("width", [0, 1])
def test_vectors_of_hardly_any_width_are_compared_too(width: int) -> None:
    call = ask(torch.randn(2, 5, width), torch.randn(2, 7, width), torch.randn(2, 7, 3))
    assert_nearly(attend_fused(call), attend_by_definition(call))


def test_large_bilinear_queries_do_not_overflow_half_precision() -> None:
    score = scores.Bilinear(query_width=64, key_width=4).half()
    torch.nn.init.ones_(score.matrix)
    call = ask(
        torch.full((1, 2, 64), 1e4).half(),
        torch.randn(1, 5, 4).half(),
        torch.randn(1, 5, 4).half(),
        score=score,
    )
    assert attend_fused(call).isfinite().all()
