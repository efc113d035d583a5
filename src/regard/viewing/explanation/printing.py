"""A walkthrough in the terminal."""

import re
from io import StringIO
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.color import Color, ColorSystem
from rich.console import Console, Group
from rich.padding import Padding
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from regard.viewing.colours import Theme, ink_on, theme_called
from regard.viewing.explanation.language import say
from regard.viewing.explanation.steps import Step
from regard.viewing.explanation.tables import GAP, HIDDEN, Table, Window
from regard.viewing.heatmap import WEIGHTS
from regard.viewing.terminal import render

if TYPE_CHECKING:
    from regard.viewing.explanation.walkthrough import Walkthrough

MOST_ROWS, FEWEST_COLUMNS = 16, 4
LONGEST_LABEL = 16
INDENT, BETWEEN = 4, 5
TRUE_COLOUR = re.compile(r"([34]8);2;(\d+);(\d+);(\d+)")


def text(told: "Walkthrough", *, width: int, colours: str, theme: str) -> str:
    """The whole walkthrough as lines, with escape sequences where there are colours."""
    page = StringIO()
    console = Console(
        file=page,
        width=max(width, 40),
        # One system only: rich remembers a style in the first system it was printed in.
        color_system=None if colours == "none" else "truecolor",
        force_terminal=colours != "none",
        highlight=False,
        emoji=False,
        markup=False,
    )
    printer = _Printer(console, theme_called(theme), told.language, colours)
    printer.heading(told)
    for number, step in enumerate(told.steps, start=1):
        printer.step(number, step)
    lines = "\n".join(line.rstrip() for line in page.getvalue().split("\n"))
    return TRUE_COLOUR.sub(_nearest_of_256, lines) if colours == "256" else lines


def _nearest_of_256(found: re.Match[str]) -> str:
    ground, *channels = map(int, found.groups())
    colour = Color.from_rgb(*channels).downgrade(ColorSystem.EIGHT_BIT)
    return f"{ground};5;{colour.number}"


class _Printer:
    def __init__(self, console: Console, theme: Theme, language: str, colours: str) -> None:
        self.console = console
        self.theme = theme
        self.language = language
        self.colours = colours
        self.accent = Style(color=theme.link, bold=True)
        self.faint = Style(color=theme.faint)

    def heading(self, told: "Walkthrough") -> None:
        self.console.print()
        self.console.print(Text(told.title, style="bold"))
        if told.lead:
            self.console.print(Text(told.lead))

    def step(self, number: int, step: Step) -> None:
        title = Text.assemble((f"{number:>2}  ", self.accent), (step.title, "bold"))
        if step.formula:
            title.append("   ").append(step.formula, style=Style(color=self.theme.link))
        self.console.print()
        self.console.print(title)
        self._indented(Text(step.why, style=self.faint))
        whole = self._tables(step)
        # A shaded table that is whole is a drawing already.
        if not (whole and any(table.shaded for table in step.tables)):
            for drawing in step.drawings:
                layout = drawing.layout(theme=self.theme.name)
                drawn = render(layout, width=self._room(), colours=self.colours)
                self._indented(Text.from_ansi(drawn), above=1)
        if step.lines:
            self._indented(self._spelled(step), above=1)
        for note in step.notes:
            self._indented(Text(note, style=self.faint), above=1)

    def _spelled(self, step: Step) -> Grid:
        grid = Grid.grid(padding=(0, 1))
        for left, right in step.lines:
            grid.add_row(Text(left, style="bold"), Text(right))
        return grid

    def _tables(self, step: Step) -> bool:
        """Print the tables, beside one another where they fit; say whether they are whole."""
        if not step.tables:
            return True
        windows = [self._window(table) for table in step.tables]
        row: list[tuple[int, Group]] = []
        for table, window in zip(step.tables, windows, strict=True):
            wide = max(_width(window), cell_len(table.name))
            if row and sum(other + BETWEEN for other, _ in row) + wide > self._room():
                self._beside(row)
                row = []
            row.append((wide, self._titled(table, window)))
        self._beside(row)
        left_out = [
            each
            for table, window in zip(step.tables, windows, strict=True)
            for each in window.left_out(table)
        ]
        for said, shown, count in dict.fromkeys(left_out):
            self._indented(Text(say(said, self.language, shown=shown, count=count), style=self.faint))
        return not left_out

    def _beside(self, row: list[tuple[int, Group]]) -> None:
        grid = Grid.grid(padding=(0, BETWEEN, 0, 0))
        grid.add_row(*(table for _, table in row))
        self._indented(grid, above=1)

    def _window(self, table: Table) -> Window:
        """As many columns as fit, counted from more to fewer."""
        most = min(len(table.columns), self._room() // 3)
        window = table.window(MOST_ROWS, most)
        while _width(window) > self._room() and most > FEWEST_COLUMNS:
            most -= 1
            window = table.window(MOST_ROWS, most)
        return window

    def _titled(self, table: Table, window: Window) -> Group:
        name = [Text(table.name, style=self.accent)] if table.name else []
        return Group(*name, self._grid(table, window))

    def _grid(self, table: Table, window: Window) -> Grid:
        air = 0 if table.shaded else 1  # shaded cells are as wide as their ground
        grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, air))
        grid.border_style = Style(color=self.theme.rule)
        grid.add_column(max_width=LONGEST_LABEL, no_wrap=True)
        for column in window.columns:
            head = Text(f"{column} " if table.shaded else column, style=self.faint)
            grid.add_column(head, justify="right", no_wrap=True, max_width=LONGEST_LABEL)
        if window.sums is not None:
            grid.add_column(Text("Σ", style=self.accent), justify="right", no_wrap=True)
        for at, label in enumerate(window.rows):
            cells = [
                self._cell(cell, value, shaded=table.shaded)
                for cell, value in zip(window.cells[at], window.values[at], strict=True)
            ]
            sums = [] if window.sums is None else [Text(window.sums[at], style=self.accent)]
            grid.add_row(Text(f"{label} " if table.shaded else label, style="bold"), *cells, *sums)
        return grid

    def _cell(self, cell: str, value: float | None, *, shaded: bool) -> Text:
        if cell in (GAP, HIDDEN):
            return Text(f" {cell} " if shaded else cell, style=self.faint)
        if shaded and value is not None:
            ground = self.theme.weight_ramp()[WEIGHTS.step(value)]
            return Text(f" {cell} ", style=Style(color=ink_on(ground), bgcolor=ground))
        return Text(cell)

    def _room(self) -> int:
        return self.console.width - INDENT

    def _indented(self, thing: Text | Grid, *, above: int = 0) -> None:
        self.console.print(Padding(thing, (above, 0, 0, INDENT)))


def _width(window: Window) -> int:
    """How many characters a table takes across."""
    lines = [window.columns, *window.cells]
    columns = [window.rows, *([line[at] for line in lines] for at in range(len(window.columns)))]
    if window.sums is not None:
        columns.append(window.sums)
    return sum(max(min(cell_len(cell), LONGEST_LABEL) for cell in column) + 3 for column in columns)
