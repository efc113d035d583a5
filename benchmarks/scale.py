# ruff: noqa: E501  the document is written as it will stand
"""How long do a billion pairs take? Measures one core, and plans from it.

python benchmarks/scale.py measure     # some two minutes of processor time, busy machine or not
python benchmarks/scale.py draw        # docs/scale.md from the newest lines of results/scale.jsonl
"""

import json
import math
import os
import platform
import sys
import time
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results" / "scale.jsonl"
DOCUMENT = Path(__file__).parents[1] / "docs" / "scale.md"
PAIRS, MACHINES, CORES, EPOCHS = 10**9, 64, 32, 1
TOKENS_PER_PAIR = 50
"""Of source and target together, in subwords, in a corpus of web text."""
TEXT_BYTES_PER_TOKEN = 4.5


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
    line = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "load": round(os.getloadavg()[0], 1),
        "parameters": gradients,
        "tokens_per_step": 2 * rows * length,
        "seconds_per_step": [round(one, 3) for one in times],
        "checkpoint_bytes": 12 * gradients,
        "lines_per_second": round(lines_per_second()),
    }
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def lines_per_second() -> float:
    """How fast one process checks lines of the length that is planned for."""
    import tempfile

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
    DOCUMENT.write_text(planned(training, preparing), encoding="utf-8", newline="\n")


def planned(training: dict[str, Any], preparing: dict[str, Any]) -> str:
    """The plan."""
    tokens = PAIRS * TOKENS_PER_PAIR
    prepare_rate = preparing["tokens"] / preparing["preparing_processor_seconds"]
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
| preparing | {prepare_rate:,.0f} tokens a second and core (measured, reading twice and learning the tokenizer included): {hours(cutting)} on {CORES} cores; but one process reads, {training["lines_per_second"]:,} lines a second, twice: {hours(reading)} |
| memory to train | {preparing["gibibytes"]} GiB measured with {preparing["pairs"]:,} pairs and a small model, whatever the number of pairs; the first step came after {preparing["first_step_seconds"]} s |

Preparing takes the longer of the two, {hours(max(reading, cutting))}, once: reading is the bottleneck beyond
{max(1, round(cutting * CORES / reading))} cores. Training starts while nothing but one shard is looked at.

## The training

A Transformer of {training["parameters"]:,} parameters (width 512, 6 + 6 layers, 32,000 tokens), {EPOCHS} epoch,
{step_tokens:,} tokens a step ({MACHINES} machines × 25,000): {steps:,} steps.

| | |
| --- | --- |
| one core | {train_rate:,.0f} tokens a second (measured) |
| {MACHINES} machines of {CORES} cores | {all_rate:,.0f} tokens a second (*assumed*: cores add up) |
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
  and training goes on from the last checkpoint. Where torchrun itself waits for ever, it is ended a minute later.
- `training.validate_every` is also how often is saved: at most so many steps are lost. While the first process validates and saves
  the others wait; keep `training.validation_pairs` small.
- Processes on one machine hold a model each: {16 * training["parameters"] / 1e9:.1f} GB with gradients and optimizer for the one
  above. Fewer processes with several threads each (`OMP_NUM_THREADS`) need less.
"""


if __name__ == "__main__":
    measure() if sys.argv[1:] == ["measure"] else draw()
