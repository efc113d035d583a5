"""Output projection and label-smoothed loss in blocks: the (tokens × vocabulary) matrix never exists whole.

    loss = Σ_t  log Σ_v e^{z_tv} - (1 - ε) z_t,target - (ε / V) Σ_v z_tv,      z_t = h_t · table

A block's logits turn into their own gradient in place, so that the gradient of hidden vectors and
table is computed in the forward pass, while the block is still in cache. Hidden vectors of half
precision are multiplied in it; logits, loss and the table's gradient are summed in the table's own.
"""

from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from regard.attention.products import product

BLOCK = 256
"""Tokens projected at a time."""


def smoothed_loss(
    hidden: Float[Tensor, "tokens width"],
    table: Float[Tensor, "vocabulary width"],
    targets: Int[Tensor, " tokens"],
    *,
    smoothing: float = 0.0,
) -> Float[Tensor, ""]:
    """The sum of the label-smoothed cross-entropies of the targets, in nats.

    >>> hidden, table = torch.zeros(3, 5), torch.zeros(7, 5)
    >>> smoothed_loss(hidden, table, torch.tensor([0, 4, 6]))      # three times log 7
    tensor(5.8377)
    """
    return _BlockedLoss.apply(hidden, None, table, targets, smoothing, 0.0)


def agreeing_loss(
    first: Float[Tensor, "tokens width"],
    second: Float[Tensor, "tokens width"],
    table: Float[Tensor, "vocabulary width"],
    targets: Int[Tensor, " tokens"],
    *,
    smoothing: float = 0.0,
    agreement: float,
) -> Float[Tensor, ""]:
    """R-Drop: the mean loss of two passes, and how far apart their predictions are.

        (loss₁ + loss₂) / 2 + agreement · (KL(p₁‖p₂) + KL(p₂‖p₁)) / 2

    Wu et al. (2021): two passes that drop different features should predict the same.
    """
    return _BlockedLoss.apply(first, second, table, targets, smoothing, agreement)


class _BlockedLoss(torch.autograd.Function):
    @staticmethod
    def forward(
        context: Any,
        first: Tensor,
        second: Tensor | None,
        table: Tensor,
        targets: Tensor,
        smoothing: float,
        agreement: float,
    ) -> Tensor:
        passes = [first] if second is None else [first, second]
        of_hidden = [torch.empty_like(hidden) for hidden in passes]
        of_table = torch.zeros_like(table)
        total = table.new_zeros(())
        buffers = [table.new_empty(min(BLOCK, len(first)), len(table)) for _ in passes]
        factor = table.to(first.dtype)
        for start in range(0, len(first), BLOCK):
            rows = slice(start, start + BLOCK)
            wanted = targets[rows].unsqueeze(1)
            logits = [
                product(hidden[rows], factor.mT, buffer[: len(wanted)], elsewhere=True)
                for hidden, buffer in zip(passes, buffers, strict=True)
            ]
            if len(logits) == 2:
                loss, gradients = _agreeing(logits[0], logits[1], wanted, smoothing, agreement)
            else:
                loss, gradients = _smoothed(logits[0], wanted, smoothing)
            total += loss
            for hidden, gradient, place in zip(passes, gradients, of_hidden, strict=True):
                narrow = gradient.to(first.dtype)
                product(narrow, factor, place[rows])
                product(narrow.mT, hidden[rows], of_table, added=True)
            del logits, gradients, gradient, narrow  # or the next block would need as much beside them
        context.save_for_backward(of_table, *of_hidden)
        return total

    @staticmethod
    def backward(context: Any, *of_loss: Tensor) -> tuple[Tensor | None, ...]:
        of_table, *of_hidden = context.saved_tensors
        first, second = [*of_hidden, None][:2]
        scaled = None if second is None else second * of_loss[0]
        return first * of_loss[0], scaled, of_table * of_loss[0], None, None, None


def _smoothed(logits: Tensor, wanted: Tensor, smoothing: float) -> tuple[Tensor, list[Tensor]]:
    """The loss of a block; its logits are overwritten by their gradient."""
    share = smoothing / logits.shape[1]
    at_target = logits.gather(1, wanted)
    of_all = logits.sum(1, keepdim=True)
    highest = logits.amax(1, keepdim=True)
    partition = logits.sub_(highest).exp_().sum(1, keepdim=True)
    loss = (partition.log() + highest - (1 - smoothing) * at_target - share * of_all).sum()
    logits.div_(partition)
    if smoothing:
        logits.sub_(share)
    logits.scatter_add_(1, wanted, torch.full_like(at_target, smoothing - 1))
    return loss, [logits]


def _agreeing(
    first: Tensor, second: Tensor, wanted: Tensor, smoothing: float, agreement: float
) -> tuple[Tensor, list[Tensor]]:
    """The loss of a block of two passes, and the gradients of their logits.

    With d = log p₁ - log p₂, the gradient of KL(p₁‖p₂) + KL(p₂‖p₁) is p₁(d - Σ p₁ d) + p₁ - p₂
    for the first logits, and the mirror of it for the second.
    """
    logs = [logits.log_softmax(1) for logits in (first, second)]
    chances = [log.exp() for log in logs]
    difference = logs[0] - logs[1]
    apart = ((chances[0] - chances[1]) * difference).sum()
    share = smoothing / first.shape[1]
    loss = agreement * apart / 2
    gradients = []
    for log, mine, other, sign in (
        (logs[0], chances[0], chances[1], 1.0),
        (logs[1], chances[1], chances[0], -1.0),
    ):
        loss = loss - ((1 - smoothing) * log.gather(1, wanted) + share * log.sum(1, keepdim=True)).sum() / 2
        of_one = mine - share
        of_one.scatter_add_(1, wanted, torch.full_like(mine[:, :1], smoothing - 1))
        inner = sign * (difference - (mine * difference).sum(1, keepdim=True))
        gradients.append(of_one / 2 + agreement / 2 * (mine * inner + mine - other))
    return loss, gradients
