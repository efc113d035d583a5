"""Asking a model without teaching it."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn

from regard.attention.linear import laid_out


@contextmanager
def inferring(model: nn.Module, quantization: str | None = None) -> Iterator[torch.device]:
    """Inside, nothing drops out and nothing is kept for gradients; gives the model's device.

    With ``quantization="int8"`` linear layers multiply rounded numbers. Afterwards every part of
    the model trains or rests as before.

    >>> model = torch.nn.Dropout(0.5)
    >>> with inferring(model):
    ...     model(torch.ones(3))
    tensor([1., 1., 1.])
    >>> model.training
    True
    """
    training = [module for module in model.modules() if module.training]
    for module in training:
        module.training = False
    try:
        with torch.no_grad(), laid_out(model, quantization):
            yield next((parameter.device for parameter in model.parameters()), torch.device("cpu"))
    finally:
        for module in training:
            module.training = True
