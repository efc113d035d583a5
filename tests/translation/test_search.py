"""What a search finds, held to searches written without any thought for speed."""

import importlib
import math
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import settings as limit
from hypothesis import strategies as st

import regard
from regard.errors import DataError, RegardError
from regard.models import Transformer
from regard.text import BEGIN, END, PADDING, UNKNOWN
from regard.translation.forcing import force
from regard.translation.sampling import Sampling
from regard.translation.search import best_continuations, likeliest, search
from regard.translation.settings import SearchSettings
from tests.translation.some import (
    KINDS,
    USUAL,
    Model,
    a_model,
    beam_search,
    every_target,
    greedy,
    ranked,
    some_sources,
)

searching: Any = importlib.import_module(
    "regard.translation.search"
)  # the package has a function of that name

A_BIT_LONGER = SearchSettings(longest_ratio=1.0, longest_slack=5)


def settings(**changes: Any) -> SearchSettings:
    return SearchSettings(**({"longest_ratio": 1.0, "longest_slack": 5} | changes))


@pytest.mark.parametrize("kind", KINDS)
def test_a_beam_of_one_is_greedy_search(kind: str) -> None:
    model, sources = a_model(kind), some_sources(13)
    found = search(model, sources, settings(beam=1))
    for source, (best,) in zip(sources, found, strict=True):
        assert [*best.tokens] == greedy(model, source, len(source) + 5)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("power", [0.0, 0.6, 1.0])
def test_a_beam_finds_what_a_beam_told_in_words_finds(kind: str, power: float) -> None:
    model, sources = a_model(kind, sharpness=3.0), some_sources(5, longest=5)
    found = search(model, sources, settings(beam=3, length_normalisation=power))
    for source, (best,) in zip(sources, found, strict=True):
        expected = beam_search(model, source, beam=3, power=power, longest=len(source) + 5)
        assert [*best.tokens] == expected


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("power", [0.0, 0.6, 1.0, 2.0])
def test_a_wide_beam_on_a_tiny_vocabulary_is_exhaustive(kind: str, power: float) -> None:
    model, source, longest = a_model(kind, vocabulary=7, sharpness=2.0), [4, 6, 5], 4
    expected = ranked(model, source, every_target(7, longest), power)
    asked = SearchSettings(
        beam=200, n_best=9, length_normalisation=power, longest_ratio=0.0, longest_slack=longest
    )
    (found,) = search(model, [source], asked)
    assert [hypothesis.tokens for hypothesis in found] == expected[:9]
    assert not any(hypothesis.cut for hypothesis in found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "asked",
    [
        settings(beam=1),
        settings(beam=5, n_best=5),
        settings(beam=3, n_best=2, no_repeat=2),
        settings(n_best=3, sampling=Sampling(temperature=1.5, seed=7)),
    ],
)
@pytest.mark.parametrize(("dtype", "near"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_log_probabilities_recompute_by_teacher_forcing(
    kind: str, asked: SearchSettings, dtype: torch.dtype, near: float
) -> None:
    model, sources = a_model(kind).to(dtype), some_sources(17)
    found = search(model, sources, asked)
    targets = [hypothesis for hypotheses in found for hypothesis in hypotheses]
    repeated = [source for source, hypotheses in zip(sources, found, strict=True) for _ in hypotheses]
    forced = force(model, repeated, [hypothesis.tokens for hypothesis in targets])
    assert {hypothesis.cut for hypothesis in targets} == {True, False}
    for hypothesis, chances in zip(targets, forced, strict=True):
        expected = chances[:-1] if hypothesis.cut else chances
        assert hypothesis.token_log_probabilities == pytest.approx(expected, abs=near)
        assert hypothesis.log_probability == pytest.approx(sum(expected), abs=near * len(expected))


@pytest.mark.parametrize(
    ("kind", "asked"),
    [
        ("transformer", settings(beam=3)),
        ("recurrent", settings(beam=1)),
        ("convolutional", settings(sampling=Sampling(seed=3))),
    ],
)
def test_a_translation_does_not_depend_on_its_batch_mates(kind: str, asked: SearchSettings) -> None:
    model, sources = a_model(kind), some_sources(500)
    together = search(model, sources, asked)
    order = torch.randperm(500).tolist()
    for first in range(0, 500, 50):
        some = order[first : first + 50]
        apart = search(model, [sources[place] for place in some], asked)
        alone = search(model, [sources[some[0]]], asked)
        assert [best.tokens for best in alone[0]] == [best.tokens for best in apart[0]]
        for place, hypotheses in zip(some, apart, strict=True):
            assert [best.tokens for best in hypotheses] == [best.tokens for best in together[place]]
            chances = [best.token_log_probabilities for best in together[place]]
            for hypothesis, expected in zip(hypotheses, chances, strict=True):
                assert hypothesis.token_log_probabilities == pytest.approx(expected, abs=1e-4)


def test_a_search_is_the_same_every_time() -> None:
    model, sources = a_model("transformer"), some_sources(31)
    for asked in (A_BIT_LONGER, settings(sampling=Sampling(seed=11), n_best=3)):
        assert search(model, sources, asked) == search(model, sources, asked)


class Counted(Transformer):
    """A model that writes down how many rows it is asked for."""

    def __init__(self) -> None:
        super().__init__(
            vocabulary=23,
            width=12,
            heads=3,
            layers=1,
            hidden_width=17,
            tie_output=False,
            positions="sinusoidal",
        )
        self.rows: list[int] = []
        self.selected = 0

    def step(self, tokens: Any, state: Any) -> Any:
        self.rows.append(len(tokens))
        return super().step(tokens, state)

    def select(self, state: Any, rows: Any) -> Any:
        self.selected += 1
        return super().select(state, rows)


def counted() -> Counted:
    model = Counted()
    assert model.untied_output is not None
    with torch.no_grad():
        model.untied_output *= 5.0
    return model


def test_finished_sentences_leave_the_batch() -> None:
    model = counted()
    found = search(model, some_sources(29), settings(beam=1))
    written = [len(best.token_log_probabilities) + best.cut for (best,) in found]
    assert model.rows == [sum(count > step for count in written) for step in range(max(written))]
    assert model.selected == len(set(written)) - 1


def test_rows_that_keep_their_order_are_not_copied() -> None:
    model = counted()
    search(model, [[5, 6, 7]], settings(beam=1))
    assert model.selected == 0


def test_a_beam_begins_with_one_row_and_stays_as_wide_as_asked() -> None:
    model = counted()
    search(model, some_sources(3), SearchSettings(beam=4))
    assert model.rows[:2] == [3, 12]
    assert all(rows % 4 == 0 for rows in model.rows[1:])


def test_a_beam_stops_when_no_open_hypothesis_could_still_win() -> None:
    """The end is certain from the second token on, so that three steps show that it won."""
    model = counted()
    assert model.untied_output is not None
    with torch.no_grad():
        model.untied_output.zero_()
        model.untied_output[END] = 1e3 * model.decoder[0].around_feed_forward.norm.weight  # type: ignore[operator, index, union-attr]
        model.decoder[0].around_feed_forward.norm.bias.fill_(1.0)  # type: ignore[operator, index, union-attr]
    ((best,),) = search(model, [[5, 6, 7]], SearchSettings(beam=5))
    assert best.tokens == ()
    assert len(model.rows) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_target_begins_with_its_prefix_and_goes_on_by_itself(kind: str) -> None:
    model, sources = a_model(kind), some_sources(7)
    prefixes = [some_sources(1)[0][:count] for count in (0, 1, 2, 3, 4, 5, 6)]
    for beam in (1, 3):
        found = search(model, sources, settings(beam=beam), prefixes=prefixes)
        for (best,), prefix, source in zip(found, prefixes, sources, strict=True):
            assert [*best.tokens[: len(prefix)]] == prefix
            again = search(model, [source], settings(beam=beam), prefixes=[prefix])
            assert again[0][0].tokens == best.tokens


@pytest.mark.parametrize("kind", KINDS)
def test_a_greedy_target_forced_halfway_ends_as_before(kind: str) -> None:
    model, sources = a_model(kind), [[*source, 5, 6] for source in some_sources(11)]
    found = search(model, sources, settings(beam=1, longest_ratio=3.0))
    halves = [best.tokens[: len(best.tokens) // 2] for (best,) in found]
    again = search(model, sources, settings(beam=1, longest_ratio=3.0), prefixes=halves)
    assert [best.tokens for (best,) in again] == [best.tokens for (best,) in found]


def test_a_prefix_longer_than_the_limit_still_leaves_room() -> None:
    prefix = [5, 6] * 30
    ((best,),) = search(a_model("transformer"), [[5]], settings(beam=1), prefixes=[prefix])
    assert [*best.tokens[:60]] == prefix
    assert len(best.tokens) <= 65


@pytest.mark.parametrize("size", [1, 2, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_no_run_of_tokens_is_written_twice_where_that_is_forbidden(kind: str, size: int) -> None:
    model, sources = a_model(kind), some_sources(19)
    asked = settings(beam=2, longest_ratio=3.0)
    free = search(model, sources, asked)
    assert any(repeats(best.tokens, size) for (best,) in free)
    for sampling in (None, Sampling()):
        bound = search(model, sources, settings(beam=2, longest_ratio=3.0, no_repeat=size, sampling=sampling))
        assert not any(repeats(best.tokens, size) for (best,) in bound)


def repeats(tokens: tuple[int, ...], size: int) -> bool:
    runs = [tokens[place : place + size] for place in range(len(tokens) - size + 1)]
    return len(set(runs)) < len(runs)


def test_a_prefix_may_repeat_what_the_rest_may_not() -> None:
    prefix = [5, 5, 5, 5]
    ((best,),) = search(a_model("recurrent"), [[5, 6]], settings(no_repeat=1), prefixes=[prefix])
    assert [*best.tokens[:4]] == prefix
    assert 5 not in best.tokens[4:]


def test_a_target_cut_at_its_greatest_length_says_so() -> None:
    model, sources = a_model("transformer"), some_sources(40)
    for beam in (1, 4):
        found = search(model, sources, SearchSettings(beam=beam, longest_ratio=0.5, longest_slack=1))
        cut = [(best, source) for (best,), source in zip(found, sources, strict=True) if best.cut]
        assert 0 < len(cut) < 40
        for best, source in cut:
            assert len(best.tokens) == len(best.token_log_probabilities) == len(source) // 2 + 1


def test_a_target_that_ends_at_its_greatest_length_is_not_cut() -> None:
    model, sources = a_model("transformer"), some_sources(40)
    whole = [best for (best,) in search(model, sources, settings(beam=1)) if not best.cut]
    lengths = {len(best.tokens) for best in whole}
    assert lengths
    for length in lengths:
        limit = SearchSettings(beam=1, longest_ratio=0.0, longest_slack=max(length, 1))
        for (best,), (before,) in zip(
            search(model, sources, limit), search(model, sources, settings(beam=1)), strict=True
        ):
            if not before.cut and len(before.tokens) <= limit.longest_slack:
                assert best == before


def test_whole_sentences_come_before_cut_ones() -> None:
    model, sources = a_model("transformer", sharpness=2.0), some_sources(40, longest=3)
    found = search(model, sources, SearchSettings(beam=6, n_best=6, longest_ratio=0.0, longest_slack=3))
    kinds = [[hypothesis.cut for hypothesis in hypotheses] for hypotheses in found]
    assert any(True in cut and False in cut for cut in kinds)
    assert all(cut == sorted(cut) for cut in kinds)
    assert all(len({best.tokens for best in hypotheses}) == 6 for hypotheses in found)


@limit(max_examples=30)
@given(
    sources=st.lists(st.lists(st.integers(USUAL, 12), max_size=6), min_size=1, max_size=5),
    beam=st.integers(1, 6),
    power=st.floats(0, 2),
    slack=st.integers(1, 6),
    no_repeat=st.integers(0, 2),
    data=st.data(),
)
def test_the_best_are_distinct_ranked_and_no_longer_than_allowed(
    sources: list[list[int]], beam: int, power: float, slack: int, no_repeat: int, data: st.DataObject
) -> None:
    n_best = data.draw(st.integers(1, beam))
    asked = SearchSettings(
        beam=beam,
        n_best=n_best,
        length_normalisation=power,
        longest_ratio=1.0,
        longest_slack=slack,
        no_repeat=no_repeat,
    )
    found = search(a_model("convolutional", vocabulary=13), sources, asked)
    assert len(found) == len(sources)
    for source, hypotheses in zip(sources, found, strict=True):
        assert 1 <= len(hypotheses) <= n_best
        assert len({hypothesis.tokens for hypothesis in hypotheses}) == len(hypotheses)
        for hypothesis in hypotheses:
            assert len(hypothesis.tokens) <= len(source) + slack
            assert not {PADDING, BEGIN, END, UNKNOWN} & {*hypothesis.tokens}
            assert all(chance <= 0 for chance in hypothesis.token_log_probabilities)
        whole = [
            hypothesis.log_probability / len(hypothesis.token_log_probabilities) ** power
            for hypothesis in hypotheses
            if not hypothesis.cut
        ]
        assert whole == sorted(whole, reverse=True)


def test_no_source_gives_no_target_and_an_empty_source_gives_one() -> None:
    model = a_model("transformer")
    assert search(model, []) == []
    assert len(search(model, [[]])) == 1


def test_padding_begin_and_unknown_are_never_written() -> None:
    model = a_model("transformer")
    assert model.untied_output is not None
    with torch.no_grad():
        model.untied_output[[PADDING, BEGIN, UNKNOWN]] *= 40.0
    for asked in (settings(beam=1), settings(beam=3), settings(sampling=Sampling())):
        for (best,) in search(model, some_sources(20), asked):
            assert not {PADDING, BEGIN, END, UNKNOWN} & {*best.tokens}


def test_a_model_in_training_is_searched_at_rest_and_goes_on_training() -> None:
    model, sources = a_model("transformer", dropout=0.5), some_sources(5)
    model.encoder.eval()
    at_rest = search(model, sources)
    model.train()
    model.decoder_norm.eval()
    assert search(model, sources) == at_rest
    assert model.training
    assert model.encoder.training
    assert not model.decoder_norm.training


def test_half_precision_is_searched_too() -> None:
    model = a_model("transformer").bfloat16()
    ((best,),) = search(model, [[5, 6, 7]])
    assert math.isfinite(best.log_probability)


@pytest.mark.parametrize(
    "how", [SearchSettings(beam=1), SearchSettings(beam=3), SearchSettings(sampling=Sampling(), beam=1)]
)
def test_a_damaged_model_is_refused(how: SearchSettings) -> None:
    model = a_model("transformer")
    assert model.untied_output is not None
    with torch.no_grad():
        model.untied_output[5] = torch.nan
    with pytest.raises(RegardError) as caught:
        search(model, [[5, 6]], how)
    assert str(caught.value) == (
        "the model answers with NaN where probabilities should be. "
        "Its parameters are damaged: load them again."
    )


def test_prefixes_that_fit_nothing_are_refused() -> None:
    model: Model = a_model("transformer")
    with pytest.raises(DataError) as caught:
        search(model, [[5], [6]], prefixes=[[7]])
    assert str(caught.value) == "prefixes must be one for each of 2 sources, but got 1."
    with pytest.raises(DataError) as caught:
        search(model, [[5], [6]], prefixes=[[7], [7, 2]])
    assert str(caught.value) == ("prefix 1 holds the special token 2. A prefix is the tokens of text alone.")


def some_numbers(size: int) -> torch.Tensor:
    """With rows of nothing, of little, of numbers that are all alike, and the highest at the end."""
    numbers = torch.randn(6, size)
    numbers[1] = -torch.inf
    numbers[2, 3:] = -torch.inf
    numbers[3] = 0.0
    numbers[4, -1] = 9.0
    return numbers


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize("size", [7, 1_300, 1_357])
def test_the_likeliest_is_what_sorting_finds(monkeypatch: pytest.MonkeyPatch, size: int, few: int) -> None:
    monkeypatch.setattr(searching, "FEW", few)
    numbers = some_numbers(size)
    found, places = likeliest(numbers)
    assert torch.equal(found, numbers.sort(descending=True).values[:, :1])
    assert torch.equal(numbers.gather(1, places), found)


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize("count", [2, 6])
@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("size", [7, 1_300, 1_357])
def test_the_best_continuations_are_those_that_sorting_finds(
    monkeypatch: pytest.MonkeyPatch, size: int, width: int, count: int, few: int
) -> None:
    monkeypatch.setattr(searching, "FEW", few)
    numbers, totals = some_numbers(size), torch.randn(6 // width, width)
    sums = (numbers.view(-1, width, size) + totals[:, :, None]).flatten(1)
    found = best_continuations(totals, numbers, count)
    assert torch.equal(found.totals, sums.sort(descending=True).values[:, :count])
    places = found.parents * size + found.tokens
    assert torch.equal(sums.gather(1, places), found.totals)
    assert torch.equal(numbers.view(-1, width * size).gather(1, places), found.log_probabilities)
    assert all(len(set(row)) == count for row in places.tolist())


@pytest.mark.parametrize("few", [0, 20_000])
@pytest.mark.parametrize("place", [777, 1_356])
def test_what_is_not_a_number_is_among_the_most_likely(
    monkeypatch: pytest.MonkeyPatch, place: int, few: int
) -> None:
    monkeypatch.setattr(searching, "FEW", few)
    numbers = torch.randn(2, 1_357)
    numbers[1, place] = torch.nan
    assert likeliest(numbers)[0][1].isnan().all()
    assert best_continuations(torch.zeros(1, 2), numbers, 2).totals.isnan().any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("no_repeat", [0, 2])
@pytest.mark.parametrize("sampling", [None, Sampling(temperature=2.0, seed=3)])
def test_rows_of_which_none_ends_are_written_as_all_are(
    monkeypatch: pytest.MonkeyPatch, kind: str, sampling: Sampling | None, no_repeat: int
) -> None:
    model, sources = a_model(kind), some_sources(7)
    how = SearchSettings(beam=1, sampling=sampling, no_repeat=no_repeat, longest_ratio=1.0, longest_slack=3)
    sooner = search(model, sources, how)
    monkeypatch.setattr(searching._Writing, "_all_go_on", lambda self, candidates: False)
    assert search(model, sources, how) == sooner


@pytest.mark.parametrize("quantization", [None, "int8"])
@pytest.mark.parametrize(("activation", "norm"), [("relu", "post"), ("relu", "pre"), ("gated", "pre")])
def test_a_watched_search_finds_the_same_bit_for_bit(
    activation: str, norm: str, quantization: str | None
) -> None:
    torch.manual_seed(0)
    sizes: dict[str, Any] = {"width": 128, "heads": 2, "layers": 1, "hidden_width": 1024}
    model = Transformer(vocabulary=41, activation=activation, norm=norm, **sizes).eval()
    for count, beam in ((1, 1), (5, 1), (24, 1), (70, 1), (6, 4)):  # as rows, as columns, as rows
        sources = some_sources(count)
        unwatched = search(model, sources, settings(beam=beam), quantization=quantization)
        with regard.watch(model):
            assert search(model, sources, settings(beam=beam), quantization=quantization) == unwatched
