"""One HTML file to explore attention: self-contained, offline, with nothing a token could run."""

import base64
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from regard.viewing.colours import DARK, LIGHT, Theme
from regard.viewing.page.facts import ROLES

SPOKEN = {"en": "en", "zh": "zh-Hans"}
FRAME_HEIGHT = 720
POLICY = (
    "default-src 'none'",
    "script-src 'sha256-{script}'",
    "style-src 'sha256-{style}'",
    "img-src data:",  # a picture is drawn from its own SVG before it is saved as PNG
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
)


@dataclass(frozen=True, kw_only=True)
class Page:
    """A page, written whole but not yet to a file.

    >>> from regard.viewing import AttentionMap
    >>> page = AttentionMap([[1.0]], query_labels=["chat"], key_labels=["cat"]).page()
    >>> page.html[:15]
    '<!doctype html>'
    """

    html: str
    title: str
    summary: str
    """What is in it, in a sentence: heads, tokens, the largest error, what was left out."""
    error: float
    """By how much a weight on it is off at most."""
    still: str = ""
    """A picture for where no page may run, as SVG."""

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return len(self.html.encode())

    def announcement(self, path: str | Path) -> str:
        """What will be written, and how large it is."""
        return f"Writing {Path(path).name}, {_megabytes(self.size)}: {self.summary}"

    def save(self, path: str | Path) -> Path:
        """Say on the error stream how large the file will be, then write it."""
        sys.stderr.write(self.announcement(path) + "\n")
        path = Path(path)
        path.write_text(self.html, encoding="utf-8")
        return path

    def _repr_html_(self) -> str:
        """The page in a frame of its own, which can reach neither the notebook nor the network.

        Where frames are taken out, as in a notebook nobody has trusted yet, the picture
        behind it is seen.
        """
        picture = base64.b64encode(self.still.encode()).decode()
        behind = (
            f'<img alt="{escape(self.title)}" src="data:image/svg+xml;base64,{picture}">' if picture else ""
        )
        return (
            f'<div style="position:relative;height:{FRAME_HEIGHT}px;overflow:hidden">{behind}'
            f'<iframe title="{escape(self.title)}" sandbox="allow-scripts allow-downloads" '
            'style="position:absolute;inset:0;width:100%;height:100%;border:0" '
            f'srcdoc="{escape(self.html)}"></iframe></div>'
        )

    def __repr__(self) -> str:
        return f"Page({self.title!r}, {_megabytes(self.size)})"


def document(title: str, language: str, facts: Mapping[str, Any], blobs: list[str]) -> str:
    """The whole file. Facts and blobs are data, not script, and hold no ``<`` that could end them."""
    script, style = _script(), _style()
    policy = "; ".join(POLICY).format(script=_digest(script), style=_digest(style))
    told = json.dumps(facts, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    carried = "".join(
        f'<script type="application/octet-stream" id="blob-{number}">{packed}</script>\n'
        for number, packed in enumerate(blobs)
    )
    return (
        f'<!doctype html>\n<html lang="{SPOKEN[language]}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n<meta name="generator" content="regard">\n'
        f"<title>{escape(title)} · regard</title>\n<style>{style}</style>\n</head>\n<body>\n"
        "<noscript>This page needs JavaScript, which it carries itself; it loads nothing. "
        "本页需要 JavaScript，脚本已包含在页内，不会加载任何内容。</noscript>\n"
        f'<script type="application/json" id="facts">{told}</script>\n{carried}'
        f'<script type="module">{script}</script>\n</body>\n</html>\n'
    )


@cache
def _script() -> str:
    return _shipped("terms.js") + _shipped("page.js")


@cache
def _style() -> str:
    chosen = [f':root[data-theme="{theme.name}"] {{ {_variables(theme)} }}\n' for theme in (LIGHT, DARK)]
    light, dark = (f":root {{ {_variables(theme)} }}\n" for theme in (LIGHT, DARK))
    return (
        f"\n{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n{''.join(chosen)}{_shipped('page.css')}"
    )


def _variables(theme: Theme) -> str:
    named = {name: getattr(theme, name) for name in ("paper", "ink", "rule", "masked", "link")} | ROLES[
        theme.name
    ]
    return f"color-scheme: {theme.name}; " + " ".join(
        f"--{name}: {colour};" for name, colour in named.items()
    )


def _shipped(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _megabytes(size: int) -> str:
    """A size as people read it.

    >>> _megabytes(12_800_000), _megabytes(81_234)
    ('12.8 MB', '81 kB')
    """
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{round(size / 1e3)} kB"
