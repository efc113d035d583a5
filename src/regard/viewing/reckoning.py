"""Reckoning: one query of one head worked out again, from q·k to what it brings back.

Every number is the model's own: queries, keys and values as they met, and the sum of it all
beside what the model went on with, with the largest difference between the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from regard.attention import Record
from regard.attention.definition import average
from regard.attention.positions import Turning
from regard.attention.scores import DotProduct
from regard.errors import RegardError
from regard.viewing.arithmetic import SIZE, Arithmetic, Line, Result, Vector
from regard.viewing.colours import theme_called
from regard.viewing.given import Place, find_places, read_labels
from regard.viewing.heatmap import Label, Scale
from regard.viewing.typography import shorten, visible

WRITTEN = 4
LONGEST_LABEL = 130.0
UNSEEN = "this model does not show its queries, keys and values, only what came of them"


@dataclass(frozen=True, kw_only=True)
class Projection:
    """The output projection of an attention, and what the model got from it for the same query."""

    weight: Float[Tensor, "width heads_width"]
    bias: Float[Tensor, " width"] | None
    output: Float[Tensor, " width"]


@torch.no_grad()
def arithmetic(
    record: Record,
    *,
    query: Place,
    head: int = 0,
    query_labels: Sequence[str],
    key_labels: Sequence[str] | None = None,
    projection: Projection | None = None,
    sample: int = 0,
    written: int = WRITTEN,
    theme: str = "light",
    title: str | None = None,
) -> Arithmetic:
    """Work out one query of a watched attention; ``query`` is its word or its position.

    ``written`` is how many numbers of each vector are written out beside its colours.

    >>> attention = regard.MultiHeadAttention(6, heads=2)
    >>> with regard.watch(attention) as seen:
    ...     output = attention(torch.randn(1, 3, 6))
    >>> drawn = arithmetic(seen["attention"], query="cat", query_labels=["the", "cat", "sleeps"])
    >>> drawn.steps, drawn.difference < 1e-6
    (('q·k', '÷ √3', 'e^(s − max)'), True)
    """
    if written < 0:
        raise RegardError(f"written must be 0 or more numbers, but got {written}.")
    heads, queries, keys = record.weights.shape[1:]
    if not 0 <= head < heads:
        raise RegardError(f"head must be one of 0…{heads - 1} in {record.name!r}, but got {head}.")
    names = read_labels(query_labels, "query_labels", queries, record.name)
    key_names = read_labels(names if key_labels is None else key_labels, "key_labels", keys, record.name)
    (row,) = find_places(query, names, f"queries of {record.name!r}")
    query_vector, key_vectors, values = _vectors(record, sample, head, row)
    weights = record.weights[sample, head, row].double()
    keep = record.keep[sample, head, row].tolist()
    steps = _steps(record, query_vector, key_vectors, record.scores[sample, head, row].double())
    results = _results(record, (sample, head, row), values, projection) if values.shape[-1] else ()
    shown = [query_vector, key_vectors, values, torch.tensor([0.0])]
    furthest = float(f"{max(float(each.abs().max()) for each in shown if each.numel()):.2g}") or 1.0
    seen = f"each number of a vector has its colour, from −{furthest:g} to {furthest:g}"
    return Arithmetic(
        title=f"{record.name} · head {head}" if title is None else title,
        notes=(seen if query_vector.numel() else UNSEEN,),
        theme=theme_called(theme),
        query=_label(names[row]),
        query_vector=_vector(query_vector),
        steps=tuple(steps),
        lines=tuple(
            Line(
                label=_label(name),
                key=_vector(key_vectors[place]),
                numbers=tuple(float(column[place]) for column in steps.values()),
                weight=float(weights[place]),
                value=_vector(values[place]),
                masked=not keep[place],
            )
            for place, name in enumerate(key_names)
        ),
        results=results,
        written=written,
        scale=Scale(-furthest, furthest),
    )


def _vectors(record: Record, sample: int, head: int, row: int) -> tuple[Tensor, Tensor, Tensor]:
    """The query, the keys and the values as they met: turned already, where positions turn them."""
    queries, keys = record.queries, record.keys
    if isinstance(record.call.position, Turning):
        queries = record.call.position.turn(queries, record.call.past)
        keys = record.call.position.turn(keys)
    return queries[sample, head, row].double(), keys[sample, head].double(), record.values[sample, head]


def _steps(record: Record, query: Tensor, keys: Tensor, scores: Tensor) -> dict[str, Tensor]:
    """The columns of numbers, by what they are called."""
    score, width = record.call.score, len(query)
    steps: dict[str, Tensor] = {}
    if isinstance(score, DotProduct) and width:
        scaled = steps["q·k"] = keys @ query
        scale = score.scale(width)
        if scale != 1.0:
            rooted = abs(scale * width**0.5 - 1) < 1e-6
            scaled = steps[f"÷ √{width}" if rooted else f"× {scale:.4g}"] = scaled * scale
        heard = scores.isfinite()
        if not torch.allclose(scores[heard], scaled[heard], atol=1e-4):
            steps["with position"] = scores
    else:
        steps["score"] = scores
    steps["e^(s − max)"] = (
        (scores - scores.max()).exp() if scores.isfinite().any() else torch.zeros_like(scores)
    )
    return steps


def _results(
    record: Record, place: tuple[int, int, int], values: Tensor, projection: Projection | None
) -> tuple[Result, ...]:
    """What comes out, worked out here and as the model went on with it."""
    sample, head, row = place
    weights = record.weights.reshape(record.call.scores_shape)
    weights = weights.to(torch.promote_types(weights.dtype, torch.float32))  # as the definition has it
    brought = average(record.call.unshared(), weights).double()
    heads = brought.reshape(record.output.shape)[sample, :, row]
    plain = record.weights[place].double() @ values.double()
    own = record.output[place].double()
    results = [Result(name="z = Σ weight · v", vector=_vector(plain))]
    if not torch.allclose(plain, heads[head], atol=1e-4):
        results.append(Result(name="with positions", vector=_vector(heads[head])))
    results.append(_compared("the model’s own z", own, heads[head]))
    if projection is None:
        return tuple(results)
    weight = projection.weight.double().unflatten(1, (len(heads), -1))
    parts = torch.einsum("who,ho->hw", weight, heads)
    total = parts.sum(dim=0) + (0.0 if projection.bias is None else projection.bias.double())
    every = f"all {len(heads)} heads" + ("" if projection.bias is None else " + b")
    return (
        *results,
        Result(name=f"W z, the part of head {head}", vector=_vector(parts[head])),
        Result(name=every, vector=_vector(total)),
        _compared("the model’s own output", projection.output.double(), total),
    )


def _compared(name: str, own: Tensor, here: Tensor) -> Result:
    return Result(name=name, vector=_vector(own), difference=float((own - here).abs().max()))


def _vector(numbers: Tensor) -> Vector:
    return tuple(numbers.detach().double().cpu().tolist())


def _label(name: str) -> Label:
    return Label(shorten(visible(name), SIZE, LONGEST_LABEL), visible(name))
