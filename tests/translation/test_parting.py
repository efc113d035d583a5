from hypothesis import given
from hypothesis import strategies as st

from regard.text import Vocabulary
from regard.translation.parting import parted, whole

CHARACTERS = Vocabulary("characters")
BYTES = Vocabulary("byte-level")


def test_white_space_around_a_text_stays() -> None:
    assert whole("\t a cat \r").separators == ("\t ", " \r")
    assert whole(" \u3000").sentences == ()
    assert whole(" \u3000").join([]) == " \u3000"


def test_a_long_sentence_is_cut_after_a_pause() -> None:
    text = "the cat sleeps, the dog sleeps and the bird sings"
    assert parted(text, CHARACTERS, 28).sentences == (
        "the cat sleeps,",
        "the dog sleeps and the bird",
        "sings",
    )


def test_a_long_sentence_without_spaces_is_cut_after_a_pause_or_a_character() -> None:
    assert parted("看小猫，它好可爱", CHARACTERS, 15).sentences == ("看小猫，", "它好可爱")
    assert parted("看小猫它好可爱", CHARACTERS, 13).sentences == ("看小猫它", "好可爱")


def test_a_word_too_long_for_any_sentence_is_cut_where_it_must_be() -> None:
    layout = parted("a" * 50, CHARACTERS, 20)
    assert layout.sentences == ("a" * 20, "a" * 20, "a" * 10)
    assert layout.separators == ("", "", "", "")


@given(
    st.text(st.characters(exclude_categories=["Cs"])) | st.text("aB ,.;\n。猫，…'1é", max_size=200),
    st.integers(8, 30),
)
def test_the_parts_are_the_text_and_none_is_much_too_long(text: str, longest: int) -> None:
    for vocabulary in (CHARACTERS, BYTES):
        layout = parted(text, vocabulary, longest)
        assert layout.join() == text
        for sentence in layout.sentences:
            assert sentence == sentence.strip()
            assert sentence
            assert len(vocabulary.encode(sentence)) <= longest + 4
    assert whole(text).join() == text
