import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.viewing.typography import shorten, visible, width


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("cat", "cat"),
        ("New York", "New York"),
        ("", "∅"),
        (" ", "␣"),
        ("a  b", "a ␣b"),
        ("b\u00a0c", "b c"),
        ("\x00", "‹U+0000›"),
        ("\x1b[31m", "‹U+001B›[31m"),
        ("\x7f", "‹U+007F›"),
        ("\x85", "‹U+0085›"),
        ("\u202ecba", "‹U+202E›cba"),
        ("\u2028", "‹U+2028›"),
        ("\ufeff", "‹U+FEFF›"),
        ("\ufffe", "‹U+FFFE›"),
        ("\ud800", "‹U+D800›"),
        ("\u0301", "◌\u0301"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("\u200d", "‹U+200D›"),
        ("猫", "猫"),
        ("</script>", "</script>"),
    ],
)
def test_every_character_can_be_seen(label: str, shown: str) -> None:
    assert visible(label) == shown


@given(st.text(st.characters(exclude_categories=())))
def test_what_is_visible_stays_as_it_is(label: str) -> None:
    assert visible(visible(label)) == visible(label)
    visible(label).encode("utf-8")


def test_width_follows_the_letters() -> None:
    assert width("ll", 10.0) < width("oo", 10.0) < width("WW", 10.0)
    assert width("猫猫", 10.0) == 20.0
    assert width("e\u0301", 10.0) == width("é", 10.0) == width("e", 10.0)


@given(st.text(max_size=40), st.floats(20.0, 300.0))
def test_a_shortened_text_fits(text: str, limit: float) -> None:
    short = shorten(text, 12.0, limit)
    assert width(short, 12.0) <= limit
    assert short == text or short.endswith("…")
