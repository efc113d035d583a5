"""Docstrings as they are written, for a tool that reads them as reStructuredText: formulas are not markup."""

import re
from typing import Any

from sphinx.application import Sphinx

SPARED = re.compile(r"(``.*?``|:[a-z]+:`[^`]+`|(?<![\w*])\*[A-Za-z][^*]*\*(?!\w))|([\\|*_`])")

FIELD = re.compile(r"Alias for field number \d+$")
"""What Python says of a field of a named tuple, which tells nobody anything."""


def plain(lines: list[str]) -> list[str]:
    """Signs escaped that would be markup; lines set apart by four spaces kept as they stand.

    >>> plain(["Twice |x|:", "", "    y = x * 2", "", "``a*b`` and *more*."])
    ['Twice \\\\|x\\\\|:', '', '::', '', '    y = x * 2', '', '``a*b`` and *more*.']
    """
    done: list[str] = []
    code = example = False
    for line in lines:
        if line.startswith(">>>"):
            example = True
        elif not line.strip():
            example = False
        if line.startswith("    ") and not example:
            if not code:
                done += ["::", ""]
            code = True
        elif line.strip():
            code = False
        done.append(line if example or code else SPARED.sub(_escaped, line))
    return done


def _escaped(found: re.Match[str]) -> str:
    return found[1] if found[1] else f"\\{found[2]}"


def process(app: Sphinx, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Change a docstring in place, as the tool wants it."""
    lines[:] = [] if lines[:1] and FIELD.match(lines[0]) else plain(lines)


def setup(app: Sphinx) -> dict[str, bool]:
    """Listen for docstrings."""
    app.connect("autodoc-process-docstring", process)
    return {"parallel_read_safe": True}
