"""A deadline for torchrun, which may wait for ever once machines have lost touch.

When the network between two machines is cut for good, the processes that learn notice and end, but
the torchrun of one machine can stay: it waits for an answer that cannot come. So a process that lost
touch leaves a watcher behind. If torchrun has neither ended nor started anything again after
``REGARD_DEADLINE`` seconds (60), the watcher says so and ends it. Where a lost machine may come back
after minutes, give it more. This file runs as a program of its own, without regard.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

DEADLINE = "REGARD_DEADLINE"
_PROCESSES = Path("/proc")


@cache
def set_deadline() -> None:
    """Leave a watcher behind, where torchrun started this process and processes can be watched."""
    if "TORCHELASTIC_RUN_ID" in os.environ and _began(os.getppid()) is not None:
        command = [sys.executable, "-I", __file__, str(os.getppid()), os.environ.get(DEADLINE, "60")]
        # It speaks on the error stream alone: who reads what was printed need not wait for it.
        subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, start_new_session=True)


def watch(launcher: int, seconds: float) -> None:
    """End a launcher that neither ends nor starts anything again within so many seconds."""
    began, now = _began(launcher), _began(os.getpid()) or 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        time.sleep(0.5)
        if began is None or _began(launcher) != began or _started_again(launcher, now):
            return
    sys.stderr.write(
        f"regard: torchrun (process {launcher}) did not start again within {seconds:.0f} s after machines "
        "lost touch, so it was ended. Mend the network, and start again with --resume.\n"
    )
    for how in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.kill(launcher, how)
        for _ in range(10):
            time.sleep(0.5)
            if _began(launcher) != began:
                return


def _began(process: int) -> int | None:
    """When a process began, in ticks since the machine did; None if it is over."""
    fields = _fields(_PROCESSES / str(process))
    return None if fields is None or fields[0] == "Z" else int(fields[19])


def _started_again(launcher: int, since: int) -> bool:
    for place in _PROCESSES.iterdir():
        fields = _fields(place) if place.name.isdigit() else None
        if fields is not None and int(fields[1]) == launcher and int(fields[19]) > since:
            return True
    return False


def _fields(place: Path) -> list[str] | None:
    """The state, the parent and the rest of what the system tells of a process, after its name."""
    try:
        return (place / "stat").read_text().rpartition(")")[2].split()
    except (OSError, ValueError):
        return None


if __name__ == "__main__":
    watch(int(sys.argv[1]), float(sys.argv[2]))
