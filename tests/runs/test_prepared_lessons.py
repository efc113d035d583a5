from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from regard import runs
from regard.errors import RunError
from regard.recipe import DataSettings, Recipe, TokenizerSettings
from regard.runs.prepared_lessons import PreparedLessons
from regard.text import prepared_writing
from regard.text.prepared import Prepared
from regard.text.prepared_writing import prepare_pairs
from regard.training import Processes
from tests.runs.test_training import a_recipe, digest, pairs_file


@pytest.fixture
def prepared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Prepared:
    """Some sixty pairs in three shards."""
    monkeypatch.setattr(prepared_writing, "PAIRS_PER_SHARD", 20)
    return prepare_pairs(pairs_file(tmp_path), tmp_path / "prepared", workers=1)


def from_disk(tmp_path: Path) -> Recipe:
    return replace(a_recipe(tmp_path), data=DataSettings(train=(str(tmp_path / "prepared"),)))


def seen_in(lessons: PreparedLessons, steps: range, worlds: tuple[int, ...]) -> Counter[tuple[int, ...]]:
    seen: Counter[tuple[int, ...]] = Counter()
    for step in steps:
        world = worlds[len(worlds) * (step - steps.start) // len(steps)]
        for rank in range(world):
            _, (batch,), _ = next(lessons.from_step(step, Processes(rank, world)))
            for row, length in zip(batch.source.tolist(), batch.source_lengths.tolist(), strict=True):
                seen[tuple(row[: length - 1])] += 1
    return seen


def test_each_epoch_shows_every_pair_once(tmp_path: Path, prepared: Prepared) -> None:
    lessons = PreparedLessons(prepared, from_disk(tmp_path))
    epoch = sum(lessons._count(shard) for shard in range(3))
    whole = Counter(
        tuple(prepared.shard(shard).sentence(row, 0))
        for shard, pairs in enumerate(prepared.shards)
        for row in range(pairs)
    )
    fresh = PreparedLessons(prepared, from_disk(tmp_path))
    assert seen_in(fresh, range(epoch), (2, 1, 2)) == whole
    assert seen_in(lessons, range(epoch, 2 * epoch), (1,)) == whole
    places = [[fresh.place(number) for number in range(start, start + epoch)] for start in (0, epoch)]
    assert [place[1:] for place in places[0]] != [place[1:] for place in places[1]]
    assert [place[0] for place in places[1]] == [1] * epoch


def test_a_run_from_disk_is_resumed_bit_for_bit(tmp_path: Path, prepared: Prepared) -> None:
    recipe = replace(from_disk(tmp_path), tokenizer=TokenizerSettings(dropout=0.1))
    list(runs.train(recipe, into=tmp_path / "whole"))
    for step in runs.train(recipe, into=tmp_path / "parts"):
        if step.step == 6:
            break
    list(runs.train("", into=tmp_path / "parts", resume=True))
    assert digest(tmp_path / "parts") == digest(tmp_path / "whole")
    assert f"{len(prepared)} pairs" in (tmp_path / "whole" / "README.md").read_text()


@pytest.mark.usefixtures("prepared")
def test_pairs_cut_into_other_tokens_are_not_fine_tuned_on(tmp_path: Path) -> None:
    other = replace(a_recipe(tmp_path, steps=2), tokenizer=TokenizerSettings(kind="characters"))
    list(runs.train(other, into=tmp_path / "run"))
    with pytest.raises(RunError) as caught:
        runs.prepare(from_disk(tmp_path), start_from=tmp_path / "run")
    assert str(caught.value) == (
        f"{tmp_path / 'prepared'} was not prepared with the tokenizer of {tmp_path / 'run'}. Prepare the "
        f"pairs again with --tokenizer {tmp_path / 'run'}."
    )
