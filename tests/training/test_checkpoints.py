import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from regard.errors import RunError
from regard.training import (
    best_of,
    checkpoints_in,
    keep_best_and_last,
    read_checkpoint,
    save_checkpoint,
    sweep,
)
from regard.training.checkpoints import Checkpoint


def saved(folder: Path, step: int = 3, score: float | None = 0.5) -> Checkpoint:
    return save_checkpoint(
        folder,
        step=step,
        score=score,
        progress={"skipped": 0},
        parameters={"a": torch.arange(7.0)},
        optimizer={"exp_avg.a": torch.ones(7)},
    )


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    checkpoint = read_checkpoint(saved(tmp_path).folder)
    assert (checkpoint.step, checkpoint.score) == (3, 0.5)
    torch.testing.assert_close(checkpoint.parameters()["a"], torch.arange(7.0))
    torch.testing.assert_close(checkpoint.optimizer()["exp_avg.a"], torch.ones(7))


def test_every_flipped_bit_is_refused_by_name(tmp_path: Path) -> None:
    checkpoint = saved(tmp_path)
    chance = random.Random(7)
    for name in ("parameters.safetensors", "optimizer.safetensors"):
        path = checkpoint.folder / name
        whole = path.read_bytes()
        for _ in range(40):
            bit = chance.randrange(8 * len(whole))
            damaged = bytearray(whole)
            damaged[bit // 8] ^= 1 << bit % 8
            path.write_bytes(damaged)
            with pytest.raises(RunError) as caught:
                checkpoint.parameters() if name.startswith("param") else checkpoint.optimizer()
            assert str(caught.value) == (f"{path} does not have the sha256 its manifest says: it is damaged.")
        path.write_bytes(whole[:-1])
        with pytest.raises(RunError, match="bytes, but its manifest says"):
            checkpoint.parameters() if name.startswith("param") else checkpoint.optimizer()
        path.write_bytes(whole)


def test_a_manifest_that_is_cut_off_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path).folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(RunError, match=r"manifest\.json is damaged"):
        read_checkpoint(path.parent)


def test_nothing_that_is_not_finite_is_saved(tmp_path: Path) -> None:
    with pytest.raises(RunError) as caught:
        save_checkpoint(
            tmp_path,
            step=9,
            score=None,
            progress={},
            parameters={"w": torch.tensor([1.0, torch.nan])},
            optimizer={},
        )
    assert str(caught.value) == "The parameter w is not finite at step 9, so nothing was saved."
    assert list(tmp_path.iterdir()) == []


def test_best_and_last_are_computed_and_the_others_leave(tmp_path: Path) -> None:
    for step, score in ((1, 5.0), (2, 9.0), (3, 7.0), (4, None), (5, 8.0)):
        saved(tmp_path, step, score)
    keep_best_and_last(tmp_path)
    assert [one.step for one in checkpoints_in(tmp_path)] == [2, 4, 5]
    assert best_of(checkpoints_in(tmp_path)).step == 2


def test_a_full_disk_is_told_in_one_sentence_and_leaves_no_litter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved(tmp_path, 1)

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(RunError, match=r"No space left on device; it needs .* bytes and .* are free"):
        saved(tmp_path, 2)
    assert [one.name for one in tmp_path.iterdir()] == [before.folder.name]
    before.parameters()


SAVING = """
import sys, torch
from pathlib import Path
from regard.training import save_checkpoint
step = 0
while True:
    step += 1
    save_checkpoint(Path(sys.argv[1]), step=step, score=0.0, progress={},
                    parameters={"a": torch.full((200_000,), float(step))}, optimizer={})
    print(step, flush=True)
"""


def test_a_kill_in_mid_save_leaves_whole_checkpoints_only(tmp_path: Path) -> None:
    chance = random.Random(11)
    process = subprocess.Popen(
        [sys.executable, "-c", SAVING, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    time.sleep(0.05 + 0.2 * chance.random())
    process.send_signal(signal.SIGKILL)
    process.communicate()
    sweep(tmp_path)
    found = checkpoints_in(tmp_path)
    assert found
    assert sorted(one.name for one in tmp_path.iterdir()) == [one.folder.name for one in found]
    for checkpoint in found:
        assert torch.equal(checkpoint.parameters()["a"], torch.full((200_000,), float(checkpoint.step)))


def test_a_folder_without_a_manifest_is_no_checkpoint(tmp_path: Path) -> None:
    (tmp_path / "00000007").mkdir()
    assert checkpoints_in(tmp_path) == []
    with pytest.raises(RunError) as caught:
        read_checkpoint(tmp_path / "00000007")
    assert str(caught.value) == f"{tmp_path / '00000007'} is no checkpoint: it has no manifest.json."


def test_a_checkpoint_of_a_later_version_is_refused(tmp_path: Path) -> None:
    path = saved(tmp_path).folder / "manifest.json"
    content = json.loads(path.read_text()) | {"version": 99}
    path.write_text(json.dumps(content))
    with pytest.raises(RunError) as caught:
        read_checkpoint(path.parent)
    assert str(caught.value) == f"{path} is of version 99, but this regard reads version 1."


def test_no_bit_of_a_manifest_may_change(tmp_path: Path) -> None:
    path = saved(tmp_path).folder / "manifest.json"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :])
        with pytest.raises(RunError, match=str(path)):
            read_checkpoint(path.parent)


def test_a_manifest_from_before_there_were_seals_is_read(tmp_path: Path) -> None:
    path = saved(tmp_path).folder / "manifest.json"
    content = json.loads(path.read_bytes())
    del content["seal"]
    path.write_text(json.dumps(content))
    assert read_checkpoint(path.parent).step == 3


def test_what_an_interrupted_removal_left_is_swept(tmp_path: Path) -> None:
    kept, half = saved(tmp_path, 1), saved(tmp_path, 2)
    (half.folder / "manifest.json").unlink()
    sweep(tmp_path)
    assert [one.name for one in tmp_path.iterdir()] == [kept.folder.name]
