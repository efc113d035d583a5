"""Masks: which query may attend to which key. True means *may attend*, everywhere.

A mask is a small object that says what it hides, not a tensor whose polarity one must
remember. Masks combine with ``&`` (both allow), ``|`` (either allows) and ``~``.
Query i stands at position ``past + i`` and key j at position j, so that the same mask
serves a whole sentence and one more word of it.

>>> masks = causal() & lengths([3, 2])
>>> masks.keep((2, 3, 3))[1].int()
tensor([[1, 0, 0],
        [1, 1, 0],
        [1, 1, 0]], dtype=torch.int32)
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from regard.attention.places import relative_positions
from regard.errors import MaskError
from regard.wording import counted

__all__ = ["Mask", "causal", "lengths", "padding", "segments", "where", "window"]


class Mask(ABC):
    """What every mask can do: say what it keeps, and join another."""

    def keep(
        self, scores_shape: Sequence[int], past: int = 0, *, device: torch.device | str | None = None
    ) -> Bool[Tensor, "..."]:
        """True where a query may attend; broadcasts to ``scores_shape`` = (*batch, queries, keys)."""
        if len(scores_shape) < 2:
            raise MaskError(f"scores_shape must be (*batch, queries, keys), but got {tuple(scores_shape)}.")
        everyone = slice(0, scores_shape[-2])
        return self.rows(tuple(scores_shape), past, torch.device(device or "cpu"), everyone)

    @abstractmethod
    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries: ``keep`` cut to ``rows``, without forming the rest."""

    def __and__(self, other: "Mask") -> "Mask":
        return Both(self, as_mask(other))

    def __or__(self, other: "Mask") -> "Mask":
        return Either(self, as_mask(other))

    def __invert__(self) -> "Mask":
        return Neither(self)

    __rand__ = __and__
    __ror__ = __or__


def causal() -> Mask:
    """A query sees its own position and those before it.

    >>> causal().keep((3, 3)).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    >>> causal().keep((1, 3), past=2).int()
    tensor([[1, 1, 1]], dtype=torch.int32)
    """
    return Causal()


def lengths(counts: Sequence[int] | Sequence[Sequence[int]] | Int[Tensor, "..."]) -> Mask:
    """The first ``counts`` keys may be seen: one count per sample, or one per sample and query.

    >>> lengths([1, 3]).keep((2, 1, 3)).int()
    tensor([[[1, 0, 0]],
            [[1, 1, 1]]], dtype=torch.int32)
    """
    return Lengths(counts)


def window(*, before: int, after: int) -> Mask:
    """A query sees from ``before`` positions before it to ``after`` positions after it.

    >>> window(before=1, after=0).keep((3, 3)).int()
    tensor([[1, 0, 0],
            [1, 1, 0],
            [0, 1, 1]], dtype=torch.int32)
    """
    return Window(before=before, after=after)


def segments(query_ids: Int[Tensor, "..."], key_ids: Int[Tensor, "..."] | None = None) -> Mask:
    """A query sees the keys of its own segment: several sentences packed into one row.

    >>> segments(torch.tensor([[7, 7, 8]])).keep((1, 3, 3)).int()
    tensor([[[1, 1, 0],
             [1, 1, 0],
             [0, 0, 1]]], dtype=torch.int32)
    """
    return Segments(query_ids, query_ids if key_ids is None else key_ids)


def padding(tokens: Int[Tensor, "batch keys"], padding: int = 0) -> Mask:
    """The keys whose token is not padding may be seen.

    >>> padding(torch.tensor([[5, 9, 0]])).keep((1, 1, 3)).int()
    tensor([[[1, 1, 0]]], dtype=torch.int32)
    """
    return Padding(tokens, padding)


def where(*, keep: Bool[Tensor, "..."]) -> Mask:
    """Any pattern: a boolean tensor, True where a query may attend.

    Its shape is (queries, keys), or the full rank of the scores.

    >>> where(keep=torch.eye(2, dtype=torch.bool)).keep((5, 2, 2)).int()
    tensor([[1, 0],
            [0, 1]], dtype=torch.int32)
    """
    return Where(keep)


def as_mask(mask: object) -> Mask:
    """The mask itself, or a sentence that says which call was meant."""
    if isinstance(mask, Mask):
        return mask
    if isinstance(mask, Tensor):
        mend = "masks.where(keep=tensor)" if mask.dtype == torch.bool else "masks.where(keep=tensor == 0)"
        raise MaskError(
            f"mask must come from regard.masks, but got a naked {mask.dtype} tensor of shape "
            f"{tuple(mask.shape)}. Say which entries may be attended to: {mend}, or masks.lengths(counts)."
        )
    raise MaskError(
        f"mask must come from regard.masks, such as masks.causal(), but got {type(mask).__name__}."
    )


def parts_of(mask: Mask | None) -> Iterator[Mask]:
    """The masks that ``&`` joined, one by one: what a fast path reads."""
    if isinstance(mask, Both):
        yield from parts_of(mask.left)
        yield from parts_of(mask.right)
    elif mask is not None:
        yield mask


class Causal(Mask):
    """Built by :func:`causal`."""

    def __repr__(self) -> str:
        return "causal()"

    def check(self, queries: int, keys: int, past: int) -> None:
        """Refuse a corner that could be read two ways."""
        if keys != past + queries:
            raise MaskError(
                f"causal() needs as many keys as past + queries, but there are {counted(keys, 'key')}, "
                f"past={past} and {counted(queries, 'query', 'queries')}. Pass past={max(keys - queries, 0)} "
                "if the queries are the last of the keys."
            )

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        queries, keys = shape[-2:]
        self.check(queries, keys, past)
        return relative_positions(rows.stop - rows.start, keys, past + rows.start, device) <= 0


class Lengths(Mask):
    """Built by :func:`lengths`; knows its largest and smallest count where looking is free."""

    def __init__(self, counts: Sequence[int] | Sequence[Sequence[int]] | Tensor) -> None:
        if not isinstance(counts, Tensor):
            try:
                counts = torch.tensor(counts, dtype=torch.long if len(counts) == 0 else None)
            except (TypeError, ValueError) as error:
                raise MaskError(
                    f"lengths() takes one count per sample, or one per sample and query, but got {counts!r}."
                ) from error
        if counts.dtype.is_floating_point or counts.dtype == torch.bool or counts.dim() not in (1, 2):
            raise MaskError(
                "lengths() takes whole numbers, one per sample or one per sample and query, but got "
                f"{counts.dtype} of shape {tuple(counts.shape)}."
            )
        self.counts = counts.clone()  # smallest and largest stay true when theirs changes
        self.largest: int | None = None
        self.smallest: int | None = None
        if not torch.compiler.is_compiling() and counts.device.type == "cpu":
            self.smallest, self.largest = (int(counts.min()), int(counts.max())) if counts.numel() else (0, 0)
            if self.smallest < 0:
                raise MaskError(f"lengths() takes counts of 0 or more, but got {self.smallest}.")

    def __repr__(self) -> str:
        return f"lengths({self.counts.tolist()})"

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse counts for other samples, other queries or more keys than there are."""
        _check_samples("lengths()", self.counts.shape[0], shape)
        if self.counts.dim() == 2 and self.counts.shape[1] != shape[-2]:
            raise MaskError(
                f"lengths() holds counts for {counted(self.counts.shape[1], 'query', 'queries')}, "
                f"but there are {shape[-2]}."
            )
        if self.largest is not None and self.largest > shape[-1]:
            raise MaskError(
                f"lengths() counts {counted(self.largest, 'key')} in one sample, "
                f"but there are only {shape[-1]}."
            )

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        self.check(shape)
        counts = self.counts.to(device)
        counts = counts[:, None] if counts.dim() == 1 else counts[:, rows]
        return _per_sample(torch.arange(shape[-1], device=device) < counts[..., None], shape)


@dataclass(frozen=True, kw_only=True, repr=False)
class Window(Mask):
    """Built by :func:`window`."""

    before: int
    after: int

    def __post_init__(self) -> None:
        if not all(isinstance(side, int) and side >= 0 for side in (self.before, self.after)):
            raise MaskError(
                f"window() takes whole numbers of 0 or more, but got before={self.before} and "
                f"after={self.after}."
            )

    def __repr__(self) -> str:
        return f"window(before={self.before}, after={self.after})"

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        relative = relative_positions(rows.stop - rows.start, shape[-1], past + rows.start, device)
        return (relative >= -self.before) & (relative <= self.after)


class Segments(Mask):
    """Built by :func:`segments`."""

    def __init__(self, query_ids: Tensor, key_ids: Tensor) -> None:
        for name, ids in (("query_ids", query_ids), ("key_ids", key_ids)):
            if not isinstance(ids, Tensor) or ids.dtype.is_floating_point or ids.dim() != 2:
                raise MaskError(
                    f"segments() takes {name} as whole numbers of shape (batch, count), but got "
                    + (
                        f"{ids.dtype} of shape {tuple(ids.shape)}."
                        if isinstance(ids, Tensor)
                        else f"{ids!r}."
                    )
                )
        self.query_ids = query_ids
        self.key_ids = key_ids

    def __repr__(self) -> str:
        return f"segments({tuple(self.query_ids.shape)}, {tuple(self.key_ids.shape)})"

    def check(self, shape: tuple[int, ...]) -> None:
        """Refuse ids for other samples, queries or keys than there are."""
        _check_samples("segments()", self.query_ids.shape[0], shape)
        if (self.query_ids.shape[1], self.key_ids.shape[1]) != shape[-2:]:
            raise MaskError(
                f"segments() holds ids for {counted(self.query_ids.shape[1], 'query', 'queries')} and "
                f"{counted(self.key_ids.shape[1], 'key')}, but there are {shape[-2]} and {shape[-1]}."
            )

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        self.check(shape)
        query_ids, key_ids = self.query_ids[:, rows].to(device), self.key_ids.to(device)
        return _per_sample(query_ids[:, :, None] == key_ids[:, None, :], shape)


class Padding(Mask):
    """Built by :func:`padding`."""

    def __init__(self, tokens: Tensor, padding: int) -> None:
        if not isinstance(tokens, Tensor) or tokens.dtype.is_floating_point or tokens.dim() != 2:
            raise MaskError(
                "padding() takes tokens as whole numbers of shape (batch, keys), but got "
                + (
                    f"{tokens.dtype} of shape {tuple(tokens.shape)}."
                    if isinstance(tokens, Tensor)
                    else f"{tokens!r}."
                )
            )
        self.kept = tokens != padding

    def __repr__(self) -> str:
        return f"padding({tuple(self.kept.shape)})"

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        _check_samples("padding()", self.kept.shape[0], shape)
        if self.kept.shape[1] != shape[-1]:
            raise MaskError(
                f"padding() holds {counted(self.kept.shape[1], 'token')}, "
                f"but there are {counted(shape[-1], 'key')}."
            )
        return _per_sample(self.kept.to(device)[:, None, :], shape)


class Where(Mask):
    """Built by :func:`where`."""

    def __init__(self, keep: Tensor) -> None:
        if not isinstance(keep, Tensor) or keep.dtype != torch.bool:
            kind = str(keep.dtype) + " tensor" if isinstance(keep, Tensor) else type(keep).__name__
            raise MaskError(
                f"where(keep=…) takes a boolean tensor, True where a query may attend, but got a {kind}. "
                "Compare first: keep=(tensor == 1), or keep=(bias > -torch.inf) for an additive mask."
            )
        self.kept = keep

    def __repr__(self) -> str:
        return f"where(keep={tuple(self.kept.shape)})"

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        kept = tuple(self.kept.shape)
        fits = len(kept) in (2, len(shape)) and all(
            ours in (1, theirs) for ours, theirs in zip(reversed(kept), reversed(shape), strict=False)
        )
        if not fits:
            raise MaskError(
                f"where(keep=…) must be (queries, keys) = {shape[-2:]} or the full rank of the scores "
                f"{shape}, but its shape is {kept}."
            )
        return (self.kept if kept[-2] == 1 else self.kept[..., rows, :]).to(device)


@dataclass(frozen=True)
class Both(Mask):
    """Built by ``&``."""

    left: Mask
    right: Mask

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        return self.left.rows(shape, past, device, rows) & self.right.rows(shape, past, device, rows)

    def __repr__(self) -> str:
        return f"({self.left!r} & {self.right!r})"


@dataclass(frozen=True)
class Either(Mask):
    """Built by ``|``."""

    left: Mask
    right: Mask

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        return self.left.rows(shape, past, device, rows) | self.right.rows(shape, past, device, rows)

    def __repr__(self) -> str:
        return f"({self.left!r} | {self.right!r})"


@dataclass(frozen=True)
class Neither(Mask):
    """Built by ``~``."""

    inner: Mask

    def rows(self, shape: tuple[int, ...], past: int, device: torch.device, rows: slice) -> Tensor:
        """What is kept for some of the queries."""
        return ~self.inner.rows(shape, past, device, rows)

    def __repr__(self) -> str:
        return f"~{self.inner!r}"


def _per_sample(keep: Tensor, shape: tuple[int, ...]) -> Tensor:
    """(batch, queries or 1, keys) spread over the axes between the batch and the queries."""
    between = (1,) * (len(shape) - 3)
    return keep.reshape(keep.shape[0], *between, *keep.shape[1:])


def _check_samples(name: str, samples: int, shape: tuple[int, ...]) -> None:
    if len(shape) < 3:
        raise MaskError(
            f"{name} describes {counted(samples, 'sample')}, but these scores {shape} have no batch axis. "
            "Add one with unsqueeze(0), or use masks.where(keep=…)."
        )
    if samples != shape[0]:
        raise MaskError(
            f"{name} describes {counted(samples, 'sample')}, but the first batch axis holds {shape[0]}."
        )
