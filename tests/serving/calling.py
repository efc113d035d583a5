"""A studio on a real socket, in a thread of this process or in a process of its own."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from regard.serving import Studio
from regard.serving.running import bind, run
from regard.serving.work import Once


@dataclass(frozen=True)
class Server:
    host: str
    port: int
    loop: asyncio.AbstractEventLoop | None = None

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}/"

    def socket(self) -> socket.socket:
        return socket.create_connection((self.host, self.port), timeout=30)

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, dict[str, str], Any]:
        """One request on a connection of its own."""
        connection = HTTPConnection(self.host, self.port, timeout=60)
        try:
            content = None if body is None else json.dumps(body)
            kind = {} if body is None else {"content-type": "application/json"}
            connection.request("GET" if body is None else "POST", path, content, {**kind, **headers})
            answer = connection.getresponse()
            text = answer.read()
            told = {name.lower(): value for name, value in answer.getheaders()}
            is_json = told.get("content-type") == "application/json"
            return answer.status, told, json.loads(text) if is_json else text
        finally:
            connection.close()


@contextmanager
def busy(studio: Studio, server: Server) -> Iterator[threading.Event]:
    """Keep the model's hands full until the event is set."""
    gate, begun = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        gate.wait(30)

    assert server.ask("/ready")[0] == 200
    assert server.loop is not None
    held = asyncio.run_coroutine_threadsafe(studio.workshop.do(Once(hold), [None], [1]), server.loop)
    assert begun.wait(10)
    try:
        yield gate
    finally:
        gate.set()
        held.result(10)


@contextmanager
def serving(studio: Studio) -> Iterator[Server]:
    """Serve in a thread."""
    listening = bind(studio.settings)
    host, port = listening.getsockname()[:2]
    began = threading.Event()
    hands: dict[str, Any] = {}

    async def main() -> None:
        hands["loop"], hands["stopped"] = asyncio.get_running_loop(), asyncio.Event()
        began.set()
        await run(studio, listening, hands["stopped"])

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    assert began.wait(10)
    try:
        yield Server(host, port, hands["loop"])
    finally:
        hands["loop"].call_soon_threadsafe(hands["stopped"].set)
        thread.join(30)
        assert not thread.is_alive()


def a_process(run: Path, *options: str) -> tuple[subprocess.Popen[str], Server]:
    """``regard serve`` as a person starts it, once it has said where it is."""
    process = subprocess.Popen(
        [sys.executable, "-m", "regard", "serve", str(run), "--port", "0", "--threads", "1", *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if "http://" in line:
            place = line.split("http://")[1].split("/")[0]
            host, _, port = place.rpartition(":")
            return process, Server(host, int(port))
    raise AssertionError("".join(said))


@contextmanager
def a_server(run: Path, *options: str) -> Iterator[Server]:
    """``regard serve`` in a process that is ended afterwards."""
    process, server = a_process(run, *options)
    try:
        yield server
    finally:
        process.terminate()
        process.wait(60)
        assert process.stdout is not None
        process.stdout.close()
