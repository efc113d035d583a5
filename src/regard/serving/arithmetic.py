"""``/explain`` of a model: the arithmetic of one query of one head, beside what the model computed."""

import math
from typing import Any

from torch import Tensor

from regard.attention import explain, watch
from regard.serving.asked import OneQuery
from regard.serving.looking import checked_text, text_of
from regard.serving.problems import refuse
from regard.serving.settings import Settings
from regard.serving.shelf import Served
from regard.text import Batch
from regard.translation.inference import inferring


def one_query(asked: OneQuery, served: Served, settings: Settings) -> dict[str, Any]:
    """The arithmetic of one query of one head, beside what the model itself computed."""
    translator = served.translator
    text = checked_text("text", asked.text, served, settings)
    if asked.target is None:
        target = text_of(translator.translate([text])[0])
    else:
        target = checked_text("target", asked.target, served, settings)
    source, written = translator.tokenizer.source.encode(text), translator.tokenizer.target.encode(target)
    labelled = translator.look(text, target, subwords=True)
    if asked.name not in labelled:
        raise refuse("name", f"name must be one of {', '.join(labelled)}.")
    seen_map = labelled[asked.name]
    for field, number, count in (
        ("head", asked.head, seen_map.heads),
        ("query", asked.query, len(seen_map.query_labels)),
    ):
        if number >= count:
            raise refuse(field, f"{field} must be less than {count} here, but got {number}.")
    batch = Batch.of([source], [written])
    with inferring(translator.model) as device, watch(translator.model) as seen:
        translator.model(batch.source.to(device), batch.target_in.to(device))
        calls = seen.calls(asked.name)
        record, row = (calls[0], asked.query) if len(calls) == 1 else (calls[asked.query], 0)
        call = record.call.unshared()
        steps = explain(
            call.queries, call.keys, call.values,
            score=call.score, mask=call.mask, position=call.position, past=call.past,
        )  # fmt: skip

    def of_query(tensor: Tensor) -> Tensor:
        return (tensor[0] if tensor.dim() == 3 else tensor[0, asked.head])[row]

    def of_keys(tensor: Tensor) -> Tensor:
        return tensor[0] if tensor.dim() == 3 else tensor[0, asked.head]

    output, own = of_query(steps.output), record.output[0, asked.head, row]
    totals = steps.totals.unsqueeze(-1)
    return {
        "kind": "model",
        "model": served.name,
        "text": text,
        "target": target,
        "name": asked.name,
        "head": asked.head,
        "query": asked.query,
        "query_label": seen_map.query_labels[asked.query],
        "query_labels": [*seen_map.query_labels],
        "key_labels": [*seen_map.key_labels],
        "formula": steps.formula,
        "vector": numbers(of_query(steps.queries)),
        "keys": numbers(of_keys(steps.keys)),
        "values": numbers(of_keys(steps.values)),
        "similarities": numbers(of_query(steps.similarities)),
        "scale": steps.scale,
        "scaled": numbers(of_query(steps.scaled)),
        "position": steps.position,
        "scores": numbers(of_query(steps.scores)),
        "keep": None if steps.keep is None else of_query(steps.keep).tolist(),
        "exponentials": numbers(of_query(steps.exponentials)),
        "total": float(of_query(totals)[0]),
        "weights": numbers(of_query(steps.weights)),
        "output": numbers(output),
        "model_output": numbers(own),
        "error": float((output - own).abs().max()),
    }


def numbers(tensor: Tensor) -> Any:
    """A tensor as lists; what is not finite becomes null."""
    return _finite(tensor.tolist())


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(each) for each in value]
    return value if math.isfinite(value) else None
