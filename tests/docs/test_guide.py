"""Every chapter runs, says what is so, and says the same in both languages."""

import re
import unicodedata
from pathlib import Path

import pytest
import torch
from building.computing import VALUE, Block, parts_of, run_page

from tests.docs.pages import DOCS, LANGUAGES, NUMBERS, chapter, text

WIDEST = 104
"""So many letters go beside one another on a page."""


@pytest.fixture(autouse=True)
def _threads_as_before() -> None:
    torch.set_num_threads(torch.get_num_threads())


# Both languages of a chapter, and chapters 9 and 10, share what they train: some ten seconds each time.
@pytest.mark.parametrize("numbers", [(1,), (2,), (3,), (4,), (5,), (6,), (7,), (8,), (9, 10)], ids=str)
def test_a_chapter_runs_and_what_it_says_is_so(numbers: tuple[int, ...], tmp_path: Path) -> None:
    for number in numbers:
        for language in LANGUAGES:
            parts = run_page(text(number, language), tmp_path)
            assert any(isinstance(part, Block) for part in parts)
            assert not any(VALUE.search(part) for part in parts if isinstance(part, str))


def test_a_check_that_fails_stops_the_page(tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page("One is two.\n\n```{run}\n:check:\nassert 1 == 2\n```\n", tmp_path)


@pytest.mark.parametrize("number", NUMBERS)
def test_both_languages_tell_a_chapter_alike(number: int) -> None:
    english, chinese = text(number, "en"), text(number, "zh")
    assert chapter(number, "en").name == chapter(number, "zh").name
    for mark in (r"^# ", r"^## ", r"^:::\{admonition\}", r"^\| ", r"\{value\}`"):
        in_english, in_chinese = (len(re.findall(mark, page, re.MULTILINE)) for page in (english, chinese))
        if mark == r"\{value\}`" and number == 10:  # the English one quotes a sentence of the library
            in_english -= 1
        assert in_english == in_chinese, mark
    in_english, in_chinese = (
        [
            (part.options.keys(), without_words(part.code))
            for part in parts_of(page)
            if isinstance(part, Block)
        ]
        for page in (english, chinese)
    )
    assert in_english == in_chinese


def without_words(code: str) -> str:
    """Code without what is said to people: texts, comments, spaces, and what only names a language."""
    code = re.sub(r"#[^\n]*", "", code)
    code = re.sub(r'f?"[^"\n]*"|f?\'[^\'\n]*\'', '""', code)
    code = re.sub(r',\s*axes=\("", ""\)|language=""', "", code)
    return re.sub(r"\s+", "", code)


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_chapter_makes_one_change_shows_a_figure_and_names_its_paper(number: int, language: str) -> None:
    page = text(number, language)
    one_change = {"en": "One change", "zh": "只改一处"}[language]
    assert number == 1 or one_change in page
    assert re.search({"en": r"\*\*The papers?\.\*\*", "zh": r"\*\*论文。\*\*"}[language], page)
    assert (
        "AttentionMap(" in page or ".look(" in page or "worked.example(" in page or "compare_encoders" in page
    )


@pytest.mark.parametrize("number", NUMBERS)
def test_chinese_uses_the_terms_of_the_glossary(number: int) -> None:
    prose = "".join(part for part in parts_of(text(number, "zh")) if isinstance(part, str))
    for wrong, right in {
        "注意力得分": "得分",
        "遮罩": "掩码",
        "多头部": "多头",
        "层正则化": "层归一化",
        "位置嵌入": "位置编码",
    }.items():
        assert wrong not in prose, f"say {right}, not {wrong}"
    assert not re.search(r"[\u4e00-\u9fff][,;:?!]", prose), "Chinese has punctuation of its own"


def columns(line: str) -> int:
    """How wide a line is where every character is as wide as a letter, and a Chinese one twice that."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in line)


@pytest.mark.parametrize(
    "page", [*DOCS.glob("guide/*/*.md"), *DOCS.glob("how-to/*.md")], ids=lambda page: page.stem
)
def test_code_is_read_without_scrolling(page: Path) -> None:
    for part in parts_of(page.read_text(encoding="utf-8")):
        if isinstance(part, Block) and not {"check", "hidden"} & part.options.keys():
            assert [line for line in part.shown.splitlines() if columns(line) > WIDEST] == []
