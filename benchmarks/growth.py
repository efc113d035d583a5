"""How does the time grow with the batch, with the threads, and with the corpus?

    python -m benchmarks.growth            some five minutes, a line of JSON

A training step of 4+4 layers of width 128 by the tokens of its batch, and a batch written greedily by 3+3
layers of width 256 by its sentences, each on one thread and on all; the preparing of a corpus by its pairs,
the learning of its tokens included. Sizes are asked in turn. An exponent of one says that twice as much takes
twice as long.
"""

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch

from benchmarks.attention import exponent
from benchmarks.decoding import settings, sources, untaught
from benchmarks.measuring import Case, about, conclude, seconds, spread, timed
from benchmarks.peers import MIDDLING, SMALL, ours, some_batch
from benchmarks.training import blocked_step
from regard.text.prepared_writing import prepare_pairs
from regard.translation import search
from regard.wording import counted

RESULTS = Path(__file__).parent / "results" / "growth.jsonl"
TOKENS = (512, 1_024, 2_048, 4_096, 8_192)
SENTENCES = (1, 4, 16, 64)
PAIRS = (4_000, 16_000, 64_000, 256_000)
WORDS = ("cat", "dog", "tree", "house", "river", "stone", "cloud", "night", "road", "garden", "sleeps")


def learning(tokens: int) -> Case:
    """A training step on a batch of so many tokens."""
    torch.manual_seed(0)
    return blocked_step(ours(SMALL), some_batch(SMALL, tokens=tokens))


def writing(sentences: int) -> Case:
    """So many sentences, written together."""
    return partial(search, untaught(MIDDLING), sources(MIDDLING, sentences), settings(beam=1))


def preparing(pairs: int) -> float:
    """Seconds until so many pairs can be learned from."""
    with tempfile.TemporaryDirectory(prefix="regard-") as place:
        file = Path(place) / "pairs.tsv"
        with file.open("w", encoding="utf-8") as lines:
            for number in range(pairs):
                first, second = WORDS[number % 11], WORDS[number // 11 % 11]
                lines.write(f"the {first} sees {number} of {second}\tle {second} en voit {number} {first}\n")
        return seconds(lambda: prepare_pairs(file, Path(place) / "prepared", size=2_000, workers=1))


def by_threads(make: Any, sizes: Sequence[int], threads: Sequence[int], rounds: int) -> dict[str, Any]:
    """Seconds of every size with every number of threads, and how they grow."""
    found = {}
    for count in threads:
        torch.set_num_threads(count)
        times = timed({str(size): make(size) for size in sizes}, rounds)
        found[counted(count, "thread")] = told({int(size): took for size, took in times.items()})
    return found


def told(times: dict[int, list[float]]) -> dict[str, Any]:
    """Medians with their spread, and the exponent."""
    points = {size: spread(took, 5) for size, took in times.items()}
    return {"seconds": points, "exponent": exponent({size: took[0] for size, took in points.items()})}


def main() -> None:
    """Measure, and append one line of JSON."""
    most = torch.get_num_threads()
    threads = sorted({1, most})
    line = about("growth", ("torch",)) | {
        "learning": by_threads(learning, TOKENS, threads, rounds=5),
        "writing": by_threads(writing, SENTENCES, threads, rounds=5),
        "preparing": {"1 thread": told({pairs: [preparing(pairs) for _ in range(3)] for pairs in PAIRS})},
    }
    for what in ("learning", "writing", "preparing"):
        print(what, {name: round(one["exponent"], 2) for name, one in line[what].items()})
    conclude(line, [], RESULTS, check=False)


if __name__ == "__main__":
    main()
