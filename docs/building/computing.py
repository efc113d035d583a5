"""Code in the pages: it runs while they are built, so that no number and no figure can go stale.

A page holds two kinds of code. A block ``{run}`` shows its code, what it prints, and the value of its last
line; a drawing is drawn. A role ``{value}`` puts one value into a sentence: ``{value}`weights[0, 0]:.3f```.
"""

import ast
import contextlib
import io
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

SMALL = Path(__file__).parents[1] / "guide" / "small.tsv"
"""The sentence pairs of the guide, which pages find beside them."""
SEED = 20_170_612
BLOCK = re.compile(r"^```\{run\}\n(?P<block>.*?)^```$", re.MULTILINE | re.DOTALL)
VALUE = re.compile(r"\{value\}`(?P<value>[^`]+)`")
OPTION = re.compile(r"^:(?P<name>[a-z]+):(?P<value>.*)$")


@dataclass(frozen=True)
class Block:
    """A piece of code of a page, and how it is to be shown."""

    code: str
    options: dict[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> "Block":
        """The block in the text between the fences: options first, then code."""
        lines = text.splitlines()
        options = {}
        while lines and (found := OPTION.match(lines[0])):
            options[found["name"]] = found["value"].strip()
            lines.pop(0)
        return cls("\n".join(lines).strip("\n"), options)

    @property
    def shown(self) -> str:
        """The code as a reader can run it to see what the page shows: with the view it is drawn in.

        >>> Block("look()\\nmaps", {"view": "grid, order=None"}).shown
        'look()\\nmaps.layout("grid", order=None)'
        """
        if "view" not in self.options:
            return self.code
        view, comma, rest = self.options["view"].partition(",")
        return f'{self.code}.layout("{view}"{comma}{rest})'

    @property
    def view(self) -> dict[str, Any]:
        """How its drawing is to be drawn: the view and its options.

        >>> Block("maps", {"view": "grid, order=None"}).view
        {'view': 'grid', 'order': None}
        """
        view, _, rest = self.options.get("view", "").partition(",")
        given = (option.partition("=") for option in rest.split(",") if option)
        return {"view": view or None} | {name.strip(): ast.literal_eval(value) for name, _, value in given}

    @property
    def is_check(self) -> bool:
        """Whether the block only holds the text around it to what it says, and is not shown."""
        return "check" in self.options


@dataclass(frozen=True)
class Result:
    """What a block printed, and the value it ended with, if any."""

    printed: str
    value: Any


class Session:
    """One page as it runs: its names, shared by its blocks, in a folder of its own choosing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "__page__"}
        torch.manual_seed(SEED)
        torch.set_num_threads(1)

    def run(self, code: str) -> Result:
        """Run code; the value is that of a last line which is an expression."""
        tree = ast.parse(code)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        printed, value = io.StringIO(), None
        with self._here(), contextlib.redirect_stdout(printed):
            exec(compile(tree, "<page>", "exec"), self.names)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), "<page>", "eval"), self.names)  # noqa: S307
        return Result(printed.getvalue(), value)

    def value(self, text: str) -> str:
        """A value as the braces of an f-string write it.

        >>> Session(Path()).value("1 / 3:.2f")
        '0.33'
        """
        return str(self.run(f'f"{{{text}}}"' if '"' not in text else f"f'{{{text}}}'").value)

    @contextlib.contextmanager
    def _here(self) -> Iterator[None]:
        before = Path.cwd()
        self.folder.mkdir(parents=True, exist_ok=True)
        if not (self.folder / SMALL.name).exists():
            shutil.copy(SMALL, self.folder)
        os.chdir(self.folder)
        try:
            yield
        finally:
            os.chdir(before)


def parts_of(text: str) -> list[str | Block]:
    """A page as texts and blocks, in order.

    >>> parts_of("Look:\\n```{run}\\n:check:\\n1 + 1\\n```\\nDone.")
    ['Look:\\n', Block(code='1 + 1', options={'check': ''}), '\\nDone.']
    """
    parts: list[str | Block] = []
    end = 0
    for found in BLOCK.finditer(text):
        parts += [text[end : found.start()], Block.read(found["block"])]
        end = found.end()
    return [*parts, text[end:]]


def run_page(text: str, folder: Path) -> list[str | Block]:
    """Run a whole page without a documentation tool; its texts come back with their values in them."""
    session = Session(folder)
    done: list[str | Block] = []
    for part in parts_of(text):
        if isinstance(part, Block):
            session.run(part.code)
            done.append(part)
        else:
            done.append(VALUE.sub(lambda found: session.value(found["value"]), part))
    return done
