"""Numbers that can be followed by hand."""

import math

import pytest
import torch

from regard import attend, explain, masked_softmax, masks, positions, scores, weigh
from tests.attention.mechanisms import assert_nearly

I_AM_GOOD = torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]], dtype=torch.float64)
FIVE_TOKENS = torch.tensor(
    [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0], [0, 0, 1, 1], [1, 0.5, 0.5, 0]], dtype=torch.float64
)


def test_i_am_good() -> None:
    expected = [[1, 2.957691, 2.011295], [1, 1.540148, 2.722573], [1, 2.864164, 2.000000]]
    found = attend(I_AM_GOOD, score=scores.Dot())
    torch.testing.assert_close(found, torch.tensor(expected, dtype=torch.float64), rtol=0, atol=5e-7)


def test_five_tokens() -> None:
    weights = weigh(FIVE_TOKENS)
    first = torch.tensor([0.2976, 0.1095, 0.1805, 0.1805, 0.2318], dtype=torch.float64)
    last = torch.tensor([0.2374, 0.1440, 0.2374, 0.1440, 0.2374], dtype=torch.float64)
    torch.testing.assert_close(weights[0], first, rtol=0, atol=5e-5)
    torch.testing.assert_close(weights[-1], last, rtol=0, atol=5e-5)


def test_masked_softmax_with_lengths_two_and_three() -> None:
    keep = masks.lengths([2, 3]).keep((2, 2, 4))
    weights = masked_softmax(torch.rand(2, 2, 4, dtype=torch.float64), keep)
    assert (weights[0, :, 2:] == 0).all()
    assert (weights[1, :, 3:] == 0).all()
    assert (weights[0, :, :2] > 0).all()
    assert (weights[1, :, :3] > 0).all()
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 2, dtype=torch.float64))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_additive_attention_over_equal_keys_is_their_average(dtype: torch.dtype) -> None:
    queries, keys = torch.randn(2, 1, 20, dtype=dtype), torch.ones(2, 10, 2, dtype=dtype)
    values = torch.arange(40, dtype=dtype).reshape(1, 10, 4).repeat(2, 1, 1)
    score = scores.Additive(query_width=20, key_width=2, hidden_width=8).to(dtype)
    found = attend(queries, keys, values, score=score, mask=masks.lengths([2, 6]))
    assert_nearly(found, torch.tensor([[[2, 3, 4, 5]], [[10, 11, 12, 13]]], dtype=dtype))


@pytest.mark.parametrize("width", [1, 4, 64])
def test_scores_are_divided_by_the_root_of_the_width(width: int) -> None:
    """看 小猫 它 好 可爱"""
    given = [7, 5, 4, 9, 11]
    exponentials = [math.exp(score / math.sqrt(width)) for score in given]
    expected = torch.tensor([each / sum(exponentials) for each in exponentials], dtype=torch.float64)
    # One query of ones against keys whose parts sum to the scores.
    keys = torch.tensor(given, dtype=torch.float64)[:, None].expand(5, width) / width
    steps = explain(torch.ones(1, width, dtype=torch.float64), keys)
    torch.testing.assert_close(steps.similarities[0], torch.tensor(given, dtype=torch.float64))
    torch.testing.assert_close(steps.weights[0], expected)


def test_dividing_by_the_root_of_the_width_keeps_the_gradient_alive() -> None:
    """s(1 - s) of the strongest key, for queries and keys of independent parts of variance one."""
    alive = {}
    for width in (4, 1024):
        queries, keys = torch.randn(2, 211, 7, width, dtype=torch.float64).unbind()
        for score in (scores.Dot(), scores.ScaledDot()):
            strongest = weigh(queries, keys, score=score).amax(dim=-1)
            alive[type(score).__name__, width] = (strongest * (1 - strongest)).mean().item()
    assert alive["Dot", 1024] < 0.03 < 0.1 < alive["ScaledDot", 1024]
    assert abs(alive["ScaledDot", 1024] - alive["ScaledDot", 4]) < 0.05


def test_cross_attention_is_softmax_of_x_times_y_times_y() -> None:
    x, y = torch.randn(3, 5, dtype=torch.float64), torch.randn(7, 5, dtype=torch.float64)
    torch.testing.assert_close(attend(x, y, score=scores.Dot()), (x @ y.T).softmax(dim=-1) @ y)


def test_sinusoidal_places_turn_as_binary_digits_do_slower_to_the_left() -> None:
    table = positions.Sinusoidal(8).encoding(torch.arange(64))
    turns = [(column[1:].sign() != column[:-1].sign()).sum().item() for column in table[:, 0::2].T]
    assert turns == sorted(turns, reverse=True)
    assert turns[0] > turns[-1]
