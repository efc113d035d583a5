"""How fast does each model learn and write, against the same model built by others?

    python -m benchmarks.models            some six minutes, a line of JSON
    python -m benchmarks.models --check    fail below a bar

One training step: forward, loss, backward, clipping, Adam (fused for all). All run in turn, and a
ratio is the median of the ratios of its turns. With the *plain* loss all places are projected and
torch's smoothed cross-entropy is taken; *blocked* is what ``regard train`` does.

The plain loss forms hundreds of megabytes a step. As a process comes, it gives them back to the
kernel and has them zeroed again each time, which takes as long as the rest, and a virtual machine
more or less of it by chance. So the plain losses are compared once more in a process that keeps its
memory, where the arithmetic is what differs; that is the ratio that is judged.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.keeping import KEEPING
from benchmarks.peers import (
    MIDDLING,
    SMALL,
    MarianTranslator,
    Size,
    TorchTranslator,
    marian,
    ours,
    silence_the_end,
    some_batch,
)
from regard.models import ConvolutionalTranslator, RecurrentTranslator
from regard.text import PADDING, Batch
from regard.training import Learner, StepSettings, make_optimizer
from regard.translation import SearchSettings, search

RESULTS = Path(__file__).parent / "results" / "models.jsonl"
WRITTEN = 20
Case = Callable[[], object]


def plain_step(model: nn.Module, logits: Callable[[Batch], Tensor], batch: Batch) -> Case:
    """A training step with torch's own loss over all places."""
    optimizer = make_optimizer(model)

    def step() -> None:
        model.train()
        optimizer.zero_grad(set_to_none=True)
        found = logits(batch)
        loss = F.cross_entropy(
            found.flatten(0, 1), batch.target_out.flatten(), ignore_index=PADDING, label_smoothing=0.1
        )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def blocked_step(model: Any, batch: Batch) -> Case:
    """A training step as ``regard train`` takes it."""
    learner = Learner(model, make_optimizer(model), StepSettings())
    return lambda: learner.learn([batch], epoch=0, names=["batch"])


def plain_cases(size: Size, batch: Batch) -> dict[str, Case]:
    """One step with the plain loss, by regard and by others."""
    plain, by_torch, by_marian = ours(size), TorchTranslator(size), MarianTranslator(size)
    return {
        "regard, plain loss": plain_step(
            plain, lambda batch: plain(batch.source, batch.target_in, batch.source_lengths), batch
        ),
        "nn.Transformer": plain_step(by_torch, by_torch, batch),
        "Marian": plain_step(by_marian, by_marian, batch),
    }


def kept_times(threads: int, rounds: int) -> dict[str, list[float]]:
    """Seconds of the plain losses, in a process that keeps its memory."""
    program = (
        "import json, torch; from benchmarks.models import *; "
        f"torch.set_num_threads({threads}); torch.manual_seed(0); "
        f"print(json.dumps(timed(plain_cases(SMALL, some_batch(SMALL)), {rounds}, warming=4)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | KEEPING,
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, list[float]] = json.loads(done.stdout)
    return found


def training_cases(size: Size) -> tuple[dict[str, Case], int]:
    """Every way to take one step, and its target tokens."""
    torch.manual_seed(0)
    batch = some_batch(size)
    found = {**plain_cases(size, batch), "regard": blocked_step(ours(size), batch)}
    sizes = {"vocabulary": size.vocabulary, "width": size.width, "dropout": size.dropout}
    found["recurrent"] = blocked_step(RecurrentTranslator(layers=1, **sizes), batch)
    found["convolutional"] = blocked_step(ConvolutionalTranslator(layers=size.layers, **sizes), batch)
    return found, batch.target_tokens


def writing_cases(size: Size, counts: tuple[int, ...]) -> dict[str, Case]:
    """Twenty tokens for each of so many sentences."""
    torch.manual_seed(0)
    mine, theirs = ours(size).eval(), marian(size).eval()
    silence_the_end(mine.source_embedding)
    silence_the_end(theirs.get_input_embeddings())
    sources = torch.randint(4, size.vocabulary, (64, WRITTEN))

    def by_regard(count: int, beam: int) -> Case:
        settings = SearchSettings(beam=beam, longest_ratio=0.0, longest_slack=WRITTEN)
        chosen = [source.tolist() for source in sources[:count]]
        return lambda: search(mine, chosen, settings)

    def by_marian(count: int, beam: int) -> Case:
        chosen = sources[:count]
        asked: dict[str, Any] = {
            "num_beams": beam,
            "do_sample": False,
            "max_new_tokens": WRITTEN,
            "min_new_tokens": WRITTEN,
        }
        return lambda: theirs.generate(chosen, attention_mask=torch.ones_like(chosen), **asked)

    return {
        f"{who}, batch {count}, beam {beam}": make(count, beam)
        for count in counts
        for beam in (1, 5)
        for who, make in (("regard", by_regard), ("Marian", by_marian))
    }


def timed(cases: dict[str, Case], rounds: int, warming: int = 1) -> dict[str, list[float]]:
    """Seconds of each case, in turn; the first rounds warm up."""
    times: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + warming):
        for name, case in cases.items():
            began = time.perf_counter()
            case()
            if turn >= warming:
                times[name].append(time.perf_counter() - began)
    return times


def ratio(times: dict[str, list[float]], ours: str, theirs: str) -> float:
    """How many times as long, the median over the turns."""
    return statistics.median(a / b for a, b in zip(times[ours], times[theirs], strict=True))


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    bars: list[tuple[str, float, float]] = []  # what, found, at least
    rates: dict[str, dict[str, list[float]]] = {}
    for size, floor in ((SMALL, 1.5), (MIDDLING, 1.25)):
        cases, tokens = training_cases(size)
        times = timed(cases, 9)
        rates[str(size)] = {
            name: [round(tokens / f(t)) for f in (statistics.median, max, min)] for name, t in times.items()
        }
        print(size, {name: f"{rate[0]:,} tokens/s" for name, rate in rates[str(size)].items()}, flush=True)
        for peer in ("nn.Transformer", "Marian"):
            least = floor if peer == "nn.Transformer" else 1.0
            bars.append((f"training, {size}: regard / {peer}", 1 / ratio(times, "regard", peer), least))
    kept = kept_times(options.threads, 15)
    print(
        SMALL, "memory kept", {name: f"{statistics.median(t):.3f} s" for name, t in kept.items()}, flush=True
    )
    for peer in ("nn.Transformer", "Marian"):
        faster = 1 / ratio(kept, "regard, plain loss", peer)
        bars.append((f"training, plain loss, memory kept, {SMALL}: regard / {peer}", faster, 1.1))
    writing: dict[str, dict[str, list[float]]] = {}
    for size, counts, at_most in ((SMALL, (1,), 0.7), (MIDDLING, (1, 64), 0.6)):
        cases = writing_cases(size, counts)
        with torch.inference_mode():
            times = timed(cases, 15 if counts == (1,) else 9)
        writing[str(size)] = {
            name: [
                round(1e3 * f(t) / int(name.split()[2].strip(",")), 2) for f in (statistics.median, min, max)
            ]
            for name, t in times.items()
        }
        print(
            size,
            {name: f"{found[0]} ms a sentence" for name, found in writing[str(size)].items()},
            flush=True,
        )
        for count in counts:
            for beam in (1, 5):
                case = f"batch {count}, beam {beam}"
                speed = 1 / ratio(times, f"regard, {case}", f"Marian, {case}")
                bars.append((f"writing, {size}, {case}: regard / Marian", speed, 1 / at_most))
    for what, found, least in bars:
        print(f"{'holds' if found >= least else 'FAILS'}  {what}: {found:.2f}× (at least {least:.2f}×)")
    line = {
        "benchmark": "models",
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "threads": options.threads,
        "load": os.getloadavg()[0],
        "tokens_per_second": rates,
        "seconds_a_step_with_memory_kept": {
            name: [round(f(t), 4) for f in (statistics.median, min, max)] for name, t in kept.items()
        },
        "milliseconds_per_sentence": writing,
        "bars": [{"what": what, "found": found, "at_least": least} for what, found, least in bars],
    }
    if not options.check:
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(line) + "\n")
    if options.check and any(found < least for _, found, least in bars):
        sys.exit(1)


if __name__ == "__main__":
    main()
