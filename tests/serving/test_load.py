"""Too many callers, callers who go, callers who dawdle: on a real socket."""

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from regard.serving import Settings, Shelf, Studio
from tests.serving.calling import Server, a_server, busy, serving


def metric(server: Server, name: str) -> float:
    text = server.ask("/metrics")[2].decode()
    found = re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)
    return float(found[1]) if found else 0.0


def until(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    late = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < late
        time.sleep(0.01)


HEAD = b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def a_request(text: str) -> bytes:
    body = json.dumps({"q": text, "model": "small"}).encode()
    return HEAD + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


QUEUE = 'regard_queue_texts{queue="model"}'


def test_texts_that_arrive_together_are_translated_together(shelf: Shelf) -> None:
    studio = Studio(shelf, Settings(port=0))
    with serving(studio) as server, ThreadPoolExecutor(16) as callers:
        with busy(studio, server):
            asked = [callers.submit(server.ask, "/translate", {"q": f"alpha n{n}"}) for n in range(16)]
            until(lambda: metric(server, QUEUE) == 17)
        answers = [one.result() for one in asked]
        alone = shelf.models["small"].translator
        for number, (status, _, told) in enumerate(answers):
            assert status == 200
            assert told["translatedText"] == alone.translate([f"alpha n{number}"])[0].text
        assert metric(server, 'regard_batches_total{queue="model"}') == 2


def test_who_comes_when_it_is_full_is_turned_away_at_once(shelf: Shelf) -> None:
    studio = Studio(shelf, Settings(port=0, queue_texts=3))
    with serving(studio) as server, ThreadPoolExecutor(16) as callers:
        with busy(studio, server):
            kept = [callers.submit(server.ask, "/translate", {"q": "alpha"}) for _ in range(2)]
            until(lambda: metric(server, QUEUE) == 3)
            for _ in range(20):
                began = time.perf_counter()
                status, headers, told = server.ask("/translate", {"q": "beta"})
                assert (status, told["problem"]["code"]) == (503, "overloaded")
                assert int(headers["retry-after"]) >= 1
                assert time.perf_counter() - began < 5
            assert server.ask("/health")[0] == 200
            assert server.ask("/explain", {"queries": [[1, 2]]})[0] == 200  # arithmetic has hands of its own
        assert [one.result()[0] for one in kept] == [200, 200]
        assert metric(server, 'regard_shed_total{queue="model"}') == 20


def test_a_caller_who_has_gone_frees_its_place(shelf: Shelf) -> None:
    studio = Studio(shelf, Settings(port=0))
    with serving(studio) as server:
        with busy(studio, server):
            lines = [server.socket() for _ in range(20)]
            for number, line in enumerate(lines):
                line.sendall(a_request(f"alpha {number}"))
            until(lambda: metric(server, QUEUE) == 21)
            for line in lines:
                line.close()
            until(lambda: metric(server, QUEUE) == 1)
            assert metric(server, "regard_gone_total") == 20
        assert server.ask("/translate", {"q": "alpha"})[0] == 200


def test_a_body_too_large_is_refused_and_the_connection_ends(server: Server) -> None:
    size = 5 << 20
    for head in (f"Content-Length: {size}", "Transfer-Encoding: chunked"):
        with server.socket() as line:
            line.sendall(HEAD + f"{head}\r\n\r\n".encode())
            piece = b"x" * 65_536
            try:
                for _ in range(size // len(piece)):
                    line.sendall(piece if "Length" in head else b"10000\r\n" + piece + b"\r\n")
            except OSError:
                pass  # it need not read what it refuses
            assert first_line(line) in ("HTTP/1.1 413 ", "reset")
    until(lambda: connections(server) == [])


def first_line(line: socket.socket) -> str:
    try:
        return line.recv(65_536).partition(b"\r\n")[0].decode()
    except ConnectionResetError:
        return "reset"


def connections(server: Server) -> list[str]:
    """Those the server has open, as the kernel lists them."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    open_now = "01"
    return [line[2] for line in lines if line[1].endswith(f":{server.port:04X}") and line[3] == open_now]


def dawdle(server: Server, kind: int, stop: threading.Event) -> float:
    """Say nothing, or a byte now and then; the seconds until the server has had enough."""
    starts = [b"", b"GET /models HTTP/1.1\r\nX: ", a_request("alpha" * 20)[:-90]]
    began = time.monotonic()
    with server.socket() as line:
        line.sendall(starts[kind])
        line.settimeout(0.3)
        while not stop.is_set():
            try:
                if kind:
                    line.sendall(b"y")
                if not line.recv(65_536):
                    break
            except TimeoutError:
                continue
            except OSError:
                break
    return time.monotonic() - began


def test_who_dawdles_is_sent_away_and_delays_nobody(server: Server) -> None:
    stop = threading.Event()
    with ThreadPoolExecutor(30) as slow:
        dawdling = [slow.submit(dawdle, server, number % 3, stop) for number in range(30)]
        for _ in range(5):
            assert server.ask("/translate", {"q": "alpha"})[0] == 200
        try:
            times = [one.result(30) for one in dawdling]
        finally:
            stop.set()
    assert max(times) < 1.0 + 4.0  # the deadline of these settings, and a busy machine


def percentile(times: list[float], share: float) -> float:
    return sorted(times)[min(int(len(times) * share), len(times) - 1)]


async def one_call(server: Server, path: str, body: bytes | None) -> tuple[float, int, bool]:
    """A request on a connection of its own: seconds, status, whether it says when to come again."""
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection(server.host, server.port)
    kind = b"GET " if body is None else b"POST "
    head = kind + path.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    if body is not None:
        head += b"Content-Type: application/json\r\nContent-Length: %d\r\n" % len(body)
    writer.write(head + b"\r\n" + (body or b""))
    answer = await reader.read()
    writer.close()
    assert answer.count(b"HTTP/1.1 ") == 1
    told = answer.partition(b"\r\n\r\n")[0].lower()
    return time.perf_counter() - began, int(answer[9:12]), b"retry-after" in told


async def overload(server: Server, seconds: float) -> None:
    body = json.dumps({"q": [f"alpha beta gamma n{n}" for n in range(32)]}).encode()
    began = time.perf_counter()
    for _ in range(8):
        assert (await one_call(server, "/translate", body))[1] == 200
    capacity = 8 / (time.perf_counter() - began)
    asked, alive = [], []
    began = time.perf_counter()
    while (now := time.perf_counter() - began) < seconds:
        while len(asked) < 10 * capacity * now:
            asked.append(asyncio.create_task(one_call(server, "/translate", body)))
        alive.append(asyncio.create_task(one_call(server, "/health", None)))
        await asyncio.sleep(0.05)
    answers = await asyncio.gather(*asked)
    took = time.perf_counter() - began
    assert {status for _, status, _ in answers} == {200, 503}
    assert all(retry for _, status, retry in answers if status == 503)
    shed = [seconds for seconds, status, _ in answers if status == 503]
    health = [seconds for seconds, _, _ in await asyncio.gather(*alive)]
    found = {
        "answered": (len(answers) - len(shed)) / took / capacity,
        "shed p99": percentile(shed, 0.99),
        "health p99": percentile(health, 0.99),
    }
    assert found["answered"] > 0.9, found
    assert found["shed p99"] < 0.05, found
    assert found["health p99"] < 0.1, found
    assert (await one_call(server, "/translate", body))[1] == 200


async def loiter(server: Server, kind: int) -> float:
    """As :func:`dawdle`, of which there may be hundreds."""
    starts = [b"", b"GET /models HTTP/1.1\r\nX: ", a_request("alpha" * 20)[:-90]]
    began = time.monotonic()
    reader, writer = await asyncio.open_connection(server.host, server.port)
    try:
        writer.write(starts[kind])
        while not reader.at_eof():
            with suppress(TimeoutError):
                async with asyncio.timeout(1.0):
                    await reader.read(65_536)
            if kind:
                writer.write(b"y")
    except OSError:
        pass
    writer.close()
    return time.monotonic() - began


async def beside_loiterers(server: Server) -> None:
    body = json.dumps({"q": "alpha"}).encode()
    quiet = [(await one_call(server, "/translate", body))[0] for _ in range(200)]
    loitering = [asyncio.create_task(loiter(server, number % 3)) for number in range(500)]
    await asyncio.sleep(1.0)
    honest = [await one_call(server, "/translate", body) for _ in range(200)]
    times = await asyncio.gather(*loitering)
    assert {status for _, status, _ in honest} == {200}
    assert max(times) < Settings().header_seconds + 1.0 + 1.0  # a loiterer looks round once a second
    assert percentile([seconds for seconds, _, _ in honest], 0.99) < 2 * percentile(quiet, 0.99)


@pytest.mark.slow
def test_five_hundred_slow_sockets_delay_nobody(folder: Path) -> None:
    with a_server(folder / "small") as server:
        asyncio.run(beside_loiterers(server))


@pytest.mark.slow
def test_ten_times_too_many_are_all_answered_once(folder: Path) -> None:
    with a_server(folder / "small", "--queue-tokens", "8000") as server:
        asyncio.run(overload(server, seconds=60))
