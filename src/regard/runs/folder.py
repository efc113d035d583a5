"""A run folder: all there is of a translator, under names that say what they hold."""

import hashlib
import json
import math
import os
import platform
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any

import torch

from regard.errors import RunError
from regard.recipe import Recipe
from regard.text import Corpus, Tokenizer
from regard.text.lines import lines_of
from regard.training import Checkpoint, best_of, checkpoints_in
from regard.training.checkpoints import MANIFEST, check_file
from regard.training.processes import patience
from regard.wording import counted

RECIPE, TOKENIZER, HISTORY, CARD, CURVES = (
    "recipe.toml",
    "tokenizer.json",
    "history.jsonl",
    "README.md",
    "progress.svg",
)

MARIAN = "marian.json"
"""In the run folder of an imported model, and of runs that began with it: what its recipe cannot say."""

VALIDATION = "validation"
"""The file, ``.tsv`` or ``.jsonl``, of pairs that were set aside from those to learn from."""

WRITER = ".writer"
"""In the folder of checkpoints: locked by the one process that writes."""

_NUMBERS = ("skipped", "skipped_in_a_row", "best", "since_best", "seconds", "longest_sentence")
"""What the progress of a checkpoint tells in numbers, where it tells it."""


@dataclass(frozen=True)
class RunFolder:
    """Where the parts of a run lie."""

    path: Path

    @property
    def checkpoints(self) -> Path:
        """The folder of the checkpoints."""
        return self.path / "checkpoints"

    @property
    def looks(self) -> Path:
        """The folder of the maps of one sentence, one file per validation."""
        return self.path / "looks"

    @property
    def history(self) -> Path:
        """One JSON line per report kept."""
        return self.path / HISTORY

    def check_free(self) -> None:
        """Refuse to begin where a run is already, or where none can be."""
        nearest = next(one for one in (self.path, *self.path.absolute().parents) if one.exists())
        if not nearest.is_dir():
            raise RunError(f"{self.path} cannot hold a run: {nearest} is a file. Name another folder.")
        there = checkpoints_in(self.checkpoints)
        if there:
            raise RunError(
                f"{self.path} holds a run of {counted(there[-1].step, 'step')} already. Go on with it by "
                "--resume (resume=True), or name another folder."
            )

    @contextmanager
    def held(self, *, wait: bool = False) -> Iterator[None]:
        """Be the only one that writes here; the lock falls with its process, however that ends.

        ``wait`` gives a writer before this one the time to notice that it is lost.
        """
        self.checkpoints.mkdir(parents=True, exist_ok=True)
        with (self.checkpoints / WRITER).open("a+") as file:
            until = time.monotonic() + (patience() + 30 if wait else 0)
            while not _locked(file):
                if time.monotonic() > until:
                    file.seek(0)
                    raise RunError(
                        f"{self.path} is being written by {file.read().strip() or 'another process'}. Wait "
                        "until it ends, or name another folder."
                    )
                time.sleep(0.2)
            file.truncate(0)
            file.write(f"process {os.getpid()} on {platform.node()}\n")
            file.flush()
            yield

    def begin(
        self,
        recipe: Recipe,
        tokenizer: Tokenizer,
        *,
        set_aside: Corpus | None = None,
        start_from: "RunFolder | None" = None,
    ) -> None:
        """Write what every checkpoint of the run will stand on, and the pairs set aside for validation."""
        self.path.mkdir(parents=True, exist_ok=True)
        tokenizer.save(self.path / TOKENIZER)
        if start_from is not None and MARIAN in start_from.foundations():
            write_whole(self.path / MARIAN, (start_from.path / MARIAN).read_bytes())
        if set_aside is not None:
            suffix, content = set_aside.written()
            write_whole(self.path / f"{VALIDATION}{suffix}", content)
        write_whole(self.path / RECIPE, recipe.dumps().encode())

    def seals(self) -> dict[str, dict[str, Any]]:
        """Hash and size of the files that checkpoints stand on."""
        return {name: _seal(self.path / name) for name in self.foundations()}

    def foundations(self) -> tuple[str, ...]:
        """The files that checkpoints stand on."""
        return (RECIPE, TOKENIZER, *((MARIAN,) if (self.path / MARIAN).exists() else ()))

    def validation_file(self) -> Path | None:
        """The pairs that were set aside when the run began; None if they lie elsewhere."""
        there = (self.path / f"{VALIDATION}{suffix}" for suffix in (".tsv", ".jsonl"))
        return next((path for path in there if path.exists()), None)

    def recipe(self) -> Recipe:
        """The recipe, with everything chosen."""
        recipe = Recipe.load(self._there(RECIPE))
        of_kind = ("heads", "hidden_width") if recipe.model.kind == "transformer" else ()
        for name in ("width", "layers", "dropout", *of_kind):
            if getattr(recipe.model, name) is None:
                raise RunError(
                    f"{self.path / RECIPE} leaves model.{name} open, which the recipe of a run never does. "
                    "Copy the file again from where it was trained."
                )
        if recipe.model.kind != "transformer" and recipe.model.normalised is None:
            return replace(recipe, model=replace(recipe.model, normalised=False))  # as runs were at first
        return recipe

    def tokenizer(self) -> Tokenizer:
        """The tokenizer."""
        return Tokenizer.load(self._there(TOKENIZER))

    def checkpoint(self, which: str = "best") -> Checkpoint:
        """The best or the last checkpoint, or that of a step; the files it stands on are as it knew them."""
        found = checkpoints_in(self.checkpoints)
        if not self.path.is_dir():
            raise RunError(
                f"There is no run folder {self.path}. Train one with: regard train DATA --into {self.path}"
            )
        if not found:
            raise RunError(
                f"{self.path} holds no checkpoint yet. Train it with: regard train … --into {self.path}"
            )
        if which in ("best", "last"):
            chosen = best_of(found) if which == "best" else found[-1]
        else:
            steps = {str(one.step): one for one in found}
            if which.lstrip("0") not in steps:
                raise RunError(
                    f"{self.path} has no checkpoint {which}, only {', '.join(steps)}, best and last."
                )
            chosen = steps[which.lstrip("0")]
        _check_progress(chosen)
        for name, seal in chosen.progress.get("stands_on", {}).items():
            check_file(self.path / name, seal)
        return chosen

    def append_history(self, line: Mapping[str, Any]) -> None:
        """Add one line; numbers that are not finite become null."""
        with self.history.open("a", encoding="utf-8") as file:
            file.write(json.dumps(_finite(line), ensure_ascii=False) + "\n")

    def read_history(self) -> Iterator[dict[str, Any]]:
        """The lines so far; a last line cut short by a kill is passed over."""
        if self.history.exists():
            for line in lines_of(self.history):
                try:
                    entry = json.loads(line.data)
                except (ValueError, RecursionError):
                    continue
                if isinstance(entry, dict):
                    yield entry

    def cut_history(self, step: int) -> None:
        """Forget what came after a step that training goes back to."""
        steps = ((entry, entry.get("step", 0)) for entry in self.read_history())
        kept = [entry for entry, at in steps if isinstance(at, int | float) and at <= step]
        write_whole(self.history, "".join(json.dumps(e, ensure_ascii=False) + "\n" for e in kept).encode())

    def _there(self, name: str) -> Path:
        path = self.path / name
        if not path.exists():
            raise RunError(f"{self.path} is no run folder: {name} is missing.")
        return path


def _check_progress(checkpoint: Checkpoint) -> None:
    """Refuse a manifest whose numbers are none, or that stands on other files than a run has."""
    told = checkpoint.progress
    path = checkpoint.folder / MANIFEST
    for name in _NUMBERS:
        value = told.get(name, 0)
        if type(value) not in (int, float) or not (math.isfinite(value) or name == "best"):
            raise RunError(f"{path} is damaged: {name} is {value!r}, which is no number.")
    seals = told.get("stands_on", {})
    known = isinstance(seals, dict) and set(seals) <= {RECIPE, TOKENIZER, MARIAN}
    if not known or not all(
        isinstance(one, dict) and {"sha256", "bytes"} <= set(one) for one in seals.values()
    ):
        raise RunError(f"{path} is damaged: what it stands on is not told by name, sha256 and bytes.")


def _locked(file: IO[str]) -> bool:
    """Whether this file could be locked at once; where the system has no such locks it always is."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def write_whole(path: Path, content: bytes) -> None:
    """Write a file aside and rename it, so that it is never half there."""
    aside = path.with_name(f".{path.name}.aside")
    aside.write_bytes(content)
    os.replace(aside, path)


def machine() -> str:
    """What this ran on, in a line."""
    return (
        f"{platform.system()} {platform.machine()}, {counted(torch.get_num_threads(), 'thread')}, "
        f"Python {platform.python_version()}, torch {torch.__version__}"
    )


def _seal(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


def _finite(line: Mapping[str, Any]) -> dict[str, Any]:
    return {
        key: None if isinstance(value, float) and not math.isfinite(value) else value
        for key, value in line.items()
    }
