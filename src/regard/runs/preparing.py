"""A run about to begin: everything read, chosen and checked, nothing written."""

import hashlib
import json
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from regard.errors import RecipeError, RunError
from regard.models import TranslationModel
from regard.recipe import BROUGHT_TOKENS, TOKENS, DataSettings, Recipe
from regard.runs.building import build_model, choose_device, filled, step_settings
from regard.runs.choosing import complete, complete_batches
from regard.runs.folder import VALIDATION, RunFolder
from regard.runs.lessons import Lessons, divides, lessons_of, read_data
from regard.runs.pacing import Pace, find_pace, keep_few_kernels
from regard.runs.prepared_lessons import PreparedLessons
from regard.text import Batch, Corpus, Parts, Tokenizer
from regard.text.prepared import PreparedCorpus
from regard.training import ALONE, Processes, checkpoints_in, join, loss_of, parts_of
from regard.wording import counted


@dataclass(frozen=True)
class Preparation:
    """A run about to begin: everything read, chosen and checked, nothing written."""

    recipe: Recipe
    parts: Parts
    tokenizer: Tokenizer
    lessons: Lessons | PreparedLessons
    model: TranslationModel[Any]
    device: torch.device
    start_from: str | None = None
    processes: Processes = ALONE
    pace: Pace | None = None
    """How many threads learn soonest; None where that is not to be chosen."""

    @property
    def parameters(self) -> int:
        """How many numbers are learned."""
        return sum(parameter.numel() for parameter in self.model.parameters())

    @property
    def begun(self) -> RunFolder | None:
        """The run whose parameters this one begins with."""
        return None if self.start_from is None else RunFolder(Path(self.start_from))

    @property
    def set_aside(self) -> Corpus | None:
        """The pairs taken out of those to learn from; None where they lie in a place of their own."""
        return self.parts.validation if divides(self.recipe.data) else None

    def validated_on(self) -> str:
        """How many pairs the run is judged by, and where they are found.

        The folder of a prepared corpus and the embedded corpora keep theirs; pairs that were set aside
        are written into the run folder.
        """
        data, count = self.recipe.data, counted(len(self.parts.validation.pairs), "pair")
        if (aside := self.set_aside) is not None:
            return f"{count} set aside, in {VALIDATION}{aside.written()[0]}"
        if data.validation:
            return f"{count} of {' and '.join(Path(name).name for name in data.validation)}"
        if isinstance(self.parts.train, PreparedCorpus):
            return f"{count} set aside, in {self.parts.train.prepared.validation_file}"
        return f"{count} of {data.train[0]}:validation"

    def seconds_per_step(self) -> float:
        """The time of a step, measured on a few batches without learning from them."""
        times = []
        with nullcontext() if self.pace is None else self.pace.kept():
            for _, batches, _ in self.lessons.from_step(0, self.processes):
                began = time.perf_counter()
                self.rehearse(batches)
                times.append(time.perf_counter() - began)
                if len(times) == 4:
                    return sorted(times)[1]
        raise AssertionError("lessons have no end")

    def rehearse(self, batches: Sequence[Batch]) -> None:
        """Go over batches and back, as a step does, and learn nothing from it."""
        settings = step_settings(self.recipe, self.device)
        self.model.train()
        for batch in batches:
            for part in parts_of(batch.to(self.device), self.model):
                loss_of(self.model, part, settings).backward()
        self.model.zero_grad(set_to_none=True)

    @property
    def chooses_its_pace(self) -> bool:
        """Whether one process has a CPU to itself."""
        return self.device.type == "cpu" and self.processes.is_alone

    def paced(self) -> "Preparation":
        """The same with the best number of threads for its first batch, where that is to be chosen."""
        if not self.chooses_its_pace:
            return self
        keep_few_kernels()
        _, batches, _ = next(iter(self.lessons.from_step(0, self.processes)))
        return replace(self, pace=find_pace(lambda: self.rehearse(batches[:1])))


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
    """Read the data, choose what is open, build tokenizer and model; every process for itself."""
    where = choose_device(device)
    processes = join(where)
    with processes.together():
        prepared = _prepared(as_recipe(what), start_from, where, processes)
    _check_alike(prepared)
    return prepared.paced()


def prepare_again(folder: RunFolder, *, device: str | None = None) -> Preparation:
    """What the run in a folder was prepared from; only the first process need see the folder."""
    where = choose_device(device)
    processes = join(where)
    lent = b""
    with processes.together():
        if processes.is_first:
            lent = _lent(folder)
    content = json.loads(processes.from_first(lent))
    with processes.together(), tempfile.TemporaryDirectory() as place:
        own = folder if processes.is_first else _borrowed(Path(place), content["files"])
        prepared = _as_before(folder, own, content["data"], where, processes)
    _check_alike(prepared)
    return replace(prepared, pace=Pace.of(content["pace"])) if prepared.chooses_its_pace else prepared


def _prepared(
    recipe: Recipe, start_from: str | Path | None, where: torch.device, processes: Processes
) -> Preparation:
    if start_from is not None:
        recipe = _begun(recipe, RunFolder(Path(start_from)))
    parts = read_data(recipe.data)
    if start_from is None and isinstance(parts.train, PreparedCorpus):
        tokenizer = parts.train.prepared.tokenizer
        settings = replace(recipe.tokenizer, kind=tokenizer.kind, joint=tokenizer.joint)
        recipe = replace(recipe, tokenizer=settings)
    elif start_from is None:
        if recipe.tokenizer.kind == BROUGHT_TOKENS:
            raise RecipeError(
                f"tokenizer.kind is {BROUGHT_TOKENS!r}, which an imported model brings along and which is "
                f"not learned here. Choose one of {', '.join(TOKENS)}, or begin with the imported run by "
                "--from."
            )
        tokenizer = Tokenizer.train(
            parts.train.pairs,
            kind=recipe.tokenizer.kind,
            size=recipe.tokenizer.size,
            joint=recipe.tokenizer.joint,
            least_count=recipe.tokenizer.least_count,
        )
    else:
        tokenizer = RunFolder(Path(start_from)).tokenizer()
        _check_tokens(parts.train, tokenizer, start_from)
    # What was prepared was measured by the recipe it was prepared with.
    longest = None if isinstance(parts.train, PreparedCorpus) else recipe.data.longest
    recipe = complete_batches(recipe, pairs=len(parts.train.pairs), longest=longest)
    lessons = lessons_of(parts.train, tokenizer, recipe)
    recipe = complete(recipe, pairs=len(parts.train.pairs), batches=lessons.batches_per_epoch)
    torch.manual_seed(recipe.training.seed)
    if start_from is None:
        model = _model(recipe, tokenizer, None)
    else:
        before = RunFolder(Path(start_from))
        checkpoint = before.checkpoint()
        model = filled(
            lambda: _model(recipe, tokenizer, before), checkpoint.parameters(), str(checkpoint.folder)
        )
    model = model.to(where)
    began = None if start_from is None else str(start_from)
    return Preparation(recipe, parts, tokenizer, lessons, model, where, began, processes)


def _begun(recipe: Recipe, before: RunFolder) -> Recipe:
    """The recipe with the model and the tokenizer of the run it begins with; refused if it says otherwise.

    What only matters while learning, dropout, it may choose anew.
    """
    begun, tokenizer, faults = before.recipe(), before.tokenizer(), []
    # The recipe of an imported run does not say of what kind its tokens are.
    kind = replace(begun.tokenizer, kind=tokenizer.kind, joint=tokenizer.joint)
    begun = replace(begun, tokenizer=kind)
    chosen: dict[str, dict[str, Any]] = {"model": {}, "tokenizer": {}}
    for section, anew in chosen.items():
        for name, value in recipe.said(section).items():
            there = getattr(getattr(begun, section), name)
            if name.endswith("dropout"):
                anew[name] = value
            elif value != there:
                known = "chosen from its data" if there is None else repr(there)
                faults.append(f"{section}.{name} is {value!r}, but that of {before.path} is {known}.")
    if faults:
        raise RecipeError(
            f"A run begins with the model and the tokenizer of the run it starts from: {' '.join(faults)} "
            "Leave such settings out of the recipe."
        )
    # What is known already is seen through gaps from the first step, and is not made smaller.
    training = recipe.training
    if training.dropout_steps is None:
        training = replace(training, dropout_steps=0)
    if training.weight_decay is None:
        training = replace(training, weight_decay=0.0)
    return replace(
        recipe,
        training=training,
        model=replace(begun.model, **chosen["model"]),
        tokenizer=replace(begun.tokenizer, **chosen["tokenizer"]),
    )


def _as_before(
    folder: RunFolder, own: RunFolder, known: str | None, where: torch.device, processes: Processes
) -> Preparation:
    recipe, tokenizer = own.recipe(), own.tokenizer()
    parts = read_data(recipe.data)
    if known is not None and known != parts.train.sha256:
        raise RunError(
            f"The training pairs are not those this run began with (sha256 {parts.train.sha256[:16]}…, "
            f"it began with {known[:16]}…), so it cannot go on. Bring them back, or begin another run with "
            f"--from {folder.path}."
        )
    model = _model(recipe, tokenizer, own).to(where)
    lessons = lessons_of(parts.train, tokenizer, recipe)
    return Preparation(recipe, parts, tokenizer, lessons, model, where, None, processes)


def _model(recipe: Recipe, tokenizer: Tokenizer, begun: RunFolder | None) -> TranslationModel[Any]:
    """The model with fresh parameters: that of the recipe, or one that was imported into a run."""
    from regard.runs.importing import imported_model  # only here: few runs begin with one

    imported = None if begun is None else imported_model(begun, tokenizer, dropout=recipe.model.dropout)
    return imported or build_model(recipe.model, tokenizer)


def _lent(folder: RunFolder) -> bytes:
    """What others need of a folder that only the first process may see."""
    there = checkpoints_in(folder.checkpoints)
    if not there:
        raise RunError(f"{folder.path} holds no checkpoint to resume from. Leave --resume out to begin.")
    return json.dumps(
        {
            "data": there[-1].progress.get("data"),
            "pace": there[-1].progress.get("pace"),
            "files": {
                name: (folder.path / name).read_text(encoding="utf-8") for name in folder.foundations()
            },
        }
    ).encode()


def _borrowed(place: Path, files: dict[str, str]) -> RunFolder:
    for name, content in files.items():
        (place / name).write_text(content, encoding="utf-8", newline="\n")
    return RunFolder(place)


def _check_alike(prepared: Preparation) -> None:
    """Processes that learn from different pairs, or number tokens differently, must not add up."""
    if not prepared.processes.is_alone:
        prepared.processes.check_same("training pairs", prepared.parts.train.sha256)
        prepared.processes.check_same("tokens", _digest(prepared.tokenizer))


def _check_tokens(corpus: Corpus, tokenizer: Tokenizer, start_from: str | Path) -> None:
    """Refuse pairs that were cut into the tokens of another tokenizer than the model knows."""
    if isinstance(corpus, PreparedCorpus) and _digest(corpus.prepared.tokenizer) != _digest(tokenizer):
        raise RunError(
            f"{corpus.prepared.folder} was not prepared with the tokenizer of {start_from}. Prepare the "
            f"pairs again with --tokenizer {start_from}."
        )


def _digest(tokenizer: Tokenizer) -> str:
    vocabularies = tokenizer.source.library.to_str() + tokenizer.target.library.to_str()
    return hashlib.sha256(vocabularies.encode()).hexdigest()
