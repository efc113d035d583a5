# ruff: noqa: E501  the document is written as it will stand
"""How long do a billion pairs take? Measures one core, and plans from it.

python benchmarks/scale.py measure     # some two minutes of processor time, busy machine or not
python benchmarks/scale.py prepare     # tokens a second of `regard prepare` with two workers: a minute
python benchmarks/scale.py together    # two processes against one with two threads: some three minutes
python benchmarks/scale.py bars        # the two above, judged, in one line: some five minutes; fails below a bar
python benchmarks/scale.py draw        # docs/scale.md from the newest lines of results/scale.jsonl
"""

import json
import math
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "scale.jsonl"
DOCUMENT = Path(__file__).parents[1] / "docs" / "scale.md"
PAIRS, MACHINES, CORES, EPOCHS = 10**9, 64, 32, 1
TOKENS_PER_PAIR = 50
"""Of source and target together, in subwords, in a corpus of web text."""
TEXT_BYTES_PER_TOKEN = 4.5
BARS = {"tokens_per_second": 1_000_000, "two_to_one": 0.95}
"""What must be reached on two quiet cores."""


def measure() -> None:
    import torch

    from regard.models import Transformer
    from regard.text import Batch
    from regard.training import Learner, StepSettings, make_optimizer

    torch.set_num_threads(1)
    vocabulary, length, rows = 32_000, 25, 40
    model = Transformer(vocabulary=vocabulary, width=512, heads=8, layers=6, hidden_width=2_048, dropout=0.1)
    learner = Learner(model, make_optimizer(model), StepSettings())
    random = torch.Generator().manual_seed(1)
    sentences = torch.randint(4, vocabulary, (rows, length - 1), generator=random).tolist()
    batch = Batch.of(sentences, sentences)
    learner.learn([batch], epoch=0, names=[""])
    times = []
    for _ in range(3):
        began = time.process_time()
        learner.learn([batch], epoch=0, names=[""])
        times.append(time.process_time() - began)
    gradients = sum(parameter.numel() for parameter in model.parameters())
    record(
        parameters=gradients,
        tokens_per_step=2 * rows * length,
        seconds_per_step=[round(one, 3) for one in times],
        checkpoint_bytes=12 * gradients,
        lines_per_second=round(lines_per_second()),
    )


def record(**numbers: Any) -> None:
    """Add a line to the results, with the date and the machine."""
    import torch

    line = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "load": round(os.getloadavg()[0], 1),
        **numbers,
    }
    print(json.dumps(line))
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def bars() -> None:
    """Is preparing fast enough, and are two processes as good as one with two threads?"""
    found = prepared() | shared()
    judged = [
        {"what": name, "found": found[name], "at_least": least, "holds": found[name] >= least}
        for name, least in BARS.items()
    ]
    record(**found, bars=judged)
    sys.exit(not all(bar["holds"] for bar in judged))


def prepare() -> None:
    record(**prepared())


def together() -> None:
    record(**shared())


def prepared(pairs: int = 2_000_000) -> dict[str, Any]:
    """How fast are pairs prepared, by the clock and by the processor, learning the tokenizer included?"""
    from regard.text.prepared_writing import prepare_pairs

    words = ["cat", "dog", "tree", "house", "river", "stone", "cloud", "night", "road", "garden", "sleeps"]
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "pairs.tsv"
        with source.open("w") as file:
            for number in range(pairs):
                file.write(
                    f"the {words[number % 11]} {words[number // 11 % 11]} sees {number % 9_973} of them\t"
                    f"le {words[number % 7]} {words[number // 7 % 11]} en voit {number % 9_973}\n"
                )
        began, before = time.perf_counter(), processor()
        made = prepare_pairs(source, Path(place) / "prepared", size=2_000, workers=2)
        seconds, busy = time.perf_counter() - began, processor() - before
    tokens = sum(made.manifest["tokens"].values())
    return {
        "prepared_pairs": pairs,
        "prepared_tokens": tokens,
        "prepare_seconds": round(seconds, 1),
        "prepare_processor_seconds": round(busy, 1),
        "tokens_per_second": round(tokens / seconds),
        "tokens_per_processor_second": round(tokens / busy),
    }


def processor() -> float:
    """Seconds that this process and its ended children kept a core busy."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def shared(rounds: int = 5) -> dict[str, Any]:
    """Do two processes learn as fast as one with two threads, from the same global batches?"""
    one = [sys.executable, __file__, "rate"]
    two = [
        sys.executable,
        "-m",
        "torch.distributed.run",
        "--standalone",
        "--nproc-per-node",
        "2",
        __file__,
        "rate",
    ]
    rates: dict[str, list[float]] = {"one": [], "two": []}
    for _ in range(rounds):  # by turns, so that both meet the same machine
        for name, command, threads in (("one", one, "2"), ("two", two, "1")):
            environment = os.environ | {"OMP_NUM_THREADS": threads}
            done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
            rates[name].append(float(done.stdout.split()[-1]))
    middle = {name: statistics.median(found) for name, found in rates.items()}
    return {
        "one_process_two_threads": [round(rate) for rate in rates["one"]],
        "two_processes": [round(rate) for rate in rates["two"]],
        "two_to_one": round(middle["two"] / middle["one"], 3),
    }


def rate(steps: int = 8) -> None:
    """Tokens a second of this process and those that torchrun started with it; the first says it."""
    import numpy as np
    import torch

    from regard.models import Transformer
    from regard.text import Batch, Batches
    from regard.training import Learner, StepSettings, join, make_optimizer

    processes = join(torch.device("cpu"))
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    torch.manual_seed(1)
    vocabulary, random = 4_000, np.random.default_rng(1)
    model = Transformer(vocabulary=vocabulary, width=256, heads=4, layers=2, hidden_width=1_024, dropout=0.1)
    learner = Learner(model, make_optimizer(model), StepSettings(), processes=processes)
    sentences = [random.integers(4, vocabulary, size=random.integers(5, 40)).tolist() for _ in range(8_000)]
    plan = Batches([(len(one) + 1, len(one) + 1) for one in sentences], tokens_per_batch=4_096, seed=1)
    rates = []
    for number in range(steps):
        rows = plan.batch(0, number, rank=processes.rank, world=processes.world)
        batch = Batch.of([sentences[row] for row in rows], [sentences[row] for row in rows])
        began = time.perf_counter()
        report = learner.learn([batch], epoch=0, names=[""])
        rates.append(2 * report.tokens / (time.perf_counter() - began))
    if processes.is_first:
        print(statistics.median(rates[2:]))


def lines_per_second() -> float:
    """How fast one process checks lines of the length that is planned for."""
    from regard.text import stream

    sentence = " ".join(f"word{number % 97}" for number in range(TOKENS_PER_PAIR // 2 * 4 // 5))
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "pairs.tsv"
        path.write_text(f"{sentence}\t{sentence}\n" * 40_000)
        began = time.process_time()
        lines = sum(1 for _ in stream(path))
        return lines / (time.process_time() - began)


def draw() -> None:
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines() if line.strip()]
    training = [line for line in lines if "seconds_per_step" in line][-1]
    preparing = [line for line in lines if "preparing_seconds" in line][-1]
    rates = {
        name: line[name]
        for line in lines
        for name in ("tokens_per_second", "tokens_per_processor_second", "two_to_one")
        if name in line
    }
    DOCUMENT.write_text(planned(training, preparing, rates), encoding="utf-8", newline="\n")


def planned(training: dict[str, Any], preparing: dict[str, Any], rates: dict[str, Any]) -> str:
    """The plan."""
    tokens = PAIRS * TOKENS_PER_PAIR
    prepare_rate = rates.get(
        "tokens_per_processor_second", preparing["tokens"] / preparing["preparing_processor_seconds"]
    )
    reading = 2 * PAIRS / training["lines_per_second"]
    cutting = tokens / prepare_rate / CORES
    per_token = preparing["bytes_on_disk"] / preparing["tokens"]
    on_disk = PAIRS * (TOKENS_PER_PAIR * 2 + 8)
    train_rate = training["tokens_per_step"] / sorted(training["seconds_per_step"])[1]
    all_rate = train_rate * MACHINES * CORES
    step_tokens = MACHINES * 25_000
    steps = math.ceil(EPOCHS * tokens / step_tokens)
    compute = step_tokens / all_rate
    gradient_bytes = 4 * training["parameters"]
    ways = {
        name: 2 * gradient_bytes * 8 / bits for name, bits in (("10", 10e9), ("25", 25e9), ("100", 100e9))
    }

    def hours(seconds: float) -> str:
        return f"{seconds / 3600:,.1f} hours" if seconds < 72 * 3600 else f"{seconds / 86400:,.1f} days"

    clock, ratio = (rates.get(name) for name in ("tokens_per_second", "two_to_one"))
    by_clock = "" if clock is None else f"; {clock:,} by the clock with two workers"
    apart = "" if ratio is None else f"; two processes measured at {ratio:.2f} × one with two threads"
    rows = [
        f"| {name} Gbit/s | {seconds:.2f} s | {compute / (compute + seconds):.0%} | "
        f"{hours(steps * (compute + seconds))} |"
        for name, seconds in ways.items()
    ]
    return f"""# Planning a billion pairs

Measured on one core ({training["machine"]}, torch {training["torch"]}, {training["date"]}) and multiplied out; drawn by
`benchmarks/scale.py` from `benchmarks/results/scale.jsonl`. What was not measured is marked *assumed*.

## The corpus

| | |
| --- | --- |
| pairs | {PAIRS:,} |
| tokens | {tokens:,} (*assumed* {TOKENS_PER_PAIR} a pair, both sides) |
| text | {tokens * TEXT_BYTES_PER_TOKEN / 1e9:,.0f} GB (*assumed* {TEXT_BYTES_PER_TOKEN} bytes a token) |
| prepared | {on_disk / 1e9:,.0f} GB: 2 bytes a token and 8 a pair; measured on {preparing["pairs"]:,} short pairs: {per_token:.1f} bytes a token |
| preparing | {prepare_rate:,.0f} tokens a second and core (measured, reading twice and learning the tokenizer included{by_clock}): {hours(cutting)} on {CORES} cores; but one process reads, {training["lines_per_second"]:,} lines a second, twice: {hours(reading)} |
| memory to train | {preparing["gibibytes"]} GiB measured with {preparing["pairs"]:,} pairs and a small model, whatever the number of pairs; the first step came after {preparing["first_step_seconds"]} s |

Preparing takes the longer of the two, {hours(max(reading, cutting))}, once: reading is the bottleneck beyond
{max(1, round(cutting * CORES / reading))} cores. Training starts while nothing but one shard is looked at.

## The training

A Transformer of {training["parameters"]:,} parameters (width 512, 6 + 6 layers, 32,000 tokens), {EPOCHS} epoch,
{step_tokens:,} tokens a step ({MACHINES} machines × 25,000): {steps:,} steps.

| | |
| --- | --- |
| one core | {train_rate:,.0f} tokens a second (measured) |
| {MACHINES} machines of {CORES} cores | {all_rate:,.0f} tokens a second (*assumed*: cores add up{apart}) |
| a step, computing | {compute:.1f} s |
| a message | {gradient_bytes / 1e6:,.0f} MB of gradients, sent and received once around: 2 × that for each machine |
| a checkpoint | {training["checkpoint_bytes"] / 1e9:.2f} GB, by the first process |

| network | a message | share of time spent computing | one epoch |
| --- | --- | --- | --- |
{chr(10).join(rows)}

**The bottleneck** is the arithmetic: on CPUs one epoch takes {hours(steps * compute)} even if messages cost nothing. A GPU does
the same step in a fraction of the time, and then the message is what remains: it is not hidden behind the backward pass
(see `docs/decisions/0015-many-processes.md`), so below 25 Gbit/s let `training.accumulate` make steps longer.

## How to

```
regard prepare corpus.en.gz corpus.de.gz --into /shared/prepared
torchrun --nnodes {MACHINES} --nproc-per-node {CORES} --rdzv-backend c10d --rdzv-endpoint HOST:29500 --rdzv-id big \\
    --rdzv-conf join_timeout=60,last_call_timeout=10 --max-restarts 100 \\
    -m regard train /shared/prepared --into runs/big
```

- Every machine reads the prepared folder under the same name; only the first writes the run folder, and need see it.
- Which pairs a process sees follows from seed, epoch, batch, its number and how many there are. Go on with any number of machines
  by `--resume`: each pair is still seen once an epoch.
- A process that hears nothing for `REGARD_TIMEOUT` seconds (60) holds the others for lost and ends; torchrun starts all again,
  and training goes on from the last checkpoint. Where torchrun itself waits for ever, it is ended `REGARD_DEADLINE` seconds (60)
  later; give it more where machines take minutes to come back.
- `training.validate_every` is also how often is saved: at most so many steps are lost. While the first process validates and saves
  the others wait; keep `training.validation_pairs` small.
- Processes on one machine hold a model each: {16 * training["parameters"] / 1e9:.1f} GB with gradients and optimizer for the one
  above. Fewer processes with several threads each (`OMP_NUM_THREADS`) need less; `training.sharding = "full"` deals it out, for
  models that do not fit otherwise (see `docs/decisions/0019-sharding.md`).
"""


if __name__ == "__main__":
    asked = {
        "measure": measure,
        "prepare": prepare,
        "together": together,
        "bars": bars,
        "rate": rate,
        "draw": draw,
    }
    asked[sys.argv[1]]()
