"""From one watched attention and the words of its sample to one map."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal, Protocol, runtime_checkable

from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import RegardError, ShapeError
from regard.viewing.maps import AttentionMap, Kind
from regard.wording import counted

Rows = Literal["produced", "read"]

BEGIN = "<begin>"
_NOUNS = {-2: ("query", "queries"), -1: ("key", "keys")}
SOURCE, PRODUCED, READ = "source", "target produced", "target read"


@runtime_checkable
class Record(Protocol):
    """What is taken from a watched attention."""

    @property
    def weights(self) -> Float[Tensor, "batch heads queries keys"]:
        """What each query gave to each key."""

    @property
    def keep(self) -> Bool[Tensor, "batch heads queries keys"] | None:
        """Where a query might attend."""


def _given(words: int) -> str:
    return f"{counted(words, 'word is', 'words are')} given"


def kind_of(name: str) -> Kind:
    """The kind a name tells, in the words of regard, torch and Hugging Face.

    >>> kind_of("decoder.1.cross"), kind_of("decoder.layers.0.self_attn"), kind_of("encoder.0.self")
    ('cross', 'decoder self', 'self')
    """
    lowered = name.lower()
    if any(
        mark in lowered for mark in ("cross", "multihead_attn", "encoder_attn", "encdecattention", "enc_dec")
    ):
        return "cross"
    return "decoder self" if "decoder" in lowered else "self"


def kinds_of(names: Iterable[str]) -> dict[str, Kind]:
    """The kinds names tell together: beside cross-attention in one layer, self-attention is a decoder's.

    >>> kinds_of(["layers.0.self_attn", "layers.0.multihead_attn"])
    {'layers.0.self_attn': 'decoder self', 'layers.0.multihead_attn': 'cross'}
    """
    kinds = {name: kind_of(name) for name in names}
    crossing = {_layer(name) for name, kind in kinds.items() if kind == "cross"}
    return {
        name: "decoder self" if kind == "self" and _layer(name) in crossing else kind
        for name, kind in kinds.items()
    }


def _layer(name: str) -> str:
    """A name up to its first number."""
    found = re.match(r"\D*\d+", name)
    return found.group() if found else ""


class Sides:
    """Which words stand on which side of which attention."""

    def __init__(self, *, source: Sequence[str] | None, target: Sequence[str] | None, rows: Rows) -> None:
        self.source, self.target, self.rows = source, target, rows

    def sides(self, name: str, kind: Kind) -> tuple[tuple[str, Sequence[str]], tuple[str, Sequence[str]]]:
        """The axis and the words of the queries, then of the keys."""
        if self.target is None and kind == "decoder self":
            kind = "self"  # a model that is all decoder has one sequence only
        source = (SOURCE, self._given(self.source, "source", name)) if kind != "decoder self" else None
        if kind == "self":
            assert source is not None
            return source, source
        target = self._given(self.target, "target", name)
        read = (READ, [BEGIN, *target[:-1]])
        queries = read if self.rows == "read" else (PRODUCED, target)
        return queries, source or read

    def _given(self, words: Sequence[str] | None, what: str, name: str) -> Sequence[str]:
        if words is None:
            raise RegardError(f"{name!r} needs the words of the {what}: give {what}=[…].")
        if isinstance(words, str) or not words:
            raise RegardError(f"{what} must be a list of one or more words, but got {words!r}.")
        return words


def map_of(name: str, record: Record, kind: Kind, labels: Sides, sample: int) -> AttentionMap:
    """Label what was recorded of one sample, without its padding; ``kind`` is what the name tells."""
    every = record.weights  # computed when read: read once
    weights = take_sample(every, sample, name)
    kind = _kind(name, kind, weights, labels)
    (query_axis, query_labels), (key_axis, key_labels) = labels.sides(name, kind)
    for axis, words, dim in ((query_axis, query_labels, -2), (key_axis, key_labels, -1)):
        if len(words) > weights.shape[dim]:
            raise ShapeError(
                f"{name!r} has {counted(weights.shape[dim], *_NOUNS[dim])}, "
                f"but {_given(len(words))} for the {axis}."
            )
    queries, keys = len(query_labels), len(key_labels)
    if (weights[:, :queries, keys:] > 0.01).any():
        raise ShapeError(
            f"{name!r} attends to {counted(weights.shape[-1], 'key')}, but {_given(keys)} for the "
            f"{key_axis}: give all the model saw, <end> included."
        )
    keep = None if record.keep is None else record.keep.broadcast_to(every.shape)
    kept = None if keep is None else keep[sample, :, :queries, :keys]
    return AttentionMap(
        weights[:, :queries, :keys],
        query_labels=list(query_labels),
        key_labels=list(key_labels),
        name=name,
        kind="self" if query_axis == SOURCE == key_axis else kind,
        keep=None if kept is None or kept.all() else kept,
        axes=(query_axis, key_axis),
        value_norms=_value_norms(record, sample, keys, heads=weights.shape[0]),
    )


def _kind(name: str, kind: Kind, weights: Float[Tensor, "heads queries keys"], labels: Sides) -> Kind:
    """The kind a name tells; one that tells nothing is cross if it reaches where a decoder may not."""
    if labels.source is None or labels.target is None or "self" in name.lower() or "encoder" in name.lower():
        return kind
    reaches = weights.shape[-1] != weights.shape[-2] or bool((weights.triu(1) > 0.01).any())
    return "cross" if reaches else kind


def take_sample(weights: Tensor, sample: int, name: str) -> Float[Tensor, "heads queries keys"]:
    """One sample of a batch; three axes are one sample already, two are one head of one."""
    if weights.dim() in (2, 3):
        weights = weights[(None,) * (4 - weights.dim())]
    if weights.dim() != 4:
        raise ShapeError(
            f"weights of {name!r} must be (batch, heads, queries, keys), but they are {tuple(weights.shape)}."
        )
    if not -len(weights) <= sample < len(weights):
        raise RegardError(
            f"sample must be one of 0…{len(weights) - 1}, the samples of {name!r}, but got {sample}."
        )
    return weights[sample]


def _value_norms(record: Any, sample: int, keys: int, heads: int) -> Tensor | None:
    """Lengths of the values; some backends give the weights alone."""
    values = getattr(record, "values", None)
    if not isinstance(values, Tensor) or values.dim() != 4 or not values.shape[-1]:
        return None
    norms = values[sample, :, :keys].detach().float().norm(dim=-1)
    return norms.repeat_interleave(heads // norms.shape[0], dim=0)  # key heads may be shared by several heads
