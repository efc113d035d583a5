"""Every translator can learn two hundred sentences by heart, within a minute on two cores."""

import time
from collections.abc import Callable
from typing import Any

import pytest
import torch

from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer, TranslationModel
from regard.text import BEGIN, END, Batch, pad
from regard.training import Learner, StepSettings, make_optimizer

COUNT, VOCABULARY, WIDTH = 200, 30, 64
SECONDS = 60.0
MODELS: dict[str, Callable[[], TranslationModel[Any]]] = {
    "transformer": lambda: Transformer(
        vocabulary=VOCABULARY, width=WIDTH, heads=4, layers=2, hidden_width=128
    ),
    "relative transformer": lambda: Transformer(
        vocabulary=VOCABULARY, width=WIDTH, heads=4, layers=2, hidden_width=128, positions="relative"
    ),
    "recurrent": lambda: RecurrentTranslator(vocabulary=VOCABULARY, width=WIDTH, layers=1),
    "convolutional": lambda: ConvolutionalTranslator(vocabulary=VOCABULARY, width=WIDTH, layers=4),
}


def batches(task: str) -> list[Batch]:
    """Sentences of 3 to 10 words whose target is the source, or the source from its end."""
    generator = torch.Generator().manual_seed(5)
    found = []
    for _ in range(COUNT // 50):
        lengths = torch.randint(3, 11, (50,), generator=generator).tolist()
        words = [torch.randint(4, VOCABULARY, (length,), generator=generator).tolist() for length in lengths]
        targets = [one if task == "copy" else one[::-1] for one in words]
        source, source_lengths = pad([[*one, END] for one in words])
        read, target_lengths = pad([[BEGIN, *one] for one in targets])
        written, _ = pad([[*one, END] for one in targets])
        tokens = sum(lengths) + 50
        found.append(
            Batch(
                source=source,
                source_lengths=source_lengths,
                target_in=read,
                target_out=written,
                target_lengths=target_lengths,
                source_tokens=tokens,
                target_tokens=tokens,
            )
        )
    return found


@pytest.mark.slow
@pytest.mark.parametrize("task", ["copy", "reverse"])
@pytest.mark.parametrize("name", MODELS)
def test_two_hundred_pairs_are_learnt_by_heart_within_a_minute(name: str, task: str) -> None:
    torch.manual_seed(0)
    model, lessons = MODELS[name](), batches(task)
    settings = StepSettings(
        schedule="constant", peak_learning_rate=2e-3, warmup_steps=50, steps=100_000, label_smoothing=0.0
    )
    learner = Learner(model, make_optimizer(model), settings)
    began, loss, epoch = time.process_time(), torch.inf, 0
    while loss >= 0.05 and time.process_time() - began < SECONDS:
        reports = [learner.learn([lesson], epoch=epoch, names=["all"]) for lesson in lessons]
        loss, epoch = sum(report.loss for report in reports) / len(reports), epoch + 1
    assert loss < 0.05, f"{loss:.3f} after {epoch} epochs"
