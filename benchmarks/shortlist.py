"""What does a shortlist cost in BLEU, and what does it gain?

    regard demo --into runs/demo
    python -m benchmarks.shortlist runs/demo embedded:en-fr:test     a line of JSON

The same run translates the same pairs with its whole vocabulary and in likely tokens alone
(``shortlist=True``), in turn. How many tokens are listed is said of a sentence by itself and of the groups
that are searched together, which have all that any of them needs. Beside it, how long an untaught model of
the size that ``benchmarks.decoding`` measures takes, where so many tokens of its vocabulary are listed.
"""

import argparse
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import mean
from typing import Any

import torch

from benchmarks.decoding import settings, sources
from benchmarks.measuring import Bar, about, conclude, ratio, spread, timed
from benchmarks.peers import MIDDLING, ours, silence_the_end
from regard.runs import RunFolder, Translator
from regard.runs.lessons import read_pairs
from regard.runs.shortlisting import shortlist_of
from regard.translation import Shortlist, bleu, search
from regard.translation.grouping import groups_of
from regard.translation.workers import TOKENS_PER_BATCH

RESULTS = Path(__file__).parent / "results" / "shortlist.jsonl"
BEAMS = (1, 5)
MOST = 0.2
"""BLEU that a shortlist may cost."""
VOCABULARIES, LISTED = (10_000, 32_000), 3_000


def listed(run: Path, texts: list[str]) -> dict[str, float]:
    """How many tokens of how many are listed, of a sentence and of those that are searched together."""
    folder = RunFolder(run)
    tokenizer = folder.tokenizer()
    shortlist, encoded = shortlist_of(folder, tokenizer), tokenizer.source.encode_batch(texts)
    groups = groups_of([len(tokens) + 1 for tokens in encoded], tokens=TOKENS_PER_BATCH)
    return {
        "vocabulary": len(tokenizer.target),
        "sentence": round(mean(len(shortlist.of([tokens])[0]) for tokens in encoded)),
        "group": round(mean(len(shortlist.of([encoded[place] for place in group])[0]) for group in groups)),
    }


def untaught(vocabulary: int, count: int, beam: int) -> dict[str, Callable[[], object]]:
    """Searching with all tokens, and with so many."""
    torch.manual_seed(0)
    size = replace(MIDDLING, vocabulary=vocabulary)
    model, read = ours(size).eval(), sources(size, count)
    silence_the_end(model.source_embedding)
    shortlist = Shortlist(
        torch.arange(LISTED, dtype=torch.int32),
        torch.full((vocabulary, 1), -1, dtype=torch.int32),
        vocabulary,
    )
    return {
        "whole": lambda: search(model, read, settings(beam)),
        "listed": lambda: search(model, read, settings(beam), shortlist=shortlist),
    }


def main() -> None:
    """Translate with each, score, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pairs = read_pairs(options.data).pairs
    texts, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found: dict[str, dict[str, Any]] = {}
    bars: list[Bar] = []
    whole, short = Translator.load(options.run), Translator.load(options.run, shortlist=True)
    for beam in BEAMS:
        answers = [[one.text for one in each.translate(texts, beam=beam)] for each in (whole, short)]
        times = timed(
            {
                "whole": partial(whole.translate, texts, beam=beam),
                "listed": partial(short.translate, texts, beam=beam),
            },
            options.rounds,
            warming=0,
        )
        scores = [bleu(one, references).value for one in answers]
        found[f"beam {beam}"] = {
            "bleu": round(scores[0], 2),
            "bleu_listed": round(scores[1], 2),
            "otherwise": sum(one != other for one, other in zip(*answers, strict=True)),
            "time": round(ratio(times, "listed", "whole"), 3),
        }
        print(f"beam {beam}: {found[f'beam {beam}']}", flush=True)
        bars.append(
            Bar(what=f"beam {beam}: BLEU lost by a shortlist", found=scores[0] - scores[1], most=MOST)
        )
    milliseconds: dict[str, dict[str, list[float]]] = {}
    for vocabulary in VOCABULARIES:
        for count, beam in ((1, 5), (64, 1), (64, 5)):
            case = f"{LISTED:,} of {vocabulary:,} tokens, batch {count}, beam {beam}"
            times = timed(untaught(vocabulary, count, beam), options.rounds)
            milliseconds[case] = {
                name: spread([1e3 * took / count for took in one]) for name, one in times.items()
            } | {"time": [round(ratio(times, "listed", "whole"), 3)]}
            print(f"{case}, ms: {milliseconds[case]}", flush=True)
    line = about("shortlist", ("torch",)) | {
        "run": options.run.name,
        "data": options.data,
        "pairs": len(pairs),
        "threads": torch.get_num_threads(),
        "listed": listed(options.run, texts),
        "scores": found,
        "milliseconds_per_sentence": milliseconds,
    }
    conclude(line, bars, RESULTS, check=options.check)


if __name__ == "__main__":
    main()
