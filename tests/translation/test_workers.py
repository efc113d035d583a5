import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import regard
from regard.attention import linear
from regard.errors import DataError, RecipeError, RegardError
from regard.models import Transformer
from regard.translation import Sampling, SearchSettings, Workers, search, workers
from regard.translation.grouping import groups_of
from tests.translation.some import KINDS, Model, a_model, some_sources
from tests.translation.taught import a_translator, every_pair

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere all is searched in this process, which other tests hold"
)
SHORT = SearchSettings(beam=3, longest_ratio=1.0, longest_slack=3)
MANY = 2 * workers.FEWEST + 1


@pytest.fixture(autouse=True)
def two_cores_and_no_threads_of_other_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 2)
    idle = threading.active_count() - 1
    monkeypatch.setattr(workers, "threads", lambda: threading.active_count() - idle)


@pytest.fixture
def pair() -> Iterator[Workers]:
    with Workers(a_model("transformer"), processes=2) as made:
        yield made


def processes_of(some: Workers) -> list[int]:
    return [] if some._team is None else [member.process for member in some._team.members]


def is_gone(process: int) -> bool:
    """Not even a zombie is left."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "settings",
    [
        SearchSettings(beam=1, longest_ratio=1.0, longest_slack=3),
        SearchSettings(beam=3, n_best=2, longest_ratio=1.0, longest_slack=3),
        SearchSettings(n_best=2, longest_ratio=1.0, longest_slack=3, sampling=Sampling(seed=5)),
    ],
    ids=["greedy", "beam", "sampling"],
)
def test_what_is_found_in_processes_is_what_is_found_here_bit_for_bit(
    kind: str, settings: SearchSettings
) -> None:
    model, sources = a_model(kind), some_sources(MANY)
    prefixes = [[7, 5] if place % 3 == 0 else [] for place in range(MANY)]
    with Workers(model, processes=2) as two:
        found = two.search(sources, settings, prefixes=prefixes, tokens_per_batch=40)
        assert len(processes_of(two)) == 2
    groups = [*groups_of([len(source) + 1 for source in sources], tokens=40, parts=2)]
    assert len(groups) > 3
    for group in groups:
        here = search(
            model,
            [sources[place] for place in group],
            settings,
            prefixes=[prefixes[place] for place in group],
        )
        assert [found[place] for place in group] == here


def test_processes_are_kept_for_the_next_search(pair: Workers) -> None:
    pair.search(some_sources(MANY), SHORT)
    made = processes_of(pair)
    assert len({*made}) == 2
    pair.search(some_sources(MANY), SHORT)
    assert processes_of(pair) == made


@pytest.mark.parametrize("kind", [linear.Turned, linear.Blocks])
def test_all_that_a_copy_reads_is_laid_out_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch, kind: type[linear.Layouts]
) -> None:
    if kind is linear.Blocks and not linear.packable():
        pytest.skip("nothing is packed here")
    model = Transformer(vocabulary=linear.LARGE // 256, width=256, heads=2, layers=1, hidden_width=256)
    packed: list[torch.Size] = []
    pack = kind.pack
    monkeypatch.setattr(linear, "whole", lambda: kind)
    monkeypatch.setattr(linear, "slows_mkl", lambda: kind is linear.Blocks)
    monkeypatch.setattr(kind, "pack", lambda self, one: packed.append(one.shape) or pack(self, one))
    with Workers(model, processes=2) as pair:
        pair.search([[5, 6]] * MANY, SHORT)
        before = [*packed]
        assert len(processes_of(pair)) == 2
        for sentences in (workers.FEWEST, 1):  # as a copy does
            search(model, [[5, 6]] * sentences, SHORT)
    assert torch.Size([linear.LARGE // 256, 256]) in before
    assert packed == before


def test_few_sentences_are_searched_here(pair: Workers) -> None:
    assert len(pair.search(some_sources(2 * workers.FEWEST - 1), SHORT)) == 2 * workers.FEWEST - 1
    assert pair.search([], SHORT) == []
    assert processes_of(pair) == []


def test_parameters_that_have_changed_are_noticed(pair: Workers) -> None:
    sources = some_sources(MANY)
    before, made = pair.search(sources, SHORT), processes_of(pair)
    with torch.no_grad():
        for parameter in pair.model.parameters():
            parameter.mul_(-1.0)
    after = pair.search(sources, SHORT)
    assert after != before
    assert len(processes_of(pair)) == 2
    assert not {*processes_of(pair)} & {*made}
    assert all(is_gone(process) for process in made)
    with Workers(pair.model, processes=2) as new:
        assert new.search(sources, SHORT) == after


def test_a_part_that_was_put_in_place_of_another_is_noticed() -> None:
    model = a_model("transformer")
    with Workers(model, processes=2) as two:
        two.search(some_sources(MANY), SHORT)
        made = processes_of(two)
        vars(model)["_modules"]["decoder_norm"] = nn.Identity()
        two.search(some_sources(MANY), SHORT)
        assert not {*processes_of(two)} & {*made}


def test_an_error_is_raised_as_it_was(pair: Workers) -> None:
    with pytest.raises(DataError) as caught:
        pair.search(some_sources(MANY), SHORT, prefixes=[[1]] * MANY)
    assert str(caught.value) == ("prefix 0 holds the special token 1. A prefix is the tokens of text alone.")
    assert len(pair.search(some_sources(MANY), SHORT)) == MANY


class Faulty(nn.Module):
    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error, self.owner = error, os.getpid()

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        if os.getpid() != self.owner:
            raise self.error
        return vectors


def a_faulty_model(error: Exception) -> Model:
    model = a_model("transformer")
    vars(model)["_modules"]["decoder_norm"] = Faulty(error)
    return model


@pytest.mark.parametrize("error", [ZeroDivisionError("seven"), ValueError(lambda: 7)])
def test_a_defect_tells_what_and_where_it_happened(error: Exception) -> None:
    with Workers(a_faulty_model(error), processes=2) as two, pytest.raises(RuntimeError) as caught:
        two.search(some_sources(MANY), SHORT)
    told = str(caught.value)
    assert told.startswith("In a worker process:")
    assert "in forward" in told
    assert f"{type(error).__name__}: {error.args[0]}" in told


def test_a_process_that_was_killed_is_told_in_a_sentence_and_replaced(pair: Workers) -> None:
    sources = some_sources(MANY)
    found, made = pair.search(sources, SHORT), processes_of(pair)
    os.kill(made[0], signal.SIGKILL)
    with pytest.raises(RegardError) as caught:
        pair.search(sources, SHORT, tokens_per_batch=10_000)
    assert str(caught.value) in [
        f"a worker process was ended by SIGKILL before it had searched {count} sentences, as happens where "
        "memory runs out. Ask for fewer processes, or for 1."
        for count in range(2, MANY)
    ]
    assert all(is_gone(process) for process in made)
    assert pair.search(sources, SHORT) == found


def test_closing_ends_the_processes(pair: Workers) -> None:
    pair.search(some_sources(MANY), SHORT)
    made = processes_of(pair)
    pair.close()
    pair.close()
    assert made
    assert all(is_gone(process) for process in made)


def test_processes_end_with_the_workers() -> None:
    two = Workers(a_model("transformer"), processes=2)
    two.search(some_sources(MANY), SHORT)
    made = processes_of(two)
    del two
    gc.collect()
    assert made
    assert all(is_gone(process) for process in made)


def test_an_interruption_ends_the_processes(pair: Workers, monkeypatch: pytest.MonkeyPatch) -> None:
    pair.search(some_sources(MANY), SHORT)
    made = processes_of(pair)

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as changed:
        changed.setattr(workers, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            pair.search(some_sources(MANY), SHORT)
    assert made
    assert all(is_gone(process) for process in made)
    assert len(pair.search(some_sources(MANY), SHORT)) == MANY


class Slow(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.owner = os.getpid()

    def forward(self, vectors: torch.Tensor) -> torch.Tensor:
        if os.getpid() != self.owner:
            time.sleep(60)
        return vectors


def test_nobody_waits_for_a_process_that_is_not_needed_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    model = a_model("transformer")
    vars(model)["_modules"]["decoder_norm"] = Slow()

    def interrupted(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(workers, "wait", interrupted)
    began = time.monotonic()
    with Workers(model, processes=2) as two, pytest.raises(KeyboardInterrupt):
        two.search(some_sources(MANY), SHORT)
    assert time.monotonic() - began < 50


PROGRAM = """
import os, signal, sys, time
from regard.translation import workers
from tests.translation.some import a_model, some_sources
from tests.translation.test_workers import MANY, SHORT, processes_of
workers.cores = lambda: 2
two = workers.Workers(a_model("transformer"), processes=2)
two.search(some_sources(MANY), SHORT)
print(*processes_of(two), flush=True)
"""


KILLED = "os.kill(os.getpid(), signal.SIGKILL)"
HELD = """
if os.fork() == 0:  # a copy of the program that has its pipes, and outlives it
    os.close(1)
    time.sleep(40)
    os._exit(0)
"""


@pytest.mark.parametrize(
    "ending",
    ["", "raise SystemExit(3)", KILLED, HELD + KILLED],
    ids=["at its end", "by an error", "killed", "killed, survived by a copy"],
)
def test_processes_end_with_the_program(ending: str) -> None:
    asked = [sys.executable, "-c", PROGRAM + ending]
    root = Path(__file__).parents[2]
    told = subprocess.run(
        asked, cwd=root, stdout=subprocess.PIPE, text=True, check=False, timeout=30
    ).stdout  # which the processes hold open, too
    made = [int(process) for process in told.split()]
    assert len(made) == 2
    until = time.monotonic() + 10 * workers.GLANCE
    while not all(_is_over(process) for process in made):
        assert time.monotonic() < until
        time.sleep(0.05)


def _is_over(process: int) -> bool:
    """Ended, though whoever inherited it may not have looked yet."""
    try:
        return ") Z " in Path(f"/proc/{process}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_what_is_watched_is_searched_here(pair: Workers) -> None:
    with regard.watch(pair.model) as seen:
        pair.search(some_sources(MANY), SHORT)
    assert processes_of(pair) == []
    assert seen["decoder.0.cross"].weights.shape[-1] > 1


def test_a_model_with_hooks_is_searched_here(pair: Workers) -> None:
    called = []
    handle = pair.model.get_submodule("decoder.0.feed_forward").register_forward_hook(
        lambda *_: called.append(1)
    )
    pair.search(some_sources(MANY), SHORT)
    assert processes_of(pair) == []
    handle.remove()
    pair.search(some_sources(MANY), SHORT)
    assert len(processes_of(pair)) == 2


def test_among_threads_no_process_is_made_but_those_there_are_go_on(pair: Workers) -> None:
    rest = threading.Event()
    sources = some_sources(MANY)
    thread = threading.Thread(target=rest.wait)
    thread.start()
    try:
        found = pair.search(sources, SHORT)
        assert processes_of(pair) == []
    finally:
        rest.set()
        thread.join()
    pair.search(sources, SHORT)
    made = processes_of(pair)
    answers = []
    thread = threading.Thread(target=lambda: answers.append(pair.search(sources, SHORT)))
    thread.start()
    thread.join()
    assert processes_of(pair) == made != []
    assert [[best.tokens for best in one] for one in answers[0]] == [
        [best.tokens for best in one] for one in found
    ]


def test_where_no_process_can_be_made_all_is_searched_here(
    pair: Workers, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused() -> int:
        raise BlockingIOError("no more processes")

    with monkeypatch.context() as changed:
        changed.setattr(os, "fork", refused)
        assert len(pair.search(some_sources(MANY), SHORT)) == MANY
        changed.delattr(os, "fork")
        assert len(pair.search(some_sources(MANY), SHORT)) == MANY
    monkeypatch.setattr(workers, "cores", lambda: 1)
    assert len(pair.search(some_sources(MANY), SHORT)) == MANY
    assert processes_of(pair) == []


def test_a_copy_of_this_process_leaves_the_processes_alone(pair: Workers) -> None:
    sources = some_sources(MANY)
    found, made = pair.search(sources, SHORT), processes_of(pair)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            same = pair.search(sources, SHORT) == found and not {*processes_of(pair)} & {*made}
            pair.close()
            code = 0 if same else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert pair.search(sources, SHORT) == found
    assert processes_of(pair) == made


def test_a_copy_makes_processes_of_its_own(pair: Workers) -> None:
    sources = some_sources(MANY)
    found = pair.search(sources, SHORT)
    for copy in (deepcopy(pair), pickle.loads(pickle.dumps(pair))):
        with copy:
            assert copy.search(sources, SHORT) == found
            assert len({*processes_of(copy), *processes_of(pair)}) == 4


def test_how_many_is_left_to_torch_unless_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "cores", lambda: 100)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 3)
    with Workers(a_model("transformer")) as some:
        some.search(some_sources(3 * workers.FEWEST), SHORT)
        assert len(processes_of(some)) == 3
    monkeypatch.setattr(torch, "get_num_threads", lambda: 64)
    assert workers.automatic() == workers.MOST


def test_no_process_at_all_is_refused() -> None:
    with pytest.raises(RecipeError) as caught:
        Workers(a_model("transformer"), processes=0)
    assert str(caught.value) == "processes must be at least 1, but got 0."


def test_a_translator_finds_the_same_in_processes() -> None:
    one = a_translator()
    texts = [made.source for made in every_pair()]
    two = regard.Translator(one.model, one.tokenizer, processes=2)
    expected = one.translate(texts)
    found = two.translate(texts)
    assert len(processes_of(two._workers)) == 2
    assert [made.text for made in found] == [made.text for made in expected]
    assert [made.log_probability for made in found] == pytest.approx(
        [made.log_probability for made in expected], abs=1e-4
    )
    made = processes_of(two._workers)
    two.close()
    assert all(is_gone(process) for process in made)
