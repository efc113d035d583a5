import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regard import runs
from regard.errors import RunError
from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings
from regard.runs.choosing import complete
from regard.runs.lessons import read_data
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
    }
    assert sorted(one.name for one in (run / "looks").iterdir()) == [f"{step:08d}.npz" for step in (4, 8, 12)]
    history = [json.loads(line) for line in (run / "history.jsonl").read_text().splitlines()]
    assert [line["step"] for line in history if line["kind"] == "validation"] == [4, 8, 12]
    assert "sha256" in (run / "README.md").read_text()
    translator = runs.Translator.load(run)
    assert len(translator.translate(["alpha beta", ""])) == 2


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


@pytest.mark.parametrize("kind", ["recurrent", "convolutional"])
def test_every_model_trains_and_loads(tmp_path: Path, kind: str) -> None:
    recipe = Recipe(
        data=DataSettings(train=(str(pairs_file(tmp_path)),)),
        model=ModelSettings(kind=kind, width=8, layers=1),
        training=TrainingSettings(steps=2, tokens_per_batch=128, validation_pairs=2),
    )
    list(runs.train(recipe, into=tmp_path / "run"))
    runs.Translator.load(tmp_path / "run", checkpoint="last").translate(["alpha beta"])


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
    assert whole.model.layers == 4
    assert whole.training.validate_every == 1


def test_larger_data_gets_a_larger_model() -> None:
    widths = [complete(Recipe(), pairs=pairs, batches=9).model.width for pairs in (10**4, 10**5, 10**6)]
    assert widths == [128, 256, 512]
