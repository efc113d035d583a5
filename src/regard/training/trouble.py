"""Where numbers stop being finite: a second look at a batch that could not be learned from."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn


def first_trouble(model: nn.Module, loss: Callable[[], Tensor]) -> str | None:
    """What is not finite in a pass over a batch: a parameter, an output, the loss or a gradient.

    Of gradients the one nearest the loss is named: from there the others have it. None if all is well.
    """
    for name, parameter in model.named_parameters():
        if not _finite(parameter):
            return f"the parameter {name}"
    model.zero_grad(set_to_none=True)
    with _outputs_heard(model) as troubled:
        total = loss()
    if troubled:
        return f"the output of {troubled[0]}"
    if not _finite(total):
        return "the loss"
    total.backward()
    for name, parameter in reversed(list(model.named_parameters())):
        if parameter.grad is not None and not _finite(parameter.grad):
            return f"the gradient of {name}"
    return None


@contextmanager
def _outputs_heard(model: nn.Module) -> Iterator[list[str]]:
    """The names of the modules whose outputs were not finite, in the order they were made."""
    troubled: list[str] = []

    def hear(name: str) -> Callable[[nn.Module, Any, Any], None]:
        def heard(_module: nn.Module, _inputs: Any, output: Any) -> None:
            if isinstance(output, Tensor) and output.is_floating_point() and not _finite(output):
                troubled.append(name)

        return heard

    hooks = [module.register_forward_hook(hear(name)) for name, module in model.named_modules() if name]
    try:
        yield troubled
    finally:
        for hook in hooks:
            hook.remove()


def _finite(tensor: Tensor) -> bool:
    return bool(torch.isfinite(tensor).all())
