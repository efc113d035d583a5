"""How well do regard's translators do on real text?

    python -m benchmarks.results                                           what is planned, and what is scored
    python -m benchmarks.results multi30k-en-de runs/multi30k-en-de        score it, once; a line of JSON

The run must be that of the plan (``benchmarks/plan.py``), setting by setting, and must have ended. Its
best checkpoint on validation translates the test set with beam 5. A test set is scored once for each
recipe, whatever the seed: a second time is refused, so that nobody can choose by it.

Minutes are those of computing: the median step times the steps, and the median validation times the
validations, from the run's history, so that hours in which the machine did something else are left
out. The clock on the wall, which is not, stands beside.
"""

import argparse
import json
import random
import re
import statistics
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.plan import ASKED, PLAN, RECIPES, Asked, Planned, one_called
from regard import __version__
from regard.errors import RegardError
from regard.recipe import Recipe
from regard.runs import RunFolder, Translator, is_finished
from regard.runs.folder import CARD
from regard.runs.lessons import source_of
from regard.text import Corpus, ReadingSettings, read
from regard.translation import bleu, chrf

RESULTS = Path(__file__).parent / "results" / "results.jsonl"
BEAM, SAMPLES, WORST = 5, 20, 5
SAMPLED_BY = 20_171_206
"""The seed that chooses which translations are shown."""
CHOSEN = {
    "model": ("width", "layers", "dropout", "heads", "hidden_width", "normalised"),
    "training": (
        "steps",
        "schedule",
        "peak_learning_rate",
        "warmup_steps",
        "optimizer",
        "weight_decay",
        "dropout_steps",
        "tokens_per_batch",
        "moving_average",
        "validate_every",
    ),
}
"""Settings that a recipe may leave open and a run folder holds."""
FORMERLY = {
    "model.normalised": False,
    "training.schedule": "inverse-square-root",
    "training.optimizer": "adam",
    "training.weight_decay": 0.0,
    "training.dropout_steps": 0,
    "training.tokens_per_batch": 4096,
}
"""What settings that may be left open now were when they could not be chosen."""
TRAINED_ON = re.compile(r"^\| time \| .*? minutes on (.*) \|$", re.MULTILINE)

Line = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Sample:
    """A translation to be shown, by the line of its source; source and reference where they may be quoted."""

    line: int
    translation: str
    chrf: float
    source: str | None = None
    reference: str | None = None


def lines_in(path: Path) -> list[Line]:
    """Every line of a result file, the oldest first."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line.strip()]


def settings_of(recipe: Recipe) -> dict[str, Any]:
    """Every setting that is not left open by its name; files without their folders."""
    found: dict[str, Any] = {}
    for section in ("data", "tokenizer", "model", "training"):
        settings = getattr(recipe, section)
        for one in fields(settings):
            value = getattr(settings, one.name)
            if one.name in ("train", "validation"):
                value = tuple(Path(name).name for name in value)
            if value is not None:
                found[f"{section}.{one.name}"] = value
    return found


def identity(recipe: Recipe) -> str:
    """The same for two runs of one recipe, whatever their seed and wherever their files lie.

    Settings that have their default do not count, so that a setting added later changes nothing.
    """
    default = settings_of(Recipe())
    told = {name: value for name, value in settings_of(recipe).items() if default.get(name) != value}
    told.pop("training.seed", None)
    for name, before in FORMERLY.items():
        if told.get(name) == before:
            del told[name]
    return sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def check_planned(planned: Planned, run: Path, recipes: Path = RECIPES) -> None:
    """Refuse a run that did not end, or is not the one that was planned."""
    expected, found = settings_of(planned.settings(recipes)), settings_of(RunFolder(run).recipe())
    chosen = {f"{section}.{name}" for section, names in CHOSEN.items() for name in names}
    wrong = [
        f"{name} is {found.get(name)!r}, not {expected.get(name)!r}"
        for name in sorted(expected.keys() | found.keys() - chosen)
        if name != "training.seed" and found.get(name) != expected.get(name)
    ]
    if wrong:
        raise RegardError(
            f"{run} is not a run of {planned.name}: {'; '.join(wrong)}. Train it with: {planned.command()}"
        )
    if not is_finished(run):
        raise RegardError(
            f"{run} has not taken its last step yet, and a test set is scored once. Go on with: "
            f"regard train --into {run} --resume"
        )


def check_unscored(planned: Planned, recipe: Recipe, test: Corpus, results: Path = RESULTS) -> None:
    """Refuse to ask a second time."""
    for line in lines_in(results):
        if line["recipe_sha256"] == identity(recipe) and line["test"]["sha256"] == test.sha256:
            raise RegardError(
                f"{planned.name} was scored on {ASKED[planned.asked].title} on {line['date']} already: BLEU "
                f"{line['bleu']:.2f}. A test set is scored once for each recipe: change the recipe by what "
                "validation says, and score that."
            )


def read_test(asked: Asked, recipe: Recipe, recipes: Path = RECIPES) -> Corpus:
    """All pairs of a test set, none dropped, in the direction of the recipe."""
    first, second = recipe.data.columns
    names = tuple(str(recipes / name) for name in asked.files)
    return read(source_of(names), ReadingSettings(longest=None, ratio=None, columns=(first, second)))


def effort(folder: RunFolder) -> Line:
    """How long training took, how fast it was, and how well it did on validation."""
    history = [*folder.read_history()]
    steps = [line for line in history if line["kind"] == "step" and not line["skipped"]]
    validations = [line for line in history if line["kind"] == "validation"]
    best, last = folder.checkpoint("best"), folder.checkpoint("last")
    seconds = statistics.median(line["seconds"] for line in steps) * last.step
    seconds += statistics.median(line["seconds"] for line in validations) * len(validations)
    at_best = next((line for line in validations if line["step"] == best.step), None)
    if at_best is None:
        raise RegardError(f"{folder.history} does not tell of the validation at step {best.step}, the best.")
    return {
        "steps": last.step,
        "best_step": best.step,
        "minutes": seconds / 60,
        "wall_clock_minutes": last.progress["seconds"] / 60,
        "tokens_per_second": statistics.median(line["tokens"] / line["seconds"] for line in steps),
        "validation": {name: at_best[name] for name in ("bleu", "chrf", "loss")},
    }


def trained_on(folder: RunFolder) -> str:
    """The machine that the run's own card names."""
    card = folder.path / CARD
    found = TRAINED_ON.search(card.read_text(encoding="utf-8") if card.exists() else "")
    if found is None:
        raise RegardError(f"{card} does not say on which machine the run was trained.")
    return found[1]


def samples(asked: Asked, test: Corpus, texts: Sequence[str]) -> dict[str, list[Line]]:
    """Some translations chosen by lot, and the worst by their own chrF."""
    own = [chrf([text], [pair.target]).value for text, pair in zip(texts, test.pairs, strict=True)]

    def shown(place: int) -> Line:
        pair = test.pairs[place]
        sample = Sample(
            line=place + 1,
            translation=texts[place],
            chrf=round(own[place], 1),
            source=pair.source if asked.quoted else None,
            reference=pair.target if asked.quoted else None,
        )
        return asdict(sample)

    places = range(len(texts))
    drawn = sorted(random.Random(SAMPLED_BY).sample(places, min(SAMPLES, len(texts))))
    worst = sorted(places, key=lambda place: (own[place], place))[:WORST]
    return {"samples": [*map(shown, drawn)], "worst": [*map(shown, worst)]}


def score(
    planned: Planned, run: Path, *, recipes: Path = RECIPES, results: Path = RESULTS, note: str = ""
) -> Line:
    """Translate the test set once and keep what came of it."""
    asked, folder = ASKED[planned.asked], RunFolder(run)
    check_planned(planned, run, recipes)
    recipe = folder.recipe()
    test = read_test(asked, recipe, recipes)
    check_unscored(planned, recipe, test, results)
    told = effort(folder)
    machine = trained_on(folder)
    translator = Translator.load(run)
    began = time.perf_counter()
    found = translator.translate([pair.source for pair in test.pairs], beam=BEAM)
    seconds = time.perf_counter() - began
    texts, references = [one.text for one in found], [pair.target for pair in test.pairs]
    in_bleu, in_chrf = bleu(texts, references, tokenization=asked.tokenization), chrf(texts, references)
    seed = recipe.training.seed
    line: Line = {
        "benchmark": "results",
        "date": time.strftime("%Y-%m-%d"),
        "name": planned.name,
        "recipe": f"recipes/{planned.recipe}",
        "changes": list(planned.changes),
        "recipe_sha256": identity(recipe),
        "command": planned.command(seed=None if seed == planned.settings(recipes).training.seed else seed),
        "scored_by": f"python -m benchmarks.results {planned.name} runs/{planned.name}",
        "seed": seed,
        "machine": machine,
        "regard": __version__,
        "note": note,
        "parameters": sum(one.numel() for one in translator.model.parameters()),
        "learned_from_sha256": folder.checkpoint("best").progress["data"],
        **told,
        "test": {
            "name": planned.asked,
            "files": [*asked.files],
            "pairs": len(test.pairs),
            "sha256": test.sha256,
        },
        "beam": BEAM,
        "seconds": seconds,
        "cut": sum(one.cut for one in found),
        "bleu": in_bleu.value,
        "bleu_signature": in_bleu.signature,
        "chrf": in_chrf.value,
        "chrf_signature": in_chrf.signature,
        "published": planned.published,
        **samples(asked, test, texts),
    }
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return line


def newest(name: str, results: Path | None = None) -> Line | None:
    """The last line of a translator of the plan."""
    return next((line for line in reversed(lines_in(results or RESULTS)) if line["name"] == name), None)


def main(words: Sequence[str] | None = None) -> None:
    """Score a run, or say what is planned."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("name", nargs="?", help="of the plan")
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("--note", default="", help="what a reader should know of the run, in a sentence")
    options = parser.parse_args(words)
    if options.name is None:
        for planned in PLAN:
            line = newest(planned.name)
            state = "not measured yet" if line is None else f"BLEU {line['bleu']:.2f}"
            print(f"{state:<18}{planned.command()}")
        return
    if options.run is None:
        parser.error("name the folder of the run, too.")
    try:
        line = score(one_called(options.name), options.run, note=options.note)
    except RegardError as error:
        raise SystemExit(f"Error: {error}") from error
    print(f"BLEU {line['bleu']:.2f} ({line['bleu_signature']})")
    print(f"chrF {line['chrf']:.2f} ({line['chrf_signature']})")
    print(f"{line['minutes']:.0f} minutes of computing; validation BLEU {line['validation']['bleu']}")


if __name__ == "__main__":
    main()
