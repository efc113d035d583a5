"""Two hosts on one machine, in network namespaces, and the cable between them."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from regard.runs.faults.toys import state_of, toy_recipe
from regard.training import checkpoints_in
from tests.faults.conftest import OFTEN
from tests.faults.recording import record

SILENCE = 15
"""Seconds until a process holds the other for lost."""
GRACE = 90
CUTS = {"cable-healed-soon": SILENCE / 2, "cable-healed": SILENCE + 5, "cable-cut": None}
"""How long each lasts: healed before anybody noticed, healed after all had lost touch, or never."""
HOSTS = {"regard-a": "10.77.1.1", "regard-b": "10.77.1.2"}


@dataclass
class Host:
    """One end of the cable."""

    name: str
    number: int

    @property
    def card(self) -> str:
        return f"veth-regard{self.number}"

    def torchrun(self, recipe: Path, run: Path, log: Path) -> "subprocess.Popen[bytes]":
        """Start this host's half of a run."""
        address = list(HOSTS.values())
        # A host that cannot meet the other gives up in time, instead of waiting for ten minutes. How long
        # torchrun waits for an answer is left as it is: it must outlast a cable that is healed.
        meeting = f"is_host={int(self.number == 0)},join_timeout=60,last_call_timeout=5"
        command = [sys.executable, "-m", "torch.distributed.run", "--nnodes", "2", "--nproc-per-node", "1"]
        command += ["--rdzv-backend", "c10d", "--rdzv-endpoint", f"{address[0]}:29577", "--rdzv-id", "cable"]
        command += ["--rdzv-conf", meeting, "--local-addr", address[self.number], "--max-restarts", "5"]
        command += ["-m", "regard", "train", str(recipe), "--into", str(run)]
        environment = {
            "OMP_NUM_THREADS": "1",
            "REGARD_TIMEOUT": str(SILENCE),
            "GLOO_SOCKET_IFNAME": self.card,
        }
        with log.open("wb") as file:
            return subprocess.Popen(
                ["ip", "netns", "exec", self.name, *command],
                stdout=file,
                stderr=subprocess.STDOUT,
                env=os.environ | environment,
                start_new_session=True,
            )


def ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.fixture
def hosts() -> Iterator[list[Host]]:
    """Two namespaces and a cable."""
    if not OFTEN:
        pytest.skip("cutting cables takes five minutes: make test-faults does it")
    may = os.getuid() == 0 and shutil.which("ip") is not None
    if not may or subprocess.run(["ip", "netns", "add", "regard-a"], capture_output=True).returncode:
        pytest.skip("only the administrator may make network namespaces")
    both = [Host(name, number) for number, name in enumerate(HOSTS)]
    ip("netns", "add", "regard-b")
    ip(
        "link",
        "add",
        both[0].card,
        "netns",
        "regard-a",
        "type",
        "veth",
        "peer",
        both[1].card,
        "netns",
        "regard-b",
    )
    for host in both:
        ip("-n", host.name, "address", "add", f"{HOSTS[host.name]}/24", "dev", host.card)
        ip("-n", host.name, "link", "set", host.card, "up")
        ip("-n", host.name, "link", "set", "lo", "up")
    yield both
    for host in both:
        ip("netns", "delete", host.name)


def last_step(run: Path) -> int:
    found = checkpoints_in(run / "checkpoints")
    return found[-1].step if found else 0


def end(process: "subprocess.Popen[bytes]") -> None:
    """Nothing of a test may stay behind."""
    if process.poll() is None:
        for child in psutil.Process(process.pid).children(recursive=True):
            child.send_signal(signal.SIGKILL)
        process.kill()
    process.wait()


@pytest.mark.parametrize("name", CUTS)
def test_a_cut_cable_ends_in_recovery_or_in_a_named_exit(
    tmp_path: Path, hosts: list[Host], name: str
) -> None:
    seconds = CUTS[name]
    recipe, run = tmp_path / "recipe.toml", tmp_path / "run"
    text = toy_recipe(tmp_path).dumps().replace("steps = 16", "steps = 400")
    recipe.write_text(text.replace("validate_every = 4", "validate_every = 40"))
    logs = [tmp_path / f"{host.name}.log" for host in hosts]
    began = time.perf_counter()
    started = [host.torchrun(recipe, run, log) for host, log in zip(hosts, logs, strict=True)]
    try:
        while last_step(run) < 40 and all(process.poll() is None for process in started):
            time.sleep(0.05)
        ip("-n", hosts[0].name, "link", "set", hosts[0].card, "down")
        cut = time.perf_counter()
        if seconds is not None:
            time.sleep(seconds)
            ip("-n", hosts[0].name, "link", "set", hosts[0].card, "up")
        limit = SILENCE + GRACE if seconds is None else 600
        while any(process.poll() is None for process in started) and time.perf_counter() - cut < limit:
            time.sleep(0.2)
        waited = time.perf_counter() - cut
        codes = [process.poll() for process in started]
    finally:
        for process in started:
            end(process)
    said = "\n".join(log.read_text(errors="replace") for log in logs)
    if seconds is not None:
        held = codes == [0, 0] and state_of(run) == state_of(undisturbed(tmp_path, recipe))
    else:
        held = None not in codes and 0 not in codes and "lost touch with another" in said
        checkpoints_in(run / "checkpoints")[-1].parameters()
    record(
        "reliability",
        promise="Two hosts, the cable cut for good: a named exit in time, checkpoints whole"
        if seconds is None
        else f"Two hosts, the cable cut for {seconds:.1f} s and healed: both go on, same end",
        test=name,
        times=1,
        held=int(held),
        seconds=round(time.perf_counter() - began, 1),
        seconds_after_the_cut=round(waited, 1),
        failures=() if held else (f"{codes} after {waited:.0f} s: {said[-1_500:]}",),
    )
    assert held, f"{codes} after {waited:.0f} s\n{said[-6_000:]}"


def undisturbed(folder: Path, recipe: Path) -> Path:
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    subprocess.run(
        [*command, "-m", "regard", "train", str(recipe), "--into", str(folder / "whole")],
        check=True,
        capture_output=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    return folder / "whole"
