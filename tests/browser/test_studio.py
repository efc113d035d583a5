"""The studio as people meet it: translating and looking, by mouse and by keyboard, in both languages."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import pytest

from regard.viewing.colours import DARK, LIGHT, Theme, ramp
from regard.viewing.page.facts import ROLES
from tests.browser.conftest import ROOT, OpenStudio, settled, until

PAGE = ROOT / "src" / "regard" / "serving" / "page"
SENTENCE = "delta gamma beta alpha"
PARTS = (
    "translate",
    "look",
    "arithmetic",
    "arithmetic?mode=bench",
    "ladder?step=2",
    "ladder?step=7",
    "training",
)
TEXTS = f"text={SENTENCE}&target=alpha beta"
PHONE = {"width": 390, "height": 844}


def details(studio: Any, **asked: Any) -> dict[str, Any]:
    """What the server says of the sentence."""
    body = {"q": SENTENCE, "model": "small", "beam": 5, "alternatives": 3, "details": True} | asked
    told: dict[str, Any] = studio.ask("/translate", body)[2]["details"][0]
    return told


def type_sentence(page: Any, text: str = SENTENCE) -> None:
    page.get_by_label("Your text").fill(text)
    page.wait_for_selector(".translation[aria-busy=false] button")


def words(page: Any) -> list[str]:
    texts: list[str] = page.locator(".translation").first.locator("button").all_inner_texts()
    return texts


def saved(page: Any, name: str) -> tuple[str, bytes]:
    with page.expect_download() as waiting:
        page.get_by_role("button", name=name, exact=True).click()
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_a_translation_appears_as_one_types(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    type_sentence(page)
    expected = details(studio)
    assert words(page) == [word["text"] for word in expected["words"]]
    assert page.locator(".nbest span").all_inner_texts() == [
        each["text"] for each in expected["alternatives"]
    ]
    doubts = page.locator(".translation button").evaluate_all(
        "(all) => all.map((each) => Number(each.style.getPropertyValue('--doubt')))"
    )
    assert doubts == [pytest.approx(1 - word["confidence"], abs=1e-3) for word in expected["words"]]


def test_an_answer_to_what_was_typed_before_is_not_shown(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    held: list[Any] = []
    page.route("**/translate", lambda route: held.append(route) if not held else route.continue_())
    with page.expect_request("**/translate"):
        page.get_by_label("Your text").fill("alpha")
    for _ in range(100):  # the route is told a moment after the request
        if held:
            break
        page.wait_for_timeout(50)
    assert len(held) == 1
    type_sentence(page)
    assert held[0].request.failure == "net::ERR_ABORTED"
    assert words(page) == [word["text"] for word in details(studio)["words"]]


def test_a_word_tells_where_it_came_from_and_what_else_might_stand_there(
    open_studio: OpenStudio, studio: Any
) -> None:
    page = open_studio()
    type_sentence(page)
    page.locator(".translation button").nth(1).click()
    page.wait_for_selector(".rivals button")
    told = details(studio)
    expected = studio.ask(
        "/rivals", {"model": "small", "text": SENTENCE, "target": told["text"], "position": 1, "count": 5}
    )[2]["rivals"]
    names = page.locator(".rivals bdi").all_inner_texts()
    assert names == [each["word"].replace("<end>", "the end") for each in expected]
    titles = page.locator(".sourcewords .chip").evaluate_all("(all) => all.map((each) => each.title)")
    shares = [float(title.removeprefix("< ").removesuffix(" %")) / 100 for title in titles]
    assert shares == [pytest.approx(each, abs=0.006) for each in told["words"][1]["sources"]]
    assert page.locator(".flow path").count() > 0


def test_choosing_a_rival_writes_the_rest_anew_and_undo_takes_it_back(
    open_studio: OpenStudio, studio: Any
) -> None:
    page = open_studio()
    type_sentence(page)
    before = words(page)
    page.locator(".translation button").first.click()
    page.wait_for_selector(".rivals button")
    told = details(studio)
    rivals = studio.ask(
        "/rivals", {"model": "small", "text": SENTENCE, "target": told["text"], "position": 0, "count": 5}
    )[2]["rivals"]
    number, rival = next((at, each) for at, each in enumerate(rivals) if not each["chosen"])
    page.locator(".rivals button").nth(number).click()
    page.wait_for_selector(".kept")
    page.wait_for_selector(".translation[aria-busy=false]")
    assert words(page) == [word["text"] for word in details(studio, prefix=rival["prefix"])["words"]]
    assert "prefix=" in page.url
    page.get_by_role("button", name="Undo").click()
    page.wait_for_selector(".kept", state="detached")
    page.wait_for_selector(".translation[aria-busy=false]")
    assert words(page) == before


def test_a_word_of_ones_own_is_kept_by_keyboard_alone(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    type_sentence(page)
    page.locator(".translation button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rivals button")
    assert page.evaluate("document.activeElement.getAttribute('aria-pressed')") == "true"
    page.get_by_label("Or a word of your own").focus()
    page.keyboard.type("theta")
    page.keyboard.press("Enter")
    page.wait_for_selector(".kept")
    page.wait_for_selector(".translation[aria-busy=false]")
    assert words(page)[1] == "theta"
    prefix = f"{details(studio)['words'][0]['text']} theta"
    assert words(page) == [word["text"] for word in details(studio, prefix=prefix)["words"]]


def test_models_stand_side_by_side_and_a_link_brings_them_back(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    type_sentence(page)
    page.get_by_role("button", name="small@60").click()
    until(page, "document.querySelectorAll('.translation[aria-busy=false] button').length > 1")
    page.wait_for_selector("article[aria-label='small@60'] .translation button")
    again = open_studio(page.url.split("#")[1])
    again.wait_for_selector("article[aria-label='small@60'] .translation button")
    assert again.get_by_label("Your text").input_value() == SENTENCE
    other = again.locator("article[aria-label='small@60'] .translation button").all_inner_texts()
    assert other == [word["text"] for word in details(studio, model="small@60")["words"]]


def test_a_translation_can_be_taken_along(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio(permissions=["clipboard-read", "clipboard-write"])
    type_sentence(page)
    told = details(studio)
    name, content = saved(page, "Save text")
    assert (name, content.decode()) == ("small.txt", told["text"] + "\n")
    name, content = saved(page, "Save details")
    assert json.loads(content)["words"] == told["words"]
    page.get_by_role("button", name="Copy", exact=True).click()
    until(page, "document.querySelector('[aria-live]').textContent === 'Copied.'")
    assert page.evaluate("navigator.clipboard.readText()") == told["text"]
    page.get_by_role("button", name="Copy link").click()
    settled(page)
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    assert "text=delta+gamma" in page.url


def test_a_refusal_is_told_in_its_own_sentence(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    text = "a " * 5001
    page.get_by_label("Your text").fill(text)
    page.wait_for_selector("article .problem")
    status, _, told = studio.ask("/translate", {"q": text, "model": "small"})
    assert status >= 400
    assert page.locator("article .problem").inner_text() == told["error"]
    (heard,) = open_studio.heard
    assert str(status) in heard
    open_studio.heard.clear()  # the browser itself notes the refused request


def test_looking_shows_every_head_and_the_weights_the_server_told(
    open_studio: OpenStudio, studio: Any
) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".thumb")
    told = studio.ask("/attention", {"model": "small", "text": SENTENCE})[2]
    assert page.locator(".thumb").count() == sum(len(each["heads"]) for each in told["maps"])
    page.get_by_label("Attention").select_option("decoder.0.cross")
    page.get_by_role("combobox", name="Head", exact=True).select_option("1")
    settled(page)
    assert page.locator("h2").inner_text() == "decoder.0.cross · head 1"
    cross = next(each for each in told["maps"] if each["name"] == "decoder.0.cross")
    top = cross["tops"][1][0]
    assert page.locator(".big").inner_text() == f"{top:.3f}"


def test_cells_are_walked_locked_and_freed_by_keyboard(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".stage canvas")
    page.locator(".stage").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("End")
    said = page.locator("[aria-live=polite]").last.inner_text()
    settled(page)
    assert said.endswith(page.locator(".big").inner_text())
    assert "<end>" in said
    page.keyboard.press("Enter")
    assert page.locator("[aria-live=polite]").last.inner_text().startswith("Locked: ")
    page.keyboard.press("Escape")
    assert page.locator("[aria-live=polite]").last.inner_text() == "Freed."


def test_heads_are_ranked_by_a_measure(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".thumb")
    page.get_by_label("Order").select_option("entropy")
    settled(page)
    numbers = [float(each) for each in page.locator(".thumb .small").all_inner_texts()]
    assert numbers == sorted(numbers, reverse=True)
    assert len(set(numbers)) > 1


def test_a_head_knocked_out_changes_what_is_told(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".thumb")
    page.get_by_label("Attention").select_option("decoder.0.cross")
    page.get_by_role("combobox", name="Head", exact=True).select_option("mean")
    page.get_by_role("button", name="Knock this head out").click()
    page.wait_for_selector(".effect:not([hidden])")
    out = {"decoder.0.cross": [0, 1]}
    told = studio.ask("/attention", {"model": "small", "text": SENTENCE, "knock_out": out})[2]
    line = page.locator(".effect .row").nth(1)
    kept = (
        line.locator("span")
        .nth(1)
        .evaluate(
            "(node) => [...node.childNodes].filter((each) => each.nodeName !== 'DEL')"
            ".map((each) => each.textContent).join('').replace(/\\s+/g, ' ').trim()"
        )
    )
    assert kept == told["knocked_out"]["text"]
    assert page.locator(".thumb.out").count() == 2
    page.get_by_role("button", name="Put all back").click()
    page.wait_for_selector(".effect", state="hidden")


def test_two_runs_are_compared_and_their_difference_shown(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}&target=alpha beta")
    page.wait_for_selector(".thumb")
    page.get_by_label("Compare with").select_option("small@60")
    until(page, "document.querySelectorAll('.beside .stage canvas').length === 2")
    page.get_by_label("Show the difference").check()
    settled(page)
    texts = [each.inner_text() for each in page.locator(".scale span").all()]
    assert texts[0].startswith("−")
    assert texts[1] == texts[0].removeprefix("−")
    page.get_by_label("Compare with").select_option("sentence")
    page.get_by_label("The other sentence").fill("alpha beta")
    until(page, "document.querySelector('.beside').innerText.includes('small: alpha beta')")


def test_views_units_and_pictures(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".thumb")
    for view, inside in (("Flow", "svg path"), ("Table", "table td"), ("Heatmap", "canvas")):
        page.get_by_role("button", name=view, exact=True).click()
        page.wait_for_selector(f".stage {inside}")
    page.get_by_role("button", name="Subwords", exact=True).click()
    page.wait_for_timeout(300)
    name, svg = saved(page, "Save SVG")
    assert name.endswith(".svg")
    assert ElementTree.fromstring(svg).tag == "{http://www.w3.org/2000/svg}svg"
    assert saved(page, "Save PNG")[1].startswith(b"\x89PNG")
    assert saved(page, "Save HTML")[1].startswith(b"<!doctype html>")


def test_the_end_may_be_chosen_and_the_translation_ends_there(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio()
    type_sentence(page)
    told = details(studio)
    place = len(told["words"]) - 1
    rivals = studio.ask(
        "/rivals", {"model": "small", "text": SENTENCE, "target": told["text"], "position": place, "count": 5}
    )[2]["rivals"]
    number = next(at for at, each in enumerate(rivals) if each["word"] == "<end>")
    page.locator(".translation button").nth(place).click()
    page.wait_for_selector(".rivals button")
    page.locator(".rivals button").nth(number).click()
    page.wait_for_selector(".kept")
    page.wait_for_selector(".translation[aria-busy=false]")
    shorter = [word["text"] for word in told["words"][:place]]
    assert words(page) == shorter
    again = open_studio(page.url.split("#")[1])
    again.wait_for_selector(".translation[aria-busy=false] button")
    assert words(again) == shorter


def test_a_link_brings_back_how_widely_was_searched(open_studio: OpenStudio) -> None:
    page = open_studio(f"translate?{TEXTS}&beam=2&others=1")
    page.wait_for_selector(".nbest li")
    assert page.get_by_label("Beam").input_value() == "2"
    assert page.locator(".nbest li").count() == 1
    page.get_by_label("Beam").fill("3")
    page.get_by_label("Beam").press("Tab")
    until(page, "location.hash.includes('beam=3&others=1')")


def test_what_was_copied_is_told_to_the_eye_too(open_studio: OpenStudio) -> None:
    page = open_studio(permissions=["clipboard-read", "clipboard-write"])
    type_sentence(page)
    page.get_by_role("button", name="Copy", exact=True).click()
    page.wait_for_selector(".toast:has-text('Copied.')")
    page.wait_for_selector(".toast", state="hidden")


def test_a_model_is_added_by_keyboard_and_the_focus_stays(open_studio: OpenStudio) -> None:
    page = open_studio()
    type_sentence(page)
    page.get_by_role("button", name="small@60").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("article[aria-label='small@60'] .translation button")
    assert page.evaluate("document.activeElement.textContent") == "small@60"


def test_a_word_that_is_being_composed_is_waited_for(open_studio: OpenStudio) -> None:
    page = open_studio()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "translate" in request.url else None)
    page.get_by_label("Your text").focus()
    asked.clear()
    session = page.context.new_cdp_session(page)
    session.send("Input.imeSetComposition", {"text": "ni", "selectionStart": 2, "selectionEnd": 2})
    page.wait_for_timeout(600)
    assert asked == []
    session.send("Input.insertText", {"text": "你"})
    page.wait_for_selector(".translation[aria-busy=false] button")
    assert len(asked) == 1


def test_directions_are_named_in_the_readers_language(open_studio: OpenStudio) -> None:
    page = open_studio(language="zh")
    assert page.get_by_label("方向").locator("option").all_inner_texts() == ["英语 → 法语"]


def test_a_refusal_is_told_in_chinese(open_studio: OpenStudio) -> None:
    page = open_studio(language="zh")
    page.get_by_label("你的文字").fill("a " * 5001)
    page.wait_for_selector("article .problem")
    assert page.locator("article .problem").inner_text() == "最多 10,000 个字符，现在有 10,002 个。"
    open_studio.heard.clear()  # the browser itself notes the refused request


def test_a_link_brings_back_the_head_the_view_and_what_was_knocked_out(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}")
    page.wait_for_selector(".thumb")
    page.get_by_label("Attention").select_option("encoder.0.self")
    page.get_by_role("combobox", name="Head", exact=True).select_option("1")
    page.get_by_role("button", name="Knock this head out").click()
    page.wait_for_selector(".effect:not([hidden])")
    page.get_by_role("button", name="Flow", exact=True).click()
    page.get_by_label("Compare with").select_option("small@60")
    until(page, "location.hash.includes('with=small')")
    again = open_studio(page.url.split("#")[1])
    again.wait_for_selector(".effect:not([hidden])")
    assert again.locator("h2").inner_text() == "encoder.0.self · head 1"
    assert again.locator(".thumb.out").count() == 1
    until(again, "document.querySelectorAll('.beside .stage svg').length === 2")


def test_letters_of_a_chart_can_be_read_on_a_phone(open_studio: OpenStudio) -> None:
    for part, across in (("ladder?step=1", 17), ("ladder?step=2", 9), ("ladder?step=3", 11)):
        page = open_studio(part, viewport=PHONE)
        settled(page)
        texts = page.locator(".plot text:not(:empty)").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().height)"
        )
        assert min(texts) >= 11
        grips = page.locator(".plot .movable").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect().width)"
        )
        assert min(grips) >= across


def test_models_stand_beside_one_another_where_there_is_room(open_studio: OpenStudio) -> None:
    for width, beside in ((1400, True), (390, False)):
        page = open_studio(
            f"translate?models=small,small@60&text={SENTENCE}", viewport={"width": width, "height": 900}
        )
        page.wait_for_selector("article[aria-label='small@60'] .translation button")
        settled(page)
        first, second = (page.locator("article").nth(at).bounding_box() for at in range(2))
        assert (first["y"] == second["y"]) == beside


def test_a_run_whose_attentions_are_named_otherwise_is_compared_by_kind(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?model=small&text={SENTENCE}&name=decoder.0.cross&head=0")
    page.wait_for_selector(".thumb")

    def renamed(route: Any) -> None:
        told = json.dumps(route.fetch().json())
        is_other = route.request.post_data_json["model"] == "small@60"
        route.fulfill(json=json.loads(told.replace("decoder.0.cross", "decoder.cross") if is_other else told))

    page.route("**/attention", renamed)
    page.get_by_label("Compare with").select_option("small@60")
    page.wait_for_selector(".beside h3:visible:has-text('(decoder.cross)')")
    assert page.locator(".beside .stage canvas").count() == 2
    page.unroute("**/attention")


def test_tabs_are_walked_by_arrow_keys(open_studio: OpenStudio) -> None:
    page = open_studio()
    page.get_by_role("tab", name="Translate").focus()
    for name in ("Look", "Arithmetic", "Ladder", "Training", "Translate"):
        page.keyboard.press("ArrowRight")
        assert page.get_by_role("tab", selected=True).inner_text() == name
        assert page.get_by_role("tabpanel").count() == 1


def test_the_language_is_chosen_and_remembered(open_studio: OpenStudio) -> None:
    page = open_studio(f"look?{TEXTS}")
    page.get_by_label("Language").select_option("zh")
    assert page.get_by_role("tab", selected=True).inner_text() == "观察"
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    page.reload()
    page.wait_for_selector("html[data-ready=true]", state="attached")
    assert page.get_by_role("tab", selected=True).inner_text() == "观察"
    assert page.get_by_label("句子", exact=True).is_visible()


def with_text(part: str) -> str:
    """A part with a sentence in it, where it shows one."""
    return f"{part}?{TEXTS}" if part in ("translate", "look", "arithmetic") else part


ENGLISH = re.compile(r"\b(the|of|and|is|are|your|this|what|how|it)\b", re.I)


@pytest.mark.parametrize("part", [*PARTS, *(f"ladder?step={step}" for step in (1, 3, 4, 5, 6))])
def test_chinese_is_spoken_throughout(open_studio: OpenStudio, part: str) -> None:
    page = open_studio(with_text(part), language="zh")
    page.wait_for_timeout(500)
    labels = page.locator(
        "main :is(h2, h3, .field > span, .tick span, .slide > span, .rung > p, .lead, .step th)"
    )
    told = [text for text in labels.all_inner_texts() if ENGLISH.search(text)]
    assert told == []


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_nothing_serious_is_found_by_axe(open_studio: OpenStudio, axe: str, part: str, theme: str) -> None:
    page = open_studio(with_text(part), theme=theme, bypass_csp=True)
    page.wait_for_timeout(700)
    if part == "translate":
        page.locator(".translation button").first.click()
        page.wait_for_selector(".rivals button")
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, { resultTypes: ['violations'] })")
    serious = [
        (each["id"], [node["html"][:120] for node in each["nodes"][:3]])
        for each in found["violations"]
        if each["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("part", PARTS)
def test_nothing_sticks_out_on_a_phone(open_studio: OpenStudio, part: str) -> None:
    page = open_studio(with_text(part), viewport=PHONE, has_touch=True)
    page.wait_for_timeout(500)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_colours_are_those_of_every_other_figure(open_studio: OpenStudio, theme: Theme) -> None:
    page = open_studio("ladder", theme=theme.name)
    read = "(name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()"
    named = {name: getattr(theme, name) for name in ("paper", "ink", "faint", "rule", "masked", "link")}
    for name, colour in (named | ROLES[theme.name]).items():
        assert page.evaluate(read, name) == colour
    ours = page.evaluate(
        "async () => { const { ramp } = await import('./colours.js'); return [ramp(), ramp(true)]; }"
    )
    assert ours == [list(ramp(theme.weights)), list(ramp(theme.signed))]


def test_motion_stops_where_it_is_not_wanted(open_studio: OpenStudio) -> None:
    page = open_studio("training", reduced_motion="reduce")
    page.wait_for_selector(".state")
    moving = "(node) => getComputedStyle(node).transitionDuration"
    assert page.locator("button").first.evaluate(moving) == "0s"


def test_words_of_a_reader_are_never_markup(open_studio: OpenStudio) -> None:
    hostile = "<img src=x onerror=alert(1)> <b>bold</b>"
    page = open_studio(f"look?{urlencode({'model': 'small', 'text': hostile, 'target': hostile})}")
    page.wait_for_selector(".thumb")
    assert page.get_by_label("Sentence", exact=True).input_value() == hostile
    page.get_by_role("button", name="Flow", exact=True).click()
    page.wait_for_selector(".stage svg .word")
    page.get_by_role("tab", name="Arithmetic").click()
    page.get_by_role("button", name="Your own numbers").click()
    page.get_by_label("Queries: name of row 1").fill(hostile)
    settled(page)
    assert page.locator("main b:text-is('bold'), main img[src=x]").count() == 0


def test_every_file_of_the_page_is_small_and_stands_alone() -> None:
    for path in PAGE.iterdir():
        text = path.read_text(encoding="utf-8")
        assert "innerHTML" not in text
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), path.name
        assert len(text.splitlines()) <= 400, path.name
