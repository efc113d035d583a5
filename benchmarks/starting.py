"""How long until a translator has translated its first sentence, beside what importing torch alone takes?

    python -m benchmarks.starting            a minute or two, a line of JSON
    python -m benchmarks.starting --check    fewer turns, and fail above a bar

Each turn is a process of its own, from its start to its end: one that imports torch and no more, ``regard
translate`` with a run of the demo's size, and what others must import before they begin. A run learns
one step for it; what it translates to does not matter. `make bench-peers` makes the environment that has
the others; one that is absent is said to be.
"""

import argparse
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

from benchmarks.measuring import ROOT, Bar, about, conclude, installed, ratio, spread, timed
from regard import runs
from regard.runs.demo import SENTENCES, demo_recipe

RESULTS = Path(__file__).parent / "results" / "starting.jsonl"
PACKAGES = ("torch", "transformers", "ctranslate2", "joeynmt")
ALONE, FIRST = "import torch", "regard translate, to its first sentence"
OTHERS = {
    "transformers": "from transformers import MarianMTModel",
    "ctranslate2": "import ctranslate2",
    "joeynmt": "import joeynmt.prediction",
}
MOST = 1.3
"""The time of the first translation, as a multiple of importing torch."""


def small_run(into: Path) -> Path:
    """A run of the demo's size that has hardly learned."""
    recipe = demo_recipe("en-fr", "transformer").changed(
        ["training.steps=1", "training.validate_every=1", "training.validation_pairs=1"]
    )
    for _ in runs.train(runs.prepare(recipe, device="cpu"), into=into / "run"):
        pass
    return into / "run"


def main() -> None:
    """Start each in turn, judge, and append one line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--rounds", type=int, help="9 unless said, to check 5")
    options = parser.parse_args()
    absent = [package for package in OTHERS if installed(package) is None]
    with tempfile.TemporaryDirectory(prefix="regard-") as folder:
        translate = ["-m", "regard", "translate", str(small_run(Path(folder))), SENTENCES["en-fr"]]
        programs = {ALONE: ["-c", ALONE], FIRST: translate}
        if not options.check:
            programs |= {given: ["-c", given] for package, given in OTHERS.items() if package not in absent}
        starts = {
            name: partial(subprocess.run, [sys.executable, *words], cwd=ROOT, check=True, capture_output=True)
            for name, words in programs.items()
        }
        times = timed(starts, options.rounds or (5 if options.check else 9))
    found = {name: spread(took) for name, took in times.items()}
    print(f"seconds: {found}", flush=True)
    bars = [Bar(what=f"{FIRST} / {ALONE}", found=ratio(times, FIRST, ALONE), most=MOST)]
    line = about("starting", PACKAGES) | {"absent": absent, "seconds": found}
    conclude(line, bars, RESULTS, check=options.check)


if __name__ == "__main__":
    main()
