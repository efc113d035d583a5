"""Many processes that learn as one: each takes its share of every batch, and gradients add up.

    torchrun --nproc-per-node 2 -m regard train pairs.tsv --into runs/mine

A process finds its place in the environment that torchrun sets. What they tell each other beside
gradients is bytes, numbers and text, never pickled objects.
"""

import atexit
import gc
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cache
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.rendezvous import rendezvous

from regard.errors import RegardError, RunError
from regard.training.deadline import set_deadline

TIMEOUT = "REGARD_TIMEOUT"
"""Seconds of silence after which a process holds another for lost; 60 where not set."""
_LONGEST_PAUSE = 0.5
_PLACE = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


class SharedError(RunError):
    """An error that every process knows of, so that the first alone need tell it."""


@dataclass(frozen=True)
class Processes:
    """The place of this process among those that learn together; alone if nothing is said.

    >>> ALONE.texts("here"), ALONE.from_first(b"bytes"), ALONE.is_first
    (['here'], b'bytes', True)
    """

    rank: int = 0
    world: int = 1
    group: Any = field(default=None, repr=False)
    """Where words are exchanged; gradients may go by a faster way."""

    @property
    def is_alone(self) -> bool:
        """Whether there is no other."""
        return self.world == 1

    @property
    def is_first(self) -> bool:
        """Whether this is the one that prints and writes."""
        return self.rank == 0

    def add_up(self, numbers: Tensor) -> None:
        """Put the sum over all processes in the place of these numbers: the same bits in each."""
        if not self.is_alone:
            self._spoken(lambda: dist.all_reduce(numbers))

    def texts(self, text: str) -> list[str]:
        """What each process says, the first one's words first."""
        if self.is_alone:
            return [text]
        data = torch.frombuffer(bytearray(text.encode() + b"\0"), dtype=torch.uint8)
        sizes = [torch.zeros(1, dtype=torch.int64) for _ in range(self.world)]
        own_size = torch.tensor([len(data)])
        self._spoken(lambda: dist.all_gather(sizes, own_size, group=self.group))
        longest = max(int(size) for size in sizes)
        padded = torch.cat([data, torch.zeros(longest - len(data), dtype=torch.uint8)])
        said = [torch.empty(longest, dtype=torch.uint8) for _ in range(self.world)]
        self._spoken(lambda: dist.all_gather(said, padded, group=self.group))
        return [bytes(one[: int(size) - 1].numpy()).decode() for one, size in zip(said, sizes, strict=True)]

    def from_first(self, content: bytes) -> bytes:
        """The bytes of the first process; what others hand in is not heard."""
        if self.is_alone:
            return content
        size = torch.tensor([len(content)])
        self._spoken(lambda: dist.broadcast(size, 0, group=self.group))
        data = bytearray(content if self.is_first else int(size))
        if data:
            buffer = torch.frombuffer(data, dtype=torch.uint8)
            self._spoken(lambda: dist.broadcast(buffer, 0, group=self.group))
        return bytes(data)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Wait at the end for all; an error of one is an error of all.

        The block may take each process as long as it likes, and some nothing at all: while it lasts a
        thread keeps saying that the process is alive. Nothing else may be said within it.
        """
        if self.is_alone:
            yield
            return
        done, lost = threading.Event(), list[RunError]()
        living = threading.Thread(target=self._say_alive, args=(done, lost), daemon=True)
        living.start()
        trouble, defect = "", None
        try:
            yield
        except RegardError as error:
            trouble = str(error)
        except Exception as error:  # noqa: BLE001  told to the others, and raised again below
            trouble, defect = f"{type(error).__name__}: {error}", error
        done.set()
        living.join()
        if lost:
            raise lost[0] from defect
        said = self.texts(trouble)
        if defect is not None:
            raise defect
        for rank, text in enumerate(said):
            if text:
                raise SharedError(text if rank == 0 else f"Process {rank} of {self.world}: {text}")

    def check_same(self, what: str, text: str) -> None:
        """Refuse to go on where processes hold different things."""
        said = self.texts(text)
        for rank, other in enumerate(said):
            if other != said[0]:
                raise SharedError(
                    f"Process {rank} of {self.world} has other {what} than the first: give every machine "
                    "the same files under the same names."
                )

    def _say_alive(self, done: threading.Event, lost: list[RunError]) -> None:
        pause = 0.001
        try:
            while True:
                working = torch.tensor([0.0 if done.is_set() else 1.0])
                self._spoken(lambda heard=working: dist.all_reduce(heard, group=self.group))  # type: ignore[misc]
                if not working:
                    return
                done.wait(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
        except RunError as error:
            lost.append(error)

    def _spoken(self, speak: Callable[[], object]) -> None:
        try:
            speak()
        except RuntimeError as error:
            raise self._lost(error) from error

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Know the loss of another from other errors, in work that speaks by itself."""
        try:
            yield
        except RuntimeError as error:
            if isinstance(error, dist.DistError) or "gloo" in str(error):
                raise self._lost(error) from error
            raise

    def _lost(self, error: RuntimeError) -> RunError:
        set_deadline()
        reason = next(iter(str(error).splitlines()), "no reason given")
        return RunError(
            f"Process {self.rank} of {self.world} lost touch with another ({reason}). Start again with "
            "--resume to go on from the last checkpoint."
        )


ALONE = Processes()


def join(device: torch.device) -> Processes:
    """The processes that torchrun started, this one among them; or alone."""
    if any(name not in os.environ for name in _PLACE) or int(os.environ["WORLD_SIZE"]) == 1:
        return ALONE
    if device.type not in ("cpu", "cuda"):
        raise RunError(f"Several processes can learn together on cpu or cuda, but not on {device.type}.")
    return _joined("nccl" if device.type == "cuda" else "gloo")


def was_restarted() -> bool:
    """Whether torchrun started this process again after a failure."""
    return restarts() > 0


def restarts() -> int:
    """How often torchrun has started all processes again."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0"))


def patience() -> float:
    """Seconds of silence after which another process counts as lost."""
    return float(os.environ.get(TIMEOUT, "60"))


@cache
def _joined(backend: str) -> Processes:
    timeout = timedelta(seconds=patience())
    try:
        store, rank, world = next(rendezvous("env://", timeout=timeout))
        # Torch meets again where it met before a failure, and would find the addresses of the dead.
        store = dist.PrefixStore(f"after {restarts()} restarts", store)  # type: ignore[attr-defined]
        dist.init_process_group(backend, store=store, rank=rank, world_size=world, timeout=timeout)
        group = None if backend == "gloo" else dist.new_group(backend="gloo", timeout=timeout)
    except RuntimeError as error:
        set_deadline()
        raise RunError(
            f"Process {os.environ['RANK']} of {os.environ['WORLD_SIZE']} did not find the others at "
            f"{os.environ['MASTER_ADDR']}:{os.environ['MASTER_PORT']}: {str(error).splitlines()[0]}."
        ) from error
    atexit.register(_leave)
    return Processes(dist.get_rank(), dist.get_world_size(), group)


def _leave() -> None:
    """Leave the group while Python still stands: its threads may abort a process that ends before them.

    They end with the last who holds the group, and models whose parts hold each other may be among these.
    """
    gc.collect()
    dist.destroy_process_group()


class SharedGradients:
    """All gradients of a model in one stretch of memory, with a few numbers that go along.

    So one message adds up everything a step has to tell, and nothing is copied on the way.
    """

    def __init__(self, model: nn.Module, numbers: int) -> None:
        self.parameters = list(model.parameters())
        self.sizes = [parameter.numel() for parameter in self.parameters]
        first = self.parameters[0]
        self.flat = torch.zeros(sum(self.sizes) + numbers, dtype=first.dtype, device=first.device)
        self.gradients = self.flat[: sum(self.sizes)]
        self.numbers = self.flat[sum(self.sizes) :]

    def clear(self) -> None:
        """Begin a step: zero everywhere, and autograd adds to it in place."""
        self.flat.zero_()
        views = self.gradients.split(self.sizes)
        for parameter, view in zip(self.parameters, views, strict=True):
            parameter.grad = view.view_as(parameter)

    def add_up(self, processes: Processes, numbers: Sequence[float]) -> list[float]:
        """Sum gradients and numbers over the processes; gives the sums of the numbers."""
        self.numbers.copy_(torch.tensor(numbers, dtype=self.flat.dtype))
        processes.add_up(self.flat)
        return self.numbers.tolist()

    def divide(self, by: float) -> None:
        """Divide all gradients."""
        self.gradients.div_(by)
