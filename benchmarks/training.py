"""How many target tokens does a translator learn a second, and in how much memory, beside every peer?

    python -m benchmarks.training            some ten minutes, a line of JSON
    python -m benchmarks.training --check    fewer turns, and fail below a bar

`make bench-peers` makes the environment that has the peers; a peer that is absent is said to be.

One training step: forward, loss, backward, clipping, Adam (fused for all), on one batch of 4,096 target
tokens. All run in turn, and a ratio is the median of the ratios of its turns. With the *plain* loss all
places are projected and torch's smoothed cross-entropy is taken, as the peers do; *regard* alone is what
``regard train`` does. ``torch.compile`` compiles nn.Transformer together with its loss, for this one
shape; what the compiling took is said.

The plain loss forms hundreds of megabytes a step. As a process comes, it gives them back to the
kernel and has them zeroed again each time, which takes as long as the rest, and a virtual machine
more or less of it by chance. So the plain losses are compared once more in a process that keeps its
memory, where the arithmetic is what differs; that is the ratio that is judged.

Memory is what a process of its own grows by at its peak, over two steps, optimizer included.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.keeping import KEEPING
from benchmarks.measuring import (
    Bar,
    Case,
    about,
    conclude,
    elsewhere,
    extra_memory,
    installed,
    ratio,
    seconds,
    spread,
    timed,
)
from benchmarks.peers import (
    MIDDLING,
    SMALL,
    JoeyTranslator,
    MarianTranslator,
    Size,
    TorchTranslator,
    XTransformersTranslator,
    ours,
    some_batch,
)
from regard.models import ConvolutionalTranslator, RecurrentTranslator
from regard.text import PADDING, Batch
from regard.training import Learner, StepSettings, make_optimizer

RESULTS = Path(__file__).parent / "results" / "training.jsonl"
FLOORS = {SMALL: 1.5, MIDDLING: 1.25}
TARGETS = {SMALL: 2.0, MIDDLING: 1.4}
PACKAGES = ("torch", "transformers", "x-transformers", "joeynmt")
PEERS: dict[str, str] = {
    "nn.Transformer": "torch",
    "nn.Transformer, compiled": "torch",
    "Marian": "transformers",
    "x-transformers": "x-transformers",
    "JoeyNMT": "joeynmt",
}
"""Every peer, and the package it is in."""
Loss = Callable[[Batch], Tensor]


def stepping(model: nn.Module, loss: Loss, batch: Batch) -> Case:
    """A training step with such a loss."""
    optimizer = make_optimizer(model)

    def step() -> None:
        model.train()
        optimizer.zero_grad(set_to_none=True)
        loss(batch).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def plain(logits: Callable[[Batch], Tensor]) -> Loss:
    """Torch's own smoothed loss over all places."""

    def loss(batch: Batch) -> Tensor:
        found, wanted = logits(batch).flatten(0, 1), batch.target_out.flatten()
        return F.cross_entropy(found, wanted, ignore_index=PADDING, label_smoothing=0.1)

    return loss


def blocked_step(model: Any, batch: Batch) -> Case:
    """A training step as ``regard train`` takes it."""
    learner = Learner(model, make_optimizer(model), StepSettings())
    return lambda: learner.learn([batch], epoch=0, names=["batch"])


def case(name: str, size: Size, batch: Batch) -> Case:
    """One way to take a step."""
    torch.manual_seed(0)
    sizes = {"vocabulary": size.vocabulary, "width": size.width, "dropout": size.dropout}
    if name == "regard":
        return blocked_step(ours(size), batch)
    if name == "recurrent":
        return blocked_step(RecurrentTranslator(layers=1, **sizes), batch)
    if name == "convolutional":
        return blocked_step(ConvolutionalTranslator(layers=size.layers, **sizes), batch)
    if name == "regard, plain loss":
        mine = ours(size)
        return stepping(
            mine, plain(lambda batch: mine(batch.source, batch.target_in, batch.source_lengths)), batch
        )
    if name == "JoeyNMT":
        joey = JoeyTranslator(size)
        return stepping(joey, joey, batch)
    if name == "nn.Transformer, compiled":
        by_torch = TorchTranslator(size)
        return stepping(by_torch, torch.compile(plain(by_torch)), batch)
    makers = {
        "nn.Transformer": TorchTranslator,
        "Marian": MarianTranslator,
        "x-transformers": XTransformersTranslator,
    }
    model = makers[name](size)
    return stepping(model, plain(model), batch)


def present() -> list[str]:
    """The peers that are installed; of the others it is said that they are not."""
    absent = [peer for peer, package in PEERS.items() if installed(package) is None]
    if absent:
        print(f"absent: {', '.join(absent)}. `make bench-peers` installs them.", flush=True)
    return [peer for peer in PEERS if peer not in absent]


def compiling_took(step: Case) -> float:
    """Seconds of the first step beyond those of the second."""
    return seconds(step) - seconds(step)


def kept_times(names: list[str], rounds: int, threads: int) -> dict[str, list[float]]:
    """Seconds of the plain losses of the small model, in turn."""
    torch.set_num_threads(threads)
    batch = some_batch(SMALL)
    return timed({name: case(name, SMALL, batch) for name in names}, rounds, warming=4)


def grown(name: str, layers: int, tokens: int, threads: int) -> float:
    """MiB that two steps of the model of so many layers add to this process."""
    torch.set_num_threads(threads)
    size = next(size for size in FLOORS if size.layers == layers)
    tiny = replace(size, layers=1, width=32, hidden_width=32, vocabulary=101)
    case(name, tiny, some_batch(tiny, tokens=64))()  # what a process loads only once
    step = case(name, size, some_batch(size, tokens=tokens))
    return extra_memory(lambda: (step(), step()))


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--tokens", type=int, default=4096, help="of the target, in a batch")
    parser.add_argument("--rounds", type=int, help="9 unless said, to check 3")
    parser.add_argument("--without", nargs="*", default=[], choices=PEERS, metavar="PEER")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    rounds = options.rounds or (3 if options.check else 9)
    peers = [peer for peer in present() if peer not in options.without]
    own = ["regard"] if options.check else ["regard", "regard, plain loss", "recurrent", "convolutional"]
    bars: list[Bar] = []
    targets: list[Bar] = []
    rates: dict[str, dict[str, list[float]]] = {}
    mebibytes: dict[str, dict[str, float]] = {}
    compiling: dict[str, float] = {}
    for size, floor in FLOORS.items():
        batch = some_batch(size, tokens=options.tokens)
        playing = own + peers
        if options.check and size != SMALL:  # compiling takes a minute or two
            playing = [name for name in playing if name != "nn.Transformer, compiled"]
        cases = {name: case(name, size, batch) for name in playing}
        for name in set(cases) & {"nn.Transformer, compiled"}:
            compiling[str(size)] = round(compiling_took(cases[name]), 1)
            print(f"{size}: compiling took {compiling[str(size)]:.0f} s", flush=True)
        times = timed(cases, rounds)
        rates[str(size)] = {
            name: spread([batch.target_tokens / t for t in took], 0) for name, took in times.items()
        }
        print(size, {name: f"{rate[0]:,.0f} tokens/s" for name, rate in rates[str(size)].items()}, flush=True)
        for peer in (name for name in playing if name in PEERS):
            faster = 1 / ratio(times, "regard", peer)
            least = floor if peer == "nn.Transformer" else 1.0
            bars.append(Bar(what=f"training, {size}: regard / {peer}", found=faster, least=least))
            if peer == "nn.Transformer":
                targets.append(replace(bars[-1], what=f"target, {bars[-1].what}", least=TARGETS[size]))
        mebibytes[str(size)] = {
            name: elsewhere(
                "benchmarks.training", f"grown({name!r}, {size.layers}, {options.tokens}, {options.threads})"
            )
            for name in ("regard", "nn.Transformer")
        }
        print(size, {name: f"{found:,.0f} MiB" for name, found in mebibytes[str(size)].items()}, flush=True)
        of_torch = mebibytes[str(size)]["regard"] / mebibytes[str(size)]["nn.Transformer"]
        bars.append(Bar(what=f"training, {size}: MiB of regard / nn.Transformer", found=of_torch, most=0.5))
    judged = [peer for peer in ("nn.Transformer", "Marian") if peer in peers]
    call = f"kept_times({['regard, plain loss', *judged]}, {5 if options.check else 15}, {options.threads})"
    kept = elsewhere("benchmarks.training", call, KEEPING)
    for peer in judged:
        faster = 1 / ratio(kept, "regard, plain loss", peer)
        what = f"training, plain loss, memory kept, {SMALL}: regard / {peer}"
        bars.append(Bar(what=what, found=faster, least=1.1))
    for target in targets:
        print(
            f"{'met   ' if target.holds else 'missed'} {target.what}: "
            f"{target.found:.2f} (at least {target.least})"
        )
    line = about("training", PACKAGES) | {
        "threads": options.threads,
        "target_tokens": options.tokens,
        "absent": [peer for peer, package in PEERS.items() if installed(package) is None],
        "tokens_per_second": rates,
        "compiling_seconds": compiling,
        "mebibytes": mebibytes,
        "seconds_a_step_with_memory_kept": {name: spread(took, 4) for name, took in kept.items()},
        "targets": [target.told() for target in targets],
    }
    conclude(line, bars, RESULTS, check=options.check)


if __name__ == "__main__":
    main()
