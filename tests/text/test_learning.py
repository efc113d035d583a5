import os
import subprocess
import sys

import pytest

from regard.errors import DataError, RecipeError
from regard.text.learning import LARGEST, learn, size_for
from regard.text.vocabulary import ALWAYS, KINDS

TEXTS = ["the cat sleeps", "the dog sleeps", "le chat dort", "été comme hiver", "小猫睡觉"] * 5


@pytest.mark.parametrize("kind", KINDS)
def test_a_vocabulary_is_no_larger_than_asked(kind: str) -> None:
    for size in (ALWAYS, ALWAYS + 2, ALWAYS + 5):
        assert len(learn(TEXTS, kind=kind, size=size, least_count=1)) == size


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_met_too_rarely_is_not_learned(kind: str) -> None:
    assert len(learn(TEXTS, kind=kind, size=None, least_count=1_000)) == ALWAYS


@pytest.mark.parametrize("kind", KINDS)
def test_every_learned_token_is_met_often_enough(kind: str) -> None:
    vocabulary = learn(TEXTS, kind=kind, size=None, least_count=5)
    data = "\n".join(map(vocabulary.led, TEXTS)).encode()
    assert vocabulary.learned
    assert all(data.count(token) >= 5 for token in vocabulary.learned)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_learned_from_nothing(kind: str) -> None:
    assert len(learn([], kind=kind, size=None, least_count=1)) == ALWAYS


def test_byte_fallback_never_cuts_a_frequent_character() -> None:
    vocabulary = learn(TEXTS, kind="byte-fallback", size=None, least_count=5)
    assert vocabulary.pieces(vocabulary.encode("zéz睡觉鱼")) == [
        *(" ", "z", "é", "z", "睡", "觉"),
        *("\\xe9", "\\xb1", "\\xbc"),  # never met, so spelled in bytes
    ]


def test_words_are_numbered_from_the_most_frequent() -> None:
    vocabulary = learn(TEXTS, kind="words", size=None, least_count=5)
    assert vocabulary.learned[:4] == (b" sleeps", b" the", b" cat", b" chat")


def test_the_same_text_teaches_the_same_vocabulary_in_every_process() -> None:
    texts = [f"{noun}s {verb} in {place}" for noun in TEXTS for verb in TEXTS for place in ("été", "東京")]
    program = (
        "from regard.text.learning import learn; from regard.text.vocabulary import KINDS\n"
        f"for kind in KINDS:\n"
        f"    vocabulary = learn({texts!r}, kind=kind, size=None, least_count=2)\n"
        f"    print(vocabulary.learned, vocabulary.merges)"
    )

    def run(threads: int, hash_seed: int) -> str:
        environment = os.environ | {"RAYON_NUM_THREADS": str(threads), "PYTHONHASHSEED": str(hash_seed)}
        command = [sys.executable, "-c", program]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    assert run(1, 3) == run(2, 5) != ""


def test_the_size_grows_with_the_cube_root_of_the_text() -> None:
    assert size_for(8_000_000) == 2 * size_for(1_000_000) == 7_000
    assert size_for(0) == 300
    assert size_for(10**12) == LARGEST == 32_000


def test_a_size_below_the_bytes_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        learn(TEXTS, kind="byte-level", size=259, least_count=1)
    assert str(caught.value) == (
        "size must be at least 260, the special tokens and the 256 bytes, but got 259."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_lone_surrogate_in_the_text_is_refused(kind: str) -> None:
    with pytest.raises(DataError) as caught:
        learn(["fine", "a\udfff"], kind=kind, size=None, least_count=1)
    assert str(caught.value) == (
        "character 1 of the text is the lone surrogate U+DFFF, which is not valid Unicode. "
        "Remove it, or write U+FFFD in its place."
    )
