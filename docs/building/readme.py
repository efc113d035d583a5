"""The table of the READMEs, drawn from result files: no number in it is typed by hand.

python docs/building/readme.py
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results"
TABLE = re.compile(r"(?<=<!-- drawn by docs/building/readme.py -->\n).*?(?=<!-- end -->)", re.DOTALL)

Line = dict[str, Any]


@dataclass(frozen=True)
class Row:
    """One question: which file answers it, and how a line of that file reads as two cells.

    The table says so where there is no such line yet.
    """

    en: str
    zh: str
    results: str = ""
    cells: Callable[[Line], tuple[str, str]] = lambda line: ("", "")
    name: str = ""
    """Of the lines of the file, only those of this name; all where it is empty."""


def _megabytes(line: Line) -> tuple[str, str]:
    sizes = line["megabytes"]
    return f"{sizes['regard']:.1f} MB", f"BertViz {line['bertviz']}: {sizes['bertviz']:.0f} MB"


def _seconds(line: Line) -> tuple[str, str]:
    seconds = line["seconds"]
    return f"{seconds['regard'][0]:.1f} s", f"BertViz {line['bertviz']}: {seconds['bertviz'][0]:.0f} s"


def _relative(line: Line) -> tuple[str, str]:
    found = line["milliseconds"]["both"]
    ours, dense = (found[name]["2048"][0] for name in ("relative", "relative dense"))
    return f"{ours:,.0f} ms", f"n × n × d: {dense:,.0f} ms"


def _window(line: Line) -> tuple[str, str]:
    found = line["milliseconds"]["both"]
    ours, whole = (found[name]["4096"][0] for name in ("window", "sdpa"))
    return f"{ours:,.0f} ms", f"torch {line['versions']['torch'].split('+')[0]}: {whole:,.0f} ms"


def _streamed(line: Line) -> tuple[str, str]:
    sizes = line["mebibytes"]
    return f"{sizes['additive']['768']:,.0f} MiB", f"n × m × d: {sizes['additive broadcast']['768']:,.0f} MiB"


def _learnt(line: Line) -> tuple[str, str]:
    rates = line["tokens_per_second"]["4+4 layers of 128"]
    peers = {
        "nn.Transformer": "nn.Transformer",
        "nn.Transformer, compiled": "compiled",
        "Marian": "Hugging Face's Marian",
        "JoeyNMT": "JoeyNMT",
    }
    beside = ", ".join(f"{told} {rates[peer][0]:,.0f}" for peer, told in peers.items() if peer in rates)
    return f"{rates['regard'][0]:,.0f}", beside


def _written(line: Line) -> tuple[str, str]:
    times = line["milliseconds_per_sentence"]["2"]["3+3 layers of 256, batch 64, beam 5"]

    def soonest(*names: str) -> str:
        return f"{min(times[name][0] for name in names if name in times):.1f} ms"

    peers = {"CTranslate2": ("CTranslate2", "CTranslate2, workers"), "Hugging Face's Marian": ("Marian",)}
    beside = ", ".join(f"{told} {soonest(*names)}" for told, names in peers.items() if names[0] in times)
    return soonest("regard", "regard, processes"), beside


def _minutes(line: Line) -> tuple[str, str]:
    """Beside those that were measured on the same day."""

    def told(of_system: Line) -> str:
        when = of_system["reached"]["35"]
        return f"> {of_system['minutes']:.0f}" if when is None else f"{when:.0f}"

    that_day = {one["system"]: one for one in every("minutes") if one["date"] == line["date"]}
    peers = {"huggingface": "Hugging Face's trainer", "joeynmt": "JoeyNMT"}
    beside = [f"{name} {told(that_day[system])}" for system, name in peers.items() if system in that_day]
    return told(line), ", ".join(beside)


def _bleu(line: Line) -> tuple[str, str]:
    whose, published = line["published"]
    return f"{line['bleu']:.2f}", f"{whose}: {published:.2f}"


ROWS = (
    Row("a page of 144 heads, 256 tokens: size", "144 个头、256 个词元的页面：大小", "viewing", _megabytes),
    Row("the same page: time to make", "同一页面：生成时间", "viewing", _seconds),
    Row(
        "Shaw's relative positions, 2,048 words: forward and backward",
        "Shaw 的相对位置，2048 个词：前向加反向",
        "attention",
        _relative,
    ),
    Row(
        "a window of 256 in 4,096 words, beside full attention",
        "4096 个词中宽 256 的窗口，与完整注意力相比",
        "attention",
        _window,
    ),
    Row(
        "additive attention, 768 words: extra memory",
        "加性注意力，768 个词：额外内存",
        "attention",
        _streamed,
    ),
    Row(
        "training a translator of 4 + 4 layers of width 128: target tokens a second",
        "训练 4 + 4 层、宽 128 的翻译模型：每秒目标词元数",
        "training",
        _learnt,
    ),
    Row(
        "minutes of training to BLEU 35, Multi30k en→de, one core",
        "训练到 BLEU 35 所需分钟数，Multi30k 英→德，单核",
        "minutes",
        _minutes,
        name="regard",
    ),
    Row(
        "writing 64 sentences with a beam of five, 3 + 3 layers of width 256: time a sentence",
        "以束宽 5 写 64 个句子，3 + 3 层、宽 256：每句时间",
        "decoding",
        _written,
    ),
    Row(
        "a translator trained on real text, Multi30k en→de: BLEU",
        "真实文本上训练的翻译模型，Multi30k 英→德：BLEU",
        "results",
        _bleu,
        name="multi30k-en-de",
    ),
)
HEADS = {
    "en": ("measured", "regard", "beside it", "measured by"),
    "zh": ("测量", "regard", "对照", "出处"),
}
MISSING = {"en": "not measured yet", "zh": "尚未测量"}


def lines(row: Row) -> list[Line]:
    """Every line that answers a question, the oldest first."""
    return [line for line in every(row.results) if row.name in ("", line.get("name"), line.get("system"))]


def every(results: str) -> list[Line]:
    """Every line of a file, the oldest first."""
    path = RESULTS / f"{results}.jsonl"
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def drawn(row: Row, line: Line | None, language: str) -> str:
    """A row of the table, as this line answers it."""
    name = row.en if language == "en" else row.zh
    if line is None:
        return f"| {name} | {MISSING[language]} | | |"
    ours, others = row.cells(line)
    return f"| {name} | {ours} | {others} | `benchmarks/{row.results}.py`, {line['date']} |"


def table(language: str) -> Iterator[str]:
    """The lines of the table."""
    heads = HEADS[language]
    yield f"| {' | '.join(heads)} |"
    yield f"| {' | '.join('---' for _ in heads)} |"
    for row in ROWS:
        answers = lines(row)
        yield drawn(row, answers[-1] if answers else None, language)


def main() -> None:
    """Draw the table into both READMEs."""
    for name, language in {"README.md": "en", "README.zh.md": "zh"}.items():
        path = ROOT / name
        body = "\n".join(table(language)) + "\n"
        path.write_text(
            TABLE.sub(lambda _, body=body: body, path.read_text(encoding="utf-8")), encoding="utf-8"
        )


if __name__ == "__main__":
    main()
