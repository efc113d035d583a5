"""What a run tells of itself: a model card, and a picture of its progress."""

from typing import TYPE_CHECKING, Any

from regard.runs.folder import CARD, CURVES, RunFolder, machine, write_whole
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Facets, Layout
from regard.viewing.explanation.plots import Curve, Plot
from regard.wording import counted

if TYPE_CHECKING:
    from regard.runs.preparing import Preparation


def write_card(folder: RunFolder, prepared: "Preparation", *, seconds: float) -> None:
    """Say what the run learned from, how, for how long, and how well it does."""
    recipe, parts = prepared.recipe, prepared.parts
    best = folder.checkpoint("best")
    validations = [line for line in folder.read_history() if line.get("kind") == "validation"]
    at_best = next((line for line in validations if line["step"] == best.step), {})
    model, training = recipe.model, recipe.training
    lines = [
        f"# {folder.path.name}: a translator made with regard",
        "",
        "| | |",
        "| --- | --- |",
        f"| model | {model.kind}, {prepared.parameters:,} parameters, width {model.width}, "
        f"{counted(model.layers or 0, 'layer')} |",
        f"| tokens | {prepared.tokenizer.kind}, {len(prepared.tokenizer.source):,} source and "
        f"{len(prepared.tokenizer.target):,} target |",
        f"| learned from | {counted(len(parts.train.pairs), 'pair')}, sha256 `{parts.train.sha256}` |",
        f"| dropped | {parts.train.reading.reasons or 'none'} |",
        f"| validated on | {prepared.validated_on()}, sha256 `{parts.validation.sha256}` |",
        f"| steps | {best.step} of {training.steps} (the best), {training.tokens_per_batch} tokens a batch |",
        f"| time | {seconds / 60:.1f} minutes on {machine()} |",
        f"| seed | {training.seed} |",
        f"| validation | {_scores(at_best)} |",
        "",
        "Validation BLEU and chrF are of greedy translations; score a test set with `regard evaluate`.",
        *([f"The signature of BLEU is `{at_best['signature']}`."] if at_best.get("signature") else []),
        "",
        f"    {at_best.get('source', '')}",
        f"    {at_best.get('translation', '')}",
        "",
        "Use it: `regard translate` and `regard look` with this folder, or in Python",
        "`regard.Translator.load(folder)`. Every setting is in `recipe.toml`.",
        "",
    ]
    if prepared.start_from is not None:
        lines.insert(5, f"| began from | {prepared.start_from} |")
    write_whole(folder.path / CARD, "\n".join(lines).encode())


def _scores(validation: dict[str, Any]) -> str:
    if validation.get("bleu") is None:
        return f"loss {validation.get('loss', float('nan')):.3f}"
    return (
        f"BLEU {validation['bleu']:.1f}, chrF {validation['chrf']:.1f}, "
        f"loss {validation['loss']:.3f} nats a token"
    )


def write_curves(folder: RunFolder) -> None:
    """Draw the losses and BLEU against the steps."""
    history = list(folder.read_history())
    learned = _points(history, "step", "loss")
    judged = _points(history, "validation", "loss")
    scored = _points(history, "validation", "bleu")
    theme = theme_called("light")
    losses = tuple(
        Curve(name=name, points=points)
        for name, points in (("training", learned), ("validation", judged))
        if points
    )
    panels: list[Layout] = []
    if losses:
        panels.append(Plot(title="loss", notes=(), theme=theme, curves=losses, axes=("step", "nats")))
    if scored:
        bleu = Curve(name="validation", points=scored)
        panels.append(Plot(title="BLEU", notes=(), theme=theme, curves=(bleu,), axes=("step", "BLEU")))
    if panels:
        drawing = Facets(
            title=folder.path.name, notes=(), theme=theme, panels=tuple(panels), columns=len(panels)
        )
        write_whole(folder.path / CURVES, drawing.svg().encode())


def _points(history: list[dict[str, Any]], kind: str, what: str) -> tuple[tuple[float, float], ...]:
    found = [
        (float(line["step"]), float(line[what]))
        for line in history
        if line.get("kind") == kind and line.get(what) is not None
    ]
    return tuple(found) if len(found) > 1 else ()
