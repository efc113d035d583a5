"""Byte-pair merges applied one by one, some of them left out.

The tokenizers library merges faster, but draws what to leave out from a generator that
cannot be seeded; training that resumes bit for bit needs one that can.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from itertools import pairwise
from random import Random


class Merges:
    """Pairs of tokens that become one, the earlier pair before the later."""

    def __init__(self, merges: Sequence[tuple[bytes, bytes]], numbers: Mapping[bytes, int]) -> None:
        self._byte = [numbers[bytes([byte])] for byte in range(256)]
        self._rank = {(numbers[left], numbers[right]): rank for rank, (left, right) in enumerate(merges)}
        self._result = [numbers[left + right] for left, right in merges]
        self._always = {
            rank for rank, (left, right) in enumerate(merges) if _characters_begun(left + right) < 2
        }

    def apply(self, word: bytes, *, dropout: float, random: Callable[[], float]) -> list[int]:
        """Merge the bytes of a word; each merge in sight falls out by chance before each choice.

        A merge that only puts one character together never falls out. The time is
        quadratic in the length of the word.
        """
        tokens = [self._byte[byte] for byte in word]
        while True:
            best = min(
                (
                    (rank, place)
                    for place, pair in enumerate(pairwise(tokens))
                    if (rank := self._rank.get(pair)) is not None
                    and (rank in self._always or random() >= dropout)
                ),
                default=None,
            )
            if best is None:
                return tokens
            rank, place = best
            tokens[place : place + 2] = [self._result[rank]]


def random_of(draw: tuple[int, ...]) -> Callable[[], float]:
    """Numbers from 0 to 1 that depend on ``draw`` alone, on every machine.

    >>> random_of((7, 0, 3))() == random_of((7, 0, 3))() != random_of((7, 1, 3))()
    True
    """
    digest = blake2b(",".join(map(str, draw)).encode(), digest_size=8).digest()
    return Random(int.from_bytes(digest, "big")).random


def _characters_begun(data: bytes) -> int:
    return sum(byte & 0xC0 != 0x80 for byte in data)
