"""What is particular to a position; what is common to all is in the laws."""

import math

import pytest
import torch

from regard import positions
from tests.attention.mechanisms import assert_nearly


@pytest.mark.parametrize("width", [1, 6, 7])
def test_sinusoidal_places_are_those_of_the_paper(width: int) -> None:
    table = positions.Sinusoidal(width).encoding(torch.arange(300), torch.float64)
    for place in (0, 1, 17, 299):
        for feature in range(width):
            angle = place / 10_000 ** (2 * (feature // 2) / width)
            wave = math.cos(angle) if feature % 2 else math.sin(angle)
            assert table[place, feature].item() == pytest.approx(wave, abs=1e-12)


def test_places_beyond_the_table_go_on_without_a_seam() -> None:
    position = positions.Sinusoidal(6)
    far = position.encoding(torch.arange(250, 270))
    exact = position.encoding(torch.arange(250, 270), torch.float64)
    assert (far - exact).abs().max() < 1e-7
    assert_nearly(position(torch.zeros(3, 6), past=1_000), position.encoding(torch.arange(1_000, 1_003)))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16], ids=str)
@pytest.mark.parametrize("past", [0, 3, 252, 255, 300])
def test_places_that_are_looked_up_are_those_that_are_computed(past: int, dtype: torch.dtype) -> None:
    for position in (positions.Sinusoidal(6), positions.Learned(6, longest=400)):
        found = position.to(dtype)(torch.zeros(2, 4, 6, dtype=dtype), past=past)
        places = torch.arange(past, past + 4)
        assert torch.equal(found, position.encoding(places, dtype).expand(2, -1, -1))


@pytest.mark.parametrize("position", [positions.Sinusoidal(6), positions.Learned(6, longest=11)], ids=str)
def test_each_row_may_have_its_own_past(position: positions.Added) -> None:
    embeddings = torch.randn(2, 3, 6)
    together = position(embeddings, past=torch.tensor([0, 5]))
    assert torch.equal(together[0], position(embeddings[0]))
    assert torch.equal(together[1], position(embeddings[1], past=5))


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16], ids=str)
def test_turning_keeps_every_length(dtype: torch.dtype) -> None:
    vectors = torch.randn(2, 5, 6, dtype=dtype)
    turned = positions.Rotary(6).turn(vectors, past=7)
    assert turned.dtype == dtype
    assert_nearly(turned.double().norm(dim=-1).to(dtype), vectors.double().norm(dim=-1).to(dtype))


@pytest.mark.parametrize(
    ("heads", "slopes"),
    [
        (1, [1 / 256]),
        (2, [1 / 16, 1 / 256]),
        (8, [1 / 2, 1 / 4, 1 / 8, 1 / 16, 1 / 32, 1 / 64, 1 / 128, 1 / 256]),
        (5, [1 / 4, 1 / 16, 1 / 64, 1 / 256, 1 / 2]),
    ],
)
def test_alibi_slopes_are_those_of_the_paper(heads: int, slopes: list[float]) -> None:
    """2^(-8/n), 2^(-16/n), …; between powers of two, every second slope of the next."""
    assert positions.Alibi(heads).slopes.tolist() == slopes
    assert positions.Alibi(heads)(1, 4, past=2)[0, 0].tolist() == [-2 * slopes[0], -slopes[0], 0, -slopes[0]]


def test_t5_buckets_are_exact_when_near_and_coarse_when_far() -> None:
    """Four of each direction: distances 0 and 1 alone, 2 to 3 together (up to √(2·6)), then all others."""
    position = positions.T5Bias(3, buckets=8, furthest=6)
    distances = torch.tensor([-9, -4, -3, -2, -1, 0, 1, 2, 3, 4, 9])
    assert position.bucket(distances).tolist() == [3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7]


def test_t5_buckets_of_one_direction_see_nothing_ahead() -> None:
    position = positions.T5Bias(3, buckets=4, furthest=6, both_ways=False)
    assert position.bucket(torch.tensor([-9, -4, -3, -2, -1, 0, 1, 9])).tolist() == [3, 3, 2, 2, 1, 0, 0, 0]


def test_relative_rows_are_clipped_distances() -> None:
    rows = positions.Relative(reach=2, head_width=3).rows(2, 6, past=1, device=torch.device("cpu"))
    assert rows.tolist() == [[1, 2, 3, 4, 4, 4], [0, 1, 2, 3, 4, 4]]


@pytest.mark.parametrize(("keys", "values"), [(True, True), (True, False), (False, True), (False, False)])
@pytest.mark.parametrize("heads", [None, 5])
def test_relative_tables_may_be_switched_off_and_shared(keys: bool, values: bool, heads: int | None) -> None:
    position = positions.Relative(reach=2, head_width=3, heads=heads, keys=keys, values=values)
    shape = (5, 3) if heads is None else (5, 5, 3)
    for table, wanted in ((position.key_table, keys), (position.value_table, values)):
        assert (table is not None) == wanted
        assert table is None or table.shape == shape
    assert len(list(position.parameters())) == keys + values
