"""What do numbers of eight bits cost in BLEU?

    regard demo --into runs/demo
    python -m benchmarks.quantization runs/demo embedded:en-fr:test     a line of JSON

The same run translates the same pairs in single precision and rounded (``quantization="int8"``), by
regard's own search and by CTranslate2's. A rounding changes some translations; BLEU says how much worse, or
better, they are held to the references. Speed is measured elsewhere, with a model as large as people train.
"""

import argparse
from pathlib import Path
from typing import Any

from benchmarks.measuring import Bar, about, conclude
from regard.runs import Translator
from regard.runs.engine import ENGINES
from regard.runs.lessons import read_pairs
from regard.translation import bleu

RESULTS = Path(__file__).parent / "results" / "quantization.jsonl"
BEAMS = (1, 5)
MOST = 0.2
"""BLEU that rounding may cost."""


def main() -> None:
    """Translate with each, score, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", type=Path)
    parser.add_argument("data", nargs="+")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    pairs = read_pairs(options.data).pairs
    sources, references = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    found: dict[str, dict[str, Any]] = {}
    bars: list[Bar] = []
    for engine in ENGINES:
        for beam in BEAMS:
            whole, rounded = (
                [
                    one.text
                    for one in Translator.load(
                        options.run, engine=engine, quantization=quantization
                    ).translate(sources, beam=beam)
                ]
                for quantization in (None, "int8")
            )
            scores = [bleu(texts, references).value for texts in (whole, rounded)]
            changed = sum(one != other for one, other in zip(whole, rounded, strict=True))
            case = f"{engine}, beam {beam}"
            found[case] = {
                "bleu": round(scores[0], 2),
                "bleu_int8": round(scores[1], 2),
                "otherwise": changed,
            }
            print(f"{case}: {found[case]}", flush=True)
            bars.append(Bar(what=f"{case}: BLEU lost by int8", found=scores[0] - scores[1], most=MOST))
    line = about("quantization", ("torch", "ctranslate2")) | {
        "run": options.run.name,
        "data": options.data,
        "pairs": len(pairs),
        "scores": found,
    }
    conclude(line, bars, RESULTS, check=options.check)


if __name__ == "__main__":
    main()
