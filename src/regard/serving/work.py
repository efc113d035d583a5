"""One queue, one pair of hands: what waits together is done together, off the event loop.

The queue is bounded in tokens. Whoever comes when it is full is told so at once; whoever goes
away frees its place; whatever was accepted is answered.
"""

import asyncio
import math
import time
from collections.abc import Callable, Hashable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from regard.serving.metrics import Metrics
from regard.serving.problems import Problem
from regard.serving.settings import Settings

LONGEST_WAIT = 60


class Kind(Hashable, Protocol):
    """A kind of work: pieces of equal kinds are done in one go."""

    def run(self, items: list[Any]) -> Sequence[Any]:
        """Do all of them; one result for each, in order. Called in the worker's thread."""


@dataclass(frozen=True, eq=False)
class Once:
    """Work that is like no other, and so is done by itself."""

    function: Callable[[], Any]

    def run(self, items: list[Any]) -> Sequence[Any]:
        """Do it."""
        return [self.function() for _ in items]


@dataclass(frozen=True, eq=False)
class _Piece:
    """One piece of accepted work."""

    kind: Kind
    item: Any
    tokens: int
    answer: "asyncio.Future[Any]"


class Workshop:
    """Accepts work up to a limit and does it in batches, in one thread.

    >>> async def ask() -> int:
    ...     workshop = Workshop(Settings(), Metrics())
    ...     working = asyncio.create_task(workshop.work())
    ...     (answer,) = await workshop.do(Once(lambda: 6 * 7), [None], [1])
    ...     working.cancel()
    ...     return answer
    >>> asyncio.run(ask())
    42
    """

    def __init__(self, settings: Settings, metrics: Metrics, name: str = "model") -> None:
        self._settings, self._metrics, self._name = settings, metrics, name
        self._waiting: dict[_Piece, None] = {}  # in order of arrival; leaving is as cheap as coming
        self._tokens = self._texts = 0  # waiting and at work
        self._speed: float | None = None  # tokens a second, learned by working
        self._came, self._idle = asyncio.Event(), asyncio.Event()
        self._idle.set()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"regard-{name}")
        self.stopping = False

    async def do(self, kind: Kind, items: Sequence[Any], tokens: Sequence[int]) -> list[Any]:
        """Accept these items, or refuse them at once; their results, in order."""
        if not items:
            return []
        self._admit(len(items), sum(tokens))
        loop = asyncio.get_running_loop()
        pieces = [
            _Piece(kind, item, cost, loop.create_future()) for item, cost in zip(items, tokens, strict=True)
        ]
        for piece in pieces:
            self._waiting[piece] = None
            piece.answer.add_done_callback(partial(self._settle, piece))
        self._tokens += sum(tokens)
        self._texts += len(pieces)
        self._tell()
        self._idle.clear()
        self._came.set()
        try:
            async with asyncio.timeout(self._settings.work_seconds):
                return await asyncio.gather(*(piece.answer for piece in pieces))
        except TimeoutError:
            raise Problem(
                503,
                "deadline",
                f"The work took longer than {self._settings.work_seconds:g} seconds. Try again, or ask less.",
                retry_after=self._wait(),
            ) from None
        finally:
            for piece in pieces:  # the caller has gone, or an item of its failed
                piece.answer.cancel()

    async def work(self) -> None:
        """Work for ever."""
        loop = asyncio.get_running_loop()
        while True:
            await self._came.wait()
            batch = self._next_batch()
            if not batch:
                self._came.clear()
                continue
            began = time.perf_counter()
            await loop.run_in_executor(self._thread, _run, batch, loop)
            seconds, tokens = time.perf_counter() - began, sum(piece.tokens for piece in batch)
            speed = tokens / max(seconds, 1e-6)
            self._speed = speed if self._speed is None else self._speed + 0.2 * (speed - self._speed)
            self._metrics.batch(self._name, texts=len(batch), tokens=tokens, seconds=seconds)

    async def drained(self) -> None:
        """Wait until everything accepted is answered."""
        await self._idle.wait()

    def close(self) -> None:
        """Let the thread go."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _admit(self, texts: int, tokens: int) -> None:
        if self.stopping:
            raise Problem(503, "stopping", "The server is stopping. Ask again soon, or ask another.")
        full = self._tokens + tokens > self._settings.queue_tokens
        # Work that could only end after its deadline would be accepted for nothing.
        late = self._seconds(self._tokens + tokens) > self._settings.work_seconds
        if self._texts and (full or late or self._texts + texts > self._settings.queue_texts):
            self._metrics.shed(self._name)
            raise Problem(
                503,
                "overloaded",
                "The server has as much work as it can hold. Try again a little later.",
                retry_after=self._wait(),
            )

    def _wait(self) -> int:
        """The seconds after which there should be room again."""
        return min(max(math.ceil(self._seconds(self._tokens)), 1), LONGEST_WAIT)

    def _seconds(self, tokens: int) -> float:
        """How long so much should take, as far as is known."""
        return 0.0 if self._speed is None else tokens / self._speed

    def _next_batch(self) -> list[_Piece]:
        """The piece that has waited longest, and all of its kind that fit."""
        batch: list[_Piece] = []
        tokens = 0
        for piece in self._waiting:
            if batch and (piece.kind != batch[0].kind or tokens + piece.tokens > self._settings.batch_tokens):
                continue
            batch.append(piece)
            tokens += piece.tokens
            if len(batch) == self._settings.batch_texts:
                break
        for piece in batch:
            del self._waiting[piece]
        return batch

    def _settle(self, piece: _Piece, _: "asyncio.Future[Any]") -> None:
        """A piece is answered, or its caller has gone: there is room again."""
        self._waiting.pop(piece, None)
        self._tokens -= piece.tokens
        self._texts -= 1
        self._tell()
        if not self._texts:
            self._idle.set()

    def _tell(self) -> None:
        self._metrics.queue(self._name, texts=self._texts, tokens=self._tokens)


def _run(batch: Sequence[_Piece], loop: asyncio.AbstractEventLoop) -> None:
    """In the worker's thread: do a batch; where it fails, each piece alone, that none falls with another."""
    wanted = [piece for piece in batch if not piece.answer.cancelled()]
    if not wanted:
        return
    try:
        results = wanted[0].kind.run([piece.item for piece in wanted])
    except Exception as error:  # noqa: BLE001 - whatever it is, somebody waits to be told
        if len(wanted) > 1:
            for piece in wanted:
                _run([piece], loop)
        else:
            loop.call_soon_threadsafe(_fail, wanted[0], error)
        return
    loop.call_soon_threadsafe(_answer, wanted, results)


def _answer(pieces: Sequence[_Piece], results: Sequence[Any]) -> None:
    for piece, result in zip(pieces, results, strict=True):
        if not piece.answer.done():
            piece.answer.set_result(result)


def _fail(piece: _Piece, error: Exception) -> None:
    if not piece.answer.done():
        piece.answer.set_exception(error)
