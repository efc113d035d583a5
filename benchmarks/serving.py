"""How many more sentences a second does a studio translate when it translates together what arrives together?

    python benchmarks/serving.py [RUN] [--callers 64] [--seconds 8] [--rounds 3]

Two servers of one run, one that batches and one that does not, are asked by the same callers from this
process, in turns, so that their ratio comes from one run. Each caller asks for one sentence of the embedded
test set, waits for it, and asks for the next. One line of JSON is printed and added to results/serving.jsonl.
"""

import argparse
import asyncio
import json
import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.request import urlopen

import torch

from regard.text import embedded

RESULTS = Path(__file__).parent / "results" / "serving.jsonl"


class Server(NamedTuple):
    """A server in a process of its own."""

    host: str
    port: int
    process: int

    def megabytes(self) -> float:
        """Memory that is its own, now."""
        status = Path(f"/proc/{self.process}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        assert found is not None
        return int(found[1]) / 1024


class Answer(NamedTuple):
    """One answer, and how long it took."""

    status: int
    seconds: float


@contextmanager
def a_server(run: str, *options: str) -> Iterator[Server]:
    program = [sys.executable, "-m", "regard", "serve", run, "--port", "0", *options]
    process = subprocess.Popen(
        program, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    try:
        assert process.stdout is not None
        place = next(line for line in process.stdout if "http://" in line).split("http://")[1].split("/")[0]
        host, _, port = place.rpartition(":")
        yield Server(host, int(port), process.pid)
    finally:
        process.terminate()
        process.wait(60)


def wait_for_quiet(server: Server, seconds: float = 180.0) -> None:
    """A server of an embedded corpus goes on learning for a while which of its heads align."""
    late = time.perf_counter() + seconds
    while time.perf_counter() < late:
        with urlopen(f"http://{server.host}:{server.port}/models") as answer:
            if json.load(answer)["models"][0]["aligning"] is not None:
                return
        time.sleep(1.0)


async def call(server: Server, sentences: list[str], until: float, answers: list[Answer]) -> None:
    """One caller on one connection."""
    reader, writer = await asyncio.open_connection(server.host, server.port)
    turn = 0
    while time.perf_counter() < until:
        body = json.dumps({"q": sentences[turn % len(sentences)], "source": "en", "target": "fr"}).encode()
        turn += 1
        began = time.perf_counter()
        writer.write(
            b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = re.search(r"content-length: (\d+)", head, re.IGNORECASE)
        assert length is not None
        await reader.readexactly(int(length[1]))
        answers.append(Answer(int(head.split(" ")[1]), time.perf_counter() - began))
    writer.close()


async def ask(server: Server, callers: int, seconds: float) -> tuple[list[Answer], float]:
    """All callers at once; the answers, and the time they took."""
    sentences = [pair.source for pair in embedded("en-fr").test]
    answers: list[Answer] = []
    began = time.perf_counter()
    await asyncio.gather(
        *(call(server, sentences[number::callers], began + seconds, answers) for number in range(callers))
    )
    return answers, time.perf_counter() - began


def measured(rounds: list[tuple[list[Answer], float]]) -> dict[str, Any]:
    answers = [answer for found, _ in rounds for answer in found]
    times = sorted(answer.seconds for answer in answers if answer.status == 200)
    return {
        "sentences_per_second": round(
            median(sum(a.status == 200 for a in found) / took for found, took in rounds), 1
        ),
        "p50_ms": round(1000 * times[len(times) // 2], 1),
        "p99_ms": round(1000 * times[int(len(times) * 0.99)], 1),
        "answers": len(answers),
        "other_than_200": sum(answer.status != 200 for answer in answers),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", nargs="?", default="runs/demo")
    parser.add_argument("--callers", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    with a_server(given.run) as together, a_server(given.run, "--batch-texts", "1") as alone:
        found: dict[str, list[tuple[list[Answer], float]]] = {"together": [], "alone": []}
        memory: list[float] = []
        for server in (together, alone):
            wait_for_quiet(server)
            asyncio.run(ask(server, given.callers, min(given.seconds, 3.0)))  # warm
        for _ in range(given.rounds):
            for name, server in (("together", together), ("alone", alone)):
                found[name].append(asyncio.run(ask(server, given.callers, given.seconds)))
            memory.append(round(together.megabytes(), 1))
    results = {name: measured(rounds) for name, rounds in found.items()}
    line = {
        "question": "serving",
        "when": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "load": round(os.getloadavg()[0], 1),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
        "callers": given.callers,
        "seconds": given.seconds,
        "rounds": given.rounds,
        **results,
        "times": round(
            results["together"]["sentences_per_second"] / results["alone"]["sentences_per_second"], 2
        ),
        "megabytes_after_each_round": memory,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    print(json.dumps(line))


if __name__ == "__main__":
    main()
