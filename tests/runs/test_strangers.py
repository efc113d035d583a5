"""Run folders made by an enemy, whose manifests vouch for what they hold: refused in one sentence."""

import gzip
import json
import lzma
import os
import shutil
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import runs
from regard.errors import DataError, RegardError
from regard.runs.faults.damaging import vouch
from regard.runs.folder import HISTORY, RECIPE, TOKENIZER, RunFolder
from regard.sealing import sealed
from regard.text import read
from regard.training.checkpoints import MANIFEST, PARAMETERS
from regard.viewing import AttentionMaps
from tests.runs.test_training import a_recipe

DEEP = 100_000


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("strangers")
    list(runs.train(a_recipe(folder, steps=2), into=folder / "run"))
    runs.Translator.load(folder / "run")
    return folder / "run"


@pytest.fixture
def run(sound: Path, tmp_path: Path) -> Path:
    shutil.copytree(sound, tmp_path / "run")
    return tmp_path / "run"


def last(run: Path) -> Path:
    return RunFolder(run).checkpoint("last").folder


def told(run: Path) -> str:
    """What is said of a folder that must be refused."""
    with pytest.raises(RegardError) as caught:
        runs.Translator.load(run, checkpoint="last")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def setting(name: str, value: str) -> Callable[[str], str]:
    """A recipe in which one setting is another, or left out."""

    def changed(text: str) -> str:
        lines = [line for line in text.split("\n") if not line.startswith(f"{name} = ")]
        if value:
            lines.insert(lines.index("[model]") + 1, f"{name} = {value}")
        return "\n".join(lines)

    return changed


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda text: "a = " + "[" * DEEP, "nested too deeply"),
        (setting("width", "9" * 5_000), "This is not TOML"),
        (setting("dropout", "1" + "0" * 400), "model.dropout must be a number"),
        (setting("width", ""), "leaves model.width open"),
        (setting("hidden_width", ""), "leaves model.hidden_width open"),
        (setting("width", "60000"), ", 60000)"),
        (setting("width", str(8 * 10**12)), "model.width must be at most 65,536, but got 8000000000000"),
        (setting("width", str(8 * 10**30)), "model.width must be at most 65,536, but got 8"),
        (setting("hidden_width", "65536"), ", but the model's is (65536,"),
        (setting("hidden_width", str(10**12)), "model.hidden_width must be at most 65,536"),
        (setting("reach", str(10**12)), "model.reach must be at most 65,536"),
        (setting("layers", str(10**9)), "model.layers must be at most 1,000, but got 1000000000"),
        (setting("heads", "3"), "model.width must be a multiple of model.heads"),
    ],
)
def test_a_recipe_that_asks_for_too_much_is_refused(
    run: Path, change: Callable[[str], str], said: str
) -> None:
    path = run / RECIPE
    path.write_text(change(path.read_text()))
    vouch(run, path)
    assert said in told(run)


@pytest.mark.parametrize(
    "content",
    [b"[" * DEEP, b'{"a":' * DEEP, b"null", b"\xff", b'{"format": 1e999}', b'{"joint": {"a": [[]]}}'],
)
def test_a_tokenizer_that_is_none_is_refused(run: Path, content: bytes) -> None:
    path = run / TOKENIZER
    path.write_bytes(content)
    vouch(run, path)
    assert str(path) in told(run)


def test_what_is_no_file_is_not_waited_for(run: Path) -> None:
    path = run / TOKENIZER
    path.write_bytes(b"")
    vouch(run, path)
    path.unlink()
    os.mkfifo(path)
    assert told(run) == f"{path} is no file."


@pytest.mark.parametrize("content", [b"[" * DEEP, b'{"a":' * DEEP, b"[]", b"\xff", b"x" * (1 << 21)])
def test_a_manifest_that_is_none_is_refused(run: Path, content: bytes) -> None:
    path = last(run) / MANIFEST
    path.write_bytes(content)
    assert str(path) in told(run)


@pytest.mark.parametrize(
    "change",
    [
        {"step": 1e999},
        {"step": [1]},
        {"score": {}},
        {"files": []},
        {"files": {PARAMETERS: {"bytes": 1e999, "sha256": ""}}},
        {"progress": 7},
        {"progress": {"longest_sentence": "many"}},
        {"progress": {"longest_sentence": 1e999}},
        {"progress": {"since_best": None}},
        {"progress": {"stands_on": []}},
        {"progress": {"stands_on": {RECIPE: 3}}},
        {"progress": {"stands_on": {"/dev/zero": {"bytes": 0, "sha256": ""}}}},
    ],
    ids=str,
)
def test_a_manifest_that_says_something_else_is_refused(run: Path, change: dict[str, Any]) -> None:
    path = last(run) / MANIFEST
    content = json.loads(path.read_bytes())
    content.pop("seal")
    path.write_bytes(sealed(content | change))
    assert str(path) in told(run)


def safetensors(header: bytes, size: int | None = None) -> bytes:
    return struct.pack("<Q", len(header) if size is None else size) + header


@pytest.mark.parametrize(
    "content",
    [
        safetensors(b'{"a": {"dtype": "F32", "shape": [1152921504606846976], "data_offsets": [0, 4]}}'),
        safetensors(b'{"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 9000000000000000000]}}'),
        safetensors(b'{"a": {"dtype": "no such", "shape": [], "data_offsets": [0, 0]}}'),
        safetensors(b'{"a":' * DEEP),
        safetensors(b"{}", 1 << 63),
        safetensors(b"{}"),
        b"",
    ],
)
def test_parameters_that_lie_about_their_size_are_refused(run: Path, content: bytes) -> None:
    path = last(run) / PARAMETERS
    path.write_bytes(content)
    vouch(run, path)
    assert str(path.parent) in told(run)


def test_a_history_of_nonsense_is_passed_over(run: Path) -> None:
    folder = RunFolder(run)
    before = list(folder.read_history())
    with (run / HISTORY).open("ab") as file:
        file.write(b"[" * DEEP + b"\n[]\n\xff\n" + b"x" * (1 << 21) + b'\n{"step": "two"}\n')
    assert list(folder.read_history()) == [*before, {"step": "two"}]
    folder.cut_history(2)
    assert list(folder.read_history()) == before


def test_a_checkpoint_without_its_training_cannot_go_on(run: Path) -> None:
    path = last(run) / MANIFEST
    content = json.loads(path.read_bytes())
    content.pop("seal")
    del content["progress"]["best"], content["progress"]["seconds"]
    path.write_bytes(sealed(content))
    with pytest.raises(RegardError) as caught:
        next(runs.train("", into=run, resume=True))
    assert str(caught.value) == (
        f"{path.parent} does not tell best, seconds, so training cannot go on from it. Begin another run "
        f"with --from {run}."
    )


def test_maps_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        packed.open("texts.npy", "w") as file,
    ):
        for _ in range(257):
            file.write(bytes(1 << 20))
    assert path.stat().st_size < 1 << 22
    with pytest.raises(DataError) as caught:
        AttentionMaps.load(path)
    assert str(caught.value) == f"{path} holds 269,484,032 bytes, more than any attention maps (268,435,456)."


def test_maps_that_lie_about_their_shape_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "lie.npz"
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (1000000000000000,), }".ljust(117) + b"\n"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("texts.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
    with pytest.raises(DataError) as caught:
        AttentionMaps.load(path)
    assert str(caught.value) == f"{path} does not hold attention maps as regard writes them."


@pytest.mark.parametrize("pack", [gzip, lzma])
def test_an_archive_that_unpacks_to_one_endless_line_is_refused(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / f"pairs.tsv.{'gz' if pack is gzip else 'xz'}"
    with pack.open(path, "wb") as file:
        for _ in range(64):
            file.write(b"a" * (1 << 20))
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value).startswith(f"{path}, line 1, byte 0: a line of more than 1048576 bytes.")
