"""A run that takes a second, to be disturbed."""

import hashlib
from collections.abc import Callable
from pathlib import Path

from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings
from regard.runs.training import is_begun, train
from regard.text import Batch
from regard.training import checkpoints_in

STEPS = 16
_WORDS = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")


def toy_pairs(folder: Path, count: int = 60) -> Path:
    """Sentences and their words backwards."""
    path = folder / "pairs.tsv"
    if not path.exists():
        lines = []
        for number in range(count):
            words = [_WORDS[(number * step + step) % len(_WORDS)] for step in (1, 3, 5)] + [f"n{number}"]
            lines.append(" ".join(words) + "\t" + " ".join(reversed(words)) + "\n")
        path.write_text("".join(lines), encoding="utf-8")
    return path


def toy_recipe(folder: Path, *, seed: int = 1) -> Recipe:
    """A very small Transformer with much dropout."""
    return Recipe(
        data=DataSettings(train=(str(toy_pairs(folder)),)),
        model=ModelSettings(width=8, layers=1, heads=2, hidden_width=8, dropout=0.3),
        training=TrainingSettings(
            steps=STEPS, tokens_per_batch=128, validate_every=4, validation_pairs=3, seed=seed
        ),
    )


def training_on(recipe: Recipe, run: Path, hear: Callable[[int], object] = lambda step: None) -> None:
    """Begin a run, or go on with it, to its end."""
    for step in train(recipe, into=run, resume=is_begun(run), device="cpu"):
        hear(step.step)


def state_of(run: Path) -> str:
    """The hash of everything the last checkpoint has learned."""
    last = checkpoints_in(run / "checkpoints")[-1]
    return hashlib.sha256(f"{last.step} {sorted(last.files.items())}".encode()).hexdigest()


def toy_batch() -> Batch:
    """Five short pairs in tokens."""
    sentences = [[4 + (row * place) % 9 for place in range(1, 5)] for row in range(1, 6)]
    return Batch.of(sentences, [sentence[::-1] for sentence in sentences])
