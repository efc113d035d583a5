"""Draw docs/results.md: every translator of the plan, with its line of results or that there is none.

python -m benchmarks.draw
"""

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks import alignment, results, tatoeba
from benchmarks.plan import ALIGNED, ASKED, PLAN, Aligned, Asked, Planned

DOCUMENT = Path(__file__).parents[1] / "docs" / "results.md"
MISSING = "not measured yet"
MARKUP = re.compile(r"([\\`*_{}\[\]<>|$#~&])")

Line = dict[str, Any]


def plain(text: str) -> str:
    """Text as it stands on one line, whatever it means in Markdown.

    >>> plain("a | b *c*")
    'a \\\\| b \\\\*c\\\\*'
    """
    return MARKUP.sub(r"\\\1", " ".join(text.splitlines()))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in Markdown."""
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)] + [""]


def by_names(lines: Sequence[Line]) -> dict[str, Line]:
    """The newest line of each name."""
    return {line["name"]: line for line in lines}


def aligned_by(line: Line, alignments: Sequence[Line]) -> str:
    """The error rate of the best head of a translator, where there is gold."""
    for found in reversed(alignments):
        if line["recipe_sha256"] in found["recipes_sha256"]:
            side = ("forward", "backward")[found["recipes_sha256"].index(line["recipe_sha256"])]
            return next(f"{row['aer']:.1f}" for row in found["rows"] if row["way"] == f"{side}, one head")
    return "–"


def scores(planned: Sequence[Planned], lines: dict[str, Line], alignments: Sequence[Line]) -> list[str]:
    """A row for each translator that is asked the same pairs."""
    has_gold = {name for one in ALIGNED for name in (one.forward, one.backward)}
    shows_gold = any(one.name in has_gold for one in planned)
    head = ["", "BLEU", "chrF", *(["AER"] if shows_gold else [])]
    head += ["steps", "parameters", "minutes", "tokens/s", "BLEU on validation"]
    rows = []
    for one in planned:
        line = lines.get(one.name)
        if line is None:
            rows.append([one.title, MISSING, *[""] * (len(head) - 2)])
            continue
        validation = line["validation"]["bleu"]
        rows.append(
            [
                one.title,
                f"**{line['bleu']:.2f}**",
                f"{line['chrf']:.2f}",
                *([aligned_by(line, alignments)] if shows_gold else []),
                f"{line['steps']:,}",
                f"{line['parameters']:,}",
                f"{line['minutes']:.0f}",
                f"{line['tokens_per_second']:,.0f}",
                "–" if validation is None else f"{validation:.2f}",
            ]
        )
    return table(head, rows)


def bars(planned: Sequence[Planned], lines: dict[str, Line]) -> Iterator[str]:
    """What each was held to, and what others have published."""
    for one in planned:
        if one.published is not None:
            yield f"Published for the same pairs, scored alike: {one.published[1]:.2f} ({one.published[0]})."
        if one.at_least is not None:
            wish = "" if one.hoped is None else f", hoped for {one.hoped:.1f}"
            line = lines.get(one.name)
            state = MISSING if line is None else "holds" if line["bleu"] >= one.at_least else "**fails**"
            yield f"{one.title}: at least {one.at_least:.1f}{wish}; {state}."


def details(one: Planned, line: Line | None) -> list[str]:
    """How a row came about, for one who wants to do it again."""
    if line is None:
        scoring = f"python -m benchmarks.results {one.name} runs/{one.name}"
        said = f"- {one.title}: {MISSING}. To measure it:"
        return [said, "", f"      {one.command()}", f"      {scoring}", ""]
    pairs = f"{line['test']['pairs']:,} pairs (sha256 `{line['test']['sha256'][:16]}…`)"
    note = f" {line['note'].rstrip('.')}." if line["note"] else ""
    return [
        f"- {one.title}: seed {line['seed']}, best at step {line['best_step']:,} of {line['steps']:,}, "
        f"{line['minutes']:.0f} minutes of computing ({line['wall_clock_minutes']:.0f} by the clock) on "
        f"{line['machine']}; asked {line['date']}, {pairs}, beam {line['beam']}. "
        f"BLEU `{line['bleu_signature']}`, chrF `{line['chrf_signature']}`.{note}",
        "",
        f"      {line['command']}",
        f"      {line['scored_by']}",
        "",
    ]


def samples(asked: Asked, line: Line) -> list[str]:
    """Translations chosen by lot, and the worst."""
    said: list[str] = []
    for title, key in (("Chosen by lot", "samples"), ("The worst by their own chrF", "worst")):
        said += [f"{title}:", ""]
        if asked.quoted:
            head = ["source", "translation", "reference", "chrF"]
            rows = [[one["source"], one["translation"], one["reference"]] for one in line[key]]
        else:
            head = ["line of the test set", "translation", "chrF"]
            rows = [[str(one["line"]), one["translation"]] for one in line[key]]
        marks = [f"{one['chrf']:.0f}" for one in line[key]]
        cells = [[*map(plain, row), mark] for row, mark in zip(rows, marks, strict=True)]
        said += table(head, cells)
    return said + ([f"Sentences quoted from {asked.quoted}.", ""] if asked.quoted else [])


def earlier(name: str, lines: Sequence[Line], shown: dict[str, Line]) -> Iterator[str]:
    """Lines that newer ones of the same name have taken the place of: nothing asked is hidden."""
    for line in lines:
        if line["test"]["name"] == name and shown.get(line["name"]) is not line:
            yield (
                f"Asked before, with other settings: {line['name']}, BLEU {line['bleu']:.2f} on "
                f"{line['date']} (`{line['command']}`, settings `{line['recipe_sha256'][:16]}…`)."
            )


def test_set(name: str, lines: Sequence[Line], alignments: Sequence[Line]) -> list[str]:
    """All that is told of one test set."""
    asked, planned, shown = ASKED[name], [one for one in PLAN if one.asked == name], by_names(lines)
    said = [f"## {asked.title}", "", asked.told, "", *scores(planned, shown, alignments)]
    for paragraph in (*bars(planned, shown), *earlier(name, lines, shown)):
        said += [paragraph, ""]
    for one in planned:
        said += details(one, shown.get(one.name))
    if planned[0].name in shown:
        said += [f"### {asked.title}: translations", "", *samples(asked, shown[planned[0].name])]
    return said


def links(aligned: Aligned, line: Line | None) -> list[str]:
    """Error rates of one pair of translators."""
    if line is None:
        runs = f"runs/{aligned.forward} runs/{aligned.backward}"
        return [
            f"With {aligned.title}: {MISSING}. To measure it, train both as told above, then:",
            "",
            f"    python -m benchmarks.alignment {aligned.name} {runs}",
            "",
        ]
    said = [
        f"With {aligned.title}, {line['date']}; heads chosen on at most {line['most_pairs']:,} pairs of "
        f"`{line['chosen_on']}` by agreement of both directions, which are joined by {line['joined_by']}:",
        "",
        *table(
            ["links", "AER", "heads"],
            [[row["way"], f"{row['aer']:.1f}", row["heads"]] for row in line["rows"]],
        ),
    ]
    return said + [f"    {row['command']}" for row in line["rows"] if row["command"]] + [""]


def parts(lines: Sequence[Line]) -> list[str]:
    """How Tatoeba was parted, with the hashes that say whether another did it alike."""
    said = [
        "## How Tatoeba was parted",
        "",
        "By the hash of the English sentence, its capitals, spaces and marks left aside, so that no "
        "sentence that is asked was learned; of validation and test only the first translation of a "
        "sentence is kept, and none that is also the translation of a training sentence. No-break and thin "
        "spaces become plain spaces. The rule is `benchmarks/tatoeba.py`; these are the files it writes:",
        "",
    ]
    for line in {line["languages"]: line for line in lines}.values():
        rows = [
            [f"`{one['file']}`", f"{one['pairs']:,}", f"{one['sentences']:,}", f"`{one['sha256']}`"]
            for one in line["parts"].values()
        ]
        left_out = "; ".join(f"{number:,}: {why}" for why, number in line["left_out"].items())
        spaces = ", ".join(f"{number:,} {letter}" for letter, number in line["spaces"].items()) or "none"
        said += [
            f"{line['languages']}, from `{line['file']}` with {line['lines']:,} lines (unpacked, sha256 "
            f"`{line['sha256']}`). Left out: {left_out}. Spaces made plain: {spaces}.",
            "",
            *table(["file", "pairs", "English sentences", "sha256"], rows),
        ]
    return said


def text() -> str:
    """The whole page."""
    lines, alignments = results.lines_in(results.RESULTS), results.lines_in(alignment.RESULTS)
    measured = sum(one.name in by_names(lines) for one in PLAN)
    state = f"{measured} {'is' if measured == 1 else 'are'} measured so far"
    if measured == len(PLAN):
        state = "all are measured"
    said = [
        "# Results on real text",
        "",
        "Drawn by `benchmarks/draw.py` from `benchmarks/results/`; do not edit.",
        "",
        f"Of the {len(PLAN)} translators planned (`benchmarks/plan.py`), {state}. Each is chosen on "
        "validation and asked its test set once, with beam 5; a second time is refused by "
        "`benchmarks/results.py`. One seed each, nothing averaged over runs. *Minutes* are those of "
        "computing, validations included, by the median step of the run's history; *tokens/s* are target "
        "tokens learned a second; BLEU on validation is of greedy translations, cut by 13a (zh for "
        "Chinese), and not to be compared with the test's. *AER* is the alignment error rate of the best "
        "head, where links drawn by hand are at hand.",
        "",
        "The corpora are not part of regard: each recipe says where to put them.",
        "",
    ]
    for name in ASKED:
        said += test_set(name, lines, alignments)
    said += [
        "## Attention as alignment",
        "",
        "Links drawn by attention on the 37 trial sentences of the Hansards, compared with those drawn by "
        "hand: alignment error rate in hundredths, less is better. The gold chooses nothing. Rows of several "
        "heads were drawn when agreement alone added them; `regard align` now adds a head only where links "
        "tell no less by it.",
        "",
    ]
    shown = by_names(alignments)
    for aligned in ALIGNED:
        said += links(aligned, shown.get(aligned.name))
    said += parts(results.lines_in(tatoeba.RESULTS))
    return "\n".join(said).rstrip() + "\n"


def main() -> None:
    """Write the page."""
    DOCUMENT.write_text(text(), encoding="utf-8")
