"""The READMEs keep in step, and what they list is there."""

import re
from pathlib import Path

import pytest
from building import readme

ROOT = Path(__file__).parents[2]
PAGES = {language: (ROOT / name).read_text(encoding="utf-8") for language, name in
         {"en": "README.md", "zh": "README.zh.md"}.items()}  # fmt: skip


def code(page: str) -> list[str]:
    """Its code and its commands, without what is said to people."""
    blocks = re.findall(r"^```python\n.*?^```$|(?:^ {4}[^\n]*\n)+", page, re.MULTILINE | re.DOTALL)
    return [re.sub(r"\s*#.*", "", block).strip() for block in blocks]


def test_both_have_the_same_headings_code_pictures_and_folders() -> None:
    english, chinese = PAGES["en"], PAGES["zh"]
    for mark in (r"^#+ ", r"^!\[.*\]\((.*)\)", r"^\| `(.*?)`", r"^\| ---"):
        in_english, in_chinese = (re.findall(mark, page, re.MULTILINE) for page in (english, chinese))
        assert in_english == in_chinese
    assert code(english) == code(chinese)
    assert len(code(english)) >= 6


@pytest.mark.parametrize("language", PAGES)
def test_the_map_of_the_code_lists_the_folders_there_are(language: str) -> None:
    listed = set(re.findall(r"^\| `(.*?)/?` \|", PAGES[language], re.MULTILINE))
    parts = {f"src/regard/{path.parent.name}" for path in (ROOT / "src" / "regard").glob("*/__init__.py")}
    assert listed == parts | {"docs", "examples", "benchmarks", "recipes"}


@pytest.mark.parametrize("language", PAGES)
def test_every_row_of_the_table_is_drawn_from_a_line_of_results(language: str) -> None:
    found = readme.TABLE.search(PAGES[language])
    assert found
    head, rule, *rows = found[0].splitlines()
    assert [head, rule] == list(readme.table(language))[:2]
    assert len(rows) == len(readme.ROWS)
    for row, written in zip(readme.ROWS, rows, strict=True):
        assert written in [readme.drawn(row, line, language) for line in readme.lines(row) or [None]]
