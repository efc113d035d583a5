import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.errors import DataError
from regard.text import cut_sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["The cat sleeps.", "The dog does not."],
        ["Are you home?", "Yes!", "Good."],
        ["Mr. and Mrs. Brown met Dr. J. R. Smith at St. Mary's.", "It rained."],
        ["He lives in the U.S. with his dog.", "She does not."],
        ["See fig. 3 and vol. 2, no. 7, p. 11.", "Then go home."],
        ["He said no.", "Then he left."],
        ["So did I.", "You did not."],
        ["It costs 3.50 euros at example.org today.", "Cheap!"],
        ["Fruit, e.g. apples, i.e. the red ones, etc. are sold here.", "Come in."],
        ["“Are you home?” she asked.", "“Yes.”", "(So he was.)", "Then she left."],
        ["Wait... what is it?", "Well…", "Nothing."],
        ["« Vraiment ? » dit-elle.", "M. Dupont et Mme Petit rient.", "C'est l'été !", "Oui."],
        ["i'm home .", "are you asleep ?", "the cat sleeps ."],
        ["Mr. Brown is home .", "the cat sleeps ."],
        ["Really?!", "No way!!!", "Oh."],
        ["The answer is 42.", "7 is prime."],
        ["Il est 8 h. env. du soir."],
        ["no end at all"],
    ],
)
def test_sentences_are_found(sentences: list[str]) -> None:
    assert [*cut_sentences(" ".join(sentences)).sentences] == sentences


@pytest.mark.parametrize(
    "sentences",
    [
        ["看小猫，它好可爱！", "你喜欢吗？", "我喜欢。"],
        ["他说：“你好！”", "然后走了。"],
        ["「猫が好きです。」", "本当？"],
        ["好吗?", "好!", "版本3.5不好。"],
    ],
)
def test_sentences_are_found_without_spaces(sentences: list[str]) -> None:
    layout = cut_sentences("".join(sentences))
    assert [*layout.sentences] == sentences
    assert set(layout.separators) == {""}


def test_a_line_feed_ends_a_sentence() -> None:
    layout = cut_sentences("\n A title\n\n1. one\n\tand more\n")
    assert layout.sentences == ("A title", "1. one", "and more")
    assert layout.separators == ("\n ", "\n\n", "\n\t", "\n")


@given(st.text(st.characters(exclude_categories=["Cs"])) | st.text("aB .?!\"”(\n。猫…'1"))
def test_joining_restores_the_text(text: str) -> None:
    layout = cut_sentences(text)
    assert layout.join() == text
    assert all(sentence == sentence.strip() != "" for sentence in layout.sentences)
    assert all(not separator.strip() for separator in layout.separators)
    assert len(layout.separators) == len(layout.sentences) + 1


def test_translations_stand_where_the_sentences_stood() -> None:
    layout = cut_sentences("  Hello.   How are you?\n\nFine.\n")
    assert layout.join(["Bonjour.", "Ça va ?", "Oui."]) == "  Bonjour.   Ça va ?\n\nOui.\n"


def test_sentences_that_stood_close_are_parted_in_a_script_with_spaces() -> None:
    layout = cut_sentences("看小猫！它好可爱。")
    assert layout.join(["Look at the kitten!", "It is so cute."]) == "Look at the kitten! It is so cute."
    assert layout.join(["子猫を見て！", "かわいい。"]) == "子猫を見て！かわいい。"


def test_an_empty_text_has_no_sentences() -> None:
    assert cut_sentences("").sentences == ()
    assert cut_sentences(" \n ").join([]) == " \n "


def test_too_few_translations_are_refused() -> None:
    with pytest.raises(DataError) as caught:
        cut_sentences("One. Two.").join(["Un."])
    assert str(caught.value) == "the layout has 2 sentences, but got 1 translation to join."


def test_a_megabyte_of_marks_is_cut_in_a_moment() -> None:
    assert len(cut_sentences("Ha! " * 250_000).sentences) == 250_000
    assert len(cut_sentences("." * 1_000_000).sentences) == 1
    assert cut_sentences(". " + " " * 1_000_000).sentences == (".",)
