"""What a person sees while a run trains: a live view in a terminal, plain lines elsewhere."""

import time
from collections.abc import Iterable
from typing import Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from regard.runs import Preparation, Validation
from regard.runs import Progress as Step
from regard.viewing.typography import visible
from regard.wording import counted

SMOOTHING = 0.95
"""How much of the shown loss and speed is their past."""
ROWS = 6
"""Validations shown at a time."""


class Watching(Protocol):
    """Something that is told of every step."""

    def tell(self, step: Step) -> None:
        """Hear of one step."""


def announce(console: Console, prepared: Preparation, into: str) -> None:
    """What was read and chosen, before the first step."""
    recipe, parts = prepared.recipe, prepared.parts
    model, training = recipe.model, recipe.training
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim")
    table.add_column()
    dropped = parts.train.reading.reasons
    table.add_row(
        "pairs", f"{len(parts.train.pairs):,} to learn from" + (f"; dropped {dropped}" if dropped else "")
    )
    table.add_row("validation", Text(prepared.validated_on()))
    if prepared.start_from is not None:
        table.add_row("from", Text(f"{prepared.start_from}, with its model and its tokenizer"))
    sizes = {len(prepared.tokenizer.source), len(prepared.tokenizer.target)}
    counts = " and ".join(f"{size:,}" for size in sorted(sizes))
    table.add_row("tokens", f"{prepared.tokenizer.kind}, {counts} in the vocabulary")
    heads = ", normalised" if model.normalised else ""
    if model.kind == "transformer":
        heads = f", {counted(model.heads or 0, 'head')}, {model.positions} positions"
    table.add_row(
        "model",
        f"{model.kind}, {counted(model.layers or 0, 'layer')} of width {model.width}{heads}, "
        f"{prepared.parameters:,} parameters",
    )
    tokens = (training.tokens_per_batch or 0) * training.accumulate
    table.add_row(
        "training",
        f"{counted(training.steps or 0, 'step')} of {tokens:,} tokens on {prepared.device}, "
        f"seed {training.seed}",
    )
    dropout = f"dropout {model.dropout:g}"
    if training.dropout_steps and model.dropout:
        dropout += f" after {counted(training.dropout_steps, 'step')}"
    decay = f", weight decay {training.weight_decay:g}" if training.weight_decay else ""
    table.add_row(
        "learning",
        f"by {training.optimizer}, at most {training.peak_learning_rate:.2g} a step{decay}, {dropout}",
    )
    table.add_row("into", Text(into))
    console.print(table)


def about(seconds: float) -> str:
    """A time that is only estimated, in the unit that tells it best.

    >>> about(3.2), about(59.9), about(100), about(5_000), about(400_000)
    ('3 seconds', '1 minute', '2 minutes', '1.4 hours', '4.6 days')
    """
    if seconds < 59.5:
        return counted(max(round(seconds), 1), "second")
    if seconds < 59.5 * 60:
        return counted(round(seconds / 60), "minute")
    hours = seconds / 3_600
    return f"{hours:.1f} hours" if hours < 48 else f"{hours / 24:.1f} days"


def follow(console: Console, steps: Iterable[Step], *, total: int, done: int = 0) -> Validation | None:
    """Show a run until it ends; gives its best validation, or None if an earlier sitting saw a better one."""
    smooth = _Smooth()
    best: Validation | None = None
    if not console.is_terminal:
        for step in steps:
            smooth.hear(step)
            if step.validation is not None:
                best = step.validation if step.validation.is_best else best
                console.print(Text(_line(step, smooth)), soft_wrap=True)
        return best
    bar = Progress(
        TextColumn("[bold]training"),
        BarColumn(bar_width=None),
        MofNCompleteColumn(),
        TimeRemainingColumn(compact=True),
        console=console,
        expand=True,
    )
    task = bar.add_task("training", total=total, completed=done)
    validations: list[Validation] = []
    with Live(Group(bar), console=console, refresh_per_second=4) as live:
        for step in steps:
            smooth.hear(step)
            bar.update(task, completed=step.step)
            if step.validation is not None:
                best = step.validation if step.validation.is_best else best
                validations.append(step.validation)
            live.update(Group(bar, smooth.shown(step), _table(validations[-ROWS:], best)))
    return best


class _Smooth:
    """Loss and speed, smoothed as they are read."""

    def __init__(self) -> None:
        self.loss: float | None = None
        self.speed: float | None = None
        self.heard = time.perf_counter()

    def hear(self, step: Step) -> None:
        report = step.report
        if not report.skipped:
            self.loss = report.loss if self.loss is None else _mixed(self.loss, report.loss)
            speed = report.tokens / max(report.seconds, 1e-9)
            self.speed = speed if self.speed is None else _mixed(self.speed, speed)

    def shown(self, step: Step) -> Text:
        loss = "–" if self.loss is None else f"{self.loss:.3f}"
        speed = "–" if self.speed is None else f"{self.speed:,.0f}"
        return Text(
            f"loss {loss} · {speed} target tokens a second · learning rate {step.report.learning_rate:.1e}",
            style="dim",
        )


def _mixed(past: float, now: float) -> float:
    return SMOOTHING * past + (1 - SMOOTHING) * now


def _table(validations: list[Validation], best: Validation | None) -> Table:
    table = Table(box=None, expand=True, header_style="dim")
    table.add_column("step", justify="right")
    table.add_column("loss", justify="right")
    table.add_column("BLEU", justify="right")
    asked = visible(validations[-1].source) if validations else ""
    table.add_column(Text(asked), ratio=1, overflow="fold")
    for one in validations:
        style = "bold green" if best is not None and one.step == best.step else ""
        bleu = "–" if one.bleu is None else f"{one.bleu:.1f}"
        table.add_row(str(one.step), f"{one.loss:.3f}", bleu, Text(visible(one.translation)), style=style)
    return table


def _line(step: Step, smooth: _Smooth) -> str:
    validation = step.validation
    assert validation is not None
    bleu = "" if validation.bleu is None else f"  BLEU {validation.bleu:5.1f}"
    loss = 0.0 if smooth.loss is None else smooth.loss
    speed = 0.0 if smooth.speed is None else smooth.speed
    return (
        f"step {step.step:>6} of {step.steps}  loss {loss:.3f}  validation {validation.loss:.3f}{bleu}  "
        f"{speed:,.0f} tokens/s  | {visible(validation.translation)}"
    )
