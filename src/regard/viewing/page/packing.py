"""Weights made small: whole numbers, each row's largest weight beside them, what is alike stored once.

A row of weights w with largest m becomes levels b = round(255 w / m), a byte each, read back as
m b / 255, so that no weight is off by more than m / 510: below 0.002, whatever the row. Where weights
are few they have two bytes and 65535 levels, and every digit that is shown is right.
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
    """One attention in levels: (heads, queries, keys), and its largest weights: (heads, queries)."""

    tops: NDArray[np.float32]
    levels: NDArray[np.unsignedinteger]
    steps: int
    """The level of a row's largest weight."""
    error: float
    """By how much a weight read back is off at most."""

    def weights(self) -> NDArray[np.float32]:
        """The weights as a page reads them back."""
        return self.levels * (self.tops / np.float32(self.steps))[..., None]

    def pack(self) -> str:
        """Largest weights, then levels, deflated, in letters."""
        return pack(self.tops.astype("<f4").tobytes() + self.levels.tobytes())


def quantise(weights: NDArray[np.floating], steps: int = COARSE) -> Quantised:
    """Give each row its own scale.

    >>> quantise(np.array([[[0.5, 0.25, 0.0]]])).levels
    array([[[255, 128,   0]]], dtype=uint8)
    """
    tops = weights.max(axis=-1).astype(np.float32)
    tops[tops < LEAST] = 0.0
    scales = np.divide(steps, tops, out=np.zeros_like(tops), where=tops > 0)
    levels = np.rint(weights * scales[..., None]).clip(0, steps).astype("<u1" if steps == COARSE else "<u2")
    rough = Quantised(tops, levels, steps, 0.0)
    return Quantised(tops, levels, steps, float(np.abs(rough.weights() - weights).max()))


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
