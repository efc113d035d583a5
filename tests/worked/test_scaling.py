import math

import pytest
import torch

from regard.errors import RegardError
from regard.worked.scaling import SCORES, WIDTHS, gradients, kitten


@pytest.mark.parametrize("width", [1, 2, 64, 512])
def test_the_scores_are_divided_by_the_root_of_any_width_and_softmaxed(width: int) -> None:
    exponentials = [math.exp(score / math.sqrt(width)) for score in SCORES]
    expected = [value / sum(exponentials) for value in exponentials]
    assert kitten(width).similarities.tolist() == [[7.0, 5.0, 4.0, 9.0, 11.0]]
    assert kitten(width).weights[0].tolist() == pytest.approx(expected, rel=1e-12)


def test_without_the_division_the_softmax_is_of_the_scores_themselves() -> None:
    torch.testing.assert_close(kitten(64, scale=False).weights, kitten(1).weights)


def test_the_gradient_dies_as_the_width_grows_unless_scores_are_divided() -> None:
    found = gradients()
    assert [each.width for each in found] == list(WIDTHS)
    plain = [each.plain for each in found]
    assert plain == sorted(plain, reverse=True)
    assert plain[-1] < plain[0] / 5
    assert all(each.scaled > 0.2 for each in found)


def test_a_width_of_nothing_is_refused() -> None:
    with pytest.raises(RegardError) as caught:
        kitten(0)
    assert str(caught.value) == "d must be 1 or more, but got 0."
