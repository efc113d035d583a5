"""A worker killed under torchrun, which starts all of them again."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from regard.runs.faults.toys import state_of, toy_recipe
from regard.training import checkpoints_in
from tests.faults.conftest import OFTEN
from tests.faults.recording import record

AGAIN_WITHIN = 30.0


def torchrun(recipe: Path, run: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    return subprocess.Popen(
        [*command, "--max-restarts", "3", "-m", "regard", "train", str(recipe), "--into", str(run)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1", "COLUMNS": "300"},
    )


def last_step(run: Path) -> int:
    found = checkpoints_in(run / "checkpoints")
    return found[-1].step if found else 0


def workers_of(process: "subprocess.Popen[str]") -> list[psutil.Process]:
    return [one for one in psutil.Process(process.pid).children() if "train" in " ".join(one.cmdline())]


def test_a_killed_worker_is_started_again_and_the_end_is_the_same(tmp_path: Path) -> None:
    recipe = tmp_path / "recipe.toml"
    text = toy_recipe(tmp_path).dumps().replace("steps = 16", "steps = 240")
    # Few steps between checkpoints, so that the time until one is saved tells when training goes on.
    recipe.write_text(text.replace("validate_every = 4", "validate_every = 10"))
    whole = torchrun(recipe, tmp_path / "whole")
    printed, _ = whole.communicate(timeout=600)
    assert whole.returncode == 0, printed[-3_000:]
    times, held, began, waits = 5 if OFTEN else 1, 0, time.perf_counter(), []
    for number in range(times):
        run = tmp_path / f"killed-{number}"
        process = torchrun(recipe, run)
        while last_step(run) < 40 and process.poll() is None:
            time.sleep(0.01)
        reached = last_step(run)
        os.kill(workers_of(process)[number % 2].pid, signal.SIGKILL)
        killed = time.perf_counter()
        while last_step(run) <= reached and process.poll() is None:
            time.sleep(0.05)
        waits.append(time.perf_counter() - killed)
        printed, _ = process.communicate(timeout=600)
        assert process.returncode == 0, printed[-3_000:]
        again = re.findall(rf"Going on with {re.escape(str(run))} after step (\d+)", printed)
        assert again, printed[-3_000:]
        assert min(map(int, again)) >= reached  # so no more than the steps since the last checkpoint are lost
        held += state_of(run) == state_of(tmp_path / "whole") and waits[-1] <= AGAIN_WITHIN
    record(
        "reliability",
        promise="A worker killed under torchrun with restarts: goes on by itself from the last checkpoint "
        f"within {AGAIN_WITHIN:.0f} s, same end",
        test="torchrun-restart",
        times=times,
        held=held,
        seconds=round(time.perf_counter() - began, 1),
        seconds_until_saved_again=[round(one, 1) for one in waits],
        failures=(),
    )
    assert held == times, waits
