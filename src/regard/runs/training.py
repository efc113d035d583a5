"""A run from its recipe to its last checkpoint: train, validate, save, stop, resume."""

import json
import math
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

from safetensors.torch import load, save
from torch import Tensor

from regard.errors import RunError
from regard.recipe import DataSettings, Recipe
from regard.runs.building import sharded_model, step_settings
from regard.runs.card import write_card, write_curves
from regard.runs.folder import RunFolder
from regard.runs.interrupts import interrupts_deferred
from regard.runs.judging import Judge, Validation
from regard.runs.pacing import keep_few_kernels
from regard.runs.preparing import Preparation, as_recipe, prepare, prepare_again
from regard.training import (
    ALONE,
    Learner,
    Processes,
    Report,
    average_last,
    checkpoints_in,
    gathered,
    keep_best_and_last,
    make_optimizer,
    progress,
    restore,
    save_checkpoint,
    sweep,
    train_steps,
    was_restarted,
)

__all__ = ["Preparation", "Progress", "as_recipe", "is_begun", "is_finished", "prepare", "train"]

HISTORY_EVERY = 25
"""Steps between two lines of history."""
_TOLD = {"skipped", "skipped_in_a_row", "best", "since_best", "seconds"}
"""What a checkpoint tells that training goes on from."""


@dataclass(frozen=True, kw_only=True)
class Progress:
    """One step of a run: its report, and its validation where there was one."""

    report: Report
    validation: Validation | None
    steps: int

    @property
    def step(self) -> int:
        """How many steps are done."""
        return self.report.step

    @property
    def loss(self) -> float:
        """Nats per target token of this step."""
        return self.report.loss


def train(
    what: str | Path | Recipe | DataSettings | Preparation,
    *,
    into: str | Path,
    resume: bool = False,
    start_from: str | Path | None = None,
    device: str | None = None,
) -> Iterator[Progress]:
    """Turn sentence pairs into a translator in the folder ``into``, telling of every step.

    ``what`` is a file of pairs, a recipe, the recipe in a ``.toml`` file, or what :func:`prepare`
    made. ``resume`` goes on where the folder's last checkpoint stands, bit for bit; ``start_from``
    begins with the tokenizer and parameters of another run. A keyboard interrupt saves before it
    is raised. Processes that torchrun started learn together; only the first writes.
    """
    folder = RunFolder(Path(into))
    if resume:
        prepared = prepare_again(folder, device=device)
    elif isinstance(what, Preparation):
        prepared = what
    else:
        prepared = prepare(what, start_from=start_from, device=device)
    yield from run(prepared, folder, resume=resume)


def is_begun(into: str | Path) -> bool:
    """Whether the folder holds a run that can go on."""
    return bool(checkpoints_in(RunFolder(Path(into)).checkpoints))


def goes_on(into: str | Path, processes: Processes = ALONE) -> bool:
    """Whether torchrun started a run again that has a checkpoint already."""
    if not was_restarted():
        return False
    begun = b""
    with processes.together():
        begun = json.dumps(processes.is_first and is_begun(into)).encode()
    return bool(json.loads(processes.from_first(begun)))


def is_finished(into: str | Path) -> bool:
    """Whether the folder holds a run that has taken its last step, or stopped by itself."""
    if not is_begun(into):
        return False
    folder = RunFolder(Path(into))
    last, training = folder.checkpoint("last"), folder.recipe().training
    return last.step >= (training.steps or 0) or int(last.progress.get("since_best", 0)) >= training.patience


def run(prepared: Preparation, folder: RunFolder, *, resume: bool = False) -> Iterator[Progress]:
    """Train what is prepared, in its folder."""
    keep_few_kernels()
    processes = prepared.processes
    with ExitStack() as held:
        if prepared.pace is not None:
            held.enter_context(prepared.pace.kept())
        with processes.together():
            if processes.is_first:
                if not resume:
                    folder.check_free()
                held.enter_context(folder.held(wait=was_restarted()))
                if not resume:
                    folder.check_free()
                    folder.begin(
                        prepared.recipe.anywhere(),
                        prepared.tokenizer,
                        set_aside=prepared.set_aside,
                        start_from=prepared.begun,
                    )
                sweep(folder.checkpoints)
        yield from _Course(prepared, folder, resume=resume).steps()


class _Course:
    """A run under way: what it has learned, how well it did, how long it took."""

    def __init__(self, prepared: Preparation, folder: RunFolder, *, resume: bool) -> None:
        self.prepared, self.folder, self.processes = prepared, folder, prepared.processes
        self.training = prepared.recipe.training
        sharded = sharded_model(prepared.recipe, prepared.model, self.processes)
        settings = step_settings(prepared.recipe, prepared.device)
        optimizer = make_optimizer(
            prepared.model,
            kind=self.training.optimizer or "adam",  # as runs were that do not say
            weight_decay=self.training.weight_decay or 0.0,
            mixed_precision=settings.mixed_precision,
            processes=self.processes,
        )
        self.learner = Learner(prepared.model, optimizer, settings, processes=self.processes, sharded=sharded)
        self.longest_sentence = prepared.lessons.longest_sentence
        self.judge = Judge(
            prepared.parts.validation,
            prepared.tokenizer,
            pairs=self.training.validation_pairs,
            longest_sentence=self.longest_sentence,
            device=prepared.device,
        )
        self.best, self.since_best, self.spent = -math.inf, 0, 0.0
        if resume:
            self._go_back()
        self.began = time.perf_counter()

    def steps(self) -> Iterator[Progress]:
        """Every step that is left."""
        learner, alone = self.learner, self.processes.is_alone
        if self._is_over():
            return
        plan = (
            (epoch, [batch.to(self.prepared.device) for batch in batches], names)
            for epoch, batches, names in self.prepared.lessons.from_step(learner.step, self.processes)
        )
        with interrupts_deferred() as interrupted:
            for report in train_steps(learner, plan, interrupted):
                validation = self._heard(report)
                yield Progress(report=report, validation=validation, steps=learner.settings.steps)
                # Of several processes all must leave after the same step.
                if interrupted() if alone else report.is_leaving:
                    whole, state = gathered(learner)
                    with self.processes.together():
                        if self.processes.is_first:
                            average_last(whole, checkpoints_in(self.folder.checkpoints))
                            self._save(None, whole, state)
                    raise KeyboardInterrupt
                if self._is_over():
                    return

    def _is_over(self) -> bool:
        done = self.learner.step >= self.learner.settings.steps
        return done or self.since_best >= self.training.patience

    def _heard(self, report: Report) -> Validation | None:
        """Judge, save and write down what a step did, as often as it is due."""
        assert self.training.validate_every is not None
        done = report.step >= self.learner.settings.steps
        if not done and report.step % self.training.validate_every:
            if self.processes.is_first and (report.skipped or report.step % HISTORY_EVERY == 0):
                self.folder.append_history({"kind": "step", **asdict(report)})
            return None
        told = b""
        whole, state = gathered(self.learner)
        with self.processes.together():
            if self.processes.is_first:
                validation = self._judged(report, whole, state)
                told = json.dumps(asdict(validation)).encode()
        if not self.processes.is_first:
            told = self.processes.from_first(b"")
            validation = Validation(**json.loads(told))
            self._count(validation)
        elif not self.processes.is_alone:
            self.processes.from_first(told)
        return validation

    def _judged(self, report: Report, learner: Learner, state: dict[str, Tensor]) -> Validation:
        average_last(learner, checkpoints_in(self.folder.checkpoints))
        validation = self.judge.validate(learner, self.best)
        self._count(validation)
        self._save(validation.score, learner, state)
        self.folder.append_history({"kind": "validation", **asdict(validation)})
        self.judge.keep_look(self.folder, learner)
        write_curves(self.folder)
        self.folder.append_history({"kind": "step", **asdict(report)})
        if self._is_over():
            write_card(self.folder, self.prepared, seconds=self._seconds())
        return validation

    def _count(self, validation: Validation) -> None:
        self.since_best = 0 if validation.is_best else self.since_best + 1
        self.best = max(self.best, validation.score)

    def _seconds(self) -> float:
        return self.spent + time.perf_counter() - self.began

    def _save(self, score: float | None, learner: Learner, state: dict[str, Tensor]) -> None:
        save_checkpoint(
            self.folder.checkpoints,
            step=learner.step,
            score=score,
            progress={
                **progress(learner),
                "best": self.best,
                "since_best": self.since_best,
                "seconds": self._seconds(),
                "processes": self.processes.world,
                "longest_sentence": self.longest_sentence,
                "data": self.prepared.parts.train.sha256,
                "pace": None if self.prepared.pace is None else self.prepared.pace.told(),
                "stands_on": self.folder.seals(),
            },
            parameters=learner.parameters_to_keep(),
            optimizer=state,
        )
        keep_best_and_last(self.folder.checkpoints, scored=self.training.average_last)

    def _go_back(self) -> None:
        """To where the last checkpoint stands, which the first process tells the others."""
        numbers, parameters, optimizer = b"", dict[str, Tensor](), dict[str, Tensor]()
        with self.processes.together():
            if self.processes.is_first:
                last = self.folder.checkpoint("last")
                missing = sorted(_TOLD - last.progress.keys())
                if missing:
                    raise RunError(
                        f"{last.folder} does not tell {', '.join(missing)}, so training cannot go on from "
                        f"it. Begin another run with --from {self.folder.path}."
                    )
                numbers = json.dumps({**last.progress, "step": last.step}).encode()
                parameters, optimizer = last.parameters(), last.optimizer()
                self.folder.cut_history(last.step)
        found = json.loads(self.processes.from_first(numbers))
        parameters = _from_first(self.processes, parameters)
        optimizer = _from_first(self.processes, optimizer)
        restore(self.learner, parameters, optimizer, str(self.folder.path))
        self.learner.step = int(found["step"])
        self.learner.skipped = int(found["skipped"])
        self.learner.skipped_in_a_row = int(found["skipped_in_a_row"])
        self.best, self.since_best = float(found["best"]), int(found["since_best"])
        self.spent = float(found["seconds"])


def _from_first(processes: Processes, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    if processes.is_alone:
        return tensors
    content = processes.from_first(save(tensors) if processes.is_first else b"")
    return tensors if processes.is_first else load(content)
