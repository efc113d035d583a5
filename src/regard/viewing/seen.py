"""Many attentions of one model and one sample, by name: layers × heads × kind."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from regard.attention import Seen
from regard.errors import RegardError
from regard.viewing import stored
from regard.viewing.drawn import Drawn, Facets, Layout
from regard.viewing.grid import grid
from regard.viewing.maps import AttentionMap, Kind
from regard.viewing.recorded import (
    BEGIN,
    PRODUCED,
    READ,
    SOURCE,
    Record,
    Rows,
    Sides,
    kinds_of,
    map_of,
    take_sample,
)
from regard.viewing.words import Words

if TYPE_CHECKING:
    from regard.viewing.page import Page


class UnknownMap(RegardError, KeyError):
    """A name no map has."""

    __str__ = RegardError.__str__  # a KeyError would put its sentence in quotes


class AttentionMaps(Mapping[str, AttentionMap], Drawn):
    """Maps by name, in the order of the model.

    >>> cats = AttentionMap([[1.0]], query_labels=["chat"], key_labels=["cat"], name="decoder.0.cross")
    >>> AttentionMaps([cats])["decoder.0.cross"].kind
    'cross'
    """

    files = AttentionMap.files

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
            raise RegardError(
                seen.why_nothing
                if isinstance(seen, Seen)
                else "there is no attention to show: nothing was recorded."
            )
        labels, kinds = Sides(source=source, target=target, rows=rows), kinds_of(seen)
        return cls(map_of(name, record, kinds[name], labels, sample) for name, record in seen.items())

    @classmethod
    def of_weights(
        cls,
        weights: Tensor | Sequence[Tensor] | Sequence[Sequence[Tensor]],
        *,
        query_labels: Sequence[str],
        key_labels: Sequence[str] | None = None,
        kind: Kind = "self",
        sample: int = 0,
    ) -> "AttentionMaps":
        """Take weights somebody already has, one tensor (batch, heads, queries, keys) per layer.

        One matrix is one layer. What ``generate()`` returns, a tuple of layers for each step, becomes
        one tensor per layer, its rows in the order of the steps.

        >>> import torch
        >>> layers = (torch.full((1, 2, 3, 3), 1 / 3),) * 5
        >>> list(AttentionMaps.of_weights(layers, query_labels=["the", "cat", "sleeps"]))
        ['layer.0.self', 'layer.1.self', 'layer.2.self', 'layer.3.self', 'layer.4.self']
        """
        ending = {"self": "self", "decoder self": "self", "cross": "cross"}
        layers = _layers(weights)
        names = [f"layer.{layer}.{ending[kind]}" for layer in range(len(layers))]
        return cls(
            AttentionMap(
                take_sample(layer, sample, name),
                query_labels=query_labels,
                key_labels=key_labels,
                name=name,
                kind=kind,
            )
            for name, layer in zip(names, layers, strict=True)
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
        words = _by_axis(source, target)
        return AttentionMaps(
            each.to_words(words.get(each.axes[0]), words.get(each.axes[1])) for each in self.values()
        )

    def page(self, *, source: Words | None = None, target: Words | None = None, **options: Any) -> "Page":
        """A page to explore the maps in a browser; its options are those of :func:`regard.viewing.page.make`.

        ``source`` and ``target`` are the words of each side, where the pieces' marks do not tell.
        """
        from regard.viewing import page

        return page.make(self, words=_by_axis(source, target), **options)

    def save(self, path: str | Path, view: str | None = None, **options: Any) -> Path:
        """Write a picture (``.svg .png .pdf``), a page (``.html``), or the maps (``.json .npz``)."""
        ending = self.ending(path)
        if ending in stored.FILES:
            return stored.save(self.values(), path)
        if ending == ".html":
            return self.page(view=view, **options).save(path)
        return super().save(path, view, **options)

    def _repr_html_(self) -> str:
        from regard.viewing import page

        return self.page(budget=page.NOTEBOOK, embedded=True)._repr_html_()

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


def _layers(weights: Any) -> list[Tensor]:
    if isinstance(weights, Tensor):
        return list(weights) if weights.dim() == 5 else [weights]
    if not len(weights) or not all(map(_holds_weights, weights)):
        raise RegardError(
            "there are no weights to show: the model returned none, as Hugging Face models do under sdpa. "
            'Call it inside regard.watch(model), or set_attn_implementation("eager") first.'
        )
    if isinstance(weights[0], Tensor):
        return list(weights)
    return [_rows(steps) for steps in zip(*weights, strict=True)]


def _holds_weights(given: Any) -> bool:
    """Whether this is a tensor, or a step that has one for each layer."""
    return isinstance(given, Tensor) or (
        isinstance(given, Sequence) and len(given) > 0 and all(isinstance(layer, Tensor) for layer in given)
    )


def _rows(steps: Sequence[Tensor]) -> Tensor:
    """The rows of all steps, with zeros for keys that came later."""
    keys = steps[-1].shape[-1]
    return torch.cat([torch.nn.functional.pad(step, (0, keys - step.shape[-1])) for step in steps], dim=-2)


def _by_axis(source: Words | None, target: Words | None) -> dict[str, Words | None]:
    read = target.read(BEGIN) if target else None
    return {SOURCE: source, PRODUCED: target, "target": target, READ: read}


def _without(each: AttentionMap, tokens: tuple[str, ...], renormalise: bool) -> AttentionMap:
    here = [token for token in tokens if token in each.query_labels + each.key_labels]
    return each.without(*here, renormalise=renormalise) if here or not tokens else each
