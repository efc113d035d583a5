"""The studio's lessons: arithmetic that is checked, a ladder that answers, training that is watched."""

from typing import Any

import pytest

from regard.models import Transformer
from tests.browser.conftest import OpenStudio, settled, until

SENTENCE = "delta gamma beta alpha"


def numbers_of(page: Any, caption: str) -> list[list[float]]:
    """The numbers of a table of the bench, by what stands above it."""
    rows = page.locator(f".bench .card:nth-child(2) table:has(caption:has-text('{caption}')) tbody tr").all()
    return [
        [float(cell.replace("−", "-")) for cell in row.locator("td").all_inner_texts() if cell not in "×·"]
        for row in rows
    ]


# A real head.


def test_every_step_of_a_real_head_is_shown_and_agrees_with_the_model(
    open_studio: OpenStudio, studio: Any
) -> None:
    page = open_studio(f"arithmetic?model=small&text={SENTENCE}&name=decoder.0.cross&head=1&query=1")
    page.wait_for_selector(".check:visible")
    body = {"model": "small", "text": SENTENCE, "name": "decoder.0.cross", "head": 1, "query": 1}
    told = studio.ask("/explain", body)[2]
    cells = page.locator(".step table").first.locator("tbody tr")
    assert cells.count() == len(told["keys"])
    shown = [float(each) for each in cells.locator("td:last-child").all_inner_texts()]
    assert shown == [pytest.approx(each, abs=6e-5) for each in told["weights"]]
    assert told["error"] < 1e-5
    assert (
        page.locator(".check:visible").inner_text().startswith("✓ The model's own fast path gives the same")
    )


def test_another_query_and_another_key_follow_by_keyboard(open_studio: OpenStudio) -> None:
    page = open_studio(f"arithmetic?model=small&text={SENTENCE}&name=decoder.0.cross&head=0&query=0")
    page.wait_for_selector(".step .tokens button")
    page.get_by_role("group", name="Query").get_by_role("button").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    until(
        page,
        "document.querySelector('[role=group][aria-label=Query] button:nth-child(2)').ariaPressed === 'true'",
    )
    page.locator(".step .tokens button").last.click()
    settled(page)
    assert page.locator(".step .tokens button").last.get_attribute("aria-pressed") == "true"


# The bench.


def test_the_bench_follows_what_is_typed_and_agrees_with_regard(open_studio: OpenStudio) -> None:
    page = open_studio("arithmetic?mode=bench")
    page.get_by_label("Queries, row 1, column 1").fill("3")
    settled(page)
    first = numbers_of(page, "Weights")[0]
    assert first[0] > 0.9
    page.wait_for_selector(".check:has-text('regard.attend agrees')")
    off = page.locator(".bench .check").get_attribute("data-off")
    assert float(off) < 1e-9


@pytest.mark.parametrize(
    "score", ["dot", "additive", "gaussian", "boxcar", "triangular", "epanechnikov", "uniform"]
)
def test_every_score_of_the_bench_agrees_with_regard(open_studio: OpenStudio, score: str) -> None:
    page = open_studio("arithmetic?mode=bench")
    page.wait_for_selector(".bench .check:visible")
    page.get_by_label("Score").select_option(score)
    page.get_by_label("Mask").select_option("causal")
    with page.expect_response("**/explain") as answer:
        page.get_by_label("Temperature").fill("0.7")
    assert answer.value.ok
    settled(page)
    assert float(page.locator(".bench .check").get_attribute("data-off")) < 1e-9


@pytest.mark.parametrize("position", ["sinusoidal", "rotary", "alibi"])
def test_every_position_and_two_heads_agree_with_regard(open_studio: OpenStudio, position: str) -> None:
    page = open_studio("arithmetic?mode=bench")
    page.wait_for_selector(".bench .check:visible")
    page.get_by_label("Keys of their own").check()
    page.get_by_label("Heads").select_option("2")
    with page.expect_response("**/explain") as answer:
        page.get_by_label("Position").select_option(position)
    assert answer.value.ok
    settled(page)
    assert float(page.locator(".bench .check").get_attribute("data-off")) < 1e-6


def test_a_cell_is_hidden_by_a_click_and_its_row_still_sums_to_one(open_studio: OpenStudio) -> None:
    page = open_studio("arithmetic?mode=bench")
    page.wait_for_selector("[data-cell='0,0']")
    page.locator("[data-cell='0,0']").focus()
    page.keyboard.press("Enter")
    settled(page)
    row = numbers_of(page, "Weights")[0]
    assert row[0] == 0
    assert sum(row) == pytest.approx(1, abs=2e-3)
    assert page.evaluate("document.activeElement.dataset.cell") == "0,0"


def test_a_row_without_any_key_is_silent(open_studio: OpenStudio) -> None:
    page = open_studio("arithmetic?mode=bench")
    for column in range(3):
        page.locator(f"[data-cell='1,{column}']").click()
        settled(page)
    assert numbers_of(page, "Output")[1] == [0, 0, 0, 0]
    page.wait_for_selector(".check:has-text('regard.attend agrees')")


def test_worked_examples_are_one_click_away_and_go_to_the_bench(open_studio: OpenStudio) -> None:
    page = open_studio("arithmetic")
    page.get_by_role("button", name="Worked examples").click()
    page.get_by_role("button", name="I am good").click()
    page.wait_for_selector(".example .step")
    assert "0.9756" in page.locator(".example").inner_text()
    page.get_by_role("button", name="Take these numbers to the bench").click()
    settled(page)
    assert numbers_of(page, "Output")[0] == [1.0, 2.958, 2.011]


def test_worked_examples_are_told_in_chinese(open_studio: OpenStudio) -> None:
    page = open_studio("arithmetic?mode=worked", language="zh")
    page.locator(".gallery button").first.click()
    page.wait_for_selector(".example .step")
    assert "向量" in page.locator(".example .step h3").first.inner_text()


def test_a_link_brings_back_the_query_or_the_example(open_studio: OpenStudio) -> None:
    page = open_studio(f"arithmetic?model=small&text={SENTENCE}&name=decoder.0.cross&head=1&query=0")
    page.wait_for_selector(".check:visible")
    page.get_by_role("group", name="Query").get_by_role("button").nth(1).click()
    until(page, "location.hash.includes('query=1')")
    again = open_studio(page.url.split("#")[1])
    again.wait_for_selector(".check:visible")
    second = again.get_by_role("group", name="Query").get_by_role("button").nth(1)
    assert second.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Worked examples").click()
    page.get_by_role("button", name="I am good").click()
    page.wait_for_selector(".example .step")
    again = open_studio(page.url.split("#")[1])
    again.wait_for_selector(".example .step")
    assert again.locator(".example h2").inner_text() == page.locator(".example h2").inner_text()


# The ladder.


def test_the_ladder_is_climbed_by_keyboard(open_studio: OpenStudio) -> None:
    page = open_studio("ladder")
    titles = [page.locator("h2").inner_text()]
    page.get_by_role("button", name="Next →").focus()
    for _ in range(6):
        page.keyboard.press("Enter")
        titles.append(page.locator("h2").inner_text())
    assert titles == [
        "Average pooling",
        "Nadaraya–Watson",
        "Scores and masks",
        "Bahdanau's alignment",
        "Many heads",
        "Positions",
        "The Transformer",
    ]
    page.keyboard.press("Enter")
    assert page.get_by_role("tab", selected=True).inner_text() == "Translate"


def test_an_average_answers_every_question_alike_until_a_value_is_pulled(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=1")
    assert "the answer is 0.800" in page.locator(".telling").inner_text()
    page.get_by_role("button", name="sleeps").click()
    settled(page)
    assert "the answer is 0.800" in page.locator(".telling").inner_text()
    page.get_by_role("slider", name="value 1").focus()
    for _ in range(6):
        page.keyboard.press("ArrowUp")
    settled(page)
    assert "the answer is 0.900" in page.locator(".telling").inner_text()


def test_points_are_dragged_and_a_narrow_kernel_falls_silent(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=2")
    telling = page.locator(".telling")
    before = telling.inner_text()
    box = page.get_by_role("slider", name="point 7").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 120, steps=4)
    page.mouse.up()
    settled(page)
    assert telling.inner_text() != before
    page.get_by_label("Kernel").select_option("boxcar")
    page.get_by_label("Bandwidth").fill("0.05")
    page.get_by_role("slider", name="The question x").focus()
    said = set()
    for _ in range(12):
        page.keyboard.press("ArrowRight")
        settled(page)
        said.add(telling.inner_text())
    assert "No point lies within reach: silence. Widen the bandwidth." in said


def test_a_masked_key_is_not_heard_and_without_keys_there_is_silence(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=3")
    page.get_by_role("checkbox", name="dog").uncheck()
    settled(page)
    assert page.locator(".bars li").nth(1).locator("b").inner_text() == "0.000"
    for name in ("cat", "house", "river"):
        page.get_by_role("checkbox", name=name).uncheck()
        settled(page)
    assert page.locator(".telling").inner_text().startswith("Nothing may be looked at")


def test_maison_finds_house_past_the_adjective(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=4")
    assert "looks back at “house”" in page.locator(".telling").inner_text()
    page.get_by_role("button", name="rouge").click()
    settled(page)
    assert "looks back at “red”" in page.locator(".telling").inner_text()
    page.get_by_label("One summary for every word").check()
    settled(page)
    assert page.locator(".bars b").all_inner_texts() == ["0.167"] * 6


def test_one_head_must_compromise(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=5")
    assert page.locator(".figure canvas:visible").count() == 3
    page.get_by_role("button", name="one", exact=True).click()
    settled(page)
    assert page.locator(".figure canvas:visible").count() == 1
    assert "one softmax must compromise" in page.locator(".telling").inner_text()


def test_only_positions_tell_a_shuffled_sentence(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=6")
    page.get_by_role("button", name="Shuffle the words").click()
    settled(page)
    assert "no word noticed" in page.locator(".telling").inner_text()
    for kind in ("sinusoidal", "relative"):
        page.get_by_label("Positions").select_option(kind)
        settled(page)
        assert float(page.locator(".telling").get_attribute("data-moved")) > 0.01


def test_the_transformer_of_the_ladder_has_as_many_parameters_as_ours(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=7")
    page.get_by_label("Width").fill("96")
    page.get_by_label("Layers").fill("3")
    settled(page)
    ours = Transformer(vocabulary=4000, width=96, heads=4, layers=3, hidden_width=4 * 96)
    shown = int(page.locator(".figure .big").inner_text().replace(" ", "").replace("\u202f", ""))
    assert shown == sum(each.numel() for each in ours.parameters())


def test_three_encoders_reach_the_end_as_regard_counts_it(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=7")
    page.get_by_label("Kernel k").fill("5")
    settled(page)
    for length, paths in ((5, (5, 2, 1)), (9, (9, 4, 1))):
        page.get_by_label("Words n").fill(str(length))
        settled(page)
        titles = page.locator(".reach3 h3").all_inner_texts()
        recurrent, convolutional, attention = paths
        assert titles == [
            f"recurrent: after {recurrent} steps",
            f"convolutional: after layer {convolutional}",
            f"self-attention: after layer {attention}",
        ]


def test_a_part_of_the_transformer_is_chosen_by_keyboard(open_studio: OpenStudio) -> None:
    page = open_studio("ladder?step=7")
    page.get_by_role("button", name="masked self-attention").focus()
    page.keyboard.press("Enter")
    settled(page)
    assert page.locator(".parts h3").first.inner_text() == "masked self-attention"


# Training.


def test_a_run_is_watched_with_its_losses_sample_and_maps(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio("training")
    page.wait_for_selector(".stage canvas")
    (run,) = studio.ask("/training?after=0")[2]["runs"]
    facts = page.locator(".facts dd").all_inner_texts()
    assert facts[:2] == ["finished", f"{run['step']} / {run['steps']}"]
    assert facts[2] == f"{run['history'][-1]['loss']:.3f}"
    assert page.locator(".samples dd").all_inner_texts()[2] == run["validations"][-1]["translation"]
    slide = page.get_by_label("Checkpoint")
    slide.focus()
    page.keyboard.press("ArrowLeft")
    until(page, f"document.querySelector('.stage').ariaLabel.includes('{run['looks'][0]}')")


def test_what_is_learned_meanwhile_is_added(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio("ladder")
    asked: list[str] = []
    (run,) = studio.ask("/training?after=0")[2]["runs"]

    def answer(route: Any) -> None:
        asked.append(route.request.url.split("?")[1])
        turn = len(asked)
        history = [each for each in run["history"] if each["step"] <= 40 * turn][-2:]
        told = run | {
            "state": "running",
            "step": 40 * turn,
            "history": history,
            "validations": [],
            "looks": [],
        }
        route.fulfill(json={"runs": [told]})

    page.route("**/training?*", answer)
    page.get_by_role("tab", name="Training").click()
    until(page, "document.querySelector('.facts')?.innerText.includes('80 / ')")
    assert page.locator(".facts dd").first.inner_text() == "running"
    assert asked[0] == "after=0"
    assert asked[1] != "after=0"
    assert page.locator("text=No map has been kept yet").is_visible()
    page.get_by_role("tab", name="Ladder").click()
    count = len(asked)
    page.wait_for_timeout(2300)
    assert len(asked) == count


def test_maps_are_played_from_the_first_and_can_be_stopped(open_studio: OpenStudio, studio: Any) -> None:
    page = open_studio("training")
    page.wait_for_selector(".stage canvas")
    (run,) = studio.ask("/training?after=0")[2]["runs"]
    page.get_by_role("button", name="Play").click()
    until(page, f"document.querySelector('.stage').ariaLabel.includes('step {run['looks'][0]}')")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_timeout(1500)
    assert f"step {run['looks'][-1]}" not in page.locator(".stage").first.get_attribute("aria-label")
    assert page.get_by_role("button", name="Play").is_visible()


def test_a_list_that_stands_open_is_not_made_anew(open_studio: OpenStudio) -> None:
    page = open_studio("training")
    page.wait_for_selector(".stage canvas")
    page.evaluate("() => document.querySelectorAll('option').forEach((each) => (each.dataset.seen = 'yes'))")
    with page.expect_response("**/training?*"):
        pass
    settled(page)
    assert page.locator("option:not([data-seen])").count() == 0
