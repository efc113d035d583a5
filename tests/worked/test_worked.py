"""Every worked example can be followed in every language, and says what it is."""

from pathlib import Path

import pytest

from regard import worked
from regard.errors import RegardError
from regard.viewing.explanation import LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", worked.EXAMPLES)
def test_every_example_is_told_printed_and_drawn(name: str, language: str) -> None:
    told = worked.example(name).walk(language)
    assert told.title == worked.EXAMPLES[name].title.to(language)
    assert told.picture is not None
    assert "<svg" in told.picture.svg(theme="dark")
    text = told.text(width=100)
    for step in told.steps:
        assert step.title in text
    assert "nan" not in text


def test_examples_are_named_as_they_are_listed() -> None:
    assert [each.name for each in worked.EXAMPLES.values()] == list(worked.EXAMPLES)


def test_chinese_walkthroughs_hold_no_english_sentence() -> None:
    for each in worked.EXAMPLES.values():
        for step in each.walk("zh").steps:
            for said in (step.title, step.why, *step.notes):
                assert not said or not said.replace("attend()", "").isascii(), said


def test_settings_vary_an_example() -> None:
    narrow, wide = (worked.example("kitten").walk(d=d).steps[1].formula for d in (4, 256))
    assert (narrow, wide) == ("S / √d = S / √4 = S / 2", "S / √d = S / √256 = S / 16")
    scaled = worked.example("good").walk(scale=True)
    assert "Divide by √d" in [step.title for step in scaled.steps]


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("good", {"d": 64}, "The example 'good' has no d: it can vary scale."),
        ("kitten", {"mask": "causal"}, "The example 'kitten' has no mask: it can vary d and scale."),
        ("order", {"d": 64}, "The example 'order' has no d: it cannot be varied."),
    ],
)
def test_what_an_example_cannot_vary_is_refused(name: str, settings: dict[str, object], message: str) -> None:
    with pytest.raises(RegardError) as caught:
        worked.example(name).walk(**settings)  # type: ignore[arg-type]
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("goood", "There is no example called 'goood'. Did you mean 'good'?"),
        (
            "zebra",
            "There is no example called 'zebra'. There are good, tokens, kitten, lengths, additive, kernel, "
            "cross, identity, order, positions.",
        ),
    ],
)
def test_an_unknown_example_is_refused(name: str, message: str) -> None:
    with pytest.raises(RegardError) as caught:
        worked.example(name)
    assert str(caught.value) == message


def test_all_of_them_are_written_with_a_page_that_lists_them(tmp_path: Path) -> None:
    index = worked.write(tmp_path / "new" / "folder", "zh")
    page = index.read_text(encoding="utf-8")
    assert sorted(path.name for path in index.parent.iterdir()) == sorted(
        ["index.html", *(f"{name}{kind}" for name in worked.EXAMPLES for kind in (".html", ".svg"))]
    )
    for name, each in worked.EXAMPLES.items():
        assert f'<a href="{name}.html">{each.title.zh}</a>' in page
        assert '<a href="index.html">' in (index.parent / f"{name}.html").read_text(encoding="utf-8")
    assert "<script" not in page
