"""A chapter as a notebook: its texts become cells of text, its blocks cells of code."""

import json
import re
from typing import Any

from building.computing import Block

FENCE = re.compile(
    r"^(```|:::)\{(?P<kind>[a-z-]+)\}(?P<title>[^\n]*)\n(?P<body>.*?)^\1$", re.MULTILINE | re.DOTALL
)
LINK = re.compile(r"\[(?P<words>[^\]]*)\]\((?!https?:)[^)]*\)")
ROLE = re.compile(r"\{(?!value)[a-z]+\}`(?P<words>[^`<]+)(?:<[^`]*>)?`")


def notebook_of(parts: list[str | Block]) -> str:
    """The notebook, as JSON, of a page that has been run."""
    cells: list[dict[str, Any]] = []
    for part in parts:
        if isinstance(part, str):
            text = plain(part).strip()
            if text:
                cells.append({"cell_type": "markdown", "metadata": {}, "source": text})
        elif not part.is_check:
            cells.append(
                {
                    "cell_type": "code",
                    "metadata": {},
                    "source": part.shown,
                    "outputs": [],
                    "execution_count": None,
                }
            )
            if caption := part.options.get("caption"):
                cells.append({"cell_type": "markdown", "metadata": {}, "source": f"*{caption}*"})
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    content = {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def plain(text: str) -> str:
    """Text as every notebook shows it: formulas between dollars, notes as quotations, links as words."""

    def written(found: re.Match[str]) -> str:
        body = re.sub(r"^:[a-z]+:.*\n", "", found["body"], flags=re.MULTILINE).strip()
        if found["kind"] == "math":
            return f"$$\n{body}\n$$"
        if found["kind"] == "chapter":
            return ""
        quoted = "\n".join(
            f"> {line}".rstrip() for line in [f"**{found['title'].strip()}**", "", *body.splitlines()]
        )
        return quoted.replace("> ****\n>\n", "")

    return ROLE.sub(r"`\g<words>`", LINK.sub(r"\g<words>", FENCE.sub(written, text)))
