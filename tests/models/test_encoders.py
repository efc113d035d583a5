"""Three encoders, one interface, and what each says it costs."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from regard.models import ConvolutionalEncoder, Encoder, RecurrentEncoder, SelfAttentionEncoder
from regard.models.positioning import POSITIONS

BATCH, COUNT, WIDTH, VOCABULARY = 3, 7, 6, 11
LENGTHS = torch.tensor([5, 7, 2])
EVERY_ENCODER: dict[str, tuple[Callable[..., Encoder], dict[str, Any]]] = {
    **{
        f"{cell}{' both ways' if both_ways else ''}": (
            RecurrentEncoder,
            {"cell": cell, "both_ways": both_ways, "layers": 2},
        )
        for cell in ("gru", "lstm", "plain")
        for both_ways in (False, True)
    },
    **{
        f"kernel {kernel} {positions}": (
            ConvolutionalEncoder,
            {"kernel": kernel, "positions": positions, "layers": 2},
        )
        for kernel, positions in ((1, "none"), (3, "learned"), (5, "sinusoidal"))
    },
    "normalised": (ConvolutionalEncoder, {"layers": 2, "normalised": True}),
    **{
        f"attention {positions} {norm}": (
            SelfAttentionEncoder,
            {"heads": 3, "positions": positions, "norm": norm, "layers": 2},
        )
        for positions in POSITIONS
        for norm in ("post", "pre")
    },
}
every_encoder = pytest.mark.parametrize("name", EVERY_ENCODER)


def make(name: str, **more: Any) -> Encoder:
    encoder, settings = EVERY_ENCODER[name]
    return encoder(WIDTH, **settings, **more).double()


@every_encoder
def test_vectors_in_and_a_vector_per_position_out(name: str) -> None:
    assert make(name)(torch.randn(BATCH, COUNT, WIDTH).double()).shape == (BATCH, COUNT, WIDTH)


@every_encoder
def test_tokens_are_vectors_times_the_root_of_the_width(name: str) -> None:
    encoder = make(name, vocabulary=VOCABULARY)
    tokens = torch.randint(VOCABULARY, (BATCH, COUNT))
    assert encoder.embedding is not None
    vectors = encoder.embedding.weight[tokens] * WIDTH**0.5
    torch.testing.assert_close(encoder(tokens, LENGTHS), encoder(vectors, LENGTHS))


@every_encoder
def test_what_lies_beyond_a_length_changes_nothing_before_it(name: str) -> None:
    encoder, vectors = make(name), torch.randn(BATCH, COUNT, WIDTH).double()
    encoded = encoder(vectors, LENGTHS)
    for row, length in enumerate(LENGTHS):
        alone = encoder(vectors[row : row + 1, :length])
        torch.testing.assert_close(encoded[row : row + 1, :length], alone, rtol=1e-10, atol=1e-10)


@every_encoder
@pytest.mark.parametrize("shape", [(BATCH, 0, WIDTH), (0, COUNT, WIDTH)])
def test_nothing_is_encoded_as_nothing(name: str, shape: tuple[int, ...]) -> None:
    encoded = make(name)(torch.zeros(shape).double(), torch.zeros(shape[0], dtype=torch.long))
    assert encoded.shape == shape


@pytest.mark.parametrize("both_ways", [False, True])
def test_torchs_gru_with_the_same_parameters_answers_the_same(both_ways: bool) -> None:
    encoder = RecurrentEncoder(WIDTH, layers=2, both_ways=both_ways).double()
    hidden = WIDTH // 2 if both_ways else WIDTH
    network = nn.GRU(WIDTH, hidden, 2, batch_first=True, bidirectional=both_ways).double()
    network.load_state_dict(encoder.network.state_dict())
    vectors = torch.randn(BATCH, COUNT, WIDTH).double()
    for row, length in enumerate(LENGTHS):
        alone, _ = network(vectors[row : row + 1, :length])
        torch.testing.assert_close(encoder(vectors, LENGTHS)[row : row + 1, :length], alone)


def test_each_encoder_states_its_cost() -> None:
    """The table of Vaswani et al. (2017), section 4, for n = 10, d = 6, k = 5."""
    n, d, k = 10, 6, 5
    costs = [
        RecurrentEncoder(d).cost(n),
        ConvolutionalEncoder(d, kernel=k).cost(n),
        SelfAttentionEncoder(d, heads=2).cost(n),
    ]
    assert [cost.formulas for cost in costs] == [
        ("n·d²", "n", "n"),
        ("k·n·d²", "1", "n/k"),
        ("n²·d", "1", "1"),
    ]
    # A GRU has three gates and two matrices for each, a gated convolution two maps of its window,
    # attention a product for the scores and one for the average.
    assert [cost.operations for cost in costs] == [2 * 3 * n * d**2, 2 * k * n * d**2, 2 * n**2 * d]
    assert [cost.sequential for cost in costs] == [n, 1, 1]
    # From the first position to the last are nine places, of which a kernel of five takes two at a time.
    assert [cost.longest_path for cost in costs] == [n, 5, 1]
