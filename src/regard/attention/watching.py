"""Looking at attention while it happens, and changing it: outside the call, never in its signature.

A watched call runs exactly as an unwatched one. What it was asked is kept, and the weights
are computed from that when somebody reads them. Nothing is stored on any module, and a
watch or an intervention in one thread is unknown to every other.

regard's own modules tell whoever watches; models built elsewhere are looked at by an :class:`Eye`.
"""

import copy
import threading
from abc import ABC
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from regard.attention import masks
from regard.attention.definition import Call, average, compare, masked_softmax
from regard.attention.foreign import stitching
from regard.attention.foreign.asking import Told
from regard.attention.foreign.eye import Eye, Role
from regard.attention.foreign.finding import built_elsewhere, check_backend, is_compiled
from regard.attention.intervening import (
    Intervention,
    KnockOut,
    MaskKeys,
    ReplaceWeights,
    Temperature,
    check_numbers,
)
from regard.attention.memory import one_under_another, side_by_side
from regard.attention.paths import choose
from regard.attention.positions import Bias, Relative
from regard.errors import RegardError

__all__ = [
    "Intervention",
    "KnockOut",
    "MaskKeys",
    "NotSeen",
    "Record",
    "ReplaceWeights",
    "Seen",
    "Temperature",
    "Watchable",
    "answer",
    "intervene",
    "watch",
]

Module = TypeVar("Module", bound=nn.Module)


class Watchable(nn.Module, ABC):
    """A module whose attention can be watched and changed: it answers through :func:`answer`."""


@dataclass(frozen=True)
class Record:
    """One call of one attention: what it was asked, and what it answered.

    Tensors lead with (batch, heads); an attention without heads has one. Weights and
    scores are computed when read, before dropout. Of a model built elsewhere, what could
    not be seen has a width of zero.
    """

    name: str
    call: Call
    output: Float[Tensor, "batch heads queries value_width"]
    change: Intervention | None = None

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
        check_numbers("weights_of()", "heads", [] if head is None else [head], heads)
        check_numbers("weights_of()", "queries", [] if query is None else [query], shape[-2])
        kept = slice(None) if head is None else slice(head, head + 1)
        if self.change is not None or isinstance(call.score, Told):
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

    def __init__(self, names: Mapping[int, str], what: str = "model") -> None:
        self._names, self._what = names, what
        self._calls: dict[str, list[Record]] = {}
        self._copies: dict[int, tuple[tuple[int, ...], nn.Module]] = {}

    def calls(self, name: str) -> tuple[Record, ...]:
        """Every call of one attention, in order."""
        self._check(name)
        return tuple(self._calls[name])

    def stitched(self) -> "Seen":
        """The steps of decoding, such as those of ``generate()``, as one call for each attention.

        Each sample of the batch is one sequence, from its first token to the last that was read.
        Beam search is refused where it reorders its sequences between steps.

        >>> attention = regard.MultiHeadAttention(6, heads=2)
        >>> with regard.watch(attention) as seen:
        ...     for length in (1, 2, 3):
        ...         output = attention(torch.ones(1, 1, 6), torch.ones(1, length, 6))
        >>> seen.stitched()["attention"].weights[0, 0]
        tensor([[1.0000, 0.0000, 0.0000],
                [0.5000, 0.5000, 0.0000],
                [0.3333, 0.3333, 0.3333]])
        """
        whole = Seen(self._names, self._what)
        if not self:
            return whole
        found = {
            name: stitching.belonging(name, [one.call for one in calls])
            for name, calls in self._calls.items()
        }
        steps = max((count for count, of_itself in found.values() if of_itself), default=None)
        batch = max(len(record.queries) for record in self.values())
        for name, (count, of_itself) in found.items():
            records = self._calls[name][-(count if steps is None else min(count, steps)) :]
            call, output = records[-1].call, records[-1].output
            if len(records) > 1:
                call = stitching.stitch([record.call for record in records], of_itself=of_itself)
                output = torch.cat([record.output for record in records], dim=-2)
            if batch > len(call.queries) and batch % len(call.queries) == 0:
                times = batch // len(call.queries)
                call, output = stitching.repeat(call, times), output.repeat_interleave(times, dim=0)
            whole._calls[name] = [Record(name, call, output, records[-1].change)]
        return whole

    @property
    def why_nothing(self) -> str:
        """Why nothing may have been seen, and what to do."""
        return (
            f"Nothing was seen in this {self._what}. Call it inside the with block; if it was called, its "
            "attention ran where there are no weights to see, as in flash or flex attention, xformers or a "
            "compiled part: let it run on torch's scaled_dot_product_attention."
        )

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
        here = dict.fromkeys([*self._names.values(), *self._calls])
        if not here:
            raise NotSeen(self.why_nothing)
        raise NotSeen(f"There is no attention named {name!r} here, only {_listed(here)}.")

    def _take_foreign(self, name: str, call: Call, output: Tensor) -> None:
        self._calls.setdefault(name, []).append(Record(name, call, _with_heads(output)))

    def _take(self, module: nn.Module, call: Call, output: Tensor, change: Intervention | None) -> None:
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


@dataclass(frozen=True)
class _Around:
    """What surrounds the calls of this thread: who watches, and what is changed."""

    watchers: tuple[Seen, ...] = ()
    changes: Mapping[int, Intervention] = field(default_factory=dict)


_around: ContextVar[_Around | None] = ContextVar("around", default=None)


@contextmanager
def watch(model: nn.Module) -> Iterator[Seen]:
    """See every attention of a model that is called inside the block, by name.

    The model may be regard's own, torch's (``nn.MultiheadAttention``, ``nn.Transformer`` and
    its parts), Hugging Face's under sdpa or eager, or anybody's that calls
    ``F.scaled_dot_product_attention`` or takes a softmax of a matrix product.

    >>> from regard import MultiHeadAttention
    >>> attention = MultiHeadAttention(6, heads=2)
    >>> with watch(attention) as seen:
    ...     output = attention(torch.zeros(1, 3, 6))
    >>> seen["attention"].weights.shape
    torch.Size([1, 2, 3, 3])
    >>> encoder = torch.nn.TransformerEncoderLayer(6, nhead=2, batch_first=True)
    >>> with watch(encoder) as seen:
    ...     output = encoder(torch.zeros(1, 3, 6))
    >>> seen["self_attn"].weights.shape
    torch.Size([1, 2, 3, 3])
    """
    own, foreign = _named(model, "watch"), built_elsewhere(model)
    if not own and not foreign:
        raise RegardError(f"watch() found no attention in this {type(model).__name__}.")
    check_backend(model)
    multihead = {
        number: name or "attention" for number, (name, role) in foreign.items() if role == "multihead"
    }
    seen, thread = Seen(own | multihead, type(model).__name__), threading.get_ident()

    def is_awake() -> bool:
        """Hooks are called for all threads; only what this one does is meant."""
        around = _around.get()
        watchers = () if around is None else around.watchers
        return threading.get_ident() == thread and any(each is seen for each in watchers)

    closed: dict[int, tuple[str, Role]] = {number: (name, "closed") for number, name in own.items()}
    eye = Eye(foreign | closed, seen._take_foreign, is_awake).opened() if foreign else nullcontext()
    around = _around.get() or _Around()
    token = _around.set(replace(around, watchers=(*around.watchers, seen)))
    try:
        with eye:
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
    if not numbers:
        raise RegardError(
            f"intervene() changes regard's own attentions, and this {type(model).__name__} has none; a model "
            "built elsewhere can only be watched."
        )
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


def nobody_looks() -> bool:
    """Whether no attention is watched or changed here, so that none need be asked by itself."""
    return _around.get() is None


def answer(module: nn.Module, call: Call, *, overwritten_later: bool = False, beside: int = 1) -> Tensor:
    """Answer a module's question by the best path, seen by whoever watches.

    Where the queries of so many samples are asked ``beside`` each other, every sample is seen, and changed,
    by itself.
    """
    around = None if torch.compiler.is_compiling() else _around.get()
    if around is None:
        return choose(call).path.attend(call)
    change, seen_call = around.changes.get(id(module)), _apart(call, beside)
    if change is None:
        output = choose(call).path.attend(call)
    else:
        shape = seen_call.scores_shape
        change.check((*(1,) * (2 - len(shape[:-2])), *shape))
        weights = torch.nn.functional.dropout(_weights(seen_call, change), call.dropout)
        whole = seen_call.unshared().without_the_unheard(seen_call.keep())
        output = side_by_side(average(whole, weights).to(call.queries.dtype), beside)
    if around.watchers:
        if overwritten_later:
            copies = {name: getattr(seen_call, name).clone() for name in ("queries", "keys", "values")}
            seen_call = replace(seen_call, **copies)
        shown = one_under_another(output.clone() if overwritten_later else output, beside)
        for seen in around.watchers:
            seen._take(module, seen_call, shown, change)
    return output


def _apart(call: Call, beside: int) -> Call:
    """The same question, each sample with keys of its own."""
    if beside == 1:
        return call
    keep = call.keep()
    if keep is not None:
        keep = one_under_another(keep.expand(call.scores_shape), beside)
    return replace(
        call,
        queries=one_under_another(call.queries, beside),
        keys=call.keys.repeat_interleave(beside, dim=0),
        values=call.values.repeat_interleave(beside, dim=0),
        mask=None if keep is None else masks.where(keep=keep),
    )


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
    if is_compiled(model):
        raise RegardError(
            f"{verb}() cannot look into a compiled model. Give it, and call, the model as it was before "
            "torch.compile."
        )
    return {
        id(module): name or "attention"
        for name, module in model.named_modules()
        if isinstance(module, Watchable)
    }


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names)
