import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from regard import runs
from regard.runs.folder import RunFolder
from regard.runs.pacing import SAID, Pace, find_pace
from regard.runs.preparing import prepare_again
from regard.training import checkpoints_in
from tests.runs.test_training import a_recipe


@pytest.fixture
def four_threads(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As on a machine of four cores, where nobody said how many to use."""
    monkeypatch.delenv(SAID, raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


def lasting(seconds: dict[int, float]) -> tuple[list[int], Callable[[], None]]:
    """Work that takes so long with so many threads, and who was asked."""
    asked: list[int] = []

    def work() -> None:
        asked.append(torch.get_num_threads())
        time.sleep(seconds[asked[-1]])

    return asked, work


@pytest.mark.usefixtures("four_threads")
def test_the_number_of_threads_that_is_done_soonest_is_chosen() -> None:
    _, work = lasting({1: 0.06, 2: 0.02, 4: 0.05})
    pace = find_pace(work)
    assert pace is not None
    assert pace.threads == 2
    assert set(pace.tried) == {1, 2, 4}
    assert torch.get_num_threads() == 4


@pytest.mark.usefixtures("four_threads")
def test_where_more_threads_are_slower_still_more_are_not_tried() -> None:
    asked, work = lasting({1: 0.01, 2: 0.05, 4: 0.0})
    pace = find_pace(work)
    assert pace is not None
    assert pace.threads == 1
    assert asked == [4, 1, 1, 2, 2]


@pytest.mark.usefixtures("four_threads")
def test_what_was_said_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, work = lasting({})
    monkeypatch.setenv(SAID, "4")
    assert find_pace(work) == Pace(threads=4)
    assert asked == []


def test_a_pace_says_what_was_tried() -> None:
    assert (
        str(Pace(threads=2, tried={1: 0.75, 2: 0.5})) == "Learning with 2 threads (1 take 1.5 times as long)."
    )
    assert str(Pace(threads=1)) == "Learning with 1 thread."


@pytest.mark.usefixtures("four_threads")
@pytest.mark.parametrize(
    "told", [None, 3, {}, {"threads": True}, {"threads": 0}, {"threads": 5}, {"threads": "2"}]
)
def test_an_odd_pace_is_none(told: object) -> None:
    assert Pace.of(told) is None
    assert Pace.of({"threads": 4}) == Pace(threads=4)


@pytest.mark.usefixtures("four_threads")
def test_a_run_keeps_its_pace_and_goes_on_with_it(tmp_path: Path) -> None:
    prepared = replace(runs.prepare(a_recipe(tmp_path)), pace=Pace(threads=3))
    seen = []
    for step in runs.train(prepared, into=tmp_path / "run"):
        seen.append(torch.get_num_threads())
        if step.step == 5:
            break
    del step
    assert set(seen) == {3}
    assert torch.get_num_threads() == 4
    (checkpoint,) = checkpoints_in(tmp_path / "run" / "checkpoints")
    assert checkpoint.progress["pace"] == {"threads": 3}
    assert prepare_again(RunFolder(tmp_path / "run")).pace == Pace(threads=3)
    torch.set_num_threads(2)  # another machine
    assert prepare_again(RunFolder(tmp_path / "run")).pace is None
