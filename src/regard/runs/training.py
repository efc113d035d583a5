"""A run from its recipe to its last checkpoint: train, validate, save, stop, resume."""

import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.errors import RunError
from regard.models import TranslationModel
from regard.recipe import DataSettings, Recipe
from regard.runs.building import build_model, choose_device, step_settings
from regard.runs.card import write_card, write_curves
from regard.runs.choosing import complete
from regard.runs.folder import RunFolder
from regard.runs.lessons import Lessons, read_data
from regard.text import Batch, Corpus, Pair, Parts, Tokenizer
from regard.training import (
    Learner,
    Report,
    StepSettings,
    checkpoints_in,
    keep_best_and_last,
    load_parameters,
    loss_of,
    make_optimizer,
    progress,
    restore,
    save_checkpoint,
    sweep,
    train_steps,
    training_state,
)
from regard.translation import Translator, bleu, chrf

HISTORY_EVERY = 25
"""Steps between two lines of history."""


@dataclass(frozen=True, kw_only=True)
class Validation:
    """How well the model does on pairs it has not learned from."""

    step: int
    loss: float
    """Nats per target token, without smoothing."""
    bleu: float | None
    chrf: float | None
    source: str
    target: str
    translation: str
    seconds: float
    is_best: bool

    @property
    def score(self) -> float:
        """More is better: BLEU, or minus the loss where nothing was translated."""
        return -self.loss if self.bleu is None else self.bleu


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


@dataclass(frozen=True)
class Preparation:
    """A run about to begin: everything read, chosen and checked, nothing written."""

    recipe: Recipe
    parts: Parts
    tokenizer: Tokenizer
    lessons: Lessons
    model: TranslationModel[Any]
    device: torch.device
    start_from: str | None = None

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    def seconds_per_step(self) -> float:
        """The time of a step, measured on a few batches without learning from them."""
        settings = step_settings(self.recipe)
        times = []
        for _, batches, _ in self.lessons.from_step(0):
            began = time.perf_counter()
            for batch in batches:
                loss_of(self.model.train(), batch.to(self.device), settings).backward()
            times.append(time.perf_counter() - began)
            self.model.zero_grad(set_to_none=True)
            if len(times) == 4:
                return sorted(times)[1]
        raise AssertionError("lessons have no end")


def as_recipe(what: str | Path | Recipe | DataSettings) -> Recipe:
    """A recipe, the recipe in a file, or the recipe that is all defaults for a file of pairs."""
    if isinstance(what, Recipe):
        return what
    if isinstance(what, DataSettings):
        return Recipe(data=what)
    if str(what).endswith(".toml"):
        return Recipe.load(what)
    return Recipe(data=DataSettings(train=(str(what),)))


def prepare(
    what: str | Path | Recipe | DataSettings,
    *,
    start_from: str | Path | None = None,
    device: str | None = None,
) -> Preparation:
    """Read the data, choose what is open, build tokenizer and model."""
    recipe = as_recipe(what)
    where = choose_device(device)
    parts = read_data(recipe.data)
    if start_from is None:
        tokenizer = Tokenizer.train(
            parts.train.pairs,
            kind=recipe.tokenizer.kind,
            size=recipe.tokenizer.size,
            joint=recipe.tokenizer.joint,
            least_count=recipe.tokenizer.least_count,
        )
    else:
        before = RunFolder(Path(start_from))
        tokenizer = before.tokenizer()
        recipe = replace(recipe, model=before.recipe().model, tokenizer=before.recipe().tokenizer)
    lessons = Lessons.of(parts.train, tokenizer, recipe)
    recipe = complete(recipe, pairs=len(parts.train.pairs), batches=len(lessons.batches))
    torch.manual_seed(recipe.training.seed)
    model = build_model(recipe.model, tokenizer).to(where)
    if start_from is not None:
        checkpoint = RunFolder(Path(start_from)).checkpoint()
        load_parameters(model, checkpoint.parameters(), str(checkpoint.folder))
    return Preparation(
        recipe, parts, tokenizer, lessons, model, where, None if start_from is None else str(start_from)
    )


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
    is raised.
    """
    folder = RunFolder(Path(into))
    if resume:
        if not checkpoints_in(folder.checkpoints):
            raise RunError(f"{into} holds no checkpoint to resume from. Leave --resume out to begin.")
        prepared = _prepared_again(folder, folder.recipe(), device)
    else:
        folder.check_free()
        prepared = (
            what if isinstance(what, Preparation) else prepare(what, start_from=start_from, device=device)
        )
        folder.begin(prepared.recipe.anywhere(), prepared.tokenizer)
    yield from run(prepared, folder, resume=resume)


def is_begun(into: str | Path) -> bool:
    """Whether the folder holds a run that can go on."""
    return bool(checkpoints_in(RunFolder(Path(into)).checkpoints))


def is_finished(into: str | Path) -> bool:
    """Whether the folder holds a run that has taken its last step, or stopped by itself."""
    if not is_begun(into):
        return False
    folder = RunFolder(Path(into))
    last, training = folder.checkpoint("last"), folder.recipe().training
    return last.step >= (training.steps or 0) or int(last.progress["since_best"]) >= training.patience


def _prepared_again(folder: RunFolder, recipe: Recipe, device: str | None) -> Preparation:
    parts, tokenizer = read_data(recipe.data), folder.tokenizer()
    known = checkpoints_in(folder.checkpoints)[-1].progress.get("data")
    if known is not None and known != parts.train.sha256:
        raise RunError(
            f"The training pairs are not those this run began with (sha256 {parts.train.sha256[:16]}…, "
            f"it began with {known[:16]}…), so it cannot go on. Bring them back, or begin another run with "
            f"--from {folder.path}."
        )
    where = choose_device(device)
    model = build_model(recipe.model, tokenizer).to(where)
    return Preparation(recipe, parts, tokenizer, Lessons.of(parts.train, tokenizer, recipe), model, where)


def run(prepared: Preparation, folder: RunFolder, *, resume: bool = False) -> Iterator[Progress]:
    """Train what is prepared, in its folder."""
    recipe, model = prepared.recipe, prepared.model
    training = recipe.training
    assert training.validate_every is not None
    optimizer = make_optimizer(model, weight_decay=training.weight_decay)
    learner = Learner(model, optimizer, step_settings(recipe))
    sweep(folder.checkpoints)
    best, since_best, spent = -math.inf, 0, 0.0
    if resume:
        last = folder.checkpoint("last")
        restore(learner, last.parameters(), last.optimizer(), str(last.folder))
        learner.step = last.step
        learner.skipped = int(last.progress["skipped"])
        learner.skipped_in_a_row = int(last.progress["skipped_in_a_row"])
        best, since_best = float(last.progress["best"]), int(last.progress["since_best"])
        spent = float(last.progress["seconds"])
        folder.cut_history(last.step)
        if since_best >= training.patience or learner.step >= learner.settings.steps:
            return
    judge = Judge(prepared)

    def save(score: float | None) -> None:
        save_checkpoint(
            folder.checkpoints,
            step=learner.step,
            score=score,
            progress={
                **progress(learner),
                "best": best,
                "since_best": since_best,
                "seconds": spent + time.perf_counter() - began,
                "data": prepared.parts.train.sha256,
                "stands_on": folder.seals(),
            },
            parameters=learner.parameters_to_keep(),
            optimizer=training_state(learner),
        )
        keep_best_and_last(folder.checkpoints)

    began = time.perf_counter()
    plan = (
        (epoch, [batch.to(prepared.device) for batch in batches], names)
        for epoch, batches, names in prepared.lessons.from_step(learner.step)
    )
    with interrupts_deferred() as interrupted:
        for report in train_steps(learner, plan):
            validation = None
            done = report.step >= learner.settings.steps
            if done or report.step % training.validate_every == 0:
                validation = judge.validate(learner, best)
                since_best = 0 if validation.is_best else since_best + 1
                best = max(best, validation.score)
                save(validation.score)
                folder.append_history({"kind": "validation", **asdict(validation)})
                judge.keep_look(folder, learner)
                write_curves(folder)
            if validation is not None or report.step % HISTORY_EVERY == 0:
                folder.append_history({"kind": "step", **asdict(report)})
            stopping = validation is not None and since_best >= training.patience
            if done or stopping:
                write_card(folder, prepared, seconds=spent + time.perf_counter() - began)
            yield Progress(report=report, validation=validation, steps=learner.settings.steps)
            if interrupted():
                save(None)
                raise KeyboardInterrupt
            if stopping:
                return


class Judge:
    """Validates a learner with the parameters it would translate with."""

    def __init__(self, prepared: Preparation) -> None:
        self.prepared = prepared
        self.corpus: Corpus = prepared.parts.validation
        self.batches = _validation_batches(self.corpus, prepared.tokenizer)
        self.sample = _sample(self.corpus)

    def validate(self, learner: Learner, best: float) -> Validation:
        """Loss on all validation pairs, BLEU and chrF on the first of them."""
        began = time.perf_counter()
        with translating(learner, self.prepared.tokenizer) as translator:
            loss = self._loss(learner)
            count = self.prepared.recipe.training.validation_pairs
            pairs = self.corpus.pairs[:count]
            in_bleu = in_chrf = None
            if pairs:
                found = [one.text for one in translator.translate([pair.source for pair in pairs], beam=1)]
                wanted = [pair.target for pair in pairs]
                in_bleu, in_chrf = bleu(found, wanted).value, chrf(found, wanted).value
            translation = translator.translate([self.sample.source], beam=1)[0].text
        score = -loss if in_bleu is None else in_bleu
        return Validation(
            step=learner.step,
            loss=loss,
            bleu=in_bleu,
            chrf=in_chrf,
            source=self.sample.source,
            target=self.sample.target,
            translation=translation,
            seconds=time.perf_counter() - began,
            is_best=score > best,
        )

    def keep_look(self, folder: RunFolder, learner: Learner) -> None:
        """The attention on one sentence, at this step, for a film of the training."""
        with translating(learner, self.prepared.tokenizer) as translator:
            maps = translator.look(self.sample.source, self.sample.target)
        folder.looks.mkdir(exist_ok=True)
        maps.save(folder.looks / f"{learner.step:08d}.npz")

    def _loss(self, learner: Learner) -> float:
        plain = StepSettings(label_smoothing=0.0)
        total, tokens = 0.0, 0
        with torch.no_grad():
            for batch in self.batches:
                total += float(loss_of(learner.model, batch.to(self.prepared.device), plain))
                tokens += batch.target_tokens
        return total / max(tokens, 1)


@contextmanager
def translating(learner: Learner, tokenizer: Tokenizer) -> Iterator[Translator]:
    """A translator with the parameters to keep, in a model that gets its own back afterwards."""
    model, kept = learner.model, learner.averaged
    own = {name: parameter.detach().clone() for name, parameter in model.named_parameters()} if kept else {}
    model.eval()
    try:
        _put(model, kept or {})
        yield Translator(model, tokenizer)
    finally:
        _put(model, own)
        model.train()


def _put(model: TranslationModel[Any], parameters: dict[str, Tensor]) -> None:
    own = dict(model.named_parameters())
    with torch.no_grad():
        for name, value in parameters.items():
            own[name].copy_(value)


@contextmanager
def interrupts_deferred() -> Iterator[Callable[[], bool]]:
    """Let a step end before an interrupt is heard: between steps everything fits together."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    for one in before:
        signal.signal(one, lambda number, _: came.append(number))
    try:
        yield lambda: bool(came)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)


def _validation_batches(corpus: Corpus, tokenizer: Tokenizer) -> list[Batch]:
    """All validation pairs in batches of like length."""
    sources = tokenizer.source.encode_batch(pair.source for pair in corpus.pairs)
    targets = tokenizer.target.encode_batch(pair.target for pair in corpus.pairs)
    order = sorted(range(len(sources)), key=lambda one: (len(targets[one]), len(sources[one])))
    chunks = [order[start : start + 64] for start in range(0, len(order), 64)]
    return [Batch.of([sources[one] for one in chunk], [targets[one] for one in chunk]) for chunk in chunks]


def _sample(corpus: Corpus) -> Pair:
    """The pair to show while training: the first of middling length."""
    lengths = sorted(len(pair.source) for pair in corpus.pairs)
    middle = lengths[len(lengths) // 2]
    return next(pair for pair in corpus.pairs if len(pair.source) == middle)
