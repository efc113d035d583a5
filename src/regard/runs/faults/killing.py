"""Processes killed without warning, disks that fill up, runs done again."""

import random
import resource
import signal
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import torch

from regard.errors import RunError
from regard.runs.faults.forking import Fork, group
from regard.runs.faults.toys import STEPS, state_of, toy_recipe, training_on
from regard.training import checkpoints_in, keep_best_and_last, save_checkpoint, sweep

NUMBERS = 600_000
"""Parameters of the checkpoints that are killed while being saved: some 7 MB with their state."""


def killed_in_mid_save(folder: Path, times: int) -> Iterator[str]:
    """A process that does nothing but save is killed; what is there must be whole."""
    chance = random.Random(7)

    def save_on() -> None:
        step = max((one.step for one in checkpoints_in(folder / "saved")), default=0)
        while True:
            step += 1
            _save(folder / "saved", step)
            (folder / "told").write_text(str(step))

    for _ in range(times):
        told = _told(folder)
        fork = Fork(save_on, folder / "complaints")
        while _told(folder) == told and not fork.is_over():
            time.sleep(0.001)
        saved, told = time.perf_counter(), _told(folder)
        while _told(folder) == told and not fork.is_over():
            time.sleep(0.001)
        time.sleep((time.perf_counter() - saved) * chance.random())  # somewhere within the next save
        fork.kill()
        sweep(folder / "saved")
        ended_before = fork.code != -signal.SIGKILL
        yield (folder / "complaints").read_text()[-300:] if ended_before else _whole(folder)


def _told(folder: Path) -> int:
    """The last step that was told to be saved."""
    try:
        return int((folder / "told").read_text())
    except (OSError, ValueError):
        return 0


def _save(folder: Path, step: int) -> None:
    tensor = torch.full((NUMBERS,), float(step))
    state = {"exp_avg.a": tensor / 2, "exp_avg_sq.a": tensor / 3}
    save_checkpoint(
        folder, step=step, score=float(step), progress={}, parameters={"a": tensor}, optimizer=state
    )
    keep_best_and_last(folder)


def _whole(folder: Path) -> str:
    """What is wrong with what was saved, or nothing."""
    saved = folder / "saved"
    found = checkpoints_in(saved)
    here = {one.name for one in saved.iterdir()}
    if here != {one.folder.name for one in found}:
        return f"{here - {one.folder.name for one in found}} was left over"
    if not found or found[-1].step < _told(folder):
        return f"step {_told(folder)} was told to be saved, but there are {sorted(here)}"
    for checkpoint in found:
        if not torch.equal(checkpoint.parameters()["a"], torch.full((NUMBERS,), float(checkpoint.step))):
            return f"{checkpoint.folder} holds something else"
        checkpoint.optimizer()
    return ""


def killed_in_mid_epoch(folder: Path, times: int, processes: int = 1) -> Iterator[str]:
    """Runs are killed between steps and within them; each must end as if nothing had been."""
    chance = random.Random(11)

    def to_the_end(run: Path) -> str:
        forks = _started(folder, run, processes)
        return "" if [fork.wait() for fork in forks] == [0] * processes else _complaint(folder)

    whole = folder / "whole"
    if trouble := to_the_end(whole):
        raise RunError(f"The undisturbed run failed: {trouble}")
    for number in range(times):
        run = folder / f"killed-{number}"
        forks = _started(folder, run, processes)
        after = chance.randrange(1, STEPS)
        while not any(fork.is_over() for fork in forks) and _steps_done(run) < after:
            time.sleep(0.002)
        time.sleep(0.02 * chance.random())
        chance.choice(forks).kill()
        for fork in forks:  # the others must notice by themselves
            fork.wait()
        trouble = to_the_end(run)
        yield trouble or ("" if state_of(run) == state_of(whole) else "its end is not that of the other")


def _started(folder: Path, run: Path, processes: int) -> list[Fork]:
    recipe = toy_recipe(folder)
    progress = run.with_suffix(".step")

    def train() -> None:
        training_on(recipe, run, lambda step: progress.write_text(str(step)))

    if processes == 1:
        return [Fork(train, folder / "complaints.0")]
    return group([train] * processes, folder / "complaints")


def _steps_done(run: Path) -> int:
    try:
        return int(run.with_suffix(".step").read_text())
    except (OSError, ValueError):
        return 0


def _complaint(folder: Path) -> str:
    lines = [path.read_text().strip().splitlines()[-1:] for path in sorted(folder.glob("complaints.*"))]
    return "; ".join(line for said in lines for line in said) or "it ended without a word"


def disk_full(folder: Path, times: int) -> Iterator[str]:
    """No file may grow beyond what the first saves need: the next is refused, those before stay."""
    for number in range(times):
        place = folder / str(number)
        _save(place, 1)

        def save_too_much(place: Path = place, allowed: int = 4 * NUMBERS // (number + 2)) -> None:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (allowed, allowed))
            try:
                _save(place, 2)
            except RunError as error:
                (place.parent / "refused").write_text(str(error)[:3_000])

        Fork(save_too_much, folder / "complaints").wait()
        said = (folder / "refused").read_text() if (folder / "refused").exists() else "nothing was refused"
        there = sorted(one.name for one in place.iterdir())
        checkpoints_in(place)[-1].parameters()
        told = f"{place / '00000002'} could not be written: " in said and " bytes and " in said
        yield "" if told and there == ["00000001"] else f"{said} {there}"
        (folder / "refused").unlink(missing_ok=True)


def same_again(folder: Path, times: int) -> Iterator[str]:
    """The same recipe, run after run; another seed must differ."""
    states = []
    for number in range(times + 1):
        seed = 2 if number == times else 1
        run = folder / f"run-{number}"
        fork = Fork(partial(training_on, toy_recipe(folder, seed=seed), run), folder / "complaints.0")
        if fork.wait():
            yield _complaint(folder)
            continue
        states.append(state_of(run))
        if number == times and states[-1] in states[:-1]:
            raise RunError("Another seed gave the same parameters.")
        if number < times:
            yield "" if states[-1] == states[0] else f"run {number} differs"
