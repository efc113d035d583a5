"""Many attentions of one model and one sample, by name: layers × heads × kind."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import RegardError, ShapeError
from regard.viewing import stored
from regard.viewing.drawn import Drawn, Facets, Layout
from regard.viewing.grid import grid
from regard.viewing.maps import AttentionMap, Kind
from regard.viewing.words import Words

Rows = Literal["produced", "read"]

BEGIN = "<begin>"
SOURCE, PRODUCED, READ = "source", "target produced", "target read"


class Record(Protocol):
    """What is taken from a watched attention."""

    @property
    def weights(self) -> Float[Tensor, "batch heads queries keys"]:
        """What each query gave to each key."""

    @property
    def keep(self) -> Bool[Tensor, "batch heads queries keys"] | None:
        """Where a query might attend."""


class UnknownMap(RegardError, KeyError):
    """A name no map has."""

    __str__ = RegardError.__str__  # a KeyError would put its sentence in quotes


class AttentionMaps(Mapping[str, AttentionMap], Drawn):
    """Maps by name, in the order of the model.

    >>> cats = AttentionMap([[1.0]], query_labels=["chat"], key_labels=["cat"], name="decoder.0.cross")
    >>> AttentionMaps([cats])["decoder.0.cross"].kind
    'cross'
    """

    def __init__(self, maps: Iterable[AttentionMap]) -> None:
        given = list(maps)
        self._maps = {each.name: each for each in given}
        if not given:
            raise RegardError("there is no attention to show: nothing was recorded.")
        if len(self._maps) < len(given):
            names = [each.name for each in given]
            twice = next(name for name in names if names.count(name) > 1)
            raise RegardError(f"maps must differ in name, but {twice!r} is given twice.")

    @classmethod
    def of(
        cls,
        seen: Mapping[str, Record],
        *,
        source: Sequence[str] | None = None,
        target: Sequence[str] | None = None,
        rows: Rows = "produced",
        sample: int = 0,
    ) -> "AttentionMaps":
        """Join what ``regard.watch`` recorded with the words of one sample.

        ``source`` and ``target`` are the tokens the model saw and produced, ``<end>``
        included. A row of a decoder is labelled by the token it produces, or, with
        ``rows="read"``, by the token read. A model with only one sequence takes it as
        ``source``. Padding beyond the words is left out.
        """
        if rows not in ("produced", "read"):
            raise RegardError(f'rows must be "produced" or "read", but got {rows!r}.')
        if not seen:
            raise RegardError("there is no attention to show: nothing was recorded.")
        labels = _Labels(source=source, target=target, rows=rows)
        return cls(_map_of(name, record, labels, sample) for name, record in seen.items())

    @classmethod
    def of_weights(
        cls,
        weights: Sequence[Tensor],
        *,
        query_labels: Sequence[str],
        key_labels: Sequence[str] | None = None,
        kind: Kind = "self",
        sample: int = 0,
    ) -> "AttentionMaps":
        """Take weights somebody already has, one tensor (batch, heads, queries, keys) per layer.

        >>> import torch
        >>> layers = (torch.full((1, 2, 3, 3), 1 / 3),) * 5
        >>> list(AttentionMaps.of_weights(layers, query_labels=["the", "cat", "sleeps"]))
        ['layer.0.self', 'layer.1.self', 'layer.2.self', 'layer.3.self', 'layer.4.self']
        """
        ending = {"self": "self", "decoder self": "self", "cross": "cross"}
        names = [f"layer.{layer}.{ending[kind]}" for layer in range(len(weights))]
        return cls(
            AttentionMap(
                _sample(layer, sample, name),
                query_labels=query_labels,
                key_labels=key_labels,
                name=name,
                kind=kind,
            )
            for name, layer in zip(names, weights, strict=True)
        )

    @classmethod
    def load(cls, path: str | Path) -> "AttentionMaps":
        """Read maps saved as ``.json`` or ``.npz``."""
        return cls(stored.load(path))

    def layer(self, layer: int) -> "AttentionMaps":
        """The maps of one layer, of encoder and decoder alike."""
        return self._those([each for name, each in self.items() if layer_of(name) == layer], f"layer {layer}")

    def kind(self, kind: Kind) -> "AttentionMaps":
        """The maps of one kind."""
        return self._those([each for each in self.values() if each.kind == kind], f"the kind {kind!r}")

    def head(self, head: int) -> "AttentionMaps":
        """One head of every map."""
        return AttentionMaps(each.head(head) for each in self.values())

    def mean(self) -> "AttentionMaps":
        """Every map averaged over its heads."""
        return AttentionMaps(each.mean() for each in self.values())

    def word(self, word: str) -> "AttentionMaps":
        """Only the row of one word, from each map in which it asks."""
        found = [each.at(queries=word) for each in self.values() if word in each.query_labels]
        return self._those(found, f"a query {word!r}")

    def without(self, *tokens: str, renormalise: bool = False) -> "AttentionMaps":
        """Hide tokens wherever they occur; see :meth:`AttentionMap.without`."""
        known = {label for each in self.values() for label in each.query_labels + each.key_labels}
        if missing := [token for token in tokens if token not in known]:
            raise RegardError(f"{missing[0]!r} cannot be hidden: no query or key is called so.")
        return AttentionMaps(_without(each, tokens, renormalise) for each in self.values())

    def to_words(self, *, source: Words | None = None, target: Words | None = None) -> "AttentionMaps":
        """Merge subwords into words in every map; see :meth:`AttentionMap.to_words`."""
        words = {
            SOURCE: source,
            PRODUCED: target,
            "target": target,
            READ: target.read(BEGIN) if target else None,
        }
        return AttentionMaps(
            each.to_words(words.get(each.axes[0]), words.get(each.axes[1])) for each in self.values()
        )

    def save(self, path: str | Path, view: str | None = None, **options: Any) -> Path:
        """Write a drawing (``.svg``, ``.png``, ``.pdf``), or the maps themselves (``.json``, ``.npz``)."""
        if Path(path).suffix in stored.FILES:
            return stored.save(self.values(), path)
        return super().save(path, view, **options)

    def layout(self, view: str | None = None, **options: Any) -> Layout:
        """Decide what will be shown: a "grid" of all heads, or one "heatmap" or "flow" for each map."""
        if view in (None, "grid"):
            return grid(self.values(), **options)
        if len(self) == 1:
            return next(iter(self.values())).layout(view, **options)
        panels = tuple(each.layout(view, **options) for each in self.values())
        return Facets(title="", notes=(), theme=panels[0].theme, panels=panels, columns=1)

    def _those(self, found: list[AttentionMap], what: str) -> "AttentionMaps":
        if not found:
            raise RegardError(f"no map is of {what}: there are {', '.join(self)}.")
        return AttentionMaps(found)

    def __getitem__(self, name: str) -> AttentionMap:
        if name not in self._maps:
            raise UnknownMap(f"no map is called {name!r}: there are {', '.join(self)}.")
        return self._maps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._maps)

    def __len__(self) -> int:
        return len(self._maps)

    def __repr__(self) -> str:
        return f"AttentionMaps({', '.join(self)})"


def layer_of(name: str) -> int | None:
    """The layer a name tells: its first number.

    >>> layer_of("decoder.1.cross")
    1
    """
    found = re.search(r"\d+", name)
    return int(found.group()) if found else None


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


class _Labels:
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


def _map_of(name: str, record: Record, labels: _Labels, sample: int) -> AttentionMap:
    kind = kind_of(name)
    (query_axis, query_labels), (key_axis, key_labels) = labels.sides(name, kind)
    weights = _sample(record.weights, sample, name)
    for axis, words, dim in ((query_axis, query_labels, -2), (key_axis, key_labels, -1)):
        if len(words) > weights.shape[dim]:
            raise ShapeError(
                f"{name!r} has {weights.shape[dim]} {'queries' if dim == -2 else 'keys'}, "
                f"but {len(words)} words are given for the {axis}."
            )
    queries, keys = len(query_labels), len(key_labels)
    if (weights[:, :queries, keys:] > 0.01).any():
        raise ShapeError(
            f"{name!r} attends to {weights.shape[-1]} keys, but {keys} words are given for the {key_axis}: "
            "give all the model saw, <end> included."
        )
    keep = record.keep
    if keep is not None:
        keep = keep.broadcast_to(record.weights.shape)[sample, :, :queries, :keys]
    return AttentionMap(
        weights[:, :queries, :keys],
        query_labels=list(query_labels),
        key_labels=list(key_labels),
        name=name,
        kind="self" if query_axis == SOURCE == key_axis else kind,
        keep=keep,
        axes=(query_axis, key_axis),
        value_norms=_value_norms(record, sample, keys, heads=weights.shape[0]),
    )


def _sample(weights: Tensor, sample: int, name: str) -> Float[Tensor, "heads queries keys"]:
    if weights.dim() == 3:
        weights = weights.unsqueeze(0)
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
    if not isinstance(values, Tensor) or values.dim() != 4:
        return None
    norms = values[sample, :, :keys].detach().float().norm(dim=-1)
    return norms.repeat_interleave(heads // norms.shape[0], dim=0)  # key heads may be shared by several heads


def _without(each: AttentionMap, tokens: tuple[str, ...], renormalise: bool) -> AttentionMap:
    here = [token for token in tokens if token in each.query_labels + each.key_labels]
    return each.without(*here, renormalise=renormalise) if here or not tokens else each
