import math

import torch

from regard.worked.order import binary, likeness, order, sinusoids


def test_without_positions_the_order_makes_no_difference() -> None:
    assert order(positions=False).difference < 1e-14


def test_with_positions_it_does() -> None:
    assert order(positions=True).difference > 0.5


def test_counting_in_binary_counts() -> None:
    places = binary(16, 4)
    assert (places @ torch.tensor([1.0, 2.0, 4.0, 8.0])).tolist() == list(range(16))


def test_the_table_holds_the_sines_and_cosines_of_the_formula() -> None:
    table = sinusoids(7, 6)
    for place in range(7):
        for pair in range(3):
            angle = place / 10_000 ** (2 * pair / 6)
            assert math.isclose(table[place, 2 * pair], math.sin(angle), abs_tol=1e-12)
            assert math.isclose(table[place, 2 * pair + 1], math.cos(angle), abs_tol=1e-12)


def test_likeness_depends_on_the_distance_alone() -> None:
    torch.testing.assert_close(likeness(20), likeness(0))
    assert likeness(0)[0] == 1.0
    assert likeness(0)[5] < 0.9
