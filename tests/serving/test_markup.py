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
        "<![CDATA[a > b]]><p>x</p>",
        "<![if IE]><p>x</p><![endif]>",
        "x <![CDAT}A[ y <b>z</b>",
    ],
)
def test_tags_stay_as_they_are(text: str) -> None:
    markup = Markup(text)
    assert markup.filled(markup.texts) == text


@pytest.mark.parametrize("text", ["x <![", "x <![a[", "x <![CDATA[ y"])
def test_what_never_ends_is_text(text: str) -> None:
    assert "".join(Markup(text).texts) == text


def test_scripts_are_not_translated() -> None:
    assert Markup("<script>alert(1)</script><style>p{}</style>hello").texts == ["hello"]


def test_a_translation_cannot_become_a_tag() -> None:
    assert Markup("<p>x</p>").filled(["<script>"]) == "<p>&lt;script&gt;</p>"


SIGNS = [*"<>/!-&;#ab \"'=?[]", "<![", "<!--", "-->", "]]>", "CDATA["]


@given(st.lists(st.sampled_from(SIGNS), max_size=30).map("".join))
def test_nothing_breaks_it(text: str) -> None:
    markup = Markup(text)
    markup.filled(markup.texts)
