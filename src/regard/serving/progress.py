"""``/training``: runs in progress, from what they write down as they go."""

import json
import re
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from regard.errors import RegardError
from regard.runs import RunFolder
from regard.serving.looking import told_maps
from regard.serving.problems import Problem
from regard.viewing import AttentionMaps

TAIL_BYTES = 4 << 20
MOST = 2_000
FRESH = 120.0
"""Seconds after which a run that writes nothing counts as stopped."""
STEP = ("step", "loss", "learning_rate", "gradient_norm", "tokens", "seconds")
VALIDATION = ("step", "loss", "bleu", "chrf", "source", "target", "translation", "is_best")
_LOOK = re.compile(r"(\d{8})\.npz")


def report(folders: Mapping[str, RunFolder], after: int = 0) -> dict[str, Any]:
    """Every run, with what came after a step."""
    return {"runs": [_report(name, folder, after) for name, folder in folders.items()]}


def look_at(folders: Mapping[str, RunFolder], name: str, step: int) -> dict[str, Any]:
    """The maps a run kept at a step."""
    if name not in folders or step not in _looks(folders[name].looks):
        raise Problem(404, "not_found", "There is no such look.")
    try:
        maps = AttentionMaps.load(folders[name].looks / f"{step:08d}.npz")
    except RegardError:
        raise Problem(404, "not_found", "That look cannot be read: it may be half written.") from None
    return {"name": name, "step": step, "maps": told_maps(maps)}


def _report(name: str, folder: RunFolder, after: int) -> dict[str, Any]:
    entries = [entry for entry in _tail(folder.history) if isinstance(entry.get("step"), int)]
    last = max((entry["step"] for entry in entries), default=0)
    steps = _steps(folder)
    age = _age(folder)
    finished = steps is not None and last >= steps
    new = [entry for entry in entries if entry["step"] > after]
    return {
        "name": name,
        "step": last,
        "steps": steps,
        "state": "finished" if finished else "running" if age is not None and age < FRESH else "stopped",
        "age": age,
        "looks": _looks(folder.looks),
        "history": _those(new, "step", STEP),
        "validations": _those(new, "validation", VALIDATION),
    }


def _tail(path: Path) -> Iterable[dict[str, Any]]:
    """The last lines of a history; what is half written is passed over."""
    try:
        with path.open("rb") as file:
            file.seek(0, 2)
            file.seek(max(file.tell() - TAIL_BYTES, 0))
            lines = file.read().split(b"\n")
    except OSError:
        return
    for line in lines:
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry


def _those(entries: Iterable[dict[str, Any]], kind: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    found = [entry for entry in entries if entry.get("kind") == kind]
    return [{name: entry.get(name) for name in names} for entry in found[-MOST:]]


def _steps(folder: RunFolder) -> int | None:
    try:
        return folder.recipe().training.steps
    except RegardError:
        return None


def _age(folder: RunFolder) -> float | None:
    try:
        return round(max(time.time() - folder.history.stat().st_mtime, 0.0), 1)
    except OSError:
        return None


def _looks(folder: Path) -> list[int]:
    if not folder.is_dir():
        return []
    found = (_LOOK.fullmatch(path.name) for path in folder.iterdir())
    return sorted(int(match[1]) for match in found if match)
