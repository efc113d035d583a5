import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from regard import runs
from regard.errors import RunError
from regard.recipe import ModelSettings, Recipe
from regard.runs.lessons import Lessons
from regard.training import Processes, checkpoints_in
from tests.runs.test_training import a_recipe


def torchrun(*arguments: str, processes: int = 2) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    return subprocess.run(
        [*command, "--nproc-per-node", str(processes), "-m", "regard", "train", *arguments],
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "200"},
        timeout=300,
    )


def without_dropout(recipe: Recipe) -> Recipe:
    model = ModelSettings(width=8, layers=1, heads=2, hidden_width=8, dropout=0.0)
    return replace(recipe, model=model)


def test_two_processes_train_one_run(tmp_path: Path) -> None:
    recipe = without_dropout(a_recipe(tmp_path, steps=9))
    (tmp_path / "recipe.toml").write_text(recipe.dumps())
    done = torchrun(str(tmp_path / "recipe.toml"), "--into", str(tmp_path / "two"))
    assert done.returncode == 0, done.stderr[-3_000:]
    assert done.stdout.count("2 processes share every batch.") == 1
    assert done.stdout.count("Best at step") == 1

    list(runs.train(recipe, into=tmp_path / "one"))
    one, two = (runs.RunFolder(tmp_path / name) for name in ("one", "two"))
    losses = [
        [line["loss"] for line in folder.read_history() if line["kind"] == "validation"]
        for folder in (one, two)
    ]
    assert losses[1] == pytest.approx(losses[0], abs=1e-4)
    assert checkpoints_in(two.checkpoints)[-1].progress["processes"] == 2
    runs.Translator.load(two.path).translate(["alpha beta"])

    again = torchrun(str(tmp_path / "recipe.toml"), "--into", str(tmp_path / "two"))
    assert again.returncode == 1
    told = f"Error: {tmp_path / 'two'} holds a run of 9 steps already."
    assert again.stderr.count(told) == 1


def test_each_sentence_is_seen_once_an_epoch_whatever_the_number_of_processes(tmp_path: Path) -> None:
    prepared = runs.prepare(a_recipe(tmp_path))
    lessons: Lessons = prepared.lessons
    epoch = len(lessons.batches)
    seen: Counter[tuple[int, ...]] = Counter()
    for step in range(epoch):
        world = (2, 1, 2)[3 * step // epoch]
        for rank in range(world):
            _, batches, _ = next(lessons.from_step(step, Processes(rank, world)))
            for batch in batches:
                for row, length in zip(batch.source.tolist(), batch.source_lengths.tolist(), strict=True):
                    seen[tuple(row[: length - 1])] += 1
    assert seen == Counter(map(tuple, lessons.sources))


def test_two_writers_never_share_a_folder(tmp_path: Path) -> None:
    steps = runs.train(a_recipe(tmp_path), into=tmp_path / "run")
    while next(steps).step < 4:
        pass
    with pytest.raises(RunError) as caught:
        next(runs.train("", into=tmp_path / "run", resume=True))
    assert str(caught.value) == (
        f"{tmp_path / 'run'} is being written by process {os.getpid()} on {os.uname().nodename}. Wait until "
        "it ends, or name another folder."
    )
    steps.close()  # type: ignore[attr-defined]
    assert next(runs.train("", into=tmp_path / "run", resume=True)).step == 5


@pytest.mark.slow
def test_a_model_in_halves_goes_on_whole_and_in_halves_again(tmp_path: Path) -> None:
    recipe = without_dropout(a_recipe(tmp_path, steps=9))
    training = replace(
        recipe.training, sharding="full", validate_every=3, average_last=3, moving_average=None
    )
    recipe = replace(recipe, training=training)
    (tmp_path / "recipe.toml").write_text(recipe.dumps())
    list(runs.train(recipe, into=tmp_path / "one"))
    one, two = (runs.RunFolder(tmp_path / name) for name in ("one", "two"))

    done = torchrun(str(tmp_path / "recipe.toml"), "--into", str(two.path))
    assert done.returncode == 0, done.stderr[-3_000:]
    assert done.stdout.count("2 processes share every batch and the model.") == 1
    assert "Warning" not in done.stderr
    forget_after(3, two)
    assert [step.step for step in runs.train("", into=two.path, resume=True)] == [4, 5, 6, 7, 8, 9]
    forget_after(6, two)
    done = torchrun("--into", str(two.path), "--resume")
    assert done.returncode == 0, done.stderr[-3_000:]

    losses = [
        [line["loss"] for line in folder.read_history() if line["kind"] == "validation"]
        for folder in (one, two)
    ]
    assert losses[1] == pytest.approx(losses[0], abs=1e-4)
    assert [one.progress["processes"] for one in checkpoints_in(two.checkpoints)] == [2, 1, 2]
    for whole, dealt in zip(*map(last_tensors, (one, two)), strict=True):
        assert dealt == whole


def last_tensors(folder: runs.RunFolder) -> list[dict[str, tuple[int, ...]]]:
    """The names and shapes of all that the last checkpoint holds."""
    last = checkpoints_in(folder.checkpoints)[-1]
    return [
        {name: tuple(tensor.shape) for name, tensor in tensors.items()}
        for tensors in (last.parameters(), last.optimizer())
    ]


def forget_after(step: int, folder: runs.RunFolder) -> None:
    for checkpoint in checkpoints_in(folder.checkpoints):
        if checkpoint.step > step:
            shutil.rmtree(checkpoint.folder)
