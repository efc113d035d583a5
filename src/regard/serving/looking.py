"""``/attention``: every map of a sentence, measured and made small; with heads knocked out if asked."""

import base64
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from typing import Any

from regard.attention import KnockOut, intervene
from regard.serving.asked import Attention, Draw
from regard.serving.problems import refuse
from regard.serving.settings import Settings
from regard.serving.shelf import Served
from regard.translation import Translation, force
from regard.viewing import AttentionMap, AttentionMaps, measure
from regard.viewing.heatmap import notes_of
from regard.viewing.page.packing import COARSE, FINE, quantise
from regard.viewing.seen import layer_of
from regard.wording import counted

FEW = 250_000
"""So many weights may have two bytes each."""
DIGITS = 4


def look(asked: Attention, served: Served, settings: Settings) -> dict[str, Any]:
    """Translate, look, and do both again with heads knocked out."""
    translator = served.translator
    text = checked_text("text", asked.text, served, settings)
    (translation,) = translator.translate([text])
    target = (
        text_of(translation)
        if asked.target is None
        else checked_text("target", asked.target, served, settings)
    )
    answer: dict[str, Any] = {
        "model": served.name,
        "text": text,
        "target": target,
        "words": asked.words,
        "rows": asked.rows,
        "translation": told(translation),
        "target_log_probability": forced(served, text, target),
        "knocked_out": None,
    }
    check_heads(asked.knock_out or {}, served)
    changes = {name: KnockOut(heads=heads) for name, heads in (asked.knock_out or {}).items() if heads}
    with intervene(translator.model, changes) if changes else nullcontext():
        maps = translator.look(text, target, rows=asked.rows, subwords=not asked.words)
        if changes:
            (changed,) = translator.translate([text])
            answer["knocked_out"] = {
                "heads": {name: [*change.heads] for name, change in changes.items()},
                **told(changed),
                "target_log_probability": forced(served, text, target),
            }
    answer["maps"] = told_maps(maps)
    if asked.draw is not None:
        answer["drawn"] = drawn(maps, asked.draw)
    return answer


def checked_text(field: str, text: str, served: Served, settings: Settings) -> str:
    """One line that is short enough to look at."""
    text = " ".join(text.split("\n")).strip()
    if not text:
        raise refuse(field, f"{field} is empty: there is nothing to look at.")
    tokenizer = served.translator.tokenizer
    vocabulary = tokenizer.source if field == "text" else tokenizer.target
    tokens = len(vocabulary.encode(text))
    if tokens > settings.look_tokens:
        raise refuse(
            field,
            f"{field} must have at most {counted(settings.look_tokens, 'token')} to be looked at, "
            f"but has {tokens}.",
        )
    return text


def check_heads(knock_out: Mapping[str, Sequence[int]], served: Served) -> None:
    """Refuse attentions and heads that the model does not have."""
    known: dict[str, int] = {one["name"]: one["heads"] for one in served.attentions}
    for name, heads in knock_out.items():
        if name not in known:
            raise refuse("knock_out", f"knock_out must name attentions of this model: {', '.join(known)}.")
        if max(heads, default=0) >= known[name]:
            raise refuse(
                "knock_out",
                f"knock_out may name heads 0 to {known[name] - 1} of {name}, but got {max(heads)}.",
            )


def text_of(translation: Translation) -> str:
    """What was written, or a full stop where nothing was, so that there is something to look at."""
    return translation.text.strip() or "."


def told(translation: Translation) -> dict[str, Any]:
    """A translation in short."""
    return {
        "text": translation.text,
        "confidence": translation.confidence,
        "log_probability": translation.log_probability,
    }


def forced(served: Served, text: str, target: str) -> float:
    """The log-probability of a target that is given."""
    tokenizer = served.translator.tokenizer
    (tokens,) = force(
        served.translator.model, [tokenizer.source.encode(text)], [tokenizer.target.encode(target)]
    )
    return sum(tokens)


def told_maps(maps: AttentionMaps) -> list[dict[str, Any]]:
    """All maps, finely where they are few."""
    weights = sum(each.per_head.numel() for each in maps.values())
    return [_told_map(each, FINE if weights <= FEW else COARSE) for each in maps.values()]


def _told_map(seen: AttentionMap, steps: int) -> dict[str, Any]:
    weights = seen.per_head.float().numpy()
    small = quantise(weights, None if seen.keep is None else seen.kept.numpy(), steps)
    read = small.levels * (small.tops[..., None] / steps)
    return {
        "name": seen.name,
        "kind": seen.kind,
        "layer": layer_of(seen.name),
        "axes": [*seen.axes],
        "heads": [*seen.head_names],
        "queries": [*seen.query_labels],
        "keys": [*seen.key_labels],
        "shape": [*weights.shape],
        "steps": steps,
        "tops": small.tops.tolist(),
        "levels": base64.b64encode(small.levels.tobytes()).decode("ascii"),
        "error": float(abs(read - weights).max()),
        "mask": _mask(seen),
        "notes": [*notes_of(seen)],
        "measures": [
            {"name": each.name}
            | {name: None if value is None else round(value, DIGITS) for name, value in asdict(each).items()}
            for each in measure(seen)
        ],
    }


def _mask(seen: AttentionMap) -> Any:
    if seen.keep is None:
        return None
    kept = seen.kept.any(dim=0)
    causal = (
        kept.tril().equal(kept) and kept.shape[0] == kept.shape[1] and bool(kept.tril().sum() == _half(kept))
    )
    return "causal" if causal else kept.tolist()


def _half(kept: Any) -> int:
    size: int = kept.shape[0]
    return size * (size + 1) // 2


def drawn(maps: AttentionMaps, draw: Draw) -> str:
    """The picture or page that was asked for."""
    if draw.as_ == "html":
        return maps.page(language=draw.language, theme=draw.theme, view=draw.view).html
    if draw.name is None:
        return maps.svg(draw.view, theme=draw.theme)
    if draw.name not in maps:
        raise refuse("draw.name", f"draw.name must be one of {', '.join(maps)}.")
    seen = maps[draw.name]
    if draw.head is not None and draw.head >= seen.heads:
        raise refuse("draw.head", f"draw.head must be less than {seen.heads}, but got {draw.head}.")
    return (seen if draw.head is None else seen.head(draw.head)).svg(draw.view, theme=draw.theme)
