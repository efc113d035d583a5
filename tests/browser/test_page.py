"""The page as a reader meets it: in Chromium, by mouse and by keyboard, in both languages."""

import math
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
import torch

import regard
from regard.viewing import AttentionMap, AttentionMaps
from regard.viewing.colours import DARK, LIGHT, channels
from regard.viewing.heatmap import WEIGHTS
from regard.viewing.page import Page
from regard.viewing.typography import visible
from tests.browser.conftest import Open
from tests.viewing.hostile import HOSTILE
from tests.viewing.some import by_hand, several_heads, triangle

SVG = "{http://www.w3.org/2000/svg}"


def two_layers() -> AttentionMaps:
    """Numbers a reader can check: 0.7 0.25 0.05 and 0 0.5 0.5, then the same heads the other way round."""
    first = torch.tensor([[0.7, 0.25, 0.05], [0.0, 0.5, 0.5]])
    heads = torch.stack([first, first.flip(-1)])
    names = {"query_labels": ["le", "chat"], "key_labels": ["the", "cat", "<end>"]}
    maps = [AttentionMap(heads, name="decoder.0.cross", **names), triangle()]
    return AttentionMaps([*maps, AttentionMap(heads.flip(0), name="decoder.1.cross", **names)])


def editable() -> Page:
    """One head whose weights are ¾ and ¼, whose values are (4, 0) and (0, 8), and whose scale is ½."""
    scores = torch.tensor([[[[math.log(3), 0.0], [0.0, 0.0]]]])
    record = SimpleNamespace(
        scores=scores,
        weights=scores.softmax(-1),
        keep=None,
        values=torch.tensor([[[[4.0, 0.0], [0.0, 8.0]]]]),
        queries=torch.tensor([[[[2 * math.log(3), 0, 0, 0], [0, 0, 0, 0]]]], dtype=torch.float32),
        keys=torch.tensor([[[[1.0, 0, 0, 0], [0, 0, 0, 0]]]]),
    )
    seen = {"decoder.0.cross": record}
    return AttentionMaps.of(seen, source=["the", "cat"], target=["le", "chat"]).page(seen=seen)


def number(page: Any) -> str:
    return page.locator(".big").inner_text()


def settle(page: Any) -> None:
    """Wait until what was asked for is drawn."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")


def press(page: Any, name: str) -> None:
    page.get_by_role("button", name=name, exact=True).click()
    settle(page)


def cell_middle(page: Any, row: int, column: int) -> tuple[float, float]:
    """Where a cell of the heatmap is on the screen: the canvas says where it drew."""
    box = page.locator(".stage canvas").bounding_box()
    about = page.locator(".stage canvas").evaluate("(canvas) => ({ ...canvas.dataset })")
    left, top, cell = (float(about[name]) for name in ("left", "top", "cell"))
    return box["x"] + left + (column + 0.5) * cell, box["y"] + top + (row + 0.5) * cell


def test_a_head_is_picked_from_the_overview_or_by_layer_and_head(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    assert page.locator("h2#head-title").inner_text() == "decoder.0.cross · head 0"
    assert number(page) == "0.700"
    page.locator(".thumb").nth(1).click()
    page.mouse.move(700, 5)
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.0.cross · head 1"
    assert page.locator(".thumb[aria-pressed=true]").count() == 1
    page.get_by_label("Layer").select_option(label="decoder.0.self")
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.0.self"
    page.get_by_label("Layer").select_option(label="decoder.1.cross")
    page.get_by_role("combobox", name="Head", exact=True).select_option(label="mean of all 2 heads")
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.1.cross · mean of all 2 heads"
    assert number(page) == "0.375"


def test_a_kind_narrows_the_overview_and_the_layers(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    page.get_by_label("Kind").select_option(label="decoder self-attention")
    settle(page)
    assert page.locator(".strip h3").all_inner_texts() == ["decoder.0.self"]
    assert page.get_by_label("Layer").locator("option").all_inner_texts() == ["decoder.0.self"]


def test_heads_stand_in_the_order_of_a_measure(open_page: Open) -> None:
    page = open_page(several_heads(5).page().html)
    page.get_by_label("Order").select_option("entropy")
    settle(page)
    spoken = [each.get_attribute("aria-label") or "" for each in page.locator(".thumb").all()]
    values = [float(each.rsplit(" ", 1)[1]) for each in spoken]
    assert values == sorted(values, reverse=True)
    assert len(set(values)) > 1


def test_pointing_at_a_thumbnail_previews_its_head_and_leaving_restores(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    page.locator(".thumb").nth(1).hover()
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.0.cross · head 1"
    page.mouse.move(700, 5)
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.0.cross · head 0"


def test_pointing_previews_a_cell_and_a_click_locks_it(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    page.mouse.move(*cell_middle(page, 1, 2))
    settle(page)
    assert page.locator(".pair").inner_text() == "chat → <end>"
    assert number(page) == "0.500"
    page.mouse.click(*cell_middle(page, 0, 1))
    settle(page)
    page.mouse.move(*cell_middle(page, 1, 2))
    settle(page)
    assert page.locator(".pair").inner_text() == "le → cat"
    assert number(page) == "0.250"
    assert page.locator(".query .small").first.inner_text() == "Locked. Escape frees it."
    page.locator(".thumb").nth(1).click()
    settle(page)
    assert page.locator(".pair").inner_text() == "le → cat"  # a lock outlives the head
    page.keyboard.press("Escape")
    settle(page)
    assert page.locator(".query .small").first.inner_text() == "Point to preview, click to lock."


def test_a_query_is_read_as_a_sentence_and_as_bars(open_page: Open) -> None:
    page = open_page(by_hand().page().html)
    page.get_by_role("group", name="Queries").get_by_role("button", name="chat").click()
    settle(page)
    assert page.locator("#query-title").inner_text() == "Query chat"
    assert [each.split() for each in page.locator(".bars li").all_inner_texts()] == [
        ["cat", "0.500"],
        ["<end>", "0.500"],
    ]


def test_the_keyboard_walks_through_cells_and_each_is_read_out(open_page: Open) -> None:
    page = open_page(triangle().page().html)
    said = page.locator("[role=status]")
    page.locator(".stage").focus()
    for key, spoken in [
        ("ArrowDown", "chat → <begin>: 0.500"),
        ("ArrowRight", "chat → le: 0.500"),
        ("End", "chat → chat: masked"),
        ("Home", "chat → <begin>: 0.500"),
        ("PageDown", "dort → <begin>: 0.333"),
        ("Enter", "Locked: dort → <begin>: 0.333"),
        ("Escape", "Freed."),
    ]:
        page.keyboard.press(key)
        settle(page)
        assert said.inner_text() == spoken


def test_brackets_change_the_head_under_the_hand(open_page: Open) -> None:
    page = open_page(several_heads().page().html)
    page.locator(".stage").focus()
    page.keyboard.press("[")
    settle(page)
    assert page.locator("h2#head-title").inner_text() == "decoder.1.cross · head 2"
    assert page.locator("[role=status]").inner_text() == "decoder.1.cross · head 2"


def test_the_tab_key_stops_once_at_a_sentence(open_page: Open) -> None:
    page = open_page(several_heads().page().html)
    tokens = page.get_by_role("group", name="Keys").get_by_role("button")
    assert [each.get_attribute("tabindex") for each in tokens.all()].count("0") == 1
    tokens.nth(0).focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("() => document.activeElement.textContent") == "cat"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_cell_has_the_colour_that_the_figure_would_give_it(open_page: Open, scheme: str) -> None:
    page = open_page(by_hand().page().html, color_scheme=scheme)
    theme = LIGHT if scheme == "light" else DARK
    page.mouse.click(*cell_middle(page, 1, 2))  # looked at elsewhere, the cell has no frame around it
    settle(page)
    x, y = cell_middle(page, 0, 1)
    box = page.locator(".stage canvas").bounding_box()
    seen = page.evaluate(
        """([x, y]) => {
            const canvas = document.querySelector(".stage canvas");
            return [...canvas.getContext("2d").getImageData(x, y, 1, 1).data.slice(0, 3)];
        }""",
        [x - box["x"] - 14, y - box["y"] - 14],
    )
    assert seen == pytest.approx(channels(theme.weight_ramp()[WEIGHTS.step(0.25)]), abs=3)


def test_no_cell_is_a_node(open_page: Open) -> None:
    weights = (3 * torch.randn(4, 61, 61)).softmax(-1)
    page = open_page(AttentionMap(weights, query_labels=[f"w{at}" for at in range(61)]).page().html)
    assert page.evaluate("() => document.querySelectorAll('*').length") < 1_000  # of 61 × 61 cells


def test_links_that_hold_a_share_of_each_row_are_drawn(open_page: Open) -> None:
    page = open_page(by_hand().page(view="flow").html)
    links = page.locator(".stage svg path")
    assert links.count() == 4  # 0.7 and 0.25 hold 90 % of the first row, the second needs both
    page.get_by_label("Share of each row that is kept").fill("60")
    settle(page)
    assert links.count() == 3
    assert "links that hold 60 % of each row" in page.locator(".notes").inner_text()
    widths = sorted(float(each.get_attribute("stroke-width") or 0) for each in links.all())
    assert widths == [3.8, 3.8, 5.08]


def test_a_flow_of_thousands_of_links_draws_the_strongest_and_says_so(open_page: Open) -> None:
    even = AttentionMap(torch.full((50, 50), 0.02), query_labels=[f"w{at}" for at in range(50)])
    page = open_page(even.page(view="flow").html)
    assert page.locator(".stage svg path").count() == 1200
    assert "the 1200 strongest of 2250 links" in page.locator(".notes").inner_text()


def test_cells_below_the_share_are_left_out_of_the_heatmap_too(open_page: Open) -> None:
    page = open_page(by_hand().page().html)
    page.get_by_label("Share of each row that is kept").fill("70")
    settle(page)
    assert "cells that hold 70 % of each row" in page.locator(".notes").inner_text()


def test_words_are_sums_over_their_keys_and_means_over_their_queries(open_page: Open) -> None:
    seen = AttentionMap(
        [[0.3, 0.5, 0.2], [0.1, 0.3, 0.6]], query_labels=["▁dor", "mir"], key_labels=["▁kit", "ten", "▁eats"]
    )
    page = open_page(seen.page().html)
    assert page.locator(".pair").inner_text() == "dormir → kitten"
    assert number(page) == "0.600"
    press(page, "Subwords")
    assert page.get_by_role("group", name="Keys").get_by_role("button").all_inner_texts() == [
        "▁kit",
        "ten",
        "▁eats",
    ]
    assert page.locator(".pair").inner_text() == "▁dor → ten"
    assert number(page) == "0.500"
    press(page, "Words")
    assert "subwords merged" in page.locator(".notes").inner_text()


def test_special_tokens_are_hidden_with_or_without_renormalising(open_page: Open) -> None:
    page = open_page(by_hand().page().html)
    page.get_by_label("Hide special tokens").check()
    settle(page)
    keys = page.get_by_role("group", name="Keys").get_by_role("button")
    assert keys.all_inner_texts() == ["the", "cat"]
    assert number(page) == "0.700"
    page.get_by_label("so that rows sum to one again").check()
    settle(page)
    assert number(page) == "0.737"
    assert "special tokens hidden, rows renormalised" in page.locator(".notes").inner_text()


def test_two_heads_are_compared_as_a_signed_difference(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    page.get_by_label("Compare with").select_option(label="decoder.1.cross")
    settle(page)
    assert number(page) == "+0.650"
    assert "this 0.700 · other 0.050" in page.locator(".query").inner_text()
    assert page.locator(".bar").inner_text().split()[:2] == ["−1", "+1"]
    page.get_by_label("Its head").select_option(label="head 1")
    settle(page)
    assert number(page) == "0.000"
    page.get_by_label("Compare with").select_option(label="nothing")
    settle(page)
    assert number(page) == "0.700"


def test_maps_of_another_model_are_compared_by_name(open_page: Open) -> None:
    other = by_hand().replace(weights=[[0.1, 0.2, 0.7], [0.0, 0.5, 0.5]])
    html = AttentionMaps([by_hand()]).page(beside={"untrained": AttentionMaps([other])}).html
    page = open_page(html)
    page.get_by_label("Compare with").select_option(label="decoder.0.cross (untrained)")
    settle(page)
    assert page.locator(".pair").inner_text() == "le → <end>"
    assert number(page) == "−0.650"


def test_a_table_says_what_the_heatmap_shows(open_page: Open) -> None:
    page = open_page(triangle().page(view="table").html)
    page.get_by_role("group", name="Queries").get_by_role("button", name="chat").click()
    settle(page)
    table = page.locator(".tablehost table")
    assert table.locator("caption").inner_text() == "decoder.0.self: “chat” looks at"
    rows = [row.inner_text().split() for row in table.locator("tbody tr").all()]
    assert rows == [["<begin>", "0.500", "1"], ["le", "0.500", "2"], ["chat", "masked"]]


def edited(page: Any) -> list[list[str]]:
    rows = page.locator(".edithost tbody tr").all()
    return [[cell.inner_text() for cell in row.locator("td").all()[2:]] for row in rows]


def outputs(page: Any) -> list[list[str]]:
    page.locator(".outputs details").evaluate("(details) => (details.open = true)")
    return [row.inner_text().split()[1:] for row in page.locator(".outputs tbody tr").all()]


def test_weights_and_output_follow_what_a_reader_changes(open_page: Open) -> None:
    page = open_page(editable().html)
    press(page, "Edit this head")
    assert edited(page) == [["0.7500", "0.7500"], ["0.2500", "0.2500"]]
    assert page.locator(".telling").inner_text() == "The output is as the model computed it."

    page.get_by_label("score of the").fill("0")
    settle(page)
    assert edited(page) == [["0.7500", "0.5000"], ["0.2500", "0.5000"]]
    assert outputs(page) == [["3.0000", "2.0000"], ["2.0000", "4.0000"]]
    assert (
        page.locator(".telling").inner_text() == "The output moved by 2.2361, which is 62.0 % of its length."
    )
    press(page, "Undo all changes")
    assert edited(page) == [["0.7500", "0.7500"], ["0.2500", "0.2500"]]

    page.get_by_label("hide the").check()
    settle(page)
    assert edited(page) == [["0.7500", "0.0000"], ["0.2500", "1.0000"]]
    assert outputs(page) == [["3.0000", "0.0000"], ["2.0000", "8.0000"]]
    page.get_by_label("hide the").uncheck()

    page.get_by_label("Temperature").fill("10")  # two to the power of one
    settle(page)
    root = math.sqrt(3)
    assert edited(page)[0] == ["0.7500", f"{root / (root + 1):.4f}"]
    press(page, "Undo all changes")

    page.get_by_label("Divide by √4 = 2.00").uncheck()
    settle(page)
    assert edited(page) == [["0.7500", "0.9000"], ["0.2500", "0.1000"]]
    assert number(page) == "0.9000"
    page.get_by_label("Show the change").check()
    page.get_by_role("group", name="Keys").get_by_role("button", name="the").click()
    settle(page)
    assert number(page) == "+0.1500"


def test_each_head_keeps_its_own_changes(open_page: Open) -> None:
    scores = torch.tensor([[[[math.log(3), 0.0]], [[0.0, math.log(4)]]]])
    record = SimpleNamespace(
        scores=scores, weights=scores.softmax(-1), keep=None, values=torch.eye(2).expand(1, 2, 2, 2)
    )
    seen = {"a.cross": record}
    page = open_page(AttentionMaps.of(seen, source=["the", "cat"], target=["le"]).page(seen=seen).html)
    press(page, "Edit this head")
    page.get_by_label("hide the").check()
    head = page.get_by_role("combobox", name="Head", exact=True)
    head.select_option(label="head 1")
    settle(page)
    assert edited(page) == [["0.2000", "0.2000"], ["0.8000", "0.8000"]]
    assert not page.get_by_label("hide the").is_checked()
    assert "there is no scale to switch off" in page.locator(".edit").inner_text()
    head.select_option(label="head 0")
    settle(page)
    assert edited(page) == [["0.7500", "0.0000"], ["0.2500", "1.0000"]]
    press(page, "Stop editing")
    assert number(page) == "0.750"


def test_one_number_is_worked_out_step_by_step(open_page: Open) -> None:
    page = open_page(editable().html)
    press(page, "Edit this head")
    steps = [step.split("\n") for step in page.locator(".chain li").all_inner_texts()]
    assert steps == [
        ["q·k", "2.1972"],
        ["÷ √4", "1.0986"],
        ["exp(… − 1.0986)", "1.0000"],
        ["÷ 1.3333", "0.7500"],
    ]
    assert page.locator(".vectors canvas").count() == 3


def test_every_key_hidden_is_silence(open_page: Open) -> None:
    page = open_page(editable().html)
    press(page, "Edit this head")
    for key in ("the", "cat"):
        page.get_by_label(f"hide {key}").check()
    settle(page)
    assert outputs(page) == [["3.0000", "0.0000"], ["2.0000", "0.0000"]]
    assert "This query may attend to nothing: it hears silence." in page.locator(".query").inner_text()


def test_heads_that_cannot_be_edited_offer_no_editing(open_page: Open) -> None:
    page = open_page(by_hand().page().html)
    assert page.get_by_role("button", name="Edit this head").count() == 0


def saved(page: Any, name: str) -> Path:
    with page.expect_download() as download:
        page.get_by_role("button", name=name).click()
    path: Path = download.value.path()
    assert download.value.suggested_filename.endswith(name[-3:].lower())
    return path


@pytest.mark.parametrize("view", ["heatmap", "flow"])
def test_the_view_is_taken_away_as_svg_and_as_png(open_page: Open, view: str) -> None:
    page = open_page(two_layers().page(view=view).html)
    drawing = ElementTree.fromstring(saved(page, "Save SVG").read_text(encoding="utf-8"))
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert {"decoder.0.cross · head 0", "le", "chat", "the", "cat", "<end>"} <= set(texts)
    fills = {path.get("fill") for path in drawing.iter(f"{SVG}path")}
    links = [path.get("stroke") for path in drawing.iter(f"{SVG}path") if path.get("stroke")]
    if view == "heatmap":
        assert LIGHT.weight_ramp()[WEIGHTS.step(0.7)] in fills
    else:
        assert links == [LIGHT.link] * 4
    picture = saved(page, "Save PNG").read_bytes()
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    wide, high = (int(drawing.get(side) or 0) for side in ("width", "height"))
    assert (int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])) == (2 * wide, 2 * high)
    assert "Saved decoder-0-cross-head-0" in page.locator("[role=status]").inner_text()


def test_the_page_speaks_chinese_and_back(open_page: Open) -> None:
    page = open_page(two_layers().page().html)
    before = page.locator(".page").inner_text()
    page.get_by_label("Language").select_option(label="中文")
    settle(page)
    assert page.evaluate("() => document.documentElement.lang") == "zh-Hans"
    assert page.locator("h2#overview-title").inner_text() == "总览"
    assert page.locator("h2#head-title").inner_text() == "decoder.0.cross · 头 0"
    assert page.get_by_label("层").locator("option").count() == 3
    text = re.sub(
        r"decoder\.\d\.\w+|Esc|SVG|PNG|English|<end>|\b(le|chat|the|cat|Home|End)\b",
        "",
        page.inner_text(".page"),
    )
    assert re.findall(r"[a-z]{3,}", text) == []
    page.get_by_label("语言").select_option(label="English")
    settle(page)
    assert page.locator(".page").inner_text() == before


def test_a_page_can_begin_in_chinese(open_page: Open) -> None:
    page = open_page(several_heads().page(language="zh").html, ready="html[lang=zh-Hans][data-ready=true]")
    assert page.get_by_role("button", name="热图").get_attribute("aria-pressed") == "true"


def test_editing_speaks_chinese_too(open_page: Open) -> None:
    page = open_page(editable().html)
    press(page, "Edit this head")
    page.get_by_label("Language").select_option("zh")
    settle(page)
    assert page.locator("#edit-title").inner_text() == "编辑并重新计算"
    assert page.get_by_label("the 的分数").count() == 1


def paper(page: Any) -> list[int]:
    colour = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    return [int(each) for each in re.findall(r"\d+", colour)][:3]


def test_the_page_is_dark_where_the_system_is_and_where_the_reader_wants_it(open_page: Open) -> None:
    html = by_hand().page().html
    assert paper(open_page(html, color_scheme="dark")) == list(channels(DARK.paper))
    assert paper(open_page(by_hand().page(theme="dark").html)) == list(channels(DARK.paper))
    page = open_page(html, color_scheme="light")
    assert paper(page) == list(channels(LIGHT.paper))
    page.get_by_label("Theme").select_option("dark")
    settle(page)
    assert paper(page) == list(channels(DARK.paper))
    page.get_by_label("Theme").select_option("auto")
    settle(page)
    assert paper(page) == list(channels(LIGHT.paper))


def test_nothing_moves_for_those_who_asked_for_rest(open_page: Open) -> None:
    page = open_page(by_hand().page().html, reduced_motion="reduce")
    durations = page.evaluate(
        "() => [...document.querySelectorAll('*')].map((node) => getComputedStyle(node).transitionDuration)"
    )
    assert set(durations) == {"0s"}


def test_a_phone_shows_everything_without_scrolling_sideways(open_page: Open) -> None:
    page = open_page(two_layers().page().html, viewport={"width": 360, "height": 740}, has_touch=True)
    assert page.evaluate("() => document.documentElement.scrollWidth") == 360
    page.locator(".stage").scroll_into_view_if_needed()
    page.touchscreen.tap(*cell_middle(page, 1, 1))
    settle(page)
    assert page.locator(".pair").inner_text() == "chat → cat"


def test_a_window_is_said_on_the_page(open_page: Open) -> None:
    seen = AttentionMap(torch.eye(40), query_labels=[f"w{at}" for at in range(40)])
    page = open_page(seen.page(window=(10, 30)).html)
    assert page.locator(".warning").inner_text() == (
        "This page holds tokens 11–30 of 40; window=(start, stop) chooses others."
    )


def test_the_largest_error_is_said_on_the_page(open_page: Open) -> None:
    made = several_heads().page()
    told = re.search(r"±(0\.\d+)", open_page(made.html).locator("footer").inner_text())
    assert told is not None
    assert made.error <= float(told[1]) < 1e-5


def hostile_map() -> AttentionMap:
    return AttentionMap(
        torch.eye(len(HOSTILE)).expand(2, -1, -1),
        query_labels=HOSTILE,
        name=HOSTILE[1],
        head_names=(HOSTILE[2], HOSTILE[3]),
        notes=HOSTILE,
    )


def shown_literally(page: Any) -> None:
    for group in ("Queries", "Keys"):
        texts = (
            page.get_by_role("group", name=group)
            .locator("bdi")
            .evaluate_all("(all) => all.map((each) => each.textContent)")
        )
        assert texts == [visible(token) for token in HOSTILE]
    assert (
        page.evaluate("() => document.querySelectorAll('img, iframe, object, embed, base, link').length") == 0
    )
    assert page.evaluate("() => document.querySelectorAll('script').length") == page.evaluate(
        "() => document.querySelectorAll('script[id], script[type=module]').length"
    )


def test_forty_hostile_tokens_run_nothing_and_are_shown_literally(open_page: Open) -> None:
    page = open_page(hostile_map().page(title=HOSTILE[2]).html)
    assert page.locator("h1").inner_text() == HOSTILE[2]
    for view in ("Heatmap", "Flow", "Table"):
        press(page, view)
        shown_literally(page)
    press(page, "Flow")
    drawing = ElementTree.fromstring(saved(page, "Save SVG").read_text(encoding="utf-8"))
    texts = [text.text for text in drawing.iter(f"{SVG}text")]
    assert all(visible(token) in texts for token in HOSTILE if len(visible(token)) < 25)
    assert {node.tag.removeprefix(SVG) for node in drawing.iter()} == {
        "svg",
        "title",
        "rect",
        "text",
        "g",
        "path",
    }


def test_a_notebook_runs_the_page_in_its_frame_and_nothing_outside_it(open_page: Open) -> None:
    cell = hostile_map()._repr_html_()
    page = open_page("<!doctype html><title>notebook</title><div id=output></div>", ready="#output")
    page.evaluate("(html) => { document.getElementById('output').innerHTML = html }", cell)
    frame = page.frame_locator("#output iframe")
    frame.locator(".thumb").nth(1).wait_for()
    frame.locator(".thumb").nth(1).click()
    inside = next(each for each in page.frames if each != page.main_frame)
    inside.wait_for_selector("html[data-ready=true]", state="attached")
    shown_literally(inside)
    with page.expect_download() as download:
        frame.get_by_role("button", name="Save PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    assert (
        inside.evaluate("() => { try { return parent.document.title } catch { return 'nothing' } }")
        == "nothing"
    )


def test_a_token_that_would_be_parsed_is_refused_by_the_browser_itself(open_page: Open) -> None:
    page = open_page(by_hand().page().html)
    refused = page.evaluate(
        "() => { try { document.body.innerHTML = '<b>x</b>' } catch (error) { return error.name } }"
    )
    assert refused == "TypeError"
    assert all("TrustedHTML" in each for each in open_page.heard)
    open_page.heard.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("view", ["Heatmap", "Flow", "Table", "Edit this head"])
def test_axe_finds_nothing_serious(open_page: Open, axe: str, scheme: str, view: str) -> None:
    page = open_page(editable().html, color_scheme=scheme, bypass_csp=True)
    press(page, view)
    page.evaluate(axe)
    found = page.evaluate("() => axe.run()")["violations"]
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []


def test_a_page_of_144_heads_and_256_tokens_opens_at_once(open_page: Open) -> None:
    weights = [(3 * torch.randn(1, 12, 256, 256)).softmax(-1) for _ in range(12)]
    made = AttentionMaps.of_weights(weights, query_labels=[f"w{at}" for at in range(256)]).page()
    assert made.size < 15_000_000
    page = open_page(made.html, ready=".thumb")
    painted = page.evaluate(
        "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? performance.now()"
    )
    assert painted < 3_000  # a blink on a machine of its own; CI shares its own
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.locator(".thumb").count() == 144


def test_a_page_begins_where_it_is_told(open_page: Open) -> None:
    page = open_page(two_layers().page(first=("decoder.1.cross", 1)).html)
    assert page.locator("h2#head-title").inner_text() == "decoder.1.cross · head 1"
    assert page.locator(".thumb[aria-pressed=true]").count() == 1
    assert page.locator(".thumb").count() == sum(each.heads for each in two_layers().values())


def test_the_first_head_is_in_sight_however_many_stand_before_it(open_page: Open) -> None:
    weights = torch.eye(3).expand(4, 3, 3)
    maps = AttentionMaps(
        AttentionMap(weights, query_labels=["a", "b", "c"], name=f"encoder.{layer}.self")
        for layer in range(12)
    )
    page = open_page(maps.page(first=("encoder.11.self", 2)).html)
    strips = page.locator(".strips").bounding_box()
    chosen = page.locator(".thumb[aria-pressed=true]").bounding_box()
    assert strips["y"] <= chosen["y"] <= strips["y"] + strips["height"] - chosen["height"]


def test_a_dot_marks_heads_to_edit_only_where_others_cannot_be_edited(open_page: Open) -> None:
    attention = regard.MultiHeadAttention(6, heads=2)
    with regard.watch(attention) as seen:
        attention(torch.randn(1, 3, 6))
    maps = AttentionMaps.of(seen, source=["a", "b", "c"])
    assert open_page(maps.page(seen=seen).html).locator(".dot").count() == 0
    assert open_page(maps.page(seen=seen, edit=[("attention", 1)]).html).locator(".dot").count() == 1


@pytest.mark.parametrize(("heads", "said"), [(1, "1 attention · 1 head ·"), (2, "1 attention · 2 heads ·")])
def test_one_head_is_one_head(open_page: Open, heads: int, said: str) -> None:
    labels = {"query_labels": ["a", "b"], "key_labels": ["c", "d"]}
    page = open_page(AttentionMap(torch.eye(2).expand(heads, 2, 2), name="one", **labels).page().html)
    assert said in page.inner_text("body")
