"""What is particular to many heads: parameters, precision and sizes."""

import pytest
import torch

from regard import Attention, MultiHeadAttention, attend, masks, positions, scores
from tests.attention.mechanisms import assert_nearly


def test_shared_key_heads_need_fewer_parameters() -> None:
    sizes = {
        heads: MultiHeadAttention(24, heads=6, key_heads=heads).projection.weight.shape for heads in (1, 2, 6)
    }
    assert sizes == {1: (32, 24), 2: (40, 24), 6: (72, 24)}


def test_biases_begin_at_zero_and_may_be_left_out() -> None:
    attention = MultiHeadAttention(6, heads=2)
    assert (attention.projection.bias == 0).all()
    assert (attention.output_projection.bias == 0).all()
    bare = MultiHeadAttention(6, heads=2, bias=False)
    assert {name for name, _ in bare.named_parameters()} == {"projection.weight", "output_projection.weight"}
    assert bare(torch.randn(2, 3, 6), torch.randn(2, 5, 6)).shape == (2, 3, 6)


def test_each_projection_begins_with_its_own_spread() -> None:
    attention = MultiHeadAttention(64, heads=8, key_heads=1)
    for part in attention.projection.weight.split([64, 8, 8]):
        assert part.std().item() == pytest.approx((2 / (64 + len(part))) ** 0.5, rel=0.1)


def test_attention_as_a_module_is_the_function() -> None:
    x, y, z = torch.randn(2, 3, 5), torch.randn(2, 7, 5), torch.randn(2, 7, 11)
    mask = masks.lengths([2, 7])
    attention = Attention(score=scores.Gaussian(2.0))
    assert torch.equal(attention(x), attend(x, score=attention.score))
    assert torch.equal(attention(x, y, mask=mask), attend(x, y, score=attention.score, mask=mask))
    assert torch.equal(attention(x, y, z, mask=mask), attend(x, y, z, score=attention.score, mask=mask))


def test_values_of_their_own_may_come_with_keys_of_the_queries() -> None:
    attention = MultiHeadAttention(6, heads=2)
    x, z = torch.randn(2, 2, 5, 6).unbind()
    assert_nearly(attention(x, values=z), attention(x, x, z))
    assert_nearly(attention(x), attention(x, x.clone(), x.clone()))
    assert_nearly(attention(x, z), attention(x, z, z.clone()))


def test_a_memory_of_single_precision_may_be_asked_in_half() -> None:
    torch.manual_seed(3)
    attention = MultiHeadAttention(6, heads=2)
    vectors = torch.randn(67, 5, 6)  # so many heads that products are taken
    memory = attention.remember(vectors)
    with torch.autocast("cpu", torch.bfloat16):
        halved = attention(vectors, memory)
    torch.testing.assert_close(halved.float(), attention(vectors, memory), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("heads", [2, 134])
def test_a_query_that_may_attend_to_nothing_hears_silence_in_half_precision(heads: int) -> None:
    attention = MultiHeadAttention(6, heads=2)
    vectors = torch.randn(heads // 2, 5, 6)
    counts = [0, *[5] * (heads // 2 - 1)]
    with torch.autocast("cpu", torch.bfloat16):
        output = attention(vectors, vectors.clone(), mask=masks.lengths(counts))
    assert not output[0].any()
    assert output[1:].isfinite().all()


@pytest.mark.parametrize(
    "position",
    [
        None,
        positions.Rotary(4),
        positions.Relative(reach=2, head_width=4),
        positions.Alibi(3),
        positions.T5Bias(3),
    ],
    ids=lambda position: type(position).__name__,
)
def test_autocast_runs_in_half_precision_near_the_whole(position: positions.Position | None) -> None:
    attention = MultiHeadAttention(12, heads=3, position=position)
    x = torch.randn(2, 5, 12)
    with torch.autocast("cpu", torch.bfloat16):
        found = attention(x, mask=masks.causal())
    assert found.dtype == torch.bfloat16
    assert (found.float() - attention(x, mask=masks.causal())).abs().max() < 0.05


def test_every_head_may_have_its_own_tables() -> None:
    position = positions.Relative(reach=2, head_width=4, heads=3)
    attention = MultiHeadAttention(12, heads=3, key_heads=1, position=position)
    attention(torch.randn(2, 5, 12)).sum().backward()
    assert position.key_table is not None
    assert position.key_table.grad is not None
    assert position.key_table.grad.shape == (3, 5, 4)
