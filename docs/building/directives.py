"""What pages can say beyond Markdown: run this, put that value here, show this example or command."""

import hashlib
import os
import re
import shutil
import sys
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective, SphinxRole

from building.computing import BLOCK, SMALL, Block, Session, run_page
from building.notebooks import notebook_of
from regard.viewing.drawn import Drawn
from regard.viewing.page.making import Page

DOCS = Path(__file__).parents[1]
ROOT = DOCS.parent
NOTEBOOKS = 6
"""So many chapters of each language are notebooks, too."""
LANGUAGES = {"en": "English", "zh": "中文"}
# Not before a list, a table, a heading or code.
LINE_END = re.compile(
    r"(?<=[\u4e00-\u9fff])\n {0,3}(?=[\u4e00-\u9fff])"
    r"|(?<=[\u3001\u3002\uff01-\uff1f])\n {0,3}(?!\n| |[-|#:`]|\d+\. |\Z)"
)
TOLD = (
    "similarity",
    "two_questions",
    "kernel_regression",
    "why_divide",
    "masks_in_words",
    "your_own_score",
    "three_encoders",
    "where_words_stand",
    "relative_positions",
    "train_and_look",
    "align",
    "knock_out",
    "watch_torch",
    "look_into_hugging_face",
)
"""The examples in the order of the guide."""
SAID = {
    "en": {"code": "the code of this figure", "notebook": "as a notebook", "back": "all examples"},
    "zh": {"code": "本图的代码", "notebook": "下载笔记本", "back": "全部示例"},
}


def work_folder(out: Path) -> Path:
    """Where pages write what they make: kept until regard itself changes, so that little is trained twice."""
    digest = hashlib.sha256()
    for path in sorted((ROOT / "src").rglob("*.py")):
        digest.update(path.read_bytes())
    return out.parent / "work" / digest.hexdigest()[:12]


def language_of(page: str) -> str:
    """The language a page is written in.

    >>> language_of("guide/zh/03-kernels"), language_of("index")
    ('zh', 'en')
    """
    return next((part for part in page.split("/") if part in LANGUAGES), "en")


def session_of(env: Any) -> Session:
    """The session of the page that is being read."""
    if "regard session" not in env.temp_data:
        env.temp_data["regard session"] = Session(work_folder(Path(env.app.outdir)))
    return env.temp_data["regard session"]


class Run(SphinxDirective):
    """Run code; show it, what it prints and what it gives."""

    has_content = True
    option_spec: ClassVar = {
        "check": directives.flag,
        "folded": directives.flag,
        "hidden": directives.flag,
        "caption": directives.unchanged,
        "view": directives.unchanged,
    }

    def run(self) -> list[nodes.Node]:
        """The nodes of one block."""
        code = "\n".join(self.content)
        block = Block(code, self.options)
        try:
            result = session_of(self.env).run(code)
        except Exception as error:
            place = f"{self.env.docname}, line {self.lineno}"
            raise ExtensionError(f"{place}: {type(error).__name__}: {error}", error) from error
        if "check" in self.options:
            return []
        shown: list[nodes.Node] = []
        if "hidden" not in self.options:
            shown += self._code(block.shown)
        printed = result.printed.rstrip("\n")
        if result.value is not None and not isinstance(result.value, Drawn | Page):
            printed = f"{printed}\n{result.value!r}".lstrip("\n")
        if printed:
            shown.append(nodes.literal_block(printed, printed, language="text", classes=["output"]))
        if isinstance(result.value, Drawn | Page):
            shown.append(figure(result.value, self.options.get("caption", ""), **block.view))
        return shown

    def _code(self, code: str) -> list[nodes.Node]:
        block = nodes.literal_block(code, code, language="python")
        if "folded" not in self.options:
            return [block]
        words = SAID[language_of(self.env.docname)]["code"]
        before = nodes.raw("", f'<details class="code"><summary>{words}</summary>', format="html")
        return [before, block, nodes.raw("", "</details>", format="html")]


def figure(drawn: Drawn | Page, caption: str, **view: Any) -> nodes.raw:
    """A drawing twice, of which a light or a dark page shows one; a page to explore in a frame."""
    if isinstance(drawn, Page):
        body = drawn._repr_html_()
    else:
        themes = {theme: drawn.svg(**view, theme=theme) for theme in ("light", "dark")}
        body = "".join(f'<div class="only-{theme}">{svg}</div>' for theme, svg in themes.items())
    words = f"<figcaption>{escape(caption)}</figcaption>" if caption else ""
    return nodes.raw("", f'<figure class="regard">{body}{words}</figure>\n', format="html")


class Value(SphinxRole):
    """A value in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The value as text."""
        return [nodes.Text(session_of(self.env).value(self.text))], []


class Chapter(SphinxDirective):
    """The head of a chapter: the same in the other language, and as a notebook."""

    def run(self) -> list[nodes.Node]:
        """One line of links."""
        language, name = language_of(self.env.docname), self.env.docname.split("/")[-1]
        (other,) = set(LANGUAGES) - {language}
        links = [f'<a href="../{other}/{name}.html" hreflang="{other}">{LANGUAGES[other]}</a>']
        if name[:2].isdigit() and int(name[:2]) <= NOTEBOOKS:
            address = f"../../notebooks/{language}/{name}.ipynb"
            links.append(f'<a href="{address}" download>{SAID[language]["notebook"]}</a>')
        return [nodes.raw("", f'<p class="chapter">{" · ".join(links)}</p>', format="html")]


class Commands(SphinxDirective):
    """Every command's own help."""

    def run(self) -> list[nodes.Node]:
        """A section for each command."""
        from click.testing import CliRunner

        from regard.cli import main

        shown: list[nodes.Node] = []
        for name in sorted(main.commands):
            section = nodes.section(ids=[f"regard-{name}"], names=[f"regard-{name}"])
            section += nodes.title("", "", nodes.literal("", f"regard {name}"))
            told = (
                CliRunner()
                .invoke(main, [name, "--help"], prog_name="regard", terminal_width=96)
                .output.strip()
            )
            section += nodes.literal_block(told, told, language="text")
            shown.append(section)
        return shown


class Gallery(SphinxDirective):
    """Every example: its first sentence, its picture, what it prints, its code."""

    def run(self) -> list[nodes.Node]:
        """A section for each file of the examples."""
        shown: list[nodes.Node] = []
        for path in sorted((ROOT / "examples").glob("*.py"), key=as_told):
            self.env.note_dependency(str(path))
            shown.append(self._example(path))
        return shown

    def _example(self, path: Path) -> nodes.section:
        code = path.read_text(encoding="utf-8")
        said, _, rest = code.removeprefix('"""').partition('"""')
        title, _, more = said.strip().partition("\n\n")
        section = nodes.section(ids=[path.stem.replace("_", "-")], names=[path.stem])
        section += nodes.title("", " ".join(title.split()).rstrip("."))
        for paragraph in filter(None, more.split("\n\n")):
            kind = nodes.literal_block if paragraph.startswith("    ") else nodes.paragraph
            section += kind("", " ".join(paragraph.split()))
        folder = work_folder(Path(self.env.app.outdir)) / "examples"
        (folder / f"{path.stem}.svg").unlink(missing_ok=True)
        session = Session(folder)
        session.names["__name__"] = "__main__"
        arguments, sys.argv = sys.argv, [path.name]
        try:
            printed = session.run(code).printed.rstrip()
        except ModuleNotFoundError as error:  # an extra that is not installed here
            printed = str(error)
        finally:
            sys.argv = arguments
        picture = folder / f"{path.stem}.svg"
        if picture.exists():
            drawn = picture.read_text(encoding="utf-8")
            section += nodes.raw("", f'<figure class="regard paper">{drawn}</figure>', format="html")
        if printed:
            section += nodes.literal_block(printed, printed, language="text", classes=["output"])
        body = rest.strip()
        section += nodes.raw(
            "", f'<details class="code"><summary>examples/{path.name}</summary>', format="html"
        )
        section += nodes.literal_block(body, body, language="python")
        section += nodes.raw("", "</details>", format="html")
        return section


def as_told(path: Path) -> tuple[int, str]:
    """Where an example stands: in the order of the guide, and those it does not know last.

    >>> as_told(Path("similarity.py")) < as_told(Path("align.py")) < as_told(Path("a_new_one.py"))
    True
    """
    return TOLD.index(path.stem) if path.stem in TOLD else len(TOLD), path.stem


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Put the first chapters beside the pages, as notebooks."""
    if error is not None or app.builder.format != "html":
        return
    for path in chapters(range(1, NOTEBOOKS + 1)):
        into = Path(app.outdir) / "notebooks" / path.parent.name / f"{path.stem}.ipynb"
        into.parent.mkdir(parents=True, exist_ok=True)
        parts = run_page(path.read_text(encoding="utf-8"), work_folder(Path(app.outdir)))
        into.write_text(notebook_of(parts), encoding="utf-8")
        shutil.copy(SMALL, into.parent)


def chapters(numbers: Sequence[int]) -> list[Path]:
    """The files of these chapters, in every language."""
    wanted = {f"{number:02d}" for number in numbers}
    return [path for path in sorted((DOCS / "guide").glob("*/*.md")) if path.name[:2] in wanted]


def join_lines(app: Sphinx, page: str, source: list[str]) -> None:
    """Chinese is written without spaces, so that the end of a line in it must not become one."""
    if language_of(page) == "zh":
        parts = BLOCK.split(source[0])  # a text, a block, a text, …
        texts = [
            LINE_END.sub("", part) if at % 2 == 0 else f"```{{run}}\n{part}```"
            for at, part in enumerate(parts)
        ]
        source[0] = "".join(texts)


def speak(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Let a page say which language it is in."""
    context["language"] = {"en": "en", "zh": "zh-Hans"}[language_of(page)]


def setup(app: Sphinx) -> dict[str, bool]:
    """Offer the directives and the role."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    app.add_directive("run", Run)
    app.add_role("value", Value())
    app.add_directive("chapter", Chapter)
    app.add_directive("commands", Commands)
    app.add_directive("gallery", Gallery)
    app.connect("source-read", join_lines)
    app.connect("build-finished", write_notebooks)
    app.connect("html-page-context", speak)
    return {"parallel_read_safe": True}
