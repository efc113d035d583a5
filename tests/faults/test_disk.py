"""A disk that is really full: a small one in memory."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from regard.errors import RunError
from regard.training import checkpoints_in, save_checkpoint
from tests.faults.conftest import OFTEN
from tests.faults.recording import record

MEBIBYTE = 1 << 20


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Eight mebibytes."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", str(place)]
    may = os.getuid() == 0 and shutil.which("mount") is not None
    if not may or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("only the administrator may mount a small disk")
    yield place
    subprocess.run(["umount", str(place)], check=True)


def saved(folder: Path, step: int, mebibytes: float) -> None:
    size = int(mebibytes * MEBIBYTE) // 4
    tensors = {"a": torch.full((size,), float(step))}
    save_checkpoint(folder, step=step, score=None, progress={}, parameters=tensors, optimizer={})


def test_a_full_disk_leaves_what_was_saved_before(small_disk: Path) -> None:
    times, held, began = 20 if OFTEN else 5, 0, time.perf_counter()
    for number in range(times):
        folder = small_disk / str(number)
        saved(folder, 1, 1.0)
        with pytest.raises(RunError) as caught:
            saved(folder, 2, 7.5)
        told = str(caught.value)
        assert told.startswith(
            f"{folder / '00000002'} could not be written: No space left on device; it needs "
        )
        assert " are free. The checkpoints before it are untouched." in told
        assert [one.name for one in folder.iterdir()] == ["00000001"]
        (last,) = checkpoints_in(folder)
        assert torch.equal(last.parameters()["a"], torch.full((MEBIBYTE // 4,), 1.0))
        saved(folder, 2, 0.5)  # and there is room again
        for path in sorted(folder.rglob("*"), reverse=True):
            path.unlink() if path.is_file() else path.rmdir()
        held += 1
    record(
        "reliability",
        promise="A disk that is really full: told in one line, the checkpoint before loads, no litter",
        test="small-disk",
        times=times,
        held=held,
        seconds=round(time.perf_counter() - began, 1),
        failures=(),
    )
