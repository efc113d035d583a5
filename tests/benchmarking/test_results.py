"""A test set is scored once, for the run that was planned, and the line says all about it."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import draw_results, results
from benchmarks.plan import ASKED, PLAN, Asked, Planned
from building import readme

from regard import runs
from regard.errors import RegardError
from regard.recipe import Recipe
from regard.runs import RunFolder, Translator
from regard.translation import bleu, chrf
from tests.benchmarking.made_up import a_sentence, write

RECIPE = """
[data]
train = "tiny/train.tsv"
validation = "tiny/validation.tsv"
columns = [2, 1]

[model]
width = 8
layers = 1
heads = 2
hidden_width = 8

[training]
steps = 6
tokens_per_batch = 128
validate_every = 3
validation_pairs = 5
"""
TINY = Planned(
    name="tiny-none",
    title="Transformer, no positions",
    recipe="tiny.toml",
    asked="tiny",
    changes=("model.positions=none", "training.steps=4"),
    at_least=0.0,
    published=("Somebody 1999", 12.5),
)
TEST = Asked(
    title="Tiny", files=("tiny/test.tsv",), tokenization="none", told="Made up.", quoted="the tests of regard"
)


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recipes")
    (folder / "tiny.toml").write_text(RECIPE)
    for name, first, pairs in (("train", 0, 60), ("validation", 60, 7), ("test", 67, 31)):
        rows = [f"{a_sentence(one)}\t{a_sentence(one + 1)}" for one in range(first, first + pairs)]
        rows += ["n\t" + "x " * 30 + "n"] if name == "test" else []  # as unequal as no training pair
        write(folder / "tiny" / f"{name}.tsv", rows)
    return folder


@pytest.fixture(scope="module")
def run(recipes: Path) -> Path:
    into = recipes.parent / f"{recipes.name}-runs" / "tiny-none"
    assert len(list(runs.train(TINY.settings(recipes), into=into))) == 4
    return into


@pytest.fixture(autouse=True)
def _planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ASKED, "tiny", TEST)


def refusal(planned: Planned, run: Path, recipes: Path, into: Path) -> str:
    with pytest.raises(RegardError) as caught:
        results.score(planned, run, recipes=recipes, results=into)
    return str(caught.value)


def test_a_line_says_all_about_a_score(recipes: Path, run: Path, tmp_path: Path) -> None:
    line = results.score(TINY, run, recipes=recipes, results=tmp_path / "results.jsonl", note="At night")
    assert results.lines_in(tmp_path / "results.jsonl") == [json.loads(json.dumps(line))]
    assert line["command"] == (
        "regard train recipes/tiny.toml --set model.positions=none --set training.steps=4 "
        "--into runs/tiny-none"
    )
    assert line["scored_by"] == "python -m benchmarks.results tiny-none runs/tiny-none"
    assert (line["recipe"], line["changes"], line["seed"]) == ("recipes/tiny.toml", [*TINY.changes], 1)
    assert line["test"]["pairs"] == 32, "the rule of lengths is for training pairs"
    assert (line["steps"], line["beam"], line["note"]) == (4, 5, "At night")
    assert ", Python " in line["machine"]

    translator = Translator.load(run)
    rows = [row.split("\t") for row in (recipes / "tiny" / "test.tsv").read_text().split("\n")[:-1]]
    sources, references = [row[1] for row in rows], [row[0] for row in rows]
    texts = [one.text for one in translator.translate(sources, beam=5)]
    expected = bleu(texts, references, tokenization="none")
    assert (line["bleu"], line["bleu_signature"]) == (expected.value, expected.signature)
    assert "tok:none" in line["bleu_signature"]
    assert line["chrf"] == chrf(texts, references).value
    assert line["parameters"] == sum(one.numel() for one in translator.model.parameters())
    assert line["learned_from_sha256"] == RunFolder(run).checkpoint("best").progress["data"]
    history = [one for one in RunFolder(run).read_history() if one["kind"] == "validation"]
    assert line["validation"]["bleu"] in [one["bleu"] for one in history if one["is_best"]]


def test_samples_are_drawn_alike_each_time_and_the_worst_stand_beside_them(
    recipes: Path, run: Path, tmp_path: Path
) -> None:
    line = results.score(TINY, run, recipes=recipes, results=tmp_path / "results.jsonl")
    again = results.score(TINY, run, recipes=recipes, results=tmp_path / "again.jsonl")
    assert (line["samples"], line["worst"]) == (again["samples"], again["worst"])
    assert len({one["line"] for one in line["samples"]}) == 20
    assert len(line["worst"]) == 5
    worst = [one["chrf"] for one in line["worst"]]
    assert worst == sorted(worst)
    assert worst[-1] <= min(
        one["chrf"] for one in line["samples"] if one["line"] not in {bad["line"] for bad in line["worst"]}
    )
    rows = (recipes / "tiny" / "test.tsv").read_text().split("\n")
    assert all(rows[one["line"] - 1] == f"{one['reference']}\t{one['source']}" for one in line["samples"])


def test_sentences_that_may_not_be_quoted_are_not(
    recipes: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ASKED, "tiny", replace(TEST, quoted=""))
    line = results.score(TINY, run, recipes=recipes, results=tmp_path / "results.jsonl")
    for one in (*line["samples"], *line["worst"]):
        assert one["source"] is one["reference"] is None
        assert one["translation"] is not None
    kept = (tmp_path / "results.jsonl").read_text()
    assert not [number for number in range(67, 99) if a_sentence(number) in kept]


def test_a_test_set_is_scored_once_for_a_recipe_whatever_its_seed(
    recipes: Path, run: Path, tmp_path: Path
) -> None:
    kept = tmp_path / "results.jsonl"
    line = results.score(TINY, run, recipes=recipes, results=kept)
    assert refusal(TINY, run, recipes, kept) == (
        f"tiny-none was scored on Tiny on {line['date']} already: BLEU {line['bleu']:.2f}. A test set is "
        "scored once for each recipe: change the recipe by what validation says, and score that."
    )
    assert len(results.lines_in(kept)) == 1
    other = run.parent / "seven"
    list(runs.train(TINY.settings(recipes).changed(["training.seed=7"]), into=other))
    assert "already: BLEU" in refusal(TINY, other, recipes, kept)
    line = results.score(TINY, other, recipes=recipes, results=tmp_path / "other.jsonl")
    assert line["seed"] == 7
    assert " --seed 7 --into runs/tiny-none" in line["command"]


def test_recipes_are_told_apart_by_their_settings_not_by_where_their_files_lie(tmp_path: Path) -> None:
    recipe = Recipe.parse(RECIPE)
    same = recipe.beside(tmp_path).changed(
        ["training.seed=9", "training.label_smoothing=0.1"]
        + [
            f"{name}={json.dumps(value)}"
            for name, value in results.FORMERLY.items()
            if name not in recipe.written
        ]
    )
    assert results.identity(same) == results.identity(recipe)
    for change in (
        "model.positions=none",
        "training.steps=7",
        "training.optimizer=muon",
        "training.schedule=cosine",
        "training.weight_decay=0.4",
        "training.dropout_steps=3",
        "data.train=tiny/other.tsv",
    ):
        assert results.identity(recipe.changed([change])) != results.identity(recipe)


def test_a_run_that_is_not_the_planned_one_is_refused(recipes: Path, run: Path, tmp_path: Path) -> None:
    other = replace(TINY, changes=("model.positions=rotary", "training.steps=5"))
    assert refusal(other, run, recipes, tmp_path / "x.jsonl") == (
        f"{run} is not a run of tiny-none: model.positions is 'none', not 'rotary'; training.steps is 4, "
        "not 5. Train it with: regard train recipes/tiny.toml --set model.positions=rotary "
        "--set training.steps=5 --into runs/tiny-none"
    )
    assert not (tmp_path / "x.jsonl").exists()


def test_a_setting_that_nothing_chooses_from_data_is_not_passed_over(
    recipes: Path, run: Path, tmp_path: Path
) -> None:
    into = run.parent / "shared-keys"
    list(runs.train(TINY.settings(recipes).changed(["model.key_heads=1"]), into=into))
    assert "model.key_heads is 1, not None" in refusal(TINY, into, recipes, tmp_path / "x.jsonl")


def test_a_run_under_way_is_refused(recipes: Path, run: Path, tmp_path: Path) -> None:
    into = run.parent / "under-way"
    for progress in runs.train(TINY.settings(recipes), into=into):
        if progress.validation is not None:
            break
    assert refusal(TINY, into, recipes, tmp_path / "x.jsonl") == (
        f"{into} has not taken its last step yet, and a test set is scored once. Go on with: "
        f"regard train --into {into} --resume"
    )


def test_minutes_leave_out_what_stood_still(recipes: Path, run: Path) -> None:
    folder = RunFolder(run)
    before = folder.history.read_bytes()
    history = [*folder.read_history()]
    steps = [one for one in history if one["kind"] == "step"]
    validations = [one for one in history if one["kind"] == "validation"]
    assert [one["step"] for one in validations] == [3, 4]
    long = [{**steps[0], "seconds": seconds, "tokens": 100} for seconds in (2.0, 2.0, 6_000.0)]
    judged = [{**one, "seconds": 30.0} for one in validations]
    folder.history.write_text("".join(json.dumps(one) + "\n" for one in (*long, *judged)))
    try:
        told = results.effort(folder)
    finally:
        folder.history.write_bytes(before)
    assert told["minutes"] == (4 * 2.0 + 2 * 30.0) / 60
    assert told["tokens_per_second"] == 50.0
    assert 0 < told["wall_clock_minutes"] < 60


def test_the_page_and_the_readme_are_drawn_from_the_lines(
    recipes: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "results.jsonl"
    line = results.score(TINY, run, recipes=recipes, results=kept, note="at night.")
    older = {**line, "recipe_sha256": "0" * 64, "bleu": 1.25, "date": "1999-01-01"}
    kept.write_text("".join(json.dumps(one) + "\n" for one in (older, line)))
    monkeypatch.setattr(results, "RESULTS", kept)
    other = replace(TINY, name="tiny-other", title="Transformer, other", at_least=99.0, published=None)
    monkeypatch.setattr(draw_results, "PLAN", (TINY, other))
    monkeypatch.setattr(draw_results, "ASKED", {"tiny": TEST})
    page = draw_results.text()
    assert "Of the 2 translators planned (`benchmarks/plan.py`), 1 is measured so far." in page
    row = next(one for one in page.split("\n") if one.startswith("| Transformer, no positions |"))
    assert row.startswith(f"| Transformer, no positions | **{line['bleu']:.2f}** | {line['chrf']:.2f} | ")
    assert f" | {line['parameters']:,} | " in row
    assert "| Transformer, other | not measured yet |" in page
    assert "Published for the same pairs, scored alike: 12.50 (Somebody 1999)." in page
    assert "Transformer, no positions: at least 0.0; holds." in page
    assert "Transformer, other: at least 99.0; not measured yet." in page
    assert "Asked before, with other settings: tiny-none, BLEU 1.25 on 1999-01-01" in page
    assert line["bleu_signature"] in page
    assert line["chrf_signature"] in page
    assert line["machine"] in page
    assert " At night." in page or " at night." in page
    assert f"      {line['command']}\n      {line['scored_by']}\n" in page
    assert page.count("| source | translation | reference | chrF |") == 2
    assert "Sentences quoted from the tests of regard." in page

    row_of = readme.ROWS[-1]
    monkeypatch.setattr(readme, "RESULTS", tmp_path)
    assert readme.lines(row_of) == []
    assert readme.drawn(row_of, None, "zh").endswith("| 尚未测量 | | |")
    kept.write_text(json.dumps({**line, "name": "multi30k-en-de"}) + "\n")
    (found,) = readme.lines(row_of)
    assert readme.drawn(row_of, found, "en") == (
        f"| a translator trained on real text, Multi30k en→de: BLEU | {line['bleu']:.2f} | "
        f"Somebody 1999: 12.50 | `benchmarks/results.py`, {line['date']} |"
    )


def test_markup_in_a_translation_is_shown_as_it_stands(recipes: Path, run: Path, tmp_path: Path) -> None:
    line = results.score(TINY, run, recipes=recipes, results=tmp_path / "results.jsonl")
    line["samples"][0] |= {"translation": "a | *b* <c> `d`"}
    assert "| a \\| \\*b\\* \\<c\\> \\`d\\` |" in "\n".join(draw_results.samples(TEST, line))


def test_what_is_planned_is_told_with_its_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(results, "RESULTS", tmp_path / "results.jsonl")
    results.main([])
    told = capsys.readouterr().out.split("\n")[:-1]
    assert told == [f"not measured yet  {one.command()}" for one in PLAN]


def test_a_mistake_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        results.main(["multi30k-en-de", str(tmp_path / "none")])
    assert str(caught.value) == f"Error: {tmp_path / 'none'} is no run folder: recipe.toml is missing."
