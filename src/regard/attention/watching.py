"""Looking at attention while it happens, and changing it: outside the call, never in its signature.

A watched call runs exactly as an unwatched one. What it was asked is kept, and the weights
are computed from that when somebody reads them. Nothing is stored on any module, and a
watch or an intervention in one thread is unknown to every other.
"""

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import masks
from regard.attention.definition import Call, average, compare, masked_softmax
from regard.attention.paths import choose
from regard.attention.positions import Bias, Relative
from regard.errors import RegardError

Module = TypeVar("Module", bound=nn.Module)


class Watchable(nn.Module, ABC):
    """A module whose attention can be watched and changed: it answers through :func:`answer`."""


@dataclass(frozen=True)
class Record:
    """One call of one attention: what it was asked, and what it answered.

    Tensors lead with (batch, heads); an attention without heads has one. Weights and
    scores are computed when read, before dropout.
    """

    name: str
    call: Call
    output: Float[Tensor, "batch heads queries value_width"]
    change: "Intervention | None" = None

    @property
    def queries(self) -> Float[Tensor, "batch heads queries query_width"]:
        """What was looked for."""
        return _with_heads(self.call.queries)

    @property
    def keys(self) -> Float[Tensor, "batch heads keys key_width"]:
        """What was looked at, a head for every query head."""
        return _with_heads(self.call.unshared().keys)

    @property
    def values(self) -> Float[Tensor, "batch heads keys value_width"]:
        """What was brought back, a head for every query head."""
        return _with_heads(self.call.unshared().values)

    @property
    def keep(self) -> Bool[Tensor, "batch heads queries keys"]:
        """True where a query was allowed to attend."""
        keep, shape = self.call.keep(), self.call.scores_shape
        if keep is None:
            keep = torch.ones((), dtype=torch.bool, device=self.call.queries.device)
        return _with_heads(keep.expand(shape))

    @property
    def scores(self) -> Float[Tensor, "batch heads queries keys"]:
        """The scores, positions included; minus infinity where masked."""
        return _with_heads(_scores(self.call, self.change)).masked_fill(~self.keep, -torch.inf)

    @property
    def weights(self) -> Float[Tensor, "batch heads queries keys"]:
        """The weights: each row sums to one, or to zero where nothing may be attended to."""
        return _with_heads(_weights(self.call, self.change)).to(self.call.queries.dtype)

    def weights_of(
        self, *, head: int | None = None, query: int | None = None
    ) -> Float[Tensor, "batch heads queries keys"]:
        """The weights of one head, one query or both, without forming those of the others.

        >>> attention = regard.MultiHeadAttention(6, heads=2)
        >>> with regard.watch(attention) as seen:
        ...     output = attention(torch.zeros(1, 3, 6))
        >>> seen["attention"].weights_of(head=1, query=2).shape
        torch.Size([1, 1, 1, 3])
        """
        call, shape = self.call, self.call.scores_shape
        heads = shape[-3] if len(shape) > 3 else 1
        _check_numbers("weights_of()", "heads", [] if head is None else [head], heads)
        _check_numbers("weights_of()", "queries", [] if query is None else [query], shape[-2])
        kept = slice(None) if head is None else slice(head, head + 1)
        if self.change is not None:
            row = slice(None) if query is None else slice(query, query + 1)
            return self.weights[:, kept, row]
        if query is not None:
            rows = slice(query, query + 1)
            keep = None if call.mask is None else call.mask.rows(shape, call.past, call.queries.device, rows)
            call = replace(
                call,
                queries=call.queries[..., rows, :],
                past=call.past + query,
                mask=None if keep is None else masks.where(keep=keep.expand(*shape[:-2], 1, shape[-1])),
            )
        of_its_own = isinstance(call.position, Bias) or (
            isinstance(call.position, Relative) and call.position.heads is not None
        )
        if head is None or len(shape) < 4 or call.mask is not None or of_its_own:
            return _with_heads(_weights(call, None)).to(call.queries.dtype)[:, kept]
        call = call.unshared()
        call = replace(
            call, queries=call.queries[:, kept], keys=call.keys[:, kept], values=call.values[:, kept]
        )
        return _weights(call, None).to(call.queries.dtype)


class Seen(Mapping[str, Record]):
    """What a watch saw: each attention's last call under the attention's name."""

    def __init__(self, names: Mapping[int, str]) -> None:
        self._names = names
        self._calls: dict[str, list[Record]] = {}
        self._copies: dict[int, tuple[tuple[int, ...], nn.Module]] = {}

    def calls(self, name: str) -> tuple[Record, ...]:
        """Every call of one attention, in order."""
        self._check(name)
        return tuple(self._calls[name])

    def __getitem__(self, name: str) -> Record:
        self._check(name)
        return self._calls[name][-1]

    def __iter__(self) -> Iterator[str]:
        return iter(self._calls)

    def __len__(self) -> int:
        return len(self._calls)

    def __repr__(self) -> str:
        return f"Seen({', '.join(self) or 'nothing'})"

    def _check(self, name: str) -> None:
        if name in self._calls:
            return
        if name in self._names.values():
            raise NotSeen(
                f"{name} was not called while it was watched. Call the model inside the with block."
            )
        raise NotSeen(f"There is no attention named {name!r} here, only {_listed(self._names.values())}.")

    def _take(self, module: nn.Module, call: Call, output: Tensor, change: "Intervention | None") -> None:
        name = self._names.get(id(module))
        if name is None:
            return
        kept = replace(
            call,
            queries=call.queries.detach(),
            keys=call.keys.detach(),
            values=call.values.detach(),
            score=self._as_now(call.score),
            position=None if call.position is None else self._as_now(call.position),
        )
        self._calls.setdefault(name, []).append(Record(name, kept, _with_heads(output.detach()), change))

    def _as_now(self, module: Module) -> Module:
        """The module as it is now: an optimizer may overwrite its parameters before anyone reads."""
        versions = tuple(parameter._version for parameter in module.parameters())
        if not versions:
            return module
        known = self._copies.get(id(module))
        if known is None or known[0] != versions:
            known = self._copies[id(module)] = (versions, copy.deepcopy(module))
        return cast(Module, known[1])


class NotSeen(RegardError, KeyError):
    """A name under which nothing was seen."""

    def __str__(self) -> str:
        return str(self.args[0])


class Intervention(ABC):
    """A change to one attention: to its scores, or to its weights."""

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The scores as they should be; minus infinity hides a key."""
        return scores

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The weights as they should be."""
        return weights

    @abstractmethod
    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse a change that does not fit scores of this shape, (batch, heads, queries, keys)."""


@dataclass(frozen=True, kw_only=True)
class KnockOut(Intervention):
    """These heads answer zero."""

    heads: Iterable[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "heads", tuple(self.heads))

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """Zero in the heads knocked out."""
        out = torch.zeros(weights.shape[-3], dtype=torch.bool, device=weights.device)
        out[list(self.heads)] = True
        return weights.masked_fill(out[:, None, None], 0.0)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse heads that are not there."""
        _check_numbers("KnockOut", "heads", self.heads, shape[-3])


@dataclass(frozen=True, kw_only=True)
class MaskKeys(Intervention):
    """These keys are hidden; the weights of the others grow to sum to one."""

    keys: Iterable[int]

    def __post_init__(self) -> None:
        object.__setattr__(self, "keys", tuple(self.keys))

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """Minus infinity for the hidden keys."""
        hidden = torch.zeros(scores.shape[-1], dtype=torch.bool, device=scores.device)
        hidden[list(self.keys)] = True
        return scores.masked_fill(hidden, -torch.inf)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse keys that are not there."""
        _check_numbers("MaskKeys", "keys", self.keys, shape[-1])


@dataclass(frozen=True)
class ReplaceWeights(Intervention):
    """These weights instead of its own."""

    weights: Float[Tensor, "..."]

    def on_weights(self, weights: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The given weights."""
        return self.weights.to(weights).expand_as(weights)

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse weights of another shape."""
        try:
            self.weights.expand(shape)
        except RuntimeError as error:
            raise RegardError(
                f"ReplaceWeights holds weights of shape {tuple(self.weights.shape)}, which do not spread "
                f"to {shape}."
            ) from error


@dataclass(frozen=True)
class Temperature(Intervention):
    """Scores divided by a temperature: above one flattens the weights, below one sharpens them."""

    temperature: float

    def on_scores(self, scores: Float[Tensor, "*batch queries keys"]) -> Tensor:
        """The scores, cooled or heated."""
        return scores / self.temperature

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse a temperature that is not positive."""
        if not self.temperature > 0:
            raise RegardError(f"Temperature must be positive, but got {self.temperature}.")


@dataclass(frozen=True)
class _Around:
    """What surrounds the calls of this thread: who watches, and what is changed."""

    watchers: tuple[Seen, ...] = ()
    changes: Mapping[int, Intervention] = field(default_factory=dict)


_around: ContextVar[_Around | None] = ContextVar("around", default=None)


@contextmanager
def watch(model: nn.Module) -> Iterator[Seen]:
    """See every attention of a model that is called inside the block, by name.

    >>> from regard import MultiHeadAttention
    >>> attention = MultiHeadAttention(6, heads=2)
    >>> with watch(attention) as seen:
    ...     output = attention(torch.zeros(1, 3, 6))
    >>> seen["attention"].weights.shape
    torch.Size([1, 2, 3, 3])
    """
    seen = Seen(_named(model, "watch"))
    around = _around.get() or _Around()
    token = _around.set(replace(around, watchers=(*around.watchers, seen)))
    try:
        yield seen
    finally:
        _around.reset(token)


@contextmanager
def intervene(model: nn.Module, changes: Mapping[str, Intervention]) -> Iterator[None]:
    """Change named attentions of a model inside the block.

    >>> from regard import KnockOut, MultiHeadAttention
    >>> attention = MultiHeadAttention(6, heads=2)
    >>> with intervene(attention, {"attention": KnockOut(heads=[0, 1])}):
    ...     output = attention(torch.ones(1, 3, 6))
    >>> torch.equal(output, attention.output_projection.bias.expand(1, 3, 6))
    True
    """
    numbers = {name: number for number, name in _named(model, "intervene").items()}
    for name, change in changes.items():
        if name not in numbers:
            raise RegardError(f"There is no attention named {name!r} here, only {_listed(numbers)}.")
        if not isinstance(change, Intervention):
            raise RegardError(
                f"The change to {name} must be an intervention such as KnockOut(heads=[0]), but got "
                f"{change!r}."
            )
    around = _around.get() or _Around()
    added = {numbers[name]: change for name, change in changes.items()}
    token = _around.set(replace(around, changes={**around.changes, **added}))
    try:
        yield
    finally:
        _around.reset(token)


def answer(module: nn.Module, call: Call, *, overwritten_later: bool = False) -> Tensor:
    """Answer a module's question by the best path, seen by whoever watches."""
    around = None if torch.compiler.is_compiling() else _around.get()
    if around is None:
        return choose(call).path.attend(call)
    change = around.changes.get(id(module))
    if change is None:
        output = choose(call).path.attend(call)
    else:
        shape = call.scores_shape
        change.check((*(1,) * (2 - len(shape[:-2])), *shape))
        weights = torch.nn.functional.dropout(_weights(call, change), call.dropout)
        whole = call.unshared().without_the_unheard(call.keep())
        output = average(whole, weights).to(call.queries.dtype)
    if around.watchers:
        if overwritten_later:
            copies = {name: getattr(call, name).clone() for name in ("queries", "keys", "values")}
            call = replace(call, **copies)
        for seen in around.watchers:
            seen._take(module, call, output.clone() if overwritten_later else output, change)
    return output


def _scores(call: Call, change: Intervention | None) -> Tensor:
    scores = compare(call.unshared().without_the_unheard(call.keep()))
    return scores if change is None else change.on_scores(_with_heads(scores)).reshape(scores.shape)


def _weights(call: Call, change: Intervention | None) -> Tensor:
    weights = masked_softmax(_scores(call, change), call.keep())
    return weights if change is None else change.on_weights(_with_heads(weights)).reshape(weights.shape)


def _with_heads(tensor: Tensor) -> Tensor:
    while tensor.dim() < 4:
        tensor = tensor.unsqueeze(-3)
    return tensor


def _named(model: nn.Module, verb: str) -> dict[int, str]:
    if not isinstance(model, nn.Module):
        raise RegardError(f"{verb}() takes a model, but got {type(model).__name__}.")
    if isinstance(model, torch._dynamo.OptimizedModule):
        raise RegardError(
            f"{verb}() cannot look into a compiled model. Give it, and call, the model as it was before "
            "torch.compile."
        )
    found = {
        id(module): name or "attention"
        for name, module in model.named_modules()
        if isinstance(module, Watchable)
    }
    if not found:
        raise RegardError(f"{verb}() found no attention in this {type(model).__name__}.")
    return found


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)


def _check_numbers(who: str, what: str, numbers: Iterable[int], count: int) -> None:
    for number in numbers:
        if not 0 <= number < count:
            raise RegardError(f"{who} names {what} from 0 to {count - 1} here, but got {number}.")
