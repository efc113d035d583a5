"""What is particular to a score; what is common to all is in the laws."""

import math

import pytest
import torch

from regard import attend, scores
from tests.attention.mechanisms import assert_nearly

KERNELS = [scores.Gaussian, scores.Boxcar, scores.Triangular, scores.Epanechnikov]


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_fixed_bandwidth_is_a_setting_that_no_precision_rounds(kernel: type[scores.Kernel]) -> None:
    score = kernel(1.7).half().to(torch.bfloat16)
    assert score.bandwidth.item() == 1.7
    assert not list(score.parameters())


def test_a_learned_bandwidth_stays_positive_whatever_the_step() -> None:
    score = scores.Gaussian(0.5, learned=True)
    optimizer = torch.optim.SGD(score.parameters(), lr=100.0)
    attend(torch.randn(3, 1), torch.randn(5, 1), torch.randn(5, 1), score=score).sum().backward()
    optimizer.step()
    assert score.bandwidth.item() != 0.5
    assert score.bandwidth.item() > 0


@pytest.mark.parametrize("where", [0.0, 2_000.0])
def test_a_gaussian_sees_small_differences_far_from_the_origin(where: float) -> None:
    """-‖q - k‖² by products would cancel: an error of 2e-2 where vectors are 2000 long."""
    queries, keys = torch.randn(5, 3), torch.randn(7, 3)
    shifted = attend(queries + where, keys + where, score=scores.Gaussian()) - where
    exact = attend((queries + where).double(), (keys + where).double(), score=scores.Gaussian()) - where
    assert (shifted.double() - exact).abs().max() < 4 * torch.finfo(torch.float32).eps * max(where, 8.0)


@pytest.mark.parametrize("score", [scores.Dot(), scores.ScaledDot(), scores.Gaussian(100.0)], ids=str)
def test_long_half_precision_vectors_do_not_overflow_their_scores(score: scores.Score) -> None:
    compared = score(torch.full((1, 512), 30.0).half(), torch.full((3, 512), -30.0).half())
    assert compared.dtype == torch.float32
    assert compared.isfinite().all()


def test_scaled_scores_do_not_grow_with_the_width() -> None:
    spread = [
        scores.ScaledDot()(torch.randn(101, width), torch.randn(103, width)).std().item()
        for width in (2, 64, 2_048)
    ]
    assert spread == pytest.approx([1.0] * 3, abs=0.1)


def test_the_matrix_of_bilinear_stands_between_query_and_key() -> None:
    score = scores.Bilinear(query_width=3, key_width=5)
    queries, keys = torch.randn(7, 3), torch.randn(11, 5)
    assert_nearly(score.towards_keys(queries) @ keys.T, score(queries, keys))


def test_every_score_says_its_formula() -> None:
    made = [
        scores.Dot(),
        scores.ScaledDot(),
        scores.Bilinear(query_width=3, key_width=5),
        scores.Additive(query_width=3, key_width=5, hidden_width=7),
        scores.Uniform(),
        *(kernel() for kernel in KERNELS),
    ]
    formulas = [score.formula for score in made]
    assert len(set(formulas)) == len(formulas)


def test_kernels_meet_their_edge_as_their_formulas_do() -> None:
    query, keys = torch.zeros(1, 1), torch.tensor([[0.0], [0.5], [1.0], [1.0 + 1e-6]])
    heights = {kernel.__name__: kernel()(query, keys).exp()[0].tolist() for kernel in KERNELS}
    assert heights["Boxcar"] == [1, 1, 1, 0]
    assert heights["Triangular"] == [1, 0.5, 0, 0]
    assert heights["Epanechnikov"] == [1, 0.75, 0, 0]
    assert heights["Gaussian"] == pytest.approx([1, math.exp(-1 / 8), math.exp(-1 / 2), math.exp(-1 / 2)])
