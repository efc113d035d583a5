"""Interrupts that wait for the end of a step."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interrupts_deferred() -> Iterator[Callable[[], bool]]:
    """Let a step end before an interrupt is heard: between steps everything fits together."""
    came: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    for one in before:
        signal.signal(one, lambda number, _: came.append(number))
    try:
        yield lambda: bool(came)
    finally:
        for one, handler in before.items():
            signal.signal(one, handler)
