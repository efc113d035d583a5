import pytest
from hypothesis import given
from hypothesis import strategies as st

from regard.serving.markup import Markup


@pytest.mark.parametrize(
    "text",
    [
        '<p class="a">one <b>two</b><br/>three</p>',
        "<!doctype html><!-- a comment --><p>x</p>",
        "<script>var a = '<b>';</script><p>x</p>",
        "no tags, a &lt; and an &amp;",
        "<ul><li>a<li>b</ul>",
    ],
)
def test_tags_stay_as_they_are(text: str) -> None:
    markup = Markup(text)
    assert markup.filled(markup.texts) == text


def test_scripts_are_not_translated() -> None:
    assert Markup("<script>alert(1)</script><style>p{}</style>hello").texts == ["hello"]


def test_a_translation_cannot_become_a_tag() -> None:
    assert Markup("<p>x</p>").filled(["<script>"]) == "<p>&lt;script&gt;</p>"


@given(st.text(alphabet="<>/!-&;#ab \"'=?[]", max_size=40))
def test_nothing_breaks_it(text: str) -> None:
    markup = Markup(text)
    markup.filled(markup.texts)
