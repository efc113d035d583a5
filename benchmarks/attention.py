"""How fast, and in how much memory, is every attention mechanism, against torch's fused kernel?

    python -m benchmarks.attention            all lengths: some forty minutes, a line of JSON
    python -m benchmarks.attention --quick    the lengths that have a bar: some eight minutes
    python -m benchmarks.attention --check    the same, and fail below a bar

Batch 1, 8 heads of width 64, float32. Cases run in turn, and a ratio is the median of the ratios of
its turns, so that a machine that grows slower slows both. Times are taken in a process that keeps its
memory. Memory is the peak of a fresh process per case, less what it held before the call.
"""

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from benchmarks.keeping import KEEPING, keep_memory
from regard import masks, positions, scores
from regard.attention import merging
from regard.attention.definition import Call, attend_by_definition
from regard.attention.merging import attend_merged

HEADS, WIDTH, REACH, WINDOW = 8, 64, 16, 256
RESULTS = Path(__file__).parent / "results" / "attention.jsonl"
DENSE_ROUNDS = 3
"""The n×n×d tensors take ten seconds a round, and are many times from their bar."""
Case = Callable[[], Tensor]


def dense_relative(queries: Tensor, keys: Tensor, values: Tensor, position: positions.Relative) -> Tensor:
    """Shaw's formula as it stands: the n×n×d tensors formed."""
    rows = position.rows(queries.shape[-2], keys.shape[-2], 0, queries.device)
    of_keys, of_values = position.key_table[rows], position.value_table[rows]
    products = queries @ keys.mT + torch.einsum("bhid,ijd->bhij", queries, of_keys)
    weights = (products / math.sqrt(WIDTH)).softmax(-1)
    return weights @ values + torch.einsum("bhij,ijd->bhid", weights, of_values)


def cases(n: int) -> dict[str, Case]:
    """Every way to attend, on inputs of this length."""
    torch.manual_seed(0)
    queries, keys, values = (torch.randn(1, HEADS, n, WIDTH, requires_grad=True) for _ in range(3))
    lengths = [n - n // 8]
    keep = (torch.arange(n) < lengths[0])[None, None, None]
    relative = positions.Relative(reach=REACH, head_width=WIDTH)
    t5 = positions.T5Bias(HEADS)
    wide = scores.Gaussian(bandwidth=4.0 * math.sqrt(WIDTH))
    relative_call = Call(
        queries=queries, keys=keys, values=values, score=scores.ScaledDot(), position=relative
    )
    sdpa, attend = F.scaled_dot_product_attention, regard.attend
    band = masks.window(before=WINDOW - 1, after=0)
    found: dict[str, Case] = {
        "sdpa": lambda: sdpa(queries, keys, values),
        "sdpa causal": lambda: sdpa(queries, keys, values, is_causal=True),
        "sdpa lengths": lambda: sdpa(queries, keys, values, attn_mask=keep),
        "plain": lambda: attend(queries, keys, values),
        "causal": lambda: attend(queries, keys, values, mask=masks.causal()),
        "lengths": lambda: attend(queries, keys, values, mask=masks.lengths(lengths)),
        "gaussian": lambda: attend(queries, keys, values, score=wide),
        "relative": lambda: attend(queries, keys, values, position=relative),
        "relative merged": lambda: attend_merged(relative_call),
        "window": lambda: attend(queries, keys, values, mask=band),
        "dropout": lambda: attend(queries, keys, values, dropout=0.1),
        "t5": lambda: attend(queries, keys, values, position=t5),
    }
    if n <= 4096:
        found["sdpa dropout"] = lambda: sdpa(queries, keys, values, dropout_p=0.1)
    if n <= 2048:
        found["relative bucketed"] = lambda: attend_by_definition(relative_call)
        found["relative dense"] = lambda: dense_relative(queries, keys, values, relative)
    return found


def additive_cases(n: int = 768, hidden: int = 128) -> dict[str, Case]:
    """Bahdanau's score, streamed and broadcast."""
    torch.manual_seed(0)
    queries, keys = (torch.randn(2, n, hidden, requires_grad=True) for _ in range(2))
    values = torch.randn(2, n, WIDTH, requires_grad=True)
    score = scores.Additive(query_width=hidden, key_width=hidden, hidden_width=hidden)
    call = Call(queries=queries, keys=keys, values=values, score=score)
    return {
        "additive": lambda: regard.attend(queries, keys, values, score=score),
        "additive broadcast": lambda: attend_by_definition(call),
    }


def seconds(case: Case, backward: bool) -> float:
    """One run."""
    began = time.perf_counter()
    if backward:
        case().sum().backward()
    else:
        with torch.no_grad():
            case()
    return time.perf_counter() - began


def timed(chosen: dict[str, Case], rounds: int, backward: bool) -> dict[str, list[float]]:
    """Each case once a round, forth and back in turn; the first round warms up."""
    times: dict[str, list[float]] = {name: [] for name in chosen}
    for turn in range(rounds + 1):
        for name, case in list(chosen.items())[:: 1 if turn % 2 else -1]:  # nobody always comes first
            if name == "relative dense" and turn > DENSE_ROUNDS:
                continue
            took = seconds(case, backward)
            if turn:
                times[name].append(took)
    return times


def extra_memory(name: str, n: int) -> float:
    """MiB that one forward and backward pass needs at its peak, in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.attention", "--one", name, str(n)]
    as_it_comes = {name: value for name, value in os.environ.items() if name not in KEEPING}
    done = subprocess.run(
        command, stdout=subprocess.PIPE, text=True, check=True, env=as_it_comes, cwd=Path(__file__).parents[1]
    )
    return float(done.stdout)


def _one(name: str, n: int) -> None:
    chosen = (additive_cases(n) if name.startswith("additive") else cases(n))[name]
    small = (additive_cases(64) if name.startswith("additive") else cases(640 if "window" in name else 128))[
        name
    ]
    small().sum().backward()
    Path("/proc/self/clear_refs").write_text("5")  # from here on, the peak is counted anew
    before = _status("VmRSS")
    chosen().sum().backward()
    print(_status("VmHWM") - before)


def _status(field: str) -> float:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def ratio(times: dict[str, list[float]], ours: str, theirs: str) -> float:
    """The median of the ratios of the turns that both took."""
    return statistics.median(a / b for a, b in zip(times[ours], times[theirs], strict=False))


def exponent(points: dict[int, float]) -> float:
    """The slope of a line through the logarithms."""
    xs, ys = [math.log(n) for n in points], [math.log(max(t, 1e-9)) for t in points.values()]
    mean_x, mean_y = statistics.mean(xs), statistics.mean(ys)
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / sum(
        (x - mean_x) ** 2 for x in xs
    )


def watch_costs(rounds: int) -> tuple[float, float]:
    """Time with an unread watch, and with one on another model, over the time without."""
    torch.manual_seed(0)
    attention, other = (regard.MultiHeadAttention(512, heads=HEADS) for _ in range(2))
    x = torch.randn(4, 256, 512)
    times: dict[str, list[float]] = {"without": [], "watched": [], "elsewhere": []}
    with torch.no_grad():
        for turn in range(rounds + 2):
            for name in times:
                began = time.perf_counter()
                if name == "without":
                    attention(x)
                else:
                    with regard.watch(attention if name == "watched" else other):
                        attention(x)
                if turn > 1:
                    times[name].append(time.perf_counter() - began)
    return ratio(times, "watched", "without"), ratio(times, "elsewhere", "without")


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    if options.one:
        _one(options.one[0], int(options.one[1]))
        return
    keep_memory("benchmarks.attention")
    lengths = (512, 2048, 4096) if options.quick or options.check else (128, 256, 512, 1024, 2048, 4096, 8192)
    times: dict[str, dict[str, dict[int, list[float]]]] = {"forward": {}, "both": {}}
    for n in lengths:
        rounds = 41 if n <= 1024 else 9 if n <= 2048 else 7 if n <= 4096 else 5
        for backward, part in ((False, "forward"), (True, "both")):
            found = timed(cases(n), rounds, backward)
            for name, took in found.items():
                times[part].setdefault(name, {})[n] = took
            print(
                f"n = {n}, {part}: "
                + ", ".join(f"{k} {1e3 * statistics.median(v):.0f} ms" for k, v in found.items()),
                flush=True,
            )
    additive = timed(additive_cases(), 5, True)
    memory = {
        name: {n: extra_memory(name, n) for n in sizes}
        for name, sizes in {
            "sdpa": lengths,
            "relative": lengths,
            "window": [n for n in lengths if n >= 1024],
            "dropout": [n for n in lengths if n >= 1024],
            "t5": [n for n in lengths if n >= 1024],
            "additive": [768],
            "additive broadcast": [768],
        }.items()
        if not options.check or name in ("relative", "additive", "additive broadcast")  # which have a bar
    }
    watched, elsewhere = watch_costs(200)

    def at(n: int, part: str = "both") -> dict[str, list[float]]:
        return {name: by_length[n] for name, by_length in times[part].items() if n in by_length}

    bars: list[tuple[str, float, float]] = []  # what, found, at most
    for n in (n for n in lengths if n >= 512):
        for part in ("forward", "both"):
            bars.append((f"plain / sdpa, n={n}, {part}", ratio(at(n, part), "plain", "sdpa"), 1.05))
            bars.append(
                (f"causal / sdpa causal, n={n}, {part}", ratio(at(n, part), "causal", "sdpa causal"), 1.05)
            )
            bars.append(
                (f"lengths / sdpa lengths, n={n}, {part}", ratio(at(n, part), "lengths", "sdpa lengths"), 1.1)
            )
            bars.append((f"gaussian / sdpa, n={n}, {part}", ratio(at(n, part), "gaussian", "sdpa"), 1.25))
    if 2048 in lengths:
        bars.append(("relative / sdpa, n=2048", ratio(at(2048), "relative", "sdpa"), 1.5))
        bars.append(("relative / dense, n=2048", ratio(at(2048), "relative", "relative dense"), 1 / 7))
        bars.append(("relative MiB, n=2048", memory["relative"][2048], 300.0))
    if 8192 in lengths:
        bars.append(("relative / sdpa, n=8192", ratio(at(8192), "relative", "sdpa"), 1.3))
        bars.append(("relative MiB, n=8192", memory["relative"][8192], 1024.0))
    for n in (n for n in lengths if n <= 2048):
        better = min(
            ("relative bucketed", "relative merged"), key=lambda name: statistics.median(at(n)[name])
        )
        bars.append((f"relative / {better}, n={n}", ratio(at(n), "relative", better), 1.1))
    bars.append(("additive / broadcast", ratio(additive, "additive", "additive broadcast"), 1 / 2.5))
    bars.append(
        ("additive MiB / broadcast MiB", memory["additive"][768] / memory["additive broadcast"][768], 1 / 20)
    )
    bars.append(("window / sdpa, n=4096", ratio(at(4096), "window", "sdpa"), 0.3))
    bars.append(("dropout / sdpa dropout, n=4096", ratio(at(4096), "dropout", "sdpa dropout"), 1.0))
    bars.append(("watched, unread / unwatched", watched, 1.15))
    bars.append(("watched elsewhere / unwatched", elsewhere, 1.05))
    targets = [("dropout / sdpa without, n=4096", ratio(at(4096), "dropout", "sdpa"), 2.0)]
    exponents = {
        "time": {
            name: exponent({n: statistics.median(t) for n, t in by_length.items() if n >= 512})
            for name, by_length in times["both"].items()
            if len([n for n in by_length if n >= 512]) > 2
        },
        "memory": {name: exponent(found) for name, found in memory.items() if len(found) > 2},
    }
    for what, found, most in bars:
        print(f"{'holds' if found <= most else 'FAILS'}  {what}: {found:.3f} (at most {most:.3f})")
    for what, found, most in targets:
        print(f"target {'met' if found <= most else 'not met'}: {what}: {found:.3f} (at most {most:.1f})")
    line = {
        "benchmark": "attention",
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "threads": options.threads,
        "load": os.getloadavg()[0],
        "shape": {"batch": 1, "heads": HEADS, "width": WIDTH, "reach": REACH, "window": WINDOW},
        "shortest_merge": merging.SHORTEST,
        "milliseconds": {
            part: {
                name: {
                    n: [round(1e3 * f(t), 2) for f in (statistics.median, min, max)]
                    for n, t in by_length.items()
                }
                for name, by_length in found.items()
            }
            for part, found in times.items()
        },
        "additive_milliseconds": {name: round(1e3 * statistics.median(t), 1) for name, t in additive.items()},
        "mebibytes": memory,
        "exponents": exponents,
        "bars": [{"what": what, "found": found, "at_most": most} for what, found, most in bars],
        "targets": [{"what": what, "found": found, "at_most": most} for what, found, most in targets],
    }
    if not options.check:
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(line) + "\n")
    if options.check and any(found > most for _, found, most in bars):
        sys.exit(1)


if __name__ == "__main__":
    main()
