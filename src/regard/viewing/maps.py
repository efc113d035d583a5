"""One attention as something to look at: its weights, and the words they join.

Attention is not explanation: a weight says where a head looked, not why the model answered
as it did (Jain and Wallace, 2019; Wiegreffe and Pinter, 2019).
"""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from regard.errors import MaskError, RegardError
from regard.viewing.drawn import PICTURES, Drawn, Layout
from regard.viewing.given import Numbers, Place, find_places, read_labels, read_weights, to_tensor
from regard.viewing.words import SPECIAL, Words
from regard.wording import counted

if TYPE_CHECKING:
    from regard.viewing.page import Page

Kind = Literal["self", "decoder self", "cross"]

AXES: dict[str, tuple[str, str]] = {
    "self": ("queries", "keys"),
    "decoder self": ("target produced", "target read"),
    "cross": ("target", "source"),
}
TEXTS = ("name", "kind", "query_labels", "key_labels", "head_names", "axes", "notes")
TENSORS = ("weights", "keep", "value_norms")
MERGED = "subwords merged"
MORE_FILES = (".html", ".json", ".npz")
"""A page, and the numbers themselves."""


class AttentionMap(Drawn):
    """The weights of one attention for one sample, with a label for each query and key.

    ``weights`` are (queries, keys) or (heads, queries, keys), as a tensor, an array or
    lists; ``keep`` is False where a query may not attend. ``notes`` are said on every
    figure, and so are rows that do not sum to one.

    >>> cats = AttentionMap([[0.9, 0.1], [0.2, 0.8]], query_labels=["le", "chat"], key_labels=["the", "cat"])
    >>> cats
    AttentionMap('attention', cross, 2 queries × 2 keys)
    """

    files = (*PICTURES, *MORE_FILES)

    def __init__(
        self,
        weights: Numbers,
        *,
        query_labels: Sequence[str],
        key_labels: Sequence[str] | None = None,
        name: str = "attention",
        kind: Kind | None = None,
        keep: Numbers | None = None,
        head_names: Sequence[str] | None = None,
        axes: tuple[str, str] | None = None,
        notes: Sequence[str] = (),
        value_norms: Numbers | None = None,
    ) -> None:
        self.name = read_labels([name], "name", 1, "a map")[0]
        self.weights: Float[Tensor, "*heads queries keys"] = read_weights(weights, name)
        self.query_labels = read_labels(query_labels, "query_labels", self.weights.shape[-2], name)
        given_keys = self.query_labels if key_labels is None else key_labels
        self.key_labels = read_labels(given_keys, "key_labels", self.weights.shape[-1], name)
        self.kind: Kind = kind or ("self" if self.key_labels == self.query_labels else "cross")
        if self.kind not in AXES:
            raise RegardError(f"kind must be one of {', '.join(map(repr, AXES))}, but got {kind!r}.")
        self.axes = axes or AXES[self.kind]
        self.keep = self._kept(keep)
        default_names = [f"head {head}" for head in range(self.heads)] if self.weights.dim() == 3 else [""]
        self.head_names = read_labels(head_names or default_names, "head_names", self.heads, name)
        self.notes = read_labels(notes, "notes", len(notes), name)
        self.value_norms = None if value_norms is None else to_tensor(value_norms, "value_norms")

    @property
    def heads(self) -> int:
        """How many heads there are; a map without a head axis has one."""
        return self.weights.shape[0] if self.weights.dim() == 3 else 1

    @property
    def per_head(self) -> Float[Tensor, "heads queries keys"]:
        """The weights, always with their head axis."""
        return self.weights.reshape(self.heads, *self.weights.shape[-2:])

    @property
    def kept(self) -> Bool[Tensor, "heads queries keys"]:
        """Where each query may attend, always with a head axis and never None."""
        every = torch.ones_like(self.per_head, dtype=torch.bool)
        return every if self.keep is None else self.keep.reshape(every.shape)

    @property
    def row_sums(self) -> Float[Tensor, "heads queries"]:
        """What each row adds up to: one, or zero for a query that hears silence."""
        return self.per_head.sum(dim=-1)

    @property
    def sums_to_one(self) -> bool:
        """Whether every row sums to one, or to zero, as closely as its precision allows."""
        sums = self.row_sums
        return bool((((sums - 1).abs() < 0.01) | (sums == 0)).all())

    def head(self, head: int) -> "AttentionMap":
        """One head, without a head axis."""
        if not -self.heads <= head < self.heads:
            raise RegardError(f"head must be one of 0…{self.heads - 1} in {self.name!r}, but got {head}.")
        return self.replace(
            weights=self.per_head[head],
            keep=None if self.keep is None else self.kept[head],
            head_names=[self.head_names[head]],
            value_norms=None if self.value_norms is None else self.value_norms[head],
        )

    def mean(self) -> "AttentionMap":
        """The mean over the heads, which the figure will say."""
        return self.replace(
            weights=self.per_head.mean(dim=0),
            keep=None if self.keep is None else self.kept.any(dim=0),
            head_names=[f"mean of {self.heads} heads" if self.heads > 1 else self.head_names[0]],
            value_norms=None,
        )

    def at(
        self,
        *,
        queries: Place | Sequence[Place] | None = None,
        keys: Place | Sequence[Place] | None = None,
    ) -> "AttentionMap":
        """Only some queries and keys, each a word or a position; a word that occurs twice is refused.

        >>> seen = AttentionMap([[0.9, 0.1], [0.2, 0.8]], query_labels=["un", "chat"], key_labels=["a", "c"])
        >>> seen.at(queries="chat").weights
        tensor([[0.2000, 0.8000]])
        """
        rows = find_places(queries, self.query_labels, f"queries of {self.name!r}")
        columns = find_places(keys, self.key_labels, f"keys of {self.name!r}")
        left_out = len(self.key_labels) - len(columns)
        return self._taking(rows, columns, notes=[f"{counted(left_out, 'key')} left out"] if left_out else [])

    def without(self, *tokens: str, renormalise: bool = False) -> "AttentionMap":
        """Hide tokens from both sides; with none named, every special token there is.

        Renormalised, the rows sum to one over what is left; a row that had nothing else
        becomes silence. The figure says which it is.

        >>> seen = AttentionMap([[0.5, 0.1, 0.4]], query_labels=["chat"], key_labels=["the", "cat", "<end>"])
        >>> seen.without("<end>", renormalise=True).notes
        ('<end> hidden, rows renormalised',)
        """
        hidden = frozenset(tokens) or SPECIAL
        found = [label for label in dict.fromkeys(self.key_labels + self.query_labels) if label in hidden]
        if missing := [token for token in tokens if token not in found]:
            raise RegardError(
                f"{missing[0]!r} cannot be hidden from {self.name!r}: no query or key is called so."
            )
        if not found:
            return self
        rows = [i for i, label in enumerate(self.query_labels) if label not in hidden]
        columns = [i for i, label in enumerate(self.key_labels) if label not in hidden]
        if not rows or not columns:
            raise RegardError(f"hiding {' '.join(found)} would leave nothing of {self.name!r} to show.")
        said = f"{' '.join(found)} hidden" + (", rows renormalised" if renormalise else "")
        taken = self._taking(rows, columns, notes=[said])
        if not renormalise:
            return taken
        return taken.replace(weights=_normalised(taken.weights))

    def to_words(
        self,
        queries: Words | Sequence[Sequence[int]] | None = None,
        keys: Words | Sequence[Sequence[int]] | None = None,
    ) -> "AttentionMap":
        """Merge subwords into words: rows averaged, columns summed, so that rows still sum to one.

        Each side takes :class:`Words`, or groups of positions; left out, the pieces' own
        marks tell (``▁un able``, ``un ##able``, ``un@@ able``).

        >>> seen = AttentionMap([[0.3, 0.5, 0.2]], query_labels=["chat"], key_labels=["▁kit", "ten", "▁eats"])
        >>> merged = seen.to_words()
        >>> merged.key_labels, merged.weights
        (('kitten', 'eats'), tensor([[0.8000, 0.2000]]))
        """
        rows = _words(queries, self.query_labels)
        columns = _words(keys, self.key_labels)
        row_groups, column_groups = _indicator(rows, self.weights), _indicator(columns, self.weights)
        averaging = row_groups / row_groups.sum(dim=-1, keepdim=True)
        kept = row_groups @ self.kept.to(row_groups.dtype) @ column_groups.T > 0
        changed = len(rows.groups) < len(self.query_labels) or len(columns.groups) < len(self.key_labels)
        return self.replace(
            weights=averaging @ self.weights @ column_groups.T,
            query_labels=rows.labels,
            key_labels=columns.labels,
            keep=None if self.keep is None else kept.reshape(*self.keep.shape[:-2], *kept.shape[-2:]),
            notes=[*self.notes, MERGED] if changed else self.notes,
            value_norms=None,
        )

    def by_value_norm(self) -> "AttentionMap":
        """Weigh each key by the length of its value, since a long look at a short value moves little.

        Kobayashi, Kuribayashi, Yokoi and Inui (2020). Rows are renormalised.
        """
        if self.value_norms is None:
            raise RegardError(
                f"{self.name!r} has no value norms to weigh by: take them with AttentionMaps.of(seen, …) "
                "before merging words or averaging heads, or give value_norms=."
            )
        norms = self.value_norms.reshape(self.heads, 1, -1).to(self.weights.dtype)
        weighed = _normalised(self.per_head * norms).reshape(self.weights.shape)
        return self.replace(weights=weighed, notes=[*self.notes, "weighed by value norm"], value_norms=None)

    def layout(self, view: str | None = None, *, head: int | None = None, **options: Any) -> Layout:
        """Decide what will be shown: a "heatmap", a "flow" or a "grid" of the heads.

        Left open, one head is a heatmap and several are a grid.
        """
        from regard.viewing import flow, grid, heatmap

        seen = self if head is None else self.head(head)
        views: dict[str, Callable[..., Layout]] = {
            "heatmap": partial(heatmap.heatmap, seen),
            "flow": partial(flow.flow, seen),
            "grid": partial(grid.grid, [seen]),
        }
        view = view or ("heatmap" if seen.heads == 1 else "grid")
        if view not in views:
            raise RegardError(f"view must be one of {', '.join(map(repr, views))}, but got {view!r}.")
        return views[view](**options)

    def page(self, *, queries: Words | None = None, keys: Words | None = None, **options: Any) -> "Page":
        """A page to explore the map in a browser; its options are those of :func:`regard.viewing.page.make`.

        ``queries`` and ``keys`` are the words of each side, where the pieces' marks do not tell.
        """
        from regard.viewing import page

        words = {axis: given for axis, given in zip(self.axes, (queries, keys), strict=True) if given}
        return page.make({self.name: self}, words=words, **options)

    def save(self, path: str | Path, view: str | None = None, **options: Any) -> Path:
        """Write a picture (``.svg .png .pdf``), a page (``.html``), or the map itself (``.json .npz``)."""
        from regard.viewing import stored

        ending = self.ending(path)
        if ending in stored.FILES:
            return stored.save([self], path)
        if ending == ".html":
            return self.page(view=view, **options).save(path)
        return super().save(path, view, **options)

    def _repr_html_(self) -> str:
        from regard.viewing import page

        return self.page(budget=page.NOTEBOOK, embedded=True)._repr_html_()

    def replace(self, **changes: Any) -> "AttentionMap":
        """The same map but for the arguments given."""
        return AttentionMap(**({name: getattr(self, name) for name in TEXTS + TENSORS} | changes))

    def _taking(self, rows: list[int], columns: list[int], notes: list[str]) -> "AttentionMap":
        return self.replace(
            weights=self.weights[..., rows, :][..., columns],
            query_labels=[self.query_labels[row] for row in rows],
            key_labels=[self.key_labels[column] for column in columns],
            keep=None if self.keep is None else self.keep[..., rows, :][..., columns],
            notes=[*self.notes, *notes],
            value_norms=None if self.value_norms is None else self.value_norms[..., columns],
        )

    def _kept(self, keep: Numbers | None) -> Bool[Tensor, "*heads queries keys"] | None:
        if keep is None:
            square = self.weights.shape[-1] == self.weights.shape[-2]
            if self.kind == "decoder self" and square and not self.weights.triu(1).any():
                return torch.ones_like(self.weights, dtype=torch.bool).tril()
            return None
        kept = torch.as_tensor(keep).detach().cpu()
        if kept.dtype != torch.bool:
            raise MaskError(
                f"keep of {self.name!r} must be boolean, True = may attend, but it is {kept.dtype}."
            )
        try:
            kept = kept.broadcast_to(self.weights.shape)
        except RuntimeError:
            raise MaskError(
                f"keep of {self.name!r} must fit its weights, {tuple(self.weights.shape)}, "
                f"but it is {tuple(kept.shape)}."
            ) from None
        if (self.weights.masked_fill(kept, 0.0) > 0.01).any():
            raise MaskError(
                f"keep of {self.name!r} hides cells that hold weight; True must mean that a query may attend."
            )
        return kept.clone()

    def __repr__(self) -> str:
        heads = (
            f"{counted(self.heads, 'head')}, "
            if self.weights.dim() == 3
            else f"{self.head_names[0]}, ".lstrip(", ")
        )
        size = (
            f"{counted(len(self.query_labels), 'query', 'queries')} × {counted(len(self.key_labels), 'key')}"
        )
        return f"AttentionMap({self.name!r}, {self.kind}, {heads}{size})"


def _normalised(weights: Tensor) -> Tensor:
    """Rows scaled to sum to one; a row of nothing stays nothing."""
    sums = weights.sum(dim=-1, keepdim=True)
    return torch.where(sums > 0, weights / sums.clamp_min(torch.finfo(weights.dtype).tiny), 0.0)


def _words(given: Words | Sequence[Sequence[int]] | None, pieces: Sequence[str]) -> Words:
    if given is None:
        return Words.of_pieces(pieces)
    groups = given.groups if isinstance(given, Words) else given
    joined = Words.of_groups(groups, pieces)
    return given if isinstance(given, Words) else joined


def _indicator(words: Words, like: Tensor) -> Float[Tensor, "words pieces"]:
    """One where a piece belongs to a word."""
    table = like.new_zeros(len(words.groups), sum(map(len, words.groups)))
    for word, group in enumerate(words.groups):
        table[word, list(group)] = 1.0
    return table
