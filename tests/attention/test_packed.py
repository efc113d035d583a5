"""Packed segments: what the laws meet too rarely."""

import torch

import regard
from regard import masks


def test_segments_that_nobody_shares_give_silence_and_gradients_of_zero() -> None:
    inputs = [torch.randn(1, 2, 3, 4, requires_grad=True) for _ in range(3)]
    mask = masks.segments(torch.tensor([[0, 0, 1]]), torch.tensor([[2, 3, 3]]))
    assert regard.explain(*inputs, mask=mask).path == "packed"
    output = regard.attend(*inputs, mask=mask)
    output.sum().backward()
    assert torch.equal(output, torch.zeros_like(output))
    assert all(one.grad is None or not one.grad.any() for one in inputs)
