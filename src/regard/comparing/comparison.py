"""What was compared, as numbers, as a table and as a drawing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from rich import box
from rich.table import Table

from regard.comparing.drawing import Growth, Line
from regard.errors import RegardError
from regard.models import Cost
from regard.viewing.colours import theme_called
from regard.viewing.drawn import Drawn, Facets


@dataclass(frozen=True, kw_only=True)
class Compared:
    """One of those compared: what it took for each length, and what it is said to cost."""

    name: str
    seconds: tuple[float, ...]
    exponent: float
    """Time grows about as the length to this power."""
    bytes: tuple[int, ...]
    """The most that was alive at one time, besides inputs and parameters."""
    cost: Cost | None = None
    path: tuple[int, ...] = ()
    """Rounds until the last position hears the first, for each of the path lengths."""
    path_unit: str = ""
    answered_by: str = ""
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison(Drawn):
    """Several beside each other, over the same lengths."""

    title: str
    subject: str
    lengths: tuple[int, ...]
    compared: tuple[Compared, ...]
    path_lengths: tuple[int, ...] = ()

    def tables(self) -> list[Table]:
        """What is stated, where something is, and what was measured."""
        measured = _table(f"Measured here: {self.subject}, processor time of one thread")
        stated = _table(f"Stated, for length n = {self.lengths[-1]}")
        for heading in ("operations", "in a row", "longest path"):
            stated.add_column(heading, justify="right", no_wrap=True)
        measured.add_column("grows\nas", justify="right", no_wrap=True)
        for length in self.lengths:
            measured.add_column(f"n={length}", justify="right", no_wrap=True)
        measured.add_column("memory\nat most", justify="right", no_wrap=True)
        if self.path_lengths:
            furthest = self.path_lengths[-1]
            measured.caption = "heard: after how many the last position hears the first"
            measured.add_column(f"heard,\nn={furthest}", justify="right", no_wrap=True)
        else:
            measured.add_column("path taken")
        for each in self.compared:
            if each.cost is not None:
                numbers = (each.cost.operations, each.cost.sequential, each.cost.longest_path)
                pairs = zip(each.cost.formulas, numbers, strict=True)
                stated.add_row(each.name, *(f"O({formula})  {number:,}" for formula, number in pairs))
            measured.add_row(
                each.name,
                f"n^{each.exponent:.2f}",
                *map(spelled_seconds, each.seconds),
                spelled_bytes(each.bytes[-1]),
                _counted(each.path[-1], each.path_unit) if each.path else each.answered_by,
            )
        return [stated, measured] if self.compared[0].cost is not None else [measured]

    def layout(self, view: str | None = None, *, theme: str = "light", **options: Any) -> Facets:
        """Decide how it is drawn: time, memory, and the path where there is one."""
        if view is not None or options:
            raise RegardError("a comparison has one view, and takes theme= alone.")
        colours = theme_called(theme)

        def panel(
            title: str, values: str, lengths: tuple[int, ...], spelled: Callable[[float], str], rung: int
        ) -> Growth:
            lines = tuple(
                Line(
                    name=each.name,
                    note=f"n^{each.exponent:.2f}" if values == "seconds" else "",
                    points=tuple(zip(lengths, getattr(each, values), strict=True)),
                )
                for each in self.compared
            )
            return Growth(
                title=title,
                notes=(),
                theme=colours,
                lines=lines,
                across="length n",
                spelled=spelled,
                rung=rung,
            )

        panels = [
            panel("Time", "seconds", self.lengths, spelled_seconds, 10),
            panel("Memory at most", "bytes", self.lengths, spelled_bytes, 4),
        ]
        if self.path_lengths:
            rounds = "Steps or layers until the last hears the first"
            panels.append(panel(rounds, "path", self.path_lengths, "{:.0f}".format, 2))
        return Facets(
            title=self.title,
            notes=(f"{self.subject}; processor time of one thread",),
            theme=colours,
            panels=tuple(panels),
            columns=len(panels),
        )


def check_lengths(lengths: Sequence[int]) -> None:
    """Refuse lengths along which nothing can be seen to grow."""
    if len(lengths) < 2 or any(not isinstance(length, int) or length < 1 for length in lengths):
        raise RegardError(
            f"lengths must be two or more whole numbers of at least 1, but got {list(lengths)}."
        )
    if sorted(set(lengths)) != list(lengths):
        raise RegardError(f"lengths must grow from one to the next, but got {list(lengths)}.")


def spelled_seconds(seconds: float) -> str:
    """A time with its unit.

    >>> spelled_seconds(0.00125), spelled_seconds(2.5), spelled_seconds(0.000002)
    ('1.25 ms', '2.5 s', '2 µs')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size or unit == "µs":
            return f"{seconds / size:.3g} {unit}"
    raise AssertionError


def spelled_bytes(count: float) -> str:
    """A size with its unit.

    >>> spelled_bytes(1536), spelled_bytes(3 * 2**20), spelled_bytes(12)
    ('1.5 KiB', '3 MiB', '12 B')
    >>> spelled_bytes(2**20 - 2_000)
    '1,022 KiB'
    """
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10), ("B", 1)):
        if count >= size or unit == "B":
            value = count / size
            return f"{value:,.0f} {unit}" if value >= 1000 else f"{value:.3g} {unit}"
    raise AssertionError


def _counted(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _table(title: str) -> Table:
    table = Table(
        title=title,
        title_justify="left",
        caption_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        show_edge=False,
        padding=(0, 0, 0, 1),
    )
    table.add_column("", no_wrap=True)
    return table
