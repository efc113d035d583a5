"""Work in a process of its own, which may be killed at any moment."""

import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import torch


class Fork:
    """A copy of this process that does one thing and ends; its complaints go to a file."""

    def __init__(
        self, work: Callable[[], object], complaints: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        self.code: int | None = None
        self.process = os.fork()
        if self.process == 0:
            _do(work, complaints, environment or {})

    def kill(self) -> None:
        """End it without warning, as a power cut would."""
        with suppress(ProcessLookupError):
            os.kill(self.process, signal.SIGKILL)
        self.wait()

    def wait(self) -> int:
        """Its exit code; less than zero for the signal that ended it."""
        if self.code is None:
            _, status = os.waitpid(self.process, 0)
            self.code = os.waitstatus_to_exitcode(status)
        return self.code

    def is_over(self) -> bool:
        """Whether it has ended."""
        if self.code is None:
            found, status = os.waitpid(self.process, os.WNOHANG)
            if found:
                self.code = os.waitstatus_to_exitcode(status)
        return self.code is not None


def group(works: Sequence[Callable[[], object]], complaints: Path) -> list[Fork]:
    """Forks that find each other as the processes of torchrun do."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    place = {
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "WORLD_SIZE": str(len(works)),
        "REGARD_TIMEOUT": "60",
    }
    return [
        Fork(work, complaints.with_suffix(f".{rank}"), place | {"RANK": str(rank)})
        for rank, work in enumerate(works)
    ]


def _do(work: Callable[[], object], complaints: Path, environment: Mapping[str, str]) -> None:
    code = 1
    try:
        os.environ.update(environment)
        for name in (signal.SIGINT, signal.SIGTERM):
            signal.signal(name, signal.SIG_DFL)
        with complaints.open("w") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
            torch.set_num_threads(1)  # threads do not survive a fork
            try:
                work()
                code = 0
            except BaseException:  # noqa: BLE001  whatever it was, it must not run on in the copy
                traceback.print_exc(file=file)
            sys.stdout.flush()
    finally:
        os._exit(code)
