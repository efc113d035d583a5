"""Maps as files: JSON to read anywhere, ``.npz`` to keep many small. Neither holds code."""

import json
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from regard.errors import DataError, RegardError
from regard.viewing.maps import TENSORS, TEXTS, AttentionMap

FORMAT = "regard attention maps 1"
FILES = (".json", ".npz")
DAMAGE = (
    *(ValueError, KeyError, TypeError, IndexError, AttributeError, RuntimeError),  # not what we write
    *(OSError, EOFError, zipfile.BadZipFile, zlib.error),  # not a whole file
    *(MemoryError, OverflowError, NotImplementedError),  # a file that lies about its size or packing
)
LARGEST_FILE = 1 << 28
"""Bytes of maps, unpacked."""


def to_json(maps: Iterable[AttentionMap]) -> str:
    """Write maps as JSON; numbers come back exactly as they were."""
    entries = [
        {name: getattr(each, name) for name in TEXTS}
        | {"precision": str(each.weights.dtype).removeprefix("torch.")}
        | {name: _plain(getattr(each, name)) for name in TENSORS}
        for each in maps
    ]
    return json.dumps({"format": FORMAT, "maps": entries}, ensure_ascii=True, separators=(",", ":"))


def from_json(text: str | bytes, where: str = "the JSON") -> list[AttentionMap]:
    """Read maps written by :func:`to_json`."""
    try:
        content = json.loads(text)
        if content["format"] != FORMAT:
            raise KeyError(content["format"])
        return [
            AttentionMap(**_texts(entry) | {name: _tensor(entry, name) for name in TENSORS})
            for entry in content["maps"]
        ]
    except RegardError as error:
        raise DataError(f"{where} does not hold attention maps: {error}") from None
    except DAMAGE:
        raise DataError(f"{where} does not hold attention maps as regard writes them.") from None


def save(maps: Iterable[AttentionMap], path: str | Path) -> Path:
    """Write maps to a ``.json`` or ``.npz`` file."""
    path = Path(path)
    if path.suffix.lower() == ".json":
        path.write_text(to_json(maps), encoding="ascii")
        return path
    texts: list[dict[str, Any]] = []
    arrays: dict[str, Any] = {}
    for number, each in enumerate(maps):
        texts.append({name: getattr(each, name) for name in TEXTS})
        tensors = ((name, getattr(each, name)) for name in TENSORS)
        arrays |= {f"{number}.{name}": tensor.numpy() for name, tensor in tensors if tensor is not None}
    header = json.dumps({"format": FORMAT, "maps": texts}, ensure_ascii=True).encode("ascii")
    with path.open("wb") as file:
        np.savez_compressed(file, texts=np.frombuffer(header, dtype=np.uint8), **arrays)
    return path


def load(path: str | Path) -> list[AttentionMap]:
    """Read maps from a ``.json`` or ``.npz`` file; nothing in it is ever run."""
    path = Path(path)
    if path.suffix.lower() not in FILES:
        raise DataError(
            f"{path} cannot be read as attention maps: its name must end in {' or '.join(FILES)}."
        )
    try:
        _check_size(path)
        if path.suffix.lower() == ".json":
            return from_json(path.read_bytes(), str(path))
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            content = json.loads(arrays["texts"].tobytes())
            if content["format"] != FORMAT:
                raise KeyError(content["format"])
            return [
                AttentionMap(
                    **_texts(texts)
                    | {name: arrays[f"{number}.{name}"] for name in TENSORS if f"{number}.{name}" in arrays}
                )
                for number, texts in enumerate(content["maps"])
            ]
    except FileNotFoundError:
        raise DataError(f"{path} does not exist.") from None
    except DataError:
        raise
    except RegardError as error:
        raise DataError(f"{path} does not hold attention maps: {error}") from None
    except DAMAGE:
        raise DataError(f"{path} does not hold attention maps as regard writes them.") from None


def _check_size(path: Path) -> None:
    """Refuse a file that is, or unpacks to, more than any maps."""
    size = path.stat().st_size
    if path.suffix.lower() == ".npz" and size <= LARGEST_FILE:
        with zipfile.ZipFile(path) as packed:
            size = sum(one.file_size for one in packed.infolist())
    if size > LARGEST_FILE:
        raise DataError(f"{path} holds {size:,} bytes, more than any attention maps ({LARGEST_FILE:,}).")


def _texts(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: entry[name] for name in TEXTS} | {"axes": (entry["axes"][0], entry["axes"][1])}


def _plain(tensor: Tensor | None) -> Any:
    """Lists of numbers with as many digits as their precision has."""
    if tensor is None or tensor.dtype != torch.float32:
        return None if tensor is None else tensor.tolist()
    return _nine_digits(tensor.tolist())


def _nine_digits(numbers: Any) -> Any:
    return [_nine_digits(each) for each in numbers] if isinstance(numbers, list) else float(f"{numbers:.9g}")


def _tensor(entry: dict[str, Any], name: str) -> Tensor | None:
    dtypes = {"float32": torch.float32, "float64": torch.float64}
    dtype = torch.bool if name == "keep" else dtypes[entry["precision"]]
    return None if entry[name] is None else torch.tensor(entry[name], dtype=dtype)
