"""Kernel regression is the textbook sum, and learns its bandwidth honestly."""

import math

import pytest
import torch
from torch import Tensor

import regard
from regard import scores
from regard.errors import MechanismError, RegardError, ShapeError
from regard.models import KernelRegression

POINTS, NEW = 13, 7


def a_wave(points: int = 53) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(3)
    inputs = torch.rand(points, generator=generator).sort().values * 5
    return inputs, 2 * inputs.sin() + inputs**0.8 + 0.5 * torch.randn(points, generator=generator)


def test_a_gaussian_regression_is_the_sum_of_nadaraya_and_watson() -> None:
    inputs, outputs = a_wave(POINTS)
    bandwidth = 0.7
    predicted = KernelRegression(scores.Gaussian(bandwidth)).fit(inputs, outputs).predict(inputs[:NEW] + 0.1)

    for new, prediction in zip((inputs[:NEW] + 0.1).tolist(), predicted.tolist(), strict=True):
        kernel = [math.exp(-((new - x) ** 2) / (2 * bandwidth**2)) for x in inputs.tolist()]
        total = sum(k * y for k, y in zip(kernel, outputs.tolist(), strict=True))
        assert prediction == pytest.approx(total / sum(kernel), rel=1e-5)


def test_the_gaussian_is_the_kernel_taken_unless_another_is_named() -> None:
    assert isinstance(KernelRegression().score, scores.Gaussian)


@pytest.mark.parametrize(
    "score",
    [
        scores.Gaussian(0.5),
        scores.Boxcar(0.9),
        scores.Triangular(0.9),
        scores.Epanechnikov(0.9),
        scores.Uniform(),
    ],
    ids=lambda score: type(score).__name__,
)
def test_every_kernel_averages_the_outputs_with_the_weights_it_shows(score: scores.Score) -> None:
    inputs, outputs = a_wave()
    regression = KernelRegression(score).fit(inputs, outputs)
    weights = regression.weights(inputs[:NEW])
    assert weights.shape == (NEW, 53)
    torch.testing.assert_close(weights.sum(dim=-1), torch.ones(NEW))
    torch.testing.assert_close(regression.predict(inputs[:NEW]), weights @ outputs)


def test_a_uniform_score_is_average_pooling() -> None:
    inputs, outputs = a_wave()
    predicted = KernelRegression(scores.Uniform()).fit(inputs, outputs).predict(inputs[:NEW])
    torch.testing.assert_close(predicted, outputs.mean().expand(NEW))


@pytest.mark.parametrize("input_width", [None, 3])
@pytest.mark.parametrize("output_width", [None, 2])
def test_predictions_have_the_shape_of_the_outputs(input_width: int | None, output_width: int | None) -> None:
    def points(count: int, width: int | None) -> Tensor:
        return torch.randn(count) if width is None else torch.randn(count, width)

    regression = KernelRegression().fit(points(POINTS, input_width), points(POINTS, output_width))
    predicted = regression.predict(points(NEW, input_width))
    assert predicted.shape == ((NEW,) if output_width is None else (NEW, output_width))
    assert regression.weights(points(NEW, input_width)).shape == (NEW, POINTS)


def test_where_no_key_is_in_reach_the_prediction_is_zero() -> None:
    regression = KernelRegression(scores.Boxcar(1.0)).fit(torch.tensor([0.0]), torch.tensor([5.0]))
    assert regression.predict(torch.tensor([0.5, 3.0])).tolist() == [5.0, 0.0]


@pytest.mark.parametrize("bandwidth", [0.02, 30.0])
def test_a_learned_bandwidth_beats_a_bad_fixed_one_on_points_left_out(bandwidth: float) -> None:
    inputs, outputs = a_wave()
    fixed = KernelRegression(scores.Gaussian(bandwidth)).fit(inputs, outputs)
    learned = KernelRegression(scores.Gaussian(bandwidth, learned=True)).fit(inputs, outputs)
    assert learned.leave_one_out_error() < 0.6 * fixed.leave_one_out_error()


def test_learning_finds_the_bandwidth_that_a_search_finds() -> None:
    inputs, outputs = a_wave()
    score = scores.Gaussian(2.0, learned=True)
    learned = KernelRegression(score).fit(inputs, outputs)
    tried = {
        width / 100: KernelRegression(scores.Gaussian(width / 100)).fit(inputs, outputs).leave_one_out_error()
        for width in range(5, 200)
    }
    assert learned.leave_one_out_error() <= min(tried.values()) * 1.001
    assert score.bandwidth.item() == pytest.approx(min(tried, key=lambda width: tried[width]), abs=0.02)


@pytest.mark.parametrize("kernel", [scores.Triangular, scores.Epanechnikov])
def test_kernels_of_limited_reach_learn_too(
    kernel: type[scores.Triangular] | type[scores.Epanechnikov],
) -> None:
    inputs, outputs = a_wave()
    fixed = KernelRegression(kernel(5.0)).fit(inputs, outputs)
    learned = KernelRegression(kernel(5.0, learned=True)).fit(inputs, outputs)
    assert learned.leave_one_out_error() < 0.6 * fixed.leave_one_out_error()


def test_equal_inputs_leave_nothing_to_learn_and_nothing_breaks() -> None:
    score = scores.Gaussian(0.5, learned=True)
    predicted = (
        KernelRegression(score).fit(torch.ones(3), torch.tensor([1.0, 2.0, 6.0])).predict(torch.ones(1))
    )
    assert predicted.item() == pytest.approx(3.0)
    assert score.bandwidth.item() == pytest.approx(0.5)


def test_a_points_own_output_does_not_predict_it() -> None:
    """Three points: the middle one left out is predicted as the mean of its neighbours."""
    regression = KernelRegression().fit(torch.tensor([0.0, 1.0, 2.0]), torch.tensor([0.0, 100.0, 0.0]))
    near, far = math.exp(-0.5), math.exp(-2.0)
    outer = 100 * near / (near + far)
    assert regression.leave_one_out_error() == pytest.approx((outer**2 + 100**2 + outer**2) / 3, rel=1e-5)


def test_a_regression_can_be_watched() -> None:
    inputs, outputs = a_wave(POINTS)
    regression = KernelRegression().fit(inputs, outputs)
    with regard.watch(regression) as seen:
        regression.predict(inputs[:NEW])
    torch.testing.assert_close(seen["attention"].weights.squeeze(), regression.weights(inputs[:NEW]))


def test_predicting_before_fitting_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        KernelRegression().predict(torch.zeros(NEW))
    assert str(caught.value) == (
        "This KernelRegression has seen no points yet. Call fit(inputs, outputs) first."
    )


def test_inputs_without_outputs_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        KernelRegression().fit(torch.zeros(5), torch.zeros(3))
    assert str(caught.value) == "Each input needs its output, but there are 5 inputs and 3 outputs."


def test_inputs_of_another_width_than_those_seen_are_refused() -> None:
    regression = KernelRegression().fit(torch.zeros(5, 3), torch.zeros(5))
    with pytest.raises(ShapeError) as caught:
        regression.predict(torch.zeros(7))
    assert str(caught.value) == "inputs must be like those seen, (points, 3), but they are (points,)."


def test_points_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        KernelRegression().fit(torch.tensor([0.0, torch.nan, torch.inf]), torch.zeros(3))
    assert str(caught.value) == "inputs must be finite, but 2 of them are not."


def test_whole_numbers_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        KernelRegression().fit(torch.arange(5), torch.zeros(5))
    assert str(caught.value) == (
        "inputs must be a floating point tensor (points,) or (points, width), "
        "but got torch.int64 of shape (5,)."
    )


def test_learning_from_one_point_is_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        KernelRegression(scores.Gaussian(learned=True)).fit(torch.zeros(1), torch.zeros(1))
    assert str(caught.value) == (
        "Learning predicts each point from the others, so it needs at least 2, but got 1."
    )


def test_learning_a_boxcar_is_refused() -> None:
    with pytest.raises(MechanismError) as caught:
        KernelRegression(scores.Boxcar(learned=True)).fit(torch.zeros(5), torch.zeros(5))
    assert str(caught.value) == (
        "Boxcar weighs all keys within its bandwidth alike, so no gradient says whether to widen it. "
        "Learn a Gaussian, Triangular or Epanechnikov, or give Boxcar a fixed bandwidth."
    )
