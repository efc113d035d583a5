"""How large is a page of attention, and how long does it take to write, beside BertViz?

    python benchmarks/viewing.py            12 layers × 12 heads × 256 tokens: minutes, a line of JSON
    python benchmarks/viewing.py --check    the same, and fail above a bar

Both draw the same weights and write one file. They run in turn, so that a ratio comes from one run on
one machine. BertViz is installed beside, in a folder of its own that is removed afterwards.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from regard.viewing import AttentionMap, AttentionMaps

BERTVIZ = "bertviz==1.4.1"
RESULTS = Path(__file__).parent / "results" / "viewing.jsonl"


def attention(layers: int, heads: int, tokens: int) -> list[Tensor]:
    """Heads as trained models have them: the previous token, the neighbours, the first, a few, all."""
    torch.manual_seed(0)
    places = torch.arange(tokens, dtype=torch.float32)
    apart = places[:, None] - places
    first = torch.zeros(tokens, tokens)
    first[:, 0] = 7.0
    shapes = [4.0 - (apart - 1) ** 2, 2.0 - apart**2 / 30, first, torch.zeros(tokens, tokens)]
    sharpness = [1.0, 1.0, 1.0, 3.0]
    return [
        torch.stack(
            [
                (
                    shapes[(head + layer) % 4] + sharpness[(head + layer) % 4] * torch.randn(tokens, tokens)
                ).softmax(-1)
                for head in range(heads)
            ]
        ).unsqueeze(0)
        for layer in range(layers)
    ]


def by_regard(weights: list[Tensor], tokens: list[str], path: Path) -> None:
    AttentionMaps.of_weights(weights, query_labels=tokens).save(path)


def by_bertviz(weights: list[Tensor], tokens: list[str], path: Path) -> None:
    from bertviz import model_view

    path.write_text(model_view(weights, tokens, html_action="return").data, encoding="utf-8")


def timed(
    write: Callable[..., None], weights: list[Tensor], tokens: list[str], path: Path
) -> tuple[float, float]:
    """Seconds, and megabytes written."""
    began = time.perf_counter()
    write(weights, tokens, path)
    return time.perf_counter() - began, path.stat().st_size / 1e6


def svg_seconds(rounds: int = 9) -> float:
    """A heatmap of 64 × 64 cells as SVG text."""
    seen = AttentionMap(torch.rand(64, 64).softmax(-1), query_labels=[f"w{at}" for at in range(64)])
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        seen.svg("heatmap")
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def install_bertviz(folder: Path) -> str:
    """BertViz without what it asks for besides IPython, so that torch stays as it is; its version."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(folder)]
    subprocess.run([*pip, "ipython"], check=True)
    subprocess.run([*pip, "--no-deps", "--upgrade", BERTVIZ], check=True)
    sys.path.append(str(folder))
    return next(each.version for each in distributions(path=[str(folder)]) if each.name == "bertviz")


def main() -> None:
    """Measure, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--heads", type=int, default=12)
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    tokens = [f"word{at}" for at in range(options.tokens)]
    weights = attention(options.layers, options.heads, options.tokens)
    noise = [torch.rand_like(each) for each in weights]
    noise = [each / each.sum(-1, keepdim=True) for each in noise]
    found: dict[str, list[tuple[float, float]]] = {"regard": [], "regard, noise": [], "bertviz": []}
    with tempfile.TemporaryDirectory() as folder:
        version = install_bertviz(Path(folder) / "beside")
        for _ in range(options.rounds):
            found["regard"].append(timed(by_regard, weights, tokens, Path(folder) / "regard.html"))
            found["regard, noise"].append(timed(by_regard, noise, tokens, Path(folder) / "noise.html"))
            found["bertviz"].append(timed(by_bertviz, weights, tokens, Path(folder) / "bertviz.html"))
    seconds = {name: statistics.median(took for took, _ in runs) for name, runs in found.items()}
    megabytes = {name: runs[0][1] for name, runs in found.items()}
    bars = [
        ("regard, megabytes", megabytes["regard"], 15.0),
        ("regard, megabytes of noise, which cannot be packed", megabytes["regard, noise"], 15.0),
        ("regard, seconds", seconds["regard"], 3.0),
        ("a heatmap of 64 × 64 as SVG, seconds", svg_seconds(), 0.05),
    ]
    for what, value, most in bars:
        print(f"{'holds' if value <= most else 'FAILS'}  {what}: {value:.3f} (at most {most})")
    times_smaller, times_faster = (table["bertviz"] / table["regard"] for table in (megabytes, seconds))
    print(f"bertviz: {megabytes['bertviz']:.0f} MB in {seconds['bertviz']:.1f} s", end="; ")
    print(f"regard is {times_smaller:.0f} times smaller and {times_faster:.0f} times faster")
    line: dict[str, Any] = {
        "benchmark": "viewing",
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "bertviz": version,
        "threads": options.threads,
        "load": os.getloadavg()[0],
        "shape": {"layers": options.layers, "heads": options.heads, "tokens": options.tokens},
        "seconds": {name: [round(took, 3) for took, _ in runs] for name, runs in found.items()},
        "megabytes": {name: round(size, 2) for name, size in megabytes.items()},
        "times_smaller": round(times_smaller, 1),
        "times_faster": round(times_faster, 1),
        "bars": [{"what": what, "found": round(value, 4), "at_most": most} for what, value, most in bars],
    }
    if not options.check:
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    if options.check and any(value > most for _, value, most in bars):
        sys.exit(1)


if __name__ == "__main__":
    main()
