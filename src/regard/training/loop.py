"""The loop: it yields a report for every step, and the caller listens."""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from regard.errors import RegardError
from regard.models.contract import TranslationModel
from regard.text import Batch
from regard.training.loss import agreeing_loss, smoothed_loss
from regard.training.schedule import learning_rate

MOST_SKIPPED = 5
"""Steps in a row whose gradients were not finite, before training gives up."""


@dataclass(frozen=True, kw_only=True)
class StepSettings:
    """How one step learns."""

    schedule: str = "inverse-square-root"
    peak_learning_rate: float = 1e-3
    warmup_steps: int = 1_000
    steps: int = 10_000
    label_smoothing: float = 0.1
    largest_gradient: float = 1.0
    agreement: float = 0.0
    moving_average: float = 0.0
    seed: int = 0


@dataclass(frozen=True, kw_only=True)
class Report:
    """What one step did."""

    step: int
    epoch: int
    loss: float
    """Nats per target token, smoothing included; not a number where the step was skipped."""
    gradient_norm: float
    learning_rate: float
    tokens: int
    """Target tokens of the step."""
    seconds: float
    skipped: bool = False


@dataclass
class Learner:
    """A model with what training it needs and changes: optimizer, moving average, where it is.

    Everything random in a step follows from seed and step, so that this is all there is to save.
    """

    model: TranslationModel[Any]
    optimizer: torch.optim.Optimizer
    settings: StepSettings
    step: int = 0
    skipped: int = 0
    skipped_in_a_row: int = 0
    averaged: dict[str, Tensor] | None = None

    def __post_init__(self) -> None:
        if self.settings.moving_average and self.averaged is None:
            self.averaged = {name: one.detach().clone() for name, one in self.model.named_parameters()}

    def learn(self, batches: Sequence[Batch], *, epoch: int, names: Sequence[str]) -> Report:
        """One step on one or several batches, whose gradients add up; ``names`` tell them in errors."""
        began = time.perf_counter()
        settings, step = self.settings, self.step + 1
        rate = learning_rate(
            step,
            schedule=settings.schedule,
            peak=settings.peak_learning_rate,
            warmup=settings.warmup_steps,
            steps=settings.steps,
        )
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        torch.manual_seed((settings.seed * 1_000_003 + step) % 2**63)
        self.model.train()
        self.optimizer.zero_grad(set_to_none=True)
        tokens = sum(batch.target_tokens for batch in batches)
        total = 0.0
        for batch in batches:
            loss = loss_of(self.model, batch, settings) / max(tokens, 1)
            loss.backward()
            total += loss.item()
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), settings.largest_gradient).item()
        self.step = step
        finite = math.isfinite(total) and math.isfinite(norm)
        if finite:
            self.optimizer.step()
            self._average()
            self.skipped_in_a_row = 0
        else:
            self._skip(total, norm, names)
        return Report(
            step=step,
            epoch=epoch,
            loss=total if finite else math.nan,
            gradient_norm=norm,
            learning_rate=rate,
            tokens=tokens,
            seconds=time.perf_counter() - began,
            skipped=not finite,
        )

    def parameters_to_keep(self) -> dict[str, Tensor]:
        """The parameters to translate with: the moving average, or the last."""
        if self.averaged is not None:
            return self.averaged
        return {name: parameter.detach() for name, parameter in self.model.named_parameters()}

    def _average(self) -> None:
        if self.averaged is None:
            return
        # Early on, the average of all steps so far: the first ones should not weigh for long.
        decay = min(self.settings.moving_average, self.step / (self.step + 9))
        parameters = [parameter.detach() for _, parameter in self.model.named_parameters()]
        torch._foreach_lerp_(list(self.averaged.values()), parameters, 1 - decay)

    def _skip(self, loss: float, norm: float, names: Sequence[str]) -> None:
        self.skipped += 1
        self.skipped_in_a_row += 1
        if self.skipped_in_a_row >= MOST_SKIPPED:
            raise RegardError(
                f"{MOST_SKIPPED} steps in a row were not finite; the last was step {self.step} on "
                f"{', '.join(names)} with loss {loss} and gradient norm {norm}. Lower "
                "training.peak_learning_rate, or look at these sentences; the last checkpoint is sound."
            )


def loss_of(model: TranslationModel[Any], batch: Batch, settings: StepSettings) -> Tensor:
    """The loss summed over the real target tokens of a batch."""
    real = batch.target_out.flatten().nonzero().squeeze(1)
    targets = batch.target_out.flatten()[real]

    def hidden() -> Tensor:
        return model.hidden(batch.source, batch.target_in, batch.source_lengths).flatten(0, 1)[real]

    if settings.agreement:
        return agreeing_loss(
            hidden(),
            hidden(),
            model.output_table,
            targets,
            smoothing=settings.label_smoothing,
            agreement=settings.agreement,
        )
    return smoothed_loss(hidden(), model.output_table, targets, smoothing=settings.label_smoothing)


def make_optimizer(model: nn.Module, *, weight_decay: float = 0.0) -> torch.optim.Optimizer:
    """Adam as in the paper (β₂ = 0.98), with decoupled weight decay where asked, in one fused pass."""
    device = next(model.parameters()).device.type
    fused = device in ("cpu", "cuda", "mps")
    betas, epsilon = (0.9, 0.98), 1e-9
    if weight_decay:
        return torch.optim.AdamW(
            model.parameters(), lr=0.0, betas=betas, eps=epsilon, weight_decay=weight_decay, fused=fused
        )
    return torch.optim.Adam(model.parameters(), lr=0.0, betas=betas, eps=epsilon, fused=fused)


def train_steps(learner: Learner, plan: Iterator[tuple[int, list[Batch], list[str]]]) -> Iterator[Report]:
    """A report for every step, until the steps of the settings are done."""
    for epoch, batches, names in plan:
        yield learner.learn(batches, epoch=epoch, names=names)
        if learner.step >= learner.settings.steps:
            return
