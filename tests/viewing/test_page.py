import base64
import hashlib
import json
import re
import zlib
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

import regard
from regard import positions, scores
from regard.errors import RegardError, ShapeError
from regard.viewing import AttentionMap, AttentionMaps, Words
from regard.viewing.colours import _to_oklab, ramp
from regard.viewing.page import Page
from regard.viewing.page.facts import PALETTES
from regard.viewing.page.packing import COARSE, FINE, quantise
from regard.viewing.typography import visible
from tests.viewing.hostile import HOSTILE
from tests.viewing.some import ENGLISH, FRENCH, by_hand, several_heads, triangle

AT_MOST = 0.002


class Reader(HTMLParser):
    """What a browser finds in a page: every tag with its attributes, and the text inside it."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.open = False
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))
        self.open = True

    def handle_endtag(self, tag: str) -> None:
        self.open = False

    def handle_data(self, data: str) -> None:
        if self.open:
            tag, about, text = self.found[-1]
            self.found[-1] = (tag, about, text + data)

    def those(self, tag: str, **about: str) -> list[str]:
        return [
            text
            for found, attributes, text in self.found
            if found == tag and all(attributes.get(name) == value for name, value in about.items())
        ]


def facts_of(page: Page) -> dict[str, Any]:
    return json.loads(Reader(page.html).those("script", id="facts")[0])


def blob_of(page: Page, number: int) -> bytes:
    return zlib.decompress(base64.b64decode(Reader(page.html).those("script", id=f"blob-{number}")[0]))


def weights_on(page: Page, number: int = 0) -> np.ndarray:
    """The weights of one map, decoded as the page's script does."""
    facts = facts_of(page)
    about = facts["maps"][number]
    rows, columns = (len(facts["sides"][about[side]]["labels"]) for side in ("queries", "keys"))
    content, count = blob_of(page, about["weights"]), len(about["heads"]) * rows
    tops, floors = np.frombuffer(content[: 8 * count], dtype="<f4").reshape(2, -1, rows, 1)
    levels = np.frombuffer(content[8 * count :], dtype="<u1" if facts["steps"] == 255 else "<u2")
    levels = levels.reshape(-1, rows, columns)
    low = levels == 0
    if about["masks"]:
        bits = [np.unpackbits(np.frombuffer(blob_of(page, each), dtype=np.uint8)) for each in about["masks"]]
        low &= np.stack([each[: rows * columns].reshape(rows, columns) for each in bits]) == 1
    return np.where(low, floors, tops * levels / facts["steps"])


def watched(**options: Any) -> tuple[AttentionMaps, Any]:
    attention = regard.MultiHeadAttention(6, heads=2, **options).eval()
    with regard.watch(attention) as seen, torch.no_grad():
        attention(torch.randn(1, 3, 6), torch.randn(1, 5, 6))
    maps = AttentionMaps.of(
        {"decoder.0.cross": seen["attention"]}, source=["a", "b", "c", "d", "e"], target=["x", "y", "z"]
    )
    return maps, {"decoder.0.cross": seen["attention"]}


a_weight = st.floats(0.0, 1.0, width=32)


@given(st.lists(st.lists(a_weight, min_size=5, max_size=5), min_size=1, max_size=7))
def test_a_weight_read_back_is_off_by_less_than_two_thousandths(rows: list[list[float]]) -> None:
    weights = np.array([rows])
    for steps, most in ((COARSE, AT_MOST), (FINE, 1e-5)):
        assert quantise(weights, steps=steps).error < most


def test_a_row_of_almost_nothing_becomes_nothing() -> None:
    quantised = quantise(np.full((1, 1, 3), 1e-38))
    assert (quantised.tops.max(), quantised.floors.max(), quantised.levels.max()) == (0, 0, 0)


def test_a_long_row_of_small_weights_still_sums_to_one_and_masked_keys_stay_at_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("regard.viewing.page.making.FEW", 0)
    weights = torch.full((1, 401), 0.0009)
    weights[0, 0] = 1 - 0.0009 * 300
    keep = torch.arange(401).unsqueeze(0) <= 300
    weights = weights * keep
    page = AttentionMap(weights, query_labels=["a"], key_labels=["b"] * 401, keep=keep).page()
    read = weights_on(page)[0, 0]
    assert read.sum() == pytest.approx(1.0, abs=1e-5)
    assert read[301:].max() == 0.0


@pytest.mark.parametrize("few", [0, 250_000])
def test_the_page_holds_the_weights_and_never_understates_its_error(
    few: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("regard.viewing.page.making.FEW", few)
    seen = several_heads()
    page = seen.page()
    error = np.abs(weights_on(page) - seen.weights.numpy()).max()
    assert 0 < error <= float(facts_of(page)["error"]) < (1e-5 if few else AT_MOST)
    assert page.error == pytest.approx(error, abs=1e-7)


def test_weights_of_half_precision_that_exceed_one_stay_within_the_error() -> None:
    seen = AttentionMap(torch.full((1, 1), 1.0078, dtype=torch.bfloat16), query_labels=["a"])
    assert np.abs(weights_on(seen.page()) - seen.weights.numpy()).max() < AT_MOST


def test_masks_are_told_once_for_heads_that_share_them() -> None:
    page = triangle().page()
    (number,) = facts_of(page)["maps"][0]["masks"]
    bits = np.unpackbits(np.frombuffer(blob_of(page, number), dtype=np.uint8))[:9]
    assert bits.reshape(3, 3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    two = torch.stack([torch.eye(2), torch.tensor([[0.5, 0.5], [0.0, 1.0]])])
    assert (
        len(facts_of(AttentionMap(two, query_labels=["a", "b"], keep=two > 0).page())["maps"][0]["masks"])
        == 2
    )
    assert facts_of(by_hand().page())["maps"][0]["masks"] == []


def test_a_layer_of_twelve_heads_and_256_tokens_keeps_its_share_of_fifteen_megabytes() -> None:
    weights = torch.rand(1, 12, 256, 256)  # nothing in it repeats: no page of this size is larger
    maps = AttentionMaps.of_weights([weights / weights.sum(-1, keepdim=True)], query_labels=["word"] * 256)
    page = maps.page()
    without = by_hand().page().size
    assert facts_of(page)["window"] is None
    assert 12 * (page.size - without) + without < 15_000_000


def test_the_size_is_told_before_the_file_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = AttentionMaps([several_heads(), by_hand()]).save(tmp_path / "look.html")
    told = capsys.readouterr().err
    assert re.fullmatch(
        r"Writing look\.html, \d+ kB: 2 attentions, 4 heads, 5 × 7 tokens; "
        r"weights are right to ±0\.0000\d+\.\n",
        told,
    )
    assert f"{round(path.stat().st_size / 1e3)} kB" in told


def test_a_page_counts_what_it_shows_in_the_plural_only_where_there_are_several() -> None:
    assert by_hand().page().summary.startswith("1 attention, 1 head, 2 × 3 tokens; ")


def long_map(tokens: int = 101) -> AttentionMap:
    return AttentionMap(
        torch.eye(tokens), query_labels=[f"w{at}" for at in range(tokens)], name="layer.0.self"
    )


def test_what_is_too_long_is_cut_to_a_window_and_said_so() -> None:
    page = long_map().page(budget=2_000)
    start, stop, longest = facts_of(page)["window"]
    assert (start, longest) == (0, 101)
    assert 1 < stop < 101
    assert weights_on(page).shape == (1, stop, stop)
    assert page.summary.endswith(f" Tokens 1–{stop} of 101 are shown; window=(start, stop) shows others.")
    assert f"{101 - stop} keys left out" in facts_of(page)["maps"][0]["notes"]


def test_a_window_can_be_chosen_and_nothing_be_cut() -> None:
    page = long_map().page(window=(50, 53))
    assert facts_of(page)["sides"][0]["labels"] == ["w50", "w51", "w52"]
    np.testing.assert_array_equal(weights_on(page)[0], np.eye(3))
    assert weights_on(long_map().page(budget=None)).shape == (1, 101, 101)
    assert facts_of(long_map().page(window=(90, 1000)))["window"] == [90, 101, 101]


def test_a_short_side_outside_the_window_is_shown_whole() -> None:
    seen = AttentionMap(torch.full((2, 7), 1 / 7), query_labels=["a", "b"], key_labels=list("cdefghi"))
    assert [len(side["labels"]) for side in facts_of(seen.page(window=(3, 5)))["sides"]] == [2, 2]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"window": (5, 5)},
            "window must be the first token shown and the first no longer shown, but got (5, 5).",
        ),
        ({"window": (9, 12)}, "window must begin among the 3 tokens there are, but it begins at 9."),
        ({"language": "fr"}, "language must be one of 'en', 'zh', but got 'fr'."),
        ({"theme": "sepia"}, "theme must be one of 'auto', 'light', 'dark', but got 'sepia'."),
        ({"view": "pie"}, "view must be one of 'heatmap', 'flow', 'table', but got 'pie'."),
        ({"edit": [("a", 0)]}, "heads can be edited only if the page is given what was watched: seen=…."),
        ({"first": ("decoder.0.cross", 2)}, "there is no head 2 of 'decoder.0.cross' to show first."),
    ],
)
def test_what_no_page_can_show_is_refused_in_one_sentence(options: dict[str, Any], message: str) -> None:
    with pytest.raises(RegardError) as caught:
        by_hand().page(**options)
    assert str(caught.value) == message


def test_subwords_come_with_their_words() -> None:
    seen = AttentionMap([[0.3, 0.5, 0.2]], query_labels=["chat"], key_labels=["▁kit", "ten", "▁eats"])
    queries, keys = facts_of(seen.page())["sides"]
    assert queries["words"] is None
    assert keys["words"] == {"labels": ["kitten", "eats"], "groups": [[0, 1], [2]]}


def test_words_somebody_has_found_are_taken_for_each_side_as_the_decoder_reads_it() -> None:
    words = Words(("le", "chat", "dort"), ((0,), (1, 2), (3,)))
    seen = AttentionMap(
        torch.eye(4),
        query_labels=["le", "ch", "at", "dort"],
        key_labels=["<begin>", "le", "ch", "at"],
        name="decoder.0.self",
        kind="decoder self",
    )
    produced, read = facts_of(AttentionMaps([seen]).page(target=words))["sides"]
    assert produced["words"]["labels"] == ["le", "chat", "dort"]
    assert read["words"] == {"labels": ["<begin>", "le", "chat"], "groups": [[0], [1], [2, 3]]}
    assert read["special"] == [0]


def test_words_that_do_not_fit_their_side_are_refused() -> None:
    with pytest.raises(ShapeError) as caught:
        by_hand().page(keys=Words(("the", "cat"), ((0,), (1,))))
    assert (
        str(caught.value)
        == "groups must hold each position once and in order, but they do not at position 2."
    )


def test_a_page_is_called_after_its_sentences() -> None:
    assert several_heads().page().title == "the cat does not sleep . → le chat ne dort"
    assert AttentionMap(torch.eye(2), query_labels=["猫", "睡"]).page().title == "猫睡"
    assert AttentionMap(torch.eye(2), query_labels=["I", "猫"]).page().title == "I 猫"
    for words in (["고양이", "가"], ["猫", "."], ["😀", "😀"], ["да", "—"]):
        assert AttentionMap(torch.eye(2), query_labels=words).page().title == " ".join(words)
    assert long_map().page().title == "layer.0.self"
    assert AttentionMaps([long_map(), long_map().replace(name="b")]).page().title == "attention"
    assert by_hand().page(title="ours").title == "ours"


def test_other_maps_stand_beside() -> None:
    page = AttentionMaps([by_hand()]).page(beside={"untrained": AttentionMaps([by_hand()])})
    assert [(each["name"], each["set"]) for each in facts_of(page)["maps"]] == [
        ("decoder.0.cross", ""),
        ("decoder.0.cross", "untrained"),
    ]
    assert page.summary.startswith("1 attention, 1 head")


def tensor_on(page: Page, part: str, columns: int) -> Tensor:
    number = facts_of(page)["maps"][0]["editable"][0][part]
    return torch.frombuffer(bytearray(blob_of(page, number)), dtype=torch.float32).reshape(-1, columns)


def test_a_watched_head_carries_all_its_arithmetic() -> None:
    maps, seen = watched()
    page = maps.page(seen=seen, edit=[("decoder.0.cross", 1)])
    (about,) = facts_of(page)["maps"][0]["editable"]
    assert (about["head"], about["width"], about["value_width"]) == (1, 3, 3)
    assert about["scale"] == pytest.approx(3**-0.5)
    dots = tensor_on(page, "queries", 3) @ tensor_on(page, "keys", 3).mT
    torch.testing.assert_close(dots * about["scale"], tensor_on(page, "scores", 5))
    weights = tensor_on(page, "scores", 5).softmax(-1)
    torch.testing.assert_close(weights, maps["decoder.0.cross"].per_head[1])
    torch.testing.assert_close(weights @ tensor_on(page, "values", 3), seen["decoder.0.cross"].output[0, 1])
    assert page.summary.endswith(" 1 head can be edited.")


def test_every_head_can_be_edited_unless_some_are_named() -> None:
    maps, seen = watched()
    assert maps.page(seen=seen).summary.endswith(" 2 heads can be edited.")


def test_heads_that_would_make_a_page_large_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    maps, seen = watched()
    monkeypatch.setattr("regard.viewing.page.making.EDITABLE", 300)
    assert maps.page(seen=seen).summary.endswith(" 1 head can be edited.")


@pytest.mark.parametrize(
    ("options", "scale"),
    [
        ({"score": scores.Dot()}, 1.0),
        ({"position": positions.Relative(reach=2, head_width=3)}, 3**-0.5),
        ({"position": positions.Alibi(2)}, None),
        ({"score": scores.Gaussian()}, None),
    ],
)
def test_a_scale_is_known_only_where_scores_are_a_product_times_a_number(
    options: dict[str, Any], scale: float | None
) -> None:
    maps, seen = watched(**options)
    found = facts_of(maps.page(seen=seen))["maps"][0]["editable"][0]["scale"]
    assert found == (None if scale is None else pytest.approx(scale))


def foreign(**changes: Any) -> SimpleNamespace:
    """What a model built elsewhere records: tensors, and no word on how they came about."""
    queries, keys, values = torch.randn(1, 2, 2, 4), torch.randn(1, 1, 3, 4), torch.randn(1, 1, 3, 4)
    scores = queries @ keys.expand(1, 2, 3, 4).mT / 2
    record = {
        "queries": queries,
        "keys": keys,
        "values": values,
        "scores": scores,
        "weights": scores.softmax(-1),
    }
    return SimpleNamespace(**{**record, "keep": None, **changes})


def shown(record: SimpleNamespace) -> AttentionMaps:
    return AttentionMaps.of({"x.cross": record}, source=["a", "b", "c"], target=["d", "e"])


def test_a_scale_is_found_by_trying_where_nobody_tells_it() -> None:
    record = foreign()
    (first, second) = facts_of(shown(record).page(seen={"x.cross": record}))["maps"][0]["editable"]
    assert first["scale"] == second["scale"] == 0.5
    assert first["keys"] == second["keys"]  # one key head serves both, and is carried once
    other = foreign(scores=record.scores, weights=record.weights)
    assert facts_of(shown(other).page(seen={"x.cross": other}))["maps"][0]["editable"][0]["scale"] is None


def editing_refused() -> Iterator[tuple[str, Any, dict[str, Any], str]]:
    maps, seen = watched()
    weights_only = foreign(scores=None, values=None)
    yield (
        "weights alone",
        shown(weights_only),
        {"seen": {"x.cross": weights_only}},
        "'x.cross' cannot be edited: its record holds no scores and no values, only what was attended.",
    )
    yield (
        "another call",
        maps,
        {"seen": watched()[1]},
        "'decoder.0.cross' cannot be edited: the softmax of the scores given for head 0 "
        "is not the weights that are shown.",
    )
    yield (
        "no such head",
        maps,
        {"seen": seen, "edit": [("decoder.0.cross", 2)]},
        "there is no head 2 of 'decoder.0.cross' to edit.",
    )
    yield (
        "a window",
        maps,
        {"seen": seen, "edit": [("decoder.0.cross", 0)], "window": (0, 4)},
        "'decoder.0.cross' cannot be edited: a softmax needs all its keys, but a window is shown.",
    )


@pytest.mark.parametrize("which", ["weights alone", "another call", "no such head", "a window"])
def test_what_cannot_be_edited_is_refused_in_one_sentence(which: str) -> None:
    _, maps, options, message = next(each for each in editing_refused() if each[0] == which)
    with pytest.raises(RegardError) as caught:
        maps.page(**options)
    assert str(caught.value) == message


def test_a_window_leaves_heads_uneditable_and_says_so() -> None:
    maps, seen = watched()
    assert maps.page(seen=seen, window=(0, 4)).summary.endswith(" 0 heads can be edited.")


def test_the_policy_allows_exactly_the_script_and_the_style_of_the_page() -> None:
    read = Reader(by_hand().page().html)
    (policy,) = [
        about["content"] or ""
        for tag, about, _ in read.found
        if tag == "meta" and about.get("http-equiv") == "Content-Security-Policy"
    ]
    allowed = dict(rule.split(" ", 1) for rule in policy.split("; "))
    for name, text in (
        ("script-src", read.those("script", type="module")),
        ("style-src", read.those("style")),
    ):
        digest = base64.b64encode(hashlib.sha256(text[0].encode()).digest()).decode()
        assert allowed[name] == f"'sha256-{digest}'"
    assert allowed["default-src"] == "'none'"
    assert "unsafe" not in policy
    assert "http" not in policy


def shipped(name: str) -> str:
    """A script as the package carries it."""
    return files("regard.viewing.page").joinpath(name).read_text(encoding="utf-8")


def test_nothing_on_the_page_is_loaded_or_parsed_as_markup() -> None:
    read = Reader(by_hand().page().html)
    assert not [about for _, about, _ in read.found for name in about if name in ("src", "href", "style")]
    script = shipped("terms.js") + shipped("page.js")
    for forbidden in (
        "innerHTML",
        "outerHTML",
        "insertAdjacent",
        "document.write",
        "eval(",
        "fetch(",
        "import ",
    ):
        assert forbidden not in script
    assert set(re.findall(r"https?://[^\"'\s]+", script)) == {"http://www.w3.org/2000/svg"}
    assert "</script" not in script
    assert "<!--" not in script


def test_no_hostile_token_becomes_markup() -> None:
    tame = {tag for tag, _, _ in Reader(by_hand().page().html).found}
    seen = AttentionMap(
        torch.full((2, 40, 40), 1 / 40),
        query_labels=HOSTILE,
        name=HOSTILE[0],
        head_names=HOSTILE[1:3],
        notes=HOSTILE,
        axes=(HOSTILE[3], HOSTILE[4]),
    )
    page = AttentionMaps([seen]).page(title=HOSTILE[2], beside={HOSTILE[1]: AttentionMaps([seen])})
    read = Reader(page.html)
    assert {tag for tag, _, _ in read.found} == tame
    assert len(read.those("script", type="module")) == len(read.those("script", id="facts")) == 1
    told = read.those("script", id="facts")[0]
    assert "<" not in told
    assert told.isascii()
    facts = facts_of(page)
    assert facts["sides"][0]["labels"] == [visible(token) for token in HOSTILE]
    assert facts["maps"][0]["notes"][:40] == [visible(token) for token in HOSTILE]
    assert read.those("title")[0] == f"{HOSTILE[2]} · regard"


def test_a_notebook_gets_the_page_in_a_frame_that_reaches_nothing() -> None:
    seen = AttentionMap(torch.eye(len(HOSTILE)), query_labels=HOSTILE)
    framed = Reader(seen._repr_html_())
    assert [tag for tag, _, _ in framed.found] == ["div", "img", "iframe"]
    frame = framed.found[-1][1]
    assert frame["sandbox"] == "allow-scripts allow-downloads"
    assert facts_of(Page(html=frame["srcdoc"] or "", title="", summary="", error=0.0))["embedded"]


def test_behind_the_frame_stands_a_picture_for_where_frames_are_taken_out() -> None:
    picture = Reader(several_heads()._repr_html_()).found[1][1]
    coded = (picture["src"] or "").removeprefix("data:image/svg+xml;base64,")
    assert base64.b64decode(coded).decode() == AttentionMaps([several_heads()]).svg()
    assert "<img" not in unescape(long_map(211)._repr_html_()).split("<iframe")[0]


def test_a_notebook_is_spared_pages_that_would_weigh_it_down() -> None:
    weights = torch.rand(1, 16, 512, 512)
    maps = AttentionMaps.of_weights([weights / weights.sum(-1, keepdim=True)], query_labels=["w"] * 512)
    assert len(maps._repr_html_()) < 2_500_000


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lightness_alone_tells_a_weight_in_every_palette(palette: str, theme: str) -> None:
    lightness = [_to_oklab(colour)[0] for colour in ramp(PALETTES[palette][theme])]
    steps = np.diff(lightness) * (-1 if theme == "light" else 1)
    assert steps.min() > -2e-3  # what rounding to 255 steps does
    assert abs(lightness[-1] - lightness[0]) > 0.6


def test_every_phrase_of_the_page_is_said_in_both_languages() -> None:
    terms, script = shipped("terms.js"), shipped("page.js")
    listed = "".join(
        text.split(f"const {name} = {{")[1].split("\n};")[0]
        for text, name in ((terms, "TERMS"), (script, "PHRASES"))
    )
    entries = re.findall(
        r'^  "?([\w ]+?)"?: \[(.*?)\],$', listed.replace("\n    ", " ").replace(",\n  ]", "]"), re.M
    )
    known = {name for name, _ in entries}
    for name, both in entries:
        english, chinese = re.findall(r'"((?:[^"\\]|\\.)*)"', both)
        assert set(re.findall(r"\{\d\}", english)) >= set(re.findall(r"\{\d\}", chinese)), name
        assert english
        assert chinese
    assert len(known) > 100
    said = set(re.findall(r'\bsay\("([\w ]+)"', script)) | set(
        re.findall(r'\b(?:say|label): "([\w ]+)"', script)
    )
    assert said <= known


def test_labels_shared_by_layers_are_carried_once() -> None:
    maps = AttentionMaps(several_heads().replace(name=f"decoder.{layer}.cross") for layer in range(5))
    assert [side["labels"] for side in facts_of(maps.page())["sides"]] == [list(FRENCH), list(ENGLISH)]


def test_one_map_in_a_notebook_shows_its_words_where_no_script_runs() -> None:
    alone = AttentionMap(
        weights=torch.eye(2), query_labels=["le", "chat"], key_labels=["the", "kitten"], name="one"
    )
    several = AttentionMaps([alone, alone.replace(name="other")])
    assert ">kitten</text>" in alone.page(embedded=True).still
    assert ">kitten</text>" not in several.page(embedded=True).still  # thumbnails have no room for words
