"""Weights made small: whole numbers, each row's largest weight beside them, what is alike stored once.

A row of weights w with largest m becomes levels b = round(255 w / m), a byte each, read back as
m b / 255, so that no weight is off by more than m / 510: below 0.002, whatever the row. What all the
weights of level zero lost together is kept too and dealt out evenly among them, or a long row of small
weights would no longer sum to one. Where weights are few they have two bytes and 65535 levels, and
every digit that is shown is right.
"""

import base64
import zlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

COARSE, FINE = 255, 65535
LEAST = 1e-30
"""A row whose largest weight is smaller than this is a row of nothing."""


@dataclass(frozen=True)
class Quantised:
    """One attention in levels."""

    tops: NDArray[np.float32]
    """The largest weight of each row: (heads, queries)."""
    floors: NDArray[np.float32]
    """What each weight of level zero is worth: (heads, queries)."""
    levels: NDArray[np.unsignedinteger]
    """(heads, queries, keys)."""
    error: float
    """By how much a weight read back is off at most."""

    def pack(self) -> str:
        """Largest weights, floors, then levels; deflated, in letters."""
        rows = np.stack([self.tops, self.floors]).astype("<f4")
        return pack(rows.tobytes() + self.levels.tobytes())


def quantise(
    weights: NDArray[np.floating], keep: NDArray[np.bool_] | None = None, steps: int = COARSE
) -> Quantised:
    """Give each row its own scale, from nothing to its largest weight in ``steps``.

    >>> quantise(np.array([[[0.5, 0.25, 0.0]]])).levels
    array([[[255, 128,   0]]], dtype=uint8)
    """
    tops = weights.max(axis=-1).astype(np.float32)
    tops[tops < LEAST] = 0.0
    scales = np.divide(steps, tops, out=np.zeros_like(tops), where=tops > 0)
    levels = np.rint(weights * scales[..., None]).clip(0, steps).astype("<u1" if steps == COARSE else "<u2")
    read = levels * (tops / np.float32(steps))[..., None]
    low = levels == 0 if keep is None else (levels == 0) & keep
    floors = ((weights * low).sum(axis=-1) / low.sum(axis=-1).clip(1)).astype(np.float32)
    floors[tops == 0] = 0.0
    error = np.abs(np.where(low, floors[..., None], read) - weights).max()
    return Quantised(tops, floors, levels, float(error))


def pack(content: bytes) -> str:
    """Bytes as a page carries them: deflated, in base64.

    Weights repeat in runs of nothing but hardly ever in words, so run lengths pack them smaller,
    and in a quarter of the time, than the search for repeats that is deflate's own way.
    """
    deflate = zlib.compressobj(level=6, strategy=zlib.Z_RLE)
    return base64.b64encode(deflate.compress(content) + deflate.flush()).decode("ascii")


@dataclass
class Blobs:
    """What a page carries beside its facts, each piece once, by number."""

    packed: list[str] = field(default_factory=list)
    _known: dict[bytes, int] = field(default_factory=dict)

    def add(self, packed: str) -> int:
        """Keep a packed piece; its number."""
        self.packed.append(packed)
        return len(self.packed) - 1

    def share(self, content: bytes) -> int:
        """Keep a piece that others may have too; its number."""
        if content not in self._known:
            self._known[content] = self.add(pack(content))
        return self._known[content]
