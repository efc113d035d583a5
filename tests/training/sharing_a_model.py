"""What each process of a group does in test_sharding.py, started by torchrun; writes what it saw."""

import atexit
import json
import math
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from regard.models import ConvolutionalTranslator, RecurrentTranslator, Transformer, TranslationModel
from regard.training import (
    Checkpoint,
    Learner,
    Processes,
    StepSettings,
    gathered,
    join,
    make_optimizer,
    progress,
    read_checkpoint,
    restore,
    save_checkpoint,
)
from regard.training.sharding import Sharded
from tests.training.learning_together import STEPS, VOCABULARY, some_batches

HALFWAY = 3
SETTINGS = StepSettings(
    warmup_steps=1, steps=100, peak_learning_rate=1e-2, largest_gradient=0.1, moving_average=0.9, seed=7
)
MODELS: dict[str, tuple[type[TranslationModel[Any]], dict[str, Any]]] = {
    "transformer": (Transformer, {"heads": 2, "hidden_width": 14}),
    "agreeing": (Transformer, {"heads": 2, "hidden_width": 14}),
    "shared": (Transformer, {"heads": 2, "hidden_width": 14, "positions": "t5"}),
    "recurrent": (RecurrentTranslator, {"normalised": True}),
    "convolutional": (ConvolutionalTranslator, {"normalised": True}),
}


def a_learner(
    processes: Processes, kind: str = "transformer", *, settings: StepSettings = SETTINGS, ill: bool = False
) -> Learner:
    """A learner in double precision; where there are several processes, each has a part of it."""
    torch.manual_seed(3)
    maker, sizes = MODELS[kind]
    model = maker(vocabulary=VOCABULARY, width=10, layers=2, **sizes).double()
    if ill:
        model.get_submodule("encoder.0.feed_forward.inner").register_forward_hook(
            lambda module, inputs, output: output * math.nan
        )
    if kind == "agreeing":
        settings = replace(settings, agreement=1.5)
    sharded = None if processes.is_alone else Sharded(model, processes)
    return Learner(model, make_optimizer(model), settings, processes=processes, sharded=sharded)


def teach(learner: Learner, steps: int = STEPS) -> Learner:
    """Go on to a step; the share of one process in the last is empty."""
    for number, batch in list(enumerate(some_batches(learner.processes)))[learner.step : steps]:
        learner.learn([batch], epoch=0, names=[f"batch {number}"])
    return learner


def save(learner: Learner, folder: Path) -> None:
    whole, state = gathered(learner)
    if learner.processes.is_first:
        save_checkpoint(
            folder,
            step=learner.step,
            score=None,
            progress=progress(learner),
            parameters=whole.parameters_to_keep(),
            optimizer=state,
        )


def load(learner: Learner, folder: Path, step: int) -> Learner:
    checkpoint = saved(folder, step)
    restore(learner, checkpoint.parameters(), checkpoint.optimizer(), str(folder))
    learner.step = step
    return learner


def saved(folder: Path, step: int) -> Checkpoint:
    return read_checkpoint(folder / f"{step:08d}")


def tell_threads(path: Path) -> None:
    """The names of the threads there are."""
    tasks = Path("/proc/self/task")
    names = [(task / "comm").read_text().strip() for task in tasks.iterdir()] if tasks.exists() else []
    path.write_text(json.dumps(names))


def main(folder: Path) -> None:
    # What is registered first is done last.
    atexit.register(tell_threads, folder / f"{os.environ['RANK']}.threads.json")
    processes = join(torch.device("cpu"))
    seen: dict[str, Any] = {}
    learner = teach(a_learner(processes), HALFWAY)
    save(learner, folder / "two")
    save(teach(learner), folder / "two")
    save(teach(load(a_learner(processes), folder / "one", HALFWAY)), folder / "one then two")
    seen["held"] = sum(one.to_local().numel() for one in learner.model.parameters())  # type: ignore[attr-defined]
    for kind in MODELS:
        whole, _ = gathered(teach(a_learner(processes, kind)))
        if processes.is_first:
            found = {name: one.detach().contiguous() for name, one in whole.model.named_parameters()}
            save_file(found, folder / f"{kind}.safetensors")

    ill = a_learner(processes, ill=processes.rank == 1)
    before = {name: one.full_tensor().clone() for name, one in ill.model.named_parameters()}  # type: ignore[attr-defined]
    report = ill.learn([some_batches(processes)[0]], epoch=0, names=["batch 0"])
    after = {name: one.full_tensor() for name, one in ill.model.named_parameters()}  # type: ignore[attr-defined]
    seen["skipped"], seen["trouble"] = report.skipped, report.trouble
    seen["untouched"] = all(torch.equal(one, before[name]) for name, one in after.items())
    (folder / f"{processes.rank}.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
