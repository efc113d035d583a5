"""A page as the documentation tool builds it: code run, values said, formulas set, warnings fatal."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.pages import DOCS

PAGE = """# Title

```{chapter}
```

Two and two are {value}`2 + 2`. Here is $x^2$.

```{run}
x = 20 + 3
x
```

```{run}
:caption: a map
from regard.viewing import AttentionMap

AttentionMap([[0.25, 0.75]], query_labels=["chat"], key_labels=["the", "cat"])
```

```{run}
:check:
assert x == 23
```
"""


def build(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    """Build one page; a process of its own, since the tool keeps what it is told for the whole process."""
    guide = folder / "guide" / "en"
    guide.mkdir(parents=True)
    (folder / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {str(DOCS)!r})\n"
        "extensions = ['myst_parser', 'building.directives', 'building.formulas', 'building.searching']\n"
        "myst_enable_extensions = ['dollarmath']\nhtml_math_renderer = 'mathml'\n"
        "html_search_language = 'en-zh'\nroot_doc = 'guide/en/07-page'\nhtml_theme = 'basic'\n"
        f"html_static_path = [{str(DOCS / 'static')!r}]\nhtml_js_files = ['offline.js']\n",
        encoding="utf-8",
    )
    (guide / "07-page.md").write_text(page, encoding="utf-8")
    return subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", str(folder), str(folder / "out" / "html")],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )


# Each build loads torch and the tool anew: seconds.
def test_a_page_shows_what_its_code_gives(tmp_path: Path) -> None:
    built = build(tmp_path, PAGE)
    assert built.returncode == 0, built.stderr
    html = (tmp_path / "out" / "html" / "guide" / "en" / "07-page.html").read_text(encoding="utf-8")
    assert "Two and two are 4." in html
    assert "<math" in html
    assert ">23\n<" in html
    assert html.count("<svg ") == 2  # one for light pages, one for dark ones
    assert "assert x" not in html
    assert '<a href="../zh/07-page.html"' in html
    data = (tmp_path / "out" / "html" / "_static" / "language_data.js").read_text(encoding="utf-8")
    assert "EnglishStemmer" in data
    assert "splitQuery" in data


def test_a_claim_that_is_not_so_fails_the_build(tmp_path: Path) -> None:
    built = build(tmp_path, PAGE.replace("assert x == 23", "assert x == 24"))
    assert built.returncode != 0
    assert re.search(r"guide/en/07-page, line \d+: AssertionError", built.stderr), built.stderr


def test_chinese_lines_are_joined_but_not_lists_or_code() -> None:
    directives = pytest.importorskip("building.directives", exc_type=ImportError)
    page = ["一行，\n又一行\n再一行。\n\n1. 甲。\n   乙，\n   丙。\n2. 丁？\n\n    code  # 戊。\n    more\n"]
    directives.join_lines(None, "guide/zh/x", page)
    assert page[0].splitlines() == [
        "一行，又一行再一行。", "", "1. 甲。乙，丙。", "2. 丁？", "", "    code  # 戊。", "    more"
    ]  # fmt: skip
