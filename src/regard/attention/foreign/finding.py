"""Which modules of a model to look at, and whether there is anything to see."""

import sys

from torch import nn

from regard.attention.foreign import native
from regard.attention.foreign.eye import Role
from regard.errors import RegardError


def role_of(module: nn.Module) -> Role | None:
    """How to look at a module built elsewhere; None for torch's plain layers, which hold no attention."""
    if native.is_multihead(module):
        return "multihead"
    if native.runs_as(module, nn.TransformerEncoderLayer):
        return "encoder layer"
    if native.runs_as(module, nn.TransformerEncoder):
        return "encoder"
    home = type(module).__module__.split(".")
    return None if home[0] == "regard" or home[:2] == ["torch", "nn"] else "open"


def is_compiled(model: nn.Module) -> bool:
    """Whether a model, or any part of it, was compiled: what runs there is not its own code."""
    dynamo = sys.modules.get("torch._dynamo")  # seconds to import, and nothing is compiled without it
    return dynamo is not None and any(
        isinstance(module, dynamo.OptimizedModule) or module._compiled_call_impl is not None
        for module in model.modules()
    )


def built_elsewhere(model: nn.Module) -> dict[int, tuple[str, Role]]:
    """The modules that were built elsewhere and may attend: their names, and how to look at them."""
    roles = {id(module): (name, role_of(module)) for name, module in model.named_modules()}
    return {number: (name, role) for number, (name, role) in roles.items() if role is not None}


def check_backend(model: nn.Module) -> None:
    """Refuse a Hugging Face model that is set to a kernel without weights."""
    for module in model.modules():
        backend = getattr(getattr(module, "config", None), "_attn_implementation", None)
        if isinstance(backend, str) and any(mark in backend for mark in ("flash", "flex", "xformers", "/")):
            raise RegardError(
                f"watch() cannot see the attention of this {type(model).__name__}: {backend} gives no "
                'weights. Call model.set_attn_implementation("sdpa") first.'
            )
