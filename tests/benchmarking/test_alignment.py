"""Heads are chosen without gold, links are drawn by ``regard align``, and gold is looked at once."""

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import alignment, draw_results, plan
from benchmarks.plan import RECIPES, Aligned, Planned

from regard import runs
from regard.cli.pairing import gold_of, read_to_align
from regard.errors import RegardError
from tests.benchmarking.made_up import a_sentence, write
from tests.benchmarking.test_results import RECIPE
from tests.cli.test_runs import regard

THERE = Planned(
    name="there", title="Transformer", recipe="tiny.toml", asked="there", changes=("training.steps=4",)
)
BACK = replace(THERE, name="back", asked="back", changes=("training.steps=4", "data.columns=1,2"))
TINY = Aligned(
    name="tiny",
    title="sinusoidal positions",
    forward="there",
    backward="back",
    chosen_on="tiny/dev.tsv",
    pairs=("tiny/trial.src", "tiny/trial.tgt"),
    gold="tiny/trial.gold",
)

GOLD, TURNED = "0-0 1p2 2-3 3p1", "0-0 2p1 3-2 1p3"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of recipes, and one of runs."""
    place = tmp_path_factory.mktemp("aligning")
    tiny = place / "recipes" / "tiny"
    for name, first, pairs in (("train", 0, 60), ("validation", 60, 7), ("dev", 67, 17)):
        rows = [f"{a_sentence(one)}\t{a_sentence(one + 1)}" for one in range(first, first + pairs)]
        write(tiny / f"{name}.tsv", rows)
    numbers = range(84, 91)
    write(tiny / "trial.src", [a_sentence(one) for one in numbers])
    write(tiny / "trial.tgt", [a_sentence(one + 1) for one in numbers])
    write(tiny / "trial.gold", [GOLD] * len(numbers))
    (place / "recipes" / "tiny.toml").write_text(RECIPE)
    for one in (THERE, BACK):
        list(runs.train(one.settings(place / "recipes"), into=place / "runs" / one.name))
    return place


@pytest.fixture(autouse=True)
def _planned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "PLAN", (THERE, BACK))


def score(place: Path, into: Path) -> alignment.Line:
    run = place / "runs"
    return alignment.score(TINY, run / "there", run / "back", recipes=place / "recipes", results=into)


def test_each_way_to_draw_links_has_its_error_rate_and_its_command(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = score(place, tmp_path / "alignment.jsonl")
    ways = [row["way"] for row in line["rows"]]
    assert ways == ["diagonal"] + [
        f"{way}, {many}" for many in ("one head", "several heads") for way in ("forward", "backward", "both")
    ]
    assert line["rows"][0]["aer"] == pytest.approx(100 * (1 - (1 + 1) / (4 + 2)))
    chosen = [row["chosen_by"] for row in line["rows"][1:]]
    assert all(reason.startswith("agreement of the two directions ") for reason in chosen)
    assert all(reason.endswith(" on 17 pairs") for reason in chosen), "the gold pairs choose nothing"
    monkeypatch.chdir(place)
    commands = {row["way"]: row["command"] for row in line["rows"] if row["command"]}
    assert {*commands} == {way for way in ways if way.startswith(("forward", "both"))}
    for row in line["rows"]:
        if row["command"]:
            _, *words = shlex.split(row["command"])
            told = regard(*words, "--save", str(tmp_path / "links")).stderr
            assert f"Alignment error rate {row['aer'] / 100:.1%} on 7 pairs." in told


def test_links_of_the_other_direction_are_turned_before_they_are_judged(place: Path, tmp_path: Path) -> None:
    line = score(place, tmp_path / "alignment.jsonl")
    row = next(one for one in line["rows"] if one["way"] == "backward, one head")
    trial = [str(place / "recipes" / name) for name in reversed(TINY.pairs)]
    turned = write(tmp_path / "gold", [TURNED] * 7)
    told = regard(
        "align", str(place / "runs" / "back"), *trial, "--head", row["heads"], "--gold", str(turned),
        "--save", str(tmp_path / "links"),
    ).stderr  # fmt: skip
    assert f"Alignment error rate {row['aer'] / 100:.1%} on 7 pairs." in told


def test_gold_is_looked_at_once(place: Path, tmp_path: Path) -> None:
    kept = tmp_path / "alignment.jsonl"
    line = score(place, kept)
    with pytest.raises(RegardError) as caught:
        score(place, kept)
    assert str(caught.value) == (
        f"tiny was compared with tiny/trial.gold on {line['date']} already. Gold is looked at once for each "
        "pair of recipes: change them by what the development pairs say."
    )
    assert len(kept.read_text().split("\n")) == 2


def test_the_page_shows_the_error_rates_and_joins_them_to_the_scores(place: Path, tmp_path: Path) -> None:
    line = json.loads(json.dumps(score(place, tmp_path / "alignment.jsonl")))
    page = "\n".join(draw_results.links(TINY, line))
    for row in line["rows"]:
        assert f"| {row['way']} | {row['aer']:.1f} | {row['heads']} |" in page
        assert f"    {row['command']}\n" in page or not row["command"]
    assert "not measured yet" in "\n".join(draw_results.links(TINY, None))
    rates = {row["way"]: f"{row['aer']:.1f}" for row in line["rows"]}
    forward, backward = line["recipes_sha256"]
    assert draw_results.aligned_by({"recipe_sha256": forward}, [line]) == rates["forward, one head"]
    assert draw_results.aligned_by({"recipe_sha256": backward}, [line]) == rates["backward, one head"]
    assert draw_results.aligned_by({"recipe_sha256": "0"}, [line]) == "–"


def test_the_diagonal_of_the_trial_sentences_is_as_wrong_as_others_found_it() -> None:
    source, target, gold = (
        RECIPES / "hansards" / f"hansards_trial.en-fr.{side}" for side in ("src", "tgt", "gold")
    )
    if not gold.exists():
        pytest.skip("recipes/hansards is not here; recipes/hansards-en-fr.toml says where to get it")
    pairs = [*read_to_align((str(source), str(target)), skip_bad=False)]
    links = [alignment.diagonal(len(one.source_words), len(one.target_words)) for one in pairs if one]
    assert round(alignment.error_rate(links, gold_of(gold, pairs) or []), 1) == 59.0
