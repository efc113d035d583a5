"""``/explain`` of numbers of one's own: every step of one attention, in float64."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from regard.attention import attend, explain, masked_softmax, masks, positions, scores
from regard.attention.attending import ask
from regard.attention.definition import average
from regard.attention.masks import Mask
from regard.attention.positions import Position
from regard.attention.scores import Score
from regard.serving.arithmetic import numbers
from regard.serving.asked import AdditiveParts, Lengths, Numbers, RelativePlace, Window
from regard.serving.problems import refuse
from regard.serving.settings import Settings
from regard.wording import counted

SCORES: dict[str, Callable[[float], Score]] = {
    "dot": lambda _: scores.Dot(),
    "scaled-dot": lambda _: scores.ScaledDot(),
    "uniform": lambda _: scores.Uniform(),
    "gaussian": scores.Gaussian,
    "boxcar": scores.Boxcar,
    "triangular": scores.Triangular,
    "epanechnikov": scores.Epanechnikov,
}
"""Every score without parameters of its own, by name, given a bandwidth."""


def compute(asked: Numbers, settings: Settings) -> dict[str, Any]:
    """Every step of one attention on given numbers, in float64."""
    queries = _matrix("queries", asked.queries, settings)
    keys = queries if asked.keys is None else _matrix("keys", asked.keys, settings)
    values = keys if asked.values is None else _matrix("values", asked.values, settings)
    if asked.position is not None and asked.position.kind == "sinusoidal":
        queries, keys, values = _placed(asked, queries, keys, values)
    parts = (
        _split("queries", queries, asked.heads),
        _split("keys", keys, asked.heads),
        _split("values", values, asked.heads),
    )
    call: dict[str, Any] = {
        "score": _score(asked, parts[0].shape[-1], parts[1].shape[-1]),
        "mask": _mask(asked, len(queries), len(keys)),
        "position": _position(asked, parts[0].shape[-1], parts[2].shape[-1]),
    }
    with torch.no_grad():
        steps = explain(*parts, **call)
        tempered = steps.scores / asked.temperature
        weights, exponentials = masked_softmax(tempered, steps.keep), _exponentials(tempered, steps.keep)
        question = ask(*parts, **call)
        outputs = average(question.without_the_unheard(steps.keep), weights)
        error = float((attend(*parts, **call) - outputs).abs().max()) if asked.temperature == 1.0 else None
    query_labels, key_labels = _labels(asked, len(queries), len(keys))
    return {
        "kind": "numbers",
        "formula": steps.formula,
        "heads": asked.heads,
        "query_labels": query_labels,
        "key_labels": key_labels,
        **{name: numbers(getattr(steps, name)[0]) for name in ("queries", "keys", "values", "similarities")},
        "scale": steps.scale,
        "scaled": numbers(steps.scaled[0]),
        "position": None if asked.position is None else asked.position.kind,
        "scores": numbers(steps.scores[0]),
        "temperature": asked.temperature,
        "tempered": numbers(tempered[0]),
        "keep": None if steps.keep is None else steps.keep[0].tolist(),
        "exponentials": numbers(exponentials[0]),
        "totals": numbers(exponentials.sum(dim=-1)[0]),
        "weights": numbers(weights[0]),
        "outputs": numbers(outputs[0]),
        "output": numbers(outputs[0].transpose(0, 1).flatten(1)),
        "path": steps.path,
        "reason": steps.reason,
        "error": error,
    }


def _matrix(name: str, rows: Sequence[Sequence[float]], settings: Settings) -> Tensor:
    widths = {len(row) for row in rows}
    if len(widths) > 1:
        raise refuse(
            name, f"{name} must have rows of one width, but they have {min(widths)} to {max(widths)}."
        )
    if len(rows) > settings.vectors:
        raise refuse(
            name, f"{name} must have at most {counted(settings.vectors, 'row')}, but has {len(rows)}."
        )
    if max(widths) > settings.width:
        raise refuse(
            name, f"{name} must be at most {settings.width} wide, but has {counted(max(widths), 'column')}."
        )
    return torch.tensor(rows, dtype=torch.float64)


def _split(name: str, matrix: Tensor, heads: int) -> Tensor:
    """(1, heads, rows, head width)."""
    if matrix.shape[1] % heads:
        raise refuse(
            "heads",
            f"heads must divide the width of {name}, but {matrix.shape[1]} is not a multiple of {heads}.",
        )
    return matrix.reshape(len(matrix), heads, -1).transpose(0, 1)[None]


def _placed(asked: Numbers, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Places added to what they belong to; values that are the keys move with them."""
    placed_queries = positions.Sinusoidal(queries.shape[1])(queries)
    placed_keys = positions.Sinusoidal(keys.shape[1])(keys)
    return placed_queries, placed_keys, placed_keys if asked.values is None else values


def _score(asked: Numbers, query_width: int, key_width: int) -> Score:
    name = asked.score
    if asked.scale is not None and name in ("dot", "scaled-dot"):
        name = "scaled-dot" if asked.scale else "dot"
    if name == "additive":
        return _additive(asked.additive or AdditiveParts(), query_width, key_width)
    return SCORES[name](asked.bandwidth)


def _additive(parts: AdditiveParts, query_width: int, key_width: int) -> Score:
    """W, U and v as given; identities and ones where they are not."""
    rows = [len(given) for given in (parts.queries, parts.keys, parts.vector) if given is not None]
    hidden = rows[0] if rows else max(query_width, key_width)
    score = scores.Additive(query_width=query_width, key_width=key_width, hidden_width=hidden).double()
    wanted = {
        "queries": (score.query_projection.weight, torch.eye(hidden, query_width)),
        "keys": (score.key_projection.weight, torch.eye(hidden, key_width)),
        "vector": (score.to_score, torch.ones(hidden)),
    }
    for name, (parameter, default) in wanted.items():
        _fill(f"additive.{name}", parameter, getattr(parts, name), default)
    return score


def _fill(field: str, parameter: Any, given: Any, default: Tensor) -> None:
    if isinstance(given, list) and isinstance(given[0], list) and len({len(row) for row in given}) > 1:
        raise refuse(field, f"{field} must have rows of one width.")
    value = default if given is None else torch.tensor(given, dtype=torch.float64)
    if value.shape != parameter.shape:
        raise refuse(
            field, f"{field} must be of shape {tuple(parameter.shape)} here, but it is {tuple(value.shape)}."
        )
    with torch.no_grad():
        parameter.copy_(value)


def _mask(asked: Numbers, queries: int, keys: int) -> Mask | None:
    mask = asked.mask
    if mask is None:
        return None
    if mask.kind == "causal":
        return masks.causal()
    if isinstance(mask, Window):
        return masks.window(before=mask.before, after=mask.after)
    if isinstance(mask, Lengths):
        if len(mask.counts) not in (1, queries):
            raise refuse(
                "mask.counts",
                f"mask.counts must be one, or one for each of {counted(queries, 'query', 'queries')}.",
            )
        return masks.lengths(mask.counts if len(mask.counts) == 1 else [mask.counts])
    if len(mask.keep) != queries or any(len(row) != keys for row in mask.keep):
        raise refuse("mask.keep", f"mask.keep must have {counted(queries, 'row')} of {keys}.")
    return masks.where(keep=torch.tensor(mask.keep))


def _position(asked: Numbers, head_width: int, value_width: int) -> Position | None:
    place = asked.position
    if place is None or place.kind == "sinusoidal":
        return None
    if place.kind == "alibi":
        return positions.Alibi(asked.heads)
    if not isinstance(place, RelativePlace):
        return positions.Rotary(head_width)
    relative = positions.Relative(
        reach=place.reach, head_width=head_width, values=value_width == head_width
    ).double()
    zeros = torch.zeros(2 * place.reach + 1, head_width)
    _fill("position.key_table", relative.key_table, place.key_table, zeros)
    if relative.value_table is not None:
        _fill("position.value_table", relative.value_table, place.value_table, zeros)
    elif place.value_table is not None:
        raise refuse("position.value_table", "position.value_table needs values as wide as the queries.")
    return relative


def _exponentials(tempered: Tensor, keep: Tensor | None) -> Tensor:
    hidden = tempered if keep is None else tempered.masked_fill(~keep, -torch.inf)
    highest = hidden.amax(dim=-1, keepdim=True)
    return (hidden - highest.masked_fill(highest.isneginf(), 0.0)).exp()


def _labels(asked: Numbers, queries: int, keys: int) -> tuple[list[str], list[str]]:
    is_self = asked.keys is None
    given = asked.query_labels or [f"{'x' if is_self else 'q'}{row + 1}" for row in range(queries)]
    keyed = asked.key_labels or (given if is_self else [f"k{row + 1}" for row in range(keys)])
    for field, labels, count in (("query_labels", given, queries), ("key_labels", keyed, keys)):
        if len(labels) != count:
            raise refuse(field, f"{field} must be {count}, one for each, but got {len(labels)}.")
    return [*given], [*keyed]
