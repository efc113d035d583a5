"""Every step of an explanation follows from the one before."""

import pytest
import torch

from regard import attend, explain, masks, positions, scores, weigh
from regard.attention.paths import choose
from tests.attention.mechanisms import (
    Hiding,
    Mechanism,
    assert_nearly,
    every_mask,
    every_mechanism,
    some_inputs,
)


@every_mechanism
@every_mask
def test_the_steps_lead_to_the_answer(mechanism: Mechanism, hiding: Hiding) -> None:
    inputs = some_inputs(mechanism, hiding=hiding)
    steps = explain(**inputs.arguments, mask=hiding.mask)
    torch.testing.assert_close(steps.scaled, steps.similarities * steps.scale)  # minus infinity at times
    heard = steps.totals.unsqueeze(-1) > 0
    divided = steps.exponentials / torch.where(heard, steps.totals.unsqueeze(-1), 1.0)
    assert_nearly(steps.weights, divided)
    assert_nearly(steps.output, attend(**inputs.arguments, mask=hiding.mask))
    assert steps.keep is None or torch.equal(steps.keep, hiding.allowed)
    assert (steps.exponentials[~hiding.allowed] == 0).all()
    if inputs.position is None:
        torch.testing.assert_close(steps.scores, steps.scaled)
    taken = choose(inputs.call(hiding.mask))
    assert (steps.path, steps.reason) == (taken.path.name, taken.reason)


def test_an_explanation_names_its_formula_and_its_position() -> None:
    x = torch.randn(2, 3, 5, 4)
    steps = explain(x, position=positions.Alibi(3))
    assert (steps.formula, steps.scale, steps.position) == ("q·k / √d", 0.5, "Alibi")
    assert explain(x, score=scores.Uniform()).position is None


def test_explaining_nothing_is_no_error() -> None:
    steps = explain(torch.randn(3, 4), torch.randn(0, 4))
    assert steps.weights.shape == (3, 0)
    assert (steps.output == 0).all()


@pytest.mark.parametrize("score", [scores.Dot(), scores.Gaussian()], ids=str)
def test_large_scores_do_not_overflow_their_exponentials(score: scores.Score) -> None:
    steps = explain(
        torch.full((1, 4), 1e3), torch.randn(5, 4) * 1e3, score=score, mask=masks.window(before=0, after=3)
    )
    assert steps.exponentials.isfinite().all()
    assert steps.exponentials.amax() == 1
    assert_nearly(
        steps.weights, weigh(steps.queries, steps.keys, score=score, mask=masks.window(before=0, after=3))
    )
