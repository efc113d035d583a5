"""What benchmarks of models share: turns, ratios, bars, peaks of memory, and the line that is kept."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

Case = Callable[[], object]
ROOT = Path(__file__).parents[1]


@dataclass(frozen=True, kw_only=True)
class Bar:
    """Something found, and how much it must or may be."""

    what: str
    found: float
    least: float | None = None
    most: float | None = None

    @property
    def holds(self) -> bool:
        """Whether it was reached; a number that is none reaches nothing."""
        return (self.least is None or self.found >= self.least) and (
            self.most is None or self.found <= self.most
        )

    def __str__(self) -> str:
        limits = [f"at least {self.least:.2f}"] if self.least is not None else []
        limits += [f"at most {self.most:.2f}"] if self.most is not None else []
        return f"{'holds' if self.holds else 'FAILS'}  {self.what}: {self.found:.2f} ({', '.join(limits)})"

    def told(self) -> dict[str, Any]:
        """As a result line says it."""
        limits = {"at_least": self.least, "at_most": self.most}
        return {"what": self.what, "found": self.found} | {k: v for k, v in limits.items() if v is not None}


def seconds(case: Case) -> float:
    """How long it takes once."""
    began = time.perf_counter()
    case()
    return time.perf_counter() - began


def timed(cases: dict[str, Case], rounds: int, warming: int = 1) -> dict[str, list[float]]:
    """Seconds of each case, in turn; the first rounds warm up."""
    return in_turn({name: partial(seconds, case) for name, case in cases.items()}, rounds, warming)


def in_turn(
    cases: dict[str, Callable[[], float]],
    rounds: int,
    warming: int = 1,
    fewer: dict[str, int] | None = None,
) -> dict[str, list[float]]:
    """What each case answers, forth and back in turn; ``fewer`` says who sits out the later rounds."""
    found: dict[str, list[float]] = {name: [] for name in cases}
    for turn in range(rounds + warming):
        playing = [name for name in cases if turn - warming < (fewer or {}).get(name, rounds)]
        for name in playing[:: 1 if turn % 2 else -1]:  # nobody always comes first
            answer = cases[name]()
            if turn >= warming:
                found[name].append(answer)
    return found


def ratio(times: dict[str, list[float]], ours: str, theirs: str) -> float:
    """How many times as long, the median over the turns that both took."""
    return statistics.median(a / b for a, b in zip(times[ours], times[theirs], strict=False))


def spread(numbers: Sequence[float], digits: int = 2) -> list[float]:
    """The median, the least and the most."""
    return [round(f(numbers), digits) for f in (statistics.median, min, max)]


def resident(field: str) -> float:
    """MiB of this process by a field of ``/proc/self/status``: VmRSS now, VmHWM at the peak."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    raise KeyError(field)


def extra_memory(case: Case) -> float:
    """MiB by which this process grows at its peak while a case runs."""
    Path("/proc/self/clear_refs").write_text("5")  # from here on, the peak is counted anew
    before = resident("VmRSS")
    case()
    return resident("VmHWM") - before


def elsewhere(module: str, call: str, environment: dict[str, str] | None = None) -> Any:
    """What a function of a benchmark answers in a process of its own."""
    program = f"import json; from {module} import *; print(json.dumps({call}))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | (environment or {}),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def installed(package: str) -> str | None:
    """The version of a package, None where it is absent."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def about(benchmark: str, packages: Sequence[str]) -> dict[str, Any]:
    """Where and with what something was measured."""
    return {
        "benchmark": benchmark,
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "versions": {package: installed(package) for package in packages},
    }


def conclude(line: dict[str, Any], bars: Sequence[Bar], results: Path, *, check: bool) -> None:
    """Say what holds; keep the line, or, to check, leave with an error where something fails."""
    for bar in bars:
        print(bar)
    if check:
        sys.exit(not all(bar.holds for bar in bars))
    results.parent.mkdir(exist_ok=True)
    with results.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"bars": [bar.told() for bar in bars]}) + "\n")
