"""An eye on the calls of a model built elsewhere: it sees what they compute with, and changes nothing.

Two things are looked at. Hooks around every call of a module say which module is at work, and see
torch's own attentions from outside. Between them a function mode sees the functions a module calls:
scaled dot product attention, or a matrix product, a softmax over it and a product with that.

While torch's own attentions are at work the mode steps aside, since torch leaves its fast path where
any mode is in force, and its answer would no longer be the same bit for bit.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack

from regard.attention.definition import Call
from regard.attention.foreign import native
from regard.attention.foreign.asking import asked, weighed
from regard.attention.foreign.room import Room

Role = Literal["open", "closed", "multihead", "encoder layer", "encoder"]
"""How a module is looked at: into its functions, not at all, or as one of torch's own."""

Take = Callable[[str, Call, Tensor], None]

_PRODUCTS = {torch.matmul, torch.bmm, Tensor.matmul, Tensor.bmm, Tensor.__matmul__}
_SOFTMAXES = {F.softmax, torch.softmax, Tensor.softmax}


@dataclass(frozen=True)
class _Softmax:
    """A softmax, and what its scores were made of, if that was seen."""

    scores: Tensor
    weights: Tensor
    queries: Tensor | None
    keys: Tensor | None

    def asked(self, values: Tensor | None = None) -> Call:
        return weighed(self.scores, self.queries, self.keys, values)


@dataclass
class _AtWork:
    """A module that is being called, and what it did so far."""

    module: nn.Module
    name: str
    role: Role
    aside: list[TorchFunctionMode] = field(default_factory=list)
    was_seen: bool = False
    product: tuple[Tensor, Tensor, Tensor] | None = None
    softmax: _Softmax | None = None


class Eye(TorchFunctionMode):
    """Hands over each attention of the modules it is told about, by name."""

    def __init__(
        self, modules: Mapping[int, tuple[str, Role]], take: Take, is_awake: Callable[[], bool]
    ) -> None:
        super().__init__()
        self._modules, self._take, self._is_awake = modules, take, is_awake
        self._at_work: list[_AtWork] = []
        self._rooms: dict[str, Room] = {}

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Look, as long as the block lasts."""
        hooks = (
            register_module_forward_pre_hook(self._enter),
            register_module_forward_hook(self._leave, with_kwargs=True, always_call=True),
        )
        try:
            with self:
                try:
                    yield
                finally:
                    while self._at_work:  # only where a call was broken off
                        _come_back(self._at_work.pop())
        finally:
            for hook in hooks:
                hook.remove()

    def __torch_function__(
        self,
        function: Callable[..., Any],
        types: object,
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> Any:
        """Call the function as it would have been called, and look."""
        output = function(*args, **(kwargs or {}))
        if self._at_work and self._at_work[-1].role == "open" and not torch.compiler.is_compiling():
            with _unseen():
                self._look(self._at_work[-1], function, args, kwargs or {}, output)
        return output

    def _look(
        self, at_work: _AtWork, function: object, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any
    ) -> None:
        if function is F.scaled_dot_product_attention:
            self._hand_over(at_work.name, asked(*args, **kwargs), output)
        elif function in _PRODUCTS and output.dim() > 2:
            left, right = (*args, *kwargs.values())[:2]
            if at_work.softmax is not None and left.shape == at_work.softmax.weights.shape:
                self._hand_over(at_work.name, at_work.softmax.asked(right), output)
                at_work.softmax = None
            at_work.product = (left, right, output)
        elif function in _SOFTMAXES and output.dim() > 2:
            scores, dim = (*args, kwargs.get("dim"))[:2]
            if dim in (-1, scores.dim() - 1):
                self._hand_over_weights_alone(at_work)
                at_work.softmax = _Softmax(scores.detach().clone(), output, *_sides(scores, at_work.product))

    def _enter(self, module: nn.Module, args: object) -> None:
        if id(module) not in self._modules or not self._is_awake():
            return
        at_work = _AtWork(module, *self._modules[id(module)])
        if at_work.role not in ("open", "closed"):
            modes = _get_current_function_mode_stack()
            if all(isinstance(mode, Eye) for mode in modes):  # else there is no fast path anyway
                for mode in reversed(modes):
                    mode.__exit__(None, None, None)
                at_work.aside = modes
        self._at_work.append(at_work)

    def _leave(self, module: nn.Module, args: tuple[Any, ...], *rest: Any) -> None:
        if not self._at_work or self._at_work[-1].module is not module or not self._is_awake():
            return
        at_work = self._at_work[-1]
        try:
            if len(rest) == 2:  # without keyword arguments torch tells of an error
                with _unseen():
                    self._look_back(at_work, args, rest[0])
        finally:
            self._at_work.pop()
            _come_back(at_work)

    def _look_back(self, at_work: _AtWork, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """See what could not be seen while the module was at work."""
        name, module = at_work.name, at_work.module
        if isinstance(module, nn.MultiheadAttention) and at_work.role == "multihead":
            arguments = native.asked_by_multihead(module, *args, **kwargs)
            for outer in self._at_work[-2:-1]:
                outer.was_seen = True
        elif (
            isinstance(module, nn.TransformerEncoderLayer) and not at_work.was_seen and at_work.role != "open"
        ):
            arguments = native.asked_by_encoder_layer(module, *args, **kwargs)
            name = f"{name}.self_attn" if name else "self_attn"
        else:
            self._hand_over_weights_alone(at_work)
            return
        self._hand_over(name, asked(**arguments), F.scaled_dot_product_attention(**arguments))

    def _hand_over_weights_alone(self, at_work: _AtWork) -> None:
        """A softmax that no product followed: of what it weighed, the weights are all there is to see."""
        if at_work.softmax is not None and at_work.softmax.weights.dim() == 4:
            self._hand_over(at_work.name, at_work.softmax.asked(), at_work.softmax.weights[..., :0])
        at_work.softmax = None

    def _hand_over(self, name: str, call: Call, output: Tensor) -> None:
        room = self._rooms.setdefault(name, Room())
        keys, values = room.keep(call.keys, call.values)
        call = replace(call, queries=call.queries.clone(), keys=keys, values=values)
        output = output.detach().reshape(*call.queries.shape[:-1], output.shape[-1])
        self._take(name or "attention", call, output.clone())


@contextmanager
def _unseen() -> Iterator[None]:
    """Compute without leaving a trace, in no graph and before no other eye."""
    with torch.no_grad(), torch._C.DisableTorchFunction():
        yield


def _sides(
    scores: Tensor, product: tuple[Tensor, Tensor, Tensor] | None
) -> tuple[Tensor, Tensor] | tuple[None, None]:
    """The queries and keys of scores, if they are the last matrix product or came from it."""
    if product is None or product[2].shape != scores.shape:
        return None, None
    return product[0], product[1].mT


def _come_back(at_work: _AtWork) -> None:
    for mode in at_work.aside:
        mode.__enter__()
