"""The promises, how each is tried, and what came of it."""

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from regard.runs.faults.damaging import cut_short, flipped_bits, pickles
from regard.runs.faults.killing import disk_full, killed_in_mid_epoch, killed_in_mid_save, same_again
from regard.runs.faults.learning import not_finite
from regard.runs.faults.reading import corrupted_files, hostile_strings

Trial = Callable[[Path, int], Iterator[str]]
"""Tries something a number of times in a folder; says each time what went wrong, or nothing."""


@dataclass(frozen=True, kw_only=True)
class Promise:
    """What is promised, and how it is tried: a few times, or often."""

    name: str
    says: str
    trial: Trial
    few: int
    often: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How often a promise was tried and how often it held."""

    promise: str
    test: str
    times: int
    held: int
    seconds: float
    failures: tuple[str, ...] = ()
    """What went wrong, the first few times."""


PROMISES = (
    Promise(
        name="kill-in-mid-save",
        says="Killed (SIGKILL) while saving: every checkpoint there is whole, nothing is left over",
        trial=killed_in_mid_save,
        few=25,
        often=200,
    ),
    Promise(
        name="kill-in-mid-epoch",
        says="Killed in mid-epoch with dropout on: the end is that of the undisturbed run, bit for bit",
        trial=killed_in_mid_epoch,
        few=3,
        often=20,
    ),
    Promise(
        name="kill-one-of-two",
        says="One of two processes killed in mid-epoch: the same, after resuming",
        trial=partial(killed_in_mid_epoch, processes=2),
        few=2,
        often=20,
    ),
    Promise(
        name="disk-full",
        says="No room while saving: told in one line with path and bytes, the one before loads, no litter",
        trial=disk_full,
        few=3,
        often=20,
    ),
    Promise(
        name="flipped-bits",
        says="One bit flipped in any file under a manifest, of a run or of prepared pairs: refused, the file "
        "named",
        trial=flipped_bits,
        few=100,
        often=1_000,
    ),
    Promise(
        name="cut-short",
        says="Any of these files cut short: refused, the file named",
        trial=cut_short,
        few=50,
        often=200,
    ),
    Promise(
        name="pickles",
        says="Pickles under every name that is read: none is run, no unpickler is reached",
        trial=pickles,
        few=12,
        often=48,
    ),
    Promise(
        name="not-finite",
        says="NaN or infinity in loss, gradient or parameter on one of two processes: both skip, nothing "
        "changes, batch and module are named",
        trial=not_finite,
        few=6,
        often=18,
    ),
    Promise(
        name="hostile-strings",
        says="Any characters: back from the tokenizer as they were, read as they stand, one line for one",
        trial=hostile_strings,
        few=300,
        often=10_000,
    ),
    Promise(
        name="corrupted-files",
        says="Parallel files that do not fit: refused before the first step with file, line and byte",
        trial=corrupted_files,
        few=12,
        often=24,
    ),
    Promise(
        name="same-again",
        says="Same seed, build and threads: the same parameters; another seed: others",
        trial=same_again,
        few=3,
        often=10,
    ),
)


def keep(promise: Promise, times: int, folder: Path | None = None) -> Outcome:
    """Try a promise so many times."""
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(dir=folder, prefix="regard-faults-") as place:
        said = list(promise.trial(Path(place), times))
    wrong = [one for one in said if one]
    return Outcome(
        promise=promise.says,
        test=promise.name,
        times=len(said),
        held=len(said) - len(wrong),
        seconds=round(time.perf_counter() - began, 1),
        failures=tuple(wrong[:5]),
    )
