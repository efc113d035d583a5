"""Checkpoints that are whole or not there: written aside, sealed by a manifest, renamed at once.

    checkpoints/00001200/parameters.safetensors   what to translate with
                         optimizer.safetensors    what to go on training with
                         manifest.json            step, score, and the sha256 and size of each file

A folder counts only if its manifest is there and every file has its hash. Best and last are
computed from what is there, never linked. No pickle is written or read.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from regard.errors import RunError
from regard.sealing import is_as_sealed, sealed

PARAMETERS, OPTIMIZER, MANIFEST = "parameters.safetensors", "optimizer.safetensors", "manifest.json"
VERSION = 1
LARGEST_MANIFEST = 1 << 20
_ASIDE = ".aside-"
_BEFORE_SEALS = {"version", "step", "score", "progress", "torch", "files"}


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """A sealed checkpoint: where it is and what its manifest says."""

    folder: Path
    step: int
    score: float | None
    """The validation score; more is better."""
    progress: Mapping[str, Any]
    files: Mapping[str, Mapping[str, Any]]

    def parameters(self) -> dict[str, Tensor]:
        """The parameters, checked against the manifest."""
        return self._load(PARAMETERS)

    def optimizer(self) -> dict[str, Tensor]:
        """The training state, checked against the manifest."""
        return self._load(OPTIMIZER)

    def _load(self, name: str) -> dict[str, Tensor]:
        path = self.folder / name
        check_file(path, self.files.get(name))
        try:
            return load_file(path)
        except SafetensorError as error:
            raise RunError(f"{path} is not a whole safetensors file: {error}.") from error


def save_checkpoint(
    folder: Path,
    *,
    step: int,
    score: float | None,
    progress: Mapping[str, Any],
    parameters: Mapping[str, Tensor],
    optimizer: Mapping[str, Tensor],
) -> Checkpoint:
    """Write ``folder/<step>``; a kill at any moment leaves it whole or absent."""
    for name, tensors in (("parameter", parameters), ("training state", optimizer)):
        for key, tensor in tensors.items():
            if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
                raise RunError(f"The {name} {key} is not finite at step {step}, so nothing was saved.")
    folder.mkdir(parents=True, exist_ok=True)
    final, aside = folder / f"{step:08d}", folder / f"{_ASIDE}{step:08d}"
    if final.exists():
        return read_checkpoint(final)
    contents = {
        PARAMETERS: save({name: one.contiguous().cpu() for name, one in parameters.items()}),
        OPTIMIZER: save({name: one.contiguous().cpu() for name, one in optimizer.items()}),
    }
    files = {
        name: {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
        for name, content in contents.items()
    }
    manifest = {
        "version": VERSION,
        "step": step,
        "score": score,
        "progress": dict(progress),
        "torch": torch.__version__,
        "files": files,
    }
    shutil.rmtree(aside, ignore_errors=True)
    try:
        aside.mkdir()
        for name, content in contents.items():
            _write(aside / name, content)
        _write(aside / MANIFEST, sealed(manifest))
        _sync(aside)
        os.rename(aside, final)
        _sync(folder)
    except OSError as error:
        shutil.rmtree(aside, ignore_errors=True)
        needed = sum(len(content) for content in contents.values())
        free = shutil.disk_usage(folder).free
        raise RunError(
            f"{final} could not be written: {error.strerror or error}; it needs {needed:,} bytes "
            f"and {free:,} are free. The checkpoints before it are untouched."
        ) from error
    return read_checkpoint(final)


def read_checkpoint(folder: Path) -> Checkpoint:
    """The checkpoint in a folder, by its manifest."""
    path = folder / MANIFEST
    try:
        if path.stat().st_size > LARGEST_MANIFEST:
            raise RunError(f"{path} is larger than any manifest ({path.stat().st_size:,} bytes).")
        data = path.read_bytes()
        content = json.loads(data.decode("utf-8"))
        if content["version"] != VERSION:
            raise RunError(
                f"{path} is of version {content['version']}, but this regard reads version {VERSION}."
            )
        _check_seal(path, data, content)
        files = {
            str(name): {"sha256": str(entry["sha256"]), "bytes": int(entry["bytes"])}
            for name, entry in content["files"].items()
        }
        score = content["score"]
        return Checkpoint(
            folder=folder,
            step=int(content["step"]),
            score=None if score is None else float(score),
            progress=dict(content["progress"]),
            files=files,
        )
    except FileNotFoundError as error:
        raise RunError(f"{folder} is no checkpoint: it has no {MANIFEST}.") from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        if isinstance(error, RunError):
            raise
        raise RunError(f"{path} is damaged: {type(error).__name__} {error}.") from error


def _check_seal(path: Path, data: bytes, content: dict[str, Any]) -> None:
    """Refuse a manifest that is not as it was written; one from before there were seals has none."""
    if set(content) != _BEFORE_SEALS and not is_as_sealed(data, content):
        raise RunError(f"{path} does not have the seal it was written with: it is damaged.")


def checkpoints_in(folder: Path) -> list[Checkpoint]:
    """All sealed checkpoints of a run, first to last."""
    if not folder.is_dir():
        return []
    found = [
        one for one in folder.iterdir() if one.is_dir() and one.name.isdigit() and (one / MANIFEST).exists()
    ]
    return sorted((read_checkpoint(one) for one in found), key=lambda checkpoint: checkpoint.step)


def best_of(checkpoints: list[Checkpoint]) -> Checkpoint:
    """The checkpoint with the highest score; the later of equals."""
    return max(checkpoints, key=lambda one: (-float("inf") if one.score is None else one.score, one.step))


def sweep(folder: Path) -> None:
    """Remove what an interrupted save left aside, and what an interrupted removal left behind."""
    if folder.is_dir():
        unsealed = [one for one in folder.iterdir() if one.name.isdigit() and not (one / MANIFEST).exists()]
        for leftover in [*folder.glob(f"{_ASIDE}*"), *unsealed]:
            shutil.rmtree(leftover, ignore_errors=True)


def keep_best_and_last(folder: Path, last: int = 2, scored: int = 0) -> None:
    """Remove all checkpoints but the best, the last few, and the last few that have a score."""
    found = checkpoints_in(folder)
    if len(found) <= last:
        return
    with_score = [checkpoint for checkpoint in found if checkpoint.score is not None]
    kept = {
        best_of(found).step,
        *(one.step for one in found[-last:] + with_score[len(with_score) - scored :]),
    }
    for checkpoint in found:
        if checkpoint.step not in kept:
            # Unseal it first: half a removal must not look like a checkpoint.
            (checkpoint.folder / MANIFEST).unlink()
            shutil.rmtree(checkpoint.folder)


def check_file(path: Path, entry: Mapping[str, Any] | None) -> None:
    """Refuse a file that is not, byte for byte, what the manifest says."""
    if entry is None:
        raise RunError(f"The manifest beside {path} does not name it.")
    try:
        if path.exists() and not path.is_file():
            raise RunError(f"{path} is no file.")
        size = path.stat().st_size
        if size != entry["bytes"]:
            raise RunError(
                f"{path} has {size:,} bytes, but its manifest says {entry['bytes']:,}: it is damaged."
            )
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError as error:
        raise RunError(f"{path} is missing.") from error
    if found != entry["sha256"]:
        raise RunError(f"{path} does not have the sha256 its manifest says: it is damaged.")


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
