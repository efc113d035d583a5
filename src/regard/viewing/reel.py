"""A film as a page: one frame at a time, large, and a row of steps to go through.

No script: the steps are a group of radio buttons, which the arrow keys walk through in every
browser, and the style sheet shows the frame of the one that is chosen.
"""

import base64
import hashlib
from html import escape
from typing import TYPE_CHECKING

from regard.viewing.colours import DARK, LIGHT, Theme
from regard.viewing.grid import Thumbnail
from regard.viewing.heatmap import Heatmap, cell_for, labels, slant_of
from regard.viewing.svg import document

if TYPE_CHECKING:
    from regard.viewing.film import Film

LABEL = 12.5
STYLE = """
:root { color-scheme: light dark; }
body { margin: 0; font: 16px/1.5 Inter, "Helvetica Neue", Arial, "Noto Sans CJK SC", sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 2.5rem 1.5rem; }
h1 { font-size: 1.6rem; margin: 0 0 .3rem; }
p { margin: 0 0 1.5rem; }
fieldset { border: 0; margin: 0; padding: 0; }
legend { padding: 0; margin-bottom: .6rem; }
input { position: absolute; opacity: 0; }
label { display: inline-block; padding: .25rem .7rem; margin: 0 .3rem .5rem 0; border-radius: 1rem;
  cursor: pointer; font-variant-numeric: tabular-nums; }
.frame { display: none; overflow-x: auto; }
.dark { display: none; }
"""


def html(film: "Film") -> str:
    """The page of a film; every word in it is escaped, and nothing is loaded."""
    steps = range(len(film.frames))
    shown = "".join(
        f"#step{at}:checked ~ #frame{at} {{ display: block; }}\n"
        f"#step{at}:focus-visible ~ label[for=step{at}] {{ outline: 2px solid; outline-offset: 2px; }}\n"
        for at in steps
    )
    style = (
        STYLE
        + shown
        + _colours(LIGHT, len(steps))
        + (
            "@media (prefers-color-scheme: dark) {\n"
            ".light { display: none; } .dark { display: inline; }\n" + _colours(DARK, len(steps)) + "}\n"
        )
    )
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    last = len(film.frames) - 1
    inputs = "".join(
        f'<input type="radio" name="step" id="step{at}"{" checked" if at == last else ""}>'
        f'<label for="step{at}">{escape(frame.name)}</label>\n'
        for at, frame in enumerate(film.frames)
    )
    frames = "".join(_frame(film, at, frame) for at, frame in enumerate(film.frames))
    notes = "".join(f'<p class="faint">{escape(note)}</p>\n' for note in film.notes)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(film.title)} · regard</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{escape(film.title)}</h1>\n{notes}<fieldset>\n"
        f'<legend class="faint">Step of training (← and → go through them)</legend>\n{inputs}{frames}'
        "</fieldset>\n</main>\n</body>\n</html>\n"
    )


def _frame(film: "Film", at: int, frame: Thumbnail) -> str:
    drawn = "".join(
        document(_large(film, frame, theme)).replace("<svg ", f'<svg class="{theme.name}" ', 1)
        for theme in (LIGHT, DARK)
    )
    return f'<div class="frame" id="frame{at}">{drawn}</div>\n'


def _large(film: "Film", frame: Thumbnail, theme: Theme) -> Heatmap:
    rows, columns = ([label.full for label in side if label] for side in (film.rows, film.columns))
    cell = cell_for(max(len(frame.values), len(frame.values[0])))
    size = min(LABEL, max(cell * 0.6, 7.0))
    across = labels(columns, cell, size) if len(columns) == len(frame.values[0]) else film.columns
    down = labels(rows, cell, size) if len(rows) == len(frame.values) else film.rows
    return Heatmap(
        title="",
        notes=(f"{frame.name} · {frame.caption}",),
        theme=theme,
        rows=down,
        columns=across,
        axes=film.axes,
        values=frame.values,
        scale=film.scale,
        cell=(cell, cell),
        label_size=size,
        slant=slant_of(across, cell, size),
        numbers=cell >= 22.0,
    )


def _colours(theme: Theme, count: int) -> str:
    chosen = ", ".join(f"#step{at}:checked + label" for at in range(count))
    return (
        f"body {{ background: {theme.paper}; color: {theme.ink}; }}\n.faint {{ color: {theme.faint}; }}\n"
        f"label {{ background: {theme.rule}; }}\n"
        f"{chosen} {{ background: {theme.link}; color: {theme.paper}; }}\n"
    )
