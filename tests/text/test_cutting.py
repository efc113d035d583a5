import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import Vocabulary
from regard.text.cutting import PATTERNS, cut_words, follow, lead

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


@given(any_text)
def test_words_are_those_that_tokens_are_gathered_into(text: str) -> None:
    characters = Vocabulary("characters")
    gathered = [word.text for word in characters.words(characters.encode(text))]
    assert [*cut_words(text)] == [word for word in gathered if word]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", ()),
        ("  \u3000 ", ()),
        ("2024年，GPT-4很 热", ("2024", "年", "，", "GPT-4", "很", "热")),
        ("ภาษา ok", ("ภ", "า", "ษ", "า", "ok")),
        ("か\u3099き", ("か\u3099", "き")),
    ],
)
def test_where_no_spaces_are_written_a_character_is_a_word(text: str, words: tuple[str, ...]) -> None:
    assert cut_words(text) == words
