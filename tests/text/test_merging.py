from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.text import Tokenizer
from regard.text.merging import Merges, random_of

PAIRS = [("the cat and the hat sat on the mat", "le chat et le chapeau été héhé")] * 3
VOCABULARY = Tokenizer.train(PAIRS, least_count=2, size=330).source
NUMBERS = {data: token for token, data in enumerate(VOCABULARY._bytes) if data}
MERGES = Merges(VOCABULARY.merges, NUMBERS)


@given(st.text(" thecasédlpu", max_size=20))
def test_without_dropout_merges_are_those_of_the_library(word: str) -> None:
    merged = MERGES.apply(word.encode(), dropout=0.0, random=random_of((0,)))
    assert merged == [*VOCABULARY._spell(word)]


@pytest.mark.parametrize("dropout", [0.1, 0.5])
def test_a_single_merge_falls_out_as_often_as_asked(dropout: float) -> None:
    merges = Merges([(b"a", b"b")], {bytes([byte]): byte for byte in range(256)} | {b"ab": 256})
    draws = 4_000
    kept = Counter(
        len(merges.apply(b"ab", dropout=dropout, random=random_of((7, draw)))) == 1 for draw in range(draws)
    )
    assert abs(kept[False] / draws - dropout) < 4 * (dropout * (1 - dropout) / draws) ** 0.5


def test_the_merges_of_one_character_never_fall_out() -> None:
    assert (b"\xc3", b"\xa9") in VOCABULARY.merges
    for draw in range(50):
        tokens = MERGES.apply("été".encode(), dropout=0.9, random=random_of((draw,)))
        assert NUMBERS[b"\xc3"] not in tokens


def test_the_random_numbers_are_the_same_on_every_machine() -> None:
    random = random_of((7, 0, 3))
    assert [round(random(), 6) for _ in range(3)] == [
        0.128987,
        0.271976,
        0.808279,
    ]  # seen on one, asked of all
