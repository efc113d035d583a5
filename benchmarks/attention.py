"""How fast, and in how much memory, is every attention mechanism, against torch's fused kernel?

    python -m benchmarks.attention            all lengths: some half an hour, a line of JSON
    python -m benchmarks.attention --check    the lengths that have a bar: some eight minutes; fail below one

Batch 1, 8 heads of width 64, float32. Cases run in turn, and a ratio is the median of the ratios of
its turns, so that a machine that grows slower slows both. Every length has a process of its own, which
keeps its memory: what an earlier length left behind would be found by some and not by others. Memory is
the peak of a fresh process per case, less what it held before the call.
"""

import argparse
import math
import statistics
from collections.abc import Callable
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import Tensor

import regard
from benchmarks.keeping import KEEPING
from benchmarks.measuring import (
    Bar,
    about,
    conclude,
    elsewhere,
    extra_memory,
    in_turn,
    ratio,
    seconds,
    spread,
)
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
        "window": lambda: attend(queries, keys, values, mask=band),
        "dropout": lambda: attend(queries, keys, values, dropout=0.1),
        "t5": lambda: attend(queries, keys, values, position=t5),
    }
    if n <= 4096:
        found["sdpa dropout"] = lambda: sdpa(queries, keys, values, dropout_p=0.1)
    if n <= 2048:
        found["relative merged"] = lambda: attend_merged(relative_call)
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


def run(case: Case, backward: bool) -> None:
    """Once."""
    if backward:
        case().sum().backward()
    else:
        with torch.no_grad():
            case()


def times(n: int, backward: bool, rounds: int, threads: int) -> dict[str, list[float]]:
    """Seconds of every case at this length, in turn."""
    return _timed(cases(n), backward, rounds, threads)


def additive_times(rounds: int, threads: int) -> dict[str, list[float]]:
    """Seconds of Bahdanau's score, forward and backward, in turn."""
    return _timed(additive_cases(), True, rounds, threads)


def _timed(chosen: dict[str, Case], backward: bool, rounds: int, threads: int) -> dict[str, list[float]]:
    torch.set_num_threads(threads)
    turns = {name: partial(seconds, partial(run, case, backward)) for name, case in chosen.items()}
    return in_turn(turns, rounds, fewer={"relative dense": DENSE_ROUNDS})


def watched_times(rounds: int, threads: int) -> dict[str, list[float]]:
    """Seconds without a watch, with one that nobody reads, and with one on another model."""
    torch.set_num_threads(threads)
    torch.manual_seed(0)
    attention, other = (regard.MultiHeadAttention(512, heads=HEADS) for _ in range(2))
    x = torch.randn(4, 256, 512)

    def within(watched: regard.MultiHeadAttention) -> None:
        with regard.watch(watched):
            attention(x)

    ways = {
        "without": partial(attention, x),
        "watched": partial(within, attention),
        "elsewhere": partial(within, other),
    }
    with torch.no_grad():
        return in_turn({name: partial(seconds, way) for name, way in ways.items()}, rounds, warming=2)


def grown(name: str, n: int, threads: int) -> float:
    """MiB that one forward and backward pass adds to this process."""
    torch.set_num_threads(threads)
    made, short = (
        (additive_cases, 64) if name.startswith("additive") else (cases, 640 if name == "window" else 128)
    )
    run(made(short)[name], True)  # what a process loads only once
    case = made(n)[name]
    return extra_memory(partial(run, case, True))


def exponent(points: dict[int, float]) -> float:
    """The slope of a line through the logarithms."""
    xs, ys = [math.log(n) for n in points], [math.log(max(t, 1e-9)) for t in points.values()]
    return statistics.linear_regression(xs, ys).slope


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    lengths = (512, 2048, 4096) if options.check else (128, 256, 512, 1024, 2048, 4096, 8192)
    found: dict[str, dict[int, dict[str, list[float]]]] = {"forward": {}, "both": {}}
    for n in lengths:
        rounds = 41 if n <= 1024 else 9 if n <= 2048 else 7 if n <= 4096 else 5
        for part, by_length in found.items():
            call = f"times({n}, {part == 'both'}, {rounds}, {options.threads})"
            by_length[n] = elsewhere("benchmarks.attention", call, KEEPING)
            told = (f"{name} {1e3 * statistics.median(took):.0f} ms" for name, took in by_length[n].items())
            print(f"n = {n}, {part}: {', '.join(told)}", flush=True)
    additive = elsewhere("benchmarks.attention", f"additive_times(9, {options.threads})", KEEPING)
    watched = elsewhere("benchmarks.attention", f"watched_times(200, {options.threads})", KEEPING)
    long = [n for n in lengths if n >= 1024]
    measured = {
        "sdpa": lengths,
        "relative": lengths,
        "window": long,
        "dropout": long,
        "t5": long,
        "additive": [768],
        "additive broadcast": [768],
    }
    memory = {
        name: {
            n: elsewhere("benchmarks.attention", f"grown({name!r}, {n}, {options.threads})") for n in sizes
        }
        for name, sizes in measured.items()
        if not options.check or name in ("relative", "additive", "additive broadcast")  # which have a bar
    }
    bars = [
        *_fused_bars(found),
        *_relative_bars(found["both"], memory["relative"]),
        Bar(
            what="additive / broadcast",
            found=ratio(additive, "additive", "additive broadcast"),
            most=1 / 2.5,
        ),
        Bar(
            what="additive MiB / broadcast MiB",
            found=memory["additive"][768] / memory["additive broadcast"][768],
            most=1 / 20,
        ),
        Bar(what="window / sdpa, n=4096", found=ratio(found["both"][4096], "window", "sdpa"), most=0.3),
        Bar(
            what="dropout / sdpa dropout, n=4096",
            found=ratio(found["both"][4096], "dropout", "sdpa dropout"),
            most=1.0,
        ),
        Bar(what="watched, unread / unwatched", found=ratio(watched, "watched", "without"), most=1.15),
        Bar(what="watched elsewhere / unwatched", found=ratio(watched, "elsewhere", "without"), most=1.05),
    ]
    target = Bar(
        what="target, dropout / sdpa without, n=4096",
        found=ratio(found["both"][4096], "dropout", "sdpa"),
        most=2.0,
    )
    print(
        f"{'met   ' if target.holds else 'missed'} {target.what}: {target.found:.2f} (at most {target.most})"
    )
    by_name = {part: _by_name(by_length) for part, by_length in found.items()}
    line = about("attention", ("torch",)) | {
        "threads": options.threads,
        "absent": [],
        "shape": {"batch": 1, "heads": HEADS, "width": WIDTH, "reach": REACH, "window": WINDOW},
        "shortest_merge": merging.SHORTEST,
        "milliseconds": {
            part: {
                name: {n: spread([1e3 * t for t in took]) for n, took in by_length.items()}
                for name, by_length in named.items()
            }
            for part, named in by_name.items()
        },
        "additive_milliseconds": {
            name: spread([1e3 * t for t in took], 1) for name, took in additive.items()
        },
        "mebibytes": memory,
        "exponents": {
            "time": {
                name: exponent({n: statistics.median(took) for n, took in by_length.items() if n >= 512})
                for name, by_length in by_name["both"].items()
                if len([n for n in by_length if n >= 512]) > 2
            },
            "memory": {name: exponent(sizes) for name, sizes in memory.items() if len(sizes) > 2},
        },
        "targets": [target.told()],
    }
    conclude(line, bars, RESULTS, check=options.check)


def _by_name(found: dict[int, dict[str, list[float]]]) -> dict[str, dict[int, list[float]]]:
    names = dict.fromkeys(name for times in found.values() for name in times)
    return {name: {n: times[name] for n, times in found.items() if name in times} for name in names}


def _fused_bars(found: dict[str, dict[int, dict[str, list[float]]]]) -> list[Bar]:
    """What runs on torch's kernel, beside the kernel itself."""
    pairs = (
        ("plain", "sdpa", 1.05),
        ("causal", "sdpa causal", 1.05),
        ("lengths", "sdpa lengths", 1.1),
        ("gaussian", "sdpa", 1.25),
    )
    return [
        Bar(what=f"{ours} / {theirs}, n={n}, {part}", found=ratio(times, ours, theirs), most=most)
        for part, by_length in found.items()
        for n, times in by_length.items()
        if n >= 512
        for ours, theirs, most in pairs
    ]


def _relative_bars(found: dict[int, dict[str, list[float]]], mebibytes: dict[int, float]) -> list[Bar]:
    """Shaw's positions beside plain attention, the n×n×d tensors, and the better of both fast ways."""
    bars = []
    for n, most in ((2048, 1.5), (8192, 1.3)):
        if n in found:
            bars.append(
                Bar(what=f"relative / sdpa, n={n}", found=ratio(found[n], "relative", "sdpa"), most=most)
            )
    dense = ratio(found[2048], "relative", "relative dense")
    bars.append(Bar(what="relative / dense, n=2048", found=dense, most=1 / 7))
    for n, most in ((2048, 300.0), (8192, 1024.0)):
        if n in mebibytes:
            bars.append(Bar(what=f"relative MiB, n={n}", found=mebibytes[n], most=most))
    for n, times in found.items():
        if n > 2048:  # the bucketed definition would form too much
            continue
        ways = ("relative bucketed", "relative merged")
        better = min(ways, key=lambda way, times=times: statistics.median(times[way]))
        bars.append(Bar(what=f"relative / {better}, n={n}", found=ratio(times, "relative", better), most=1.1))
    return bars


if __name__ == "__main__":
    main()
