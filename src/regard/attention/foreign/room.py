"""Room for the keys and values of calls that share them, as the steps of decoding do."""

import torch
from torch import Tensor


class Room:
    """Keeps copies; a call whose keys begin with those of the call before adds only what is new.

    So the memory of watching a decoding grows with its length, not with its square.
    """

    def __init__(self) -> None:
        self._rooms: tuple[Tensor, ...] = ()
        self._length = 0

    def keep(self, *sides: Tensor) -> list[Tensor]:
        """Copies that nobody else writes to."""
        length = sides[0].shape[-2]
        if not self._goes_on(sides):
            self._rooms = tuple(side.clone() for side in sides)
        elif length > self._rooms[0].shape[-2]:
            self._rooms = tuple(torch.cat([side, torch.empty_like(side)], dim=-2) for side in sides)
        else:
            for room, side in zip(self._rooms, sides, strict=True):
                room[..., self._length : length, :] = side[..., self._length :, :]
        self._length = length
        return [room[..., :length, :] for room in self._rooms]

    def _goes_on(self, sides: tuple[Tensor, ...]) -> bool:
        return (
            bool(self._rooms)
            and self._rooms[0].is_inference() == torch.is_inference_mode_enabled()
            and all(self._begins(side, room) for side, room in zip(sides, self._rooms, strict=True))
        )

    def _begins(self, side: Tensor, room: Tensor) -> bool:
        begun = room[..., : self._length, :]
        return (side.dtype, side.device) == (room.dtype, room.device) and torch.equal(
            side[..., : self._length, :], begun
        )
