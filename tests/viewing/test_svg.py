import time
from xml.etree import ElementTree

import pytest
import torch

from regard.viewing import AttentionMap, AttentionMaps, film, positions
from regard.viewing.drawn import Layout
from regard.viewing.typography import visible
from tests.viewing.hostile import HOSTILE
from tests.viewing.some import ENGLISH, FRENCH, by_hand, several_heads, triangle

NAMESPACE = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "g", "rect", "path", "text", "title"}


def every_layout(seen: AttentionMap) -> list[Layout]:
    one = seen.head(0) if seen.heads > 1 else seen
    return [
        one.layout("heatmap", numbers=True),
        one.layout("flow", side="above"),
        one.layout("flow", side="left", theme="dark"),
        seen.layout("grid"),
        film([(0, one), (31, one)]),
        AttentionMaps([seen]).layout("heatmap"),
    ]


def texts(svg: str) -> list[str]:
    return ["".join(element.itertext()) for element in parsed(svg).iter(f"{NAMESPACE}text")]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.encode("utf-8"))


@pytest.mark.parametrize("seen", [by_hand(), several_heads(), triangle()])
def test_every_drawing_is_xml_of_a_few_harmless_elements(seen: AttentionMap) -> None:
    for layout in [*every_layout(seen), positions(torch.eye(5))]:
        found = {element.tag.removeprefix(NAMESPACE) for element in parsed(layout.svg()).iter()}
        assert found <= ALLOWED


def test_the_words_are_real_text() -> None:
    for view in ("heatmap", "flow"):
        shown = texts(several_heads().svg(view, head=0))
        assert set(ENGLISH) | set(FRENCH) <= set(shown)


def test_the_forty_are_forty() -> None:
    assert len(set(HOSTILE)) == 40


@pytest.mark.parametrize("view", ["heatmap", "flow"])
def test_hostile_tokens_are_shown_literally_and_do_nothing(view: str) -> None:
    seen = AttentionMap(torch.eye(len(HOSTILE)), query_labels=HOSTILE)
    svg = seen.svg(view)
    shown = texts(svg)
    for token in HOSTILE:
        assert shown.count(visible(token)) == 2, token
    assert {element.tag.removeprefix(NAMESPACE) for element in parsed(svg).iter()} <= ALLOWED
    assert not any(
        name.startswith("on") or "href" in name for element in parsed(svg).iter() for name in element.attrib
    )


@pytest.mark.parametrize("token", HOSTILE)
def test_hostile_names_notes_and_titles_are_shown_literally_too(token: str) -> None:
    seen = AttentionMap(
        torch.full((2, 1, 1), 1.0),
        query_labels=["a"],
        name=token,
        notes=[token],
        head_names=[token, "b"],
        axes=(token, token),
    )
    for layout in [*every_layout(seen), seen.layout("heatmap", head=0, title=token)]:
        assert {element.tag.removeprefix(NAMESPACE) for element in parsed(layout.svg()).iter()} <= ALLOWED
        assert any(visible(token) in text for text in texts(layout.svg()))


def test_a_notebook_gets_a_layout_as_the_same_drawing_without_script() -> None:
    html = AttentionMap(torch.eye(len(HOSTILE)), query_labels=HOSTILE).layout()._repr_html_()
    parsed(html)
    assert "<script" not in html
    assert "http" not in html.replace("http://www.w3.org/2000/svg", "")


def test_the_same_map_is_the_same_bytes() -> None:
    for first, second in zip(every_layout(several_heads()), every_layout(several_heads()), strict=True):
        assert first.svg() == second.svg()


def test_each_colour_is_drawn_where_it_was_decided() -> None:
    layout = by_hand().layout("heatmap")
    fills = {path.get("fill"): path.get("d") for path in parsed(layout.svg()).iter(f"{NAMESPACE}path")}
    assert fills[layout.colour(0, 0)] == "M0 0h29v29h-29z"  # type: ignore[attr-defined]
    assert fills[layout.colour(1, 1)] == "M30 30h29v29h-29zM60 30h29v29h-29z"  # type: ignore[attr-defined]


def test_each_kept_link_is_one_curve() -> None:
    svg = by_hand().svg("flow", share=0.5)
    strokes = [path.get("stroke-width") for path in parsed(svg).iter(f"{NAMESPACE}path")]
    assert strokes == ["3.8", "5.08"]


def test_what_was_cut_is_told_in_full_on_hovering() -> None:
    word = "Donaudampfschifffahrtsgesellschaft"
    svg = AttentionMap([[1.0]], query_labels=[word]).svg()
    assert [title.text for title in parsed(svg).iter(f"{NAMESPACE}title")] == [word, word]


def test_what_is_told_on_hovering_is_literal_too() -> None:
    word = "</title><script>" * 7
    svg = AttentionMap([[1.0]], query_labels=[word]).svg()
    assert [title.text for title in parsed(svg).iter(f"{NAMESPACE}title")] == [word, word]


def test_masked_is_explained_only_where_it_occurs() -> None:
    assert "masked" in texts(triangle().svg("heatmap"))
    assert "masked" not in texts(by_hand().svg("heatmap"))


def test_chinese_is_set_in_a_chinese_face() -> None:
    svg = AttentionMap(torch.eye(3), query_labels=["猫", "ねこ", "cat"]).svg()
    families = {text.text: text.get("font-family", "") for text in parsed(svg).iter(f"{NAMESPACE}text")}
    assert "Noto Sans CJK SC" in families["猫"]
    assert "Noto Sans CJK JP" in families["ねこ"]
    assert families["cat"] == ""


def test_nothing_reaches_beyond_the_paper() -> None:
    svg = parsed(several_heads().svg("heatmap", head=0))
    wide, high = float(svg.get("width", 0)), float(svg.get("height", 0))
    assert svg.get("viewBox") == f"0 0 {wide:g} {high:g}"
    assert all(0 <= float(text.get("x", 0)) <= wide for text in svg.iter(f"{NAMESPACE}text"))


def test_a_large_heatmap_is_drawn_within_fifty_milliseconds() -> None:
    seen = AttentionMap(torch.rand(64, 64).softmax(dim=-1), query_labels=[f"token {i}" for i in range(64)])
    times = []
    for _ in range(5):
        start = time.perf_counter()
        seen.svg()
        times.append(time.perf_counter() - start)
    assert min(times) < 0.05
