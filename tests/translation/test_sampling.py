import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from regard.translation import Sampling, SearchSettings, search
from regard.translation.sampling import draw
from tests.translation.some import KINDS, a_model, greedy, next_log_probabilities, some_sources

ONE_TOKEN = {"longest_ratio": 0.0, "longest_slack": 1}


@pytest.mark.parametrize(
    ("kind", "sampling"),
    [*zip(KINDS, [Sampling(top_k=1), Sampling(top_p=1e-9), Sampling(temperature=1e-4)], strict=True)],
)
def test_drawing_from_the_likeliest_token_alone_is_greedy(kind: str, sampling: Sampling) -> None:
    model, sources = a_model(kind), some_sources(5)
    found = search(model, sources, SearchSettings(sampling=sampling, longest_ratio=1.0))
    for source, (drawn,) in zip(sources, found, strict=True):
        assert [*drawn.tokens] == greedy(model, source, len(source) + 10)


@pytest.mark.parametrize(
    ("sampling", "kept"),
    [
        (Sampling(seed=1), 20),
        (Sampling(seed=2, temperature=2.0), 20),
        (Sampling(seed=3, top_k=5), 5),
        (Sampling(seed=4, top_p=0.8), None),
        (Sampling(seed=5, top_k=7, top_p=0.6, temperature=1.5), None),
    ],
)
def test_tokens_are_drawn_as_often_as_they_are_likely(sampling: Sampling, kept: int | None) -> None:
    model, source, draws = a_model("transformer", sharpness=1.0), [5, 9, 7], 4_000
    (found,) = search(model, [source], SearchSettings(n_best=draws, sampling=sampling, **ONE_TOKEN))
    counts = torch.zeros(23)
    for hypothesis in found:
        counts[hypothesis.tokens[0] if hypothesis.tokens else 2] += 1

    chances = torch.tensor(next_log_probabilities(model, source, [])) / sampling.temperature
    chances, tokens = chances.sort(descending=True)
    probabilities = chances.softmax(0)
    if sampling.top_k:
        probabilities[sampling.top_k :] = 0.0
        probabilities /= probabilities.sum()
    if sampling.top_p < 1:
        needed = int((probabilities.cumsum(0) < sampling.top_p).sum()) + 1
        probabilities[needed:] = 0.0
        probabilities /= probabilities.sum()
        assert 1 < needed < 20
    assert kept is None or int((counts > 0).sum()) <= kept
    assert counts[tokens][probabilities == 0].sum() == 0
    deviation = (probabilities * (1 - probabilities) / draws).sqrt()
    assert ((counts[tokens] / draws - probabilities).abs() <= 4 * deviation).all()


def test_another_seed_draws_others_and_the_same_seed_the_same() -> None:
    model, sources = a_model("transformer", sharpness=1.0), some_sources(3)

    def drawn(seed: int) -> list[tuple[int, ...]]:
        found = search(model, sources, SearchSettings(sampling=Sampling(seed=seed), n_best=2))
        return [hypothesis.tokens for hypotheses in found for hypothesis in hypotheses]

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)
    assert len({*drawn(1)}) == 6


def test_drawing_leaves_the_random_numbers_of_others_alone() -> None:
    before = torch.get_rng_state()
    search(a_model("recurrent"), [[5, 6]], SearchSettings(sampling=Sampling()))
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    model = a_model("recurrent")
    torch.manual_seed(3)
    search(model, [[5, 6]], SearchSettings(sampling=Sampling()))
    assert torch.equal(torch.rand(1), expected)
    torch.set_rng_state(before)


@given(
    logits=st.lists(st.floats(-30, 30) | st.just(-torch.inf), min_size=1, max_size=9).filter(
        lambda row: max(row) > -torch.inf
    ),
    chance=st.floats(0, 1, exclude_max=True, width=32),
    top_k=st.integers(0, 10),
    top_p=st.floats(0.01, 1),
)
def test_what_is_impossible_is_never_drawn(
    logits: list[float], chance: float, top_k: int, top_p: float
) -> None:
    allowed = torch.tensor([logits]).log_softmax(-1)
    token = draw(allowed, torch.tensor([chance]), Sampling(top_k=top_k, top_p=top_p))
    assert allowed[0, token.item()] > -torch.inf


def test_a_chance_rounded_up_to_one_still_draws_what_is_possible() -> None:
    allowed = torch.tensor([[0.0, 0.0, -torch.inf]]).log_softmax(-1)
    assert draw(allowed, torch.tensor([1.0]), Sampling()).tolist() == [[1]]
