import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text.cutting import PATTERNS, follow, lead

any_text = st.text(st.characters(exclude_categories=["Cs"]))


@pytest.mark.parametrize("kind", PATTERNS)
@given(text=any_text)
def test_what_is_cut_joins_to_the_text(kind: str, text: str) -> None:
    assert "".join(re.findall(PATTERNS[kind], text)) == text


@given(any_text)
def test_the_leading_space_and_no_other_is_taken_away(text: str) -> None:
    assert follow(lead(text)) == text


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("l'homme n’a pas", ["l'", "homme", " n’", "a", " pas"]),
        (
            "don’t say she'll QU'ELLE'S 'quote'",
            ["don", "’t", " say", " she", "'ll", " QU'", "ELLE", "'S", " '", "quote", "'"],
        ),
        ("d'Artagnan s'est tu'", ["d'", "Artagnan", " s'", "est", " tu", "'"]),
        ("in 1984.", ["in", " 1", "9", "8", "4", "."]),
        ("看小猫，它好可爱", ["看", "小", "猫", "，", "它", "好", "可", "爱"]),
        ("a   b  ", ["a", "  ", " b", "  "]),
        ("cafe\u0301 नमस्ते", ["cafe\u0301", " नमस्ते"]),
    ],
)
def test_subwords_never_reach_across_these_cuts(text: str, pieces: list[str]) -> None:
    assert re.findall(PATTERNS["byte-level"], text) == pieces


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("i'm well-read .", ["i'm", " well-read", " ."]),
        ("Room 101, please.", ["Room", " 101", ",", " please", "."]),
        ("小猫", ["小", "猫"]),
    ],
)
def test_words_are_cut_at_spaces_and_punctuation(text: str, pieces: list[str]) -> None:
    assert re.findall(PATTERNS["words"], text) == pieces
