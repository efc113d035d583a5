import json
import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from regard.errors import DataError
from regard.sealing import sealed
from regard.text import Tokenizer, prepared_writing, read, read_parts
from regard.text.prepared import Prepared, is_prepared
from regard.text.prepared_writing import prepare_pairs
from tests.faults.recording import record


def pairs_file(folder: Path, count: int = 97) -> Path:
    path = folder / "pairs.tsv"
    lines = [f"the cat {number}\tle chat {number * number} é\n" for number in range(count)]
    path.write_text("".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three shards of some thirty pairs, from chunks of ten."""
    monkeypatch.setattr(prepared_writing, "PAIRS_PER_SHARD", 33)
    monkeypatch.setattr(prepared_writing, "_CHUNK", 10)


@pytest.mark.usefixtures("small")
def test_what_is_prepared_is_what_was_read(tmp_path: Path) -> None:
    source = pairs_file(tmp_path)
    prepared = prepare_pairs(source, tmp_path / "prepared", workers=1)
    train, validation = read_parts(source)
    assert len(prepared.shards) == 3
    assert min(prepared.shards) > 15
    assert Counter(prepared.corpus.pairs) == Counter(train.pairs)
    assert prepared.validation.pairs == validation.pairs
    assert prepared.corpus.sha256 == train.sha256
    assert str(prepared.reading) == "kept 97 of 97 pairs"
    assert [*prepared.corpus.pairs][50] == prepared.corpus.pairs[50] == prepared.corpus.pairs[50:51][0]
    assert not list(tmp_path.glob(".*.aside"))


@pytest.mark.usefixtures("small")
def test_the_number_of_workers_does_not_show(tmp_path: Path) -> None:
    source = pairs_file(tmp_path)
    for workers in (1, 2):
        prepare_pairs(source, tmp_path / str(workers), workers=workers)
    assert (tmp_path / "1" / "manifest.json").read_bytes() == (tmp_path / "2" / "manifest.json").read_bytes()


def test_pairs_to_judge_by_may_be_given(tmp_path: Path) -> None:
    source = pairs_file(tmp_path)
    judged = tmp_path / "validation.tsv"
    judged.write_text("a\tb\n")
    tokenizer = Tokenizer.train(read(source).pairs, size=300)
    prepared = prepare_pairs(source, tmp_path / "prepared", validation=judged, tokenizer=tokenizer, workers=1)
    assert (len(prepared), prepared.validation.pairs) == (97, (("a", "b"),))
    assert prepared.tokenizer.source.merges == tokenizer.source.merges


def test_a_bad_line_is_refused_before_anything_is_cut(tmp_path: Path) -> None:
    source = pairs_file(tmp_path)
    source.write_bytes(source.read_bytes() + b"no tab\n")
    with pytest.raises(DataError) as caught:
        prepare_pairs(source, tmp_path / "prepared", workers=1)
    assert str(caught.value).startswith(f"{source}, line 98, byte 2")
    assert [one.name for one in tmp_path.iterdir()] == ["pairs.tsv"]
    prepared = prepare_pairs(source, tmp_path / "prepared", workers=1, skip_bad=True)
    assert str(prepared.reading) == "kept 97 of 98 pairs; dropped 1 missing tab"
    with pytest.raises(DataError) as caught:
        prepare_pairs(source, tmp_path / "prepared")
    assert str(caught.value) == f"{tmp_path / 'prepared'} is there already. Name another folder."


def test_every_damaged_file_is_refused_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "prepared"
    prepare_pairs(pairs_file(tmp_path), folder, workers=1)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            whole = path.read_bytes()
            for damaged in (whole[:-1], bytes([whole[0] ^ 1]) + whole[1:]):
                path.write_bytes(damaged)
                with pytest.raises(DataError, match=str(path)):
                    touch(folder)
            path.write_bytes(whole)
    touch(folder)


def touch(folder: Path) -> None:
    prepared = Prepared(folder)
    assert prepared.tokenizer.joint
    assert prepared.validation.pairs
    assert prepared.corpus.pairs[0]


@pytest.mark.parametrize(
    "change",
    [
        {"version": 9},
        {"shards": [-1]},
        {"files": {"a": 1}},
        {"type": "object"},
        {"reading": {"kept": 1, "dropped": {"a": "b"}}},
    ],
)
def test_a_manifest_that_says_something_else_is_refused(tmp_path: Path, change: dict[str, object]) -> None:
    folder = tmp_path / "prepared"
    prepare_pairs(pairs_file(tmp_path), folder, workers=1)
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    content.pop("seal")
    path.write_bytes(sealed(content | change))
    assert is_prepared(folder)
    with pytest.raises(DataError, match=str(path)):
        Prepared(folder)


def test_a_shard_that_does_not_hold_what_is_said_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "prepared"
    prepare_pairs(pairs_file(tmp_path), folder, workers=1)
    path = folder / "manifest.json"
    content = json.loads(path.read_text())
    content.pop("seal")
    path.write_bytes(sealed(content | {"shards": [content["shards"][0] + 1]}))
    with pytest.raises(DataError) as caught:
        Prepared(folder).shard(0)
    assert str(caught.value) == f"shard 0 of {folder} does not hold what its manifest says."


MANY = 10_000_000
MEASURED = """
import resource, sys, time
from regard import runs
from regard.recipe import DataSettings, ModelSettings, Recipe, TrainingSettings
recipe = Recipe(
    data=DataSettings(train=(sys.argv[1],)),
    model=ModelSettings(width=32, layers=1, heads=2, hidden_width=32, dropout=0.1),
    training=TrainingSettings(steps=30, validate_every=30, validation_pairs=5, tokens_per_batch=8192),
)
began = time.perf_counter()
for step in runs.train(recipe, into=sys.argv[2]):
    if step.step == 1:
        print(time.perf_counter() - began)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024**2)
"""


def processor() -> float:
    """Seconds that this process and its ended children kept a core busy."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.mark.slow
def test_ten_million_pairs_need_no_more_memory_than_few(tmp_path: Path) -> None:
    source = tmp_path / "pairs.tsv"
    words = ["cat", "dog", "tree", "house", "river", "stone", "cloud", "night", "road", "garden", "sleeps"]
    with source.open("w") as file:
        for start in range(0, MANY, 10_000):
            file.write(
                "".join(
                    f"the {words[number % 11]} {words[number // 11 % 11]} sees {number % 9_973} of them\t"
                    f"le {words[number % 7]} {words[number // 7 % 11]} en voit {number % 9_973}\n"
                    for number in range(start, start + 10_000)
                )
            )
    began, before = time.perf_counter(), processor()
    prepared = prepare_pairs(source, tmp_path / "prepared", size=2_000)
    seconds, busy = time.perf_counter() - began, processor() - before
    tokens = sum(prepared.manifest["tokens"].values())
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, str(tmp_path / "prepared"), str(tmp_path / "run")],
        capture_output=True,
        text=True,
        check=True,
    )
    first_step, gibibytes = map(float, done.stdout.split())
    bytes_on_disk = sum(path.stat().st_size for path in (tmp_path / "prepared").rglob("*") if path.is_file())
    record(
        "scale",
        pairs=MANY,
        tokens=tokens,
        preparing_seconds=round(seconds, 1),
        preparing_processor_seconds=round(busy, 1),
        bytes_of_text=source.stat().st_size,
        bytes_on_disk=bytes_on_disk,
        first_step_seconds=round(first_step, 1),
        gibibytes=round(gibibytes, 2),
    )
    assert gibibytes < 1.5
