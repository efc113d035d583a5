"""What each process of a group does in test_processes.py, started by torchrun; writes what it saw."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

from regard.errors import DataError, RunError
from regard.models import Transformer
from regard.text import Batch, Batches
from regard.training import ALONE, Learner, Processes, SharedError, StepSettings, join, make_optimizer

VOCABULARY, PAIRS, STEPS = 23, 37, 5


def a_learner(
    processes: Processes, *, dropout: float = 0.0, double: bool = True, optimizer: str = "adam"
) -> Learner:
    torch.manual_seed(3)
    model = Transformer(vocabulary=VOCABULARY, width=10, heads=2, layers=1, hidden_width=14, dropout=dropout)
    model = model.double() if double else model
    settings = StepSettings(warmup_steps=1, steps=100, peak_learning_rate=1e-2, seed=7)
    made = make_optimizer(model, kind=optimizer, processes=processes)
    return Learner(model, made, settings, processes=processes)


def some_batches(processes: Processes) -> list[Batch]:
    """The shares of one process; the last global batch is a single pair, so some shares are empty."""
    random = np.random.default_rng(5)
    sentences = [random.integers(4, VOCABULARY, size=random.integers(1, 9)).tolist() for _ in range(PAIRS)]
    lengths = [(len(one) + 1, len(one) + 1) for one in sentences]
    plan = Batches(lengths, tokens_per_batch=80, seed=11)
    chosen = [
        plan.batch(0, number, rank=processes.rank, world=processes.world) for number in range(STEPS - 1)
    ]
    chosen.append(np.array([0])[processes.rank :: processes.world])
    chosen.sort(key=len, reverse=True)
    return [Batch.of([sentences[i] for i in rows], [sentences[i][::-1] for i in rows]) for rows in chosen]


def taught(processes: Processes, *, double: bool = True, optimizer: str = "adam") -> Learner:
    learner = a_learner(processes, double=double, optimizer=optimizer)
    for number, batch in enumerate(some_batches(processes)):
        learner.learn([batch], epoch=0, names=[f"batch {number}"])
    return learner


def parameters(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: one.detach().clone() for name, one in learner.model.named_parameters()}


def gradients(learner: Learner) -> dict[str, torch.Tensor]:
    return {name: one.grad.clone() for name, one in learner.model.named_parameters() if one.grad is not None}


def main(folder: Path) -> None:
    processes = join(torch.device("cpu"))
    seen: dict[str, object] = {"world": processes.world, "alone": processes == ALONE}
    for optimizer in ("adam", "muon"):
        learner = taught(processes, optimizer=optimizer)
        save_file(parameters(learner), folder / f"{optimizer}.{processes.rank}.safetensors")
    single = a_learner(processes, double=False)
    single.learn([some_batches(processes)[0]], epoch=0, names=["batch 0"])
    if processes.is_first:
        save_file(gradients(single), folder / "gradients.safetensors")

    # One process alone has a gradient that is not a number.
    broken = a_learner(processes, dropout=0.3, double=False)
    before = parameters(broken)
    if processes.rank == 1:
        dict(broken.model.named_parameters())["encoder.0.feed_forward.inner.weight"].register_hook(
            lambda gradient: gradient * math.nan
        )
    report = broken.learn([some_batches(processes)[0]], epoch=0, names=["batch 0"])
    seen["skipped"], seen["trouble"] = report.skipped, report.trouble
    seen["untouched"] = all(torch.equal(one, before[name]) for name, one in parameters(broken).items())

    # What is dropped differs from process to process, and is the same again.
    broken._seed()
    seen["drawn"] = float(torch.rand(1))
    leaving = taught(processes)
    share = some_batches(processes)[0]
    seen["leaving"] = leaving.learn([share], epoch=0, names=["b"], leaving=processes.rank == 1).is_leaving
    seen["texts"] = processes.texts(f"été {processes.rank}" * processes.rank)
    seen["from_first"] = processes.from_first(b"first" if processes.is_first else b"").decode()
    try:
        with processes.together():
            if processes.rank == 1:
                raise DataError("there is no bread.")
    except SharedError as error:
        seen["shared"] = str(error)
    try:
        with processes.together():
            if processes.rank == 1:
                raise ZeroDivisionError("there is nothing to divide by")
    except (SharedError, ZeroDivisionError) as error:
        seen["defect"] = f"{type(error).__name__}: {error}"
    try:
        processes.check_same("bread", str(processes.rank))
    except RunError as error:
        seen["differs"] = str(error)
    (folder / f"{processes.rank}.json").write_text(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
