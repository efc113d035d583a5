"""Draw the minutes to a translator in docs/benchmarks.md: every system, with its line or that there is none.

python -m benchmarks.draw
"""

from typing import Any

from benchmarks import minutes
from benchmarks.draw_results import MISSING, Line, table
from benchmarks.minutes import GOALS, SYSTEMS, System, found
from regard.wording import counted


def section() -> list[str]:
    """A row for each system, and below how each was trained."""
    lines = {name: minutes.newest(name) for name in SYSTEMS}
    said = [
        "## Minutes to a translator",
        "",
        "How many minutes of training until the 1,014 validation pairs of Multi30k, English to German, "
        "lowercased and tokenised, are translated greedily with such a BLEU, at the first validation that "
        "finds it. The same pairs, threads, size of a joint vocabulary and function that scores, for all; "
        "validating is not counted, for anyone. `benchmarks/minutes.py` tells more; `make bench-minutes` "
        "measures it again.",
        "",
    ]
    head = [
        "",
        *(f"to BLEU {goal:.0f}" for goal in GOALS),
        "best",
        "parameters",
        "target tokens/s",
        "threads",
    ]
    said += table(head, [row(system, lines[name]) for name, system in SYSTEMS.items()])
    return said + [details(system, lines[name]) for name, system in SYSTEMS.items()] + [""]


def row(system: System, line: Line | None) -> list[str]:
    """What was found of a system."""
    if line is None:
        return [system.title, MISSING, *[""] * (len(GOALS) + 3)]
    best = max((bleu for _, _, bleu in line["curve"]), default=None)
    return [
        system.title,
        *(found(line, goal) for goal in GOALS),
        "–" if best is None else f"{best:.1f}",
        f"{line['parameters']:,}",
        f"{line['tokens_per_second']:,}",
        str(line["threads"]),
    ]


def details(system: System, line: Line | None) -> str:
    """How a system is trained, where and when it was, and how to do it again."""
    if line is None:
        return f"- {system.title}: {system.whence}. {MISSING.capitalize()}: `{system.command}`."
    versions = ", ".join(f"{name} {number}" for name, number in line["versions"].items() if number)
    median, least, most = line["seconds_a_step"]
    parts = [
        f"{line['whence']}. {versions}; {line['machine']}, {line['date']}, load {line['load']:.1f}; "
        f"{counted(line['steps'], 'step')} of {median:.2f} s ({least:.2f}–{most:.2f})"
    ]
    if line["processor"] is not None:
        parts.append(f", {line['processor']:.2f} s of processor time in a second")
    parts.append(
        f"; {line['validating_minutes']:.0f} minutes of validating beside; a vocabulary of "
        f"{line['vocabulary']:,}; `{line['bleu_signature']}`; {flat(line['settings'])}."
    )
    command = f"{system.command} --threads {line['threads']} --limit {line['limit']:.0f}"
    if "passes" in line:
        command += f" --passes {line['passes']:g}"
    if (run := line.get("of_a_run")) is not None:
        command = f"{system.command} --threads {line['threads']} --run RUN"
        parts.append(
            f" From the history of a run trained on {run['trained_on']}, which scored itself by "
            f"`{run['signature']}`: BLEU {run['bleu_noted']:.2f} at its best step, which the function of all "
            f"calls {run['bleu_scored_here']:.2f}. Its minutes are {run['minutes']}."
        )
    return f"- {system.title}: {''.join(parts)} `{command}`"


def flat(settings: dict[str, Any]) -> str:
    """Settings in a line; those in groups are told without the group.

    >>> flat({"seed": 1, "training": {"patience": 5, "adam_betas": [0.9, 0.999]}})
    'seed 1, patience 5, adam_betas [0.9, 0.999]'
    """
    told = (
        flat(value) if isinstance(value, dict) else f"{name} {value}"
        for name, value in settings.items()
        if value != []
    )
    return ", ".join(told)
