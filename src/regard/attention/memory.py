"""What an attention remembers: keys and values projected once, growing as a sentence is written."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from regard.errors import ShapeError

LEAST_ROOM = 32
"""Positions that a growing memory has room for at first."""


class _Store:
    """Room for keys and values, more than is filled, so that adding rarely copies."""

    def __init__(self, keys: Tensor, values: Tensor, filled: int) -> None:
        self.keys, self.values, self.filled = keys, values, filled


@dataclass(frozen=True)
class Memory:
    """Keys and values of the positions up to ``len(memory)``; ``past`` is where the last addition began.

    A memory never changes: adding to it gives another, and two that grow from one do not
    disturb each other. They share room as long as only one of them grows.
    """

    keys: Float[Tensor, "batch key_heads keys head_width"]
    values: Float[Tensor, "batch key_heads keys head_width"]
    past: int
    silenced: bool = False
    """Whether what no query will hear is known to be finite, so that it need not be looked after."""
    _store: _Store | None = None
    beside: int = 1
    """How many samples of queries, one under the other, look at each sample here. They are asked as queries
    of one sample, so without positions, and with masks that are the same for every query."""

    @classmethod
    def of(cls, keys: Tensor, values: Tensor, *, silenced: bool = False) -> "Memory":
        """A memory of these alone."""
        return cls(keys, values, past=0, silenced=silenced)

    def __len__(self) -> int:
        return self.keys.shape[-2]

    def in_order(self) -> "Memory":
        """The same memory, head after head, as it is read fastest again and again."""
        return replace(self, keys=self.keys.contiguous(), values=self.values.contiguous())

    def looked_at_by(self, beside: int) -> "Memory":
        """The same memory, where so many samples of queries, one under the other, look at each of its own."""
        return self if beside == self.beside else replace(self, beside=beside)

    def and_then(self, keys: Tensor, values: Tensor) -> "Memory":
        """This memory and, after it, these."""
        if keys.shape[:2] != self.keys.shape[:2] or keys.shape[3:] != self.keys.shape[3:]:
            raise ShapeError(
                f"A memory of {tuple(self.keys.shape)} cannot go on with keys of {tuple(keys.shape)}."
            )
        begun, ended = len(self), len(self) + keys.shape[-2]
        if torch.is_grad_enabled() or torch.compiler.is_compiling():
            return Memory(
                torch.cat([self.keys, keys], dim=-2),
                torch.cat([self.values, values], dim=-2),
                begun,
                self.silenced,
            )
        store = self._store
        if store is None or store.filled != begun or ended > store.keys.shape[-2]:
            room = max(2 * ended, LEAST_ROOM)
            store = _Store(self._with_room(self.keys, room), self._with_room(self.values, room), begun)
        store.keys[..., begun:ended, :] = keys
        store.values[..., begun:ended, :] = values
        store.filled = ended
        return Memory(store.keys[..., :ended, :], store.values[..., :ended, :], begun, self.silenced, store)

    def select(self, rows: Tensor) -> "Memory":
        """The memories of these samples; rows may repeat or be dropped."""
        store = self._store
        if store is None or torch.is_grad_enabled():
            keys, values = self.keys.index_select(0, rows), self.values.index_select(0, rows)
            return Memory(keys, values, self.past, self.silenced)
        # The room goes along, so that the next addition need not copy once more.
        store = _Store(store.keys.index_select(0, rows), store.values.index_select(0, rows), len(self))
        keys, values = (room[..., : len(self), :] for room in (store.keys, store.values))
        return Memory(keys, values, self.past, self.silenced, store)

    def move(self, places: Tensor, rows: Tensor) -> "Memory":
        """This memory with the samples at ``places`` replaced by those that were at ``rows``.

        It uses this memory up, and all that share its room: what stays is not copied.
        """
        store = self._store or _Store(self.keys.clone(), self.values.clone(), len(self))
        for room in (store.keys, store.values):
            filled = room[..., : len(self), :]
            filled.index_copy_(0, places, filled.index_select(0, rows))
        keys, values = (room[..., : len(self), :] for room in (store.keys, store.values))
        return Memory(keys, values, self.past, self.silenced, store)

    @classmethod
    def join(cls, memories: Sequence["Memory"], *, at_end: bool) -> "Memory":
        """The samples of several memories under each other; shorter ones get zeros before them.

        With ``at_end`` the zeros come after them instead.
        """
        longest = max(len(memory) for memory in memories)

        def filled(tensor: Tensor) -> Tensor:
            room = longest - tensor.shape[-2]
            return F.pad(tensor, (0, 0, 0, room) if at_end else (0, 0, room, 0))

        return cls(
            torch.cat([filled(memory.keys) for memory in memories]),
            torch.cat([filled(memory.values) for memory in memories]),
            past=longest,
            silenced=all(memory.silenced for memory in memories),
        )

    def _with_room(self, tensor: Tensor, room: int) -> Tensor:
        larger = tensor.new_empty(*tensor.shape[:-2], room, tensor.shape[-1])
        larger[..., : len(self), :] = tensor
        return larger


def side_by_side(
    tensor: Float[Tensor, "rows heads queries width"], beside: int
) -> Float[Tensor, "batch heads queries_of_all width"]:
    """So many samples, one under the other, as queries of one: the first one's before the next one's."""
    return tensor if beside == 1 else tensor.unflatten(0, (-1, beside)).transpose(1, 2).flatten(2, 3)


def one_under_another(
    tensor: Float[Tensor, "batch heads queries_of_all width"], beside: int
) -> Float[Tensor, "rows heads queries width"]:
    """What :func:`side_by_side` set side by side.

    >>> tensor = torch.randn(6, 2, 3, 5)
    >>> torch.equal(one_under_another(side_by_side(tensor, 2), 2), tensor)
    True
    """
    return tensor if beside == 1 else tensor.unflatten(2, (beside, -1)).transpose(1, 2).flatten(0, 1)
