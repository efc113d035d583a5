"""Drawing in two steps: decide what will be shown, then show it, whatever the medium.

A :class:`Layout` is the first step: labels, cells, colours and links, frozen. Renderers for
SVG (:mod:`regard.viewing.svg`) and the terminal (:mod:`regard.viewing.terminal`) are the
second. PNG and PDF are made from the SVG.
"""

import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, TextIO

from regard.errors import RegardError
from regard.viewing.colours import Theme, theme_called
from regard.viewing.typography import visible

PICTURES = (".svg", ".png", ".pdf")


class Drawn(ABC):
    """Anything that draws itself: in the terminal, a notebook, a file."""

    files: ClassVar[tuple[str, ...]] = PICTURES
    """What the name of a file may end in."""

    @abstractmethod
    def layout(self, view: str | None = None, **options: Any) -> "Layout":
        """Decide what will be shown."""

    def svg(self, view: str | None = None, **options: Any) -> str:
        """The drawing as SVG text."""
        from regard.viewing import svg

        return svg.document(self.layout(view, **options))

    def text(
        self, view: str | None = None, *, width: int | None = None, colours: str = "none", **options: Any
    ) -> str:
        """The drawing in characters; ``colours`` are "none", "256" or "24-bit"."""
        from regard.viewing import terminal

        return terminal.render(self.layout(view, **options), width=width or 100, colours=colours)

    def show(self, view: str | None = None, *, file: TextIO | None = None, **options: Any) -> None:
        """Print the drawing, in colour where the terminal has it."""
        from regard.viewing import terminal

        stream = sys.stdout if file is None else file
        options = {"theme": terminal.theme_of_terminal()} | options
        terminal.write(self.layout(view, **options), stream)

    def save(
        self,
        path: str | Path,
        view: str | None = None,
        *,
        scale: float = 2.0,
        fonts: str | Path | None = None,
        **options: Any,
    ) -> Path:
        """Write the drawing to a ``.svg``, ``.png`` or ``.pdf`` file.

        ``scale`` is how many pixels of a PNG make one unit of the SVG; ``fonts`` a folder
        of fonts to use besides those installed.
        """
        path, ending = Path(path), self.ending(path)
        drawing = self.svg(view, **options)
        if ending == ".svg":
            path.write_text(drawing, encoding="utf-8")
            return path
        from regard.viewing import convert

        path.write_bytes(
            convert.convert(drawing, "png" if ending == ".png" else "pdf", scale=scale, fonts=fonts)
        )
        return path

    @classmethod
    def ending(cls, path: str | Path) -> str:
        """What a file's name ends in, in small letters; refused if nothing of that kind can be written."""
        ending = Path(path).suffix.lower()
        if ending not in cls.files:
            *most, last = cls.files
            raise RegardError(f"{path} cannot be saved: its name must end in {', '.join(most)} or {last}.")
        return ending

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{self.svg()}</div>'


@dataclass(frozen=True, kw_only=True)
class Layout(Drawn):
    """What every drawing has: a title, notes below it, and its colours."""

    title: str
    notes: tuple[str, ...]
    theme: Theme

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", visible(self.title) if self.title else "")
        object.__setattr__(self, "notes", tuple(map(visible, self.notes)))

    def layout(self, view: str | None = None, **options: Any) -> "Layout":
        """Itself, in the colours of another theme if one is named: all else is decided."""
        theme = options.pop("theme", self.theme.name)
        if view is not None or options:
            raise RegardError("this drawing is decided already: give its options to what draws it.")
        return self if theme == self.theme.name else self.coloured(theme_called(theme))

    def coloured(self, theme: Theme) -> "Layout":
        """The same in the colours of a theme."""
        return replace(self, theme=theme)


@dataclass(frozen=True, kw_only=True)
class Facets(Layout):
    """Drawings side by side, as many in a row as fit."""

    panels: tuple[Layout, ...]
    columns: int

    def coloured(self, theme: Theme) -> "Facets":
        """The same in the colours of a theme, and each panel too."""
        return replace(self, theme=theme, panels=tuple(panel.coloured(theme) for panel in self.panels))
