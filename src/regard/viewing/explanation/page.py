"""A walkthrough as a page: one file, no script, nothing loaded, every word escaped."""

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from regard.viewing.colours import DARK, LIGHT, Theme, ink_on
from regard.viewing.drawn import Drawn
from regard.viewing.explanation.language import say
from regard.viewing.explanation.steps import Step
from regard.viewing.explanation.tables import GAP, HIDDEN, Table, Window
from regard.viewing.svg import document

if TYPE_CHECKING:
    from regard.viewing.explanation.walkthrough import Walkthrough

MOST_ROWS, MOST_COLUMNS = 24, 12
SHADES = 40
SPOKEN = {"en": "en", "zh": "zh-Hans"}


@dataclass(frozen=True, kw_only=True)
class Card:
    """One walkthrough on a page that lists several."""

    name: str
    address: str
    about: str
    told: "Walkthrough"


def html(told: "Walkthrough", *, back: str = "") -> str:
    """The page of one walkthrough; ``back`` leads to the page that lists it."""
    home = f'<nav><a href="{escape(back)}">← {escape(say("back", told.language))}</a></nav>' if back else ""
    steps = "".join(_step(step, told.language) for step in told.steps)
    return _page(told.title, told.lead, f'<ol class="steps">\n{steps}</ol>', told.language, home=home)


def gallery(title: str, lead: str, cards: Iterable[Card], language: str) -> str:
    """A page that lists walkthroughs, each with its picture."""
    listed = "".join(
        f'<li><h2><a href="{escape(card.address)}">{escape(card.told.title)}</a></h2>'
        f"<code>{escape(card.name)}</code><p>{escape(card.about)}</p>"
        + ("" if card.told.picture is None else _figure(card.told.picture, titled=False))
        + "</li>\n"
        for card in cards
    )
    return _page(title, lead, f'<ul class="cards">\n{listed}</ul>', language)


def _page(title: str, lead: str, body: str, language: str, home: str = "") -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        f'<!doctype html>\n<html lang="{SPOKEN[language]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="generator" content="regard">\n'
        f"<title>{escape(title)} · regard</title>\n<style>{style}</style>\n</head>\n<body>\n<main>\n"
        f"{home}<header><h1>{escape(title)}</h1>"
        + (f'<p class="lead">{escape(lead)}</p>' if lead else "")
        + f"</header>\n{body}\n<footer>{escape(say('footer', language))}</footer>\n</main>\n"
        "</body>\n</html>\n"
    )


def _step(step: Step, language: str) -> str:
    formula = f'<span class="formula">{_formula(step.formula)}</span>' if step.formula else ""
    parts = [f'<li>\n<div class="step-head"><h2>{escape(step.title)}</h2>{formula}</div>\n']
    if step.why:
        parts.append(f'<p class="why">{escape(step.why)}</p>\n')
    shown = [*(_table(table, language) for table in step.tables), *map(_figure, step.drawings)]
    if shown:
        parts.append(f'<div class="shown">\n{"".join(shown)}</div>\n')
    if step.lines:
        spelled = "".join(f"<dt>{escape(left)}</dt><dd>{escape(right)}</dd>\n" for left, right in step.lines)
        parts.append(f'<dl class="spelled">\n{spelled}</dl>\n')
    parts += [f'<p class="note">{escape(note)}</p>\n' for note in step.notes]
    return "".join([*parts, "</li>\n"])


def _formula(text: str) -> str:
    """Letters above and below the line as a browser sets them: their characters are too small to read."""
    text = re.sub(r"\^\(([^)]*)\)|\^([\w.]+)", r"<sup>\1\2</sup>", escape(text)).replace("ᵀ", "<sup>T</sup>")
    lowered = str.maketrans("ᵢⱼₖ₊", "ijk+")
    return re.sub(r"[ᵢⱼₖ₊]+", lambda found: f"<sub>{found[0].translate(lowered)}</sub>", text)


def _table(table: Table, language: str) -> str:
    window = table.window(MOST_ROWS, MOST_COLUMNS)
    caption = f"<caption>{escape(table.name)}</caption>" if table.name else ""
    heads = "".join(f'<th scope="col">{escape(column)}</th>' for column in window.columns)
    heads += '<th scope="col">Σ</th>' if window.sums is not None else ""
    rows = "".join(_row(window, at, shaded=table.shaded) for at in range(len(window.rows)))
    left_out = "".join(
        f'<p class="note">{escape(say(said, language, shown=shown, count=count))}</p>'
        for said, shown, count in window.left_out(table)
    )
    return (
        f'<div class="scroll"><table>{caption}<thead><tr><td></td>{heads}</tr></thead>\n'
        f"<tbody>\n{rows}</tbody></table>{left_out}</div>\n"
    )


def _row(window: Window, at: int, *, shaded: bool) -> str:
    cells = "".join(
        f"<td{_class(cell, value, shaded=shaded)}>{escape(cell)}</td>"
        for cell, value in zip(window.cells[at], window.values[at], strict=True)
    )
    total = "" if window.sums is None else f'<td class="sum">{escape(window.sums[at])}</td>'
    return f'<tr><th scope="row">{escape(window.rows[at])}</th>{cells}{total}</tr>\n'


def _class(cell: str, value: float | None, *, shaded: bool) -> str:
    if cell in (GAP, HIDDEN):
        return ' class="none"'
    return f' class="w{round(value * SHADES)}"' if shaded and value is not None else ""


def _figure(drawing: Drawn, *, titled: bool = True) -> str:
    """The drawing twice, of which a light or a dark page shows one."""
    layouts = [drawing.layout(theme=theme.name) for theme in (LIGHT, DARK)]
    drawn = (
        document(layout if titled else replace(layout, title="")).replace(
            "<svg ", f'<svg class="{layout.theme.name}" ', 1
        )
        for layout in layouts
    )
    return f"<figure>{''.join(drawn)}</figure>\n"


@cache
def _style() -> str:
    light, dark = _colours(LIGHT), _colours(DARK)
    sheet = files(__package__).joinpath("style.css").read_text(encoding="utf-8")
    return f"\n{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n{sheet}"


def _colours(theme: Theme) -> str:
    named: Sequence[str] = ("paper", "ink", "faint", "rule", "link")
    variables = " ".join(f"--{name}: {getattr(theme, name)};" for name in named)
    ramp = theme.weight_ramp()
    grounds = [ramp[round(shade / SHADES * (len(ramp) - 1))] for shade in range(SHADES + 1)]
    shades = "".join(
        f".w{shade} {{ background: {ground}; color: {ink_on(ground)}; }}\n"
        for shade, ground in enumerate(grounds)
    )
    return f":root {{ {variables} }}\n{shades}"
