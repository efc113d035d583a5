"""Draw docs/benchmarks.md from the newest line of every result file: numbers are never typed.

python benchmarks/draw.py
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"


def newest(name: str) -> dict[str, Any] | None:
    """The last line of a result file."""
    path = RESULTS / f"{name}.jsonl"
    if not path.exists():
        return None
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    return json.loads(lines[-1]) if lines else None


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """A table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cells)} |" for cells in lines] + [""]


def attention(line: dict[str, Any]) -> list[str]:
    """Times, memory, bars and exponents of every mechanism."""
    shape = line["shape"]
    said = [
        "## Attention",
        "",
        f"Batch {shape['batch']}, {shape['heads']} heads of width {shape['width']}, reach {shape['reach']}, "
        f"window {shape['window']}, float32, {line['threads']} threads; {line['machine']}, "
        f"torch {line['torch']}, {line['date']}, load {line['load']:.1f}. "
        "`make bench-attention` measures it again.",
        "",
        "Milliseconds, forward and backward (median; least–most):",
        "",
    ]
    both = line["milliseconds"]["both"]
    lengths = sorted({int(n) for found in both.values() for n in found})

    def cell(found: dict[str, list[float]], n: int) -> str:
        if str(n) not in found:
            return "–"
        median, least, most = found[str(n)]
        return f"{median:,.0f} ({least:,.0f}–{most:,.0f})"

    said += table(
        ["", *(f"n = {n}" for n in lengths), "exponent"],
        [
            [
                name,
                *(cell(found, n) for n in lengths),
                f"{line['exponents']['time'].get(name, float('nan')):.2f}",
            ]
            for name, found in both.items()
        ],
    )
    said += ["Extra memory at the peak, MiB, a process per case:", ""]
    sizes = sorted({int(n) for found in line["mebibytes"].values() for n in found})
    said += table(
        ["", *(f"n = {n}" for n in sizes)],
        [
            [name, *(f"{found[str(n)]:,.0f}" if str(n) in found else "–" for n in sizes)]
            for name, found in line["mebibytes"].items()
        ],
    )
    said += ["Bars, as ratios of medians from one run unless a unit is named:", ""]
    said += table(
        ["what", "found", "at most", ""],
        [
            [
                bar["what"],
                f"{bar['found']:.3f}",
                f"{bar['at_most']:.3f}",
                "holds" if bar["found"] <= bar["at_most"] else "**fails**",
            ]
            for bar in line["bars"] + line["targets"]
        ],
    )
    return said


PARTS: dict[str, Callable[[dict[str, Any]], list[str]]] = {"attention": attention}


def main() -> None:
    """Write the document."""
    lines = ["# Benchmarks", "", "Drawn by `benchmarks/draw.py` from `benchmarks/results/`; do not edit.", ""]
    for name, part in PARTS.items():
        line = newest(name)
        if line is not None:
            lines += part(line)
    DOCUMENT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
