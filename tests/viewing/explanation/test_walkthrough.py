"""The steps of an explanation say what the explanation holds, whatever the mechanism."""

import base64
import hashlib
import io
import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
import torch
from torch import Tensor

import regard
from regard import masks, positions, scores
from regard.errors import RegardError
from regard.viewing.explanation import LANGUAGES, Step, Walkthrough
from regard.viewing.typography import visible
from tests.viewing.hostile import HOSTILE

WORDS = ("I", "am", "good")


def good() -> Tensor:
    return torch.tensor([[1.0, 3.0, 2.0], [1.0, 1.0, 3.0], [1.0, 2.0, 1.0]], dtype=torch.float64)


def titles(told: Walkthrough) -> list[str]:
    return [step.title for step in told.steps]


def step(told: Walkthrough, title: str) -> Step:
    return next(step for step in told.steps if step.title == title)


def test_plain_dot_products_take_six_steps() -> None:
    told = Walkthrough.of(regard.explain(good(), score=scores.Dot()), query_labels=WORDS)
    assert titles(told) == [
        "The vectors",
        "Similarities",
        "Exponentials",
        "Weights",
        "The weighted sum",
        "The path attend() takes",
    ]
    assert told.steps[1].lines == [("I · am", "= 1×1 + 3×1 + 2×3 = 10")]
    assert step(told, "The weighted sum").lines == [
        ("I", "← 0.98 I + 0.02 am + 0.01 good"),
        ("am", "← 0.27 I + 0.73 am"),
        ("good", "← 0.91 I + 0.05 am + 0.05 good"),
    ]


def test_scaling_positions_and_masks_are_steps_where_they_take_part() -> None:
    x = good()[None, None]
    explanation = regard.explain(x, mask=masks.causal(), position=positions.Alibi(1))
    told = Walkthrough.of(explanation, query_labels=WORDS)
    assert titles(told)[1:6] == ["Similarities", "Divide by √d", "Add the positions", "Mask", "Exponentials"]
    assert step(told, "Divide by √d").formula == "S / √d = S / √3 = S / 1.732"
    assert step(told, "Mask").tables[0].window(9, 9).cells[0][1:] == ["·", "·"]


def test_tables_hold_the_tensors_of_the_explanation() -> None:
    explanation = regard.explain(good(), mask=masks.causal())
    told = Walkthrough.of(explanation, query_labels=WORDS)
    for title, tensor in {
        "Similarities": explanation.similarities,
        "Divide by √d": explanation.scaled,
        "Mask": explanation.scores,
        "Exponentials": explanation.exponentials,
        "Weights": explanation.weights,
        "The weighted sum": explanation.output,
    }.items():
        torch.testing.assert_close(step(told, title).tables[0].numbers, tensor)
    torch.testing.assert_close(step(told, "Exponentials").tables[0].sums, explanation.totals)


def test_turned_vectors_are_said_to_be_turned() -> None:
    explanation = regard.explain(torch.randn(3, 4), position=positions.Rotary(4))
    told = Walkthrough.of(explanation, query_labels=WORDS)
    assert "Add the positions" not in titles(told)
    assert step(told, "Similarities").notes == [
        "Rotary turned queries and keys by their positions before they were compared."
    ]
    assert step(told, "Similarities").lines == [], "a plain dot product would not be what was computed"


def test_relative_positions_are_said_to_add_to_the_values() -> None:
    explanation = regard.explain(torch.randn(3, 4), position=positions.Relative(reach=2, head_width=4))
    told = Walkthrough.of(explanation, query_labels=WORDS)
    assert step(told, "The weighted sum").notes == [
        "Relative positions also add their own vectors to the values."
    ]


def test_a_silent_query_is_said_to_be_silent() -> None:
    nothing = masks.where(keep=torch.tensor([[True, True, True], [False] * 3, [True] * 3]))
    told = Walkthrough.of(regard.explain(good(), mask=nothing), query_labels=WORDS)
    assert step(told, "Weights").notes == [
        "A query that may attend to nothing gets weights of zero and brings back zero: silence, not noise."
    ]
    assert step(told, "The weighted sum").lines[1] == ("am", "← 0")


def test_a_key_that_no_query_may_see_is_compared_and_then_masked() -> None:
    explanation = regard.explain(good()[None], score=scores.Dot(), mask=masks.lengths([1]))
    told = Walkthrough.of(explanation, query_labels=WORDS)
    compared, masked = told.steps[1], step(told, "Mask")
    assert compared.tables[0].window(9, 9).cells == [["14", "10", "9"], ["10", "11", "6"], ["9", "6", "6"]]
    assert masked.tables[0].window(9, 9).cells == [["14", "·", "·"], ["10", "·", "·"], ["9", "·", "·"]]


def test_queries_keys_and_values_are_shown_apart_where_they_differ() -> None:
    queries, keys, values = torch.randn(2, 3), torch.randn(5, 3), torch.randn(5, 7)
    names = [
        [table.name for table in Walkthrough.of(explanation).steps[0].tables]
        for explanation in (
            regard.explain(queries),
            regard.explain(queries, keys),
            regard.explain(queries, keys, values),
        )
    ]
    assert names == [
        ["X"],
        ["Q · queries", "K = V · keys = values"],
        ["Q · queries", "K · keys", "V · values"],
    ]


def test_samples_are_shown_one_after_another_and_what_they_share_once() -> None:
    keys = torch.randn(5, 3).expand(2, 5, 3)
    told = Walkthrough.of(regard.explain(torch.randn(2, 2, 3), keys))
    assert [table.name for table in told.steps[0].tables] == [
        "Q · queries · sample 1",
        "Q · queries · sample 2",
        "K = V · keys = values",
    ]
    assert [line[0] for line in step(told, "The weighted sum").lines] == [
        "sample 1 · q1",
        "sample 1 · q2",
        "sample 2 · q1",
        "sample 2 · q2",
    ]


def test_of_many_samples_the_first_are_shown_and_the_rest_counted() -> None:
    told = Walkthrough.of(regard.explain(torch.randn(7, 2, 3)))
    assert len(step(told, "Weights").tables) == 4
    assert told.steps[0].notes == ["The first 4 of 7 samples are shown."]


def test_given_scores_stand_in_the_place_of_vectors() -> None:
    given = torch.tensor([[7.0, 5.0]], dtype=torch.float64)
    explanation = regard.explain(given, torch.eye(2, dtype=torch.float64), score=scores.Dot())
    told = Walkthrough.of(explanation, given_scores=given)
    assert titles(told) == ["The scores", "Exponentials", "Weights", "The weighted sum"]
    assert step(told, "The weighted sum").tables == []


@pytest.mark.parametrize(
    "score",
    [
        scores.Dot(),
        scores.ScaledDot(),
        scores.Bilinear(query_width=3, key_width=3),
        scores.Additive(query_width=3, key_width=3, hidden_width=5),
        scores.Gaussian(),
        scores.Boxcar(),
        scores.Triangular(),
        scores.Epanechnikov(),
        scores.Uniform(),
    ],
    ids=lambda score: type(score).__name__,
)
@pytest.mark.parametrize("language", LANGUAGES)
def test_every_score_is_told_and_drawn_in_every_language(score: scores.Score, language: str) -> None:
    explanation = regard.explain(torch.randn(3, 3, requires_grad=True), torch.randn(5, 3), score=score)
    told = Walkthrough.of(explanation, language=language)
    assert explanation.path in told.text()
    assert explanation.path in told.html()


def test_numbers_stand_under_one_another_in_the_terminal() -> None:
    told = Walkthrough.of(
        regard.explain(good(), score=scores.Dot()), query_labels=["我", "am", "good"], digits=6
    )
    lines = told.text(width=100).split("\n")
    start = next(at for at, line in enumerate(lines) if "Weights" in line)
    assert lines[start + 3 : start + 8] == [
        "                  我         am       good",
        "    ──────────────────────────────────────",
        "    我      0.975559   0.017868   0.006573",
        "    am      0.267623   0.727475   0.004902",
        "    good    0.909443   0.045279   0.045279",
    ]


def test_no_line_is_wider_than_the_terminal() -> None:
    told = Walkthrough.of(regard.explain(torch.randn(2, 29, 67)))
    for width in (60, 80, 100):
        assert max(map(len, told.text(width=width).split("\n"))) <= width
    assert "15 of 29 rows are shown." in told.text(width=80)


def test_as_many_columns_are_shown_as_fit() -> None:
    told = Walkthrough.of(regard.explain(torch.randn(3, 67)))
    found = [
        int(re.findall(r"(\d+) of 67 columns are shown\.", told.text(width=width))[0])
        for width in (60, 80, 100)
    ]
    assert found == sorted(set(found))
    assert found[-1] >= 8


def test_weights_too_many_for_a_table_are_drawn_in_the_terminal() -> None:
    told = Walkthrough.of(regard.explain(torch.randn(41, 3)))
    whole = Walkthrough.of(regard.explain(torch.randn(3, 3)))
    assert "░" in told.text()
    assert "░" not in whole.text(), "a shaded table that is whole is a drawing already"


def test_colours_are_only_used_where_there_are_any() -> None:
    told = Walkthrough.of(regard.explain(good()))
    assert "\x1b" not in told.text()
    assert "48;5;" in told.text(colours="256")
    assert ";2;" not in told.text(colours="256")
    assert "48;2;" in told.text(colours="24-bit")
    stream = io.StringIO()
    told.show(file=stream)
    assert "\x1b" not in stream.getvalue()


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in ("meta", "rect", "path"):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(page: str) -> list[tuple[str, dict[str, str | None]]]:
    reader = _Tags()
    reader.feed(page)
    assert reader.open == []
    return reader.found


def test_a_page_is_whole_has_no_script_and_loads_nothing() -> None:
    page = Walkthrough.of(regard.explain(good(), mask=masks.causal()), query_labels=WORDS).html()
    found = tags(page)
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in found}
    for _, attributes in found:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src")]
    assert set(re.findall(r"https?://[^\"' ]+", page)) == {"http://www.w3.org/2000/svg"}
    assert "url(" not in page


def test_a_pages_policy_allows_its_own_style_and_nothing_else() -> None:
    page = Walkthrough.of(regard.explain(good())).html()
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = next(
        unescape(attributes["content"] or "")
        for tag, attributes in tags(page)
        if tag == "meta" and "http-equiv" in attributes
    )
    assert policy == (f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")


def test_hostile_words_are_text_and_nothing_more() -> None:
    told = Walkthrough.of(
        regard.explain(torch.randn(len(HOSTILE), 3)), query_labels=HOSTILE, title="<b>title</b>\x1b[31m"
    )
    page = told.html()
    assert {tag for tag, _ in tags(page)} == {
        tag for tag, _ in tags(Walkthrough.of(regard.explain(good())).html())
    }
    assert "<b>" not in page
    assert "\x1b" not in told.text()
    assert visible(HOSTILE[30]) in told.text()


def test_a_page_is_light_or_dark_as_its_reader_wishes() -> None:
    page = Walkthrough.of(regard.explain(good())).html()
    figures = [attributes["class"] for tag, attributes in tags(page) if tag == "svg"]
    assert figures == ["light", "dark"]
    assert "prefers-color-scheme: dark" in page


def test_the_weights_are_drawn_with_queries_down_and_keys_across() -> None:
    told = Walkthrough.of(regard.explain(torch.randn(2, 3), torch.randn(5, 3)))
    layout = step(told, "Weights").drawings[0].layout()
    assert [label.full for label in layout.rows] == ["q1", "q2"]  # type: ignore[attr-defined]
    assert [label.full for label in layout.columns] == ["k1", "k2", "k3", "k4", "k5"]  # type: ignore[attr-defined]


def test_a_walkthrough_is_saved_as_a_page_or_as_its_picture(tmp_path: Path) -> None:
    told = Walkthrough.of(regard.explain(good()), query_labels=WORDS, title="three words")
    assert told.save(tmp_path / "page.html").read_text(encoding="utf-8") == told.html()
    assert "three words" in told.save(tmp_path / "picture.svg").read_text(encoding="utf-8")


def test_a_notebook_gets_the_page_in_a_frame_of_its_own() -> None:
    told = Walkthrough.of(regard.explain(good()))
    framed = told._repr_html_()
    assert framed.startswith("<iframe srcdoc=")
    assert "<h1>" not in framed
    assert unescape(framed.split('"')[1]) == told.html()


def refused(message: str) -> pytest.RaisesExc[RegardError]:
    return pytest.raises(RegardError, match=f"^{re.escape(message)}$")


def test_what_cannot_be_told_is_refused_in_one_sentence(tmp_path: Path) -> None:
    explanation = regard.explain(good())
    with refused("query_labels of 'Attention' must be 3, one for each query, but got 2."):
        Walkthrough.of(explanation, query_labels=["I", "am"])
    with refused("language must be one of 'en', 'zh', but got 'fr'."):
        Walkthrough.of(explanation, language="fr")
    with refused("digits must be at least 1 and at most 12, but got 0."):
        Walkthrough.of(explanation, digits=0)
    with refused("There is nothing to explain: the weights are (0, 0)."):
        Walkthrough.of(regard.explain(torch.zeros(0, 3)))
    with refused("page.doc cannot be written: its name must end in .html, .svg, .png, .pdf."):
        Walkthrough.of(explanation).save(tmp_path / "page.doc")
    with refused("'plain' has no picture: save it as .html."):
        Walkthrough(title="plain", steps=[]).save(tmp_path / "page.svg")
