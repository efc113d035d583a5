"""Draw docs/benchmarks.md and docs/results.md from result files: numbers are never typed.

python -m benchmarks.draw
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import draw_minutes, draw_results
from regard.attention.linear import LEAST
from regard.comparing.drawing import Growth, Line
from regard.viewing.colours import LIGHT
from regard.viewing.svg import document
from regard.wording import counted

RESULTS = Path(__file__).parent / "results"
DOCUMENT = Path(__file__).parents[1] / "docs" / "benchmarks.md"
DRAWN = ("sdpa", "relative", "relative bucketed", "relative dense", "window", "dropout", "sdpa dropout", "t5")
"""The lines that tell the story; the table has all."""
PICTURES = DOCUMENT.parent / "pictures"


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
        f"window {shape['window']}, float32, {line['threads']} threads; {where(line)} "
        "`python -m benchmarks.attention` measures it again.",
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
    drawn = {
        "time": {name: {int(n): t[0] / 1e3 for n, t in found.items()} for name, found in both.items()},
        "memory": {
            name: {int(n): size for n, size in found.items()}
            for name, found in line["mebibytes"].items()
            if len(found) > 2
        },
    }
    for what, unit in (("time", "seconds"), ("memory", "MiB")):
        said += [f"![{what} by length]({growth(what, drawn[what], line['exponents'][what], unit)})", ""]
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
    return said + bars(line["bars"] + line["targets"])


def growth(what: str, found: dict[str, dict[int, float]], exponents: dict[str, float], unit: str) -> str:
    """Draw how something grows with the length, each line with its fitted exponent."""
    lines = tuple(
        Line(name=name, note=f"n^{exponents[name]:.2f}", points=tuple(sorted(points.items())))
        for name, points in found.items()
        if name in exponents and name in DRAWN
    )
    spelled = (lambda value: f"{value:g} s") if unit == "seconds" else (lambda value: f"{value:g} MiB")
    layout = Growth(
        title=f"Forward and backward: {what}",
        notes=(),
        theme=LIGHT,
        lines=lines,
        across="length n",
        spelled=spelled,
        rung=10 if unit == "seconds" else 4,
    )
    (PICTURES / f"attention-{what}.svg").write_text(document(layout), encoding="utf-8")
    return f"pictures/attention-{what}.svg"


def bars(found: list[dict[str, Any]]) -> list[str]:
    """What was to be reached, and whether it was."""
    rows = []
    for bar in found:
        most = "at_most" in bar
        limit = bar["at_most"] if most else bar["at_least"]
        holds = bar["found"] <= limit if most else bar["found"] >= limit
        rows.append(
            [
                bar["what"],
                f"{bar['found']:.3f}",
                f"{'at most' if most else 'at least'} {limit:.3f}",
                "holds" if holds else "**fails**",
            ]
        )
    return table(["what", "found", "bar", ""], rows)


def where(line: dict[str, Any]) -> str:
    """The machine, and the version of everything that was measured."""
    versions = ", ".join(f"{name} {number}" for name, number in line["versions"].items() if number)
    absent = f" Absent, and so not measured: {', '.join(line['absent'])}." if line.get("absent") else ""
    return f"{line['machine']}, {line['date']}, load {line['load']:.1f}; {versions}.{absent}"


def training(line: dict[str, Any]) -> list[str]:
    """Training steps, beside the same model built by others."""
    said = [
        "## Training",
        "",
        f"Batches of {line['target_tokens']:,} target tokens, float32, {counted(line['threads'], 'thread')}; "
        f"{where(line)} The same dropout sites, batches and optimizer for all; `make bench-peers` and "
        "`python -m benchmarks.training` measure it again.",
        "",
        "Target tokens learnt a second (median; least–most):",
        "",
    ]
    rates = line["tokens_per_second"]
    names = dict.fromkeys(name for found in rates.values() for name in found)
    said += table(
        ["", *rates],
        [[name, *(spelled(found.get(name), "{:,.0f}") for found in rates.values())] for name in names],
    )
    if line["compiling_seconds"]:
        took = ", ".join(f"{size}: {found:.0f} s" for size, found in line["compiling_seconds"].items())
        said += [f"Compiling came before that ({took}).", ""]
    said += ["By how much a process grows at its peak, MiB:", ""]
    sizes = line["mebibytes"]
    said += table(
        ["", *sizes],
        [[name, *(f"{found[name]:,.0f}" for found in sizes.values())] for name in next(iter(sizes.values()))],
    )
    said += ["Bars, as ratios of speeds unless MiB are named:", ""]
    return said + bars(line["bars"] + line["targets"])


def decoding(line: dict[str, Any]) -> list[str]:
    """Written sentences, by every engine."""
    said = [
        "## Decoding",
        "",
        f"{line['written']} tokens a sentence, its end among them; {where(line)} *Workers* are threads "
        "with a part of the batch each, *processes* likewise. `make bench-peers` and "
        "`python -m benchmarks.decoding` measure it again.",
        "",
    ]
    for threads, cells in line["milliseconds_per_sentence"].items():
        said += [f"Milliseconds a sentence, {counted(int(threads), 'thread')} (median; least–most):", ""]
        names = dict.fromkeys(name for found in cells.values() for name in found)
        said += table(
            ["", *cells],
            [[name, *(spelled(found.get(name), "{:.1f}") for found in cells.values())] for name in names],
        )
    if line["seconds_per_file"]:
        said += ["Seconds for a file through CTranslate2, by regard and directly (median; least–most):", ""]
        files = line["seconds_per_file"]
        ways = [way for way in next(iter(files.values())) if way != "otherwise"]
        said += table(
            ["", *ways, "lines that differ"],
            [
                [case, *(spelled(found[way], "{:.1f}") for way in ways), str(found["otherwise"])]
                for case, found in files.items()
            ],
        )
    said += ["Bars, as ratios of times:", ""]
    return said + bars(line["bars"])


def quantization(line: dict[str, Any]) -> list[str]:
    """What rounding costs."""
    lost = {bar["what"]: bar["found"] for bar in line["bars"]}
    said = [
        "## Eight bits",
        "",
        f'What `quantization="int8"` costs in BLEU: {line["run"]}, {line["pairs"]:,} pairs of '
        f"{', '.join(line['data'])}; {where(line)} regard's own search rounds only "
        f"matrices of at least {LEAST:,} numbers.",
        "",
    ]
    return said + table(
        ["", "BLEU", "int8", "lost", "translations that changed"],
        [
            [
                name,
                f"{found['bleu']:.2f}",
                f"{found['bleu_int8']:.2f}",
                f"{lost[f'{name}: BLEU lost by int8']:.2f}",
                str(found["otherwise"]),
            ]
            for name, found in line["scores"].items()
        ],
    )


def shortlist(line: dict[str, Any]) -> list[str]:
    """What likely tokens alone cost and gain."""
    lost = {bar["what"]: bar["found"] for bar in line["bars"]}
    count = line["listed"]
    said = [
        "## Shortlist",
        "",
        f"What `shortlist=True` costs in BLEU and gains in time: {line['run']}, {line['pairs']:,} pairs of "
        f"{', '.join(line['data'])}; {where(line)} Of {count['vocabulary']:,} tokens {count['sentence']:,} "
        f"are listed for a sentence and {count['group']:,} for those that are searched together.",
        "",
    ]
    said += table(
        ["", "BLEU", "listed", "lost", "translations that changed", "time, listed / whole"],
        [
            [
                name,
                f"{found['bleu']:.2f}",
                f"{found['bleu_listed']:.2f}",
                f"{lost[f'{name}: BLEU lost by a shortlist']:.2f}",
                str(found["otherwise"]),
                f"{found['time']:.2f}",
            ]
            for name, found in line["scores"].items()
        ],
    )
    said += [
        f"Milliseconds a sentence of an untaught model, {counted(line['threads'], 'thread')} (median; "
        "least–most):",
        "",
    ]
    return said + table(
        ["", "whole", "listed", "time, listed / whole"],
        [
            [
                case,
                spelled(found["whole"], "{:.1f}"),
                spelled(found["listed"], "{:.1f}"),
                f"{found['time'][0]:.2f}",
            ]
            for case, found in line["milliseconds_per_sentence"].items()
        ],
    )


def spelled(found: list[float] | None, form: str) -> str:
    """A median between its least and its most."""
    if found is None:
        return "–"
    median, least, most = (form.format(number) for number in found)
    return f"{median} ({least}–{most})"


def starting(line: dict[str, Any]) -> list[str]:
    """From the start of a program to its first translation."""
    said = [
        "## Starting",
        "",
        "Seconds from the start of a program to its end (median; least–most), each in turn in a process of "
        f"its own; {where(line)} `python -m benchmarks.starting` measures it again.",
        "",
    ]
    said += table(
        ["", "seconds"], [[f"`{name}`", spelled(took, "{:.2f}")] for name, took in line["seconds"].items()]
    )
    return said + bars(line["bars"])


def viewing(line: dict[str, Any]) -> list[str]:
    """Pages of attention, beside BertViz."""
    shape = line["shape"]
    said = [
        "## Pages",
        "",
        f"A page of {shape['layers']} layers × {shape['heads']} heads × {shape['tokens']} tokens, written by "
        f"regard and by BertViz {line['bertviz']}; {line['machine']}, {line['date']}, "
        f"load {line['load']:.1f}. *Noise* is a map that cannot be packed.",
        "",
    ]
    said += table(
        ["", "megabytes", "seconds"],
        [
            [name, f"{line['megabytes'][name]:.1f}", f"{line['seconds'][name][0]:.1f}"]
            for name in line["megabytes"]
        ],
    )
    return said + bars(line["bars"])


def serving(line: dict[str, Any]) -> list[str]:
    """Translating together, beside one after the other."""
    said = [
        "## Serving",
        "",
        f"{line['callers']} callers at once, on loopback, torch on {line['threads']} thread; "
        f"{line['machine']}, load {line['load']:.1f}. Batching makes it {line['times']:.1f} times as many "
        "sentences a second.",
        "",
    ]
    return said + table(
        ["", "sentences/s", "p50, ms", "p99, ms"],
        [
            [
                name,
                f"{line[key]['sentences_per_second']:.1f}",
                f"{line[key]['p50_ms']:,.0f}",
                f"{line[key]['p99_ms']:,.0f}",
            ]
            for name, key in (("batched", "together"), ("one by one", "alone"))
        ],
    )


GROWING = {
    "learning": ("A training step, 4+4 layers of width 128", "tokens of the batch"),
    "writing": ("A batch written, 3+3 layers of width 256", "sentences"),
    "preparing": ("Preparing a corpus", "pairs"),
}


def growing(line: dict[str, Any]) -> list[str]:
    """Times by batch, threads and corpus, with their exponents."""
    said = [
        "## Growth",
        "",
        "Seconds (median; least–most), and the exponent they grow by: at one, twice as much takes twice as "
        f"long; {where(line)} `python -m benchmarks.growth` measures it again.",
        "",
    ]
    for what, (title, across) in GROWING.items():
        found = line[what]
        sizes = [int(size) for size in next(iter(found.values()))["seconds"]]
        rows = [
            [
                name,
                *("{:.3g} ({:.3g}–{:.3g})".format(*one["seconds"][str(size)]) for size in sizes),
                f"{one['exponent']:.2f}",
            ]
            for name, one in found.items()
        ]
        said += [f"{title}, by {across}:", ""]
        said += table(["", *(f"{size:,}" for size in sizes), "exponent"], rows)
        layout = Growth(
            title=title,
            notes=(),
            theme=LIGHT,
            lines=tuple(
                Line(
                    name=name,
                    note=f"n^{one['exponent']:.2f}",
                    points=tuple((size, one["seconds"][str(size)][0]) for size in sizes),
                )
                for name, one in found.items()
            ),
            across=across,
            spelled=lambda value: f"{value:g} s",
            rung=10,
        )
        (PICTURES / f"growth-{what}.svg").write_text(document(layout), encoding="utf-8")
        said += [f"![{title}, by {across}](pictures/growth-{what}.svg)", ""]
    return said


PARTS: dict[str, Callable[[dict[str, Any]], list[str]]] = {
    "attention": attention,
    "training": training,
    "decoding": decoding,
    "starting": starting,
    "growth": growing,
    "quantization": quantization,
    "shortlist": shortlist,
    "viewing": viewing,
    "serving": serving,
}


def main() -> None:
    """Write both documents."""
    lines = ["# Benchmarks", "", "Drawn by `benchmarks/draw.py` from `benchmarks/results/`; do not edit.", ""]
    for name, part in PARTS.items():
        line = newest(name)
        if line is not None:
            lines += part(line)
        if name == "training":
            lines += draw_minutes.section()
    DOCUMENT.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    draw_results.main()


if __name__ == "__main__":
    main()
