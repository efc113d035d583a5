"""Run folders that were damaged on the way, or made by an enemy."""

import hashlib
import json
import random
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from regard.errors import RegardError, RunError
from regard.runs.faults.forking import Fork
from regard.runs.faults.toys import toy_pairs, toy_recipe, training_on
from regard.runs.folder import RECIPE, TOKENIZER, RunFolder
from regard.runs.loading import Translator
from regard.sealing import sealed
from regard.text.prepared import Prepared, is_prepared
from regard.text.prepared_writing import prepare_pairs
from regard.training.checkpoints import MANIFEST, OPTIMIZER, PARAMETERS
from regard.viewing import AttentionMaps


def flipped_bits(folder: Path, times: int) -> Iterator[str]:
    """One bit anywhere in a file that a checkpoint stands on: refused, and the file is named."""
    return _damaged(folder, times, cut=False)


def cut_short(folder: Path, times: int) -> Iterator[str]:
    """A file ends early: refused, and the file is named."""
    return _damaged(folder, times, cut=True)


def _damaged(folder: Path, times: int, *, cut: bool) -> Iterator[str]:
    chance = random.Random(13)
    run = _a_run(folder)
    last = RunFolder(run).checkpoint("last").folder
    names = [last / PARAMETERS, last / OPTIMIZER, last / MANIFEST, run / RECIPE, run / TOKENIZER]
    pairs = prepare_pairs(toy_pairs(folder), folder / "prepared", workers=1).folder
    names += sorted(path for path in pairs.rglob("*") if path.is_file())
    for number in range(times):
        path = names[number % len(names)]
        whole = path.read_bytes()
        if cut:
            damaged = whole[: chance.randrange(len(whole))]
        else:
            bit = chance.randrange(8 * len(whole))
            changed = bytearray(whole)
            changed[bit // 8] ^= 1 << bit % 8
            damaged = bytes(changed)
        path.write_bytes(damaged)
        yield _refusal(run, path) if run in path.parents else _refusal(pairs, path)
        path.write_bytes(whole)


def _a_run(folder: Path) -> Path:
    run = folder / "run"
    if Fork(lambda: training_on(toy_recipe(folder), run), folder / "complaints.0").wait():
        raise RunError((folder / "complaints.0").read_text())
    return run


def _load_everything(run: Path) -> None:
    Translator.load(run, checkpoint="last")
    RunFolder(run).checkpoint("last").optimizer()


def _read_pairs(folder: Path) -> None:
    prepared = Prepared(folder)
    if not (prepared.validation.pairs and prepared.corpus.pairs[0]):
        raise AssertionError("pairs that are there are not empty")


def _refusal(folder: Path, path: Path) -> str:
    try:
        if is_prepared(folder):
            _read_pairs(folder)
        else:
            _load_everything(folder)
    except RegardError as error:
        where = path.parent if path.name == MANIFEST else path
        return "" if str(where) in str(error) or path.name in str(error) else f"{path} is not named: {error}"
    return f"{path} was taken"


PAYLOADS = {
    "os.system": b"cposix\nsystem\n(S'touch %s'\ntR.",
    "eval": b'c__builtin__\neval\n(S\'open("%s", "w")\'\ntR.',
    "protocol 4": b"\x80\x04\x8c\x05posix\x8c\x06system\x93\x8c\x40touch %s\x85R.",
    "load from bytes": b"ctorch.storage\n_load_from_bytes\n(S'%s'\ntR.",
}
"""Pickles that leave a mark when they are loaded; written by hand, since nothing here pickles."""


def pickles(folder: Path, times: int) -> Iterator[str]:
    """Pickles under every name that is read, under manifests that vouch for them: none is run."""
    run = _a_run(folder)
    last = RunFolder(run).checkpoint("last").folder
    look = next((run / "looks").iterdir())
    names = [last / PARAMETERS, last / OPTIMIZER, last / MANIFEST, run / RECIPE, run / TOKENIZER, look]
    for number in range(times):
        kind = list(PAYLOADS)[number // len(names) % len(PAYLOADS)]
        path = names[number % len(names)]
        mark = folder / f"mark-{number}"
        payload = PAYLOADS[kind].replace(b"%s", str(mark).encode())
        if number % 2:  # as numpy keeps an array of objects
            header = b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }"
            header = header.ljust(117) + b"\n"
            payload = np.lib.format.magic(1, 0) + len(header).to_bytes(2, "little") + header + payload
        enemy = folder / "enemy"
        shutil.rmtree(enemy, ignore_errors=True)
        shutil.copytree(run, enemy)
        own = enemy / path.relative_to(run)
        own.write_bytes(payload)
        vouch(enemy, own)
        yield _not_run(folder, enemy, own, mark)


def vouch(run: Path, path: Path) -> None:
    """Let the manifest say of a file what it should."""
    for manifest in run.glob(f"checkpoints/*/{MANIFEST}"):
        if manifest == path:
            continue
        content = json.loads(manifest.read_bytes())
        content.pop("seal", None)
        seal = {"sha256": hashlib.sha256(path.read_bytes()).hexdigest(), "bytes": path.stat().st_size}
        for seals in (content["files"], content["progress"]["stands_on"]):
            if path.name in seals and (path.parent == manifest.parent or path.parent == run):
                seals[path.name] = seal
        manifest.write_bytes(sealed(content))


def _not_run(folder: Path, run: Path, path: Path, mark: Path) -> str:
    """Load it where every unpickling is heard."""
    heard = folder / "heard"

    def load() -> None:
        events: list[str] = []
        sys.addaudithook(lambda event, _: events.append(event) if event.startswith("pickle.") else None)
        refused = ""
        try:
            if path.suffix == ".npz":
                AttentionMaps.load(path)
            _load_everything(run)
        except (RegardError, ValueError, OSError) as error:
            refused = str(error)
        heard.write_text(json.dumps({"events": events, "refused": refused}))

    heard.unlink(missing_ok=True)
    Fork(load, folder / "complaints.0").wait()
    if mark.exists():
        return f"{path} was run"
    if not heard.exists():
        return f"{path}: {(folder / 'complaints.0').read_text()[-300:]}"
    found = json.loads(heard.read_text())
    if found["events"]:
        return f"{path} reached an unpickler"
    return "" if found["refused"] else f"{path} was taken"
