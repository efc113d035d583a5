"""``/explain`` by name: the worked examples, step by step."""

from functools import lru_cache
from typing import Any

from regard import worked
from regard.serving.arithmetic import numbers
from regard.serving.asked import Worked
from regard.serving.problems import refuse
from regard.viewing.explanation import Step, Table, Walkthrough


def examples(language: str) -> dict[str, Any]:
    """The worked examples by name."""
    return {
        "examples": [
            {
                "name": name,
                "title": each.title.to(language),
                "shows": each.shows.to(language),
                "settings": [*each.settings],
            }
            for name, each in worked.EXAMPLES.items()
        ]
    }


def tell(asked: Worked) -> dict[str, Any]:
    """One worked example, step by step."""
    return _told(asked.worked, asked.language, tuple(sorted(asked.settings.items())))


@lru_cache(maxsize=64)
def _told(name: str, language: str, settings: tuple[tuple[str, int], ...]) -> dict[str, Any]:
    if name not in worked.EXAMPLES:
        raise refuse("worked", f"worked must be one of {', '.join(worked.EXAMPLES)}.")
    told: Walkthrough = worked.example(name).walk(language, **dict(settings))
    return {
        "kind": "worked",
        "name": name,
        "title": told.title,
        "lead": told.lead,
        "picture": None if told.picture is None else told.picture.svg(),
        "steps": [_told_step(step) for step in told.steps],
    }


def _told_step(step: Step) -> dict[str, Any]:
    return {
        "title": step.title,
        "formula": step.formula,
        "why": step.why,
        "lines": [[left, right] for left, right in step.lines],
        "notes": [*step.notes],
        "drawings": [drawing.svg() for drawing in step.drawings],
        "tables": [_told_table(table) for table in step.tables],
    }


def _told_table(table: Table) -> dict[str, Any]:
    return {
        "name": table.name,
        "rows": [*table.rows],
        "columns": [*table.columns],
        "numbers": numbers(table.numbers),
        "keep": None if table.keep is None else table.keep.tolist(),
        "sums": None if table.sums is None else numbers(table.sums),
        "shaded": table.shaded,
        "digits": table.digits,
    }
