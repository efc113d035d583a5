"""Minutes to a BLEU: first crossings, a clock that stands still, refusals, and the table drawn from lines."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from benchmarks import draw_minutes, draw_results, minutes
from benchmarks.minutes import PLANNED, SYSTEMS, Point, Watch, found, measure, reached

from regard import runs
from regard.errors import RegardError
from tests.benchmarking.made_up import a_sentence, write
from tests.benchmarking.test_results import RECIPE

CURVE = [Point(3.0, 50, 20.0), Point(6.0, 100, 35.0), Point(9.0, 150, 34.0), Point(12.0, 200, 38.9)]


@pytest.fixture
def recipes(tmp_path: Path) -> Path:
    folder = tmp_path / "recipes"
    for name, first, pairs in (("train", 0, 60), ("validation", 60, 7)):
        rows = [f"{a_sentence(one)}\t{a_sentence(one + 1)}" for one in range(first, first + pairs)]
        write(folder / "tiny" / f"{name}.tsv", rows)
    (folder / PLANNED.recipe).write_text(RECIPE)
    return folder


def a_line(**more: object) -> minutes.Line:
    return {
        "system": "joeynmt",
        "date": "2001-02-03",
        "machine": "abacus, 11 cores",
        "load": 0.5,
        "versions": {"torch": "2.13.0"},
        "whence": "its own",
        "threads": 7,
        "limit": 13.0,
        "curve": CURVE,
        "minutes": 12.9,
        "validating_minutes": 2.0,
        "steps": 211,
        "seconds_a_step": [3.0, 2.0, 5.0],
        "tokens_per_second": 1234,
        "processor": 6.5,
        "parameters": 1_234_567,
        "vocabulary": 4999,
        "bleu_signature": "tok:none",
        "settings": {"training": {"patience": 5}},
        **more,
    }


def test_a_goal_is_reached_at_the_first_validation_that_finds_it() -> None:
    assert reached(CURVE, 35.0) == 6.0
    assert reached(CURVE, 38.0) == 12.0
    assert reached(CURVE, 39.0) is None
    assert found(a_line(), 35.0) == "6.0"
    assert found(a_line(), 39.0) == "not reached in 13 minutes (best 38.9)"
    assert found(a_line(curve=[]), 39.0) == "not reached in 13 minutes (never validated)"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Time that passes when it is told to; the processor works half of it."""
    now = SimpleNamespace(seconds=0.0)
    told = SimpleNamespace(perf_counter=lambda: now.seconds, process_time=lambda: now.seconds / 2)
    monkeypatch.setattr(minutes, "time", told)
    return now


def test_the_clock_stands_still_while_a_system_is_judged(clock: SimpleNamespace) -> None:
    watch = Watch(lambda texts: 20.0, limit=1.0)
    clock.seconds += 3
    watch.stepped(passes=0.1, tokens=10)
    with watch.pausing():
        clock.seconds += 100
        watch.judged(["a"])
    clock.seconds += 5
    watch.stepped(passes=0.2, tokens=14)
    assert watch.steps == [3, 5]
    assert watch.validating == 100
    assert watch.processor_minutes == [0.025]
    clock.seconds += 7
    watch.stepped(passes=0.3, tokens=16, seconds=2.0)  # and five of validating
    assert watch.steps == [3, 5, 2]
    assert watch.validating == 105
    assert watch.effort() == {
        "minutes": 0.167,
        "validating_minutes": 1.75,
        "steps": 3,
        "seconds_a_step": [3, 2, 5],
        "tokens_per_second": 4,
        "processor": 0.5,
        "processor_minutes": [0.025],
    }


def test_a_pause_within_a_step_leaves_the_rest_of_the_step(clock: SimpleNamespace) -> None:
    watch = Watch(lambda texts: 20.0, limit=1.0)
    clock.seconds += 3
    with watch.pausing():
        clock.seconds += 100
    clock.seconds += 4
    watch.stepped(passes=0.1, tokens=10)
    assert watch.steps == [7]
    assert watch.processor == 0.5


def test_a_system_is_judged_in_each_share_of_a_pass_and_at_the_limit() -> None:
    watch = Watch(lambda texts: 20.0, limit=1.0, passes=0.5)
    due = []
    for step in range(1, 8):
        watch.stepped(passes=step * 0.2, tokens=10, seconds=1.0)
        due.append(watch.is_due)
    assert due == [False, False, True, False, False, True, False]
    assert not watch.is_over
    watch.stepped(passes=1.5, tokens=10, seconds=60.0)
    assert watch.is_due
    assert watch.is_over


def test_who_is_interrupted_is_judged_once_more_and_over() -> None:
    watch = Watch(lambda texts: 20.0, limit=60.0, passes=0.5)
    watch.stepped(passes=0.2, tokens=10, seconds=1.0)
    assert not watch.is_due
    watch.end()
    assert watch.is_due
    assert watch.is_over


def test_who_reaches_the_last_goal_need_not_go_on() -> None:
    scores = iter((34.0, 36.0, 39.0))
    told: list[Point] = []
    watch = Watch(lambda texts: next(scores), limit=60.0, told=told.append)
    for step in (1, 2, 3):
        assert not watch.is_over
        watch.stepped(passes=float(step), tokens=10, seconds=60.0)
        watch.judged([])
    assert watch.is_over
    assert told == watch.curve == [Point(1.0, 1, 34.0), Point(2.0, 2, 36.0), Point(3.0, 3, 39.0)]


def test_regard_is_measured_by_the_function_of_all(recipes: Path, tmp_path: Path) -> None:
    kept = tmp_path / "minutes.jsonl"
    line = measure(
        SYSTEMS["regard"],
        threads=1,
        limit=5.0,
        passes=1.0,
        work=tmp_path / "work",
        recipes=recipes,
        results=kept,
    )
    assert minutes.newest("regard", kept) == json.loads(json.dumps(line))
    assert line["steps"] == 6
    assert line["curve"][-1].step == 6
    assert "tok:none" in line["bleu_signature"]
    assert line["validation"]["pairs"] == 7
    assert line["reached"] == {"35": None, "39": None}
    assert line["pairs"] == 60
    assert any(change.startswith("training.validate_every=") for change in line["settings"]["changes"])
    with pytest.raises(RegardError) as caught:
        measure(
            SYSTEMS["regard"], threads=1, limit=5.0, work=tmp_path / "work", recipes=recipes, results=kept
        )
    into = tmp_path / "work" / "regard"
    assert str(caught.value) == f"{into} is there already: remove it, or name another place with --work."


def test_the_history_of_a_run_answers_too_where_it_tells_the_same(recipes: Path, tmp_path: Path) -> None:
    run = tmp_path / "run"
    list(runs.train(PLANNED.settings(recipes), into=run))
    folder = runs.RunFolder(run)
    machine = minutes.trained_on(folder)
    threads = int(machine.split(", ")[1].split()[0])
    best = folder.checkpoint("best").step
    given = {"limit": 5.0, "run": run, "recipes": recipes, "results": tmp_path / "minutes.jsonl"}
    validation = minutes.validation_pairs(PLANNED.settings(recipes))
    texts = runs.Translator.load(run).translate([pair.source for pair in validation.pairs], beam=1)
    ours = minutes.scored([one.text for one in texts], validation)

    def note(bleu: float) -> None:
        history = [*folder.read_history()]
        told = [{**one, "bleu": bleu} if one["kind"] == "validation" else one for one in history]
        folder.history.write_text("".join(json.dumps(one) + "\n" for one in told))

    note(ours + 0.05)
    line = measure(SYSTEMS["regard"], threads=threads, **given)  # type: ignore[arg-type]
    assert [point.step for point in line["curve"]] == [3, 6]
    assert line["minutes"] == pytest.approx(6 * line["seconds_a_step"][0] / 60, abs=1e-3)
    assert line["of_a_run"]["signature"].split("|")[3] == "tok:13a"
    assert line["of_a_run"]["bleu_scored_here"] == round(ours, 3)

    def refusal(threads: int) -> str:
        with pytest.raises(RegardError) as caught:
            measure(SYSTEMS["regard"], threads=threads, **given)  # type: ignore[arg-type]
        return str(caught.value)

    assert refusal(threads + 1) == f"{run} was trained on {machine}: not with {threads + 1} threads."
    note(99.5)
    assert refusal(threads) == (
        f"{run} noted BLEU 99.5 at step {best}, but its translations score {ours:.2f} here: its history does "
        "not answer the question. Train anew with: python -m benchmarks.minutes regard"
    )


def test_what_cannot_be_measured_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(SystemExit) as caught:
        minutes.main(["joeynmt", "--run", str(tmp_path)])
    assert str(caught.value) == (
        "Error: --run names a run of regard, but JoeyNMT, as it recommends is asked for."
    )
    with pytest.raises(SystemExit) as caught:
        minutes.main(["regard", "--limit", "0"])
    assert str(caught.value) == "Error: --limit, --passes and --threads must be more than 0."
    absent = replace(SYSTEMS["joeynmt"], packages=("joey-nowhere",))
    with pytest.raises(RegardError) as refused:
        measure(absent, threads=1, limit=1.0)
    assert str(refused.value) == (
        "JoeyNMT, as it recommends cannot be measured here: joey-nowhere is not installed. "
        "Make its place with: make bench-peers, then: .venv/peers/bin/python -m benchmarks.minutes joeynmt"
    )


def test_what_is_measured_is_told_and_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(minutes, "RESULTS", tmp_path / "minutes.jsonl")
    minutes.main([])
    told = capsys.readouterr().out
    assert told.count("not measured yet") == len(SYSTEMS)
    assert "\n".join(draw_minutes.section()).count(f"| {draw_results.MISSING} |") == len(SYSTEMS)

    older = a_line(curve=[])
    minutes.RESULTS.write_text("".join(json.dumps(line) + "\n" for line in (older, a_line())))
    minutes.main([])
    told = capsys.readouterr().out
    assert told.count("not measured yet") == len(SYSTEMS) - 1
    assert (
        "JoeyNMT, as it recommends: BLEU 35 after 6.0 minutes; "
        "BLEU 39 not reached in 13 minutes (best 38.9)\n"
    ) in told
    page = "\n".join(draw_minutes.section())
    assert (
        "| JoeyNMT, as it recommends | 6.0 | not reached in 13 minutes (best 38.9) | 38.9 | 1,234,567 | "
        "1,234 | 7 |\n"
    ) in page
    assert (
        "- JoeyNMT, as it recommends: its own. torch 2.13.0; abacus, 11 cores, 2001-02-03, load 0.5; 211 "
        "steps of 3.00 s (2.00–5.00), 6.50 s of processor time in a second; 2 minutes of validating beside; "
        "a vocabulary of 4,999; `tok:none`; patience 5. "
        "`.venv/peers/bin/python -m benchmarks.minutes joeynmt --threads 7 --limit 13`\n"
    ) in page


def test_a_line_from_the_history_of_a_run_says_so() -> None:
    run = {
        "trained_on": "abacus, 7 threads",
        "signature": "tok:13a",
        "bleu_noted": 38.94,
        "bleu_scored_here": 38.91,
        "minutes": "guessed",
    }
    told = draw_minutes.details(SYSTEMS["regard"], a_line(of_a_run=run, processor=None))
    assert told.endswith(
        " From the history of a run trained on abacus, 7 threads, which scored itself by `tok:13a`: BLEU "
        "38.94 at its best step, which the function of all calls 38.91. Its minutes are guessed. "
        "`python -m benchmarks.minutes regard --threads 7 --run RUN`"
    )
    assert "processor" not in told
