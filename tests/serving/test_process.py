"""``regard serve`` as a person starts and ends it."""

import random
import signal
import socket
import threading
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from regard import serving
from regard.cli import main
from tests.serving.calling import Server, a_process


def regard(*words: str) -> Result:
    return CliRunner().invoke(main, ["serve", *words])


def test_without_a_run_it_says_what_to_do() -> None:
    result = regard()
    assert result.exit_code == 2
    assert result.output.splitlines()[-1] == (
        "Error: Name a run to serve, such as runs/demo. Train one first with: regard demo"
    )


def test_a_run_that_is_not_there_is_named(tmp_path: Path) -> None:
    result = regard(str(tmp_path / "nothing"))
    assert result.exit_code == 1
    assert result.output == (
        f"Error: There is no run folder {tmp_path}/nothing. Train one with: regard demo\n"
    )


@pytest.mark.parametrize("name", ["recipe.toml", "tokenizer.json", "parameters.safetensors"])
def test_a_broken_run_is_named_by_its_file(folder: Path, tmp_path: Path, name: str) -> None:
    broken = tmp_path / "broken"
    for path in (folder / "small").rglob("*"):
        if path.is_file():
            copy = broken / path.relative_to(folder / "small")
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    for path in broken.rglob(name):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(bytes(content))
    result = regard(str(broken))
    assert result.exit_code == 1
    assert name in result.output
    assert len(result.output.splitlines()) == 1


def test_a_port_that_is_taken_is_told(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = regard(str(folder / "small"), "--port", str(port))
    assert result.exit_code == 1
    assert f"127.0.0.1:{port} cannot be listened on: Address already in use" in result.output


class Heard(NamedTuple):
    sent: float
    status: int | None
    retry: bool


def calling(server: Server, number: int, heard: list[Heard], stop: threading.Event) -> None:
    turn = 0
    while not stop.is_set():
        turn += 1
        sent = time.monotonic()
        try:
            status, headers, _ = server.ask("/translate", {"q": [f"alpha n{number} {turn}"] * 4})
        except OSError:
            heard.append(Heard(sent, None, False))
            if stop.wait(0.05):
                return
            continue
        heard.append(Heard(sent, status, "retry-after" in headers))


def end_under_load(run: Path, after: float) -> None:
    process, server = a_process(run)
    heard: list[Heard] = []
    stop = threading.Event()
    callers = [threading.Thread(target=calling, args=(server, n, heard, stop)) for n in range(8)]
    for caller in callers:
        caller.start()
    time.sleep(after)
    ended = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        assert process.wait(40) == 0
    finally:
        stop.set()
        process.kill()
        process.wait()
        for caller in callers:
            caller.join()
        assert process.stdout is not None
        process.stdout.close()
    before = [one for one in heard if one.sent < ended]
    assert len(before) >= 8
    assert {one.status for one in before} <= {200, 503}, before
    assert {one.status for one in heard} <= {200, 503, None}
    assert all(one.retry for one in heard if one.status == 503)
    assert sum(one.status == 200 for one in heard) > 0


def test_what_was_accepted_before_the_end_is_answered(folder: Path) -> None:
    end_under_load(folder / "small", after=0.7)


@pytest.mark.slow
@pytest.mark.parametrize("turn", range(20))
def test_twenty_ends_under_load_lose_nothing(folder: Path, turn: int) -> None:
    end_under_load(folder / "small", after=random.Random(turn).uniform(0.1, 2.0))


def test_beyond_this_machine_there_is_a_warning(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(serving, "serve", lambda studio, announce: announce("http://0.0.0.0:5000/"))
    result = regard(str(folder / "small"), "--host", "0.0.0.0")
    assert result.output == (
        "small: en → fr, step 2\n"
        "Warning: anybody who reaches 0.0.0.0 can use this server, "
        "unencrypted and without a key (--api-key).\n"
        "The studio is at http://0.0.0.0:5000/  (Ctrl-C ends it)\n"
    )
