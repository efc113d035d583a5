import pytest

from regard.training import learning_rate


@pytest.mark.parametrize("schedule", ["inverse-square-root", "cosine", "constant"])
def test_every_schedule_rises_in_a_line_to_its_peak(schedule: str) -> None:
    rates = [learning_rate(s, schedule=schedule, peak=0.5, warmup=10, steps=100) for s in range(1, 11)]
    assert rates == pytest.approx([0.05 * step for step in range(1, 11)])


def test_cosine_ends_at_nothing() -> None:
    assert learning_rate(100, schedule="cosine", peak=0.5, warmup=10, steps=100) == pytest.approx(0.0)


def test_four_times_the_steps_halve_the_inverse_square_root() -> None:
    rates = [
        learning_rate(step, schedule="inverse-square-root", peak=1.0, warmup=7, steps=1_000)
        for step in (28, 112)
    ]
    assert rates == pytest.approx([0.5, 0.25])
