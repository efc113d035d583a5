import os
import subprocess
import sys
import time
from collections.abc import Callable

import pytest

from regard.training import deadline

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are watched by /proc")

WAITING = "import time; time.sleep(60)"
STARTING = (
    f"import subprocess, sys, time; time.sleep(0.7); subprocess.run([sys.executable, '-c', {WAITING!r}])"
)


@pytest.fixture
def launcher() -> Callable[[str], "subprocess.Popen[bytes]"]:
    return lambda program: subprocess.Popen([sys.executable, "-c", program], start_new_session=True)


def watched(process: "subprocess.Popen[bytes]", seconds: float) -> str:
    """What a watcher of its own says."""
    command = [sys.executable, "-I", deadline.__file__, str(process.pid), str(seconds)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60).stderr


def test_a_launcher_that_waits_for_ever_is_ended(
    launcher: Callable[[str], "subprocess.Popen[bytes]"],
) -> None:
    process = launcher(WAITING)
    said = watched(process, 1)
    assert said == (
        f"regard: torchrun (process {process.pid}) did not start again within 1 s after machines lost touch, "
        "so it was ended. Mend the network, and start again with --resume.\n"
    )
    assert process.wait(5) == -15


def test_a_launcher_that_starts_again_is_left_alone(
    launcher: Callable[[str], "subprocess.Popen[bytes]"],
) -> None:
    process = launcher(STARTING)
    try:
        assert watched(process, 20) == ""
        assert process.poll() is None
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def test_a_launcher_that_has_ended_is_not_looked_for(
    launcher: Callable[[str], "subprocess.Popen[bytes]"],
) -> None:
    process = launcher("pass")
    process.wait()
    began = time.perf_counter()
    assert watched(process, 30) == ""
    assert time.perf_counter() - began < 20


def test_without_torchrun_nobody_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.setattr(subprocess, "Popen", lambda *_, **__: pytest.fail("a watcher was started"))
    deadline.set_deadline.cache_clear()
    deadline.set_deadline()
    deadline.set_deadline.cache_clear()
