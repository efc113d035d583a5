"""Numbers that are not finite, in every place and on every process."""

import json
import math
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import torch
from torch import Tensor

from regard.models import Transformer
from regard.runs.faults.forking import group
from regard.runs.faults.toys import toy_batch
from regard.text import Batch
from regard.training import Learner, StepSettings, join, loop, make_optimizer

PLACES = ("loss", "gradient", "parameter")
VALUES = (math.nan, math.inf, -math.inf)
_MODULE = "encoder.0.feed_forward.inner"


def not_finite(folder: Path, times: int) -> Iterator[str]:
    """Injected into the loss, a gradient or a parameter on one of two processes: both skip the step."""
    cases = list(product(PLACES, VALUES, (0, 1)))
    for number in range(times):
        place, value, rank = cases[number % len(cases)]

        def learn(place: str = place, value: float = value, rank: int = rank) -> None:
            _learn(folder, place, value, rank)

        for old in folder.glob("seen-*"):
            old.unlink()
        forks = group([learn, learn], folder / "complaints")
        codes = [fork.wait() for fork in forks]
        yield _judged(folder, place, rank) if codes == [0, 0] else f"{place} {value} on {rank}: {codes}"


def _judged(folder: Path, place: str, rank: int) -> str:
    seen = [json.loads((folder / f"seen-{one}").read_text()) for one in (0, 1)]
    named = {
        "loss": f"the loss in batch 7 on process {rank} of 2",
        "gradient": f"the gradient of {_MODULE}.weight in batch 7 on process {rank} of 2",
        "parameter": f"the parameter {_MODULE}.weight in batch 7 on process {rank} of 2",
    }[place]
    expected = {"skipped": True, "untouched": True, "trouble": named}
    return "" if seen == [expected, expected] else f"expected {named!r}, but got {seen}"


def _learn(folder: Path, place: str, value: float, rank: int) -> None:
    processes = join(torch.device("cpu"))
    torch.manual_seed(3)
    model = Transformer(vocabulary=13, width=6, heads=2, layers=1, hidden_width=7, dropout=0.3)
    learner = Learner(model, make_optimizer(model), StepSettings(), processes=processes)
    if processes.rank == rank:
        _inject(model, place, value)
    before = [one.detach().clone() for one in model.parameters()]
    report = learner.learn([toy_batch()], epoch=0, names=["batch 7"])
    untouched = all(_same(*both) for both in zip(before, model.parameters(), strict=True))
    seen = {"skipped": report.skipped, "untouched": untouched, "trouble": report.trouble}
    (folder / f"seen-{processes.rank}").write_text(json.dumps(seen))


def _inject(model: Transformer, place: str, value: float) -> None:
    parameter = model.get_parameter(f"{_MODULE}.weight")
    if place == "parameter":
        with torch.no_grad():
            parameter[0, 0] = value
    elif place == "gradient":
        parameter.register_hook(lambda gradient: torch.full_like(gradient, value))
    else:
        sound = loop.loss_of

        def broken(model: Transformer, batch: Batch, settings: StepSettings) -> Tensor:
            return sound(model, batch, settings) + value

        vars(loop)["loss_of"] = broken  # in this fork alone


def _same(one: Tensor, other: Tensor) -> bool:
    """Bit for bit: a NaN is not equal to itself."""
    return torch.equal(one.detach().view(torch.int32), other.detach().view(torch.int32))
