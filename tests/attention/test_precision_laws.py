"""Every path is as exact as plain code in its own precision, judged as FlashAttention judges its kernels.

The reference is the oracle in float64. The error of a path may be twice that of the oracle run in the
path's own precision, three times for gradients; the errors are the largest over all masks together, so
that no rounding that happens to vanish makes a bound of nothing.
"""

import math
from collections import defaultdict
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from tests.attention.mechanisms import (
    BATCH,
    DTYPES,
    EVERY_MASK,
    HEADS,
    Mechanism,
    every_mechanism,
    every_path,
    gradients,
    oracle,
    short_paths,
    some_inputs,
)

FLOOR = {torch.float64: 64, torch.float32: 4, torch.bfloat16: 0.5, torch.float16: 0.5}
"""Roundings of the largest number that are forgiven in any case. In float64, plain code is the reference."""


@dataclass
class Errors:
    """The largest errors of a path and of plain code so far, and the mask under which the path's arose."""

    path: float = 0.0
    plain: float = 0.0
    size: float = 0.0
    mask: str = ""

    def meet(self, found: Tensor, plain: Tensor, reference: Tensor, mask: str) -> None:
        error = _distance(found, reference)
        if not error <= self.path and not math.isnan(self.path):
            self.path, self.mask = error, mask
        self.plain = max(self.plain, _distance(plain, reference))
        self.size = max(self.size, reference.abs().max().item())


def _distance(found: Tensor, reference: Tensor) -> float:
    return (found.double() - reference).abs().max().item()


@every_mechanism
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_every_path_is_as_exact_as_plain_code(mechanism: Mechanism, dtype: torch.dtype) -> None:
    errors: dict[tuple[str, int], Errors] = defaultdict(Errors)
    for hiding in EVERY_MASK:
        inputs = some_inputs(mechanism, dtype, hiding)
        exact = inputs.to(torch.float64)
        upstream = torch.randn(BATCH, HEADS, hiding.queries, mechanism.value_width).to(dtype)
        reference, _ = oracle(exact, hiding.allowed)
        plain, _ = oracle(inputs, hiding.allowed)
        references = [reference, *gradients(reference, exact, upstream.double())]
        plains = [plain, *gradients(plain, inputs, upstream)]
        call = inputs.call(hiding.mask)
        with short_paths():
            for path in every_path(call):
                output = path.attend(call)
                assert output.dtype == dtype
                found = [output, *gradients(output, inputs, upstream)]
                for number, triple in enumerate(zip(found, plains, references, strict=True)):
                    errors[path.name, number].meet(*triple, hiding.name)
    taken = {name for name, _ in errors}
    assert "definition" in taken
    assert len(taken) > 1, "there is a faster path for every mechanism"
    for (name, number), error in errors.items():
        what = "output" if number == 0 else f"gradient {number}"
        bound = (2 if number == 0 else 3) * error.plain + FLOOR[dtype] * torch.finfo(dtype).eps * error.size
        assert error.path <= bound, f"{what} of {name} under {error.mask}: {error.path} > {bound}"
