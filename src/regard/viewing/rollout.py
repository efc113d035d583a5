"""Rollout: what reaches a layer's output from the words at the bottom, through all layers below.

Abnar and Zuidema (2020) multiply the layers, each averaged over its heads and mixed with
the residual connection: R ← (r·I + (1 − r)·A) R. Through a decoder the same holds for two
sources at once: what comes from the target read and, by cross-attention, from the source.
The residual share r is a choice, not a measurement; the figure states it.
"""

from collections.abc import Mapping, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from regard.errors import RegardError
from regard.viewing.maps import MERGED, AttentionMap
from regard.viewing.seen import AttentionMaps
from regard.wording import counted


def rollout(
    maps: Mapping[str, AttentionMap], *, residual: float = 0.5, value_norms: bool = False
) -> AttentionMaps:
    """Roll out an encoder, a decoder, or a decoder over its encoder.

    Gives ``encoder.rollout`` (source → source), ``decoder.rollout.self`` (target read →
    row) and ``decoder.rollout.cross`` (source → row), as far as the layers are there. The
    rows of the last two sum to one together. With ``value_norms`` each key counts by the length
    of its value (:meth:`AttentionMap.by_value_norm`), and the figure says so.

    >>> even = AttentionMap([[0.5, 0.5], [0.5, 0.5]], query_labels=["a", "b"], name="encoder.0.self")
    >>> rollout({"encoder.0.self": even})["encoder.rollout"].weights
    tensor([[0.7500, 0.2500],
            [0.2500, 0.7500]])
    """
    if not 0.0 <= residual < 1.0:
        raise RegardError(f"residual must be at least 0 and below 1, but got {residual}.")
    for seen in maps.values():
        if MERGED in seen.notes or "hidden" in " ".join(seen.notes):
            raise RegardError(
                f"a rollout needs every token of {seen.name!r}: roll out first, then merge or hide."
            )
    if value_norms:
        maps = {name: seen.by_value_norm() for name, seen in maps.items()}
    by_kind = {
        kind: [seen for seen in maps.values() if seen.kind == kind]
        for kind in ("self", "decoder self", "cross")
    }
    below, decoder, cross = by_kind["self"], by_kind["decoder self"], by_kind["cross"]
    if not below and not decoder:
        raise RegardError("a rollout needs the self-attention of every layer, but no map is of that kind.")
    if cross and len(cross) != len(decoder):
        raise RegardError(
            f"a rollout needs a self-attention of the decoder for each cross-attention, "
            f"but got {len(decoder)} for {len(cross)}."
        )
    rolled = []
    source = None
    if below:
        source = _product(below, residual)
        rolled.append(_map(source, below[-1], "encoder.rollout", below[-1], residual))
    if decoder:
        from_target, from_source = _through_decoder(decoder, cross, source, residual)
        rest = ["the rest of each row came from the source"] if cross else []
        rolled.append(_map(from_target, decoder[-1], "decoder.rollout.self", decoder[-1], residual, rest))
        if from_source is not None:
            rest = ["the rest of each row came from the target read"]
            rolled.append(_map(from_source, cross[-1], "decoder.rollout.cross", decoder[-1], residual, rest))
    return AttentionMaps(rolled)


def _product(layers: list[AttentionMap], residual: float) -> Float[Tensor, "queries keys"]:
    rolled = torch.eye(len(layers[0].key_labels), dtype=layers[0].weights.dtype)
    for layer in layers:
        attended = _square(layer, len(rolled))
        rolled = residual * rolled + (1 - residual) * attended @ rolled
    return rolled


def _through_decoder(
    decoder: list[AttentionMap], cross: list[AttentionMap], source: Tensor | None, residual: float
) -> tuple[Tensor, Tensor | None]:
    from_target = torch.eye(len(decoder[0].key_labels), dtype=decoder[0].weights.dtype)
    from_source = None
    if cross:
        from_source = from_target.new_zeros(len(from_target), len(cross[0].key_labels))
        source = torch.eye(len(cross[0].key_labels), dtype=from_target.dtype) if source is None else source
    for layer, looking in enumerate(decoder):
        attended = _square(looking, len(from_target))
        from_target = residual * from_target + (1 - residual) * attended @ from_target
        if from_source is not None and source is not None:
            from_source = residual * from_source + (1 - residual) * attended @ from_source
            across = cross[layer].per_head.mean(dim=0).to(from_source.dtype)
            from_source = residual * from_source + (1 - residual) * across @ source
            from_target = residual * from_target
    return from_target, from_source


def _square(seen: AttentionMap, size: int) -> Tensor:
    weights = seen.per_head.mean(dim=0)
    if weights.shape != (size, size):
        raise RegardError(
            f"a rollout needs layers over the same {counted(size, 'token')}, "
            f"but {seen.name!r} is {tuple(weights.shape)}."
        )
    return weights


def _map(
    weights: Tensor,
    like: AttentionMap,
    name: str,
    rows: AttentionMap,
    residual: float,
    notes: Sequence[str] = (),
) -> AttentionMap:
    return AttentionMap(
        weights,
        query_labels=rows.query_labels,
        key_labels=like.key_labels,
        name=name,
        kind=like.kind,
        axes=(rows.axes[0], like.axes[1]),
        head_names=["all layers"],
        notes=[f"mean of heads, residual share {residual:g}", *like.notes, *notes],
    )
