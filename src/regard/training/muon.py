"""Muon: of a step for a matrix the direction alone counts, and in it every direction alike.

    M ← β M + (1 - β) G,    N = (1 - β) G + β M = U Σ Vᵀ,    W ← W - rate · ½ √(longer side) · U Vᵀ

Gradients of matrices are nearly of low rank: a few directions are learned at once, and the others hardly
at all. Jordan et al. (2024) set all singular values of a step to one, by a few products in place of a
decomposition; the factor of Liu et al. (2025) makes a step as large for any shape, so that one learning
rate serves all matrices, and Adam too. What is no hidden matrix (embeddings, norms, biases, tables of
positions) is left to Adam.

Torch's own ``Muon`` takes matrices one by one, each whole. Here those that stand in one parameter, as
queries, keys and values do, are taken apart, and all of one shape are multiplied together.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, overload

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.training.processes import ALONE, Processes

_LAYERS = (nn.Linear, nn.RNNBase, nn.RNNCellBase)
"""Modules whose matrices are hidden ones."""
MOMENTUM = 0.95
ROUNDS = 5
SIZE = 0.5
"""The root mean square of a step at a learning rate of one. Adam's is 0.2 to 0.4; on 29,000 captions twice
that learned faster than as much."""
_CURVE = (3.4445, -4.7750, 2.0315)
"""a x + b x³ + c x⁵, which brings every number between 0 and 1 close to one within five rounds."""


class Muon(torch.optim.Optimizer):
    """Muon for the hidden matrices of a model, Adam for everything else.

    Of several processes each computes a share of the steps, and all take the same.
    """

    def __init__(
        self,
        model: nn.Module,
        *,
        weight_decay: float = 0.0,
        half: bool = False,
        processes: Processes = ALONE,
    ) -> None:
        matrices = hidden_matrices(model)
        known = {id(one) for one in matrices}
        others = [one for one in model.parameters() if id(one) not in known]
        self.half, self.processes = half, processes
        self.adam = adam(others, weight_decay=weight_decay)
        super().__init__([{"params": matrices, "weight_decay": weight_decay}], {"lr": 0.0})
        self.param_groups.extend(self.adam.param_groups)
        self.state = self.adam.state  # one for both, so that it can be saved and brought back whole

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over a state that was saved, for Adam's part too."""
        super().load_state_dict(state_dict)
        self.adam.state, self.adam.param_groups = self.state, self.param_groups[1:]

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], float]) -> float: ...
    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:
        """Change every parameter that has a gradient."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self.adam.step()
        group = self.param_groups[0]
        wanted = [one for one in group["params"] if one.grad is not None]
        directions = self._directions([self._slope(one) for one in wanted])
        for parameter, direction in zip(wanted, directions, strict=True):
            parameter.mul_(1 - group["lr"] * group["weight_decay"])
            parameter.add_(direction, alpha=-group["lr"])
        return loss

    def _slope(self, parameter: Tensor) -> Tensor:
        """Which way a parameter should go: its gradient, and those of the last steps."""
        slots: dict[str, Any] = self.state[parameter]
        if "momentum" not in slots:
            slots["momentum"] = torch.zeros_like(parameter)
        assert parameter.grad is not None
        slots["momentum"].lerp_(parameter.grad, 1 - MOMENTUM)
        return parameter.grad.lerp(slots["momentum"], MOMENTUM)

    def _directions(self, slopes: Sequence[Tensor]) -> list[Tensor]:
        """The step of each matrix at a learning rate of one; all of one shape are found together."""
        steps = [torch.empty_like(slope) for slope in slopes]
        by_shape: dict[tuple[int, ...], list[tuple[Tensor, Tensor]]] = {}
        for slope, step in zip(slopes, steps, strict=True):
            for given, place in zip(squares(slope), squares(step), strict=True):
                by_shape.setdefault(given.shape, []).append((given, place))
        for shape, both in by_shape.items():
            found = self._shared([given for given, _ in both]) * (SIZE * max(shape) ** 0.5)
            for (_, place), one in zip(both, found, strict=True):
                place.copy_(one)
        return steps

    def _shared(self, slopes: Sequence[Tensor]) -> Tensor:
        """Directions of which each process works out its share: then all have the same, bit for bit."""
        rank, world = self.processes.rank, self.processes.world
        if self.processes.is_alone:
            return straightened(torch.stack([*slopes]), half=self.half)
        found = torch.zeros(len(slopes), *slopes[0].shape, dtype=slopes[0].dtype, device=slopes[0].device)
        if mine := slopes[rank::world]:
            found[rank::world] = straightened(torch.stack([*mine]), half=self.half)
        self.processes.add_up(found)
        return found


def hidden_matrices(model: nn.Module) -> list[nn.Parameter]:
    """The matrices of layers between embedding and output."""
    found = {
        id(parameter): parameter
        for module in model.modules()
        if isinstance(module, _LAYERS)
        for parameter in module.parameters(recurse=False)
        if parameter.dim() == 2
    }
    return [*found.values()]


def squares(matrix: Float[Tensor, "rows columns"]) -> tuple[Tensor, ...]:
    """A matrix cut along its longer side into pieces no longer than they are wide, each lying flat.

    Queries, keys and values, or the gates of a cell, stand one above the other in one matrix; cut
    apart, most matrices of a model have one shape.

    >>> [piece.shape for piece in squares(torch.zeros(6, 2))]
    [torch.Size([2, 2]), torch.Size([2, 2]), torch.Size([2, 2])]
    >>> [piece.shape for piece in squares(torch.zeros(5, 3))]
    [torch.Size([3, 3]), torch.Size([2, 3])]
    """
    upright = matrix if matrix.shape[0] >= matrix.shape[1] else matrix.mT
    pieces = upright.split(upright.shape[1])
    return tuple(piece if piece.shape[0] <= piece.shape[1] else piece.mT for piece in pieces)


def straightened(
    matrices: Float[Tensor, "matrices rows columns"], *, half: bool = False
) -> Float[Tensor, "matrices rows columns"]:
    """U Vᵀ of each matrix U Σ Vᵀ, roughly: singular values come to lie between 0.7 and 1.2.

    >>> straightened(torch.tensor([[[2.0, 0.0], [0.0, 1.0]]])).round(decimals=1).diagonal(0, 1, 2)
    tensor([[0.7000, 1.1000]])
    """
    length = matrices.norm(dim=(-2, -1), keepdim=True).clamp(min=torch.finfo(matrices.dtype).tiny)
    now = matrices / length
    if half:
        now = now.to(torch.bfloat16)
    first, third, fifth = _CURVE
    for _ in range(ROUNDS):
        square = now @ now.mT
        now = torch.baddbmm(
            now, torch.baddbmm(square, square, square, beta=third, alpha=fifth), now, beta=first
        )
    return now.to(matrices.dtype)


def adam(parameters: Iterable[nn.Parameter], *, weight_decay: float = 0.0) -> torch.optim.Optimizer:
    """Adam as in the paper (β₂ = 0.98), with decoupled weight decay where asked, in one fused pass."""
    known = [*parameters]
    fused = known[0].device.type in ("cpu", "cuda", "mps")
    betas, epsilon = (0.9, 0.98), 1e-9
    if weight_decay:
        return torch.optim.AdamW(
            known, lr=0.0, betas=betas, eps=epsilon, weight_decay=weight_decay, fused=fused
        )
    return torch.optim.Adam(known, lr=0.0, betas=betas, eps=epsilon, fused=fused)
