"""Results as lines of JSON, from which the documents draw their tables."""

import json
import os
import platform
import sysconfig
import time
from pathlib import Path
from typing import Any

import torch

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results"


def record(name: str, **numbers: Any) -> None:
    """Add a line to a result file, with the date and the machine."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    line = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": f"{platform.machine()}, {os.cpu_count()} cores",
        "torch": torch.__version__,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        **numbers,
    }
    written = json.dumps(line, ensure_ascii=False)
    for place in (
        sysconfig.get_path("purelib"),
        str(RESULTS.parents[1]),
    ):  # a result tells of no machine's folders
        written = written.replace(f"{place}/", "")
    with (RESULTS / f"{name}.jsonl").open("a", encoding="utf-8") as file:
        file.write(written + "\n")
