"""How far are the links of attention heads from those drawn by hand?

    python -m benchmarks.alignment hansards runs/hansards-en-fr runs/hansards-fr-en

Two runs, one for each direction, as ``benchmarks/plan.py`` names them. Heads are chosen where their links
agree best with those of the other direction, on a part of the development pairs; the gold links choose
nothing. Then ``regard align`` draws the links of the gold pairs: by one head of each direction, by the
mean of several, and by both directions symmetrised. A line of JSON; a second time is refused.
"""

import argparse
import json
import shlex
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.plan import ALIGNED, RECIPES, Aligned, one_called
from benchmarks.results import check_planned, identity, lines_in
from regard import __version__
from regard.cli import main as regard
from regard.cli.pairing import Gold, gold_of, read_to_align
from regard.errors import RegardError
from regard.runs import RunFolder, Translator
from regard.translation import (
    Aligner,
    Links,
    aligners_by_agreement,
    alignment_error_rate,
    read_pharaoh,
    reverse,
    symmetrise,
)
from regard.translation.judging import MOST_HEADS, MOST_PAIRS

RESULTS = Path(__file__).parent / "results" / "alignment.jsonl"
JOIN = "grow-diag-final-and"
"""How both directions become one: the default of ``regard align``, fixed before any gold was seen."""

Line = dict[str, Any]


def error_rate(found: Sequence[Links], gold: Sequence[Gold]) -> float:
    """In hundredths, as the literature has it."""
    return 100 * alignment_error_rate(found, [sure for sure, _ in gold], [possible for _, possible in gold])


def diagonal(sources: int, targets: int) -> Links:
    """Each target word linked to the source word that its middle lies in, were both as long.

    >>> sorted(diagonal(2, 4))
    [(0, 0), (0, 1), (1, 2), (1, 3)]
    """
    return frozenset(((2 * place + 1) * sources // (2 * targets), place) for place in range(targets))


def drawn(run: Path, pairs: tuple[Path, Path], aligner: Aligner) -> list[Links]:
    """The links that ``regard align`` writes for the heads of an aligner."""
    with tempfile.TemporaryDirectory() as folder:
        links = Path(folder) / "links"
        named = [word for head in aligner.heads for word in ("--head", head.short)]
        words = ["align", str(run), *map(str, pairs), *named, "--save", str(links)]
        regard(words, standalone_mode=False)
        return [read_pharaoh(line)[0] for line in links.read_text(encoding="ascii").split("\n")[:-1]]


def command(aligned: Aligned, aligner: Aligner | None, most: int) -> str:
    """How a reader draws the same links: by named heads of the forward run, or of both by agreement."""
    words = ["regard", "align", f"runs/{aligned.forward}", *(f"recipes/{name}" for name in aligned.pairs)]
    if aligner is None:
        words += ["--reverse", f"runs/{aligned.backward}", "--choose-on", f"recipes/{aligned.chosen_on}"]
        words += ["--most", str(most)]
    else:
        words += [word for head in aligner.heads for word in ("--head", head.short)]
    return shlex.join([*words, "--gold", f"recipes/{aligned.gold}"])


def measured(aligned: Aligned, forward: Path, backward: Path, recipes: Path) -> list[Line]:
    """The error rate of each way to draw links."""
    source, target = (recipes / name for name in aligned.pairs)
    pairs = [*read_to_align((str(source), str(target)), skip_bad=False)]
    gold = gold_of(recipes / aligned.gold, pairs)
    assert gold is not None
    development = [*read_to_align((str(recipes / aligned.chosen_on),), skip_bad=False)]
    there, back = Translator.load(forward), Translator.load(backward)
    rows: list[Line] = []

    def tell(way: str, heads: str, links: Sequence[Links], how: str = "", chosen: str = "") -> None:
        rate = error_rate(links, gold)
        rows.append({"way": way, "heads": heads, "aer": rate, "command": how, "chosen_by": chosen})

    along = [diagonal(len(one.source_words), len(one.target_words)) for one in pairs if one is not None]
    tell("diagonal", "", along)
    for most in (1, MOST_HEADS):
        ours, theirs = aligners_by_agreement(there, back, development, most=most)
        links = drawn(forward, (source, target), ours)
        links_back = [reverse(one) for one in drawn(backward, (target, source), theirs)]
        many = "one head" if most == 1 else "several heads"
        mine, other = (" ".join(head.short for head in one.heads) for one in (ours, theirs))
        tell(f"forward, {many}", mine, links, command(aligned, ours, most), ours.reason)
        tell(f"backward, {many}", other, links_back, "", theirs.reason)
        joined = [symmetrise(one, two, JOIN) for one, two in zip(links, links_back, strict=True)]
        how = command(aligned, None, most)
        tell(f"both, {many}", f"{mine} and {other}", joined, how, ours.reason)
    return rows


def score(
    aligned: Aligned, forward: Path, backward: Path, *, recipes: Path = RECIPES, results: Path = RESULTS
) -> Line:
    """Align the gold pairs once and keep what came of it."""
    check_planned(one_called(aligned.forward), forward, recipes)
    check_planned(one_called(aligned.backward), backward, recipes)
    known = [identity(RunFolder(run).recipe()) for run in (forward, backward)]
    gold = sha256((recipes / aligned.gold).read_bytes()).hexdigest()
    for line in lines_in(results):
        if line["recipes_sha256"] == known and line["gold_sha256"] == gold:
            raise RegardError(
                f"{aligned.name} was compared with {aligned.gold} on {line['date']} already. Gold is looked "
                "at once for each pair of recipes: change them by what the development pairs say."
            )
    line = {
        "benchmark": "alignment",
        "date": time.strftime("%Y-%m-%d"),
        "name": aligned.name,
        "forward": aligned.forward,
        "backward": aligned.backward,
        "recipes_sha256": known,
        "gold_sha256": gold,
        "chosen_on": aligned.chosen_on,
        "most_pairs": MOST_PAIRS,
        "joined_by": JOIN,
        "regard": __version__,
        "rows": measured(aligned, forward, backward, recipes),
    }
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return line


def main(words: Sequence[str] | None = None) -> None:
    """Align, compare, and print the error rates."""
    plan = {one.name: one for one in ALIGNED}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", choices=plan)
    parser.add_argument("forward", type=Path, help="the run from source to target")
    parser.add_argument("backward", type=Path, help="the run the other way")
    options = parser.parse_args(words)
    try:
        line = score(plan[options.name], options.forward, options.backward)
    except RegardError as error:
        raise SystemExit(f"Error: {error}") from error
    for row in line["rows"]:
        print(f"{row['aer']:5.1f}  {row['way']:<24}{row['heads']}")


if __name__ == "__main__":
    main()
