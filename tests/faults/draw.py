"""Draw docs/reliability.md from the newest line of every promise: numbers are never typed.

python tests/faults/draw.py
"""

import json
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results" / "reliability.jsonl"
DOCUMENT = ROOT / "docs" / "reliability.md"
HEAD = """# What is promised, and how often it held

Each promise is tried by causing the fault: processes are killed, bits flipped, cables cut.
`make test-faults-quick` tries each a few times, `make test-faults` as often as the promise deserves;
`regard selftest --faults` does on your machine what needs no administrator. The table is drawn from
`benchmarks/results/reliability.jsonl` by `tests/faults/draw.py`.

"""


def newest(lines: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The last line of every test, in the order they first came."""
    found: dict[str, dict[str, Any]] = {}
    for line in lines:
        found[line["test"]] = line
    return list(found.values())


def drawn(lines: list[dict[str, Any]]) -> str:
    """The document."""
    rows = [
        "| promise | test | times | held | seconds | when and where |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for line in newest(lines):
        more = [
            f"{name.replace('_', ' ')}: {value}"
            for name, value in line.items()
            if name.startswith("seconds_")
        ]
        where = f"{line['date']}, {line['machine']}, torch {line['torch']}, load {line['load']}"
        cells = [
            line["promise"],
            f"`{line['test']}`",
            *(f"{line[name]:,}" for name in ("times", "held", "seconds")),
        ]
        rows.append(f"| {' | '.join([*cells, '; '.join([where, *more])])} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    lines = [json.loads(line) for line in RESULTS.read_text(encoding="utf-8").splitlines() if line.strip()]
    DOCUMENT.write_text(drawn(lines), encoding="utf-8", newline="\n")
