"""The loop: it yields a report for every step, and the caller listens."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from regard.models.contract import TranslationModel
from regard.models.dropping import eased
from regard.text import Batch
from regard.training.loss import agreeing_loss, smoothed_loss
from regard.training.muon import Muon, adam
from regard.training.processes import ALONE, Processes, SharedError, SharedGradients
from regard.training.schedule import grown, learning_rate
from regard.training.trouble import first_trouble

if TYPE_CHECKING:
    from regard.training.sharding import Sharded

_HALF = torch.bfloat16
MOST_SKIPPED = 5
"""Steps in a row whose gradients were not finite, before training gives up."""
NUMBERS_AT_ONCE = 5 * 2**17
"""Features of a layer that a CPU goes over at a time, to keep less for the way back."""
_STAND_IN = Batch.of([[]], [[]])
"""What a process with an empty share goes over where all must compute together."""


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
    dropout_steps: int = 0
    """Over how many steps dropout grows from nothing to what the model has."""
    moving_average: float = 0.0
    average_last: int = 0
    mixed_precision: bool = False
    """Multiply in bfloat16 where the device gains from it; parameters and loss stay as they are."""
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
    """Target tokens of the step, those of all processes."""
    seconds: float
    skipped: bool = False
    trouble: str = ""
    """Of a step that was skipped: what was not finite, and in which batch."""
    is_leaving: bool = False
    """Whether a process was asked to stop after this step."""


@dataclass
class Learner:
    """A model with what training it needs and changes: optimizer, average, where it is.

    Everything random in a step follows from seed, step and process, so that this is all there is to
    save. Several processes take one step together, each on its share of the batches, and stay equal.
    """

    model: TranslationModel[Any]
    optimizer: torch.optim.Optimizer
    settings: StepSettings
    step: int = 0
    skipped: int = 0
    skipped_in_a_row: int = 0
    averaged: dict[str, Tensor] | None = None
    processes: Processes = ALONE
    sharded: "Sharded | None" = None
    """How the model was dealt to the processes, where each holds a part of it."""

    def __post_init__(self) -> None:
        if (self.settings.moving_average or self.settings.average_last) and self.averaged is None:
            self.averaged = {name: one.detach().clone() for name, one in self.model.named_parameters()}
        self._shared: SharedGradients | Sharded | None = self.sharded
        if not self.processes.is_alone and self.sharded is None:
            self._shared = SharedGradients(self.model, numbers=3)

    def learn(
        self, batches: Sequence[Batch], *, epoch: int, names: Sequence[str], leaving: bool = False
    ) -> Report:
        """One step on one or several batches, whose gradients add up; ``names`` tell them in errors.

        ``leaving`` tells the other processes that this one was asked to stop.
        """
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
        self.step = step
        self._seed()
        self.model.train()
        with self.processes.speaking(), eased(self.model, grown(step, settings.dropout_steps)):
            total, tokens, leaving = self._gradients(batches, leaving)
        norm = self._clip()
        finite, trouble = math.isfinite(total) and math.isfinite(norm), ""
        if finite:
            self.optimizer.step()
            self._average()
            self.skipped_in_a_row = 0
        else:
            trouble = self._skip(total, norm, batches, names)
        return Report(
            step=step,
            epoch=epoch,
            loss=total if finite else math.nan,
            gradient_norm=norm,
            learning_rate=rate,
            tokens=tokens,
            seconds=time.perf_counter() - began,
            skipped=not finite,
            trouble=trouble,
            is_leaving=leaving,
        )

    def _seed(self) -> None:
        """What is dropped is a pure function of seed, step and process."""
        apart = self.processes.rank * 0x9E37_79B9_7F4A_7C15  # far from any step of any other
        torch.manual_seed((self.settings.seed * 1_000_003 + self.step + apart) % 2**63)

    def _gradients(self, batches: Sequence[Batch], leaving: bool) -> tuple[float, int, bool]:
        """The mean loss per token and its gradients, those of all processes together."""
        tokens = sum(batch.target_tokens for batch in batches)
        if self._shared is None:
            self.optimizer.zero_grad(set_to_none=True)
            scale = max(tokens, 1)
        else:
            self._shared.clear()
            scale = 1  # how many tokens the others have is known afterwards
        total = 0.0
        for batch in batches:
            for part in self._parts(batch):
                loss = loss_of(self.model, part, self.settings) * (len(batch) > 0) / scale
                loss.backward()
                total += loss.item()
        if self._shared is None:
            return total, tokens, leaving
        total, all_tokens, hands = self._shared.add_up(self.processes, [total, tokens, leaving])
        self._shared.divide(max(all_tokens, 1))
        return total / max(all_tokens, 1), round(all_tokens), hands > 0

    def _parts(self, batch: Batch) -> list[Batch]:
        """What is gone over at a time.

        Where the model is dealt out, the others wait for every gathering: each goes over one batch.
        """
        if self.sharded is not None:
            return [batch if len(batch) else _STAND_IN.to(batch.source.device)]
        return parts_of(batch, self.model)

    def _clip(self) -> float:
        """Shorten the gradient of all parameters to the largest allowed; gives how long it was."""
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.settings.largest_gradient)
        return (norm if self.sharded is None else self.sharded.whole_of(norm)).item()

    def parameters_to_keep(self) -> dict[str, Tensor]:
        """The parameters to translate with: the moving average, or the last."""
        if self.averaged is not None:
            return self.averaged
        return {name: parameter.detach() for name, parameter in self.model.named_parameters()}

    def _average(self) -> None:
        if self.averaged is None or not self.settings.moving_average:
            return
        # Early on, the average of all steps so far: the first ones should not weigh for long.
        decay = min(self.settings.moving_average, self.step / (self.step + 9))
        parameters = [parameter.detach() for _, parameter in self.model.named_parameters()]
        torch._foreach_lerp_(list(self.averaged.values()), parameters, 1 - decay)

    def _skip(self, loss: float, norm: float, batches: Sequence[Batch], names: Sequence[str]) -> str:
        self.skipped += 1
        self.skipped_in_a_row += 1
        trouble = self._trouble(batches, names)
        if self.skipped_in_a_row >= MOST_SKIPPED:
            raise SharedError(
                f"{MOST_SKIPPED} steps in a row were not finite; the last was step {self.step} on "
                f"{', '.join(names)} with loss {loss} and gradient norm {norm}: {trouble}. Lower "
                "training.peak_learning_rate, or look at these sentences; the last checkpoint is sound."
            )
        return trouble

    def _trouble(self, batches: Sequence[Batch], names: Sequence[str]) -> str:
        """What is not finite, found by going over the batches once more; every process says its own."""
        model = self.model
        if self.sharded is not None:
            model = self.sharded.whole_model(torch.device("cpu"))
            batches = [batch.to("cpu") for batch in batches]
        found = self._first_trouble(model, batches, names)
        if found and not self.processes.is_alone:
            found += f" on process {self.processes.rank} of {self.processes.world}"
        said = [text for text in self.processes.texts(found) if text]
        return "; ".join(said) or "nothing that a second look finds"

    def _first_trouble(
        self, model: TranslationModel[Any], batches: Sequence[Batch], names: Sequence[str]
    ) -> str:
        self._seed()
        with eased(model, grown(self.step, self.settings.dropout_steps)):
            for batch, name in zip(batches, names, strict=True):
                for part in self._parts(batch):
                    what = first_trouble(model, lambda one=part: loss_of(model, one, self.settings))  # type: ignore[misc]
                    if what is not None:
                        return f"{what} in {name}"
        return ""


def parts_of(batch: Batch, model: TranslationModel[Any]) -> list[Batch]:
    """What of a batch is gone over at a time: on a CPU no more than pays, and of an empty share nothing."""
    if not len(batch):
        return []
    if batch.source.device.type != "cpu":
        return [batch]
    return batch.parts(NUMBERS_AT_ONCE // model.output_table.shape[1])


def loss_of(model: TranslationModel[Any], batch: Batch, settings: StepSettings) -> Tensor:
    """The loss summed over the real target tokens of a batch."""
    real = batch.target_out.flatten().nonzero().squeeze(1)
    targets = batch.target_out.flatten()[real]

    def hidden() -> Tensor:
        with _precision(settings, batch):
            vectors = model.hidden(batch.source, batch.target_in, batch.source_lengths)
        return vectors.flatten(0, 1)[real].to(_HALF if settings.mixed_precision else model.output_table.dtype)

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


def _precision(settings: StepSettings, batch: Batch) -> AbstractContextManager[object]:
    if not settings.mixed_precision:
        return nullcontext()
    return torch.autocast(batch.source.device.type, dtype=_HALF)


def make_optimizer(
    model: nn.Module,
    *,
    kind: str = "adam",
    weight_decay: float = 0.0,
    mixed_precision: bool = False,
    processes: Processes = ALONE,
) -> torch.optim.Optimizer:
    """What changes the parameters of a model: Adam, or Muon for its hidden matrices."""
    if kind == "muon":
        return Muon(model, weight_decay=weight_decay, half=mixed_precision, processes=processes)
    return adam(model.parameters(), weight_decay=weight_decay)


def train_steps(
    learner: Learner,
    plan: Iterator[tuple[int, list[Batch], list[str]]],
    leaving: Callable[[], bool] = lambda: False,
) -> Iterator[Report]:
    """A report for every step, until the steps of the settings are done."""
    for epoch, batches, names in plan:
        yield learner.learn(batches, epoch=epoch, names=names, leaving=leaving())
        if learner.step >= learner.settings.steps:
            return
