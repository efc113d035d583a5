import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from regard import runs
from regard.errors import RecipeError, RunError
from regard.recipe import DataSettings, ModelSettings, Recipe, TokenizerSettings, TrainingSettings
from regard.runs.choosing import complete, complete_batches
from regard.runs.faults.damaging import vouch
from regard.runs.lessons import read_data
from regard.runs.pacing import KERNELS
from regard.training import checkpoints_in

STEPS = 12


def pairs_file(folder: Path, count: int = 60) -> Path:
    """Pairs whose target is the source backwards."""
    words = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"]
    lines = []
    for number in range(count):
        chosen = [words[(number * step + step) % len(words)] for step in (1, 3, 5)] + [f"n{number}"]
        lines.append(" ".join(chosen) + "\t" + " ".join(reversed(chosen)))
    path = folder / "pairs.tsv"
    path.write_text("\n".join(lines) + "\n")
    return path


def a_recipe(folder: Path, **training: float) -> Recipe:
    return Recipe(
        data=DataSettings(train=(str(pairs_file(folder)),)),
        model=ModelSettings(width=8, layers=1, heads=2, hidden_width=8, dropout=0.3),
        training=TrainingSettings(
            **{"steps": STEPS, "tokens_per_batch": 128, "validate_every": 4, "validation_pairs": 4} | training
        ),
    )


def digest(run: Path) -> str:
    """Of the last checkpoint's tensors."""
    last = checkpoints_in(run / "checkpoints")[-1]
    files = (last.folder / "parameters.safetensors", last.folder / "optimizer.safetensors")
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def test_a_run_folder_is_all_there_is(tmp_path: Path) -> None:
    steps = list(runs.train(a_recipe(tmp_path), into=tmp_path / "run"))
    assert [one.step for one in steps] == list(range(1, STEPS + 1))
    assert [one.step for one in steps if one.validation is not None] == [4, 8, 12]
    run = tmp_path / "run"
    assert {one.name for one in run.iterdir()} == {
        "README.md",
        "checkpoints",
        "history.jsonl",
        "looks",
        "progress.svg",
        "recipe.toml",
        "tokenizer.json",
        "validation.tsv",
    }
    assert sorted(one.name for one in (run / "looks").iterdir()) == [f"{step:08d}.npz" for step in (4, 8, 12)]
    history = [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    assert [line["step"] for line in history if line["kind"] == "validation"] == [4, 8, 12]
    assert "sha256" in (run / "README.md").read_text()
    assert "The signature of BLEU is `nrefs:1|case:mixed|" in (run / "README.md").read_text()
    translator = runs.Translator.load(run)
    assert len(translator.translate(["alpha beta", ""])) == 2


@pytest.mark.parametrize(("said", "expected"), [(None, "64"), ("7", "7")])
def test_training_keeps_few_kernels_unless_told_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str | None, expected: str
) -> None:
    monkeypatch.setenv(KERNELS, said or "")
    if said is None:
        monkeypatch.delenv(KERNELS)
    list(runs.train(a_recipe(tmp_path, steps=1), into=tmp_path / "run"))
    assert os.environ[KERNELS] == expected


def test_a_run_resumed_ends_as_one_undisturbed(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    for _ in runs.train(recipe, into=tmp_path / "whole"):
        pass
    for step in runs.train(recipe, into=tmp_path / "parts"):
        if step.step == 6:
            break  # between two checkpoints: what came after the first is done again
    for step in runs.train(recipe, into=tmp_path / "parts", resume=True):
        assert step.step > 4
    assert digest(tmp_path / "parts") == digest(tmp_path / "whole")
    assert runs.is_finished(tmp_path / "parts")


KILLED = """
import sys
from regard import runs
from regard.recipe import Recipe
recipe = Recipe.load(sys.argv[1])
resume = runs.is_begun(sys.argv[2])
for step in runs.train(recipe, into=sys.argv[2], resume=resume):
    print(step.step, flush=True)
"""


def test_a_run_killed_without_warning_ends_as_one_undisturbed(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=16)
    for _ in runs.train(recipe, into=tmp_path / "whole"):
        pass
    path = tmp_path / "recipe.toml"
    path.write_text(recipe.dumps())
    environment = os.environ | {"OMP_NUM_THREADS": str(__import__("torch").get_num_threads())}
    command = [sys.executable, "-c", KILLED, str(path), str(tmp_path / "killed")]
    for after in (7, 13):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert process.stdout is not None
        for line in process.stdout:
            if int(line) >= after:
                process.send_signal(signal.SIGKILL)
                break
        process.communicate()
    subprocess.run(command, check=True, capture_output=True, env=environment)
    assert digest(tmp_path / "killed") == digest(tmp_path / "whole")


def test_an_interrupt_saves_before_it_is_raised(tmp_path: Path) -> None:
    recipe, run = a_recipe(tmp_path), tmp_path / "run"
    steps = runs.train(recipe, into=run)
    while next(steps).step < 5:
        pass
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.01)
    with pytest.raises(KeyboardInterrupt):
        next(steps)
    assert checkpoints_in(run / "checkpoints")[-1].step == 5
    for _ in runs.train(recipe, into=run, resume=True):
        pass
    for _ in runs.train(recipe, into=tmp_path / "whole"):
        pass
    assert digest(run) == digest(tmp_path / "whole")


def test_a_folder_with_a_run_is_not_begun_anew(tmp_path: Path) -> None:
    recipe, run = a_recipe(tmp_path, steps=4), tmp_path / "run"
    list(runs.train(recipe, into=run))
    with pytest.raises(RunError) as caught:
        list(runs.train(recipe, into=run))
    assert str(caught.value) == (
        f"{run} holds a run of 4 steps already. Go on with it by --resume (resume=True), or name another "
        "folder."
    )


def test_a_file_holds_no_run(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path)
    file = Path(recipe.data.train[0])
    with pytest.raises(RunError) as caught:
        list(runs.train(recipe, into=file / "run"))
    assert str(caught.value) == (f"{file / 'run'} cannot hold a run: {file} is a file. Name another folder.")


def test_json_lines_are_read_by_the_keys_of_a_recipe(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f'{{"translation": {{"en": "a {n}", "fr": "b {n}"}}}}\n' for n in range(5)))
    parts = read_data(DataSettings(train=(str(path),), keys=("en", "fr")))
    assert len(parts.train.pairs) + len(parts.validation.pairs) == 5


def test_other_pairs_are_not_gone_on_with(tmp_path: Path) -> None:
    recipe, run = a_recipe(tmp_path), tmp_path / "run"
    for step in runs.train(recipe, into=run):
        if step.step == 5:
            break
    pairs_file(tmp_path, count=61)
    with pytest.raises(RunError, match="are not those this run began with"):
        list(runs.train(recipe, into=run, resume=True))


def test_fine_tuning_begins_with_the_other_runs_tokenizer_and_parameters(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=4)
    list(runs.train(recipe, into=tmp_path / "first"))
    prepared = runs.prepare(recipe, start_from=tmp_path / "first")
    kept = runs.RunFolder(tmp_path / "first").checkpoint().parameters()
    for name, parameter in prepared.model.named_parameters():
        assert parameter.equal(kept[name])
    steps = list(runs.train(recipe, into=tmp_path / "second", start_from=tmp_path / "first"))
    assert len(steps) == 4
    first, second = (tmp_path / name / "tokenizer.json" for name in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()


def test_a_recipe_that_contradicts_the_run_it_begins_with_is_refused(tmp_path: Path) -> None:
    list(runs.train(a_recipe(tmp_path, steps=1), into=tmp_path / "first"))
    with pytest.raises(RecipeError) as caught:
        runs.prepare(
            Recipe.parse(
                "[data]\ntrain = 'missing.tsv'\n[model]\nwidth = 16\nheads = 2\n"
                "[tokenizer]\nkind = 'words'\nsize = 300"
            ),
            start_from=tmp_path / "first",
        )
    there = tmp_path / "first"
    assert str(caught.value) == (
        "A run begins with the model and the tokenizer of the run it starts from: "
        f"model.width is 16, but that of {there} is 8. "
        f"tokenizer.kind is 'words', but that of {there} is 'byte-level'. "
        f"tokenizer.size is 300, but that of {there} is chosen from its data. "
        "Leave such settings out of the recipe."
    )


def test_a_default_written_in_a_recipe_contradicts_as_well(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=1)
    list(runs.train(replace(recipe, model=replace(recipe.model, norm="post")), into=tmp_path / "first"))
    written = Recipe.parse("[model]\nnorm = 'pre'")
    with pytest.raises(RecipeError, match=r"model\.norm is 'pre', but that of \S+ is 'post'\. Leave"):
        runs.prepare(replace(written, data=recipe.data), start_from=tmp_path / "first")
    silent = runs.prepare(Recipe(data=recipe.data), start_from=tmp_path / "first")
    assert silent.recipe.model.norm == "post"


def test_fine_tuning_may_choose_another_dropout(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=1)
    list(runs.train(recipe, into=tmp_path / "first"))
    other = Recipe(
        data=recipe.data, model=ModelSettings(dropout=0.5), tokenizer=TokenizerSettings(dropout=0.1)
    )
    found = runs.prepare(other, start_from=tmp_path / "first").recipe
    assert (found.model.dropout, found.tokenizer.dropout) == (0.5, 0.1)
    assert found.model.width == 8


@pytest.mark.parametrize("kind", ["recurrent", "convolutional"])
def test_every_model_trains_and_loads(tmp_path: Path, kind: str) -> None:
    recipe = Recipe(
        data=DataSettings(train=(str(pairs_file(tmp_path)),)),
        model=ModelSettings(kind=kind, width=8, layers=1),
        training=TrainingSettings(steps=2, tokens_per_batch=128, validation_pairs=2),
    )
    list(runs.train(recipe, into=tmp_path / "run"))
    runs.Translator.load(tmp_path / "run", checkpoint="last").translate(["alpha beta"])


@pytest.mark.parametrize("kind", ["recurrent", "convolutional"])
def test_a_run_that_does_not_say_whether_it_is_normalised_is_not(tmp_path: Path, kind: str) -> None:
    """Runs from before there was a choice."""
    recipe = Recipe(
        data=DataSettings(train=(str(pairs_file(tmp_path)),)),
        model=ModelSettings(kind=kind, width=8, layers=1, normalised=False),
        training=TrainingSettings(steps=2, tokens_per_batch=128, validation_pairs=2),
    )
    first = tmp_path / "first"
    list(runs.train(recipe, into=first))
    said = (first / "recipe.toml").read_text()
    assert "normalised = false\n" in said
    (first / "recipe.toml").write_text(said.replace("normalised = false\n", ""))
    vouch(first, first / "recipe.toml")

    runs.Translator.load(first, checkpoint="last").translate(["alpha beta"])
    tuned = runs.prepare(Recipe(data=recipe.data), start_from=first)
    assert tuned.recipe.model.normalised is False
    anew = replace(recipe, model=replace(recipe.model, normalised=None))
    assert runs.prepare(anew).recipe.model.normalised is True


def test_a_damaged_file_of_the_folder_is_named(tmp_path: Path) -> None:
    run = tmp_path / "run"
    list(runs.train(a_recipe(tmp_path, steps=2), into=run))
    path = run / "tokenizer.json"
    path.write_bytes(path.read_bytes() + b" ")
    with pytest.raises(RunError) as caught:
        runs.Translator.load(run)
    assert str(caught.value).startswith(f"{path} has ")


def test_what_is_not_a_run_is_told_so(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        runs.Translator.load(tmp_path / "none")
    assert str(caught.value) == (
        f"There is no run folder {tmp_path / 'none'}. Train one with: regard train DATA --into "
        f"{tmp_path / 'none'}"
    )


def test_what_is_set_is_not_chosen() -> None:
    recipe = Recipe(model=ModelSettings(width=40, heads=5), training=TrainingSettings(steps=7))
    whole = complete(recipe, pairs=30_000, batches=100)
    assert (whole.model.width, whole.model.heads, whole.training.steps) == (40, 5, 7)
    assert whole.model.layers == 3
    assert whole.training.validate_every == 1


def test_few_pairs_are_learned_in_small_batches_into_which_every_sentence_fits() -> None:
    def tokens(recipe: Recipe, pairs: int) -> int | None:
        completed = complete_batches(recipe, pairs=pairs, longest=recipe.data.longest)
        return completed.training.tokens_per_batch

    assert (tokens(Recipe(), 10**4), tokens(Recipe(), 10**6)) == (2_048, 4_096)
    assert tokens(Recipe(data=DataSettings(longest=2_047)), 10**4) == 4_096
    assert tokens(Recipe(training=TrainingSettings(tokens_per_batch=300)), 10**4) == 300
    assert complete_batches(Recipe(), pairs=10**4, longest=None).training.tokens_per_batch == 4_096


@pytest.mark.parametrize("kind", ["transformer", "recurrent", "convolutional"])
def test_normalised_models_learn_by_muon_with_decay_unless_they_say_otherwise(kind: str) -> None:
    def chosen(normalised: bool | None = None, **training: float | str) -> TrainingSettings:
        model = ModelSettings(kind=kind, normalised=normalised)
        recipe = Recipe(model=model, training=TrainingSettings(**training))
        return complete(recipe, pairs=30_000, batches=250).training

    by_muon = chosen()
    assert (by_muon.optimizer, by_muon.schedule, by_muon.weight_decay) == ("muon", "cosine", 0.3)
    assert (by_muon.steps, by_muon.warmup_steps, by_muon.dropout_steps) == (5_000, 100, 3_750)
    assert chosen(weight_decay=0.0).weight_decay == 0.0
    by_adam = chosen(optimizer="adam")
    assert (by_adam.weight_decay, by_adam.warmup_steps) == (0.0, 1_875)
    if kind != "transformer":
        assert chosen(normalised=False).optimizer == "adam"


def test_dropout_grows_unless_a_run_begins_with_another(tmp_path: Path) -> None:
    begun = a_recipe(tmp_path, steps=8)
    assert complete(begun, pairs=60, batches=9).training.dropout_steps == 6
    assert (
        complete(begun.changed(["training.dropout_steps=0"]), pairs=60, batches=9).training.dropout_steps == 0
    )
    list(runs.train(begun, into=tmp_path / "first"))
    tuned = runs.prepare(begun, start_from=tmp_path / "first")
    assert (tuned.recipe.training.dropout_steps, tuned.recipe.training.weight_decay) == (0, 0.0)


def test_larger_data_gets_a_larger_model() -> None:
    models = [complete(Recipe(), pairs=pairs, batches=9).model for pairs in (10**4, 10**5, 10**6)]
    assert [(one.width, one.hidden_width) for one in models] == [(256, 512), (256, 1024), (512, 2048)]


def test_the_pairs_set_aside_are_written_down_and_none_is_learned_from(tmp_path: Path) -> None:
    prepared = runs.prepare(a_recipe(tmp_path, steps=1))
    list(runs.train(prepared, into=tmp_path / "run"))
    aside = runs.read_pairs([str(tmp_path / "run" / "validation.tsv")])
    assert aside.sha256 == prepared.parts.validation.sha256
    learned = prepared.parts.train.pairs
    assert not set(aside.pairs) & set(learned)
    assert sorted([*aside.pairs, *learned]) == sorted(runs.read_pairs([str(tmp_path / "pairs.tsv")]).pairs)
    card = (tmp_path / "run" / "README.md").read_text()
    assert f"| validated on | {len(aside.pairs)} pairs set aside, in validation.tsv, sha256 `" in card


def test_sentences_with_tabs_are_set_aside_as_json(tmp_path: Path) -> None:
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(json.dumps({"source": f"a\tb {n}", "target": f"{n}\r"}) + "\n" for n in range(9)))
    recipe = replace(a_recipe(tmp_path, steps=1), data=DataSettings(train=(str(path),)))
    prepared = runs.prepare(recipe)
    list(runs.train(prepared, into=tmp_path / "run"))
    aside = runs.read_pairs([str(tmp_path / "run" / "validation.jsonl")])
    assert aside.pairs == prepared.parts.validation.pairs
    assert not (tmp_path / "run" / "validation.tsv").exists()


def test_pairs_that_lie_elsewhere_are_named_not_copied(tmp_path: Path) -> None:
    recipe = a_recipe(tmp_path, steps=1)
    (tmp_path / "other.tsv").write_text("alpha\tbeta\n")
    recipe = replace(recipe, data=replace(recipe.data, validation=(str(tmp_path / "other.tsv"),)))
    prepared = runs.prepare(recipe)
    assert prepared.validated_on() == "1 pair of other.tsv"
    list(runs.train(prepared, into=tmp_path / "run"))
    assert not list((tmp_path / "run").glob("validation.*"))
    prepared = runs.prepare(replace(recipe, data=DataSettings(train=("embedded:en-fr",))))
    assert prepared.validated_on().endswith(" pairs of embedded:en-fr:validation")
    assert prepared.set_aside is None
