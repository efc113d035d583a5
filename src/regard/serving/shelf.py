"""The models a studio serves: a table made at start, by names that no request can change."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from regard.errors import RegardError, RunError
from regard.recipe import Recipe
from regard.runs import RunFolder, Translator, is_begun
from regard.runs.folder import RECIPE, TOKENIZER
from regard.serving.languages import Detector, name_of
from regard.serving.problems import Problem, refuse
from regard.text import embedded
from regard.translation import AligningHead, best_head
from regard.viewing.seen import layer_of

EMBEDDED = "embedded:"
PAIRS_TO_ALIGN, PAIRS_TO_DETECT = 24, 2_000


@dataclass(eq=False, kw_only=True)
class Served:
    """One translator, and what is known of it."""

    name: str
    translator: Translator
    recipe: Recipe
    step: int
    bleu: float | None
    attentions: Sequence[Mapping[str, Any]]
    aligning: AligningHead | None = None
    """The head that aligns best, once that is known."""

    @property
    def source(self) -> str:
        """The code of the language it reads."""
        return self.recipe.data.source_language or "x-source"

    @property
    def target(self) -> str:
        """The code of the language it writes."""
        return self.recipe.data.target_language or "x-target"

    @property
    def told(self) -> dict[str, Any]:
        """What a client may know of it."""
        model, tokenizer = self.recipe.model, self.translator.tokenizer
        return {
            "name": self.name,
            "kind": model.kind,
            "source": self.source,
            "target": self.target,
            "source_name": name_of(self.source),
            "target_name": name_of(self.target),
            "step": self.step,
            "bleu": self.bleu,
            "parameters": sum(each.numel() for each in self.translator.model.parameters()),
            "layers": model.layers,
            "heads": model.heads,
            "width": model.width,
            "positions": model.positions,
            "vocabulary": {"source": len(tokenizer.source), "target": len(tokenizer.target)},
            "attentions": [*self.attentions],
            "aligning": told_head(self.aligning),
        }


def told_head(head: AligningHead | None) -> dict[str, Any] | None:
    """A head as JSON."""
    return None if head is None else {"name": head.name, "head": head.head, "rows": head.rows}


class Shelf:
    """All models by name, and the folders of all runs, those still without a checkpoint too."""

    def __init__(self, models: Mapping[str, Served], folders: Mapping[str, RunFolder]) -> None:
        self.models, self.folders = dict(models), dict(folders)
        self.detector = Detector(_samples(self.models.values(), self.folders))

    @classmethod
    def load(cls, runs: Iterable[str], *, device: str = "cpu") -> "Shelf":
        """Load every run: a folder, or ``folder@step`` for one of its checkpoints.

        A folder where training has begun but saved nothing yet is only watched.
        """
        models: dict[str, Served] = {}
        folders: dict[str, RunFolder] = {}
        for run in runs:
            path, checkpoint = _parted(run)
            folder = RunFolder(path)
            plain = path.resolve().name
            name = _free(plain if checkpoint == "best" else f"{plain}@{checkpoint}", {*models, *folders})
            if checkpoint == "best":
                folders[name] = folder
            if is_begun(path) or checkpoint != "best" or not _is_starting(path):
                models[name] = _served(name, folder, checkpoint, device)
        if not folders and not models:
            raise RegardError("There is no run to serve. Train one with: regard demo")
        return cls(models, folders)

    def learn(self) -> None:
        """Find out what takes a while: which heads align, and more of how the languages look.

        Meant for a thread of its own, while the models already serve.
        """
        for served in self.models.values():
            pair = _embedded_pair(served.recipe)
            if pair is not None:
                served.aligning = best_head(served.translator, embedded(pair).validation[:PAIRS_TO_ALIGN])
        self.detector = Detector(_samples(self.models.values(), self.folders, corpora=True))

    def called(self, name: str) -> Served:
        """The model of that name."""
        if name not in self.models:
            raise Problem(404, "unknown_model", "No model of that name is served here.", field="model")
        return self.models[name]

    def default(self) -> Served:
        """The model meant by whoever names none."""
        if not self.models:
            raise Problem(404, "unknown_model", "No model is served yet: the runs are still training.")
        return next(iter(self.models.values()))

    def between(self, source: str, target: str) -> Served:
        """The first model from one language to another."""
        for served in self.models.values():
            if (served.source, served.target) == (source, target):
                return served
        for field, code, known in (
            ("target", target, {served.target for served in self.models.values()}),
            ("source", source, {served.source for served in self.models.values()}),
        ):
            if code not in known:
                raise refuse(field, f"{field} must be one of {', '.join(sorted(known))}.")
        raise refuse("target", f"No model translates from {source} to {target}.")

    def languages(self) -> list[dict[str, Any]]:
        """Each language that can be translated, and into which, as LibreTranslate tells it."""
        codes = dict.fromkeys(one.source for one in self.models.values())
        targets = {code: [one.target for one in self.models.values() if one.source == code] for code in codes}
        return [
            {"code": code, "name": name_of(code), "targets": [*dict.fromkeys(targets[code])]}
            for code in codes
        ]


def _parted(run: str) -> tuple[Path, str]:
    path, at, checkpoint = run.rpartition("@")
    if not at or not path or Path(run).exists():
        return Path(run), "best"
    return Path(path), checkpoint


def _free(name: str, taken: set[str]) -> str:
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free


def _is_starting(path: Path) -> bool:
    return all((path / name).is_file() for name in (RECIPE, TOKENIZER))


def _served(name: str, folder: RunFolder, checkpoint: str, device: str) -> Served:
    if not folder.path.is_dir():
        raise RunError(f"There is no run folder {folder.path}. Train one with: regard demo")
    chosen = folder.checkpoint(checkpoint)
    translator = Translator.load(folder.path, checkpoint=str(chosen.step), device=device)
    recipe = folder.recipe()
    scores = {
        one["step"]: one.get("bleu") for one in folder.read_history() if one.get("kind") == "validation"
    }
    maps = translator.look("a", "a", subwords=True)  # also warms the model up
    return Served(
        name=name,
        translator=translator,
        recipe=recipe,
        step=chosen.step,
        bleu=scores.get(chosen.step),
        attentions=[
            {"name": each.name, "kind": each.kind, "layer": layer_of(each.name), "heads": each.heads}
            for each in maps.values()
        ],
    )


def _embedded_pair(recipe: Recipe) -> str | None:
    pair = f"{recipe.data.source_language}-{recipe.data.target_language}"
    return pair if f"{EMBEDDED}{pair}" in recipe.data.train else None


def _samples(
    models: Iterable[Served], folders: Mapping[str, RunFolder], *, corpora: bool = False
) -> dict[str, list[str]]:
    """Sentences and words of each language, as far as the runs have any."""
    samples: dict[str, list[str]] = {}
    for served in models:
        tokenizer = served.translator.tokenizer
        for code, vocabulary in ((served.source, tokenizer.source), (served.target, tokenizer.target)):
            words = samples.setdefault(code, [])
            if not tokenizer.joint:
                words += [token.decode(errors="ignore") for token in vocabulary.learned]
        if served.name in folders:
            for entry in folders[served.name].read_history():
                if entry.get("kind") == "validation":
                    samples[served.source].append(str(entry.get("source", "")))
                    samples[served.target].append(str(entry.get("target", "")))
        pair = _embedded_pair(served.recipe)
        if pair is not None and corpora:
            for one in islice(embedded(pair).train, PAIRS_TO_DETECT):
                samples[served.source].append(one.source)
                samples[served.target].append(one.target)
    return samples
