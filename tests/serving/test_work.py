import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from regard.serving import Settings
from regard.serving.metrics import Metrics
from regard.serving.problems import Problem
from regard.serving.work import Once, Workshop


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers, once it may; keeps what it was given together."""

    name: str = ""
    gate: threading.Event = field(default_factory=threading.Event, compare=False)
    batches: list[list[int]] = field(default_factory=list, compare=False)

    def run(self, items: list[Any]) -> Sequence[Any]:
        self.gate.wait(10)
        self.batches.append(items)
        return [2 * {"three": 3}.get(item, item) for item in items if item != "bad" or self._refuse()]

    def _refuse(self) -> bool:
        raise ValueError("bad")


def working(test: Callable[[Workshop], Awaitable[None]], **settings: Any) -> None:
    async def main() -> None:
        workshop = Workshop(Settings(**settings), Metrics())
        task = asyncio.create_task(workshop.work())
        try:
            await asyncio.wait_for(test(workshop), 20)
            await workshop.drained()
            assert workshop._tokens == workshop._texts == len(workshop._waiting) == 0
        finally:
            task.cancel()
            workshop.close()

    asyncio.run(main())


async def asking(workshop: Workshop, kind: Any, *items: Any, tokens: int = 1) -> "asyncio.Task[list[Any]]":
    task = asyncio.create_task(workshop.do(kind, items, [tokens] * len(items)))
    await asyncio.sleep(0)
    return task


def test_what_waits_together_is_done_together() -> None:
    async def test(workshop: Workshop) -> None:
        one, other = Doubling("one"), Doubling("other")
        first = await asking(workshop, one, 0)
        await asyncio.sleep(0.01)  # at work, alone
        asked = [await asking(workshop, kind, n) for n, kind in enumerate([one, one, other, one, other])]
        one.gate.set()
        other.gate.set()
        assert [await task for task in (first, *asked)] == [[0], [0], [2], [4], [6], [8]]
        assert one.batches == [[0], [0, 1, 3]]
        assert other.batches == [[2, 4]]

    working(test)


def test_a_batch_has_no_more_tokens_than_allowed() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        first = await asking(workshop, kind, 9)
        await asyncio.sleep(0.01)
        tasks = [await asking(workshop, kind, n, tokens=4) for n in range(5)]
        kind.gate.set()
        await asyncio.gather(first, *tasks)
        assert kind.batches == [[9], [0, 1], [2, 3], [4]]

    working(test, batch_tokens=9)


def test_who_comes_when_it_is_full_is_told_at_once_and_when_to_come_again() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        tasks = [await asking(workshop, kind, n, tokens=5) for n in range(2)]
        with pytest.raises(Problem) as caught:
            await workshop.do(kind, [7], [1])
        assert (caught.value.status, caught.value.code) == (503, "overloaded")
        assert caught.value.headers == {"retry-after": "1"}
        kind.gate.set()
        assert await asyncio.gather(*tasks) == [[0], [2]]
        assert await workshop.do(kind, [7], [1]) == [14]

    working(test, queue_tokens=10)


def test_what_could_only_be_late_is_not_accepted() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        workshop._speed = 1.0
        task = await asking(workshop, kind, 2, tokens=3)
        with pytest.raises(Problem) as caught:
            await workshop.do(kind, [3], [3])
        assert (caught.value.code, caught.value.headers) == ("overloaded", {"retry-after": "3"})
        other = await asking(workshop, kind, 4, tokens=2)
        kind.gate.set()
        assert await asyncio.gather(task, other) == [[4], [8]]

    working(test, work_seconds=5.0)


def test_one_request_may_be_larger_than_the_queue_if_nobody_waits() -> None:
    async def test(workshop: Workshop) -> None:
        assert await workshop.do(Once(lambda: "done"), [None], [99]) == ["done"]

    working(test, queue_tokens=10)


def test_a_hundred_callers_who_go_free_their_places_at_once() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        tasks = [await asking(workshop, kind, n) for n in range(100)]
        await asyncio.sleep(0.01)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        assert workshop._tokens == 0
        last = await asking(workshop, kind, 7)
        kind.gate.set()
        assert await last == [14]
        assert kind.batches[-1] == [7]
        assert len(kind.batches) <= 2

    working(test, queue_texts=100)


def test_one_that_fails_takes_no_other_with_it() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        first = await asking(workshop, kind, 0)
        await asyncio.sleep(0.01)
        tasks = [await asking(workshop, kind, item) for item in (1, "bad", "three")]
        kind.gate.set()
        found = await asyncio.gather(first, *tasks, return_exceptions=True)
        assert [found[0], found[1], found[3]] == [[0], [2], [6]]
        assert isinstance(found[2], ValueError)

    working(test)


def test_work_that_takes_too_long_is_given_up() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        with pytest.raises(Problem) as caught:
            await workshop.do(kind, [1], [1])
        assert str(caught.value) == "The work took longer than 0.05 seconds. Try again, or ask less."
        kind.gate.set()

    working(test, work_seconds=0.05)


def test_what_was_accepted_is_answered_and_nothing_more_is_accepted() -> None:
    async def test(workshop: Workshop) -> None:
        kind = Doubling()
        task = await asking(workshop, kind, 4)
        workshop.stopping = True
        with pytest.raises(Problem, match="stopping"):
            await workshop.do(kind, [5], [1])
        kind.gate.set()
        await workshop.drained()
        assert await task == [8]

    working(test)
